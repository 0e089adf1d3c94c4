"""The front page, the search and the printed page, in a browser."""

from __future__ import annotations

import re
from typing import Any

import pytest

from ppslab.core.text.grouping import APART
from tests.system.browser.conftest import Built
from tests.system.browser.visits import until

pytestmark = pytest.mark.browser

LANE = ".ppslab-race-lane"


PLACE = f"getComputedStyle(document.querySelector('{LANE}')).transform"


STANDS = f"""async () => {{
    const before = {PLACE};
    for (let n = 0; n < 10; n++) await new Promise(requestAnimationFrame);
    return {PLACE} === before;
}}"""
"""Whether the first lane is where it was, ten frames later."""


def moves(page: Any) -> None:
    """Wait until the first lane is elsewhere."""
    until(page, f"before => {PLACE} !== before", page.evaluate(PLACE))


def test_the_packets_move_until_they_are_stopped(visit: Any, site: str, built: Built) -> None:
    if built.record is None:
        pytest.skip("no run of fastpath is recorded")
    page = visit(f"{site}/index.html").page
    moves(page)
    page.get_by_label("Stop the packets").check()
    until(page, STANDS)


def test_nothing_moves_for_who_wants_no_motion(browser: Any, site: str, built: Built) -> None:
    if built.record is None:
        pytest.skip("no run of fastpath is recorded")
    page = browser.new_page(reduced_motion="reduce")
    page.goto(f"{site}/index.html")
    assert page.evaluate(STANDS)
    page.close()


def test_the_moving_figure_says_what_was_measured(visit: Any, site: str, built: Built) -> None:
    """Its lanes are as far apart as the costs that the table has: the picture is no decoration."""
    if built.record is None:
        pytest.skip("no run of fastpath is recorded")
    unit = built.record.unit
    page = visit(f"{site}/index.html").page
    texts = page.locator(".ppslab-race text").all_text_contents()
    said = [
        float(match[1].replace(APART, ""))
        for text in texts
        if (match := re.match(rf"([\d{APART}]+) {unit} a packet", text))
    ]
    apart = page.locator(LANE).evaluate_all(
        "lanes => lanes.map(l => parseFloat(l.style.getPropertyValue('--apart')))"
    )
    assert len(said) == len(apart) > 1
    for cost, distance in zip(said, apart, strict=True):
        assert distance / apart[0] == pytest.approx(cost / said[0], rel=0.01)


def test_another_rule_moves_the_packets_apart(visit: Any, site: str, built: Built) -> None:
    """On the front page: of the lanes that can be chosen one is shown, the one that was."""
    if built.record is None:
        pytest.skip("no run of fastpath is recorded")
    page = visit(f"{site}/index.html").page
    lane = page.locator("[data-lane]:visible .ppslab-race-lane")
    apart = "lane => parseFloat(lane.style.getPropertyValue('--apart'))"
    before = lane.evaluate(apart)
    page.get_by_text("25 simple queues", exact=True).click()
    assert lane.count() == 1
    assert lane.evaluate(apart) > 1.3 * before


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


def test_the_search_answers_while_one_types(visit: Any, site: str) -> None:
    seen = visit(f"{site}/book/method.html", width=1280)
    seen.page.keyboard.press("Control+k")
    seen.page.keyboard.type("fasttrack ips")
    links = seen.page.locator(".ppslab-suggest:visible a")
    links.first.wait_for()
    links.first.click()
    seen.page.wait_for_load_state()
    assert not seen.page.url.endswith("method.html")


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


def test_who_returns_goes_on_with_the_next_page(visit: Any, site: str) -> None:
    """Of the chapter they were in last; who comes for the first time is not told to go on."""
    seen = visit(f"{site}/index.html")
    again = seen.page.locator(".ppslab-continue")
    assert again.is_hidden()
    seen.page.goto(f"{site}/book/fastpath/index.html")
    seen.page.locator("label.ppslab-read input").check()
    seen.page.goto(f"{site}/index.html")
    again.locator("a").click()
    assert seen.page.url.endswith("/book/fastpath/measured.html")
    assert seen.wrong == []


@pytest.mark.parametrize("width", [390, 1280])
def test_the_answer_for_a_router_is_on_the_first_screen(visit: Any, site: str, width: int) -> None:
    page = visit(f"{site}/index.html", width=width).page
    for place in ("#ppslab-device", ".ppslab-rates-says", ".ppslab-rates-bars li"):
        box = page.locator(place).first.bounding_box()
        assert box["y"] >= 0 and box["y"] + box["height"] < 900, place
        assert box["x"] >= 0 and box["x"] + box["width"] <= width, place


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
