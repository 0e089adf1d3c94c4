"""Tasks at the router in the page: each fails before it is done, passes solved, finds the mistake.

A task takes some 20 s on a busy machine.  So by default one task of one lab is proved, another one
each day, and with PPSLAB_EVERY_LAB=1 every task of every lab.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from ppslab.core.errors import CannotHereError
from ppslab.course import page_tasks
from ppslab.course.tasks import reading
from ppslab.model.lab import lab
from ppslab.testbed.backends import page_router
from ppslab.testbed.backends.page_router import manifest_of
from tests.system.browser.conftest import ROOT
from tests.system.browser.router.page import opened, press, runs
from tests.system.browser.visits import until

pytestmark = pytest.mark.browser

CONTENTS = page_router.load(ROOT / "images/page-router")
LABS = ("fastpath", "fasttrack", "queues", "hundred", "eoip", "l3offload")
"""Those whose page has a router with their tasks."""

EVERY = os.environ.get("PPSLAB_EVERY_LAB") == "1"
DAY = datetime.now(UTC).toordinal()
TASKS = "document.querySelector('.ppslab-router').router.tasks"
PROVED = LABS if EVERY else (LABS[DAY % len(LABS)],)
ACT_MS = 600_000


def proved(which: str) -> list[str]:
    """Return all tasks of a lab's page, or the one whose turn it is."""
    planned = page_tasks.plan(reading.load(lab.find(which)), CONTENTS)["tasks"]
    names = [task["name"] for task in planned]
    return names if EVERY else [names[DAY // len(LABS) % len(names)]]


@pytest.fixture(params=PROVED)
def started(
    request: pytest.FixtureRequest, browser: Any, site: str, site_folder: Path
) -> Iterator[tuple[str, Any]]:
    """A lab, and the page of its tasks with a router that runs."""
    try:
        manifest = manifest_of(site_folder / "_static/page-router")
    except CannotHereError as error:
        pytest.skip(f"the router in the page: {error}")
    older = CONTENTS.programs() - set(manifest.get("programs", ()))
    if older:
        pytest.skip(f"the router in the page was built before it had {older}: make page-router")
    context, made = opened(browser, site, page=f"book/{request.param}/tasks.html")
    made.page.evaluate(
        "() => { window.told = [];"
        "for (const name of ['ppslab:task', 'ppslab:done'])"
        " document.addEventListener(name, ({detail}) => told.push([name, detail])); }"
    )
    press(made.page, "start")
    runs(made.page)
    until(made.page, f"{TASKS} !== undefined", timeout=ACT_MS)
    yield request.param, made.page
    context.close()


def act(page: Any, action: str) -> str:
    """Press a button; return what the page says of it."""
    page.click(f".ppslab-router-tasks [data-task={action}]")
    until(page, f"!{TASKS}.busy", timeout=ACT_MS)
    return str(page.locator(".ppslab-router-task-said").inner_text())


def check(page: Any) -> tuple[str, str]:
    """What the check comes to, and all that it says."""
    said = act(page, "check")
    last = page.evaluate("told.filter(([name]) => name === 'ppslab:task').at(-1)[1]")
    assert last["kind"] == "tried", said
    return last["value"], said


def prove(page: Any, name: str) -> None:
    """Fails before, passes solved, fails after the mistake."""
    page.select_option(".ppslab-router-tasks select", name)
    said = act(page, "start")
    assert said.startswith("Started."), f"{name}: {said}"
    assert page.evaluate("document.activeElement.closest('.xterm') !== null"), "type at once"
    result, said = check(page)
    assert page.evaluate("document.activeElement.dataset.task") == "check"
    assert result == "fail", f"{name} passes before it is done: {said}"
    assert act(page, "solve").startswith("Done:")
    result, said = check(page)
    assert result == "pass", f"{name}: {said}"
    page.evaluate(f"name => {TASKS}.does('blunder', name)", name)
    result, said = check(page)
    assert result == "fail", f"{name} overlooks the mistake: {said}"
    # The next one begins on what this one leaves.
    page.evaluate(f"name => {TASKS}.does('solve', name)", name)


def test_tasks_can_be_done_and_got_wrong(started: tuple[str, Any]) -> None:
    which, page = started
    for name in proved(which):
        prove(page, name)
    kept = page.evaluate(f"{TASKS}.state")
    assert set(proved(which)) <= set(kept["done"])
    told = page.evaluate("told")
    first = {"chapter": which, "id": proved(which)[0]}
    assert ["ppslab:done", {**first, "kind": "task"}] in told
    assert ["ppslab:task", {**first, "kind": "solved"}] in told
    assert ["ppslab:task", {**first, "kind": "tried", "value": "pass"}] in told
    assert page.evaluate(f"ppslab.progress.read().done['{which}/task/{first['id']}']")
