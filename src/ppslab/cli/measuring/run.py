"""`ppslab run`: measure a lab, show progress, print the table, write the record."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from math import ceil
from typing import Annotated

import typer

from ppslab.cli.measuring.terminal import close, measured, show_steps
from ppslab.cli.options import DryRun, LabName, measuring
from ppslab.cli.printing import console
from ppslab.core.errors import UsageError
from ppslab.core.text.numbers import plural
from ppslab.judge import costs
from ppslab.judge.claims import runs
from ppslab.judge.claims.judging import Undecided, to_measure, undecided
from ppslab.measure.run import Options, rehearse, run
from ppslab.model.lab import lab
from ppslab.model.lab.lab import Lab
from ppslab.show import invalid, record_tables

UntilDecided = Annotated[
    float | None,
    typer.Option(
        min=1,
        metavar="SECONDS",
        help="Repeat trials of undecided claims for at most this many more seconds; then list what "
        "would decide the remaining claims.",
    ),
]


@measuring(Options)
def run_lab(
    name: LabName,
    options: Options,
    dry_run: DryRun = False,
    until_decided: UntilDecided = None,
) -> None:
    """Measure the conditions of a lab, interleaved in rounds, and write the record."""
    chosen_lab = lab.find(name)
    if dry_run:
        show_steps(rehearse(chosen_lab, options))
        return
    if until_decided is None:
        _measure(chosen_lab, options)
        return
    if options.conditions or options.sizes or options.out:
        raise UsageError(
            "--until-decided chooses conditions, sizes and records: do not give these options"
        )
    for line in repeat_until_decided(
        chosen_lab, options, until_decided, lambda more: _measure(chosen_lab, more)
    ):
        console.print(line, markup=False)


def _measure(chosen_lab: Lab, options: Options) -> None:
    """Make one run and show it."""
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
    for reason in invalid.reasons("trial", record.trials):
        console.print(f"not valid, {reason}", style="yellow", markup=False)
    close(record, path, record.skipped if chosen_lab.spec.machine else ())


Measured = Callable[[Options], object]
"""Makes a run and keeps its record."""


def repeat_until_decided(lab: Lab, options: Options, budget: float, measure: Measured) -> list[str]:
    """Make a run, then runs of what it leaves open, until nothing is or the budget is spent.

    `budget`: seconds beside the first run.  Spent on claims that it can decide: those that wait
    for another measure, or for more rounds than there is time for, take none of it.  Each run is
    a record of its own, so the next one's verdicts rest on it.  Returns what to say at the end, a
    line each.
    """
    began = time.monotonic()
    measure(options)
    whole, number = time.monotonic() - began, 1
    end = time.monotonic() + budget
    while True:
        records = runs.newest(lab.name)
        left = undecided(lab, records)
        worth = _worth(lab, left, records, whole, end - time.monotonic())
        if not worth:
            return _verdict(lab, left, number, budget)
        names, sizes = to_measure(lab, worth)
        searched = options.search and any(claim.searched for claim in worth)
        again = replace(
            options, conditions=names, sizes=sizes, search=searched, seed=None, out=None
        )
        measure(again)
        number += 1


def _worth(
    lab: Lab, left: list[Undecided], records: runs.Runs, whole: float, seconds: float
) -> list[Undecided]:
    """The claims that runs of this measure decide in so many seconds, if they say what these say.

    `whole`: how long a run of everything took.  A part of its conditions takes that part of it.
    """
    measure = records.packets[0].measure if records.packets else None
    worth = [claim for claim in left if measure and claim.decided_by(measure)]
    while worth:
        names, sizes = to_measure(lab, worth)
        part = len(names) * len(sizes) / (len(lab.conditions) * len(lab.spec.frame_sizes))
        affordable = seconds / (whole * min(1.0, part))
        enough = [
            claim for claim in worth if max(1, ceil((claim.times_more or 2) - 1)) <= affordable
        ]
        if len(enough) == len(worth):
            break
        worth = enough
    return worth


def _verdict(lab: Lab, left: list[Undecided], number: int, budget: float) -> list[str]:
    if not left:
        return [f"{plural(number, 'run')}: all claims that a run can decide are decided"]
    head = (
        f"{plural(number, 'run')} of {lab.name}, {budget:g} s after the first: "
        f"{plural(len(left), 'claim')} still open"
    )
    return [head, *(f"  {claim.claim}: {claim.reason}" for claim in left)]
