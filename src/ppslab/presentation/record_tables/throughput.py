"""The results of the throughput searches."""

from __future__ import annotations

from ppslab.base.text.quantities import NOTHING, PPS, Content, Quantity, Sentence
from ppslab.base.text.tables import Cell, Table
from ppslab.results import Record, Search

LIMITED = "A rate within 10 % of what the tester can is the tester's, not the router's."


def throughputs(record: Record) -> Table:
    """The results of the searches: packets per second by tolerated loss ratio."""
    ratios = sorted({goal.loss_ratio for search in record.searches for goal in search.goals})
    rows = [
        (
            Cell(search.condition),
            Cell(f"{search.frame_size}"),
            *(Cell(_rate(search, ratio)) for ratio in ratios),
        )
        for search in record.searches
    ]
    notes: list[Content] = [LIMITED]
    for size in sorted({search.frame_size for search in record.searches}):
        limit = record.tester.limit(size)
        if limit:
            words = f"The tester alone at {size} bytes: "
            notes.append(Sentence((words, Quantity(limit, unit=PPS), ".")))
    failed = {search.failed_because for search in record.searches if search.failed_because}
    notes += [f"{reason[:1].upper()}{reason[1:]}." for reason in sorted(failed)]
    return Table(
        title=f"Throughput by tolerated loss ({record.profile['name']})",
        header=("condition", "bytes", *(f"{ratio * 100:g} % loss" for ratio in ratios)),
        rows=tuple(rows),
        notes=tuple(notes),
        provenance=record.provenance(),
        titles=record.titles,
    )


def _rate(search: Search, ratio: float) -> Quantity | str:
    goal = next((g for g in search.goals if g.loss_ratio == ratio), None)
    if goal is None or goal.conditional_throughput is None:
        return NOTHING
    remark = "(tester-limited)" if goal.tester_limited else ""
    return Quantity(goal.conditional_throughput, unit=PPS, remark=remark)
