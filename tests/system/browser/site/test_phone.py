"""The site at 390 px: what one taps is as large as a finger, and a tool is in sight."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.system.browser.conftest import toc_pages

pytestmark = pytest.mark.browser

WIDTH, HEIGHT = 390, 844
FINGER = 44

KINDS = (
    "index.html",
    "book/explain.html",
    "book/paste.html",
    "book/slow.html",
    "book/cases.html",
    "book/fastpath/index.html",
    "book/fastpath/measured.html",
    "book/claims.html",
    "search.html?q=slow",
)

TAPPED = """() => {
  const chosen = `.bd-header-article .btn, .prev-next-area a, .ppslab-steps a,
    .ppslab-sides button, .ppslab-begin li > a, .ppslab-sections li > a,
    .ppslab-entry :is(li, .ppslab-first) a,
    .ppslab-widget :is(button, select, textarea, summary, input[type=text], input[type=number],
      input[type=file]), .ppslab-filters :is(select, input, button)`;
  return [...document.querySelectorAll(chosen)]
    .filter((one) => one.checkVisibility() && one.getBoundingClientRect().width > 1)
    .map((one) => [one.outerHTML.slice(0, 90), Math.round(one.getBoundingClientRect().height)]);
}"""

UNFRAMED = """() => [...document.querySelectorAll("article table")]
  .filter((table) => table.checkVisibility() && table.getBoundingClientRect().right > innerWidth)
  .filter((table) => {
    for (let up = table; up.tagName !== "ARTICLE"; up = up.parentElement) {
      if (["auto", "scroll"].includes(getComputedStyle(up).overflowX)) return false;
    }
    return true;
  })
  .map((table) => table.innerText.slice(0, 60))"""


def opened(visit: Any, address: str) -> Any:
    seen = visit(address, width=WIDTH)
    seen.page.set_viewport_size({"width": WIDTH, "height": HEIGHT})
    return seen.page


@pytest.mark.parametrize("path", KINDS)
def test_what_one_taps_is_as_large_as_a_finger(visit: Any, site: str, path: str) -> None:
    tapped = opened(visit, f"{site}/{path}").evaluate(TAPPED)
    assert len(tapped) > 2
    assert [one for one in tapped if one[1] < FINGER] == []


@pytest.mark.parametrize("path", [path for path in KINDS if path in toc_pages()])
def test_a_table_that_is_wider_than_the_screen_has_a_frame(
    visit: Any, site: str, path: str
) -> None:
    page = opened(visit, f"{site}/{path}")
    assert page.evaluate(UNFRAMED) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= WIDTH


@pytest.mark.parametrize("path", ["book/explain.html", "book/paste.html"])
def test_the_field_for_an_export_is_on_the_first_screen(visit: Any, site: str, path: str) -> None:
    page = opened(visit, f"{site}/{path}")
    field = page.get_by_label("Your export, or paste it here")
    if not field.is_visible():
        field = page.locator("main input[type=file]")
    box = field.bounding_box()
    assert box["y"] + box["height"] <= HEIGHT


def test_every_page_has_a_title_and_a_description_of_its_own(site_folder: Path) -> None:
    """As short as search engines show them."""
    titles: dict[str, str] = {}
    descriptions: dict[str, str] = {}
    for path in toc_pages():
        head = (site_folder / path).read_text(encoding="utf-8").partition("</head>")[0]
        title = re.search(r"<title>([^<]*)</title>", head)
        said = re.search(r'<meta name="description" content="([^"]*)"', head)
        assert title and said, path
        titles[path], descriptions[path] = title[1], said[1]
    for texts, most in ((titles, 60), (descriptions, 155)):
        assert len(set(texts.values())) == len(texts)
        long = {path: text for path, text in texts.items()
                if len(re.sub(r"&\w+;|&#\w+;", "x", text)) > most}  # fmt: skip
        assert long == {}
