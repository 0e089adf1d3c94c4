"""The instrument, broken on purpose: the newest run through the faults, and its tables."""

from __future__ import annotations

from ppslab.core.errors import FileError
from ppslab.core.text.tables import Cell, Table, cells
from ppslab.model import results
from ppslab.model.results.kinds import FaultFound, FaultsRecord
from ppslab.model.results.shapes import CountsShape, DelayKey, DelayWord

SHOWN: tuple[tuple[DelayWord, str], ...] = (
    ("p50", "p50"),
    ("p99", "p99"),
    ("p999", "p99.9"),
    ("max", "longest"),
)
KINDS: tuple[tuple[DelayKey, str], ...] = (
    ("delay_ns", "the intended send time"),
    ("delay_actual_ns", "the actual send time"),
)
SEES = 0.25
"""A statistic that sees a pause shows at least this share of it as the longest delay."""


def newest(lab: str) -> FaultsRecord | None:
    """Return the newest run through all faults; of some of them where none is whole."""
    partial: FaultsRecord | None = None
    for path in results.stored(lab, FaultsRecord):
        try:
            record = results.load_as(path, FaultsRecord)
        except FileError:
            continue  # of an earlier ppslab; `ppslab validate results/` says what is wrong with it
        if record.lab != lab or record.state != "completed":
            continue
        if record.is_whole():
            return record
        partial = partial or record
    return partial


def fault_table(record: FaultsRecord) -> Table:
    """Each fault: what was done, what one would have believed, what the instrument said."""

    def outcome(fault: FaultFound) -> Cell:
        return Cell(fault.outcome, kind=f"outcome-{fault.outcome.replace(' ', '-')}")

    return Table.of(
        "The instrument, broken on purpose",
        record.faults,
        {
            "fault": lambda fault: fault.title,
            "what was done": lambda fault: fault.broken,
            "wrong conclusion": lambda fault: fault.believed,
            "report of ppslab": lambda fault: "; ".join(fault.said) or "nothing",
            "outcome": outcome,
        },
        *(f"Not tried: {each.condition}: {each.reason}." for each in record.skipped),
        provenance=record.provenance(),
        asides=frozenset({"report of ppslab"}),
    )


def pause_counts(record: FaultsRecord) -> tuple[CountsShape, CountsShape] | None:
    """The counts of one load, with the tester at work and with it stopped for a moment.

    None where the late tester was not tried.
    """
    fault = record.fault("late-tester")
    if fault is None:
        return None
    trials = {trial.number: trial for trial in record.trials}
    healthy, broken = trials[fault.healthy[-1]].counts, trials[fault.trials[-1]].counts
    return (healthy, broken) if healthy and broken else None


def pause_table(record: FaultsRecord) -> Table | None:
    """The delays of one load, with the tester at work and with it stopped, as `pause_counts`."""
    counts_of_both = pause_counts(record)
    if counts_of_both is None:
        return None
    healthy, broken = counts_of_both
    pause = broken["max_lateness_ns"]
    rows = []
    for counts, called in ((healthy, "tester at work"), (broken, "tester stopped for a moment")):
        for key, since in KINDS:
            delays = [counts[key][share] for share, _ in SHOWN]
            seen = pause is not None and (delays[-1] or 0.0) >= SEES * pause
            sees = "-" if counts is healthy else "yes" if seen else "no"
            shown = ("-" if delay is None else f"{delay / 1e6:.3g} ms" for delay in delays)
            rows.append(cells(called, since, *shown, sees))
    titles = tuple(texts for _, texts in SHOWN)
    return Table(
        title="Delay of the same frames, counted from two times",
        header=("trial", "counted from", *titles, "sees the pause"),
        rows=tuple(rows),
        provenance=record.provenance(),
        asides=frozenset(titles),
    )
