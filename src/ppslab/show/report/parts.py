"""The parts of a report: those that every run has, and those of each kind of record.

First what all have in common, then `ppslab run`, `rfc2544` and `tcp`, and at the end
`KINDS`, which names the parts of each.  `record.html.j2` puts them in order.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ppslab.core import measures
from ppslab.core.errors import UsageError
from ppslab.core.provenance_line import CLOCKS
from ppslab.core.text.grouping import count_text
from ppslab.core.text.numbers import percent_text, plural, seconds_text, time_text
from ppslab.core.text.tables import Table, cells
from ppslab.core.units import human_rate
from ppslab.judge import balance, goodput
from ppslab.judge.port_limits import Stream, stream_of, stream_text, theory_line
from ppslab.model.lab import lab as labs
from ppslab.model.results import (
    Latency,
    Record,
    Run,
    Subject,
    SuiteRecord,
    TcpRecord,
    Transfer,
    Trial,
)
from ppslab.show import record_tables
from ppslab.show.figures import Figure, gains_figure, links_figure
from ppslab.show.figures.rfc2544 import (
    goal_of,
    latency_figure,
    loss_figure,
    throughput_figure,
)
from ppslab.show.record_tables import rfc2544 as tables
from ppslab.show.record_tables.tcp import direction_table, goodput_table
from ppslab.show.report.sources import Source

Block = str | tuple[str, ...] | Table | Figure
"""A part of a report: a paragraph, a list of sentences, a table or a figure."""

Titled = tuple[str, Sequence[Block]]
Tests = dict[str, Sequence[Block]]
"""The blocks of each test, by its title."""

ISOLATED = (
    "RFC 2544's methods are for an isolated test environment: their loads and addresses do not "
    "belong on a network with other traffic, and their results do not describe a service on such "
    "a network (RFC 6815)."
)
"""Said in every report whose record does not say it."""


READ_BACK = "what the router said of itself before the first trial"


_DIGITS = re.compile(r"\d+(\.\d+)?")


def notices(record: Run) -> list[tuple[str, tuple[str, ...]]]:
    """Return the boxes that a reader must not overlook, each with a title and its sentences."""
    warnings: tuple[str, ...] = getattr(record, "warnings", ())
    if not any("6815" in warning for warning in warnings):
        warnings = (ISOLATED, *warnings)
    aborted = ("The numbers below were measured before the abort; they are not a result.",)
    first = [("This run was aborted", aborted)] if record.state != "completed" else []
    return [*first, ("Warning", warnings)]


def skipped(record: Run) -> tuple[str, ...]:
    """The conditions that were not measured, with the reasons."""
    return tuple(f"Not measured: {each.condition}: {each.reason}." for each in record.skipped)


def environment(record: Run) -> Table:
    """Return what the record holds about router, tester and machine."""
    rows = tuple(cells(name, text) for name, text in facts(record))
    return Table("The test bed", ("what", "as recorded"), rows)


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


def trials(record: Run) -> Titled:
    """Return the numbers of valid trials by purpose, and the reasons of the others."""
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
    table = Table("Trials by purpose", header, rows, notes=(_validity(record),))
    reasons = _reasons([why for trial in record.trials for why in trial.invalid_because])
    return "Trials", [table, *(("Reasons for invalid trials:", reasons) if reasons else ())]


def _reasons(sentences: list[str]) -> tuple[str, ...]:
    """Reasons that differ only in their numbers are merged, and one of them is shown."""
    kinds: dict[str, list[str]] = {}
    for reason in sentences:
        kinds.setdefault(_DIGITS.sub("", reason), []).append(reason)
    lines = []
    for reasons in sorted(kinds.values(), key=len, reverse=True):
        alike = len(set(reasons)) > 1
        lines.append(f"{plural(len(reasons), 'trial')}: {'such as ' if alike else ''}{reasons[0]}")
    return tuple(lines)


def _validity(record: Run) -> str:
    spoiled = sum(not trial.valid for trial in record.trials)
    if not spoiled:
        return f"All {plural(len(record.trials), 'trial')} were valid."
    share = percent_text(spoiled / len(record.trials))
    return f"{spoiled} of {plural(len(record.trials), 'trial')} ({share}) were not valid."


def raw(source: Source) -> Table:
    """Return the origin of the numbers, to the byte."""
    record = source.record
    match record:
        case TcpRecord():
            measured = len(record.transfers)
        case _:
            measured = len(record.trials)
    took = (record.finished - record.started).total_seconds()
    facts = {
        "record": record.id,
        "file": source.file,
        "SHA-256 of the file": source.sha256,
        "schema": source.schema,
        "started": f"{record.started:%Y-%m-%d %H:%M:%S} UTC",
        "finished": f"{record.finished:%Y-%m-%d %H:%M:%S} UTC ({took:.0f} s)",
        "trials": str(measured),
    }
    return Table(
        "The record",
        ("what", "as recorded"),
        tuple(cells(*fact) for fact in facts.items()),
        notes=(
            "The record contains all trials with the tester's own counts, all configurations and "
            "all read-backs; this report contains no other data.",
        ),
    )


def cost_method(record: Record) -> tuple[str, ...]:
    rounds = {
        size: len({t.round for t in record.trials if t.purpose == "cost" and t.frame_size == size})
        for size in record.frame_sizes
    }
    rounds_text = ", ".join(f"{plural(n, 'round')} at {size} bytes" for size, n in rounds.items())
    sentences = [
        "Each round contains a trial of each condition"
        + ("" if record.baseline == "none" else ", of both baselines")
        + f" and, once more, of the reference condition, in random order: {rounds_text}.",
        "A trial sends as fast as the tester can. " + _subtracted(record),
        _clock_sentence(record),
        "Intervals are 95 %, by bootstrap over the rounds; ratios are paired by round.",
    ]
    if any(search.goals for search in record.searches):
        sentences.append("Throughput is searched by MLRsearch (RFC 9971).")
    return tuple(sentences)


def _clock_sentence(record: Record) -> str:
    if record.measure == "counted":
        return (
            "The guest's clock counts instructions: each one advances it by "
            f"{measures.INSTRUCTION_NS:g} ns; it is read from {CLOCKS[record.clock]}. "
            + measures.BLIND
        )
    return f"Time is read from {CLOCKS[record.clock]}."


def _subtracted(record: Record) -> str:
    if record.baseline == "none":
        return str(record_tables.baseline_line(record, min(record.frame_sizes)))
    return (
        "The router's part is the cost of a packet in a trial, minus the baseline of the same "
        f"round: the tester {record_tables.BASELINES[record.baseline]}."
    )


def cost_tests(record: Record) -> Tests:
    """Return the figure of the costs, and the results of the searches."""
    a_a_lines = (str(record_tables.a_a_line(record, size)) for size in record.frame_sizes)
    lab = labs.find(record.lab) if record.lab in labs.names() else None
    figure = gains_figure(record, lab)
    tests: Tests = {measures.cost_title(record.measure): [figure, *a_a_lines]}
    if record.searches:
        tests["Throughput"] = [record_tables.throughputs(record)]
    return tests


MEDIUM = (
    "Frames are UDP over Ethernet, as the lab defines its streams; frame sizes include the frame "
    "check sequence. Rates are frames per second over all streams that were sent."
)


def suite_summary(record: SuiteRecord) -> Sequence[Block]:
    """Return the table that most readers want: throughput with the least loss, by frame size."""
    searched = {(r.condition, stream_of(r), r.frame_size): r for r in record.throughput}
    if not searched:
        return ["No throughput was searched."]
    goals = [goal for result in record.throughput for goal in result.goals]
    ratio = min((goal.loss_ratio for goal in goals), default=0.0)
    sizes = sorted({result.frame_size for result in record.throughput})

    def text(condition: str, stream: Stream, size: int) -> str:
        result = searched.get((condition, stream, size))
        goal = goal_of(result, ratio) if result else None
        if goal is None or goal.conditional_throughput is None:
            return tables.NOTHING
        return ("at least " if goal.tester_limited else "") + human_rate(
            goal.conditional_throughput
        )

    limited = any(goal.tester_limited for goal in goals)
    table = Table(
        title=f"Throughput with {f'{percent_text(ratio)} loss' if ratio else 'no loss'}",
        header=("condition", "streams", *(f"{size} bytes" for size in sizes)),
        rows=tuple(
            cells(
                record.named(condition),
                stream_text(stream),
                *(text(condition, stream, s) for s in sizes),
            )
            for condition, stream in dict.fromkeys((c, stream) for c, stream, _ in searched)
        ),
        notes=("At least: the tester could not send more.",) if limited else (),
    )
    return [table]


def suite_method(record: SuiteRecord) -> tuple[str, ...]:
    sentences = [MEDIUM, theory_line(record)]
    for test, how in (
        ("search", "Throughput (26.1) is searched by MLRsearch (RFC 9971)"),
        ("latency", "Latency (26.2) is of every frame, not of one tagged frame in a stream"),
        ("frame-loss", "Frame loss rate (26.3)"),
        ("back-to-back", "Back-to-back frames (26.4, RFC 9004)"),
        ("recovery", "System recovery (26.5)"),
        ("reset", "Reset (26.6, RFC 6201)"),
    ):
        trials = [trial for trial in record.trials if trial.purpose == test]
        if trials:
            lengths = sorted({trial.intended_duration for trial in trials})
            each = seconds_text(lengths[0])
            each += f" to {seconds_text(lengths[-1])}" if lengths[1:] else ""
            sentences.append(f"{how}: {plural(len(trials), 'trial')} of {each}.")
    if record.delay_resolution_ns is not None:
        sentences.append(
            f"Delays are resolved to {time_text(record.delay_resolution_ns)}, by the "
            f"calibration {record.calibration or 'of this tester'}."
        )
    else:
        sentences.append(
            "The tester was not calibrated, so the resolution of the delays is unknown."
        )
    maximum = ", ".join(
        f"{human_rate(rate)} at {size} bytes" for size, rate in sorted(record.maximum_rate.items())
    )
    if maximum:
        sentences.append(f"100 % load is the most that the tester sends: {maximum}.")
    return tuple(sentences)


def suite_tests(record: SuiteRecord) -> Tests:
    """Return the figures and tables of each test that the run holds results of."""
    tests: Tests = {}
    for test, blocks_of in SUITE.items():
        results: Sequence[Subject] = getattr(record, test)
        conditions = dict.fromkeys(result.condition for result in results)
        blocks = [block for condition in conditions for block in blocks_of(record, condition)]
        if test == "throughput":
            blocks = [*_throughput_figures(record), *blocks]
        if blocks:
            tests[tables.SECTIONS[test]] = blocks
    return tests


def _throughput_figures(record: SuiteRecord) -> list[Block]:
    """One for each stream type: with no loss where it was searched, else with the least.

    A line through two frame sizes shows no more than the table: such streams have no figure,
    but for the first where all of them are such.
    """
    drawn: list[tuple[int, Block]] = []
    for stream in dict.fromkeys(stream_of(result) for result in record.throughput):
        results = [result for result in record.throughput if stream_of(result) == stream]
        ratios = [goal.loss_ratio for result in results for goal in result.goals]
        if ratios:
            sizes = len({result.frame_size for result in results})
            drawn.append((sizes, throughput_figure(record, stream, min(ratios))))
    return [figure for sizes, figure in drawn if sizes > 2] or [f for _, f in drawn[:1]]


def _latency(record: SuiteRecord, condition: str) -> Sequence[Block]:
    """A figure at the smallest frame size of each stream type, and the tables of all."""
    mine = tables.sorted_of(record.latency, condition)
    shown: list[Block] = []
    for stream in dict.fromkeys(stream_of(result) for result in mine):
        size = min(result.frame_size for result in mine if stream_of(result) == stream)
        loads: list[Latency] = [r for r in mine if stream_of(r) == stream and r.frame_size == size]
        if any(r.from_intended.count for r in loads):
            shown.append(latency_figure(record, loads))
    return (
        *shown,
        tables.latency_table(record, condition),
        tables.variation_table(record, condition),
    )


def _loss(record: SuiteRecord, condition: str) -> Sequence[Block]:
    mine = tables.sorted_of(record.frame_loss, condition)
    streams = dict.fromkeys(stream_of(result) for result in mine)
    return (
        *(loss_figure(record, condition, stream) for stream in streams),
        tables.loss_table(record, condition),
    )


def _reset(record: SuiteRecord, condition: str) -> Sequence[Block]:
    sentences = tables.reset_sentences(record, condition)
    return (*((sentences,) if sentences else ()), tables.reset_table(record, condition))


SUITE: Mapping[str, Callable[[SuiteRecord, str], Sequence[Block]]] = {
    "throughput": lambda record, condition: [tables.throughput_table(record, condition)],
    "latency": _latency,
    "frame_loss": _loss,
    "back_to_back": lambda record, condition: [tables.bursts_table(record, condition)],
    "recovery": lambda record, condition: [tables.recovery_table(record, condition)],
    "reset": _reset,
}
"""The blocks of a condition, by the field of the record that has the test's results."""


def tcp_method(record: TcpRecord) -> tuple[str, ...]:
    rounds = len({transfer.round for transfer in record.transfers})
    offloads = (
        "on: the router forwards bundles of segments, and packets are not frames on the link"
        if record.offloads  # in older records
        else "off: a packet is a frame"
    )
    return (
        f"{plural(record.instances, 'instance')} of iperf3 with {record.streams} streams each, "
        f"each way; transfers of {record.seconds} s, in {plural(rounds, 'round')} of all "
        "conditions and directions in random order.",
        f"Segmentation and receive offload are {offloads}.",
        "Goodput is what the receiving programs read (RFC 2647); ratios are paired by round; "
        "intervals are 95 %, by bootstrap over the rounds.",
        *record.explanations,
    )


def tcp_tests(record: TcpRecord) -> Tests:
    """Return a table a direction; and where the router has a bond, how it used its ports."""
    tests: Tests = {"TCP": [direction_table(record, d) for d in goodput.directions(record)]}
    table = balance.table(record)
    if table.rows:
        tests[str(table.title)] = [links_figure(record), table]
    return tests


def _valid_ones(title: str, noun: str, measured: Sequence[Transfer]) -> Titled:
    """Return the numbers of valid transfers or legs, and the reasons of the others."""
    why = Counter(reason for one in measured for reason in one.invalid_because)
    spoiled = sum(not one.valid for one in measured)
    line = f"{plural(len(measured), noun)}, of which {spoiled} were not valid."
    reasons = tuple(f"{plural(n, noun)}: {reason}" for reason, n in why.most_common(20))
    return title, [line, reasons] if reasons else [line]


@dataclass(frozen=True)
class Kind:
    """The parts of a report that depend on the kind of the record.

    Each function takes a record of that kind.
    """

    name: str
    summary: Callable[[Any], Sequence[Block]]
    method: Callable[[Any], tuple[str, ...]]
    tests: Callable[[Any], Tests]
    trials: Callable[[Any], Titled] = trials


KINDS: dict[type[Any], Kind] = {
    Record: Kind("time per packet", lambda r: [record_tables.costs(r)], cost_method, cost_tests),
    TcpRecord: Kind("TCP", lambda r: [goodput_table(r)], tcp_method, tcp_tests,
                    lambda r: _valid_ones("Transfers", "transfer", r.transfers)),
    SuiteRecord: Kind("RFC 2544 suite", suite_summary, suite_method, suite_tests),
}  # fmt: skip


def kind_of(source: Source) -> Kind:
    """The kind of a record; UsageError where it has no report."""
    kind = KINDS.get(type(source.record))
    if kind is None:
        raise UsageError(f"{source.path}: a record of {source.schema} has no report")
    return kind
