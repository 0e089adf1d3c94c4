"""A learner's way through tasks: what is begun, kept, restored, and how a check ends."""

from __future__ import annotations

import io
import json
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from ppslab.cli import task as task_cli
from ppslab.cli.printing import Printer
from ppslab.core.errors import FileError, UsageError
from ppslab.course.tasks import reading, state, walking
from ppslab.course.tasks.checks import Finding, Sent
from ppslab.course.tasks.notebook import TasksPanel
from ppslab.course.tasks.schema import Task, Traffic
from ppslab.course.tasks.testbeds import Where
from ppslab.course.tasks.walking import Walk
from ppslab.model.lab import lab

TASKS = reading.load(lab.find("fastpath"))
FIRST, SECOND, THIRD, *_, LAST = (task.name for task in TASKS.all)


class Bench:
    """A lab that notes what is done to it, and finds what it is told to."""

    def __init__(self, run: str = "one") -> None:
        self.run = run
        self.done: list[str] = []
        self.finds: dict[str, str] = {}
        self.testbed = self

    def restore(self, condition: str | None) -> list[str]:
        self.done.append(f"restore {condition}")
        return ["the lab was deployed anew"]

    def end(self) -> list[str]:
        return ["it is down"]

    def begin(self, task: Task) -> None:
        self.done.append(f"begin {task.name}")

    def solve(self, task: Task) -> None:
        self.done.append(f"solve {task.name}")
        self.finds[task.name] = "pass"

    def blunder(self, task: Task) -> None:
        raise AssertionError

    def check(self, task: Task, *, briefly: bool = False) -> list[Finding]:
        assert not briefly
        found: Any = self.finds.get(task.name, "fail")
        return [Finding("what is looked at", found, "what is said", "what was seen")]

    def send(self, traffic: Traffic) -> Sent:
        return Sent(traffic.packets, traffic.packets - 1)


@pytest.fixture
def testbed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    made = Bench()

    def opened(stack: ExitStack, tasks: object, where: Where, *, up: bool) -> Any:
        return made if up or made.done else None

    monkeypatch.setattr(walking, "open_lab", opened)
    return made


def again() -> Walk:
    """What another command finds."""
    return Walk(TASKS)


def test_the_next_task_begins_on_what_the_learner_made(testbed: Bench, tmp_path: Path) -> None:
    again().start()
    assert testbed.done == ["restore routing-plain", f"begin {FIRST}"]
    testbed.finds[FIRST] = "pass"
    checked = again().check()
    assert (checked.exit_code, checked.first) == (0, True)
    assert not again().check().first, "it is done only once"
    kept = json.loads((tmp_path / "ppslab/tasks/fastpath-linux.json").read_text())
    assert kept["ppslab-tasks"] == 1
    ((found, task, when),) = state.finished()
    assert (found, task) == ("fastpath", FIRST) and kept["done"] == {FIRST: when}
    again().start()
    assert testbed.done[2:] == [f"begin {SECOND}"], "nothing of the learner's was taken away"


def test_a_task_that_is_jumped_to_begins_on_the_solutions_before_it(testbed: Bench) -> None:
    again().start(SECOND)
    assert testbed.done == [
        "restore routing-plain", f"begin {FIRST}", f"solve {FIRST}", f"begin {SECOND}",
    ]  # fmt: skip
    del testbed.done[:]
    again().start(THIRD)
    assert testbed.done == ["restore routing-connection-tracking", f"begin {THIRD}"]


def test_a_task_whose_check_fails_does_not_count(testbed: Bench) -> None:
    again().start()
    assert again().check().exit_code == 1
    del testbed.done[:]
    again().start(SECOND)
    assert testbed.done[0] == "restore routing-plain", "the known state, not the half-done one"
    del testbed.done[:]
    again().reset()
    assert testbed.done == [
        "restore routing-plain", f"begin {FIRST}", f"solve {FIRST}", f"begin {SECOND}",
    ]  # fmt: skip


def test_at_the_end_nothing_stands_and_what_was_done_is_kept(testbed: Bench) -> None:
    assert again().end() == ["no lab is up"]
    again().start()
    testbed.finds[FIRST] = "pass"
    again().check()
    assert again().end() == ["it is down"]
    with pytest.raises(UsageError, match="start"):
        again().check()
    assert FIRST in again().state.done


def test_nothing_to_check_is_said(testbed: Bench) -> None:
    with pytest.raises(UsageError, match="start") as caught:
        again().check()
    assert caught.value.exit_code == 2
    again().start()
    with pytest.raises(UsageError, match=SECOND):
        again().check(SECOND)
    testbed.run = "two"
    with pytest.raises(UsageError, match="ppslab task fastpath start"):
        again().check()


def test_hints_come_one_after_the_other_and_first_that_of_a_failed_check(testbed: Bench) -> None:
    hints, ((_, own), *_) = TASKS.all[0].every_hint, TASKS.all[0].check_hints
    again().start()
    assert again().hint() == (1, len(hints), hints[0])
    testbed.finds[FIRST] = "fail"
    again().check()
    assert [again().hint() for _ in range(2)] == [(0, len(hints), own), (2, len(hints), hints[1])]
    again().check()
    testbed.finds[FIRST] = "pass"
    again().check()
    assert [again().hint()[2] for _ in hints] == [*hints[2:], hints[-1], hints[-1]]


def test_when_all_is_done_it_says_how_to_begin_anew(testbed: Bench) -> None:
    for task in TASKS.all:
        again().start(task.name)
        testbed.finds[task.name] = "pass"
        again().check()
    assert again().next is None
    with pytest.raises(UsageError, match=f"start {FIRST}"):
        again().start()


def test_a_file_that_is_none_of_ours_is_left_alone(testbed: Bench, tmp_path: Path) -> None:
    place = tmp_path / "ppslab/tasks/fastpath-linux.json"
    place.parent.mkdir(parents=True)
    for text in ("{", "[]", '{"ppslab-tasks": 2}', '{"ppslab-tasks": 1, "lab": ["x"]}'):
        place.write_text(text)
        with pytest.raises(FileError, match="json"):
            again()
        assert place.read_text() == text


def test_a_notebook_lists_the_tasks() -> None:
    panel = TasksPanel(TASKS)
    assert "ppslab task fastpath start" in repr(panel)
    assert TASKS.all[-1].title in panel._repr_html_()


def test_without_an_action_the_open_task_is_shown_or_the_next_begins(
    testbed: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(task_cli, "console", Printer(file=io.StringIO(), width=100))

    def begun() -> list[str]:
        """What is done to the lab."""
        del testbed.done[1:]
        task_cli._next(again())
        return testbed.done[1:]

    task_cli._next(again())
    assert again().state.at == FIRST and begun() == [], "it is open"
    testbed.finds[FIRST] = "pass"
    again().check()
    assert begun() == [f"begin {SECOND}"]
    testbed.run = "two"
    assert begun()[-1] == f"begin {SECOND}", "another lab stands"
