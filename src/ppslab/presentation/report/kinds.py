"""The kinds of record that have a report, and the parts of it that are their own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ppslab.base.errors import UsageError
from ppslab.presentation.report import common, cost, rows, soak, suite, tcp
from ppslab.presentation.report.document import Section
from ppslab.presentation.report.rows import Row
from ppslab.presentation.report.sources import Source
from ppslab.results import Record, Run, SoakRecord, SuiteRecord, TcpRecord


@dataclass(frozen=True)
class Kind:
    """The parts of a report that depend on the kind of the record.

    Each function takes a record of that kind.
    """

    name: str
    summary: Callable[[Any], Section]
    method: Callable[[Any], tuple[str, ...]]
    tests: Callable[[Any], tuple[Section, ...]]
    rows: Callable[[Any], Iterable[Row]]
    trials: Callable[[Any], Section] = common.trials


KINDS: dict[type[Any], Kind] = {
    Record: Kind("time per packet", cost.summary, cost.method, cost.tests, rows.of_record),
    TcpRecord: Kind("TCP", tcp.summary, tcp.method, tcp.tests, tcp.rows, tcp.trials),
    SuiteRecord: Kind("RFC 2544 suite", suite.summary, suite.method, suite.tests, rows.of_suite),
    SoakRecord: Kind("soak", soak.summary, soak.method, soak.tests, soak.rows, soak.trials),
}


def kind_of(source: Source) -> Kind:
    """The kind of a record; UsageError where it has no report."""
    kind = KINDS.get(type(source.record))
    if kind is None:
        raise UsageError(f"{source.path}: a record of {source.schema} has no report")
    return kind


def sections_of(source: Source) -> tuple[Section, ...]:
    """The whole report of one record."""
    record = source.record
    kind = kind_of(source)
    return (
        kind.summary(record),
        common.method(record, kind.method(record)),
        common.environment(record),
        *kind.tests(record),
        kind.trials(record),
        common.conditions(record),
        common.raw(source, _measured(record)),
    )


def rows_of(source: Source) -> Iterator[Row]:
    """The results of one record, a row each, with the facts of the run."""
    yield from rows.stamped(kind_of(source).rows(source.record), source)


def _measured(record: Run) -> int:
    """How many trials, transfers or legs a record has."""
    match record:
        case TcpRecord():
            return len(record.transfers)
        case SoakRecord():
            return len(record.legs)
        case _:
            return len(record.trials)
