"""Every task of every lab: its check fails before, the solution makes it pass, one mistake makes
it fail again, and the solution repairs that too.

A lab is stood up once for all of its tasks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from ppslab.core.errors import CannotHereError
from ppslab.course.tasks import linux
from ppslab.course.tasks.checks import Finding
from ppslab.course.tasks.engine import judging
from ppslab.course.tasks.schema import Task
from ppslab.course.tasks.testbeds import TaskLab
from ppslab.model.lab.machine import FEATURE, Machine
from ppslab.testbed.backends import Backend, capabilities, open_backend
from tests.conftest import Opened
from tests.course.tasks.proving import LABS, TEMPLATE, prove, tasks_of
from tests.support.waiting import PATIENCE


@pytest.fixture(scope="module")
def backend_of(opened: Opened) -> Iterator[Callable[[str, Machine | None], Backend]]:
    """A guest for each machine that a lab orders; for all other labs, one that others use too."""
    built: dict[tuple[str, str], Backend] = {}
    with ExitStack() as stack:

        def opening(name: str, machine: Machine | None) -> Backend:
            if machine is None:
                return opened(name)
            key = (name, machine.model_dump_json())
            if key not in built:
                built[key] = stack.enter_context(open_backend(name, machine=machine))
            return built[key]

        yield opening


RARE = {"bridges", "cores", "eoip", "fasttrack", "hundred", "l3offload", "numa", "pppoe", "queues"}
"""Labs whose guests take minutes of emulated CPU, and which few changes touch."""


@pytest.mark.guest
@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.weekly) if n in RARE else n for n in LABS]
)
def test_on_linux(
    name: str, backend_of: Callable[[str, Machine | None], Backend], monkeypatch: pytest.MonkeyPatch
) -> None:
    # A guest beside another worker: where most packets came, the rest waited for a CPU, and a step
    # may take longer than a learner would wait for one.
    monkeypatch.setattr(judging, "AGAIN", 10)
    monkeypatch.setattr(linux, "STEP_SECONDS", 5 * PATIENCE)
    tasks = tasks_of(name)
    machine = tasks.lab.spec.machine
    needs = tasks.needs | ({FEATURE} if machine else frozenset())
    try:
        choice = capabilities.choose(needs)
    except CannotHereError as error:
        pytest.skip(f"no backend has what the lab needs: {error}")
    standing = TaskLab(tasks, backend_of(choice.backend, machine), name.strip("_"))
    try:
        prove(tasks, standing)
    finally:
        standing.remove()


class Scripted:
    """A lab whose checks come to what is given, by what was done last."""

    def __init__(self, after: dict[str, str]) -> None:
        self.after = after
        self.testbed = self
        self.last = ""

    def restore(self, condition: str | None) -> None:
        self.last = "restored"

    def begin(self, task: Task) -> None:
        self.last = "begun"

    def solve(self, task: Task) -> None:
        self.last = "repaired" if self.last == "spoilt" else "solved"

    def blunder(self, task: Task) -> None:
        self.last = "spoilt"

    def check(self, task: Task, *, briefly: bool = False) -> list[Finding]:
        state: Any = self.after[self.last]
        return [Finding("A rule counts", state, "it counts or not")]


PROVEN = {"begun": "fail", "solved": "pass", "spoilt": "fail", "repaired": "pass"}


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({}, None),
        ({"begun": "pass"}, "passes before"),
        ({"solved": "fail"}, "A rule counts"),
        ({"spoilt": "pass"}, "overlooks the mistake"),
        ({"repaired": "fail"}, "A rule counts"),
    ],
)
def test_a_proof_fails_where_a_task_proves_nothing(wrong: dict[str, str], said: str | None) -> None:
    """Solved before it began, a solution that solves nothing, a mistake that is none."""
    standing: Any = Scripted(PROVEN | wrong)
    if said is None:
        prove(tasks_of(TEMPLATE), standing)
    else:
        with pytest.raises(AssertionError, match=said):
            prove(tasks_of(TEMPLATE), standing)
