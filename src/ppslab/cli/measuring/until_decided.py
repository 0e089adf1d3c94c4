"""`ppslab run --until-decided`: more runs of what is undecided, within a budget of time."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from math import ceil

from ppslab.core.text.numbers import plural
from ppslab.judge.claims import runs
from ppslab.judge.claims.undecided import Undecided, to_measure, undecided
from ppslab.measure.run import Options
from ppslab.model.lab.lab import Lab

Measured = Callable[[Options], object]
"""Makes a run and keeps its record."""


def go_on(lab: Lab, options: Options, budget: float, measure: Measured) -> list[str]:
    """Make a run, then runs of what it leaves open, until nothing is or the budget is spent.

    `budget`: seconds beside the first run.  Spent on claims that it can decide: those that wait
    for another measure, or for more rounds than there is time for, take none of it.  Each run is
    a record of its own, so the next one's verdicts rest on it.  Returns what to say at the end, a
    line each.
    """
    began = time.monotonic()
    measure(options)
    whole, made = time.monotonic() - began, 1
    end = time.monotonic() + budget
    while True:
        found = runs.newest(lab.name)
        left = undecided(lab, found)
        worth = _worth(lab, left, found, whole, end - time.monotonic())
        if not worth:
            return _said(lab, left, made, budget)
        names, sizes = to_measure(lab, worth)
        searched = options.search and any(each.searched for each in worth)
        again = replace(
            options, conditions=names, sizes=sizes, search=searched, seed=None, out=None
        )
        measure(again)
        made += 1


def _worth(
    lab: Lab, left: list[Undecided], found: runs.Runs, whole: float, seconds: float
) -> list[Undecided]:
    """The claims that runs of this measure decide in so many seconds, if they say what these say.

    `whole`: how long a run of everything took.  A part of its conditions takes that part of it.
    """
    measure = found.packets[0].measure if found.packets else None
    worth = [each for each in left if measure and each.decided_by(measure)]
    while worth:
        names, sizes = to_measure(lab, worth)
        part = len(names) * len(sizes) / (len(lab.conditions) * len(lab.spec.frame_sizes))
        affordable = seconds / (whole * min(1.0, part))
        enough = [each for each in worth if max(1, ceil((each.times_more or 2) - 1)) <= affordable]
        if len(enough) == len(worth):
            break
        worth = enough
    return worth


def _said(lab: Lab, left: list[Undecided], made: int, budget: float) -> list[str]:
    if not left:
        return [f"{plural(made, 'run')}: every claim that a run can decide is decided"]
    head = (
        f"{plural(made, 'run')} of {lab.name}, {budget:g} s after the first, leave "
        f"{plural(len(left), 'claim')} open"
    )
    return [head, *(f"  {each.claim}: {each.reason}" for each in left)]
