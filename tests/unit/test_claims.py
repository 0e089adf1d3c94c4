"""Verdicts on records whose truth the test knows."""

from __future__ import annotations

from pathlib import Path

import pytest

from ppslab import analysis, claims, lab, published, views
from ppslab.errors import FileError
from ppslab.lab import Lab
from tests.factory import COSTS, make_record

FASTPATH = lab.find("fastpath")


def verdicts(**changes: float) -> dict[str, claims.Judged]:
    costs = {name.replace("_", "-"): value for name, value in changes.items()}
    record = make_record(costs=costs)
    return {judged.id: judged for judged in claims.judge_all(FASTPATH, record)}


def test_every_claim_gets_one_of_the_four_verdicts_and_a_reason() -> None:
    for judged in verdicts().values():
        assert judged.verdict in {
            claims.REPRODUCED, claims.CONTRADICTED, claims.INCONCLUSIVE, claims.NOT_TESTABLE
        }  # fmt: skip
        assert judged.reason
        assert judged.statement


def test_the_published_ratio_of_two_and_a_quarter_comes_from_the_rows() -> None:
    judged = verdicts()["ratio-of-tracking-to-the-fast-path"]
    assert judged.published == "2.27"
    assert judged.measured == pytest.approx(400 / 150, rel=0.05)
    assert judged.interval is not None
    assert judged.interval[0] <= judged.measured <= judged.interval[1]
    assert judged.verdict == claims.REPRODUCED


def test_a_ratio_far_from_the_published_one_contradicts() -> None:
    judged = verdicts(routing_connection_tracking=1500.0)["ratio-of-tracking-to-the-fast-path"]
    assert judged.verdict == claims.CONTRADICTED


def test_an_order_that_flips_contradicts() -> None:
    usual = verdicts()["tracking-costs-more-than-the-fast-path"]
    flipped = verdicts(routing_connection_tracking=100.0)["tracking-costs-more-than-the-fast-path"]
    assert usual.verdict == claims.REPRODUCED
    assert flipped.verdict == claims.CONTRADICTED


def test_a_step_within_the_noise_is_inconclusive() -> None:
    record = make_record(costs={"routing-3-rules": 401.0}, noise=0.03)
    judged = {j.id: j for j in claims.judge_all(FASTPATH, record)}
    assert judged["the-first-three-rules-cost-more-than-tracking"].verdict == claims.INCONCLUSIVE


def test_rules_that_change_little_are_told_from_rules_that_cost() -> None:
    assert verdicts()["more-rules-change-almost-nothing"].verdict == claims.REPRODUCED
    dear = verdicts(routing_13_rules=900.0)["more-rules-change-almost-nothing"]
    assert dear.verdict == claims.CONTRADICTED


def test_without_a_record_nothing_is_conclusive_but_arithmetic() -> None:
    found = {judged.id: judged for judged in claims.judge_all(FASTPATH, None)}
    assert found["large-frames-are-bound-by-bits"].verdict == claims.REPRODUCED
    ratio = found["ratio-of-tracking-to-the-fast-path"]
    assert ratio.verdict == claims.INCONCLUSIVE
    assert "ppslab run fastpath" in ratio.reason


def test_a_condition_whose_rules_were_not_applied_leaves_its_claims_open() -> None:
    record = make_record(without=("routing-connection-tracking",))
    found = {judged.id: judged for judged in claims.judge_all(FASTPATH, record)}
    assert found["ratio-of-tracking-to-the-fast-path"].verdict == claims.INCONCLUSIVE
    assert "no valid rounds" in found["ratio-of-tracking-to-the-fast-path"].reason


def test_the_router_cost_is_what_the_baseline_leaves() -> None:
    record = make_record(noise=0.001)
    for name in ("routing-fast-path", "routing-25-simple-queues"):
        assert analysis.cost(record, name, 64).estimate == pytest.approx(COSTS[name], rel=0.05)
    with_receiver = analysis.cost(record, "routing-fast-path", 64, "drop").estimate
    assert with_receiver == pytest.approx(COSTS["routing-fast-path"] + 150, rel=0.05)


def test_the_reference_against_itself_is_one() -> None:
    record = make_record()
    assert not analysis.null_interval(record, 64).excludes(1.0)
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
        claims.load(Lab(tmp_path, FASTPATH.words))
    assert caught.value.line is not None


def test_a_factor_is_a_published_ratio_by_itself() -> None:
    fasttrack = lab.find("fasttrack")
    pairs = views.beside(fasttrack, published.load(fasttrack), None)
    shown = {(pair.condition, pair.base): pair.published_text for pair in pairs}
    assert shown["rules-25", "fasttrack-25"] == "3"
    found = {each.id: each for each in claims.judge_all(fasttrack, None)}
    assert found["more-than-five-times"].published == "5 or more"
    assert found["two-and-a-half-times-in-use"].published == "2.5"
