"""`ppslab run`: measure a lab, show progress, print the table, write the record."""

from __future__ import annotations

from typing import Annotated

import typer

from ppslab.cli.measuring.bar import Bar, show_steps
from ppslab.cli.measuring.until_decided import go_on
from ppslab.cli.options import DryRun, LabName, measuring
from ppslab.cli.printing import console
from ppslab.core.errors import UsageError
from ppslab.core.text.numbers import plural
from ppslab.course import own_seat
from ppslab.judge import costs as analysis
from ppslab.judge import frmol
from ppslab.judge.counters import counters_table
from ppslab.measure.run import Options, rehearse, run
from ppslab.model.lab import lab
from ppslab.model.lab.lab import Lab
from ppslab.show import record_tables


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("run")(run_lab)


UntilDecided = Annotated[
    float | None,
    typer.Option(
        min=1,
        metavar="SECONDS",
        help="Repeat what claims leave open, for at most this many seconds more; then say what "
        "would decide the rest.",
    ),
]


@measuring(Options)
def run_lab(
    name: LabName,
    options: Options,
    dry_run: DryRun = False,
    until_decided: UntilDecided = None,
) -> None:
    """Measure every condition of a lab, interleaved, and write the record."""
    chosen_lab = lab.find(name)
    if dry_run:
        show_steps(rehearse(chosen_lab, options))
        return
    if until_decided is None:
        _measure(chosen_lab, options)
        return
    if options.conditions or options.sizes or options.out:
        raise UsageError("--until-decided chooses conditions, sizes and records itself")
    for line in go_on(chosen_lab, options, until_decided, lambda more: _measure(chosen_lab, more)):
        console.print(line, markup=False)


def _measure(chosen_lab: Lab, options: Options) -> None:
    """Make one run and show it."""
    with Bar() as bar:
        record, path = run(chosen_lab, options, bar)
    if chosen_lab.spec.machine:  # with cards, no measured time contains the router's work
        console.print(frmol.table(record))
        console.print(counters_table(record))
        for skipped in record.skipped:
            console.print(f"not measured: {skipped.condition}: {skipped.reason}", style="yellow")
    else:
        console.print(record_tables.costs(record))
        if record.searches:
            console.print(record_tables.throughputs(record))
    spoiled = sum(1 for _ in analysis.invalid_trials(record))
    console.print(f"{plural(len(record.trials), 'trial')}, {spoiled} invalid")
    console.print(record.provenance().sentence, style="dim")
    console.print(f"record: {path}")
    for said in own_seat.tell_measured(record):
        console.print(f"the instructor says: {said}", style="bold", markup=False)
