"""The instrument, broken on purpose: live, or as it was recorded."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from ppslab.core.errors import UsageError, did_you_mean
from ppslab.core.text.display import TextBlock
from ppslab.core.text.tables import Cell, Table
from ppslab.course.notebook.notebook import RECORDED
from ppslab.course.notebook.progress import NotebookProgress, show_heading
from ppslab.model.lab.lab import find
from ppslab.model.results.kinds import FaultsRecord
from ppslab.show.figures import Figure
from ppslab.show.figures.teaching import pause_figure
from ppslab.show.record_tables import faults
from ppslab.show.record_tables.faults import fault_table, pause_table

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
        return self.summary().html()

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        return self.summary()._repr_mimebundle_(include, exclude)

    def summary(self) -> TextBlock:
        """The measured result with its provenance; or the command that measures it."""
        if self.record is None:
            return TextBlock("No run yet.", [f"Measure: ppslab break {self.lab}"])
        caught = sum(fault.outcome == "caught" for fault in self.record.faults)
        title = f"{caught} of {len(self.record.faults)} faults caught"
        return TextBlock(title, [self.record.provenance().sentence], aside=True)

    def table(self, guess: Mapping[str, str] | None = None) -> Table | TextBlock:
        """Every fault and the instrument's answer, with the reader's guess where there is one.

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

    def delays(self) -> Table | TextBlock:
        """The delays of the late tester's frames, counted from two times."""
        table = pause_table(self.record) if self.record else None
        return table or self.summary()

    def figure(self) -> Figure | TextBlock:
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
    from ppslab.measure.faults import Options, run  # noqa: PLC0415  (needs a machine that can)

    options = Options(backend=chosen, faults=names)
    with NotebookProgress(HEADING) as progress:
        record, _ = run(find(lab), options, progress)
    return Broken(lab, record)
