"""The site in a real browser: every page loads whole, from the site alone, and shows the runs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from ppslab.core import documents, paths
from ppslab.core.measures import COSTS
from ppslab.course.site.directives.frame import finish
from ppslab.course.site.directives.frame.offline import external_addresses
from tests.support import made
from tests.system.browser.conftest import Built, toc_pages

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


@pytest.mark.parametrize("path", PAGES)
def test_a_page_is_whole_asks_nobody_and_can_be_read(
    visit: Any, site: str, node_modules: Path, path: str
) -> None:
    """Nothing missing, no request to another host, no error, axe, and no wider than a screen."""
    seen = visit(f"{site}/{path}")
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
    assert seen.wrong == []
    outside = [url for url in seen.asked if not url.startswith((f"{site}/", "data:", "blob:"))]
    assert outside == []


MOVED = documents.load_yaml(paths.project_root() / finish.MOVED).data


@pytest.mark.parametrize("path", [*toc_pages(), *(f"{old}.html" for old in MOVED)])
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


def test_nothing_in_the_site_would_be_fetched_from_elsewhere(site_folder: Path) -> None:
    assert external_addresses(site_folder) == []


def test_a_chapter_shows_the_newest_run_and_what_made_it(
    visit: Any, site: str, built: Built
) -> None:
    record = built.record
    seen = visit(f"{site}/book/fastpath/measured.html")
    if record is None:
        return
    assert made.says(seen.page.content(), record.provenance().sentence)
    title = f"{COSTS[record.measure].capitalize()}, median"
    costs = seen.page.locator("table.ppslab-table", has_text=title)
    rows = costs.locator("tbody tr")
    assert rows.count() == len(record.conditions)
    assert re.search(r"\d+ \[\d+, \d+\]", rows.first.inner_text())
    assert f"64 bytes, {record.unit}" in costs.locator("thead").inner_text()


def test_drawings_take_the_colour_of_a_dark_page(visit: Any, site: str) -> None:
    seen = visit(f"{site}/book/fastpath/measured.html", scheme="dark")
    colour = seen.page.locator("figure.ppslab-figure svg text").first.evaluate(
        "text => getComputedStyle(text).fill"
    )
    red, green, blue = (int(part) for part in re.findall(r"\d+", colour)[:3])
    assert min(red, green, blue) > 150
