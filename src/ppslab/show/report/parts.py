"""The tables, figures and sentences of a report, and what each kind of record has of them.

First what every run has, then a kind's summary and tests, and at the end `KINDS`.  Titles, order
and prose are in `record.html.j2` and `method.html.j2`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from ppslab.core import measures
from ppslab.core.errors import UsageError
from ppslab.core.provenance import UNKNOWN
from ppslab.core.text.grouping import count_text
from ppslab.core.text.numbers import percent_text, plural
from ppslab.core.text.quantities import NOTHING
from ppslab.core.text.tables import Table, cells
from ppslab.core.units import human_rate
from ppslab.core.version import VERSION
from ppslab.judge import balance
from ppslab.judge.port_limits import Stream, stream_of, stream_text
from ppslab.model.lab import lab as labs
from ppslab.model.results import (
    Latency,
    Record,
    Run,
    SuiteRecord,
    TcpRecord,
    Transfer,
    Trial,
)
from ppslab.show import invalid, record_tables
from ppslab.show.figures import Figure, gains_figure, links_figure
from ppslab.show.figures.rfc2544 import latency_figure, loss_figure, throughput_figure
from ppslab.show.record_tables import rfc2544 as tables
from ppslab.show.record_tables.tcp import direction_tables, goodput_table
from ppslab.show.report.sources import Source

Block = str | tuple[str, ...] | Table | Figure
"""A part of a report: a paragraph, a list of sentences, a table or a figure."""

Tests = dict[str, Sequence[Block]]
"""The blocks of each test, by its title."""

ISOLATED = (
    "RFC 2544's methods are for an isolated test environment: their loads and addresses do not "
    "belong on a network with other traffic, and their results do not describe a service on such "
    "a network (RFC 6815)."
)
"""A warning of every report whose record has none of RFC 6815."""


def notices(sources: Sequence[Source]) -> list[tuple[str, tuple[str, ...]]]:
    """Return the boxes that a reader must not overlook, each with a title and its sentences."""
    boxes: dict[tuple[str, tuple[str, ...]], None] = {}
    for record in (source.record for source in sources):
        warnings: tuple[str, ...] = getattr(record, "warnings", ())
        if not any("6815" in warning for warning in warnings):
            warnings = (ISOLATED, *warnings)
        if record.state != "completed":
            aborted = "The numbers below were measured before the abort; they are not a result."
            boxes["This run was aborted", (aborted,)] = None
        boxes["Warning", warnings] = None
    return list(boxes)


def covered(sources: Sequence[Source]) -> Table:
    """Return the records of a report, a row each."""
    return Table.of(
        "What this report covers",
        sources,
        {
            "record": lambda source: source.record.id,
            "measured": lambda source: f"{source.record.started:%Y-%m-%d %H:%M} UTC",
            "router": lambda source: source.record.router["name"],
            "backend": _backend,
            "kernel": lambda source: source.record.environment.get("kernel", UNKNOWN),
            "profile": lambda source: source.record.profile["name"],
            "state": lambda source: source.record.state,
        },
        f"Written by ppslab {VERSION} from these records and nothing else.",
    )


def _backend(source: Source) -> str:
    emulation = source.record.environment.get("emulation") or "none"
    return source.record.backend + (f" ({emulation})" if emulation != "none" else "")


def _recorded(title: str, facts: Iterable[tuple[str, str]], *notes: str) -> Table:
    return Table(title, ("what", "as recorded"), tuple(cells(*fact) for fact in facts), notes)


def environment(record: Run) -> Table:
    """Return what the record holds about router, tester and machine."""
    return _recorded("The test bed", facts(record))


def facts(record: Run) -> list[tuple[str, str]]:
    """The facts of the run, each a name and a text."""
    tester = record.tester
    rows: list[tuple[str, str]] = [
        ("router", record.router["name"]),
        ("what it cannot show", record.router.get("cannot_show", "")),
        ("tester", f"{tester.name} {tester.version}".strip()),
        *(
            (f"the tester alone, {size} bytes", human_rate(limit))
            for size in sorted({*tester.back_to_back, *tester.into_the_router})
            if (limit := tester.limit(size)) is not None
        ),
        ("backend", record.backend),
        *_flat(record.environment),
        *(
            (f"CPU of the {who}", "shared" if cpu is None else str(cpu))
            for who, cpu in record.cpus.items()
        ),
        ("ppslab", " ".join(part for part in record.ppslab.values() if part)),
    ]
    return [(name, text) for name, text in rows if text]


def digest(files: Mapping[str, str]) -> str:
    """Twelve digits that differ where the files or their names differ."""
    text = "\0".join(f"{name}\0{files[name]}" for name in sorted(files))
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _flat(words: Mapping[str, Any], above: str = "") -> list[tuple[str, str]]:
    """Nested mappings as rows: `programs: nft`."""
    rows: list[tuple[str, str]] = []
    for key, value in words.items():
        name = f"{above}{key}".replace("_", " ")
        if isinstance(value, Mapping):
            rows += _flat(value, f"{name}: ")
        elif isinstance(value, list | tuple):
            rows.append((name, ", ".join(str(each) for each in value)))
        elif isinstance(value, bool):
            rows.append((name, "yes" if value else "no"))
        elif value is not None:
            rows.append((name, str(value)))
    return rows


def trials(record: Run) -> Sequence[Block]:
    """Return the trials by purpose, how many are valid, and the reasons of the others.

    Of a TCP run, its transfers.
    """
    if isinstance(record, TcpRecord):
        return _validity("transfer", record.transfers)
    by_purpose: dict[str, list[Trial]] = {}
    for trial in record.trials:
        by_purpose.setdefault(trial.purpose, []).append(trial)
    rows = tuple(
        cells(
            purpose,
            str(len(mine)),
            str(sum(trial.valid for trial in mine)),
            f"{sum(trial.intended_duration for trial in mine):.1f} s",
            count_text(sum(trial.counts["offered"] for trial in mine if trial.counts)),
        )
        for purpose, mine in by_purpose.items()
    )
    header = ("for", "trials", "valid", "traffic", "frames offered")
    return [Table("Trials by purpose", header, rows), *_validity("trial", record.trials)]


def _validity(noun: str, measured: Sequence[Trial | Transfer]) -> list[Block]:
    """The number of invalid trials, and their reasons."""
    number = plural(len(measured), noun)
    spoiled = sum(not one.valid for one in measured)
    if not spoiled:
        return [f"All {number} were valid."]
    share = percent_text(spoiled / len(measured))
    return [f"{spoiled} of {number} ({share}) were not valid:", invalid.reasons(noun, measured)]


def raw(source: Source) -> Table:
    """Return the origin of the numbers, to the byte."""
    record = source.record
    measured = record.transfers if isinstance(record, TcpRecord) else record.trials
    took = (record.finished - record.started).total_seconds()
    facts = {
        "record": record.id,
        "file": source.file,
        "SHA-256 of the file": source.sha256,
        "schema": source.schema,
        "started": f"{record.started:%Y-%m-%d %H:%M:%S} UTC",
        "finished": f"{record.finished:%Y-%m-%d %H:%M:%S} UTC ({took:.0f} s)",
        "trials": str(len(measured)),
    }
    note = (
        "The record contains all trials with the tester's own counts, all configurations and "
        "all read-backs; this report contains no other data."
    )
    return _recorded("The record", facts.items(), note)


def cost_tests(record: Record) -> Tests:
    """Return the figure of the costs, and the results of the searches."""
    a_a_lines = (str(record_tables.a_a_line(record, size)) for size in record.frame_sizes)
    lab = labs.find(record.lab) if record.lab in labs.names() else None
    figure = gains_figure(record, lab)
    tests: Tests = {measures.cost_title(record.measure): [figure, *a_a_lines]}
    if record.searches:
        tests["Throughput"] = [record_tables.throughputs(record)]
    return tests


def suite_summary(record: SuiteRecord) -> Sequence[Block]:
    """Return the table that most readers want: throughput with the least loss, by frame size."""
    searched = {(r.condition, stream_of(r), r.frame_size): r for r in record.throughput}
    if not searched:
        return ["No throughput was searched."]
    goals = [goal for result in record.throughput for goal in result.goals]
    ratio = min((goal.loss_ratio for goal in goals), default=0.0)
    sizes = sorted({result.frame_size for result in record.throughput})

    def rate(condition: str, stream: Stream, size: int) -> str:
        result = searched.get((condition, stream, size))
        goal = result.goal(ratio) if result else None
        if goal is None or goal.conditional_throughput is None:
            return NOTHING
        bound = "at least " if goal.tester_limited else ""
        return bound + human_rate(goal.conditional_throughput)

    limited = any(goal.tester_limited for goal in goals)
    table = Table(
        title=f"Throughput with {tables.tolerated(ratio)}",
        header=("condition", "streams", *(f"{size} bytes" for size in sizes)),
        rows=tuple(
            cells(
                record.named(condition),
                stream_text(stream),
                *(rate(condition, stream, size) for size in sizes),
            )
            for condition, stream in dict.fromkeys((c, stream) for c, stream, _ in searched)
        ),
        notes=("At least: the tester could not send more.",) if limited else (),
    )
    return [table]


def suite_tests(record: SuiteRecord) -> Tests:
    """Return the figures and tables of each test that the run holds results of."""
    tests: Tests = {}
    for field, test in tables.TESTS.items():
        blocks: list[Block] = [*_throughput_figures(record)] if field == "throughput" else []
        for condition in dict.fromkeys(result.condition for result in getattr(record, field)):
            if field in BEFORE:
                blocks += BEFORE[field](record, condition)
            blocks += [table(record, condition) for table in test.tables]
        if blocks:
            tests[test.title] = blocks
    return tests


def _throughput_figures(record: SuiteRecord) -> list[Figure]:
    """One for each stream type: with no loss where it was searched, else with the least.

    A line through two frame sizes shows no more than the table: such streams have no figure,
    but for the first where all of them are such.
    """
    drawn = []
    for stream in dict.fromkeys(map(stream_of, record.throughput)):
        results = [result for result in record.throughput if stream_of(result) == stream]
        ratios = [goal.loss_ratio for result in results for goal in result.goals]
        if ratios:
            sizes = len({result.frame_size for result in results})
            drawn.append((sizes, throughput_figure(record, stream, min(ratios))))
    return [figure for sizes, figure in drawn if sizes > 2] or [f for _, f in drawn[:1]]


def _latency_figures(record: SuiteRecord, condition: str) -> Iterable[Block]:
    """A figure of the smallest frame size of each stream type."""
    mine = tables.sorted_of(record.latency, condition)
    smallest: dict[Stream, list[Latency]] = {}
    for (stream, _), loads in groupby(mine, key=lambda r: (stream_of(r), r.frame_size)):
        smallest.setdefault(stream, list(loads))
    return [
        latency_figure(record, loads)
        for loads in smallest.values()
        if any(load.from_intended.count for load in loads)
    ]


def _loss_figures(record: SuiteRecord, condition: str) -> Iterable[Block]:
    mine = tables.sorted_of(record.frame_loss, condition)
    return [
        loss_figure(record, condition, stream) for stream in dict.fromkeys(map(stream_of, mine))
    ]


BEFORE: Mapping[str, Callable[[SuiteRecord, str], Iterable[Block]]] = {
    "latency": _latency_figures,
    "frame_loss": _loss_figures,
    "reset": lambda record, name: filter(None, [tables.reset_sentences(record, name)]),
}
"""The blocks before a condition's tables, by the field that has the results of the test."""


def tcp_tests(record: TcpRecord) -> Tests:
    """Return a table a direction; and where the router has a bond, how it used its ports."""
    tests: Tests = {"TCP": direction_tables(record)}
    table = balance.table(record)
    if table.rows:
        tests[str(table.title)] = [links_figure(record), table]
    return tests


@dataclass(frozen=True)
class Kind:
    """The parts of a report that depend on the kind of the record.

    `method`: a macro of `method.html.j2`.  Each function takes a record of that kind.
    """

    name: str
    method: str
    summary: Callable[[Any], Sequence[Block]]
    tests: Callable[[Any], Tests]


KINDS: dict[type[Any], Kind] = {
    Record: Kind("time per packet", "cost", lambda r: [record_tables.costs(r)], cost_tests),
    TcpRecord: Kind("TCP", "tcp", lambda r: [goodput_table(r)], tcp_tests),
    SuiteRecord: Kind("RFC 2544 suite", "suite", suite_summary, suite_tests),
}


def kind_of(source: Source) -> Kind:
    """The kind of a record; UsageError where it has no report."""
    kind = KINDS.get(type(source.record))
    if kind is None:
        raise UsageError(f"{source.path}: a record of {source.schema} has no report")
    return kind
