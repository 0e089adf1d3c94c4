"""A measurement on a terminal: its progress, and what stands below the results of every command."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Protocol, TypeVar

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from ppslab.cli.printing import console
from ppslab.core.provenance import Provenance
from ppslab.core.text.tables import Table
from ppslab.model import results

SPEED_SECONDS = 600.0
"""Trials of so long tell how long the rest takes; a trial of RFC 2544 lasts 60."""


class Bar:
    """A progress bar with the time left; plain lines where the output is no terminal."""

    def __init__(self) -> None:
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=console,
            speed_estimate_period=SPEED_SECONDS,
        )
        self._task = self._progress.add_task("preparing", total=None)
        self._plain = not console.is_terminal
        self._done = 0
        self._planned = 0

    def __enter__(self) -> Bar:
        if not self._plain:
            self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def show(self, table: Table) -> None:
        """Show what will be done, before it starts."""
        console.print(f"{table.plain()}\n", markup=False, soft_wrap=True)

    def plan(self, trials: int) -> None:
        """Expect about this many trials."""
        self._planned = trials
        self._progress.update(self._task, total=trials)

    def stage(self, text: str) -> None:
        self._progress.update(self._task, description=text)
        if self._plain:
            console.print(text)

    def trial(self, trial: results.Trial | results.Transfer) -> None:
        """Count a trial that has ended."""
        self._done += 1
        self._progress.update(self._task, advance=1)
        if self._plain and self._done % 50 == 0:
            console.print(f"  {self._done} of about {self._planned} trials")


class Provenanced(Protocol):
    """A record of any kind."""

    def provenance(self) -> Provenance:
        """Return the provenance of its numbers."""


AnyRecord = TypeVar("AnyRecord", bound=Provenanced)


def measured(
    run: Callable[..., tuple[AnyRecord, Path]], *arguments: object
) -> tuple[AnyRecord, Path]:
    """Call `run` with these arguments and a bar; returns the record and its file."""
    with Bar() as bar:
        return run(*arguments, bar)


def close(record: Provenanced, path: Path, skipped: Iterable[results.Skipped] = ()) -> None:
    """Print the conditions that were not measured, the record's provenance and its file."""
    for condition in skipped:
        sentence = f"not measured: {condition.condition}: {condition.reason}"
        console.print(sentence, style="yellow", markup=False)
    console.print(record.provenance().sentence, style="dim", markup=False)
    console.print(f"record: {path}")


def show_steps(steps: Iterable[str]) -> None:
    """Print the steps of a dry run."""
    for step in steps:
        # Unwrapped: commands are copied from here, and a broken line would be another command.
        console.print(f"{step}\n", markup=False, soft_wrap=True)
