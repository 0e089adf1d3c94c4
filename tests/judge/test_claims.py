"""Verdicts on records whose truth the test knows."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import pytest

from ppslab.core.errors import FileError
from ppslab.judge import claims
from ppslab.judge import costs as analysis
from ppslab.judge.claims import agreement
from ppslab.judge.claims.deciding import Size
from ppslab.judge.claims.judges import RateRatio
from ppslab.model import results
from ppslab.model.lab import lab, published
from ppslab.model.lab.lab import Lab
from ppslab.model.statistics import median_interval
from ppslab.show import record_tables
from tests.support.factory import COSTS, make_record

FASTPATH = lab.find("fastpath")


def verdicts(**changes: float) -> dict[str, claims.Judged]:
    costs = {name.replace("_", "-"): value for name, value in changes.items()}
    record = make_record(costs=costs)
    return {judged.id: judged for judged in claims.judge_all(FASTPATH, claims.Runs.of(record))}


def test_every_claim_gets_a_verdict_its_evidence_and_a_reason() -> None:
    for judged in verdicts().values():
        assert judged.verdict in get_args(claims.Verdict)
        assert (judged.evidence is None) == (judged.verdict == claims.NOT_TESTABLE)
        built = judged.evidence == claims.BY_CONSTRUCTION
        assert built == (judged.verdict == claims.NO_VERDICT)
        refutes = judged.verdict in (claims.CONFIRMED, claims.REFUTED)
        routeros = judged.evidence in (claims.ROUTEROS, claims.PUBLISHED, claims.DOCUMENTED)
        assert routeros or not refutes, "a stand-in neither confirms nor refutes RouterOS"
        assert judged.reason
        assert judged.statement


def test_the_published_ratio_of_two_and_a_quarter_comes_from_the_rows() -> None:
    judged = verdicts()["ratio-of-tracking-to-the-fast-path"]
    assert judged.published == "2.27"
    assert judged.measured == pytest.approx(400 / 150, rel=0.05)
    assert judged.interval is not None
    assert judged.interval[0] <= judged.measured <= judged.interval[1]
    assert judged.verdict == claims.IN_SIZE


def test_a_ratio_far_from_the_published_one_has_its_direction_alone() -> None:
    judged = verdicts(routing_connection_tracking=1500.0)["ratio-of-tracking-to-the-fast-path"]
    assert judged.verdict == claims.IN_DIRECTION
    assert "times above the published" in judged.reason
    other_way = verdicts(routing_connection_tracking=100.0)["ratio-of-tracking-to-the-fast-path"]
    assert other_way.verdict == claims.DIFFERS


def test_an_order_that_flips_contradicts() -> None:
    usual = verdicts()["tracking-costs-more-than-the-fast-path"]
    flipped = verdicts(routing_connection_tracking=100.0)["tracking-costs-more-than-the-fast-path"]
    assert usual.verdict == claims.IN_DIRECTION
    assert flipped.verdict == claims.DIFFERS


def test_a_step_within_the_noise_is_inconclusive() -> None:
    record = make_record(costs={"routing-3-rules": 401.0}, noise=0.03)
    judged = {j.id: j for j in claims.judge_all(FASTPATH, claims.Runs.of(record))}
    assert judged["the-first-three-rules-cost-more-than-tracking"].verdict == claims.CANNOT_TELL


def test_rules_that_change_little_are_told_from_rules_that_cost() -> None:
    near = verdicts()["more-rules-change-almost-nothing"]
    assert near.interval and near.interval[1] < agreement.load().same
    assert near.verdict == claims.IN_SIZE
    dear = verdicts(routing_13_rules=900.0)["more-rules-change-almost-nothing"]
    assert dear.verdict == claims.DIFFERS


def test_without_a_record_nothing_is_conclusive_but_arithmetic() -> None:
    found = {judged.id: judged for judged in claims.judge_all(FASTPATH)}
    assert found["large-frames-are-bound-by-bits"].verdict == claims.CONSISTENT
    ratio = found["ratio-of-tracking-to-the-fast-path"]
    assert ratio.verdict == claims.CANNOT_TELL
    assert "ppslab run fastpath" in ratio.reason


def test_a_condition_whose_rules_were_not_applied_leaves_its_claims_open() -> None:
    record = make_record(without=("routing-connection-tracking",))
    found = {judged.id: judged for judged in claims.judge_all(FASTPATH, claims.Runs.of(record))}
    assert found["ratio-of-tracking-to-the-fast-path"].verdict == claims.CANNOT_TELL
    assert "no valid rounds" in found["ratio-of-tracking-to-the-fast-path"].reason


def test_the_router_cost_is_what_the_baseline_leaves() -> None:
    record = make_record(noise=0.001)
    for name in ("routing-fast-path", "routing-25-simple-queues"):
        assert analysis.cost(record, name, 64).estimate == pytest.approx(COSTS[name], rel=0.05)
    with_receiver = analysis.cost(record, "routing-fast-path", 64, "drop").estimate
    assert with_receiver == pytest.approx(COSTS["routing-fast-path"] + 150, rel=0.05)


def test_the_reference_against_itself_is_one() -> None:
    record = make_record()
    assert not analysis.a_a_interval(record, 64).excludes(1.0)
    assert analysis.noise(record, 64) < 0.2


CLAIM = """claims:
  - id: one
    source: someone
    statement: Something.
    judge:
      %s
"""


@pytest.mark.parametrize(
    ("judge", "said"),
    [
        ("order: {conditions: [routing-fast-path, routing-plane], size: 64}", "routing-plain"),
        ("ratio: {numerator: routing-plain, denominator: routing-3-rules, size: 64}", "two"),
        ("odrer: {conditions: [routing-fast-path, routing-plain], size: 64}", "order"),
        ("{}", "exactly one"),
    ],
)
def test_a_wrong_claim_is_one_message_with_its_line(tmp_path: Path, judge: str, said: str) -> None:
    for file in FASTPATH.folder.iterdir():
        if file.name != "claims.yml":
            (tmp_path / file.name).symlink_to(file)
    (tmp_path / "claims.yml").write_text(CLAIM % judge)
    with pytest.raises(FileError, match=said) as caught:
        claims.load(Lab(tmp_path, FASTPATH.spec))
    assert caught.value.line is not None


def test_a_factor_is_a_published_ratio_by_itself() -> None:
    fasttrack = lab.find("fasttrack")
    pairs = record_tables.beside(fasttrack, published.load(fasttrack), None)
    shown = {(pair.condition, pair.base): pair.published_text for pair in pairs}
    assert shown["rules-25", "fasttrack-25"] == "3"
    found = {each.id: each for each in claims.judge_all(fasttrack)}
    assert found["more-than-five-times"].published == "5 or more"
    assert found["two-and-a-half-times-in-use"].published == "2.5"


@pytest.mark.long
def test_an_a_a_trial_counts_for_every_judge() -> None:
    """Rounds that all say 1.02, where the reference differs from itself by half: nothing is so."""
    costs = {"routing-13-rules": 470.0, "routing-connection-tracking": 340.0}
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
        ("tracking-costs-more-than-the-fast-path", claims.IN_DIRECTION),
        ("ratio-of-tracking-to-the-fast-path", claims.IN_SIZE),
    ):
        said = [
            {j.id: j for j in claims.judge_all(FASTPATH, claims.Runs.of(record))}[name].verdict
            for record in (quiet, loud)
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
    ("named", "goal", "said"),
    [
        ("routing-connection-tracking", {"relevant_lower_bound": None}, "at no load was at most"),
        ("routing-fast-path", {"relevant_lower_bound": None}, "at no load was at most"),
        ("routing-fast-path", None, "no valid trial: CPU steal"),
    ],
)
def test_where_a_search_found_no_throughput_the_claim_says_of_what(
    named: str, goal: dict[str, Any] | None, said: str
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
    assert found.reason.startswith(f"no throughput found of {named} at 64 bytes: {said}")
    # Another run that found one decides, beside it.
    both = {j.id: j for j in claims.judge_all(FASTPATH, claims.Runs.of(without, record))}
    assert both[found.id].evidence == claims.TIMED and both[found.id].runs == 1


def test_rates_are_as_far_apart_as_costs_with_the_tester_in_them() -> None:
    """What the method says of cost and rate, in every timed record of the repository."""
    rates = RateRatio(
        numerator="routing-connection-tracking", denominator="routing-fast-path", size=64
    )
    rows = [published.load(FASTPATH)[f"rb1100-{name}-total-rx"] for name in
            ("connection-tracking", "fast-path")]  # fmt: skip
    kept = sorted((Path(__file__).resolve().parents[2] / "results").glob("fastpath-*.json"))
    timed = [each for each in map(results.load, kept) if each.measure == "timed" and each.searches]
    asked = []
    for record in timed:
        try:
            asked.append((record, rates.question(record, rows)))
        except analysis.NoThroughputError:
            continue  # its claim says so
    assert asked
    for record, searched in asked:
        assert isinstance(searched, Size)
        whole = [
            median_interval(list(analysis.raw_costs(record, name, 64).values())).estimate
            for name in (rates.numerator, rates.denominator)
        ]
        router = analysis.ratio(record, rates.numerator, rates.denominator, 64).estimate
        assert whole[0] / whole[1] == pytest.approx(searched.measured.estimate, rel=0.1)
        assert router > searched.measured.high


def test_costs_are_judged_by_the_timed_run_and_the_counted_one_stands_beside() -> None:
    timed = make_record(costs={"routing-connection-tracking": 100.0})
    counted = make_record(seed=2).model_copy(update={"measure": "counted"})
    found = {j.id: j for j in claims.judge_all(FASTPATH, claims.Runs.of(timed, counted))}
    judged = found["tracking-costs-more-than-the-fast-path"]
    assert (judged.verdict, judged.evidence, judged.runs) == (claims.DIFFERS, claims.TIMED, 1)
    (other,) = judged.others
    assert (other.verdict, other.evidence) == (claims.IN_DIRECTION, claims.COUNTED)
    # A rate takes time: a counted run has none.
    rate = found["rate-of-tracking-and-of-the-fast-path"]
    assert (rate.evidence, rate.others) == (claims.TIMED, ())


def test_what_we_built_in_is_no_evidence_of_a_router() -> None:
    l3offload = lab.find("l3offload")
    said = {claim.id for claim in claims.load(l3offload) if claim.by_construction}
    assert "twelve-thousand-routes-fit" in said and "by-the-cpu-everything-counts" not in said
    kept = sorted((Path(__file__).resolve().parents[2] / "results").glob("l3offload-*.json"))
    found = claims.judge_all(l3offload, claims.Runs.of(*map(results.load, kept)))
    by_us = [each for each in found if each.id in said and each.runs]
    assert len(by_us) > 5
    assert {each.evidence for each in by_us} == {claims.BY_CONSTRUCTION}
    assert all("by construction: " in each.reason for each in by_us)
