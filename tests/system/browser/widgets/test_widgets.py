"""Every widget on the static page answers as its Python model does, by mouse and by keyboard."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ppslab.course.models import WIDGETS, model
from tests.system.browser import driving, pages
from tests.system.browser.network import LAN_ADDRESS
from tests.system.browser.server import SUB_PATH

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("name", WIDGETS)
def test_a_widget_answers_as_its_model_does(
    visit: Any, site: str, site_folder: Path, name: str
) -> None:
    state = pages.state(site_folder, name)
    seen = visit(f"{site}/{pages.with_widgets()[name]}")
    root = driving.widget(seen.page, name)
    assert root.get_attribute("data-source") == "page"
    answer = model(name).answer
    driving.drive(seen.page, root, answer, state["controls"], state["inputs"], state["facts"])
    assert seen.wrong == []
    assert all(url.startswith((f"{site}/", "data:", "blob:")) for url in seen.asked)


OUTLINE = """e => {
  const style = getComputedStyle(e);
  return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0
    || style.boxShadow !== "none";
}"""
HERE = """root => {
  const e = document.activeElement;
  return root.contains(e) ? [...root.querySelectorAll("*")].indexOf(e) : -1;
}"""
REACHABLE = """root => [...root.querySelectorAll("*")].map((e, n) => [e, n])
  .filter(([e]) => e.matches("input, select, textarea, button, [tabindex='0']")
    && !e.disabled && e.checkVisibility({visibilityProperty: true}))
  .map(([e, n]) => n)"""


@pytest.mark.parametrize("name", WIDGETS)
def test_a_widget_is_worked_by_keyboard_alone(visit: Any, site: str, name: str) -> None:
    seen = visit(f"{site}/{pages.with_widgets()[name]}")
    root = driving.widget(seen.page, name)
    wanted = root.evaluate(REACHABLE)
    # Where the reader has clicked, the next Tab begins.
    root.locator(".ppslab-widget-title").click()
    met: list[int] = []
    for _ in range(len(wanted) + 5):
        seen.page.keyboard.press("Tab")
        place = root.evaluate(HERE)
        if place < 0 and met:
            break
        met.append(place)
        assert seen.page.evaluate(f"({OUTLINE})(document.activeElement)"), "no sign of focus"
    assert [one for one in met if one in wanted] == wanted
    for place in reversed(met):
        seen.page.keyboard.press("Shift+Tab")
        assert root.evaluate(HERE) == place, "a trap, or an order that does not turn round"
    assert seen.wrong == []


@pytest.mark.parametrize("where", ["a file", "a LAN, under a sub-path"])
def test_a_widget_answers_wherever_the_site_lies(
    visit: Any, site: str, site_folder: Path, where: str
) -> None:
    """From a folder by a double click, and from a server without TLS that has other sites too."""
    name = WIDGETS[0]
    state = pages.state(site_folder, name)
    there = site_folder.as_uri()
    if where != "a file":
        there = site.replace("127.0.0.1", LAN_ADDRESS) + SUB_PATH
    seen = visit(f"{there}/{pages.with_widgets()[name]}")
    root = driving.widget(seen.page, name)
    control = next(one for one in state["controls"] if one["kind"] == "number")
    inputs = driving.put(root, control, control["high"], state["inputs"])
    wanted = model(name).answer(inputs, state["facts"])
    assert driving.differs(seen.page, root, wanted) == []
    assert seen.wrong == []
    assert all(url.startswith((f"{there}/", "data:", "blob:")) for url in seen.asked)
