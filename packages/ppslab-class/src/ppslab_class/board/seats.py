"""A seat as the board shows it, made of its events in whatever order they came."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final, Literal, TypeAlias

from ppslab_class.board.messages import Event

STUCK_TRIES: Final = 3
STUCK_TIMES: Final = 2.0
"""So many failed checks of one task, or so many times its minutes: then somebody is stuck."""

MOST_NAMES: Final = 500
"""The most names of questions, tasks or pages from a seat: twice the course's own."""

MOST_MOVES: Final = 999
"""The most moves of a case; more are as many."""

Why: TypeAlias = Literal["tries", "time"]


@dataclass
class TaskState:
    """A task at a seat."""

    first: datetime | None = None
    """Time of its first check, or of its first hint."""
    fails: int = 0
    hints: int = 0
    solved: bool = False
    """True once its solution was read."""
    done: datetime | None = None
    moves: int = 0
    """The moves that solved a case; 0: not reported."""

    def began(self, at: datetime) -> None:
        """Something was done with it at this time."""
        self.first = at if self.first is None else min(self.first, at)


@dataclass(frozen=True)
class Stuck:
    """At which task, and why."""

    task: str
    why: Why


@dataclass
class Latest:
    """The value that was told last, whatever came last; of one time, that of the later name."""

    value: str = ""
    at: datetime | None = None
    id: str = ""

    def put(self, value: str, at: datetime, name: str) -> None:
        """Take it, unless a later one is known."""
        if self.at is None or (at, name) > (self.at, self.id):
            self.value, self.at, self.id = value, at, name


@dataclass
class SeatState:
    """The state of one seat."""

    page: Latest = field(default_factory=Latest)
    help: Latest = field(default_factory=Latest)
    done: dict[str, datetime] = field(default_factory=dict)
    """The time of the first pass by CHAPTER/KIND/ID."""
    tasks: dict[str, TaskState] = field(default_factory=dict)
    """By CHAPTER/task/TASK."""
    guesses: dict[str, Latest] = field(default_factory=dict)
    measured: dict[str, Latest] = field(default_factory=dict)
    last: datetime | None = None
    """The time of its latest event."""
    count: int = 0

    def take(self, event: Event, at: datetime) -> None:
        self.count += 1
        self.last = at if self.last is None else max(self.last, at)
        if event.kind == "at":
            self.page.put(event.what, at, event.id)
        elif event.kind == "help":
            self.help.put(event.value, at, event.id)
        elif event.kind == "guess":
            self._take_answer(self.guesses, event, at)
        elif event.kind == "measured":
            self._take_answer(self.measured, event, at)
        else:
            self._take_work(event, at)

    def _take_answer(self, answers: dict[str, Latest], event: Event, at: datetime) -> None:
        if _has_room(answers, event.what):
            answers.setdefault(event.what, Latest()).put(event.value, at, event.id)

    def _take_work(self, event: Event, at: datetime) -> None:
        passed = event.kind == "done" or (event.kind == "tried" and event.value != "fail")
        if passed and _has_room(self.done, event.what):
            self.done[event.what] = min(at, self.done.get(event.what, at))
        if "/task/" not in event.what or not _has_room(self.tasks, event.what):
            return
        task = self.tasks.setdefault(event.what, TaskState())
        task.began(at)
        task.fails += event.kind == "tried" and not passed
        task.hints += event.kind == "hint"
        task.solved |= event.kind == "solved"
        word, _, moves = event.value.partition(" ")
        if word == "pass" and moves.isascii() and moves.isdigit():
            task.moves = min(int(moves), task.moves or MOST_MOVES)
        if passed:
            task.done = self.done.get(event.what)

    @property
    def asks_help(self) -> bool:
        return self.help.value == "asked"

    def stuck(self, minutes: dict[str, int], now: datetime) -> Stuck | None:
        """The task at which it is stuck; `minutes`: how long each should take."""
        open_ones = [
            (task.first, name)
            for name, task in self.tasks.items()
            if task.done is None and task.first is not None
        ]
        if not open_ones:
            return None
        first, name = max(open_ones)
        if self.tasks[name].fails >= STUCK_TRIES:
            return Stuck(name, "tries")
        planned = minutes.get(name)
        if planned and now - first > timedelta(minutes=planned * STUCK_TIMES):
            return Stuck(name, "time")
        return None


def _has_room(names: Mapping[str, object], name: str) -> bool:
    return name in names or len(names) < MOST_NAMES
