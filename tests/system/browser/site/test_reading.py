"""What a reader meets first: how heavy a page is, where the first thing to do stands, how numbers
are written."""

from __future__ import annotations

import gzip
import re
from pathlib import Path
from typing import Any

import pytest

from ppslab.core.text.numbers import regrouped
from tests.system.browser.conftest import toc_pages

pytestmark = pytest.mark.browser

MOST = 400_000
"""Bytes, gzipped, before the reader asks for more."""

KINDS = (
    "index.html",
    "search.html?q=fasttrack",
    "book/fastpath/index.html",
    "book/fastpath/measured.html",
    "book/claims.html",
    "book/explain.html",
    "book/records.html",
    "book/live-router.html",
    "book/progress.html",
    "notebooks/fastpath.html",
)

TO_DO = "article :is(.ppslab-widget, form.ppslab-predict, form.ppslab-quiz)"

TRY = [path.replace("measured", "index") for path in toc_pages() if path.endswith("/measured.html")]

_CODE = re.compile(r"<(script|style|pre|code|textarea|option)\b.*?</\1>|<!--.*?-->", re.DOTALL)


@pytest.mark.parametrize("path", KINDS)
def test_a_page_is_light_until_more_is_asked_for(visit: Any, site: str, path: str) -> None:
    sizes: dict[str, int] = {}
    seen = visit("about:blank")
    seen.page.on(
        "response",
        lambda answer: sizes.update({answer.url: len(gzip.compress(answer.body()))}),
    )
    seen.open(f"{site}/{path}")
    heaviest = sorted(sizes.items(), key=lambda each: each[1])[-3:]
    assert 50_000 < sum(sizes.values()) < MOST, heaviest


@pytest.mark.parametrize(("width", "height", "screens"), [(1280, 900, 1), (390, 844, 2)])
def test_the_first_thing_to_do_is_on_an_early_screen(
    visit: Any, site: str, width: int, height: int, screens: int
) -> None:
    """Of every chapter with a page Try: a question, a widget, or the guess that it asks for."""
    page = visit(f"{site}/index.html", width=width).page
    page.set_viewport_size({"width": width, "height": height})
    late = {}
    for path in TRY:
        page.goto(f"{site}/{path}")
        first = page.locator(TO_DO).first
        first.wait_for()
        top = first.bounding_box()["y"]
        if top > screens * height:
            late[path] = top
    assert late == {}


TITLES = """() => [...document.querySelectorAll("article caption")]
  .filter(title => title.checkVisibility())
  .map(title => {
    let edge = title.parentElement;
    while (!["auto", "scroll"].includes(getComputedStyle(edge).overflowX)) {
      edge = edge.parentElement;
    }
    edge.scrollLeft = edge.scrollWidth;
    const [box, frame] = [title.getBoundingClientRect(), edge.getBoundingClientRect()];
    return [box.left - frame.left, frame.right - box.right, edge.scrollLeft];
  })"""


def test_a_table_s_title_is_whole_wherever_the_table_is_moved(visit: Any, site: str) -> None:
    titles = visit(f"{site}/book/eoip/measured.html", width=390).page.evaluate(TITLES)
    assert any(moved > 0 for _, _, moved in titles)
    assert [each for each in titles if each[0] < 0 or each[1] < 0] == []


def test_large_numbers_are_written_alike_on_every_page(site_folder: Path) -> None:
    other = {}
    for path in site_folder.rglob("*.html"):
        if "lite" in path.relative_to(site_folder).parts:
            continue
        article = re.search(r"<article\b.*?</article>", path.read_text("utf-8"), re.DOTALL)
        texts = re.split(r"<[^>]*>", _CODE.sub("<>", article[0] if article else ""))
        if wrong := [text.strip() for text in texts if regrouped(text) != text]:
            other[path.name] = wrong[:3]
    assert other == {}
