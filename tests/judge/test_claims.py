"""Verdicts on records whose truth the test knows, and on what the published numbers say alone."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from ppslab.judge import claims
from ppslab.judge import costs as analysis
from ppslab.judge.claims import arithmetic
from ppslab.judge.claims.arithmetic import ExpressionError
from ppslab.judge.claims.deciding import Size
from ppslab.judge.claims.judges import RateRatio
from ppslab.model import results
from ppslab.model.lab import lab, published
from ppslab.model.lab.published import Value
from ppslab.show import record_tables
from tests.judge.made_claims import judged, made_lab, with_counts
from tests.support.factory import make_record
from tests.support.tcp_factory import make_tcp_record

FASTPATH = lab.find("fastpath")


def verdicts(**changes: float) -> dict[str, claims.Judged]:
    costs = {name.replace("_", "-"): value for name, value in changes.items()}
    record = make_record(costs=costs)
    return {judged.id: judged for judged in claims.judge_all(FASTPATH, claims.Runs.of(record))}


def test_the_published_ratio_of_two_and_a_quarter_comes_from_the_rows() -> None:
    judged = verdicts()["ratio-of-tracking-to-the-fast-path"]
    assert judged.published == "2.27"
    assert judged.measured == pytest.approx(400 / 150, rel=0.05)
    assert judged.interval is not None
    assert judged.interval[0] <= judged.measured <= judged.interval[1]
    assert judged.verdict == claims.IN_SIZE


def test_a_factor_is_a_published_ratio_by_itself() -> None:
    fasttrack = lab.find("fasttrack")
    pairs = record_tables.beside(fasttrack, published.load(fasttrack), None)
    shown = {(pair.condition, pair.base): pair.published_text for pair in pairs}
    assert shown["rules-25", "fasttrack-25"] == "2.5"
    found = {each.id: each for each in claims.judge_all(fasttrack)}
    assert found["more-than-five-times"].published == "5 or more"
    assert found["two-and-a-half-times-in-use"].published == "2.5"


@pytest.mark.long
def test_an_a_a_trial_counts_for_every_judge() -> None:
    """Rounds that all say 1.02, where the reference differs from itself by half: nothing is so."""
    costs = {"routing-25-simple-queues": 400.0, "routing-connection-tracking": 340.0}
    quiet = make_record(noise=0.001, costs=costs)
    loud = quiet.model_copy(
        update={
            "trials": tuple(
                trial.model_copy(update={"counts": _slower(trial, 1.5 if trial.round else 0.7)})
                if trial.purpose == "a-a"
                else trial
                for trial in quiet.trials
            )
        }
    )
    for name, sure in (
        ("queues-cost-less-than-bridge-filter-rules", claims.IN_DIRECTION),
        ("ratio-of-tracking-to-the-fast-path", claims.IN_SIZE),
    ):
        judged_by = [
            {j.id: j for j in claims.judge_all(FASTPATH, claims.Runs.of(record))}[name]
            for record in (quiet, loud)
        ]
        said = [
            next(each.verdict for each in (one, *one.others) if each.evidence == claims.TIMED)
            for one in judged_by
        ]
        assert said == [sure, claims.CANNOT_TELL]


def _slower(trial: results.Trial, times: float) -> dict[str, Any]:
    counts = dict(trial.counts or {})
    return {**counts, "send_cpu_seconds": counts["send_cpu_seconds"] * times}


@pytest.mark.long
def test_three_runs_judge_together_and_one_says_that_it_is_alone() -> None:
    runs = [make_record(seed=seed) for seed in (1, 2, 3)]
    name = "ratio-of-tracking-to-the-fast-path"
    alone = {j.id: j for j in claims.judge_all(FASTPATH, claims.Runs.of(runs[0]))}[name]
    together = {j.id: j for j in claims.judge_all(FASTPATH, claims.Runs.of(*runs))}[name]
    assert (alone.runs, together.runs) == (1, 3)
    assert "one run of 3" in alone.reason and "of 3" not in together.reason
    # One of three that says something else leaves the claim open.
    other = make_record(seed=3, costs={"routing-connection-tracking": 160.0})
    apart = {j.id: j for j in claims.judge_all(FASTPATH, claims.Runs.of(*runs[:2], other))}[name]
    assert apart.verdict == claims.CANNOT_TELL


def test_rates_are_judged_by_what_the_searches_bound() -> None:
    """The searches of the made-up record: a bound of 2 % above each throughput."""
    rates = RateRatio(
        numerator="routing-connection-tracking", denominator="routing-fast-path", size=64
    )
    rows = [published.load(FASTPATH)[f"rb1100-{name}-total-rx"] for name in
            ("connection-tracking", "fast-path")]  # fmt: skip
    found = rates.question(make_record(), rows)
    assert isinstance(found, Size)
    truth = (400 + 500) / (150 + 500)
    assert found.measured.low == pytest.approx(truth / 1.02)
    assert found.measured.high == pytest.approx(truth * 1.02)
    assert str(found.published) == "2.27"
    none = make_record().model_copy(update={"searches": ()})
    with pytest.raises(analysis.NoDataError, match="no search of"):
        rates.question(none, rows)


@pytest.mark.long
@pytest.mark.parametrize(
    ("named", "goal"),
    [
        ("routing-connection-tracking", {"relevant_lower_bound": None}),
        ("routing-fast-path", {"relevant_lower_bound": None}),
        ("routing-fast-path", None),
    ],
)
def test_where_a_search_found_no_throughput_the_claim_says_of_what(
    named: str, goal: dict[str, Any] | None
) -> None:
    """On a noisy machine a search may end without a load that passed, or fail: then no rate."""
    record = make_record()
    searches = tuple(
        each
        if (each.condition, each.frame_size) != (named, 64)
        else each.model_copy(update={"goals": (), "failed_because": "no valid trial: CPU steal"})
        if goal is None
        else each.model_copy(
            update={"goals": tuple(one.model_copy(update=goal) for one in each.goals)}
        )
        for each in record.searches
    )
    without = record.model_copy(update={"searches": searches})
    judged = {j.id: j for j in claims.judge_all(FASTPATH, claims.Runs.of(without))}
    found = judged["rate-of-tracking-and-of-the-fast-path"]
    assert found.verdict == claims.CANNOT_TELL
    assert named in found.reason
    # Another run that found one decides, beside it.
    both = {j.id: j for j in claims.judge_all(FASTPATH, claims.Runs.of(without, record))}
    assert both[found.id].evidence == claims.TIMED and both[found.id].runs == 1


def test_costs_are_judged_by_the_timed_run_and_the_counted_one_stands_beside() -> None:
    timed = make_record(costs={"routing-connection-tracking": 100.0})
    counted = make_record(seed=2).model_copy(update={"measure": "counted"})
    found = {j.id: j for j in claims.judge_all(FASTPATH, claims.Runs.of(timed, counted))}
    judged = found["ratio-of-tracking-to-the-fast-path"]
    assert (judged.verdict, judged.evidence, judged.runs) == (claims.DIFFERS, claims.TIMED, 1)
    (other,) = judged.others
    assert (other.verdict, other.evidence) == (claims.CANNOT_TELL, claims.COUNTED)
    # A rate takes time: a counted run has none.
    rate = found["rate-of-tracking-and-of-the-fast-path"]
    assert (rate.evidence, rate.others) == (claims.TIMED, ())


HALF = "counter: queued, of: seen, at_least: 0.4, at_most: 0.6"


@pytest.mark.parametrize(
    ("judge", "counts", "verdict"),
    [
        ("counter: seen, at_most: 0.01", {"seen": 100}, claims.HOLDS),
        ("counter: seen, at_most: 0.01", {"seen": 90_000}, claims.DOES_NOT_HOLD),
        ("counter: seen, at_least: 0.99", {"seen": 100_000}, claims.HOLDS),
        (HALF, {"seen": 100, "queued": 50}, claims.HOLDS),
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
    assert found.verdict == claims.HOLDS
    assert judged(tmp_path, words, make_record()).verdict == claims.DOES_NOT_HOLD


@pytest.mark.parametrize("runs", [1, 2, 3])
def test_a_bound_that_every_run_meets_exactly_is_not_crossed(tmp_path: Path, runs: int) -> None:
    """In no trial of any run a frame was lost: more rounds could not say it any better."""
    lab = made_lab(tmp_path, "frames: {of: lost, condition: routing-3-rules, size: 64, at_most: 0}")
    (found,) = claims.judge_all(lab, claims.Runs.of(*[make_record()] * runs))
    assert found.verdict == claims.HOLDS


@pytest.mark.parametrize(
    ("shares", "verdict"), [((0.2, 0.16), claims.CANNOT_TELL), ((0.2, 0.16, 0.18), claims.HOLDS)]
)
def test_two_runs_that_differ_ask_for_a_third_which_decides(
    tmp_path: Path, shares: tuple[float, ...], verdict: str
) -> None:
    words = "spread: {condition: routing-3-rules, size: 64, counters: [seen, queued], rank: 2, "
    lab = made_lab(tmp_path, words + "at_least: 0.02}")
    runs = [
        with_counts(make_record(), seen=round(share * 1e5), queued=round((1 - share) * 1e5))
        for share in shares
    ]
    (found,) = claims.judge_all(lab, claims.Runs.of(*runs))
    assert found.verdict == verdict
    assert ("a third run" in found.reason) == (verdict == claims.CANNOT_TELL)


@pytest.mark.parametrize(
    ("rank", "bounds", "verdict"),
    [
        (1, "at_least: 0.7", claims.HOLDS),
        (1, "at_most: 0.7", claims.DOES_NOT_HOLD),
        (2, "at_least: 0.2", claims.HOLDS),
        (2, "at_least: 0.3", claims.DOES_NOT_HOLD),
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
    if verdict == claims.HOLDS:
        assert found.evidence == claims.verdicts.EVENTS


@pytest.mark.parametrize(
    ("plain", "verdict"),
    [(3.0e9, claims.IN_DIRECTION), (6.0e9, claims.DIFFERS), (4.0e9, claims.CANNOT_TELL)],
)
def test_goodputs_stand_in_order(tmp_path: Path, plain: float, verdict: str) -> None:
    words = "tcp_order: {conditions: [routing-fast-path, routing-plain]}"
    tcp = make_tcp_record({"routing-fast-path": 4.0e9, "routing-plain": plain})
    assert judged(tmp_path, words, tcp=tcp).verdict == verdict


HUNDRED = lab.find("hundred")


def of_hundred(record: results.TcpRecord | None = None) -> dict[str, claims.Judged]:
    return {judged.id: judged for judged in claims.judge_all(HUNDRED, claims.Runs.of(None, record))}


def test_a_condition_that_was_left_out_makes_its_claim_not_testable() -> None:
    assert of_hundred()["hyper-threading-helps"].verdict == claims.CANNOT_TELL
    reason = "vm has no hyper-threads here"
    skipped = results.Skipped(condition="two-threads", reason=reason)
    record = make_tcp_record().model_copy(update={"skipped": (skipped,)})
    found = of_hundred(record)["hyper-threading-helps"]
    assert found.verdict == claims.NOT_TESTABLE
    assert "two-threads" in found.reason and reason in found.reason
    assert found.settled_by and found.settled_by in found.reason


ROWS = {"a": Value(6, 6), "b": Value(2, 2), "least": Value(250, math.inf), "some": Value(1, 3)}


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("[a] / [b]", Value(3, 3)),
        ("([a] - [b]) * 10 + 1.5", Value(41.5, 41.5)),
        ("[a] * [some]", Value(6, 18)),
        ("[a] - [some]", Value(3, 5)),
        ("min([a], [b], [some])", Value(1, 2)),
        ("max([a], [least])", Value(250, math.inf)),
    ],
)
def test_what_an_expression_comes_to(expression: str, value: Value) -> None:
    assert arithmetic.value(expression, ROWS) == value


@pytest.mark.parametrize(
    "expression",
    ["[c]", "a", "[a] ** 2", "__import__('os')", "[a].low", "[a] +", "print([a])", "'a'", "-[a]"],
)
def test_what_is_no_expression_is_refused(expression: str) -> None:
    with pytest.raises(ExpressionError):
        arithmetic.value(expression, ROWS)


def test_a_sentence_has_one_sign() -> None:
    assert arithmetic.sides("[a] >= 2 * [b]") == ("[a]", ">=", "2 * [b]")
    for wrong in ("[a] + [b]", "[a] = [b] = 2"):
        with pytest.raises(ExpressionError):
            arithmetic.sides(wrong)
