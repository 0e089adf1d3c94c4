"""Claims on TCP, on counters and on frames that came late or not at all, of records made up."""

from __future__ import annotations

from pathlib import Path

import pytest

from ppslab import results
from ppslab.analysis import claims
from ppslab.base.errors import FileError
from ppslab.lab import lab, published
from ppslab.lab.lab import Lab
from tests.support.factory import make_record
from tests.support.tcp_factory import make_tcp_record

FASTPATH = lab.find("fastpath")
TESTER = ("received", "reordered")
HEAD = ",".join(published.COLUMNS) + "\n"
ROWS = (
    "fast,one,A paper,A box,7,TCP,,,goodput,6.4,Gbit/s,6.4 Gbps,page 1,,\n"
    "slow,one,A paper,A box,7,TCP,,,goodput,3200,Mbit/s,3200 Mbps,page 1,,\n"
)  # fmt: skip
CLAIM = """claims:
  - id: one
    source: one
    statement: Something.
    published: %s
    settled_by: The box.
    judge:
      %s
"""


def made_lab(folder: Path, judge: str, published: str = "[]") -> Lab:
    """The lab with one claim, two published goodputs, and two counters on one condition."""
    (folder / "published.csv").write_text(HEAD + ROWS)
    (folder / "claims.yml").write_text(CLAIM % (published, judge))
    words = FASTPATH.spec.model_dump()
    for condition in words["conditions"]:
        if condition["name"] == "routing-3-rules":
            condition["linux"]["counters"] = {"seen": "echo 1", "queued": "echo 1"}
            condition["nodes"] = {"tester": {"counters": {"came": "echo 1"}}}
    return Lab(folder, type(FASTPATH.spec).model_validate(words))


def judged(
    folder: Path,
    judge: str,
    record: results.Record | None = None,
    tcp: results.TcpRecord | None = None,
    published: str = "[]",
) -> claims.Judged:
    (found,) = claims.judge_all(made_lab(folder, judge, published), claims.Runs.of(record, tcp))
    return found


def with_counts(record: results.Record, **counts: int) -> results.Record:
    """The record whose router counted, and whose tester received, so many of 100 000 frames."""
    trials = [
        trial.model_copy(
            update={
                "counters": {"seen": counts.get("seen", 0), "queued": counts.get("queued", 0)},
                "counts": {**(trial.counts or {}), **{k: counts[k] for k in counts if k in TESTER}},
            }
        )
        if trial.condition == "routing-3-rules"
        else trial
        for trial in record.trials
    ]  # fmt: skip
    return record.model_copy(update={"trials": tuple(trials)})


HALF = "counter: queued, of: seen, at_least: 0.4, at_most: 0.6"
COUNTED = "counter_share: {condition: routing-3-rules, size: 64, counter: %s, at_most: 1}"
RATIO = "goodput_ratio: {numerator: routing-fast-path, denominator: routing-plain}"


@pytest.mark.parametrize(
    ("plain", "verdict"),
    [(2.0e9, claims.REPRODUCED), (3.8e9, claims.CONTRADICTED)],
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
    assert found.verdict == claims.INCONCLUSIVE
    assert "ppslab tcp" in found.reason


@pytest.mark.parametrize(
    ("plain", "verdict"),
    [(3.0e9, claims.REPRODUCED), (6.0e9, claims.CONTRADICTED), (4.0e9, claims.INCONCLUSIVE)],
)
def test_goodputs_stand_in_order(tmp_path: Path, plain: float, verdict: str) -> None:
    words = "goodput_order: {conditions: [routing-fast-path, routing-plain]}"
    tcp = make_tcp_record({"routing-fast-path": 4.0e9, "routing-plain": plain})
    assert judged(tmp_path, words, tcp=tcp).verdict == verdict


@pytest.mark.parametrize(
    ("times", "verdict"),
    [(4, claims.REPRODUCED), (0, claims.CONTRADICTED), (1, claims.INCONCLUSIVE)],
)
def test_more_is_sent_again(tmp_path: Path, times: int, verdict: str) -> None:
    words = "more_retransmits: {condition: routing-fast-path, than: routing-plain}"
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
    words = "more_retransmits: {condition: routing-fast-path, than: routing-plain}"
    assert judged(tmp_path, words, tcp=tcp).verdict == claims.INCONCLUSIVE


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


TRIP = "round_trip: {condition: routing-plain, %s}"
TRIPS = "round_trip_order: {conditions: [routing-fast-path, routing-plain]}"


@pytest.mark.parametrize(
    ("words", "fast", "plain", "a_a", "verdict"),
    [
        (TRIP % "at_least: 50, at_most: 60", 1, 54, 1, claims.REPRODUCED),
        (TRIP % "at_least: 50, at_most: 60", 1, 62, 1, claims.CONTRADICTED),
        (TRIP % "at_least: 50", 1, 48, 1, claims.CONTRADICTED),
        (TRIP % "at_most: 60", 1, 59.5, 1, claims.INCONCLUSIVE),
        # One condition alone is held against its bounds, whatever the reference's noise.
        (TRIP % "at_least: 50", 1, 54, 9, claims.REPRODUCED),
        (TRIPS, 20, 54, 54, claims.REPRODUCED),
        (TRIPS, 54, 20, 20, claims.CONTRADICTED),
        (TRIPS, 54, 54, 54, claims.INCONCLUSIVE),
        # 2.7 times as long says nothing where the reference is 4 times as long as itself.
        (TRIPS, 20, 54, 216, claims.INCONCLUSIVE),
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
    assert found.verdict == claims.INCONCLUSIVE
    assert "against itself" in found.reason


@pytest.mark.parametrize(
    ("judge", "counts", "verdict"),
    [
        ("counter: seen, at_most: 0.01", {"seen": 100}, claims.REPRODUCED),
        ("counter: seen, at_most: 0.01", {"seen": 90_000}, claims.CONTRADICTED),
        ("counter: seen, at_least: 0.99", {"seen": 100_000}, claims.REPRODUCED),
        (HALF, {"seen": 100, "queued": 50}, claims.REPRODUCED),
        ("counter: queued, of: seen, at_most: 0.6", {"seen": 0, "queued": 50}, claims.INCONCLUSIVE),
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
    words = f"{word}: {{condition: routing-3-rules, size: 64, at_least: 0.1}}"
    found = judged(tmp_path, words, with_counts(make_record(), **counts))
    assert found.measured == pytest.approx(measured)
    assert found.verdict == claims.REPRODUCED
    assert judged(tmp_path, words, make_record()).verdict == claims.CONTRADICTED


@pytest.mark.parametrize("runs", [1, 2, 3])
def test_a_bound_that_every_run_meets_exactly_is_not_crossed(tmp_path: Path, runs: int) -> None:
    """In no trial of any run a frame was lost: more rounds could not say it any better."""
    lab = made_lab(tmp_path, "lost: {condition: routing-3-rules, size: 64, at_most: 0}")
    (found,) = claims.judge_all(lab, claims.Runs.of(*[make_record()] * runs))
    assert found.verdict == claims.REPRODUCED


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
        ((600, 200, 300), 1 / 3, claims.REPRODUCED),
        ((0, 200, 300), 0, claims.REPRODUCED),
        ((600, 590, 595), 590 / 600, claims.CONTRADICTED),
        # Of a load that the router bears, of one stream and of none, nothing is unfair.
        ((1000, 960, 990), None, claims.INCONCLUSIVE),
        ((600,), None, claims.INCONCLUSIVE),
        ((0, 0), None, claims.INCONCLUSIVE),
    ],
)
def test_how_unevenly_a_full_router_serves_streams(
    tmp_path: Path, received: tuple[int, ...], measured: float | None, verdict: str
) -> None:
    words = "uneven: {condition: routing-3-rules, size: 64, at_most: 0.34}"
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
        ([*FULL, *CALM], claims.REPRODUCED, 8),
        # A loss that is none of the two: neither a full queue nor an empty one.
        ([*FULL, *CALM, (0.04, 1e9), (0.001, 1.0)], claims.REPRODUCED, 8),
        ([(0.5, 10e3), (0.5, 10.1e3), *CALM], claims.INCONCLUSIVE, 1),
        ([(lost, 8e2) for lost, _ in FULL] + CALM, claims.CONTRADICTED, 0.08),
        # One trial says nothing of how far two lie apart, and a stopped clock nothing at all.
        ([*FULL, CALM[0]], claims.INCONCLUSIVE, None),
        ([*FULL, (0.0, 0.0), (0.0, -5.0)], claims.INCONCLUSIVE, None),
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
    assert judged(tmp_path, words, searched(*FULL, *CALM)).verdict == claims.INCONCLUSIVE
    record = searched(*FULL, *CALM)
    spoiled = [
        trial.model_copy(update={"valid": trial.purpose != "search"}) for trial in record.trials
    ]
    words = words.replace("512", "64")
    record = record.model_copy(update={"trials": tuple(spoiled)})
    assert judged(tmp_path, words, record).verdict == claims.INCONCLUSIVE


@pytest.mark.parametrize(
    ("judge", "said"),
    [
        (COUNTED % "sene", "did you mean .seen"),
        (COUNTED % "tester cane", "did you mean .tester came"),
        ("lost: {condition: routing-3-rules, size: 64}", "at_least, at_most"),
        ("goodput_ratio: {numerator: routing-plain, denominator: routing-fast-path}", "two"),
        ("goodput_order: {conditions: [routing-plain, routing-fastpath]}", "routing-fast-path"),
        ("round_trip: {condition: routing-plain}", "at_least, at_most"),
        ("round_trip_order: {conditions: [routing-plain, routing-fastpath]}", "routing-fast-path"),
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
    assert found.verdict == claims.CONTRADICTED


@pytest.mark.parametrize(
    ("rank", "bounds", "verdict"),
    [
        (1, "at_least: 0.7", claims.REPRODUCED),
        (1, "at_most: 0.7", claims.CONTRADICTED),
        (2, "at_least: 0.2", claims.REPRODUCED),
        (2, "at_least: 0.3", claims.CONTRADICTED),
        (3, "at_least: 0.1", claims.INCONCLUSIVE),
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
    if verdict == claims.REPRODUCED:
        assert found.evidence == claims.verdicts.EVENTS
