"""What a learner asks for: start a task, check it, a hint, the solution, and the way back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TypeVar

from ppslab.errors import UsageError
from ppslab.tasks import state as states
from ppslab.tasks.checks import Finding, Sent, verdict
from ppslab.tasks.grounds import Standing, Where, open_ground
from ppslab.tasks.reading import Tasks
from ppslab.tasks.state import State
from ppslab.tasks.words import Task

Made = TypeVar("Made")

EXIT = {"pass": 0, "fail": 1, "warn": 3}
"""By what the checks of a task come to; 2 where there is nothing to check."""


@dataclass(frozen=True)
class Checked:
    """The findings of a task's checks; `first`: it had not passed before."""

    task: Task
    findings: Sequence[Finding]
    first: bool = False

    @property
    def exit_code(self) -> int:
        """0 pass, 1 fail, 3 warning."""
        return EXIT[verdict(self.findings)]


class Walk:
    """A learner's way through the tasks of a lab."""

    def __init__(self, tasks: Tasks, where: Where | None = None) -> None:
        self.tasks = tasks
        self.where = where or Where()
        self.state: State = states.load(tasks.lab.name, self.where.variant)

    @property
    def all(self) -> tuple[Task, ...]:
        """The tasks that this variant has."""
        return self.tasks.of(self.where.variant)

    @property
    def next(self) -> Task | None:
        """The first that is not done; None: all are."""
        return next((task for task in self.all if task.name not in self.state.done), None)

    def task(self, name: str | None) -> Task:
        """The task `name`; without one that which was started last.

        UsageError where none was, or where this variant has it not.
        """
        if name is None:
            if not self.state.at:
                raise UsageError(f"no task was started: {self.command('start')}")
            name = self.state.at
        task = self.tasks.task(name)
        why = self.tasks.without(task, self.where.variant)
        if why:
            raise UsageError(f"task {name} has no variant on {self.where.variant}: {why}")
        return task

    def start(self, name: str | None = None, *, anew: bool = False) -> tuple[Task, list[str]]:
        """Begin a task; what the learner should hear of what was done to the lab.

        The next one begins on what the learner made of the one before; any other (and with `anew`
        every one) on the known state: the lab as it was, and the solutions of all before it.
        """
        task = self.task(name) if name else self.next
        if task is None:
            raise UsageError(
                f"all tasks of {self.tasks.lab.name} are done; begin anew with "
                f"{self.command('start ' + self.all[0].name)}"
            )
        told: list[str] = []
        with ExitStack() as stack:
            standing = open_ground(stack, self.tasks, self.where, known=self.state.run, up=True)
            assert standing is not None
            if anew or not self._goes_on(task, standing):
                told += self._restore(standing, task)
            standing.ground.begin(task)
            self._note(at=task.name, run=standing.run)
        return task, told

    def reset(self, name: str | None = None) -> tuple[Task, list[str]]:
        """Bring the lab into the state in which a task begins."""
        return self.start(self.task(name).name, anew=True)

    def end(self) -> list[str]:
        """Leave nothing behind but what was done; what the learner should hear."""
        with ExitStack() as stack:
            standing = open_ground(stack, self.tasks, self.where, known=self.state.run, up=False)
            told = ["nothing stands"] if standing is None else standing.end()
        self._note(at="", run="")
        return told

    def check(self, name: str | None = None) -> Checked:
        """Look whether the task is done."""
        task = self._started(name)
        findings = self._on_it(task, lambda standing: standing.ground.check(task))
        first = verdict(findings) != "fail" and self.state.pass_(task.name)
        self.state.save()
        return Checked(task, findings, first)

    def solve(self, name: str | None = None) -> Task:
        """Do it for the learner."""
        task = self._started(name)
        self._on_it(task, lambda standing: standing.ground.solve(task))
        if task.name not in self.state.solved:
            self.state.solved.append(task.name)
        self.state.save()
        return task

    def send(self, name: str | None = None) -> Sent:
        """Send the task's traffic once; UsageError where it has none."""
        task = self._started(name)
        traffic = task.traffic
        if traffic is None:
            raise UsageError(f"task {task.name} sends no packets")
        return self._on_it(task, lambda standing: standing.ground.send(traffic))

    def hint(self, name: str | None = None) -> tuple[int, int, str]:
        """The next hint, which it is, and of how many; after the last the last again."""
        task = self.task(name)
        hints = task.hints_for(self.where.variant)
        number = min(self.state.hints.get(task.name, 0), len(hints) - 1)
        self.state.hints[task.name] = number + 1
        self.state.save()
        return number + 1, len(hints), hints[number]

    def stands(self) -> bool:
        """Whether the lab stands in which the last task was started."""
        with ExitStack() as stack:
            standing = open_ground(stack, self.tasks, self.where, known=self.state.run, up=False)
            return standing is not None and standing.run == self.state.run

    def _goes_on(self, task: Task, standing: Standing) -> bool:
        """Whether the lab stands as the task before left it, done by whomever."""
        before = self.tasks.before(task, self.where.variant)
        if not before or self.state.run != standing.run:
            return False
        return self.state.at == before[-1].name and self.state.at in self.state.done

    def _restore(self, standing: Standing, task: Task) -> list[str]:
        """The lab as it was, and the solutions of all tasks before."""
        self._note(at="", run=standing.run)
        told = standing.restore(self.tasks.condition(task, self.where.variant))
        for each in self.tasks.before(task, self.where.variant):
            standing.ground.begin(each)
            standing.ground.solve(each)
        return told

    def _started(self, name: str | None) -> Task:
        task = self.task(name)
        if task.name != self.state.at:
            raise UsageError(
                f"task {task.name} was not started: {self.command('start ' + task.name)}"
            )
        return task

    def _on_it(self, task: Task, act: Callable[[Standing], Made]) -> Made:
        with ExitStack() as stack:
            standing = open_ground(stack, self.tasks, self.where, known=self.state.run, up=False)
            if standing is None or standing.run != self.state.run:
                raise UsageError(
                    f"the lab in which {task.name} was started does not stand any more: "
                    f"{self.command('start ' + task.name)}"
                )
            return act(standing)

    def _note(self, *, at: str, run: str) -> None:
        self.state.at, self.state.run = at, run
        self.state.save()

    def command(self, words: str) -> str:
        """What to type for it."""
        more = " --router routeros" if self.where.variant == "routeros" else ""
        more += f" --dut {self.where.dut}" if self.where.dut else ""
        return f"ppslab task {self.tasks.lab.name} {words}{more}"
