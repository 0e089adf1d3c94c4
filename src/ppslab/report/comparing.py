"""`ppslab compare`: two sides, from the words of the command to a document, rows and sentences."""

from __future__ import annotations

import csv as _csv
import io
import json as _json
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ppslab.errors import UsageError, did_you_mean
from ppslab.figures.ab import Mark, ab_figure
from ppslab.numbers import plural
from ppslab.report import common, comparing_costs, comparing_suites, comparing_tcp, sources
from ppslab.report.comparison import CHANCE, Compared, Comparison, Side
from ppslab.report.document import Block, Document, Items, Notice, Section
from ppslab.results import Record, SuiteRecord, TcpRecord
from ppslab.tables import Cell, Table, cells

SCHEMA = "ppslab/comparison/1"

MOST_MARKS = 24
"""Rows of one figure; a longer one is no figure but a wall."""

TITLES = {
    "relative": "Router time per packet, relative to the reference",
    "time": "Router time per packet",
    "throughput": "Throughput",
    "latency": "Latency",
    "tcp": "TCP goodput",
    "bursts": "Back-to-back frames",
    "recovery": "System recovery",
    "reset": "Reset",
}


def compare(first: str, second: str) -> Comparison:
    """Compare two records, or conditions of them.

    Each is RECORD or RECORD:CONDITION, the record being a file or a name in results/.  UsageError
    for records of two kinds or two labs, for one record twice without two conditions, and for a
    condition that was not measured; FileError where a file is no record.
    """
    a, b = _side(first, "A"), _side(second, "B")
    one, two = a.source.record, b.source.record
    if type(one) is not type(two):
        kinds = f"{a.source.schema} and {b.source.schema}"
        raise UsageError(f"two kinds of record cannot be compared: {kinds}")
    if one.lab != two.lab:
        raise UsageError(f"two labs cannot be compared: {one.lab} and {two.lab}")
    same = a.source.sha256 == b.source.sha256
    if same:
        if not a.condition or not b.condition or a.condition == b.condition:
            raise UsageError(
                "both are the same record: name two of its conditions, RECORD:CONDITION"
            )
        a, b = (
            replace(side, label=str(side.condition), where=f"with {side.condition}")
            for side in (a, b)
        )
    rows, drift = _compared(a, b, same=same)
    found = Comparison(a, b, tuple(rows), ())
    if not found.rows:
        raise UsageError("the two have no condition and frame size in common")
    return replace(found, notes=(*_how(found), *(() if same else (drift,))))


def _compared(a: Side, b: Side, *, same: bool) -> tuple[Iterable[Compared], str]:
    """The rows of the kind of record, and the sentence on what drifted between the runs."""
    one, two = a.source.record, b.source.record
    names = str(a.condition), str(b.condition)
    if isinstance(one, Record) and isinstance(two, Record):
        drift = comparing_costs.drift_line(one, two)
        if same:
            return comparing_costs.within(one, *names), drift
        return comparing_costs.across(a, b, one, two), drift
    if isinstance(one, TcpRecord) and isinstance(two, TcpRecord):
        if same:
            return comparing_tcp.within(one, *names), ""
        return comparing_tcp.across(a, b, one, two), comparing_tcp.ABSOLUTE
    if isinstance(one, SuiteRecord) and isinstance(two, SuiteRecord):
        drift = comparing_suites.drift_line(one, two)
        return comparing_suites.compared(a, b, one, two), drift
    raise UsageError(f"records of {a.source.schema} cannot be compared")


def _side(words: str, label: str) -> Side:
    """A side by its words; a colon in the name of a file that exists is the file's own."""
    name, _, condition = words.rpartition(":")
    if not name or _is_file(words):
        name, condition = words, ""
    source = sources.load(name)
    if source.record.state != "completed":
        raise UsageError(f"{source.path}: this run was aborted; compare whole ones")
    known = [each.name for each in source.record.conditions]
    if condition and condition not in known:
        near = did_you_mean(condition, known)
        raise UsageError(f"{source.record.id} has no condition {condition!r}{near}")
    return Side(source, condition or None, label, f"in {label}")


def _is_file(words: str) -> bool:
    try:
        sources.load(words)
    except UsageError:
        return False
    return True


def _how(found: Comparison) -> tuple[str, ...]:
    said = [
        f"{plural(found.questions, 'row')} judged: each asks whether chance alone would make so "
        f"large a difference, at {CHANCE:g} shared out over all rows (Bonferroni).",
    ]
    if not found.same_run:
        said.append(
            "Nothing is paired between two runs: medians are resampled each by itself (bootstrap), "
            "and ranks decide (permutation test). Absolute rates and times of two runs drift with "
            "the machine; what is relative to a reference of the same run does not."
        )
    elif isinstance(found.a.source.record, Record | TcpRecord):
        said.append(
            "Both sides are of one run and were measured in turns. Values are paired by round: "
            "sign test, bootstrap interval of the median ratio, and the run's A/A interval as the "
            "least that counts."
        )
    else:
        said.append(
            "Both sides are of one run and were measured in turns, so nothing drifted between "
            "them. Repeats are not paired: medians are resampled each by itself (bootstrap), and "
            "ranks decide (permutation test)."
        )
    if any(row.bounds for row in found.rows):
        said.append(
            "A searched throughput is compared by the trials at the loads between the two results: "
            "passed on one side, failed on the other (Fisher's exact test). Its interval is that "
            "of the searches' bounds."
        )
    return tuple(said)


def table(found: Comparison) -> Table:
    """Every row: both sides, their ratio, what is no difference, the verdict."""
    return Table(
        title=f"{found.b.label} against {found.a.label}",
        header=("what", "quantity", found.a.label, found.b.label,
                f"{found.b.label} over {found.a.label}", "no difference", "says"),
        rows=tuple(_cells(found, row) for row in found.rows),
        notes=found.notes,
    )  # fmt: skip


def _cells(found: Comparison, row: Compared) -> tuple[Cell, ...]:
    real = row.real(found.questions)
    ratio = "-"
    if row.ratio is not None:
        ratio = f"{row.ratio}{f' {row.unit}' if row.unit else ''}"
    return (
        *cells(row.subject, row.quantity, row.a, row.b, ratio),
        Cell(str(row.band) if row.judged and row.scale == "ratio" else "-"),
        Cell(found.verdict(row), kind="real" if real else ""),
    )


def runs(found: Comparison) -> Table:
    """What made the two sides, word by word, and where they differ."""
    sides = [dict(common.facts(side.source.record)) for side in (found.a, found.b)]
    heads = [
        {
            "record": side.source.record.id,
            "condition": side.condition or "all",
            "measured": f"{side.source.record.started:%Y-%m-%d %H:%M} UTC",
            "profile": str(side.source.record.profile["name"]),
            "SHA-256 of the file": f"{side.source.sha256[:12]}...",
            **facts,
            **{
                f"configuration of {each.name}": common.digest(each.configuration)
                for each in side.source.record.conditions
                if side.condition in (None, each.name)
            },
        }
        for side, facts in zip((found.a, found.b), sides, strict=True)
    ]
    names = list(dict.fromkeys([*heads[0], *heads[1]]))
    return Table(
        title="The two sides",
        header=("what", found.a.label, found.b.label, "differs"),
        rows=tuple(
            (
                *cells(name, *(head.get(name, "-") for head in heads)),
                Cell("yes" if heads[0].get(name) != heads[1].get(name) else ""),
            )
            for name in names
        ),
        notes=("Files and configurations are shown by the beginning of their SHA-256.",),
    )


def figures(found: Comparison) -> list[Block]:
    """One for each kind of quantity that has ratios to draw."""
    shown: list[Block] = []
    sides = (found.a, found.b)
    for group, title in TITLES.items():
        marks = [
            Mark(
                _label(row, found),
                row.ratio,
                row.band.low,
                row.band.high,
                row.real(found.questions),
            )
            for row in found.rows
            if row.group == group and row.judged and row.ratio and row.scale == "ratio"
        ]
        # Where all do not fit, those that differ come first, then those that nearly do.
        marks = sorted(marks, key=lambda mark: not mark.real)[:MOST_MARKS]
        if marks:
            shown.append(
                ab_figure(
                    f"ab-{group}",
                    f"{title}: {found.b.label} over {found.a.label}",
                    marks,
                    (found.a.label, found.b.label),
                    "; ".join(dict.fromkeys(side.source.record.provenance() for side in sides)),
                )
            )
    return shown


def _label(row: Compared, found: Comparison) -> str:
    several = {r.quantity for r in found.rows if r.group == row.group and r.judged}
    return f"{row.subject}\n{row.quantity}" if len(several) > 1 else row.subject


def named(found: Comparison) -> tuple[str, ...]:
    """What A and B are, in a line each."""
    return tuple(
        f"{letter}: {side.source.record.id}" + (f", {side.condition}" if side.condition else "")
        for letter, side in (("A", found.a), ("B", found.b))
    )


def document(found: Comparison) -> Document:
    """The comparison as a report."""
    title = found.a.source.record.title
    notices = [block for side in (found.a, found.b) for block in common.notices(side.source)]
    warnings = dict.fromkeys(block for block in notices if isinstance(block, Notice))
    what = "two conditions compared" if found.same_run else "two runs compared"
    return Document(
        title=f"{title}: {what}",
        lead=(Items(named(found)), *warnings),
        sections=(
            Section("What differs", (Items(found.told()), *figures(found))),
            Section("Every quantity", (table(found),)),
            Section("What made the two sides", (runs(found),)),
        ),
    )


def _plain(found: Comparison, row: Compared) -> dict[str, Any]:
    ratio = row.ratio
    low, high = ratio.finite if ratio else (None, None)
    return {
        "subject": row.subject,
        "quantity": row.quantity,
        "a": row.a,
        "b": row.b,
        "scale": row.scale,
        "unit": row.unit,
        "estimate": ratio.estimate if ratio else None,
        "low": low,
        "high": high,
        "interval": "bounds" if row.bounds else "95 %",
        "no_difference_low": row.band.low if row.judged else None,
        "no_difference_high": row.band.high if row.judged else None,
        "p": row.p,
        "real": row.real(found.questions),
        "says": found.verdict(row),
    }


def csv(found: Comparison) -> str:
    """One row a quantity (RFC 4180, with a header); both records stand in every row."""
    records = {"record_a": found.a.source.record.id, "record_b": found.b.source.record.id}
    rows = [{**_plain(found, row), **records} for row in found.rows]
    out = io.StringIO()
    writer = _csv.DictWriter(out, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def json(found: Comparison) -> str:
    """The two sides, the sentences and every row, as one JSON object."""
    made = {
        "schema": SCHEMA,
        "a": _named(found.a),
        "b": _named(found.b),
        "chance": CHANCE,
        "questions": found.questions,
        "sentences": list(found.sentences()),
        "notes": list(found.notes),
        "rows": [_plain(found, row) for row in found.rows],
    }
    return _json.dumps(made, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _named(side: Side) -> dict[str, Any]:
    return {
        "record": side.source.record.id,
        "file": side.source.path.name,
        "sha256": side.source.sha256,
        "condition": side.condition,
        "label": side.label,
    }
