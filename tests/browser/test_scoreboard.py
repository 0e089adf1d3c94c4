"""The scoreboard in a real browser: with its filters, with the keyboard, and without scripts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from ppslab import claims, lab, published, scoreboard

PAGE = "book/claims.html"
ROWS = ".ppslab-scoreboard tbody tr"
SHOWN = f"{ROWS}:visible"

Open = Callable[..., Any]


@pytest.fixture
def page_of(browser: Any, site: str, request: pytest.FixtureRequest) -> Open:
    """Opens the scoreboard, with a query or a fragment behind its address."""

    def opened(behind: str = "", *, width: int = 1280, scripts: bool = True) -> Any:
        context = browser.new_context(
            viewport={"width": width, "height": 900}, java_script_enabled=scripts
        )
        request.addfinalizer(context.close)
        page = context.new_page()
        page.goto(f"{site}/{PAGE}{behind}")
        page.wait_for_load_state("networkidle")
        return page

    return opened


@pytest.fixture(scope="module")
def known() -> Iterator[dict[str, list[str]]]:
    """Every claim and every number of every lab, as the page calls them."""
    found = [lab.find(name) for name in lab.names()]
    yield {
        "claims": [
            f"claim-{each.name}-{claim.id}" for each in found for claim in claims.load(each)
        ],
        "numbers": [
            f"published-{each.name}-{row}" for each in found for row in published.load(each)
        ],
    }


def ids(page: Any, selector: str) -> list[str]:
    return page.locator(selector).evaluate_all("all => all.map(each => each.id)")  # type: ignore[no-any-return]


def test_every_claim_and_every_number_stands_there_once(
    page_of: Open, known: dict[str, list[str]]
) -> None:
    page = page_of()
    assert sorted(ids(page, ROWS)) == sorted(known["claims"])
    assert sorted(ids(page, ".ppslab-scoreboard li")) == sorted(known["numbers"])
    verdicts = set(page.locator(".ppslab-scoreboard td.verdict").all_inner_texts())
    assert verdicts <= set(scoreboard.VERDICTS)


def test_without_scripts_it_is_a_plain_table(page_of: Open, known: dict[str, list[str]]) -> None:
    page = page_of(scripts=False)
    assert page.locator(SHOWN).count() == len(known["claims"])
    assert not page.locator("#ppslab-filters").is_visible()


def test_a_filter_shows_its_verdict_alone_and_stands_in_the_address(page_of: Open) -> None:
    page = page_of()
    page.get_by_label("verdict", exact=True).select_option("not testable here")
    shown = page.locator(f"{SHOWN} td.verdict").all_inner_texts()
    assert shown and set(shown) == {"not testable here"}
    assert "verdict=not-testable-here" in page.url
    said = page.locator("#ppslab-filters [role=status]").inner_text()
    assert said.startswith(f"{len(shown)} of ")
    page.reload()
    assert page.locator(SHOWN).count() == len(shown)
    page.get_by_role("button", name="Show all").click()
    page.wait_for_function("!location.search")
    assert page.locator(SHOWN).count() == page.locator(ROWS).count()


def test_filters_are_taken_together(page_of: Open) -> None:
    page = page_of("?source=ufone-ccr-tuning&chapter=fastpath")
    rows = ids(page, SHOWN)
    assert rows and all(row.startswith("claim-fastpath-") for row in rows)
    captions = page.locator(".ppslab-scoreboard caption:visible").all_inner_texts()
    assert [each.split()[0] for each in captions] == ["ufone-ccr-tuning"]
    page.get_by_label("contains").fill("simple queues")
    fewer = ids(page, SHOWN)
    assert 0 < len(fewer) < len(rows)
    assert "text=simple+queues" in page.url


def test_an_address_with_nonsense_shows_everything(page_of: Open) -> None:
    page = page_of("?source=nobody&verdict=%3Cscript%3E")
    assert page.locator(SHOWN).count() == page.locator(ROWS).count()


def test_the_filters_work_from_the_keyboard(page_of: Open) -> None:
    page = page_of()
    for name in ("source", "chapter", "verdict", "contains"):
        assert page.get_by_label(name, exact=True).count() == 1, "every field has a name"
    page.get_by_label("source", exact=True).focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    assert "verdict=reproduced" in page.url
    page.keyboard.press("Tab")
    page.keyboard.type("fast path")
    assert "text=fast+path" in page.url
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_function("!location.search")


def test_a_link_to_a_number_opens_what_is_folded_and_filtered(page_of: Open) -> None:
    number = "published-fastpath-rb1100-fast-path-stream-0-tx"
    page = page_of(f"?verdict=contradicted#{number}")
    assert page.locator(f"#{number}").is_visible()
    assert page.locator(f"#{number} >> xpath=ancestor::details").get_attribute("open") is not None
    page = page_of()
    page.locator(
        "#claim-fastpath-ratio-of-tracking-to-the-fast-path a[href^='#published']"
    ).first.click()
    assert "#published-fastpath-rb1100" in page.url
    assert page.locator("li:target").is_visible()


@pytest.mark.parametrize("width", [1280, 390])
def test_the_verdict_is_seen_without_scrolling_aside(page_of: Open, width: int) -> None:
    page = page_of(width=width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    right = page.locator(".ppslab-scoreboard td.verdict").evaluate_all(
        "all => Math.max(...all.map(each => each.getBoundingClientRect().right))"
    )
    assert right <= width
