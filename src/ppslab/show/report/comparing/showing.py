"""A comparison as tables for a terminal."""

from __future__ import annotations

from ppslab.core.text.quantities import quantity
from ppslab.core.text.tables import Table, cells
from ppslab.show.report import parts
from ppslab.show.report.comparing.comparison import Comparison, Side


def judged(comparison: Comparison) -> Table:
    """The rows that are judged: both sides, their ratio, the verdict."""
    return Table.of(
        "",
        [row for row in comparison.rows if row.judged],
        {
            "what": lambda row: f"{row.subject}: {row.quantity}",
            "A": lambda row: row.a,
            "B": lambda row: row.b,
            "B over A": lambda row: quantity(row.ratio, row.unit),
            "says": comparison.verdict,
        },
    )


def differing(comparison: Comparison) -> Table:
    """The facts of the two sides that differ, such as kernel or configuration."""
    a, b = (_facts(side) for side in (comparison.a, comparison.b))
    rows = [(name, a.get(name, "-"), b.get(name, "-")) for name in dict.fromkeys((*a, *b))]
    return Table("", ("differs", "A", "B"), tuple(cells(*row) for row in rows if row[1] != row[2]))


def _facts(side: Side) -> dict[str, str]:
    record = side.source.record
    return {
        "profile": record.profile["name"],
        **dict(parts.facts(record)),
        **{
            f"configuration of {each.name}": parts.digest(each.configuration)
            for each in record.conditions
            if side.condition in (None, each.name)
        },
    }


def named(comparison: Comparison) -> tuple[str, ...]:
    """A line each on the records A and B."""
    return tuple(
        f"{letter}: {side.source.record.id}" + (f", {side.condition}" if side.condition else "")
        for letter, side in (("A", comparison.a), ("B", comparison.b))
    )
