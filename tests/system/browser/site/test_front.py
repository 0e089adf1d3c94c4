"""The front page, the search and the printed page, in a browser."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.browser

LANE = ".ppslab-race-lane"


PLACE = f"getComputedStyle(document.querySelector('{LANE}')).transform"


@pytest.mark.parametrize(
    ("query", "word"),
    [
        ("/ip firewall filter", "ip firewall filter"),
        ("l3-hw-offloading", "l3-hw-offloading"),
    ],
)
def test_the_search_finds_words_of_routeros_whole(
    visit: Any, site: str, query: str, word: str
) -> None:
    seen = visit(f"{site}/search.html?q={query.replace('/', '%2F').replace(' ', '+')}")
    found = seen.page.locator(".ppslab-found")
    found.wait_for()
    assert found.locator("dt").first.inner_text() == word
    link = found.locator("dd a").first
    link.click()
    seen.page.wait_for_load_state()
    shown = seen.page.inner_text("article").replace("/", " ")
    assert word in " ".join(shown.split())
    anchor = seen.page.evaluate("decodeURIComponent(location.hash.slice(1))")
    assert not anchor or seen.page.locator(f"[id='{anchor}']").count() == 1


def test_paper_has_no_controls_and_every_sign_open(visit: Any, site: str) -> None:
    page = visit(f"{site}/book/fastpath/measured.html").page
    page.emulate_media(media="print")
    assert page.locator(".bd-sidebar-primary").is_hidden()
    facts = page.locator("details.ppslab-made dd").all()
    assert facts and all(fact.is_visible() for fact in facts)
    page.goto(f"{site}/book/fastpath/index.html")
    controls = page.locator(".ppslab-widget :is(button, input, select)")
    assert all(
        not shown for shown in controls.evaluate_all("all => all.map(e => e.checkVisibility())")
    )


def test_a_mark_opens_the_sign_of_its_run_where_no_script_runs(visit: Any, site: str) -> None:
    page = visit(f"{site}/book/fastpath/measured.html", java_script_enabled=False).page
    facts = page.locator("details.ppslab-made dd").first
    assert not facts.is_visible()
    page.locator("a.ppslab-made-at").first.focus()
    page.keyboard.press("Enter")
    facts.wait_for(state="visible")


def test_a_reader_sees_the_configurations_they_chose_on_every_page(visit: Any, site: str) -> None:
    # They are in a fold, which the address opens.
    seen = visit(f"{site}/book/fastpath/measured.html#the-conditions")
    linux, routeros = (seen.page.locator(f".ppslab-side-{kind}") for kind in ("linux", "routeros"))
    assert linux.first.is_visible() and routeros.first.is_visible()
    seen.page.get_by_role("button", name="RouterOS", exact=True).click()
    assert linux.first.is_hidden() and routeros.first.is_visible()
    seen.page.goto(f"{site}/book/fasttrack/measured.html#the-conditions")
    assert linux.first.is_hidden() and routeros.first.is_visible()
    pressed = seen.page.locator(".ppslab-sides [aria-pressed=true]")
    assert pressed.all_inner_texts() == ["RouterOS"]
    seen.page.get_by_role("button", name="Both").click()
    assert linux.first.is_visible() and routeros.first.is_visible()
    assert seen.wrong == []
