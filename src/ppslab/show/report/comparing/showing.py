"""A comparison shown: as a report, as one JSON object, as CSV."""

from __future__ import annotations

import json as _json
from typing import Any

from ppslab.core.text.quantities import quantity
from ppslab.core.text.tables import Cell, Table, cells
from ppslab.show import paper
from ppslab.show.report import page, parts
from ppslab.show.report.comparing.comparison import CHANCE, Compared, Comparison, Side
from ppslab.show.rows import as_csv


def table(comparison: Comparison) -> Table:
    """Every row: both sides, their ratio, the band of no difference, the verdict."""
    return Table(
        title=f"{comparison.b.label} against {comparison.a.label}",
        header=("what", "quantity", comparison.a.label, comparison.b.label,
                f"{comparison.b.label} over {comparison.a.label}", "no difference", "says"),
        rows=tuple(_cells(comparison, row) for row in comparison.rows),
        notes=comparison.notes,
    )  # fmt: skip


def _cells(comparison: Comparison, row: Compared) -> tuple[Cell, ...]:
    real = row.real(comparison.questions)
    return (
        *cells(row.subject, row.quantity, row.a, row.b, quantity(row.ratio, row.unit)),
        Cell(str(row.band) if row.judged and row.scale == "ratio" else "-"),
        Cell(comparison.verdict(row), kind="real" if real else ""),
    )


def judged_table(comparison: Comparison) -> Table:
    """The rows that are judged; for a terminal of eighty columns."""
    rows = []
    for row in comparison.rows:
        if row.judged:
            _, _, *sides, _, verdict = _cells(comparison, row)
            rows.append((Cell(f"{row.subject}: {row.quantity}"), *sides, verdict))
    return Table("", ("what", "A", "B", "B over A", "says"), tuple(rows))


def runs(comparison: Comparison) -> Table:
    """The facts of the two sides, and where they differ."""
    a, b = (_facts(side) for side in (comparison.a, comparison.b))
    rows = (
        cells(name, a.get(name, "-"), b.get(name, "-"), "yes" if a.get(name) != b.get(name) else "")
        for name in dict.fromkeys((*a, *b))
    )
    return Table(
        title="The two sides",
        header=("what", comparison.a.label, comparison.b.label, "differs"),
        rows=tuple(rows),
        notes=("Files and configurations are identified by the beginning of their SHA-256.",),
    )


def _facts(side: Side) -> dict[str, str]:
    record = side.source.record
    return {
        "record": record.id,
        "condition": side.condition or "all",
        "measured": f"{record.started:%Y-%m-%d %H:%M} UTC",
        "profile": record.profile["name"],
        "SHA-256 of the file": f"{side.source.sha256[:12]}...",
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


def html(comparison: Comparison, *, printed: bool = False) -> str:
    sides = comparison.a, comparison.b
    what = "two conditions compared" if comparison.same_run else "two runs compared"
    return page.html(
        "comparison",
        f"{comparison.a.source.record.title}: {what}",
        printed=printed,
        sides=named(comparison),
        notices=parts.notices([side.source for side in sides]),
        differences=comparison.conclusion(),
        every=table(comparison),
        runs=runs(comparison),
    )


def pdf(comparison: Comparison) -> bytes:
    """Return the page as PDF; CannotHereError where WeasyPrint or Pango is missing."""
    return paper.pdf(html(comparison, printed=True))


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


def csv(comparison: Comparison) -> str:
    """One row a quantity (RFC 4180, with a header); every row names both records."""
    records = {"record_a": comparison.a.source.record.id, "record_b": comparison.b.source.record.id}
    rows = [{**_plain(comparison, row), **records} for row in comparison.rows]
    return as_csv(rows[0], rows)


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
        "label": side.label,
    }
