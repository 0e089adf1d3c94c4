"""Which tasks the router in the page cannot have, and why: decided by what the lab's files say."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from ppslab.core.errors import FileError
from ppslab.course.page_tasks import expressions
from ppslab.course.tasks.reading import Tasks
from ppslab.course.tasks.schema import LinuxSide, Task
from ppslab.model.lab import topology
from ppslab.testbed.backends import page_router
from ppslab.testbed.backends.capabilities.features import MEANINGS
from ppslab.testbed.backends.page_router import Contents


class Why(StrEnum):
    """Why a task cannot be done in the page."""

    NO_VARIANT = "no variant for Linux"
    MACHINE = "machine"
    TOPOLOGY = "topology"
    FEATURES = "features"
    EXPRESSION = "expression"
    PROGRAM = "program"
    BEFORE = "a task before it"


@dataclass(frozen=True)
class Absent:
    """A task that the page's router cannot have; `what`: the part of it that is at fault."""

    task: str
    title: str
    why: Why
    what: str

    @property
    def sentence(self) -> str:
        """For the reader."""
        return _SENTENCES[self.why].format(what=self.what)


_SENTENCES = {
    Why.NO_VARIANT: "{what}",
    Why.MACHINE: "It needs {what}; the router in the page is one CPU with no sockets to choose.",
    Why.TOPOLOGY: "The router in the page cannot have its nodes: {what}.",
    Why.FEATURES: "It needs {what}, which the router in the page has not.",
    Why.PROGRAM: "It calls {what}, which the router in the page has not.",
    Why.BEFORE: "It begins on the work of “{what}”, which cannot be done there.",
    Why.EXPRESSION: "Its check looks for {what}, which a browser reads otherwise.",
}


def absent(tasks: Tasks, contents: Contents) -> dict[str, Absent]:
    """By their names the tasks that the router in the page cannot have."""
    of_all = _of_the_lab(tasks, contents)
    found = {}
    for task in tasks.all:
        why = _of_the_variant(tasks, task) or of_all or _of_its_lines(task, contents)
        if why:
            found[task.name] = Absent(task.name, task.title, *why)
    for task in tasks.all:
        lost = [before for before in tasks.before(task, "linux") if before.name in found]
        if lost and task.name not in found:
            found[task.name] = Absent(task.name, task.title, Why.BEFORE, lost[0].title)
    return found


def _of_the_variant(tasks: Tasks, task: Task) -> tuple[Why, str] | None:
    why = tasks.without(task, "linux")
    return (Why.NO_VARIANT, why) if why else None


def _of_the_lab(tasks: Tasks, contents: Contents) -> tuple[Why, str] | None:
    """What stands in the way of every task of the lab."""
    spec = tasks.lab.spec
    if spec.machine is not None:
        return Why.MACHINE, f"a machine with {spec.machine.all_cpus} CPUs"
    missing = sorted(tasks.needs - contents.features)
    if missing:
        return Why.FEATURES, " and ".join(MEANINGS[name] for name in missing)
    try:
        page_router.stand_up(topology.find(spec.topology), contents.programs())
    except FileError as error:
        return Why.TOPOLOGY, error.message
    return None


def _of_its_lines(task: Task, contents: Contents) -> tuple[Why, str] | None:
    side = task.linux
    assert isinstance(side, LinuxSide)
    steps = (*side.init, *side.solve, *side.mistake.run)
    lines = [*(step.run for step in steps), *(check.run for check in side.check)]
    for name, expression in contents.lacks.items():
        if any(re.search(expression, line) for line in lines):
            return Why.PROGRAM, name
    for check in side.check:
        for expression in check.expect:
            try:
                expressions.of_a_browser(expression.removeprefix("!"))
            except expressions.OnlyPythonError:
                return Why.EXPRESSION, re.sub(r"\s+", " ", expression)
    return None
