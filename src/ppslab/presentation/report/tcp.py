"""The report of `ppslab tcp`: goodput, retransmits, round-trip time and fairness by direction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from ppslab.analysis import bond_ports, goodput
from ppslab.base.text.numbers import plural
from ppslab.presentation.figures import links_figure
from ppslab.presentation.report.document import Block, Items, Section, Text
from ppslab.presentation.report.rows import Row
from ppslab.presentation.tcp_tables import direction_table, goodput_table
from ppslab.results import TcpRecord


def summary(record: TcpRecord) -> Section:
    """Goodput by condition and direction."""
    return Section("Summary", (goodput_table(record),))


def method(record: TcpRecord) -> tuple[str, ...]:
    """How the transfers were done."""
    rounds = len({transfer.round for transfer in record.transfers})
    offloads = (
        "on: the router forwards bundles of segments, and packets are not frames on the wire"
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
    sections = [
        Section("TCP", tuple(direction_table(record, d) for d in goodput.directions(record)))
    ]
    table = bond_ports.table(record)
    if table.rows:
        sections.append(Section(table.title, (links_figure(record), table)))
    return tuple(sections)


def trials(record: TcpRecord) -> Section:
    """How many transfers were valid, and why the others were not."""
    why = Counter(reason for transfer in record.transfers for reason in transfer.invalid_because)
    spoiled = sum(not transfer.valid for transfer in record.transfers)
    blocks: list[Block] = [
        Text(f"{plural(len(record.transfers), 'transfer')}, of which {spoiled} were not valid.")
    ]
    if why:
        lines = tuple(f"{plural(n, 'transfer')}: {reason}" for reason, n in why.most_common(20))
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
