"""A comparison as data: one JSON object, or CSV."""

from __future__ import annotations

import csv as _csv
import io
import json as _json
from typing import Any

from ppslab.presentation.report.comparing.comparison import CHANCE, Compared, Comparison, Side

SCHEMA = "ppslab/comparison/1"


def _plain(comparison: Comparison, row: Compared) -> dict[str, Any]:
    ratio = row.ratio
    low, high = ratio.finite if ratio else (None, None)
    return {
        "subject": row.subject,
        "quantity": row.quantity,
        "a": str(row.a),
        "b": str(row.b),
        "scale": row.scale,
        "unit": row.unit,
        "estimate": ratio.estimate if ratio else None,
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
    out = io.StringIO()
    writer = _csv.DictWriter(out, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


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
