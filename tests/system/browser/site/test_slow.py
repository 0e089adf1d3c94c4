"""The dialogue "My router only does X Mbit/s": keyboard, pasted outputs, coming back."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from ppslab.course.learning import slow
from tests.system.browser.visits import until

pytestmark = pytest.mark.browser

PAGE = "book/slow.html"
DIALOGUE = slow.load(Path(__file__).resolve().parents[4] / slow.FILE)
SECRET = "sesame-4711"

FOCUSED = "() => document.activeElement.textContent"
SHOWN = """() => [...document.querySelectorAll(".ppslab-question, .ppslab-cause")]
    .filter((each) => each.checkVisibility()).map((each) => each.id.slice("slow-".length))"""
OFFERED = """() => [...document.querySelectorAll(".ppslab-slow li > a[href^='#slow-']")]
    .filter((each) => each.checkVisibility()).map((each) => each.hash.slice("#slow-".length))"""
KEPT = """() => [document.documentElement.outerHTML, location.href,
    JSON.stringify({ ...localStorage }), JSON.stringify({ ...sessionStorage })].join("\\n")"""

PRINTED = f"""[{SECRET}@MikroTik] > /interface/ethernet/monitor [find] once
        rate: 1Gbps
 full-duplex: yes
[{SECRET}@MikroTik] > /interface/ethernet/print stats
        name: ether1
rx-fcs-error: 0
     tx-drop: 0
[{SECRET}@MikroTik] > /queue/simple/print count-only
212
[{SECRET}@MikroTik] > /tool/profile cpu=all
NAME        CPU  USAGE
queuing       0  95.0%
queuing       1  96.0%
"""


def goes_to(page: Any, name: str) -> None:
    until(page, f"name => String(({SHOWN})()) === name", name)


def begun(visit: Any, site: str) -> Any:
    page = visit(f"{site}/{PAGE}").page
    page.get_by_role("button", name="Find the cause").click()
    return page


def press(page: Any, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def test_the_keyboard_alone_leads_from_the_router_to_a_remedy(visit: Any, site: str) -> None:
    seen = visit(f"{site}/{PAGE}")
    page = seen.page
    page.get_by_label("Your router").focus()
    page.keyboard.type("hEX")
    page.keyboard.press("Tab")
    page.keyboard.type("300")
    assert page.get_by_text("265.2 Mbit/s with 25 filter rules").first.is_visible()
    assert page.get_by_text("113 %").first.is_visible()
    page.get_by_role("button", name="Find the cause").focus()
    page.keyboard.press("Enter")
    for name, label in (("slow", "One port"), ("has", "Go on"), ("link", "A port is slower")):
        goes_to(page, name)
        assert DIALOGUE.asked[name].title in page.evaluate(FOCUSED)
        while page.evaluate(FOCUSED) != label:
            page.keyboard.press("Tab")
        page.keyboard.press("Enter")
    goes_to(page, "slow-link")
    assert DIALOGUE.ends["slow-link"].title in page.evaluate(FOCUSED)
    assert page.get_by_text("auto-negotiation=yes").is_visible()
    assert page.locator("#slow-slow-link").get_by_text("What is lost:").is_visible()
    assert page.get_by_text("Your 300 Mbit/s are 113 %").last.is_visible()
    assert page.get_by_text("This follows from your answers. This router hardly").is_visible()
    [chapter] = DIALOGUE.ends["slow-link"].chapters
    address = chapter.replace(".md", ".html")
    assert page.locator(f"#slow-slow-link a[href='{address}']").is_visible()
    assert seen.wrong == []


def test_the_dialogue_goes_on_where_it_was_left(visit: Any, site: str) -> None:
    page = begun(visit, site)
    press(page, "One port")
    page.get_by_label("VLANs").check()
    press(page, "Go on")
    goes_to(page, "link")
    address = page.url
    page.reload()
    goes_to(page, "link")
    page.goto(f"{site}/{PAGE}")
    page.get_by_role("button", name="Go on where you stopped").click()
    goes_to(page, "link")
    other = visit(address).page  # in another browser, by the address alone
    goes_to(other, "link")
    assert "What there is: VLANs" in other.locator(".ppslab-answered").text_content()


def test_the_page_walks_as_its_data_say(visit: Any, site: str) -> None:
    """The walk is written twice, for the page and for the tests: both go the same way."""
    page = visit(f"{site}/{PAGE}").page
    chance = random.Random(7)
    for _ in range(30):
        known = {
            name: chance.choice([*question.answers, slow.UNKNOWN])
            for name, question in DIALOGUE.asked.items()
        }
        asked, end, settled = DIALOGUE.through(known)
        answers = "~".join(f"{name}.{known[name]}" for name in asked)
        page.evaluate("text => { location.hash = text; }", f"answers={answers}")
        goes_to(page, end)
        given = {name: known[name] for name in asked}
        shown = [] if settled else [end, *DIALOGUE.offers(given, end)]
        assert page.evaluate(OFFERED) == [name for name in shown if name in DIALOGUE.signs]


def test_pasted_outputs_answer_and_are_kept_nowhere(visit: Any, site: str) -> None:
    seen = visit(f"{site}/{PAGE}")
    page = seen.page
    page.get_by_label("What the router printed").fill(PRINTED)
    goes_to(page, "slow")
    press(page, "All traffic to the internet")
    press(page, "Always")
    page.get_by_label("Queues", exact=True).check()
    press(page, "Go on")
    goes_to(page, "simple-queues")  # the output answered the rest
    assert "Core 1 is 96 % busy" in page.locator(".ppslab-answered").text_content()
    kept = page.evaluate(KEPT)
    assert SECRET not in kept
    assert seen.wrong == []
