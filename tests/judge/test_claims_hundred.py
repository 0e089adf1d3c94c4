"""What a number of ports can carry, and a claim whose condition this machine has not."""

from __future__ import annotations

import pytest

from ppslab.judge import claims
from ppslab.model import results
from ppslab.model.lab import lab
from tests.support.tcp_factory import make_tcp_record

HUNDRED = lab.find("hundred")


def verdicts(record: results.TcpRecord | None = None) -> dict[str, claims.Judged]:
    return {judged.id: judged for judged in claims.judge_all(HUNDRED, claims.Runs.of(None, record))}


def test_what_is_printed_is_held_against_the_ports_that_are_printed() -> None:
    found = verdicts()["the-printed-bond-carries-it"]
    assert found.verdict == claims.INCONSISTENT
    assert found.measured == pytest.approx(101 / 80)
    assert "8 ports of 10 Gbit/s carry 80 Gbit/s" in found.reason
    assert verdicts()["six-cards-carry-120"].verdict == claims.CONSISTENT


def test_a_condition_that_was_left_out_makes_its_claim_not_testable() -> None:
    assert verdicts()["hyper-threading-helps"].verdict == claims.CANNOT_TELL
    reason = "vm has no hyper-threads here"
    skipped = results.Skipped(condition="two-threads", reason=reason)
    record = make_tcp_record().model_copy(update={"skipped": (skipped,)})
    found = verdicts(record)["hyper-threading-helps"]
    assert found.verdict == claims.NOT_TESTABLE
    assert found.reason == f"two-threads: {reason}"
