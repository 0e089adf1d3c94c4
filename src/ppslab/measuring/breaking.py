"""The instrument, broken on purpose: live, or as it was recorded."""

from __future__ import annotations

import os
from collections.abc import Mapping

from ppslab import faults
from ppslab.errors import UsageError, did_you_mean
from ppslab.faults.tables import fault_table, pause_table
from ppslab.figures import Figure
from ppslab.figures.pause import pause_figure
from ppslab.notebook_parts import RECORDED
from ppslab.progress import NotebookProgress, show_heading
from ppslab.results.faults import FaultsRecord
from ppslab.shown import Words
from ppslab.tables import Cell, Table

HEADING = "The instrument, broken on purpose"
GUESSES = ("caught", "missed", "-")


class Broken:
    """A run through the faults."""

    def __init__(self, lab: str, record: FaultsRecord | None) -> None:
        self.lab = lab
        self.record = record

    def __repr__(self) -> str:
        return repr(self.summary())

    def _repr_html_(self) -> str:
        return self.summary()._repr_html_()

    def summary(self) -> Words:
        """What was measured, and what made the numbers; or how to measure it."""
        if self.record is None:
            return Words("No run yet.", [f"Measure: ppslab break {self.lab}"])
        caught = sum(fault.outcome == "caught" for fault in self.record.faults)
        title = f"{caught} of {len(self.record.faults)} faults caught"
        return Words(title, [self.record.provenance()], aside=True)

    def table(self, guess: Mapping[str, str] | None = None) -> Table | Words:
        """Every fault and what the instrument said; beside the reader's guess where there is one.

        `guess`: for a fault, `caught` or `missed`; `-` for no opinion.
        """
        if self.record is None:
            return self.summary()
        made = fault_table(self.record)
        if guess is None:
            return made
        known = [fault.name for fault in self.record.faults]
        for name, said in guess.items():
            if name not in known:
                raise UsageError(f"no fault {name!r}{did_you_mean(name, known)}")
            if said not in GUESSES:
                raise UsageError(f"guess {said!r} for {name}: it is caught or missed")
        rows = tuple(
            (*row, Cell(guess.get(name, "-"))) for name, row in zip(known, made.rows, strict=True)
        )
        return Table(
            made.title, (*made.header, "your guess"), rows, made.notes, made.provenance, made.asides
        )

    def delays(self) -> Table | Words:
        """The delays of the late tester's frames, counted from two times."""
        table = pause_table(self.record) if self.record else None
        return table or self.summary()

    def figure(self) -> Figure | Words:
        """The same, drawn."""
        figure = pause_figure(self.record) if self.record else None
        return figure or self.summary()


def break_it(*names: str, lab: str = "fastpath", backend: str | None = None) -> Broken:
    """Break the instrument in these ways, or in all, in real trials on `lab`.

    `backend`: auto, namespaces, vm, or recorded; without it `$PPSLAB_BACKEND`, or auto.
    """
    chosen = backend or os.environ.get("PPSLAB_BACKEND") or "auto"
    if chosen == RECORDED:
        show_heading(HEADING)
        return Broken(lab, faults.newest(lab))
    from ppslab.faults.breaking import Options, run  # noqa: PLC0415  (needs a machine that can)
    from ppslab.lab import find  # noqa: PLC0415

    options = Options(backend=chosen, faults=names)
    with NotebookProgress(HEADING) as progress:
        record, _ = run(find(lab), options, progress)
    return Broken(lab, record)
