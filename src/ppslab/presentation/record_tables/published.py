"""The published numbers, and those that a claim compares beside what was measured."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ppslab.analysis import claims
from ppslab.analysis import costs as analysis
from ppslab.analysis.claims.verdicts import ratio_of_costs
from ppslab.base.provenance import Provenance
from ppslab.base.text.quantities import quantity
from ppslab.base.text.tables import Cell, Table, cells
from ppslab.lab.lab import Lab
from ppslab.lab.published import Published
from ppslab.lab.published_value import Value
from ppslab.results import Record
from ppslab.theory.statistics import Interval


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
            try:
                measured = analysis.ratio(record, word.numerator, word.denominator, word.size)
            except analysis.NoDataError:
                measured = None
        pairs.append(
            Beside(
                source=claim.source,
                hardware=rows[0].hardware,
                size=word.size,
                condition=word.numerator,
                base=word.denominator,
                published=ratio,
                measured=measured,
            )
        )
    return pairs


def beside_table(lab: Lab, pairs: Iterable[Beside], provenance: Provenance | None) -> Table:
    """Published ratios beside measured ones."""
    return Table(
        title="How many times as much a packet costs: published and measured",
        header=("condition", "against", "bytes", "hardware", "published", "measured"),
        rows=tuple(
            cells(
                pair.condition,
                pair.base,
                str(pair.size),
                pair.hardware,
                pair.published_text,
                quantity(pair.measured),
            )
            for pair in pairs
        ),
        notes=(
            "Published: a ratio of packets per second, the whole router.",
            "Measured: a ratio of router time per packet, the tester's own time subtracted.",
        ),
        provenance=provenance,
        titles=lab.titles,
    )


def published_table(numbers: Mapping[str, Published], source: str | None = None) -> Table:
    """The published numbers as the sources print them; all of them, or those of one source."""
    rows = [row for row in numbers.values() if source in (None, row.source)]
    documents = list(dict.fromkeys(row.document for row in rows))
    header = ("hardware", "source", "mode", "bytes", "quantity", "printed", "where")
    shown = [
        (
            Cell(row.hardware, target=f"published-{row.id}"),
            *cells(
                str(documents.index(row.document) + 1),
                row.mode,
                str(row.frame_size) if row.frame_size else "",
                row.quantity.replace("_", " "),
                row.shown,
                row.where,
            ),
        )
        for row in rows
    ]
    versions = dict.fromkeys(
        f"{row.hardware}, version: {row.version}." for row in rows if row.version
    )
    several = [f"Source {place}: {each}." for place, each in enumerate(documents, start=1)]
    # In a table of one source that column would be the same in every row.
    kept = [i for i, name in enumerate(header) if len(several) > 1 or name != "source"]
    return Table(
        title="Published numbers" + (f": {documents[0]}" if len(documents) == 1 else ""),
        header=tuple(header[i] for i in kept),
        rows=tuple(tuple(row[i] for i in kept) for row in shown),
        notes=(*(several if len(several) > 1 else ()), *versions),
    )
