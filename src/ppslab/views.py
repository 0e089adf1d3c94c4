"""What a record, the published numbers and the claims look like as tables.

The notebook, the pages and their figures show these and compute nothing of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

from ppslab import analysis, claims
from ppslab.claims import Judged
from ppslab.claims.verdicts import ratio_of_costs
from ppslab.claims.words import RATIOS
from ppslab.lab import Lab
from ppslab.published import Published
from ppslab.results import Record, Search
from ppslab.statistics import Interval
from ppslab.tables import NOTHING, Cell, Table, cells
from ppslab.units import human_rate


def nanoseconds(interval: Interval) -> str:
    """`213 [205, 222] ns`: a time per packet, to three digits."""
    each = (float(f"{v:.3g}") for v in (interval.estimate, interval.low, interval.high))
    estimate, low, high = (f"{value:g}" for value in each)
    return f"{estimate} [{low}, {high}] ns"


def cost_text(record: Record, condition: str, size: int) -> str:
    """The router's time per packet, or a dash where no trial was valid."""
    try:
        return nanoseconds(analysis.cost(record, condition, size))
    except analysis.NoDataError:
        return NOTHING


def ratio_text(record: Record, numerator: str, denominator: str, size: int) -> str:
    """How many times as long a packet takes, or a dash where no trial was valid."""
    try:
        return str(analysis.ratio(record, numerator, denominator, size))
    except analysis.NoDataError:
        return NOTHING


def costs(record: Record) -> Table:
    """The router's time per packet by condition and frame size, and its ratio to the reference."""
    smallest = min(record.frame_sizes)
    rows = [
        (
            Cell(condition.name),
            Cell(ratio_text(record, condition.name, record.reference, smallest)),
            *(Cell(cost_text(record, condition.name, size)) for size in record.frame_sizes),
        )
        for condition in record.conditions
    ]
    notes = [null_line(record, smallest), baseline_line(record, smallest)]
    notes += [f"Not measured: {s.condition}: {s.reason}." for s in record.skipped]
    return Table(
        title=f"Router time per packet, median and 95 % interval ({record.profile['name']})",
        header=(
            "condition",
            f"times {record.reference}, {smallest} bytes",
            *(f"{size} bytes" for size in record.frame_sizes),
        ),
        rows=tuple(rows),
        notes=tuple(notes),
        provenance=f"{record.provenance()}; clock: {CLOCKS[record.clock]}",
    )


CLOCKS = {"cpu": "the sender's CPU time", "wall": "wall time"}


def null_line(record: Record, size: int) -> str:
    """How much the reference condition differs from itself: what is noise in this run."""
    try:
        null = analysis.null_interval(record, size)
    except analysis.NoDataError:
        return f"The reference condition {record.reference} was not measured against itself."
    return (
        f"{record.reference} against itself (A/A) at {size} bytes: {null}; "
        "a ratio nearer to 1 than that is noise."
    )


BASELINES = {
    "cable": "with its ports cabled to each other",
    "drop": "while the router drops every frame as it comes in",
    "none": "which is no part of the time from one forwarded packet to the next",
}


def baseline_line(record: Record, size: int) -> str:
    """What of the tester's own time was subtracted."""
    how = BASELINES[record.baseline]
    if record.baseline == "none":
        return (
            "The router is a device of its own: a packet's time is 1 over the rate at which it "
            "forwards what the tester sends as fast as it can, and nothing is subtracted."
        )
    try:
        own = analysis.tester_cost(record, size, record.baseline)
    except analysis.NoDataError:
        return f"The tester alone, {how}, was not measured: there is nothing to subtract."
    return f"Subtracted: what the tester takes {how}, {nanoseconds(own)} at {size} bytes."


def throughputs(record: Record) -> Table:
    """What the searches found: packets per second by tolerated loss ratio."""
    ratios = sorted({goal.loss_ratio for search in record.searches for goal in search.goals})
    rows = [
        (
            Cell(search.condition),
            Cell(f"{search.frame_size}"),
            *(Cell(_goal_text(search, ratio)) for ratio in ratios),
        )
        for search in record.searches
    ]
    notes = ["A rate within 10 % of what the tester can is the tester's, not the router's."]
    for size in sorted({search.frame_size for search in record.searches}):
        limit = record.tester.limit(size)
        if limit:
            notes.append(f"The tester alone at {size} bytes: {human_rate(limit)}.")
    failed = {search.failed_because for search in record.searches if search.failed_because}
    notes += [f"{reason[:1].upper()}{reason[1:]}." for reason in sorted(failed)]
    return Table(
        title=f"Throughput by tolerated loss ({record.profile['name']})",
        header=("condition", "bytes", *(f"{ratio * 100:g} % loss" for ratio in ratios)),
        rows=tuple(rows),
        notes=tuple(notes),
        provenance=record.provenance(),
    )


def _goal_text(search: Search, ratio: float) -> str:
    goal = next((g for g in search.goals if g.loss_ratio == ratio), None)
    if goal is None or goal.throughput is None:
        return NOTHING
    limited = " (tester-limited)" if goal.tester_limited else ""
    return human_rate(goal.throughput) + limited


@dataclass(frozen=True)
class Beside:
    """A published ratio of rates beside the measured ratio of the router's times per packet.

    Both say how many times as dear a packet is under `condition` as under `base`.  `at_least`:
    the published rate of `base` stands at what the ports can carry, so the ratio is a lower bound.
    """

    source: str
    hardware: str
    size: int
    condition: str
    base: str
    published: float
    at_least: bool
    measured: Interval | None

    @property
    def published_text(self) -> str:
        """The published ratio, with `at least` where it is a bound."""
        return f"{'at least ' if self.at_least else ''}{self.published:.3g}"


def beside(lab: Lab, numbers: Mapping[str, Published], record: Record | None) -> list[Beside]:
    """Every pair of published numbers that a claim compares, beside what was measured."""
    found = []
    for claim in claims.load(lab):
        word = claim.judge.word
        rows = [numbers[name] for name in claim.published]
        if not isinstance(word, claims.Costs) or not 1 <= len(rows) <= 2:
            continue
        if len(rows) == 1 and not isinstance(word, RATIOS):
            continue
        measured = None
        if record is not None:
            try:
                measured = analysis.ratio(record, word.numerator, word.denominator, word.size)
            except analysis.NoDataError:
                measured = None
        found.append(
            Beside(
                source=claim.source,
                hardware=rows[0].hardware,
                size=word.size,
                condition=word.numerator,
                base=word.denominator,
                published=ratio_of_costs(rows),
                at_least=isinstance(word, claims.AtLeast),
                measured=measured,
            )
        )
    return found


def beside_table(found: Iterable[Beside], provenance: str) -> Table:
    """Published ratios beside measured ones."""
    return Table(
        title="How many times as dear a packet is: published and measured",
        header=("condition", "against", "bytes", "hardware", "published", "measured"),
        rows=tuple(
            cells(
                pair.condition,
                pair.base,
                str(pair.size),
                pair.hardware,
                pair.published_text,
                str(pair.measured) if pair.measured else NOTHING,
            )
            for pair in found
        ),
        notes=(
            "Published: a ratio of packets per second, the whole router.",
            "Measured: a ratio of router time per packet, the tester's own time subtracted.",
        ),
        provenance=provenance,
    )


def published_table(numbers: Mapping[str, Published], source: str | None = None) -> Table:
    """The published numbers as the sources print them; all of them, or those of one source."""
    rows = [row for row in numbers.values() if source in (None, row.source)]
    header = ("row", "source", "hardware", "mode", "bytes", "quantity", "printed", "where")
    shown = [
        (
            Cell(row.id, target=f"published-{row.id}"),
            *cells(
                row.source,
                row.hardware,
                row.mode,
                str(row.frame_size) if row.frame_size else "",
                row.quantity.replace("_", " "),
                row.shown,
                row.where,
            ),
        )
        for row in rows
    ]
    documents = dict.fromkeys(f"{row.source}: {row.document}." for row in rows)
    versions = dict.fromkeys(f"{row.hardware}, version: {row.version}." for row in rows)
    # In a table of one source that column would say the same in every row.
    kept = [i for i, name in enumerate(header) if not (source and name == "source")]
    return Table(
        title="Published numbers" + (f": {source}" if source else ""),
        header=tuple(header[i] for i in kept),
        rows=tuple(tuple(row[i] for i in kept) for row in shown),
        notes=(*documents, *versions),
    )


def claims_table(
    judged: Iterable[Judged], provenance: str, rows_of: Mapping[str, tuple[str, ...]] | None = None
) -> Table:
    """Claims: published, measured, verdict, reason.

    `rows_of` gives for each claim the ids of its rows in published.csv, which the page links to.
    """
    rows_of = rows_of or {}
    return Table(
        title="Claims and verdicts",
        header=("claim", "statement", "published", "measured", "verdict", "reason"),
        rows=tuple(
            (
                Cell(each.id, target=f"claim-{each.lab}-{each.id}"),
                Cell(each.statement),
                Cell(
                    each.published,
                    links=tuple(f"published-{row}" for row in rows_of.get(each.id, ())),
                ),
                Cell(each.measured_text),
                Cell(each.verdict, kind=f"verdict verdict-{each.verdict.split()[0]}"),
                Cell(each.reason),
            )
            for each in judged
        ),
        provenance=provenance,
        asides=frozenset({"statement", "reason"}),
    )


def verdict_counts(judged: Iterable[Judged]) -> Table:
    """How many claims got which verdict."""
    counted = dict.fromkeys(
        (claims.REPRODUCED, claims.CONTRADICTED, claims.INCONCLUSIVE, claims.NOT_TESTABLE), 0
    )
    for each in judged:
        counted[each.verdict] += 1
    return Table(
        title="Verdicts",
        header=("verdict", "claims"),
        rows=tuple(
            (Cell(verdict, kind=f"verdict verdict-{verdict.split()[0]}"), Cell(str(count)))
            for verdict, count in counted.items()
        ),
    )


HOLDS = "holds"
UNDECIDED = "undecided"
BROKEN = "broken"


@dataclass(frozen=True)
class Step:
    """One step of a published order: `dearer` should cost the router more than `cheaper`."""

    cheaper: str
    dearer: str
    ratio: Interval | None
    noise: float

    @property
    def says(self) -> str:
        """Holds or broken only where the whole interval and the noise of the run allow it."""
        if self.ratio is None or not self.ratio.excludes(1.0):
            return UNDECIDED
        if abs(self.ratio.estimate - 1) <= self.noise:
            return UNDECIDED
        return HOLDS if self.ratio.estimate > 1 else BROKEN


def order_steps(record: Record, conditions: Iterable[str], size: int) -> list[Step]:
    """The steps of an order of conditions, cheapest first, as this record shows them."""
    try:
        noise = analysis.noise(record, size)
    except analysis.NoDataError:
        noise = 0.0
    steps = []
    for cheaper, dearer in pairwise(conditions):
        try:
            found = analysis.ratio(record, dearer, cheaper, size)
        except analysis.NoDataError:
            found = None
        steps.append(Step(cheaper, dearer, found, noise))
    return steps


def orders(lab: Lab, record: Record) -> Table:
    """Every order of conditions that a source claims, step by step."""
    words = [claim.judge.order for claim in claims.load(lab)]
    chains = dict.fromkeys((word.conditions, word.size) for word in words if word)
    rows: dict[tuple[str, int], tuple[Cell, ...]] = {}
    notes = []
    for conditions, size in chains:
        steps = order_steps(record, conditions, size)
        for step in steps:
            shown = str(step.ratio) if step.ratio else NOTHING
            pair = f"{step.cheaper} < {step.dearer}"
            rows[pair, size] = cells(pair, str(size), shown, step.says)
        said = {step.says for step in steps}
        whole = BROKEN if BROKEN in said else UNDECIDED if UNDECIDED in said else HOLDS
        notes.append(f"{' < '.join(conditions)}: order {whole}")
    return Table(
        title="The published order of the conditions, by router time per packet",
        header=("step", "bytes", "times as dear", "order"),
        rows=tuple(rows.values()),
        notes=tuple(notes),
        provenance=record.provenance(),
    )
