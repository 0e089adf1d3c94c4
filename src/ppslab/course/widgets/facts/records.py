"""Facts of the records: the figures of every recorded run, and what was published beside them."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from ppslab import results
from ppslab.analysis import costs
from ppslab.base import documents
from ppslab.course.models import record_rows
from ppslab.lab import lab as labs
from ppslab.lab import published
from ppslab.presentation import record_tables
from ppslab.results import Record

FIRST = "fastpath"
"""The lab whose run of `ppslab run` is shown first."""

DIGITS = 5
"""Of a number; the files have them all."""

WHAT = {
    "ppslab/record/2": "time per packet",
    "ppslab/rfc2544/2": "RFC 2544",
    "ppslab/tcp/2": "TCP",
    "ppslab/profile/2": "profile",
    "ppslab/faults/2": "broken instrument",
    "ppslab/soak/1": "soak",
}


def facts() -> dict[str, Any]:
    """`records` and `first` for the control, and `runs`.

    A run: id, lab, schema, title, provenance, figures.

    A figure as record_rows has it, but for the medians of `ppslab run`: their intervals are the
    bootstrap's, as on every page.  The rows of its figure "published" have two values more: what
    was published, and [dearer condition, cheaper one, frame size].
    """
    every = [path for kind, name in _kinds() for path in results.stored(name, kind)]
    return _made(tuple((path, path.stat().st_mtime_ns) for path in every))


def _kinds() -> list[tuple[Any, str]]:
    """Each kind of record with each lab that may have one; the tester's own stands for a lab."""
    readable = [each.name for each in labs.tried().readable]
    pairs = [(kind, lab) for kind in results.KINDS.values() for lab in readable]
    return [*pairs, (results.CalibrationRecord, "ppstraffic")]


def _newest() -> list[Path]:
    """The newest record of each."""
    return [
        path
        for kind, name in _kinds()
        if (
            path := results.newest_path(name)
            if kind is Record
            else results.newest_path_of(kind, name)
        )
    ]


@lru_cache(maxsize=2)
def _made(_files: tuple[tuple[Path, int], ...]) -> dict[str, Any]:
    """The facts, as long as the records are these."""
    runs = [run for path in _newest() if (run := _run(path))["figures"]]
    order = {schema: place for place, schema in enumerate(WHAT)}
    runs.sort(key=lambda run: (order.get(run["schema"], len(order)), run["title"]))
    return {
        "records": [[run["id"], run["title"]] for run in runs],
        "first": next((run["id"] for run in runs if run["lab"] == FIRST), ""),
        "runs": runs,
    }


def _run(path: Path) -> dict[str, Any]:
    plain = documents.load_json(path).data
    schema, lab = plain["schema"], plain.get("lab", "")
    figures = record_rows.figures_of(plain)
    if schema == results.SCHEMA:
        record = results.load(path)
        _bootstrapped(figures, record)
        rows = _published(record)
        if rows:
            title = next(title for name, title, _ in record_rows.TITLES if name == "published")
            figures.append({"id": "published", "title": title, "unit": "times", "rows": rows})
    what = WHAT.get(schema, "the tester alone")
    return {
        "id": path.stem,
        "lab": lab,
        "schema": schema,
        "title": f"{plain.get('title', 'Calibration')}: {what}, {plain['started'][:10]}",
        "provenance": record_rows.provenance_of(plain),
        "figures": [
            {**figure, "rows": [_short(row) for row in figure["rows"]]} for figure in figures
        ],
    }


def _short(row: list[Any]) -> list[Any]:
    return [float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value for value in row]


def _bootstrapped(figures: list[Any], record: Record) -> None:
    """The intervals that every page shows, in place of the sign test's."""
    intervals = {}
    for size in record.frame_sizes:
        for condition in record.conditions:
            label = f"{condition.name}, {size} bytes"
            try:
                intervals["time", label] = costs.cost(record, condition.name, size)
                intervals["ratio", label] = costs.ratio(
                    record, condition.name, record.reference, size
                )
            except costs.NoDataError:
                continue
    for figure in figures:
        for row in figure["rows"]:
            interval = intervals.get((figure["id"], row[0]))
            if interval is not None:
                row[1:4] = [interval.estimate, *interval.finite]


def _published(record: Record) -> list[Any]:
    """Every published pair of numbers beside the measured ratio."""
    lab = labs.find(record.lab)
    rows = []
    for pair in record_tables.beside(lab, published.load(lab), record):
        ends: list[Any] = [None, None, None]
        if pair.measured is not None:
            ends = [pair.measured.estimate, *pair.measured.finite]
        label = f"{pair.condition} against {pair.base}, {pair.size} bytes, {pair.hardware}"
        # The widget draws one number: of a range the lower end, and says so.
        note = "" if pair.published.exact else f"published: {pair.published_text}"
        number = pair.published.ends[0]
        rows.append([label, *ends, note, number, [pair.condition, pair.base, pair.size]])
    return rows
