"""The site in a real browser: every page loads whole, from the site alone, and can be read."""

from __future__ import annotations

import gzip
import html
import re
from pathlib import Path
from typing import Any

import pytest

from ppslab.model import results
from ppslab.show import report
from tests.support.suite_factory import make_suite
from tests.system.browser.conftest import toc_pages
from tests.system.browser.visits import COVERED

pytestmark = pytest.mark.browser

KINDS = (
    "index.html",
    *(f"book/fastpath/{page}.html" for page in ("index", "measured", "why", "router", "tasks")),
    "notebooks/fastpath.html",
    *(f"book/{page}.html" for page in ("explain", "slow", "cases", "claims", "questions")),
    "book/glossary.html",
    "search.html",
)
"""A page of each kind: `make test` looks at these, and `make test-weekly` at all others."""

PAGES = [
    *KINDS,
    *(pytest.param(path, marks=pytest.mark.weekly)
      for path in (*toc_pages(), "genindex.html") if path not in KINDS),
]  # fmt: skip

WIDTHS = (1920, 1280, 390)
"""A projector, a laptop, a telephone."""


AXE = """async rules => {
  const found = await axe.run(document, {resultTypes: ["violations"], ...rules});
  return found.violations
    .filter(one => ["serious", "critical"].includes(one.impact))
    .map(one => `${one.impact} ${one.id}: ` + one.nodes.slice(0, 3).map(n => n.html).join(" | "));
}"""

WIDE = """() => document.documentElement.scrollWidth - document.documentElement.clientWidth"""

TAPPED = """() => [...document.querySelectorAll(`
    .bd-header-article .btn, .prev-next-area a, .ppslab-steps a, .ppslab-sides button,
    .ppslab-begin li > a, .ppslab-sections li > a, .ppslab-entry :is(li, .ppslab-first) a,
    .ppslab-widget :is(button, select, textarea, summary, input[type=text], input[type=number],
      input[type=file]), .ppslab-filters :is(select, input, button),
    #ppslab-cases .ppslab-answer-choice label,
    .ppslab-case :is(button, input[type=text], textarea, summary)`)]
  .filter((one) => one.checkVisibility() && one.getBoundingClientRect().width > 1)
  .filter((one) => Math.round(one.getBoundingClientRect().height) < 44)
  .map((one) => one.outerHTML.slice(0, 90))"""
"""What one taps and is smaller than a finger."""

MOST = 400_000
"""Bytes of a page, gzipped, before its reader asks for more."""


@pytest.mark.parametrize("path", PAGES)
def test_a_page_is_whole_asks_nobody_and_can_be_read(
    visit: Any, site: str, node_modules: Path, path: str
) -> None:
    """Nothing missing, no other host, no error, axe, light, no wider than a screen, for fingers."""
    seen = visit("about:blank")
    sizes: dict[str, int] = {}
    seen.page.on("response", lambda r: sizes.update({r.url: len(gzip.compress(r.body()))}))
    seen.open(f"{site}/{path}")
    assert 50_000 < sum(sizes.values()) < MOST, sorted(sizes.items(), key=lambda size: size[1])[-3:]
    assert seen.page.locator("h1").count() >= 1
    seen.page.evaluate((node_modules / "axe-core/axe.min.js").read_text(encoding="utf-8"))
    assert seen.page.evaluate(AXE, {}) == []
    # Half-way between two themes a colour is of neither.
    seen.page.add_style_tag(content="*, ::before, ::after { transition: none !important }")
    seen.page.evaluate("document.documentElement.dataset.theme = 'dark'")
    assert seen.page.evaluate(AXE, {"runOnly": ["color-contrast"]}) == [], "in the dark"
    for width in WIDTHS:
        seen.page.set_viewport_size({"width": width, "height": 900})
        assert seen.page.evaluate(WIDE) <= 0, f"wider than {width} px"
        assert seen.page.evaluate(COVERED) == [], f"under a button at {width} px"
    assert seen.page.evaluate(TAPPED) == []
    assert seen.wrong == []
    outside = [url for url in seen.asked if not url.startswith((f"{site}/", "data:", "blob:"))]
    assert outside == []


@pytest.mark.parametrize("path", toc_pages())
def test_every_link_inside_the_site_leads_somewhere(site_folder: Path, path: str) -> None:
    page = site_folder / path
    text = page.read_text(encoding="utf-8")
    links = re.findall(r'<a\b[^>]*?\bhref="([^"]+)"', text)
    assert links
    missing = []
    for link in links:
        address, _, anchor = link.partition("#")
        if re.match(r"[a-z]+:|//", address):
            continue
        address, _, _ = address.partition("?")
        target = (page.parent / address).resolve() if address else page
        if not target.is_file():
            missing.append(link)
        elif anchor and target.suffix == ".html":
            body = target.read_text(encoding="utf-8")
            if f'id="{anchor}"' not in body:
                missing.append(link)
    assert missing == []


def test_every_page_has_a_title_and_a_description_of_its_own(site_folder: Path) -> None:
    """As short as search engines show them."""
    heads = [(site_folder / path).read_text(encoding="utf-8") for path in toc_pages()]
    tags = {"<title>([^<]*)<": 60, '<meta name="description" content="([^"]*)"': 155}
    for tag, most in tags.items():
        texts = [html.unescape(found[1]) for head in heads if (found := re.search(tag, head))]
        assert len(set(texts)) == len(heads)
        assert [text for text in texts if len(text) > most] == []


def test_a_report_asks_nobody_and_fits(browser: Any, node_modules: Path, tmp_path: Path) -> None:
    results.save(make_suite(sizes=(64, 512, 1518)), tmp_path / "suite.json")
    html_text = report.html([report.load(str(tmp_path / "suite.json"))])
    (tmp_path / "suite.html").write_text(html_text, encoding="utf-8")
    page = browser.new_page(viewport={"width": 390, "height": 900})
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto((tmp_path / "suite.html").as_uri())
    assert len(asked) == 1
    # Wide tables and figures scroll in frames of their own.
    assert page.evaluate(WIDE) <= 0
    page.evaluate((node_modules / "axe-core/axe.min.js").read_text(encoding="utf-8"))
    assert page.evaluate(AXE, {}) == []
    page.close()
