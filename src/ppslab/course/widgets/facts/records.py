"""Facts of the records: the figures of every recorded run, and what was published beside them."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from ppslab.course.models import record_rows
from ppslab.model import results
from ppslab.model.lab import lab as labs
from ppslab.model.lab import published
from ppslab.model.results import Record
from ppslab.show import record_tables
from ppslab.show.report import rows

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

    A figure as record_rows has it.  The rows of its figure "published" have one value more: what
    was published.
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
    record = results.load_any(path)
    assert isinstance(record, results.Run | results.CalibrationRecord)
    figures = record_rows.figures_of([rows.plain(row) for row in rows.results_of(record)])
    if isinstance(record, Record):
        pairs = _published(record)
        if pairs:
            title = next(title for name, title, _ in record_rows.TITLES if name == "published")
            figures.append({"id": "published", "title": title, "unit": "times", "rows": pairs})
    schema = results.name_of(type(record))
    what = WHAT.get(schema, "the tester alone")
    title = record.title if isinstance(record, results.Run) else "Calibration"
    return {
        "id": path.stem,
        "lab": record.lab if isinstance(record, results.Run) else "",
        "schema": schema,
        "title": f"{title}: {what}, {record.started:%Y-%m-%d}",
        "provenance": record.provenance().data(),
        "figures": [
            {**figure, "rows": [_short(row) for row in figure["rows"]]} for figure in figures
        ],
    }


def _short(row: list[Any]) -> list[Any]:
    return [float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value for value in row]


def _published(record: Record) -> list[Any]:
    """Every published pair of numbers beside the measured ratio."""
    lab = labs.find(record.lab)
    pairs = []
    for pair in record_tables.beside(lab, published.load(lab), record):
        ends: list[Any] = [None, None, None]
        if pair.measured is not None:
            ends = [pair.measured.estimate, *pair.measured.finite]
        label = f"{pair.condition} against {pair.base}, {pair.size} bytes, {pair.hardware}"
        # The widget draws one number: of a range the lower end, and says so.
        note = "" if pair.published.exact else f"published: {pair.published_text}"
        number = pair.published.ends[0]
        pairs.append([label, *ends, note, number])
    return pairs
