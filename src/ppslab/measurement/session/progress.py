"""Who watches a measurement, and what they are told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from ppslab import results
from ppslab.base.text.tables import Table
from ppslab.results.journal import Journal


class Progress(Protocol):
    """Who watches a run."""

    def show(self, table: Table) -> None:
        """What is going to be done, before it is."""

    def plan(self, trials: int) -> None:
        """About this many trials are to come."""

    def stage(self, text: str) -> None:
        """What happens now."""

    def trial(self, trial: results.Trial | results.Transfer) -> None:
        """A trial has ended."""


class Silent:
    """Nobody watches."""

    def show(self, table: Table) -> None:
        """Say nothing."""

    def plan(self, trials: int) -> None:
        """Say nothing."""

    def stage(self, text: str) -> None:
        """Say nothing."""

    def trial(self, trial: results.Trial | results.Transfer) -> None:
        """Say nothing."""


@dataclass(frozen=True)
class Kept:
    """Passes on what a watcher is told, and keeps every trial."""

    watcher: Progress
    """Who is told too."""
    journal: Journal
    """Where trials are kept."""

    def show(self, table: Table) -> None:
        """What is going to be done, before it is."""
        self.watcher.show(table)

    def plan(self, trials: int) -> None:
        """About this many trials are to come."""
        self.watcher.plan(trials)

    def stage(self, text: str) -> None:
        """What happens now."""
        self.watcher.stage(text)

    def trial(self, trial: results.Trial | results.Transfer) -> None:
        """A trial has ended."""
        self.journal.add(trial)
        self.watcher.trial(trial)
