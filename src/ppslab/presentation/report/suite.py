"""The report of a run of the RFC 2544 suite: one section for each of its tests."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ppslab.analysis.port_limits import Stream, stream_of, stream_text, theory_line
from ppslab.base.text.numbers import percent_text, plural, seconds_text, time_text
from ppslab.base.text.tables import Table, cells
from ppslab.base.units import human_rate
from ppslab.presentation import latency_tables
from ppslab.presentation import suite_tables as tables
from ppslab.presentation.figures.records.latency import latency_figure
from ppslab.presentation.figures.records.loss import loss_figure
from ppslab.presentation.figures.records.throughput import goal_of, throughput_figure
from ppslab.presentation.report.document import Block, Items, Section, Text
from ppslab.results import Latency, Subject, SuiteRecord

MEDIUM = (
    "Frames are UDP over Ethernet as the streams of the lab say; frame sizes hold the frame check "
    "sequence. Rates are frames a second over all streams that were sent."
)


def summary(record: SuiteRecord) -> Section:
    """The one table that most readers want: throughput with the least loss, by frame size."""
    found = {(r.condition, stream_of(r), r.frame_size): r for r in record.throughput}
    if not found:
        return Section("Summary", (Text("No throughput was searched."),))
    goals = [goal for result in record.throughput for goal in result.goals]
    ratio = min((goal.loss_ratio for goal in goals), default=0.0)
    sizes = sorted({result.frame_size for result in record.throughput})

    def text(condition: str, stream: Stream, size: int) -> str:
        result = found.get((condition, stream, size))
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
            cells(condition, stream_text(stream), *(text(condition, stream, s) for s in sizes))
            for condition, stream in dict.fromkeys((c, stream) for c, stream, _ in found)
        ),
        notes=("At least: the tester could not send more.",) if limited else (),
        titles=record.titles,
    )
    return Section("Summary", (table,))


def method(record: SuiteRecord) -> tuple[str, ...]:
    """How each test was done, from the record."""
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
            f"Delays are told apart to {time_text(record.delay_resolution_ns)}, by the "
            f"calibration {record.calibration or 'of this tester'}."
        )
    else:
        sentences.append("The tester was not calibrated: how finely the delays resolve is unknown.")
    maximum = ", ".join(
        f"{human_rate(rate)} at {size} bytes" for size, rate in sorted(record.maximum_rate.items())
    )
    if maximum:
        sentences.append(f"100 % load is the most that the tester sends: {maximum}.")
    return tuple(sentences)


def tests(record: SuiteRecord) -> tuple[Section, ...]:
    """A section for each test that the run holds results of."""
    sections = (
        _section("throughput", record, _throughput, _throughput_figures(record)),
        _section("latency", record, _latency),
        _section("frame_loss", record, _loss),
        _section("back_to_back", record, lambda r, c: (tables.bursts_table(r, c),)),
        _section("recovery", record, lambda r, c: (tables.recovery_table(r, c),)),
        _section("reset", record, _reset),
    )
    return tuple(section for section in sections if section is not None)


def _section(
    test: str,
    record: SuiteRecord,
    blocks: Callable[[SuiteRecord, str], Sequence[Block]],
    before: Sequence[Block] = (),
) -> Section | None:
    results: Sequence[Subject] = getattr(record, test)
    if not results:
        return None
    shown_blocks = list(before)
    for condition in dict.fromkeys(result.condition for result in results):
        shown_blocks += blocks(record, condition)
    return Section(tables.SECTIONS[test], tuple(shown_blocks))


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


def _throughput(record: SuiteRecord, condition: str) -> Sequence[Block]:
    return (tables.throughput_table(record, condition),)


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
        latency_tables.latency_table(record, condition),
        latency_tables.variation_table(record, condition),
    )


def _loss(record: SuiteRecord, condition: str) -> Sequence[Block]:
    mine = tables.sorted_of(record.frame_loss, condition)
    streams = dict.fromkeys(stream_of(result) for result in mine)
    return (
        *(loss_figure(record, condition, stream) for stream in streams),
        tables.loss_table(record, condition),
    )


def _reset(record: SuiteRecord, condition: str) -> Sequence[Block]:
    said = tables.reset_sentences(record, condition)
    return (*((Items(said),) if said else ()), tables.reset_table(record, condition))
