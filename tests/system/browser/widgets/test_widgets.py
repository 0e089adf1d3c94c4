"""Every widget on the static page answers as its Python model does, by mouse and by keyboard."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ppslab.course.models import WIDGETS, model
from tests.system.browser import driving
from tests.system.browser.network import LAN_ADDRESS
from tests.system.browser.server import SUB_PATH

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("name", WIDGETS)
def test_a_widget_answers_as_its_model_does(
    visit: Any, site: str, site_folder: Path, name: str
) -> None:
    state = driving.state(site_folder, name)
    seen = visit(f"{site}/{driving.with_widgets()[name]}")
    root = driving.widget(seen.page, name)
    assert root.get_attribute("data-source") == "page"
    answer = model(name).answer
    driving.drive(seen.page, root, answer, state["controls"], state["inputs"], state["facts"])
    assert seen.wrong == []
    assert all(url.startswith((f"{site}/", "data:", "blob:")) for url in seen.asked)


HERE = """root => {
  const e = document.activeElement;
  return root.contains(e) ? [...root.querySelectorAll("*")].indexOf(e) : -1;
}"""


@pytest.mark.parametrize("where", ["a file", "a LAN, under a sub-path"])
def test_a_widget_answers_wherever_the_site_lies(
    visit: Any, site: str, site_folder: Path, where: str
) -> None:
    """From a folder by a double click, and from a server without TLS that has other sites too."""
    name = WIDGETS[0]
    state = driving.state(site_folder, name)
    there = site_folder.as_uri()
    if where != "a file":
        there = site.replace("127.0.0.1", LAN_ADDRESS) + SUB_PATH
    seen = visit(f"{there}/{driving.with_widgets()[name]}")
    root = driving.widget(seen.page, name)
    control = next(one for one in state["controls"] if one["kind"] == "number")
    inputs = driving.put(root, control, control["high"], state["inputs"])
    wanted = model(name).answer(inputs, state["facts"])
    assert not driving.differs(seen.page, root, wanted)
    assert seen.wrong == []
    assert all(url.startswith((f"{there}/", "data:", "blob:")) for url in seen.asked)
