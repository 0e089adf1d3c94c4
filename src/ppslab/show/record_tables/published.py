"""Tables of what sources published: numbers, orders, claims, MikroTik's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ppslab.core.provenance import INTERVAL_OF_CLAIMS, Provenance
from ppslab.core.text.numbers import plural
from ppslab.core.text.quantities import (
    NOTHING,
    Content,
    Named,
    Outcome,
    Quantity,
    Sentence,
    joined,
    quantity,
)
from ppslab.core.text.tables import Cell, Table, cells
from ppslab.judge import claims, costs
from ppslab.judge.claims import CANNOT_TELL, NO_VERDICT, NOT_TESTABLE, Judged, Verdict
from ppslab.judge.claims.vendor import Results
from ppslab.judge.claims.verdicts import INTERVALS, ratio_of_costs
from ppslab.model.lab.lab import Lab
from ppslab.model.lab.published import Published, Value
from ppslab.model.results import Record
from ppslab.model.statistics import Interval


@dataclass(frozen=True)
class Beside:
    """A published ratio of rates beside the measured ratio of the router's times per packet.

    Both say how many times as much a packet costs under `condition` as under `base`.
    `published` is a lower bound where the rate of `base` is all that the ports can carry.
    """

    source: str
    hardware: str
    size: int
    condition: str
    base: str
    published: Value
    measured: Interval | None

    @property
    def published_text(self) -> str:
        """The published ratio, with `at least` or `at most` where it is a bound."""
        bound = "at least " if self.published.at_least else ""
        bound = "at most " if self.published.at_most else bound
        return bound + " to ".join(f"{end:.3g}" for end in self.published.ends)


def beside(lab: Lab, numbers: Mapping[str, Published], record: Record | None) -> list[Beside]:
    """Every pair of published numbers that a claim compares, beside what was measured."""
    pairs = []
    for claim in claims.load(lab):
        word = claim.judge.word
        rows = [numbers[name] for name in claim.published]
        if isinstance(word, claims.Ratio) and rows:
            ratio = word.published_ratio(rows)
        elif isinstance(word, claims.LittleChange) and len(rows) == 2:
            ratio = ratio_of_costs(rows)
        else:
            continue
        measured = None
        if record is not None:
            measured = costs.or_none(
                costs.ratio, record, word.numerator, word.denominator, word.size
            )
        pairs.append(
            Beside(claim.source, rows[0].hardware, word.size, word.numerator, word.denominator,
                   ratio, measured)
        )  # fmt: skip
    return pairs


def beside_table(lab: Lab, pairs: Iterable[Beside], provenance: Provenance | None) -> Table:
    return Table.of(
        "Relative cost of a packet: published and measured",
        pairs,
        {
            "condition": lambda pair: lab.named(pair.condition),
            "relative to": lambda pair: lab.named(pair.base),
            "bytes": lambda pair: str(pair.size),
            "hardware": lambda pair: pair.hardware,
            "published": lambda pair: pair.published_text,
            "measured": lambda pair: quantity(pair.measured),
        },
        "Published: ratio of packets per second of the whole router.",
        "Measured: ratio of router time per packet, without the tester's own time.",
        provenance=provenance,
    )


def published_table(numbers: Mapping[str, Published], source: str | None = None) -> Table:
    """The published numbers as the sources print them; all of them, or those of one source."""
    rows = [row for row in numbers.values() if source in (None, row.source)]
    documents = list(dict.fromkeys(row.document for row in rows))
    one = len(documents) == 1
    columns: dict[Content, Callable[[Published], Content | Cell]] = {
        "hardware": lambda row: Cell(row.hardware, target=f"published-{row.id}"),
        "source": lambda row: str(documents.index(row.document) + 1),
        "mode": lambda row: row.mode,
        "bytes": lambda row: str(row.frame_size) if row.frame_size else "",
        "quantity": lambda row: row.quantity.replace("_", " "),
        "printed": lambda row: row.shown,
        "where": lambda row: row.where,
    }
    if len(documents) < 2:
        del columns["source"]  # the same in every row
    several = [f"Source {place}: {each}." for place, each in enumerate(documents, start=1)]
    versions = dict.fromkeys(
        f"{row.hardware}, version: {row.version}." for row in rows if row.version
    )
    title = "Published numbers" + (f": {documents[0]}" if one else "")
    return Table.of(title, rows, columns, *(several if len(documents) > 1 else ()), *versions)


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
    null = costs.or_none(costs.a_a_interval, record, size)
    noise = null.noise if null else 0.0
    return [
        Step(cheaper, dearer, costs.or_none(costs.ratio, record, dearer, cheaper, size), noise)
        for cheaper, dearer in pairwise(conditions)
    ]


def orders(lab: Lab, record: Record) -> Table:
    """Every order of conditions that a source claims, step by step."""
    words = [claim.judge.order for claim in claims.load(lab)]
    chains = dict.fromkeys((word.conditions, word.size) for word in words if word)
    rows: dict[tuple[Sentence, int], tuple[Cell, ...]] = {}
    notes: list[Content] = []
    for conditions, size in chains:
        steps = order_steps(record, conditions, size)
        for step in steps:
            pair = _chain(record, (step.cheaper, step.dearer))
            rows[pair, size] = cells(pair, str(size), quantity(step.ratio), _outcome(step.says))
        if len(steps) == 1:
            continue  # its row is the whole order
        verdicts = {step.says for step in steps}
        whole = BROKEN if BROKEN in verdicts else UNDECIDED if UNDECIDED in verdicts else HOLDS
        notes.append(Sentence((*_chain(record, conditions).parts, ": order ", _outcome(whole))))
    return Table(
        title="The published order of the conditions, by router time per packet",
        header=("step", "bytes", "ratio", "order"),
        rows=tuple(rows.values()),
        notes=tuple(notes),
        provenance=record.provenance(),
    )


def _chain(record: Record, conditions: Iterable[str]) -> Sentence:
    return joined(" < ", map(record.named, conditions))


def _outcome(word: str) -> Outcome:
    return Outcome(word, decided=word != UNDECIDED)


def claims_table(
    judged: Sequence[Judged],
    provenance: Provenance | None,
    rows_of: Mapping[str, tuple[str, ...]] | None = None,
    *,
    conditions: Mapping[str, str],
) -> Table:
    """Claims: published, measured, verdict, evidence, reason; for readers the statement of each.

    `rows_of` gives for each claim the ids of its rows in published.csv, which the page links to;
    `conditions` the titles of the conditions that the reasons name.
    """
    rows_of = rows_of or {}
    # A reason may name another claim.
    titles = {**conditions, **{each.id: each.statement for each in judged}}

    def links(claim: Judged) -> tuple[str, ...]:
        return tuple(f"published-{row}" for row in rows_of.get(claim.id, ()))

    def verdict(claim: Judged) -> Cell:
        kind = f"verdict verdict-{claim.verdict.replace(' ', '-')}"
        return Cell(_shown(claim.verdict), kind=kind)

    return Table.of(
        "Claims and verdicts",
        judged,
        {
            "claim": lambda c: Cell(Named(c.id, c.statement), target=f"claim-{c.lab}-{c.id}"),
            "published": lambda c: Cell(c.published, links=links(c)),
            "measured": lambda c: Cell(c.quantity, under=c.interval_kind),
            "verdict": verdict,
            "evidence": lambda c: c.evidence or "-",
            "reason": lambda c: c.why(titles),
        },
        *((INTERVALS,) if any(each.interval for each in judged) else ()),
        provenance=provenance,
        asides=frozenset({"reason"}),
        ends=INTERVAL_OF_CLAIMS,
    )


def _shown(verdict: Verdict) -> Outcome | str:
    """No other run decides what cannot be tested here, or is built in: these are plain words."""
    plain = verdict in (NOT_TESTABLE, NO_VERDICT)
    return verdict if plain else Outcome(verdict, verdict != CANNOT_TELL)


PAIRS = (
    ("routing-25-ip-filter-rules", "routing-fast-path"),
    ("routing-25-simple-queues", "routing-fast-path"),
    ("routing-25-ip-filter-rules", "routing-25-simple-queues"),
    ("bridging-25-bridge-filter-rules", "bridging-fast-path"),
)
"""Pairs that MikroTik's tables compare: the dearer condition, and the cheaper one."""

SIZES = (64, 512, 1518)


def vendor_ratios(lab: Lab, results: Results, records: Sequence[Record]) -> Table:
    """Table of ratios of costs: MikroTik's tables, and the stand-in's measures."""
    rows = []
    for above, below in PAIRS:
        by_vendor = [results.ratio((above, size), (below, size)) for size in SIZES]
        ours = [
            quantity(costs.or_none(costs.ratio, each, above, below, min(each.frame_sizes)))
            for each in records
        ]
        what = f"{lab.titles[above]}, relative to {lab.titles[below]}"
        rows.append(cells(what, *(Quantity.of(r) if r else NOTHING for r in by_vendor), *ours))
    return Table(
        title="MikroTik's own tables and the stand-in",
        header=(
            "a packet costs",
            *(f"RouterOS, {size} bytes" for size in SIZES),
            *(f"Linux, {record.measure}, 64 bytes" for record in records),
        ),
        rows=tuple(rows),
        notes=(
            f"RouterOS: median, least and greatest of MikroTik's {_how_many(results)}. "
            "Each ratio is from one router's table. RouterOS 6, 0.1 % loss."
            + (" Linux: 95 % confidence interval." if records else ""),
            *_copies(results),
            "At 512 and 1518 bytes the ports or buses limit the fast path, "
            "so these ratios are lower bounds.",
            *(
                f"{', '.join(name for source, name in results.routers if source == one)}: "
                f"{document}."
                for one, document in results.documents.items()
            ),
        ),
    )


def _how_many(results: Results) -> str:
    """`4 measurements at 64 bytes, 5 at 512 bytes`: of each size that MikroTik measured."""
    counts = [
        (size, len({table[:2] for table in results.rates if table[3] == size})) for size in SIZES
    ]
    (size, first), *rest = [(size, count) for size, count in counts if count]
    shown = [f"{plural(first, 'measurement')} at {size} bytes"]
    return ", ".join([*shown, *(f"{count} at {size} bytes" for size, count in rest)])


def _copies(results: Results) -> list[str]:
    """A sentence for each router whose table prints another one's measurements."""
    return [
        f"At {size} bytes, the table of the {router} prints the measurements of the {original}, "
        "which count once."
        for (router, size), original in results.copies.items()
    ]


def vendor_rates(lab: Lab, results: Results) -> Table:
    """MikroTik's tables themselves, thousands of packets a second by router and frame size."""
    rows = []
    sources = list(results.documents)
    for source, router in results.routers:
        for condition in dict.fromkeys(row.condition for row in results.rows):
            rates = [results.printed.get((source, router, condition, size)) for size in SIZES]
            shown = (f"{rate / 1000:.1f}" if rate else NOTHING for rate in rates)
            number = str(sources.index(source) + 1)
            rows.append(cells(router, number, lab.titles[condition], *shown))
    return Table(
        title="MikroTik's published test results, thousands of packets per second",
        header=("router", "source", "configuration", *(f"{size} bytes" for size in SIZES)),
        rows=tuple(rows),
        notes=tuple(
            f"Source {place}: {document}."
            for place, document in enumerate(results.documents.values(), start=1)
        )
        + tuple(_copies(results)),
    )


def vendor_sentence(results: Results, titles: Mapping[str, str]) -> str:
    """One sentence for a table of counted costs; empty where MikroTik has no such ratio."""
    ratio = results.ratio((PAIRS[0][0], 64), (PAIRS[0][1], 64))
    if ratio is None:
        return ""
    return (
        f"On RouterOS the steps are larger: in {ratio.count} measurements by MikroTik, "
        f"a 64-byte packet costs {ratio.low:.1f} to {ratio.high:.1f} times as much with "
        f"“{titles[PAIRS[0][0]]}” as with “{titles[PAIRS[0][1]]}”."
    )
