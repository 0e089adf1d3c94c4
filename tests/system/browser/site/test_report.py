"""A report as a browser shows it: offline, on a desk and in a hand, in light and in dark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ppslab.model import results
from ppslab.show import report
from tests.support.suite_factory import make_suite

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    results.save(make_suite(sizes=(64, 512, 1518)), folder / "suite.json")
    page = report.html([report.load(str(folder / "suite.json"))])
    (folder / "suite.html").write_text(page, encoding="utf-8")
    return folder / "suite.html"


CONTRAST = """() => {
  const channel = c => { c /= 255; return c <= .03928 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4 };
  const parse = text => text.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => .2126 * channel(r) + .7152 * channel(g) + .0722 * channel(b);
  const ground = light(parse(getComputedStyle(document.body).backgroundColor));
  return [...document.querySelectorAll("p, td, th, a, li, h1, h2, caption, svg text")].map(e => {
    const style = getComputedStyle(e);
    const ink = light(parse(e.namespaceURI.endsWith("svg") ? style.fill : style.color));
    return (Math.max(ink, ground) + .05) / (Math.min(ink, ground) + .05);
  });
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_a_report_asks_nobody_and_fits(
    browser: Any, page_file: Path, width: int, scheme: str
) -> None:
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, offline=True
    )
    page = context.new_page()
    asked: list[str] = []
    faults: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: faults.append(message.text))
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto(page_file.as_uri())
    assert asked == [page_file.as_uri()]
    assert faults == []
    # Wide tables and figures scroll in frames of their own.
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert min(page.evaluate(CONTRAST)) >= 4.5, "WCAG 2.2, 1.4.3"
    assert page.evaluate("document.querySelectorAll('svg [id]').length") > 0
    context.close()


def test_every_frame_that_scrolls_can_be_reached_by_keyboard(browser: Any, page_file: Path) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 900})
    page.goto(page_file.as_uri())
    unnamed = page.evaluate(
        """() => [...document.querySelectorAll(".ppslab-scroll")]
          .filter(e => e.scrollWidth > e.clientWidth)
          .filter(e => e.tabIndex !== 0 || !e.getAttribute("aria-label")).length"""
    )
    assert unnamed == 0
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.close()
