"""The slow routers: solved by keyboard, judged, kept, left and come back to, on a phone, sealed."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from ppslab.course import messages, practice
from rosexplain.parse import parsed
from tests.system.browser.site.test_site import AXE, TAPPED, WIDE
from tests.system.browser.visits import until

pytestmark = pytest.mark.browser

PAGE = "book/cases.html"
NAME = "01-call-centre"
CASE = practice.case(NAME)
DRILL = "fasttrack-mark-them"
WRONG = next(each for each in CASE.causes if each.but)


# What the class's board hears, which the seat's script listens for.
HEARS = """() => {
  globalThis.heard = [];
  document.addEventListener("ppslab:task", ({ detail }) =>
    heard.push([detail.chapter, detail.id, detail.kind, detail.value].join(" ").trim()));
}"""


def kept(page: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(page.evaluate("localStorage.getItem('ppslab-progress')"))
    return found


def opened(visit: Any, site: str, at: str = NAME, **words: Any) -> Any:
    """The visit of a case, once its router answers."""
    seen = visit(f"{site}/{PAGE}#{at}", **words)
    ready(seen.page)
    return seen


def ready(page: Any) -> None:
    page.get_by_text(re.compile(r"^(Moves|Hints): \d")).wait_for()
    until(page, "() => document.querySelector('.ppslab-case-status').textContent === ''")


def status(page: Any, text: str) -> None:
    page.locator(".ppslab-case-status", has_text=text).wait_for()


def moves(page: Any) -> str:
    text: str = page.locator(".ppslab-case-moves").inner_text()
    return text


def ask(page: Any, command: str) -> None:
    page.get_by_label("A command that prints").fill(command)
    page.get_by_label("A command that prints").press("Enter")


def name_cause(page: Any, text: str) -> None:
    page.get_by_label(text).check()
    page.get_by_role("button", name="This is the cause").click()


def apply(page: Any, typed: str) -> None:
    page.get_by_label("RouterOS commands").fill(typed)
    page.get_by_role("button", name="Apply and check").click()


def test_the_keyboard_alone_solves_a_case(visit: Any, site: str) -> None:
    seen = visit(f"{site}/{PAGE}")
    page, press = seen.page, seen.page.keyboard.press
    page.get_by_role("link", name=CASE.title).focus()
    press("Enter")
    ready(page)
    assert CASE.title in page.evaluate("document.activeElement.textContent")
    while page.evaluate("document.activeElement.tagName") != "INPUT":
        press("Tab")
    for command in ("/tool profile cpu=all", "/ip/firewall/filter print stats"):
        page.keyboard.type(command)
        press("Enter")
        status(page, "printed")
    assert "602 114 870" in page.locator(".ppslab-case-outputs").inner_text()
    assert moves(page).startswith(f"Moves: 2. Par: {CASE.par}.")
    while page.evaluate("document.activeElement.type") != "radio":
        press("Tab")
    press("Space")
    while not page.get_by_label(CASE.cause.text).is_checked():
        press("ArrowDown")
    press("Enter")
    status(page, "Yes, this is the cause.")
    while page.evaluate("document.activeElement.tagName") != "TEXTAREA":
        press("Tab")
    page.keyboard.insert_text(CASE.solutions[0])
    press("Tab")
    press("Enter")
    page.get_by_role("heading", name="Solved").wait_for()
    assert page.evaluate("document.activeElement.textContent") == "Solved"
    end = page.locator(".ppslab-case-end")
    assert CASE.debrief.splitlines()[0] in end.inner_text()
    line = f"case {int(NAME.partition('-')[0])}, 2 moves, par {CASE.par}"
    assert line in end.locator(".ppslab-case-share").inner_text()
    assert end.locator(f"a[href='{CASE.chapter}.html']").is_visible()
    assert {f"cases/case/{NAME}", f"cases/unaided/{NAME}"} <= set(kept(page)["done"])
    assert seen.wrong == []


def test_a_drill_is_played_to_its_end_without_a_network(visit: Any, site: str) -> None:
    drill = practice.drill(DRILL)
    seen = visit(f"{site}/book/fasttrack/tasks.html")
    page = seen.page
    page.get_by_role("link", name=drill.title).click()
    ready(page)
    assert drill.export.strip() in page.locator(".ppslab-case-export").inner_text()
    page.evaluate(HEARS)
    page.context.set_offline(True)
    for mistake in drill.mistakes:
        apply(page, mistake.run)
        failed = page.locator(".ppslab-case-findings .is-wrong", has_text=mistake.fails)
        failed.first.wait_for()
        assert page.locator(".ppslab-case-end").is_hidden()
    apply(page, drill.solutions[0])
    page.get_by_role("heading", name="Solved").wait_for()
    assert drill.debrief.splitlines()[0] in page.locator(".ppslab-case-end").inner_text()
    typed = len(parsed(drill.solutions[0], "typed").commands)
    assert f", {typed} command" in page.locator(".ppslab-case-share").inner_text()
    assert f", par {drill.par}" in page.locator(".ppslab-case-share").inner_text()
    assert f"fasttrack/drill/{DRILL}" in kept(page)["done"]
    told = [f"fasttrack {DRILL} tried {result}" for result in ("fail", "pass")]
    assert page.evaluate("heard") == told[:1] * len(drill.mistakes) + told[1:]
    page.get_by_role("link", name="All drills").click()
    page.locator(f"li[data-case={DRILL}]", has_text="solved").wait_for()
    assert seen.wrong == []


def test_on_a_phone_all_can_be_read_and_tapped(visit: Any, site: str, node_modules: Path) -> None:
    page = visit(f"{site}/{PAGE}", width=390).page
    page.get_by_role("link", name=CASE.title).click()
    ready(page)
    page.get_by_role("button", name="/export").click()
    status(page, "printed")
    name_cause(page, WRONG.text)
    status(page, "not the cause")
    apply(page, CASE.mistakes[0].run)
    status(page, "checks pass")
    page.get_by_role("button", name="Give up").click()
    page.get_by_role("button", name="Press again").click()
    page.get_by_role("heading", name="A solution").wait_for()
    page.evaluate((node_modules / "axe-core/axe.min.js").read_text(encoding="utf-8"))
    assert page.evaluate(AXE, {}) == []
    assert page.evaluate(WIDE) == 0
    assert page.evaluate(TAPPED) == []


def test_a_case_is_played_in_spanish(visit: Any, site: str) -> None:
    spanish = messages.catalogue("es")
    seen = visit(f"{site}/es/{PAGE}#{NAME}")
    page = seen.page
    until(page, "() => document.querySelector('.ppslab-case-status')?.textContent === ''")
    known = page.locator(".ppslab-case dl").inner_text()
    assert spanish[CASE.measured] in known and "measured" not in known
    field = page.get_by_label(spanish["A command that prints"])
    field.fill("/tool profile cpu=all")
    field.press("Enter")
    status(page, spanish["{command} printed {lines}."].partition("{lines}")[0].split()[-1])
    page.get_by_label(spanish[CASE.cause.text]).check()
    page.get_by_role("button", name=spanish["This is the cause"]).click()
    status(page, spanish["Yes, this is the cause."])
    page.locator(".ppslab-case-remedy textarea").fill(CASE.solutions[0])
    page.get_by_role("button", name=spanish["Apply and check"]).click()
    page.get_by_role("heading", name=spanish["Solved"]).wait_for()
    end = page.locator(".ppslab-case-end").inner_text()
    assert spanish[CASE.debrief.strip()].splitlines()[0] in end
    assert seen.wrong == []
