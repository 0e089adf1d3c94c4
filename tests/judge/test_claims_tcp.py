"""Claims on TCP: ratios and orders of goodputs, what is sent again, round trips."""

from __future__ import annotations

from pathlib import Path

import pytest

from ppslab.judge import claims
from ppslab.model import results
from tests.judge.made_claims import judged
from tests.support.factory import make_record
from tests.support.tcp_factory import make_tcp_record

RATIO = "goodput_ratio: {numerator: routing-fast-path, denominator: routing-plain}"


@pytest.mark.parametrize(
    ("plain", "verdict"),
    [(2.0e9, claims.IN_SIZE), (5.0e9, claims.DIFFERS)],
)
def test_a_published_ratio_of_goodputs_is_in_one_unit(
    tmp_path: Path, plain: float, verdict: str
) -> None:
    tcp = make_tcp_record({"routing-fast-path": 4.0e9, "routing-plain": plain})
    found = judged(tmp_path, RATIO, tcp=tcp, published="[fast, slow]")
    assert found.published == "2"
    assert found.verdict == verdict
    assert found.measured == pytest.approx(4.0e9 / plain, rel=0.05)
    assert found.settled_by == "The box."


def test_a_claim_on_tcp_without_such_a_run_says_what_to_run(tmp_path: Path) -> None:
    found = judged(tmp_path, RATIO, make_record(), None, "[fast, slow]")
    assert found.verdict == claims.CANNOT_TELL
    assert "ppslab tcp" in found.reason


@pytest.mark.parametrize(
    ("plain", "verdict"),
    [(3.0e9, claims.IN_DIRECTION), (6.0e9, claims.DIFFERS), (4.0e9, claims.CANNOT_TELL)],
)
def test_goodputs_stand_in_order(tmp_path: Path, plain: float, verdict: str) -> None:
    words = "tcp_order: {conditions: [routing-fast-path, routing-plain]}"
    tcp = make_tcp_record({"routing-fast-path": 4.0e9, "routing-plain": plain})
    assert judged(tmp_path, words, tcp=tcp).verdict == verdict


@pytest.mark.parametrize(
    ("times", "verdict"),
    [(4, claims.IN_DIRECTION), (0, claims.DIFFERS), (1, claims.CANNOT_TELL)],
)
def test_more_is_sent_again(tmp_path: Path, times: int, verdict: str) -> None:
    words = "tcp_order: {of: retransmitted, conditions: [routing-plain, routing-fast-path]}"
    tcp = make_tcp_record({"routing-fast-path": 4.0e9, "routing-plain": 4.0e9})
    changed = [
        transfer.model_copy(
            update={
                "ways": tuple(
                    way.model_copy(
                        update={"retransmits": tuple(times * n for n in way.retransmits)}
                    )
                    for way in transfer.ways
                )
            }
        )
        if transfer.condition == "routing-fast-path"
        else transfer
        for transfer in tcp.transfers
    ]
    tcp = tcp.model_copy(update={"transfers": tuple(changed)})
    assert judged(tmp_path, words, tcp=tcp).verdict == verdict


def test_what_is_sent_again_is_held_against_the_reference_itself(tmp_path: Path) -> None:
    """One condition sends more again, and the reference differs from itself by as much."""
    tcp = make_tcp_record({"routing-fast-path": 4.0e9, "routing-plain": 4.0e9})

    def noisy(transfer: results.Transfer) -> results.Transfer:
        again = 4 if transfer.condition == "routing-fast-path" or transfer.purpose == "a-a" else 1
        ways = tuple(
            way.model_copy(update={"retransmits": tuple(again * n for n in way.retransmits)})
            for way in transfer.ways
        )
        return transfer.model_copy(update={"ways": ways})

    tcp = tcp.model_copy(update={"transfers": tuple(map(noisy, tcp.transfers))})
    words = "tcp_order: {of: retransmitted, conditions: [routing-plain, routing-fast-path]}"
    assert judged(tmp_path, words, tcp=tcp).verdict == claims.CANNOT_TELL


def with_round_trips(record: results.TcpRecord, **milliseconds: float) -> results.TcpRecord:
    """The record with these round trips by condition, `a_a` for the reference once more."""

    def changed(transfer: results.Transfer) -> results.Transfer:
        name = "a_a" if transfer.purpose == "a-a" else transfer.condition.replace("-", "_")
        trip = {"median": 1000 * milliseconds[name] * (1 + transfer.round % 3 / 100)}
        ways = tuple(
            way.model_copy(update={"round_trip": way.round_trip.model_copy(update=trip)})
            for way in transfer.ways
        )
        return transfer.model_copy(update={"ways": ways})

    return record.model_copy(update={"transfers": tuple(map(changed, record.transfers))})


TRIP = "tcp_bounds: {of: round_trip, condition: routing-plain, %s}"
TRIPS = "tcp_order: {of: round_trip, conditions: [routing-fast-path, routing-plain]}"


@pytest.mark.parametrize(
    ("words", "fast", "plain", "a_a", "verdict"),
    [
        (TRIP % "at_least: 50, at_most: 60", 1, 54, 1, claims.IN_SIZE),
        (TRIP % "at_least: 50, at_most: 60", 1, 62, 1, claims.DIFFERS),
        (TRIP % "at_least: 50", 1, 48, 1, claims.DIFFERS),
        (TRIP % "at_most: 60", 1, 59.5, 1, claims.CANNOT_TELL),
        # One condition alone is held against its bounds, whatever the reference's noise.
        (TRIP % "at_least: 50", 1, 54, 9, claims.IN_SIZE),
        (TRIPS, 20, 54, 54, claims.IN_DIRECTION),
        (TRIPS, 54, 20, 20, claims.DIFFERS),
        (TRIPS, 54, 54, 54, claims.CANNOT_TELL),
        # 2.7 times as long says nothing where the reference is 4 times as long as itself.
        (TRIPS, 20, 54, 216, claims.CANNOT_TELL),
    ],
)
def test_round_trips(
    tmp_path: Path, words: str, fast: float, plain: float, a_a: float, verdict: str
) -> None:
    tcp = make_tcp_record({"routing-fast-path": 4.0e9, "routing-plain": 4.0e9})
    tcp = with_round_trips(tcp, routing_fast_path=fast, routing_plain=plain, a_a=a_a)
    assert judged(tmp_path, words, tcp=tcp).verdict == verdict


def test_the_order_of_round_trips_needs_the_reference_twice(tmp_path: Path) -> None:
    tcp = make_tcp_record({"routing-fast-path": 4.0e9, "routing-plain": 4.0e9})
    tcp = with_round_trips(tcp, routing_fast_path=20, routing_plain=54, a_a=54)
    once = tuple(each for each in tcp.transfers if each.purpose != "a-a")
    found = judged(tmp_path, TRIPS, tcp=tcp.model_copy(update={"transfers": once}))
    assert found.verdict == claims.CANNOT_TELL
    assert "against itself" in found.reason
