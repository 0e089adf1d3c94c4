"""`ppslab run`: measure a lab, show progress, print the table, write the record."""

from __future__ import annotations

import typer

from ppslab.cli.measuring.terminal import close, measured, show_steps
from ppslab.cli.options import DryRun, LabName, measuring
from ppslab.cli.printing import console
from ppslab.core.text.numbers import plural
from ppslab.course import own_seat
from ppslab.judge import costs
from ppslab.measure.run import Options, rehearse, run
from ppslab.model.lab import lab
from ppslab.show import record_tables


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("run")(run_lab)


@measuring(Options)
def run_lab(name: LabName, options: Options, dry_run: DryRun = False) -> None:
    """Measure the conditions of a lab, interleaved in rounds, and write the record."""
    chosen_lab = lab.find(name)
    if dry_run:
        show_steps(rehearse(chosen_lab, options))
        return
    record, path = measured(run, chosen_lab, options)
    if chosen_lab.spec.machine:  # with cards, no measured time contains the router's work
        console.print(costs.forwarding_table(record))
        console.print(costs.counters_table(record))
    else:
        console.print(record_tables.costs(record))
        if record.searches:
            console.print(record_tables.throughputs(record))
    spoiled = sum(1 for _ in costs.invalid_trials(record))
    console.print(f"{plural(len(record.trials), 'trial')}, {spoiled} invalid")
    close(record, path, record.skipped if chosen_lab.spec.machine else ())
    for remark in own_seat.tell_measured(record):
        console.print(f"from the instructor: {remark}", style="bold", markup=False)
