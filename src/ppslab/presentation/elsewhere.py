"""What others measured, beside what a lab counted or timed: its `elsewhere.yml` as a table."""

from __future__ import annotations

from ppslab.analysis import costs
from ppslab.analysis.claims import Runs
from ppslab.base import measures
from ppslab.base.measures import Measure
from ppslab.base.provenance import together
from ppslab.base.text.tables import NOTHING, Cell, Table
from ppslab.lab.elsewhere import Elsewhere, Ours, Result
from ppslab.lab.lab import Lab
from ppslab.results import Record
from ppslab.theory.statistics import Interval

MEASURES: tuple[Measure, ...] = ("counted", "timed")


def table(lab: Lab, elsewhere: Elsewhere, runs: Runs) -> Table:
    """A row for each result, with ours of the newest run by each measure beside it."""
    newest = [next(iter(runs.of_measure(measure)), None) for measure in MEASURES]
    rows = [
        (
            Cell(result.what, under=f"{_conditions(lab, result.ours)}. {result.differs}"),
            Cell(_theirs(result), under=result.where),
            *(Cell(_ours(result, record)) for record in newest),
        )
        for result in elsewhere.results
    ]
    notes = [
        f"Elsewhere: {source.title}; {source.machine}; {source.kernel}; read on {source.read}, "
        f"{source.url}."
        for source in elsewhere.sources.values()
    ]
    return Table(
        "Measured elsewhere, beside ours",
        ("what", "elsewhere", *(f"{measure} here" for measure in MEASURES)),
        tuple(rows),
        tuple(notes),
        together(record.provenance() for record in newest if record),
    )


def _conditions(lab: Lab, ours: Ours) -> str:
    names = [ours.condition, *([ours.reference] if ours.reference else [])]
    return "Here: " + " against ".join(lab.conditions[name].title for name in names)


def _theirs(result: Result) -> str:
    if result.instructions:
        return f"{result.value:.0f} {measures.UNITS['counted']}"
    return f"{result.value:.3g}"


def _ours(result: Result, record: Record | None) -> str:
    """The record's own figure with its interval; a dash where it has none of that kind."""
    if record is None or (result.instructions and record.measure != "counted"):
        return NOTHING
    size = min(record.frame_sizes)
    try:
        if result.ours.reference is None:
            cost = costs.cost(record, result.ours.condition, size)
            each = (f"{value:.0f}" for value in (cost.estimate, cost.low, cost.high))
            return "{} [{}, {}] instructions".format(*each)
        ratio = costs.ratio(record, result.ours.condition, result.ours.reference, size)
    except costs.NoDataError:
        return NOTHING
    if result.added:
        ratio = Interval(ratio.estimate - 1, ratio.low - 1, ratio.high - 1, ratio.count)
    return str(ratio)
