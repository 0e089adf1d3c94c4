"""Which CPUs carried the packets of a run, by the counters that are named after CPUs."""

from __future__ import annotations

import re
from statistics import median

from ppslab.core.text.quantities import NOTHING, Quantity
from ppslab.core.text.tables import Table, cells
from ppslab.model.results import Record, Trial

CARRIES = 0.1
"""A CPU with a smaller share than this of a trial's packets does not count as one that carries."""


def shared(trial: Trial) -> list[float]:
    """Each CPU's share of the packets that all of them counted, CPU 0 first; [] without any."""
    names = sorted(
        (name for name in trial.counters if re.fullmatch(r"cpu\d+", name)),
        key=lambda name: int(name.removeprefix("cpu")),
    )
    counts = [trial.counters[name] for name in names]
    return [count / sum(counts) for count in counts] if sum(counts) else []


def table(record: Record) -> Table:
    """For each condition every CPU's share, the busiest one's, and how many CPUs carry."""
    by_condition = {
        condition.name: [
            shares
            for trial in record.trials
            if trial.valid and trial.purpose == "cost" and trial.condition == condition.name
            if (shares := shared(trial))
        ]
        for condition in record.conditions
    }
    width = max((len(shares) for each in by_condition.values() for shares in each), default=0)
    rows = []
    for name, trials in by_condition.items():
        if not trials:
            continue
        each = [_per_cent([shares[cpu] for shares in trials]) for cpu in range(len(trials[0]))]
        carrying = sorted({sum(share >= CARRIES for share in shares) for shares in trials})
        rows.append(
            cells(
                name,
                " or ".join(map(str, carrying)),
                _per_cent([max(shares) for shares in trials]),
                *each,
                *[NOTHING] * (width - len(each)),
            )
        )
    return Table(
        title="Which CPU carried the packets",
        header=("condition", "CPUs that carry", "the busiest", *(f"CPU {n}" for n in range(width))),
        rows=tuple(rows),
        notes=(
            "Median of the trials. A CPU carries if it has a tenth or more of a trial's packets. "
            "Which CPU gets a stream is drawn anew whenever a machine starts.",
        ),
        provenance=record.provenance(),
        titles=record.titles,
    )


def _per_cent(shares: list[float]) -> Quantity:
    return Quantity(round(100 * median(shares), 1), unit="%", digits=3)
