"""The scoreboard in a real browser: with its filters, and with the keyboard."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.system.browser.visits import until

pytestmark = pytest.mark.browser

PAGE = "book/claims.html"
ROWS = ".ppslab-scoreboard tbody tr"
SHOWN = f"{ROWS}:visible"

Open = Callable[..., Any]


@pytest.fixture
def page_of(visit: Any, site: str) -> Open:
    """A function that opens the scoreboard, with a query or a fragment behind its address."""
    return lambda behind="": visit(f"{site}/{PAGE}{behind}").page


def ids(page: Any, selector: str) -> list[str]:
    return page.locator(selector).evaluate_all("all => all.map(each => each.id)")  # type: ignore[no-any-return]


def test_a_filter_shows_its_verdict_alone_and_stands_in_the_address(page_of: Open) -> None:
    page = page_of()
    page.get_by_label("verdict", exact=True).select_option("not testable here")
    shown = page.locator(f"{SHOWN} td.verdict").all_inner_texts()
    assert shown and set(shown) == {"not testable here"}
    until(page, "location.search.includes('verdict=not-testable-here')")
    said = page.locator("#ppslab-filters [role=status]").inner_text()
    judged = page.locator(f"{ROWS}.ppslab-claim:visible").count()
    assert 0 < judged <= len(shown) and said.startswith(f"{judged} of ")
    page.reload()
    assert page.locator(SHOWN).count() == len(shown)
    page.get_by_role("button", name="Show all").click()
    until(page, "!location.search")
    assert page.locator("details.ppslab-board[open]").count() == 0
    assert page.locator(f"{ROWS}:not([hidden])").count() == page.locator(ROWS).count()


def test_a_link_to_a_number_opens_what_is_folded_and_filtered(page_of: Open) -> None:
    number = "published-fastpath-rb1100-fast-path-stream-0-tx"
    page = page_of(f"?verdict=differs#{number}")
    page.locator(f"#{number}").wait_for()
    folds = page.locator(f"#{number} >> xpath=ancestor::details")
    assert folds.count() == page.locator(f"#{number} >> xpath=ancestor::details[@open]").count() > 1
    page = page_of("?chapter=fastpath")
    page.locator(
        "#claim-fastpath-ratio-of-tracking-to-the-fast-path a[href^='#published']"
    ).first.click()
    until(page, "location.hash.startsWith('#published-fastpath-rb1100')")
    page.locator("li:target").wait_for()
