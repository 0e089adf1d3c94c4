"""The solution of a task, as it is shown to a learner."""

from __future__ import annotations

from ppslab.course.tasks.reading import Tasks
from ppslab.course.tasks.schema import LinuxSide, RouterOSSide, Task, Variant


def solution(tasks: Tasks, task: Task, variant: Variant) -> list[tuple[str, str]]:
    """The nodes and the lines that solve a task there; none where it has no such variant."""
    router = tasks.lab.spec.router
    side = task.side(variant)
    if isinstance(side, LinuxSide):
        return [(step.on or router, step.run) for step in side.solve]
    if isinstance(side, RouterOSSide):
        return [(node or router, text) for node, text in side.solve.items()]
    return []
