"""Claims on counters, on frames that came late or not at all, and on their delay."""

from __future__ import annotations

from pathlib import Path

import pytest

from ppslab.core.errors import FileError
from ppslab.judge import claims
from ppslab.model import results
from tests.judge.made_claims import judged, made_lab, with_counts
from tests.support.factory import make_record

HALF = "counter: queued, of: seen, at_least: 0.4, at_most: 0.6"
COUNTED = "counter_share: {condition: routing-3-rules, size: 64, counter: %s, at_most: 1}"


@pytest.mark.parametrize(
    ("judge", "counts", "verdict"),
    [
        ("counter: seen, at_most: 0.01", {"seen": 100}, claims.IN_SIZE),
        ("counter: seen, at_most: 0.01", {"seen": 90_000}, claims.DIFFERS),
        ("counter: seen, at_least: 0.99", {"seen": 100_000}, claims.IN_SIZE),
        (HALF, {"seen": 100, "queued": 50}, claims.IN_SIZE),
        ("counter: queued, of: seen, at_most: 0.6", {"seen": 0, "queued": 50}, claims.CANNOT_TELL),
    ],
)  # fmt: skip
def test_a_counter_as_a_share(
    tmp_path: Path, judge: str, counts: dict[str, int], verdict: str
) -> None:
    record = with_counts(make_record(), **counts)
    words = f"counter_share: {{condition: routing-3-rules, size: 64, {judge}}}"
    assert judged(tmp_path, words, record).verdict == verdict


@pytest.mark.parametrize(
    ("word", "counts", "measured"),
    [("lost", {"received": 75_000}, 0.25), ("reordered", {"reordered": 20_000}, 0.2)],
)
def test_frames_that_did_not_come_or_came_late(
    tmp_path: Path, word: str, counts: dict[str, int], measured: float
) -> None:
    words = f"frames: {{of: {word}, condition: routing-3-rules, size: 64, at_least: 0.1}}"
    found = judged(tmp_path, words, with_counts(make_record(), **counts))
    assert found.measured == pytest.approx(measured)
    assert found.verdict == claims.IN_SIZE
    assert judged(tmp_path, words, make_record()).verdict == claims.DIFFERS


@pytest.mark.parametrize("runs", [1, 2, 3])
def test_a_bound_that_every_run_meets_exactly_is_not_crossed(tmp_path: Path, runs: int) -> None:
    """In no trial of any run a frame was lost: more rounds could not say it any better."""
    lab = made_lab(tmp_path, "frames: {of: lost, condition: routing-3-rules, size: 64, at_most: 0}")
    (found,) = claims.judge_all(lab, claims.Runs.of(*[make_record()] * runs))
    assert found.verdict == claims.IN_SIZE


def with_streams(*received: int) -> results.Record:
    """A record in whose trials each stream was to send a thousand frames."""
    record = make_record()
    flows = [
        {"name": f"r{n}", "intended": 1000, "offered": 1000, "received": got}
        for n, got in enumerate(received)
    ]
    trials = [
        trial.model_copy(update={"counts": {**trial.counts, "flows": flows}})
        if trial.counts
        else trial
        for trial in record.trials
    ]
    return record.model_copy(update={"trials": tuple(trials)})


@pytest.mark.parametrize(
    ("received", "measured", "verdict"),
    [
        ((600, 200, 300), 1 / 3, claims.IN_SIZE),
        ((0, 200, 300), 0, claims.IN_SIZE),
        ((600, 590, 595), 590 / 600, claims.DIFFERS),
        # Of a load that the router bears, of one stream and of none, nothing is unfair.
        ((1000, 960, 990), None, claims.CANNOT_TELL),
        ((600,), None, claims.CANNOT_TELL),
        ((0, 0), None, claims.CANNOT_TELL),
    ],
)
def test_how_unevenly_a_full_router_serves_streams(
    tmp_path: Path, received: tuple[int, ...], measured: float | None, verdict: str
) -> None:
    words = "frames: {of: uneven, condition: routing-3-rules, size: 64, at_most: 0.34}"
    found = judged(tmp_path, words, with_streams(*received))
    assert found.verdict == verdict
    assert found.measured == (measured if measured is None else pytest.approx(measured))


def searched(*trials: tuple[float, float]) -> results.Record:
    """A record whose search had trials of such losses, in which the quickest took so many ns."""
    record = make_record()
    one = next(t for t in record.trials if t.condition == "routing-3-rules" and t.counts)
    assert one.counts
    made = []
    for lost, quickest in trials:
        delay = {**one.counts["delay_actual_ns"], "min": quickest}
        counts = {**one.counts, "intended": 1000, "delay_actual_ns": delay}
        counts |= {"received": round(1000 * (1 - lost))}
        made.append(one.model_copy(update={"purpose": "search", "counts": counts}))
    return record.model_copy(update={"trials": (*record.trials, *made)})


FULL, CALM = [(0.05, 80e3), (0.2, 81e3), (0.5, 79e3)], [(0.0, 10e3), (0.0, 10.1e3), (0.0, 9.9e3)]


@pytest.mark.parametrize(
    ("trials", "verdict", "measured"),
    [
        ([*FULL, *CALM], claims.IN_DIRECTION, 8),
        # A loss that is none of the two: neither a full queue nor an empty one.
        ([*FULL, *CALM, (0.04, 1e9), (0.001, 1.0)], claims.IN_DIRECTION, 8),
        ([(0.5, 10e3), (0.5, 10.1e3), *CALM], claims.CANNOT_TELL, 1),
        ([(lost, 8e2) for lost, _ in FULL] + CALM, claims.DIFFERS, 0.08),
        # One trial says nothing of how far two lie apart, and a stopped clock nothing at all.
        ([*FULL, CALM[0]], claims.CANNOT_TELL, None),
        ([*FULL, (0.0, 0.0), (0.0, -5.0)], claims.CANNOT_TELL, None),
    ],
)
def test_what_an_overload_does_to_the_delay(
    tmp_path: Path, trials: list[tuple[float, float]], verdict: str, measured: float | None
) -> None:
    words = "overload_delay: {condition: routing-3-rules, size: 64, of: min}"
    found = judged(tmp_path, words, searched(*trials))
    assert found.verdict == verdict
    assert found.measured == (measured if measured is None else pytest.approx(measured, rel=0.02))


def test_an_overload_of_another_size_or_of_a_spoiled_trial_does_not_count(tmp_path: Path) -> None:
    words = "overload_delay: {condition: routing-3-rules, size: 512, of: min}"
    assert judged(tmp_path, words, searched(*FULL, *CALM)).verdict == claims.CANNOT_TELL
    record = searched(*FULL, *CALM)
    spoiled = [
        trial.model_copy(update={"valid": trial.purpose != "search"}) for trial in record.trials
    ]
    words = words.replace("512", "64")
    record = record.model_copy(update={"trials": tuple(spoiled)})
    assert judged(tmp_path, words, record).verdict == claims.CANNOT_TELL


@pytest.mark.parametrize(
    ("judge", "said"),
    [
        (COUNTED % "sene", "did you mean .seen"),
        (COUNTED % "tester cane", "did you mean .tester came"),
        ("frames: {of: lost, condition: routing-3-rules, size: 64}", "at_least, at_most"),
        ("goodput_ratio: {numerator: routing-plain, denominator: routing-fast-path}", "two"),
        ("tcp_order: {conditions: [routing-plain, routing-fastpath]}", "routing-fast-path"),
        ("tcp_bounds: {of: round_trip, condition: routing-plain}", "at_least, at_most"),
        ("tcp_order: {of: round_trip, conditions: [routing-plain, routing-fastpath]}",
         "routing-fast-path"),
    ],
)  # fmt: skip
def test_a_wrong_word_is_one_message(tmp_path: Path, judge: str, said: str) -> None:
    with pytest.raises(FileError, match=said):
        claims.load(made_lab(tmp_path, judge))


def test_what_a_larger_frame_costs(tmp_path: Path) -> None:
    """In the record all sizes cost the same; in print the larger ones went half as fast."""
    words = "{condition: routing-3-rules, larger: 1518, smaller: 64}"
    found = judged(tmp_path, f"size_ratio: {words}", make_record(), published="[slow, fast]")
    assert found.published == "2"
    assert found.measured == pytest.approx(1, rel=0.1)
    assert found.repeatability and found.repeatability[1] < 1.1
    # Another kernel might well say 1.2: no difference is not yet shown.
    assert found.verdict == claims.CANNOT_TELL


@pytest.mark.parametrize(
    ("rank", "bounds", "verdict"),
    [
        (1, "at_least: 0.7", claims.IN_SIZE),
        (1, "at_most: 0.7", claims.DIFFERS),
        (2, "at_least: 0.2", claims.IN_SIZE),
        (2, "at_least: 0.3", claims.DIFFERS),
        (3, "at_least: 0.1", claims.CANNOT_TELL),
    ],
)
def test_packets_were_spread_over_counters(
    tmp_path: Path, rank: int, bounds: str, verdict: str
) -> None:
    """Three in four by the one, and one in four by the other; there is no third."""
    record = with_counts(make_record(), seen=25_000, queued=75_000)
    words = f"condition: routing-3-rules, size: 64, counters: [seen, queued], rank: {rank}"
    found = judged(tmp_path, f"spread: {{{words}, {bounds}}}", record)
    assert found.verdict == verdict
    if verdict == claims.IN_SIZE:
        assert found.evidence == claims.verdicts.EVENTS
