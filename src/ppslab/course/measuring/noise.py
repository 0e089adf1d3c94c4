"""The noise floor: the same condition against itself, and how far its speed drifted meanwhile."""

from __future__ import annotations

from ppslab.core.text.display import TextBlock
from ppslab.core.text.quantities import Quantity
from ppslab.core.text.tables import Table, cells
from ppslab.judge import costs
from ppslab.model import results

DRIFT = "slowest round over fastest"


def noise(lab: str = "fastpath") -> Table | TextBlock:
    """The A/A ratio of the newest run, by frame size, beside the drift over its rounds."""
    record = results.newest(lab)
    if record is None:
        return TextBlock("No run yet.", [f"Measure: ppslab run {lab}"])
    rows = []
    for size in record.frame_sizes:
        try:
            paired = costs.a_a_interval(record, size)
            times = list(costs.raw_costs(record, record.reference, size).values())
        except costs.NoDataError:
            continue
        drift = max(times) / min(times) if times else 1.0
        rows.append(cells(str(size), record.reference, Quantity.of(paired), f"{drift:.2f}"))
    return Table(
        "The reference against itself",
        ("frame, bytes", "condition", "A/A ratio, paired within rounds", DRIFT),
        tuple(rows),
        notes=(f"{DRIFT.capitalize()}: of the whole trial, sender and receiver included.",),
        provenance=record.provenance(),
        titles=record.titles,
        asides=frozenset({DRIFT}),
    )
