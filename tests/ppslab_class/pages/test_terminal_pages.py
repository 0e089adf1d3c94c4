"""A terminal in Chromium, shown to the instructor and typed into: the page's own scripts, no VM.

The router's page and terminal are the real ones; what stands for its worker answers like an echo.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from ppslab.course.site import policy
from tests.ppslab_class.class_room import ClassRoom
from tests.ppslab_class.pages.classmates import api, join
from tests.system.browser.conftest import ROOT, _make
from tests.system.browser.visits import Visit, until

pytestmark = pytest.mark.browser

WORKER = """
const written = (text) => {
  const echoed = text.replaceAll("\\r", "\\r\\nlab# ");
  postMessage({ kind: "output", bytes: new TextEncoder().encode(echoed) });
};
onmessage = ({ data }) => {
  if (data.do === "start") postMessage({ kind: "ready", how: "built" });
  else if (data.do === "type") written(data.text);
  else if (data.do === "ask") postMessage({ kind: "answer", id: data.id, code: 0, output: "" });
};
"""
TOLD = {
    "lab": "fastpath",
    "manifest": {"memory_mb": 1, "files": {"state": {"bytes": 1}}, "state": "state"},
    "tab_mb": 1,
    "more_bytes": 1,
    "first": ["A router."],
}
SEE = ".ppslab-share input >> nth=0"
WRITE = ".ppslab-share input >> nth=1"
BANNER = "document.querySelector('.ppslab-share-banner')"
SCREEN = "document.querySelector('#screen').textContent"
OFFERED = """[...document.querySelectorAll('tbody button')]
    .some((one) => one.textContent === 'Terminal')"""
AGE = "document.querySelector('#age').textContent"


@pytest.fixture(scope="module")
def scripts() -> Path:
    """What pages load, bundled."""
    _make("_build/web/.built")
    return ROOT / "_build/web/static"


def prepare(room: ClassRoom, scripts: Path) -> None:
    folder = room.hall.site.folder
    (folder / "favicon.ico").touch()
    for name in ("router.js", "router-terminal.js"):
        shutil.copy(scripts / name, folder / name)
    shutil.copy(ROOT / "book/assets/progress.js", folder / "progress.js")
    (folder / "router-worker.mjs").write_text(WORKER)
    (folder / "router.html").write_text(
        "<!DOCTYPE html><html lang='en'><head><meta charset='utf-8'><title>router</title>"
        f'<meta http-equiv="Content-Security-Policy" content="{policy.policy(policy.PAGES, [])}">'
        '<script defer src="progress.js"></script><script defer src="router.js"></script></head>'
        '<body><div class="ppslab-router"><script type="application/json">'
        f"{json.dumps(TOLD)}</script></div></body></html>"
    )


def start(learner: Visit, room: ClassRoom) -> None:
    learner.page.goto(f"{room.address}/router.html")
    learner.page.click("[data-does=start]")
    learner.page.wait_for_selector(".ppslab-share")


def test_a_terminal_is_seen_and_typed_into_while_the_learner_agrees(
    room: ClassRoom, scripts: Path, opened: Callable[[str], Visit]
) -> None:
    prepare(room, scripts)
    learner, teacher = opened(room.address), opened(room.address)
    join(learner, room, room.codes["seat-01"])
    join(teacher, room, room.codes["instructor"])
    start(learner, room)
    assert not learner.page.is_checked(SEE) and not learner.page.is_checked(WRITE)
    assert learner.page.is_disabled(WRITE), "who does not show it lets nobody type"
    until(teacher.page, "document.querySelectorAll('tbody tr').length === 3")
    assert not teacher.page.evaluate(OFFERED)
    assert not [each for each in api(learner, room.address) if "share" in each]

    learner.page.check(SEE)
    until(teacher.page, OFFERED)
    assert learner.page.evaluate(f"{BANNER}.hidden"), "nobody looks yet"
    teacher.page.click("tbody button:text-is('Terminal')")
    until(learner.page, f"!{BANNER}.hidden")
    until(teacher.page, f"{SCREEN}.includes('A router.')")
    until(learner.page, "document.querySelector('.ppslab-hall').textContent.includes('being seen')")
    assert "as of" in str(teacher.page.evaluate(AGE))
    assert "does not let you type" in str(teacher.page.evaluate(AGE))
    assert teacher.page.is_disabled("#keys")

    learner.page.check(WRITE)
    until(teacher.page, "!document.querySelector('#keys').matches(':disabled')")
    teacher.page.fill("#keys", "echo <b>hi</b>")
    teacher.page.click("#typing button[value=enter]")
    until(learner.page, "document.querySelectorAll('.ppslab-share-typed li').length === 1")
    note = learner.page.text_content(".ppslab-share-typed li")
    assert note == "The instructor typed: echo <b>hi</b> Enter"
    until(teacher.page, f"{SCREEN}.includes('lab# echo <b>hi</b>\\nlab#')")

    learner.page.uncheck(WRITE)
    until(teacher.page, "document.querySelector('#keys').matches(':disabled')")
    learner.page.uncheck(SEE)
    assert learner.page.evaluate(f"{BANNER}.hidden")
    until(teacher.page, f"{AGE}.includes('does not show its terminal') && {SCREEN} === ''")

    learner.page.check(SEE)
    until(teacher.page, f"{SCREEN}.includes('A router.')")
    learner.page.reload()
    until(teacher.page, f"{AGE}.includes('does not show its terminal') && {SCREEN} === ''")
    start(learner, room)
    assert not learner.page.is_checked(SEE), "an agreement ends with its page"

    learner.page.check(SEE)
    room.client("instructor").post("/workshop/api/act", json={"do": "end", "on": True})
    until(learner.page, "!document.querySelector('.ppslab-share input').checked")
    assert learner.wrong == []
    assert [each for each in teacher.wrong if "403" not in each] == []
