"""A learner's requests: start a task, check it, a hint, the solution, and the way back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, TypeVar

from ppslab.core.errors import UsageError
from ppslab.course.tasks import state as states
from ppslab.course.tasks.checks import Finding, Sent, verdict
from ppslab.course.tasks.engine import judging, way
from ppslab.course.tasks.engine.way import Way
from ppslab.course.tasks.reading import Tasks
from ppslab.course.tasks.schema import Task
from ppslab.course.tasks.state import State
from ppslab.course.tasks.testbeds import TaskLab, Where, open_lab

Result = TypeVar("Result")


@dataclass(frozen=True)
class Checked:
    """The findings of a task's checks; `first`: it had not passed before."""

    task: Task
    findings: Sequence[Finding]
    first: bool = False

    @property
    def exit_code(self) -> int:
        """0 pass, 1 fail; 2 is for where there is nothing to check."""
        return int(verdict(self.findings) == "fail")


class Walk:
    """A learner's way through the tasks of a lab."""

    def __init__(self, tasks: Tasks, where: Where | None = None) -> None:
        self.tasks = tasks
        self.where = where or Where()
        self.state: State = states.load(tasks.lab.name)

    @cached_property
    def way(self) -> Way:
        tasks = self.tasks.all
        before = {task.name: [each.name for each in self.tasks.before(task)] for task in tasks}
        return Way([task.name for task in tasks], before, self.state)

    @property
    def next(self) -> Task | None:
        """The first that is not done; None if all are done."""
        name = self.way.next
        return self.tasks.task(name) if name else None

    def task(self, name: str | None) -> Task:
        """The task `name`; without one that which was started last.

        UsageError where none was.
        """
        if name is None:
            if not self.state.at:
                raise UsageError(f"no task was started: {self.command('start')}")
            name = self.state.at
        return self.tasks.task(name)

    def start(self, name: str | None = None, *, anew: bool = False) -> tuple[Task, list[str]]:
        """Begin a task; returns messages for the learner on what was done to the lab.

        The next one begins on what the learner made of the one before; any other (and with `anew`
        every one) on the known state: the lab as it was, and the solutions of all before it.
        """
        task = self.task(name) if name else self.next
        if task is None:
            raise UsageError(
                f"all tasks of {self.tasks.lab.name} are done; start over with "
                f"{self.command('start ' + self.tasks.all[0].name)}"
            )
        with ExitStack() as stack:
            standing = open_lab(stack, self.tasks, self.where, up=True)
            assert standing is not None
            steps = self.way.start(task.name, standing.run, anew)
            told: list[str] = judging.play(steps, lambda request: self._do(standing, *request))
        return task, told

    def reset(self, name: str | None = None) -> tuple[Task, list[str]]:
        """Bring the lab into the state in which a task begins."""
        return self.start(self.task(name).name, anew=True)

    def end(self) -> list[str]:
        """Remove everything but the progress; returns messages for the learner."""
        with ExitStack() as stack:
            standing = open_lab(stack, self.tasks, self.where, up=False)
            told = ["no lab is up"] if standing is None else standing.end()
        self.state.at = self.state.run = ""
        self.state.save()
        return told

    def check(self, name: str | None = None) -> Checked:
        """Check whether the task is done."""
        task = self._started(name)
        findings = self._on_it(task, lambda standing: standing.testbed.check(task))
        now = datetime.now(UTC).isoformat(timespec="seconds")
        first = self.way.passed(task.name, verdict(findings), now)
        states = [(each.says, each.state) for each in findings]
        self.way.failing(task.name, judging.hint_of(task.linux.check, states))
        self.state.save()
        return Checked(task, findings, first)

    def solve(self, name: str | None = None) -> Task:
        task = self._started(name)
        self._on_it(task, lambda standing: standing.testbed.solve(task))
        self.way.solved(task.name)
        self.state.save()
        return task

    def send(self, name: str | None = None) -> Sent:
        """Send the task's traffic once; UsageError where it has none."""
        task = self._started(name)
        traffic = task.traffic
        if traffic is None:
            raise UsageError(f"task {task.name} sends no packets")
        return self._on_it(task, lambda standing: standing.testbed.send(traffic))

    def hint(self, name: str | None = None) -> tuple[int, int, str]:
        """The next hint, its number, and how many there are; after the last, the last again.

        Number 0 is the hint of the check that failed last.
        """
        task = self.task(name)
        hints = task.every_hint
        number, hint = self.way.hint(task.name, hints)
        self.state.save()
        return number, len(hints), hint

    def stands(self) -> bool:
        """True if the lab is up in which the last task was started."""
        with ExitStack() as stack:
            standing = open_lab(stack, self.tasks, self.where, up=False)
            return standing is not None and standing.run == self.state.run

    def _do(self, standing: TaskLab, what: str, name: str = "") -> Any:
        """Do what the way asks for (`engine.way`)."""
        if what == way.SAVE:
            return self.state.save()
        task = self.tasks.task(name)
        if what == way.RESTORE:
            return standing.restore(self.tasks.condition(task))
        act = {way.BEGIN: standing.testbed.begin, way.SOLVE: standing.testbed.solve}[what]
        return act(task)

    def _started(self, name: str | None) -> Task:
        task = self.task(name)
        if task.name != self.state.at:
            raise UsageError(
                f"task {task.name} was not started: {self.command('start ' + task.name)}"
            )
        return task

    def _on_it(self, task: Task, act: Callable[[TaskLab], Result]) -> Result:
        with ExitStack() as stack:
            standing = open_lab(stack, self.tasks, self.where, up=False)
            if standing is None or standing.run != self.state.run:
                raise UsageError(
                    f"the lab in which {task.name} was started is no longer up: "
                    f"{self.command('start ' + task.name)}"
                )
            return act(standing)

    def command(self, words: str) -> str:
        """The command to type for it."""
        return f"ppslab task {self.tasks.lab.name} {words}"
