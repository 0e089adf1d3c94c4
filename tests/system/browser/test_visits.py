"""What a visit counts as wrong: a question that failed, not one whose page was left."""

from __future__ import annotations

from typing import Any

import pytest

from tests.system.browser.visits import Visit, until

pytestmark = pytest.mark.browser

ASKS = "<title>asks</title><script>fetch('/never')</script>"
GIVES_UP = """<title>gives up</title><script>
const giving = new AbortController();
fetch('/never', {signal: giving.signal}).catch(() => { globalThis.given = true; });
setTimeout(() => giving.abort());
</script>"""
PAGES = {"/asks": ASKS, "/gives-up": GIVES_UP, "/other": "<title>other</title>"}


@pytest.fixture
def visit(browser: Any) -> Any:
    """A visit to pages that are made here; `/never` is never answered, `/refused` is refused."""
    made = Visit(browser.new_page())
    made.listen()
    made.page.route("**/*", lambda route: answer(route, made.page))
    yield made
    made.page.close()


def answer(route: Any, page: Any) -> None:
    path = route.request.url.removeprefix("http://pages.invalid")
    if path == "/refused":
        route.abort("connectionrefused")
    elif path in PAGES:
        route.fulfill(body=PAGES[path], content_type="text/html")


def test_a_question_of_a_page_that_is_left_is_no_fault(visit: Visit) -> None:
    for _ in range(2):
        with visit.page.expect_request("http://pages.invalid/never"):
            visit.page.goto("http://pages.invalid/asks")
    visit.page.goto("http://pages.invalid/other")
    visit.settle()
    assert visit.asked.count("http://pages.invalid/never") == 2
    assert visit.wrong == []


def test_a_question_that_its_own_page_gives_up_is_one(visit: Visit) -> None:
    visit.page.goto("http://pages.invalid/gives-up")
    until(visit.page, "globalThis.given")
    assert visit.wrong == ["failed: http://pages.invalid/never: net::ERR_ABORTED"]


def test_a_question_that_is_refused_is_one_though_the_page_is_left(visit: Visit) -> None:
    visit.page.goto("http://pages.invalid/other")
    visit.page.evaluate("fetch('/refused').catch(() => { globalThis.given = true; })")
    until(visit.page, "globalThis.given")
    visit.page.goto("http://pages.invalid/other")
    assert "failed: http://pages.invalid/refused: net::ERR_CONNECTION_REFUSED" in visit.wrong
