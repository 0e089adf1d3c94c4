"""The site's own typeface: served by the site, small, and no line moves when it comes late."""

from __future__ import annotations

from typing import Any

import pytest

from tests.system.browser.visits import Visit, until

pytestmark = pytest.mark.browser

MOST = 120_000
"""Bytes of all fonts of a page."""

PAINTED = "performance.getEntriesByName('first-contentful-paint').length > 0"
SHIFTS = """() => new Promise((done) => {
  const sum = (list) => list.getEntries().reduce((all, each) => all + each.value, 0);
  new PerformanceObserver((list) => done(sum(list)))
    .observe({ type: "layout-shift", buffered: true });
  // Nothing happened: of a shift that was, the observer tells at once.
  setTimeout(() => done(0), 500);
})"""


def test_every_page_is_set_in_it_and_asks_only_the_site(visit: Any, site: str) -> None:
    seen = visit("about:blank")
    fonts: dict[str, int] = {}

    def keep(answer: Any) -> None:
        if answer.request.resource_type == "font":
            fonts[answer.url] = len(answer.body())

    seen.page.on("response", keep)
    for path in ("index.html", "book/fastpath/index.html", "book/explain.html"):
        fonts.clear()
        seen.open(f"{site}/{path}")
        assert seen.page.evaluate("[...document.fonts].some(f => f.status === 'loaded')"), path
        assert all(address.startswith(f"{site}/_static/fonts/") for address in fonts)
        assert sum(fonts.values()) <= MOST


def test_a_font_that_comes_late_moves_nothing(browser: Any, site: str) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 800})
    page = context.new_page()

    held: list[Any] = []

    def hold(route: Any) -> None:
        held.append(route)

    page.route("**/*.woff2", hold)
    seen = Visit(page)
    seen.listen()
    page.goto(f"{site}/book/method.html", wait_until="domcontentloaded")
    # Before it is painted nothing can move.
    until(page, PAINTED)
    assert held
    page.unroute("**/*.woff2", hold)  # which lets go those that are held
    seen.settle()
    assert page.evaluate(SHIFTS) < 0.02
    context.close()
