"""A task proved on a lab: its check fails before, passes when solved, and finds the mistake."""

from __future__ import annotations

from functools import cache

from ppslab.core import paths
from ppslab.course.tasks import reading
from ppslab.course.tasks.checks import Finding, verdict
from ppslab.course.tasks.linux import LinuxTestbed
from ppslab.course.tasks.reading import Tasks
from ppslab.course.tasks.schema import Task
from ppslab.course.tasks.testbeds import TaskLab
from ppslab.model.lab import lab

TEMPLATE = "_template"
LABS = [*(name for name in lab.names() if reading.has(lab.find(name))), TEMPLATE]


@cache
def tasks_of(name: str) -> Tasks:
    return reading.load(lab.load(paths.project_root() / "labs" / name))


def prove(tasks: Tasks, standing: TaskLab) -> None:
    """The proofs of all tasks, one after the other on the same lab."""
    stands: str | None = None
    for task in tasks.all:
        before = tasks.before(task)
        if not before or stands != before[-1].name:
            standing.restore(tasks.condition(task))
            for each in before:
                standing.testbed.begin(each)
                standing.testbed.solve(each)
        testbed = standing.testbed
        testbed.begin(task)
        assert fails(testbed, task), f"{task.name}: its check passes before it is done"
        passes(testbed, task)
        testbed.blunder(task)
        assert fails(testbed, task), f"{task.name}: its check overlooks the mistake"
        passes(testbed, task)
        stands = task.name


def passes(testbed: LinuxTestbed, task: Task) -> None:
    testbed.solve(task)
    found = testbed.check(task)
    assert verdict(found) == "pass", f"{task.name}: {said(found)}"


def fails(testbed: LinuxTestbed, task: Task) -> bool:
    """Whether its check fails; the first that does is enough."""
    return verdict(testbed.check(task, briefly=True)) == "fail"


def said(found: list[Finding]) -> str:
    return "; ".join(f"{f.says}: {f.said} ({f.shown})" for f in found if f.state != "pass")
