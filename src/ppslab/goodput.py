"""What a TCP record says: goodput, its ratio to the reference, and the rest by condition.

As with packets (`ppslab.analysis`), ratios are paired by round, and the reference against itself
gives the A/A interval, inside of which a difference means nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ppslab.analysis import NoDataError, Rounds, paired_ratio
from ppslab.results import TcpDirection, TcpRecord, Transfer
from ppslab.statistics import Interval, median_interval

NAMES: dict[TcpDirection, str] = {
    "there": "one way",
    "back": "the other way",
    "both": "both ways at once",
}
"""The directions in words."""


@dataclass(frozen=True)
class Row:
    """One condition in one direction; medians over the rounds, each with its interval.

    `goodput`: bits per second over both ways.  `retransmitted`: segments sent again as a share of
    the full segments that the goodput took.  `round_trip_us`: TCP's smoothed round-trip time.
    `fairness`: Jain's index over the streams of a way, the worse way where there are two.
    `packets`: per second into the router's ports.  `ratio`: to the reference in the same rounds.
    """

    condition: str
    direction: TcpDirection
    goodput: Interval
    ratio: Interval | None
    retransmitted: Interval
    round_trip_us: Interval
    fairness: Interval
    packets: Interval


def directions(record: TcpRecord) -> list[TcpDirection]:
    """The directions that were tried, in their order."""
    tried = {transfer.direction for transfer in record.transfers}
    return [direction for direction in NAMES if direction in tried]


def rows(record: TcpRecord, direction: TcpDirection) -> list[Row]:
    """Every condition that has a valid transfer in this direction, in the lab's order."""
    found = []
    for condition in record.conditions:
        transfers = list(rounds(record, condition.name, direction).values())
        if not transfers:
            continue
        found.append(
            Row(
                condition=condition.name,
                direction=direction,
                goodput=_over(record, transfers, lambda t: t.goodput),
                ratio=_ratio_or_none(record, condition.name, direction),
                retransmitted=_over(record, transfers, lambda t: retransmitted(record, t)),
                round_trip_us=_over(
                    record, transfers, lambda t: max(way.round_trip.median for way in t.ways)
                ),
                fairness=_over(record, transfers, lambda t: min(way.fairness for way in t.ways)),
                packets=_over(record, transfers, _packet_rate),
            )
        )
    return found


def goodput(record: TcpRecord, condition: str, direction: TcpDirection) -> Interval:
    """Bits per second over both ways: median over the rounds with its 95 % interval."""
    found = rounds(record, condition, direction)
    if not found:
        raise NoDataError(f"no valid transfer of {condition}, {direction}")
    return _over(record, list(found.values()), lambda transfer: transfer.goodput)


def ratio(record: TcpRecord, numerator: str, denominator: str, direction: TcpDirection) -> Interval:
    """The goodput of one condition over that of another in the same rounds."""
    return paired_ratio(
        record,
        _goodputs(record, numerator, direction),
        _goodputs(record, denominator, direction),
        f"{numerator} against {denominator}, {direction}",
    )


def null_interval(record: TcpRecord, direction: TcpDirection) -> Interval:
    """The A/A interval: the reference's goodput against itself, measured twice a round."""
    return paired_ratio(
        record,
        _goodputs(record, record.reference, direction, "null"),
        _goodputs(record, record.reference, direction),
        f"the reference condition against itself, {direction}",
    )


def retransmitted(record: TcpRecord, transfer: Transfer) -> float:
    """Segments sent again, as a share of the full segments that the received bytes took."""
    sent_again = segments = 0.0
    for way in transfer.ways:
        sent_again += sum(way.retransmits)
        segments += sum(way.received_bytes) / (way.segment_size or record.segment_size)
    return sent_again / segments if segments else 0.0


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


def _goodputs(
    record: TcpRecord, condition: str, direction: TcpDirection, purpose: str = "transfer"
) -> Rounds:
    found = rounds(record, condition, direction, purpose)
    return {number: transfer.goodput for number, transfer in found.items()}


def _over(
    record: TcpRecord, transfers: list[Transfer], value: Callable[[Transfer], float]
) -> Interval:
    return median_interval([value(transfer) for transfer in transfers], seed=record.seed)


def _ratio_or_none(record: TcpRecord, condition: str, direction: TcpDirection) -> Interval | None:
    try:
        return ratio(record, condition, record.reference, direction)
    except NoDataError:
        return None
