"""The report of `ppslab tcp`: goodput, retransmits, round-trip time and fairness by direction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from ppslab import goodput, links
from ppslab.analysis import NoDataError
from ppslab.figures import links_figure
from ppslab.goodput import NAMES
from ppslab.numbers import percent_text, plural, time_text
from ppslab.report.document import Block, Items, Section, Text
from ppslab.report.rows import Row
from ppslab.results import TcpDirection, TcpRecord
from ppslab.statistics import Interval, short
from ppslab.tables import Cell, Table, cells
from ppslab.units import human_rate


def summary(record: TcpRecord) -> Section:
    """Goodput by condition and direction."""
    directions = goodput.directions(record)
    found = {d: {row.condition: row for row in goodput.rows(record, d)} for d in directions}
    table = Table(
        title="Goodput, Gbit/s, median and 95 % interval",
        header=("condition", *(NAMES[d] for d in directions)),
        rows=tuple(
            (
                Cell(each.name),
                *(
                    Cell(_giga(found[d][each.name].goodput) if each.name in found[d] else "-")
                    for d in directions
                ),
            )
            for each in record.conditions
        ),
        notes=tuple(_null(record, d) for d in directions),
    )
    return Section("Summary", (table,))


def method(record: TcpRecord) -> tuple[str, ...]:
    """How the transfers were made."""
    rounds = len({transfer.round for transfer in record.transfers})
    offloads = (
        "on: the router forwards bundles of segments, and packets are no frames of the wire"
        if record.offloads
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


def tests(record: TcpRecord) -> tuple[Section, ...]:
    """A table for each direction; and where the router has a bond, how it used its ports."""
    found = [Section("TCP", tuple(_table(record, d) for d in goodput.directions(record)))]
    table = links.table(record)
    if table.rows:
        found.append(Section(table.title, (links_figure(record), table)))
    return tuple(found)


def trials(record: TcpRecord) -> Section:
    """How many transfers were valid, and why the others were not."""
    why = Counter(said for each in record.transfers for said in each.invalid_because)
    spoiled = sum(not each.valid for each in record.transfers)
    blocks: list[Block] = [
        Text(f"{plural(len(record.transfers), 'transfer')}, of which {spoiled} were not valid.")
    ]
    if why:
        lines = tuple(f"{plural(n, 'transfer')}: {said}" for said, n in why.most_common(20))
        blocks.append(Items(lines))
    return Section("Transfers", tuple(blocks))


def rows(record: TcpRecord) -> Iterator[Row]:
    """Every quantity by condition and direction."""
    for direction in goodput.directions(record):
        for found in goodput.rows(record, direction):
            about = Row("tcp", "", "", found.condition, direction=direction)
            for quantity, unit, interval in (
                ("goodput", "bit/s", found.goodput),
                (f"times {record.reference}", "", found.ratio),
                ("segments sent again", "", found.retransmitted),
                ("round-trip time", "us", found.round_trip_us),
                ("fairness", "", found.fairness),
                ("packets", "packets/s", found.packets),
            ):
                if interval:
                    yield replace(
                        about,
                        quantity=quantity,
                        unit=unit,
                        value=interval.estimate,
                        low=interval.low,
                        high=interval.high,
                        interval="95 %",
                        count=interval.count,
                    )


def _table(record: TcpRecord, direction: TcpDirection) -> Table:
    return Table(
        title=f"TCP {NAMES[direction]}",
        header=(
            "condition",
            "goodput, Gbit/s",
            f"times {record.reference}",
            "sent again",
            "round trip",
            "fairness",
            "packets",
            "rounds",
        ),
        rows=tuple(
            cells(
                row.condition,
                _giga(row.goodput),
                str(row.ratio) if row.ratio else "-",
                percent_text(row.retransmitted.estimate),
                time_text(1000 * row.round_trip_us.estimate),
                f"{row.fairness.estimate:.3f}",
                human_rate(row.packets.estimate),
                str(row.goodput.count),
            )
            for row in goodput.rows(record, direction)
        ),
        notes=(
            _null(record, direction),
            "Sent again: share of the segments. Round trip: TCP's smoothed time, median of the "
            "streams. Fairness: Jain's index over the streams (RFC 5166), 1 where all got the "
            "same. Packets: into the router's ports, a second.",
        ),
    )


def _null(record: TcpRecord, direction: TcpDirection) -> str:
    try:
        null = goodput.null_interval(record, direction)
    except NoDataError:
        return f"{record.reference} was not measured against itself, {NAMES[direction]}."
    return (
        f"{record.reference} against itself (A/A), {NAMES[direction]}: {null}; "
        "a ratio nearer to 1 than that is noise."
    )


def _giga(found: Interval) -> str:
    values = (short(value / 1e9) for value in (found.estimate, found.low, found.high))
    estimate, low, high = values
    return f"{estimate} [{low}, {high}]"
