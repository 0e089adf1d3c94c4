"""Answers of a TCP record: goodput, its ratio to the reference, and the rest by condition.

As with packets (`costs`), ratios are paired by round, and the reference against itself
gives the A/A interval, inside of which a difference means nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import get_args

from ppslab.judge.costs import NoDataError, Rounds, paired_ratio
from ppslab.model.results import TcpDirection, TcpRecord, Transfer
from ppslab.model.statistics import Interval, median_interval, rate_interval

NAMES: Mapping[str, str] = {
    "there": "one way",
    "back": "the other way",
    "both": "both ways at once",
}
"""The directions in words."""


def directions(record: TcpRecord) -> list[TcpDirection]:
    """The directions that were tried, in their order."""
    tried = {transfer.direction for transfer in record.transfers}
    return [direction for direction in get_args(TcpDirection) if direction in tried]


def goodput(record: TcpRecord, condition: str, direction: TcpDirection) -> Interval:
    """Bits per second over both ways: median over the rounds with its 95 % interval."""
    by_round = goodputs(record, condition, direction)
    if not by_round:
        raise NoDataError(f"no valid transfer of {condition}, {direction}")
    return rate_interval(list(by_round.values()), seed=record.seed)


def ratio(record: TcpRecord, numerator: str, denominator: str, direction: TcpDirection) -> Interval:
    """The goodput of one condition over that of another in the same rounds."""
    return paired_ratio(
        record,
        goodputs(record, numerator, direction),
        goodputs(record, denominator, direction),
        f"{numerator} against {denominator}, {direction}",
    )


def a_a_interval(record: TcpRecord, direction: TcpDirection) -> Interval:
    """The A/A interval: the reference's goodput against itself, measured twice a round."""
    return paired_ratio(
        record,
        goodputs(record, record.reference, direction, "a-a"),
        goodputs(record, record.reference, direction),
        f"the reference condition against itself, {direction}",
    )


def others(
    record: TcpRecord, condition: str, direction: TcpDirection
) -> Iterator[tuple[str, str, Interval]]:
    """Yield each other quantity of a condition's transfers, its unit, and its median.

    Segments sent again are a share of the full segments that the goodput took; the round-trip time
    is TCP's smoothed one; fairness is Jain's index over the streams of a way, of two ways the
    worse; packets are those into the router's ports.
    """
    transfers = rounds(record, condition, direction).values()
    again = [retransmitted(record, transfer) for transfer in transfers]
    trips = [max(way.round_trip.median for way in transfer.ways) for transfer in transfers]
    fairness = [min(way.fairness for way in transfer.ways) for transfer in transfers]
    packets = [_packet_rate(transfer) for transfer in transfers]
    yield "segments sent again", "", median_interval(again, seed=record.seed)
    yield "round-trip time", "us", rate_interval(trips, seed=record.seed)
    yield "fairness", "", median_interval(fairness, seed=record.seed)
    yield "packets", "packets/s", rate_interval(packets, seed=record.seed)


def retransmitted(record: TcpRecord, transfer: Transfer) -> float:
    """Segments sent again, as a share of the full segments that the received bytes took."""
    again = sum(sum(way.retransmits) for way in transfer.ways)
    segments = sum(
        sum(way.received_bytes) / (way.segment_size or record.segment_size) for way in transfer.ways
    )
    return again / segments if segments else 0.0


def _packet_rate(transfer: Transfer) -> float:
    assert transfer.router is not None
    return transfer.router.packets / max(way.seconds for way in transfer.ways)


def rounds(
    record: TcpRecord, condition: str, direction: TcpDirection, purpose: str = "transfer"
) -> dict[int, Transfer]:
    """The valid transfers by round; of repeated ones the last, which was kept."""
    return {
        transfer.round: transfer
        for transfer in record.transfers
        if transfer.valid
        and transfer.purpose == purpose
        and transfer.condition == condition
        and transfer.direction == direction
    }


def goodputs(
    record: TcpRecord, condition: str, direction: TcpDirection, purpose: str = "transfer"
) -> Rounds:
    """Bits per second over both ways, by round."""
    by_round = rounds(record, condition, direction, purpose)
    return {number: transfer.goodput for number, transfer in by_round.items()}
