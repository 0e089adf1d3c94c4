"""What a condition's counters grew by, as a share of the frames that the tester offered."""

from __future__ import annotations

from ppslab.core.text.quantities import quantity
from ppslab.core.text.tables import Table, cells
from ppslab.model.results import Record, Trial
from ppslab.model.statistics import Interval, median_interval


def shares(record: Record, condition: str, size: int) -> dict[str, Interval]:
    """Each counter's growth over the frames offered, median over the cost trials of a size."""
    trials = [
        trial
        for trial in _counted(record)
        if (trial.condition, trial.frame_size) == (condition, size)
    ]
    names = dict.fromkeys(name for trial in trials for name in trial.counters)
    return {
        name: median_interval(
            [
                trial.counters[name] / trial.counts["offered"]
                for trial in trials
                if trial.counts and name in trial.counters
            ],
            seed=record.seed,
        )
        for name in names
    }


def counters_table(record: Record) -> Table:
    """Every counter of every condition, at each frame size."""
    rows = []
    for condition in record.conditions:
        by_size = {size: shares(record, condition.name, size) for size in record.frame_sizes}
        names = dict.fromkeys(name for each in by_size.values() for name in each)
        rows += [
            cells(
                condition.name,
                name,
                *(quantity(by_size[s].get(name)) for s in record.frame_sizes),
            )
            for name in names
        ]
    return Table(
        title="Counters, for each frame that the tester offered, median and 95 % interval",
        header=("condition", "counter", *(f"{size} bytes" for size in record.frame_sizes)),
        rows=tuple(rows),
        provenance=record.provenance(),
        titles=record.titles,
    )


def _counted(record: Record) -> list[Trial]:
    return [
        trial
        for trial in record.trials
        if trial.valid and trial.purpose == "cost" and trial.counters and trial.counts
    ]
