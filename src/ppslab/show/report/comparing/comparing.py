"""`ppslab compare`: from its two arguments to rows, each with a verdict, and to tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ppslab.core.errors import UsageError, did_you_mean
from ppslab.core.text.numbers import plural
from ppslab.core.text.quantities import quantity
from ppslab.core.text.tables import Table, cells
from ppslab.model.results import Record, Run, SuiteRecord, TcpRecord
from ppslab.show.report import parts, sources
from ppslab.show.report.comparing import quantities
from ppslab.show.report.comparing.comparison import CHANCE, Compared, Comparison, Side


def compare(first: str, second: str) -> Comparison:
    """Compare two records, or conditions of them.

    Each is RECORD or RECORD:CONDITION, the record being a file or a name in results/.  UsageError
    for records of two kinds or two labs, for one record twice without two conditions, and for a
    condition that was not measured; FileError where a file is no record.
    """
    a, b = _side(first, "in A"), _side(second, "in B")
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
                "both names are the same record: compare two of its conditions as RECORD:CONDITION"
            )
        a = replace(a, where=f"with {a.condition}")
        b = replace(b, where=f"with {b.condition}")
    if not isinstance(one, Record | TcpRecord | SuiteRecord):
        raise UsageError(f"records of {a.source.schema} cannot be compared")
    rows = tuple(quantities.compared(a, b, same_run=same))
    if not rows:
        raise UsageError("the two records have no condition and frame size in common")
    notes = _method(rows, one, same_run=same)
    return Comparison(a, b, rows, notes if same else (*notes, quantities.drift_line(one, two)))


def _side(words: str, where: str) -> Side:
    """One side, as it was typed; a colon in the name of an existing file belongs to the name."""
    name, _, condition = words.rpartition(":")
    if not name or _is_file(words):
        name, condition = words, ""
    source = sources.load(name)
    if source.record.state != "completed":
        raise UsageError(f"{source.path}: this run was aborted; compare complete runs")
    known = [each.name for each in source.record.conditions]
    if condition and condition not in known:
        near = did_you_mean(condition, known)
        raise UsageError(f"{source.record.id} has no condition {condition!r}{near}")
    return Side(source, condition or None, where)


def _is_file(words: str) -> bool:
    try:
        sources.load(words)
    except UsageError:
        return False
    return True


def _method(rows: Sequence[Compared], record: Run, *, same_run: bool) -> tuple[str, ...]:
    sentences = [
        f"{plural(sum(row.judged for row in rows), 'row')} judged: each tests whether chance alone "
        f"would cause so large a difference, at a significance level of {CHANCE:g} for all rows "
        "together (Bonferroni)."
    ]
    if not same_run:
        sentences.append(
            "Two runs are not paired: each median is resampled on its own (bootstrap), and ranks "
            "decide (permutation test). Absolute rates and times of two runs drift with the "
            "machine; values relative to a reference of the same run do not."
        )
    elif isinstance(record, Record | TcpRecord):
        sentences.append(
            "Both sides come from one run and were measured alternately. Values are paired by "
            "round: sign test and bootstrap interval of the median ratio. A difference must be "
            "larger than the run's A/A interval."
        )
    else:
        sentences.append(
            "Both sides come from one run and were measured alternately, so drift affects both "
            "sides equally. Repeats are not paired: each median is resampled on its own "
            "(bootstrap), and ranks decide (permutation test)."
        )
    if any(row.bounds for row in rows):
        sentences.append(
            "A searched throughput is compared by the trials at the loads between the two results: "
            "passed on one side, failed on the other (Fisher's exact test). Its interval is that "
            "of the searches' bounds."
        )
    return tuple(sentences)


def judged(comparison: Comparison) -> Table:
    """The rows that are judged: both sides, their ratio, the verdict."""
    return Table.of(
        "",
        [row for row in comparison.rows if row.judged],
        {
            "what": lambda row: f"{row.subject}: {row.quantity}",
            "A": lambda row: row.a,
            "B": lambda row: row.b,
            "B over A": lambda row: quantity(row.ratio),
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
