"""A comparison shown: as tables for a terminal, as one JSON object."""

from __future__ import annotations

import json as _json
from typing import Any

from ppslab.core.text.quantities import quantity
from ppslab.core.text.tables import Table, cells
from ppslab.show.report import parts
from ppslab.show.report.comparing.comparison import CHANCE, Compared, Comparison, Side


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


SCHEMA = "ppslab/comparison/1"


def _plain(comparison: Comparison, row: Compared) -> dict[str, Any]:
    low, high = row.ratio.finite if row.ratio else (None, None)
    return {
        "subject": row.subject,
        "quantity": row.quantity,
        "a": str(row.a),
        "b": str(row.b),
        "scale": row.scale,
        "unit": row.unit,
        "estimate": row.ratio.estimate if row.ratio else None,
        "low": low,
        "high": high,
        "interval": "bounds" if row.bounds else "95 %",
        "no_difference_low": row.band.low if row.judged else None,
        "no_difference_high": row.band.high if row.judged else None,
        "p": row.p,
        "real": row.real(comparison.questions),
        "says": comparison.verdict(row),
    }


def json(comparison: Comparison) -> str:
    """The two sides, the sentences and every row, as one JSON object."""
    document = {
        "schema": SCHEMA,
        "a": _named(comparison.a),
        "b": _named(comparison.b),
        "chance": CHANCE,
        "questions": comparison.questions,
        "sentences": list(comparison.sentences()),
        "notes": list(comparison.notes),
        "rows": [_plain(comparison, row) for row in comparison.rows],
    }
    return _json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _named(side: Side) -> dict[str, Any]:
    return {
        "record": side.source.record.id,
        "file": side.source.path.name,
        "sha256": side.source.sha256,
        "condition": side.condition,
    }
