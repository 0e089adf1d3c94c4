"""What solves a task, as it is shown to who has asked for it."""

from __future__ import annotations

from ppslab.tasks.reading import Tasks
from ppslab.tasks.words import LinuxSide, RouterOSSide, Task, Variant


def solution(tasks: Tasks, task: Task, variant: Variant) -> list[tuple[str, str]]:
    """The nodes and the lines that solve a task there; none where it has no such variant."""
    router = tasks.lab.words.router
    side = task.side(variant)
    if isinstance(side, LinuxSide):
        return [(step.on or router, step.run) for step in side.solve]
    if isinstance(side, RouterOSSide):
        return [(node or router, text) for node, text in side.solve.items()]
    return []
