"""A task proved on a lab: its check fails before, passes when solved, and finds the mistake."""

from __future__ import annotations

from functools import cache

from ppslab.core import paths
from ppslab.course.tasks import reading
from ppslab.course.tasks.checks import Finding, verdict
from ppslab.course.tasks.reading import Tasks
from ppslab.course.tasks.routeros import RouterOSTestbed
from ppslab.course.tasks.schema import Task, Variant
from ppslab.course.tasks.task_labs import TaskLab, TaskTestbed
from ppslab.model.lab import lab

TEMPLATE = "_template"
LABS = [*(name for name in lab.names() if reading.has(lab.find(name))), TEMPLATE]


@cache
def tasks_of(name: str) -> Tasks:
    return reading.load(lab.load(paths.project_root() / "labs" / name))


def variants(variant: Variant) -> list[str]:
    return [n for n in LABS if any(not tasks_of(n).without(t, variant) for t in tasks_of(n).all)]


def prove(tasks: Tasks, variant: Variant, standing: TaskLab) -> None:
    """The proofs of all tasks, one after the other on the same lab."""
    stands: str | None = None
    for task in tasks.of(variant):
        before = tasks.before(task, variant)
        if not before or stands != before[-1].name:
            told = standing.restore(tasks.condition(task, variant))
            assert variant == "linux" or told == []
            for each in before:
                standing.testbed.begin(each)
                standing.testbed.solve(each)
        testbed = standing.testbed
        testbed.begin(task)
        assert fails(testbed, task), f"{task.name}: its check passes before it is done"
        with back(testbed):
            testbed.solve(task)
            assert state(testbed, task) == "pass", f"{task.name}: {said(testbed, task)}"
            testbed.blunder(task)
            assert fails(testbed, task), f"{task.name}: its check overlooks the mistake"
        testbed.solve(task)
        assert state(testbed, task) == "pass", f"{task.name}, repaired: {said(testbed, task)}"
        stands = task.name


class back:  # noqa: N801  (used as a context manager only)
    """On RouterOS what was made meanwhile is taken back, as a statement adds a row each time."""

    def __init__(self, testbed: TaskTestbed) -> None:
        hands = testbed.hands.values() if isinstance(testbed, RouterOSTestbed) else ()
        self.kept = [(hand, len(hand.journal.changes)) for hand in hands]

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        for hand, count in self.kept:
            assert hand.configurator.put_back(count) == []


LAST: dict[str, list[Finding]] = {}


def state(testbed: TaskTestbed, task: Task) -> str:
    LAST[task.name] = testbed.check(task)
    return verdict(LAST[task.name])


def fails(testbed: TaskTestbed, task: Task) -> bool:
    """Whether its check fails; the first that does is enough."""
    return verdict(testbed.check(task, briefly=True)) == "fail"


def said(testbed: TaskTestbed, task: Task) -> str:
    del testbed
    return "; ".join(
        f"{f.says}: {f.said} ({f.shown})" for f in LAST[task.name] if f.state != "pass"
    )
