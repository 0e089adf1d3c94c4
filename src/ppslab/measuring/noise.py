"""The noise floor: the same condition against itself, and how far its speed drifted meanwhile."""

from __future__ import annotations

from ppslab import analysis, results
from ppslab.shown import Words
from ppslab.tables import Table, cells

DRIFT = "slowest round over fastest"


def noise(lab: str = "fastpath") -> Table | Words:
    """The A/A ratio of the newest run, by frame size, beside the drift over its rounds."""
    record = results.newest(lab)
    if record is None:
        return Words("No run yet.", [f"Measure: ppslab run {lab}"])
    rows = []
    for size in record.frame_sizes:
        try:
            paired = str(analysis.null_interval(record, size))
            times = list(analysis.raw_costs(record, record.reference, size).values())
        except analysis.NoDataError:
            continue
        drift = max(times) / min(times) if times else 1.0
        rows.append(cells(str(size), record.reference, paired, f"{drift:.2f}"))
    return Table(
        "The reference against itself",
        ("frame, bytes", "condition", "A/A ratio, paired within rounds", DRIFT),
        tuple(rows),
        notes=(f"{DRIFT.capitalize()}: of the whole trial, sender and receiver included.",),
        provenance=record.provenance(),
        asides=frozenset({DRIFT}),
    )
