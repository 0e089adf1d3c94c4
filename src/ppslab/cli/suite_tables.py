"""The suite's results on a terminal, a table a test."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median

from rich.table import Table

from ppslab.results import Delays, Subject, SuiteRecord
from ppslab.statistics import short
from ppslab.units import human_rate

NOTHING = "-"


def tables(record: SuiteRecord) -> Iterator[Table]:
    """One table a test, in the order of RFC 2544 section 26."""
    yield _throughput(record)
    if record.latency:
        yield _latency(record)
    if record.frame_loss:
        yield _frame_loss(record)
    if record.back_to_back:
        yield _back_to_back(record)
    if record.recovery:
        yield _recovery(record)
    if record.reset:
        yield _reset(record)


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title)
    table.add_column("condition", min_width=18, overflow="fold")
    table.add_column("bytes", justify="right")
    for column in columns:
        table.add_column(column, justify="right")
    return table


def _subject(found: Subject) -> tuple[str, str]:
    """The condition, and of the streams what is not as always."""
    usual = ("ipv4", "lab")
    unusual = [word for word in (found.family, found.direction) if word not in usual]
    return ", ".join([found.condition, *unusual]), str(found.frame_size)


def _throughput(record: SuiteRecord) -> Table:
    ratios = sorted({goal.loss_ratio for found in record.throughput for goal in found.goals})
    columns = [f"{ratio * 100:g} % loss" for ratio in ratios]
    table = _table("Throughput (RFC 2544 section 26.1)", *columns, "trials")
    for found in record.throughput:
        at = {goal.loss_ratio: goal for goal in found.goals}
        cells = []
        for ratio in ratios:
            goal = at.get(ratio)
            limited = " (tester)" if goal and goal.tester_limited else ""
            rate = goal.throughput if goal else None
            cells.append(NOTHING if rate is None else human_rate(rate) + limited)
        table.add_row(*_subject(found), *cells, str(found.trials))
    failed = {f"{t.condition}: {t.failed_because}" for t in record.throughput if t.failed_because}
    table.caption = "\n".join(sorted(failed)) or None
    return table


def microseconds(ns: float | None) -> str:
    """`12.3`, or a dash."""
    return NOTHING if ns is None else short(ns / 1000)


def _at(delays: Delays, share: float) -> str:
    return next((microseconds(p.ns) for p in delays.percentiles if p.share == share), NOTHING)


def _latency(record: SuiteRecord) -> Table:
    columns = ("load", "p50", "p99", "p99.99", "max", "reordered")
    table = _table("Latency in us, from the intended time, by load (26.2)", *columns)
    for found in record.latency:
        delays = found.from_intended
        table.add_row(
            *_subject(found),
            f"{found.share:.0%}",
            _at(delays, 0.5),
            _at(delays, 0.99),
            _at(delays, 0.9999),
            microseconds(delays.max),
            str(found.reordered) if not found.invalid_because else found.invalid_because[0],
        )
    return table


def _frame_loss(record: SuiteRecord) -> Table:
    shares = sorted({point.share for point in record.frame_loss}, reverse=True)
    table = _table("Frame loss rate in %, by load (26.3)", *(f"{share:.0%}" for share in shares))
    rows: dict[tuple[str, str], dict[float, str]] = {}
    for point in record.frame_loss:
        lost = NOTHING if point.loss_ratio is None else f"{100 * point.loss_ratio:.3g}"
        rows.setdefault(_subject(point), {})[point.share] = lost
    for subject, at in rows.items():
        table.add_row(*subject, *(at.get(share, "") for share in shares))
    table.caption = "Of the most that the tester sends; empty: below two lossless trials."
    return table


def _back_to_back(record: SuiteRecord) -> Table:
    table = _table("Back-to-back frames (26.4, RFC 9004)", "burst", "implied", "corrected buffer")
    for found in record.back_to_back:
        if found.why_none:
            table.add_row(*_subject(found), found.why_none, NOTHING, NOTHING)
            continue
        table.add_row(
            *_subject(found),
            f"{median(found.bursts):.0f} frames",
            _seconds([found.implied_buffer_seconds]),
            _seconds([found.corrected_buffer_seconds]),
        )
    return table


def _recovery(record: SuiteRecord) -> Table:
    table = _table("System recovery (26.5)", "overload", "recovery time")
    for found in record.recovery:
        table.add_row(
            *_subject(found),
            human_rate(found.overload_rate),
            found.why_none or _seconds(found.seconds),
        )
    return table


def _reset(record: SuiteRecord) -> Table:
    table = _table("Reset (26.6, RFC 6201)", "by frames lost", "by time")
    for found in record.reset:
        by_loss = found.why_none or _seconds(found.by_loss_seconds)
        table.add_row(*_subject(found), by_loss, _seconds(found.by_time_seconds))
    return table


def _seconds(values: Sequence[float | None]) -> str:
    known = [value for value in values if value is not None]
    return f"{median(known) * 1000:.3g} ms" if known else NOTHING
