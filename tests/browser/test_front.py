"""The front page, the search and the printed page, in a browser."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.browser.conftest import Built

LANE = ".ppslab-race-lane"


def moved(page: Any) -> bool:
    """Whether the first lane is elsewhere after a third of a second."""
    place = "lane => getComputedStyle(lane).transform"
    before = page.locator(LANE).first.evaluate(place)
    page.wait_for_timeout(330)
    return bool(page.locator(LANE).first.evaluate(place) != before)


def test_the_packets_move_until_they_are_stopped(visit: Any, site: str, built: Built) -> None:
    if built.record is None:
        pytest.skip("no run of fastpath is recorded")
    page = visit(f"{site}/index.html").page
    assert moved(page)
    page.get_by_label("Stop the packets").check()
    assert not moved(page)


def test_nothing_moves_for_who_wants_no_motion(browser: Any, site: str, built: Built) -> None:
    if built.record is None:
        pytest.skip("no run of fastpath is recorded")
    page = browser.new_page(reduced_motion="reduce")
    page.goto(f"{site}/index.html")
    assert not moved(page)
    page.close()


def test_the_moving_figure_says_what_was_measured(visit: Any, site: str, built: Built) -> None:
    """Its lanes are as far apart as the times that the table has: the picture is no decoration."""
    if built.record is None:
        pytest.skip("no run of fastpath is recorded")
    page = visit(f"{site}/index.html").page
    texts = page.locator(".ppslab-race text").all_text_contents()
    said = [
        float(match[1].replace(",", ""))
        for text in texts
        if (match := re.match(r"([\d,]+) ns", text))
    ]
    apart = page.locator(LANE).evaluate_all(
        "lanes => lanes.map(l => parseFloat(l.style.getPropertyValue('--apart')))"
    )
    assert len(said) == len(apart) > 1
    for nanoseconds, distance in zip(said, apart, strict=True):
        assert distance / apart[0] == pytest.approx(nanoseconds / said[0], rel=0.01)


@pytest.mark.parametrize(
    ("query", "word"),
    [
        ("/ip firewall filter", "ip firewall filter"),
        ("/ip/firewall/filter", "ip firewall filter"),
        ("fasttrack-connection", "fasttrack-connection"),
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


def test_what_is_no_word_of_configuration_leaves_the_search_as_it_is(visit: Any, site: str) -> None:
    seen = visit(f"{site}/search.html?q=zzz-no-such-word")
    assert seen.page.locator(".ppslab-found").count() == 0


def test_every_figure_that_a_run_made_says_on_what(visit: Any, site: str, built: Built) -> None:
    if built.record is None:
        pytest.skip("no run of fastpath is recorded")
    page = visit(f"{site}/book/fastpath/index.html").page
    figures = page.locator("figure.ppslab-figure:has(.ppslab-provenance)")
    assert figures.count() > 0
    for number in range(figures.count()):
        badge = figures.nth(number).locator(".ppslab-origin")
        assert badge.inner_text().strip().startswith("measured on")


@pytest.mark.parametrize("path", ["index.html", "book/using.html"])
def test_a_page_loads_little(visit: Any, site: str, path: str) -> None:
    """Under 1.5 MB as a browser unpacks it; the theme's icon font alone had as much."""
    sizes: list[int] = []
    seen = visit("about:blank")
    seen.page.on("response", lambda answer: sizes.append(len(answer.body())))
    seen.page.goto(f"{site}/{path}")
    seen.page.wait_for_load_state("networkidle")
    assert 100_000 < sum(sizes) < 1_500_000


def test_without_scripts_a_page_has_the_colours_of_a_light_one(browser: Any, site: str) -> None:
    context = browser.new_context(java_script_enabled=False, color_scheme="dark")
    page = context.new_page()
    page.goto(f"{site}/book/using.html")
    assert page.locator("html").get_attribute("data-theme") == "light"
    assert page.locator("article h1").first.is_visible()
    context.close()


def test_paper_has_no_controls_and_folds_nothing(visit: Any, site: str) -> None:
    page = visit(f"{site}/book/fastpath/index.html").page
    page.emulate_media(media="print")
    assert page.locator(".bd-sidebar-primary").is_hidden()
    controls = page.locator(".ppslab-widget :is(button, input, select)")
    assert all(
        not shown for shown in controls.evaluate_all("all => all.map(e => e.checkVisibility())")
    )
