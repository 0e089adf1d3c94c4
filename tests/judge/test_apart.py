"""A router that is a device of its own: its work is in nobody else's time."""

from __future__ import annotations

import random
from collections import Counter
from types import SimpleNamespace
from typing import Any

import pytest

from ppslab.judge import claims, costs
from ppslab.measure.rounds import cost_rounds
from ppslab.measure.trial.spec import TrialSpec
from ppslab.model import results
from ppslab.model.lab import lab, profiles
from ppslab.show import record_tables
from tests.support.factory import make_record

FASTPATH = lab.find("fastpath")
RATES = {"routing-plain": 200e3, "routing-fast-path": 500e3, "routing-25-ip-filter-rules": 100e3}


def record_of(rates: dict[str, float], tester: float = 10e6) -> results.Record:
    """A record of a device that forwards so many frames a second of what is sent to it."""
    record = make_record()
    trials = []
    for trial in record.trials:
        if trial.condition is None or trial.purpose not in ("cost", "a-a"):
            continue
        counts = {**(trial.counts or {}), "send_seconds": 0.1, "offered": tester / 10}
        counts["received"] = rates.get(trial.condition, 150e3) / 10
        trials.append(trial.model_copy(update={"counts": counts, "intended_load": None}))
    alone = results.Tester(
        name="ppstraffic", version="1", back_to_back=dict.fromkeys(record.frame_sizes, tester)
    )
    return record.model_copy(update={"baseline": "none", "trials": tuple(trials), "tester": alone})


def test_a_cost_is_one_over_the_forwarding_rate() -> None:
    record = record_of(RATES)
    assert costs.cost(record, "routing-plain", 64).estimate == pytest.approx(5000)
    found = costs.ratio(record, "routing-25-ip-filter-rules", "routing-fast-path", 64)
    assert found.estimate == pytest.approx(5.0)
    assert "device of its own" in record_tables.baseline_line(record, 64)
    assert record_tables.costs(record).rows


def test_a_router_that_forwards_all_that_comes_has_no_cost() -> None:
    record = record_of(RATES, tester=210e3)
    with pytest.raises(costs.NoDataError, match="all that the tester can send"):
        costs.cost(record, "routing-plain", 64)
    assert costs.cost(record, "routing-25-ip-filter-rules", 64).estimate == pytest.approx(1e4)


def test_its_rounds_hold_no_baseline() -> None:
    seen: Counter[str] = Counter()

    def trial(wanted: TrialSpec) -> None:
        assert wanted.arrangement == "separate"
        seen[wanted.purpose] += 1

    testbed: Any = SimpleNamespace(
        lab=FASTPATH,
        profile=profiles.load("quick"),
        trial=trial,
        router=SimpleNamespace(is_external=True),
        counted=False,
    )
    cost_rounds(testbed, list(FASTPATH.conditions.values())[:3], [64], random.Random(1))
    assert set(seen) == {"cost", "a-a"}


def with_level(record: results.Record, level: str) -> results.Record:
    environment = {**record.environment, "routeros": {"level": level}}
    return record.model_copy(update={"environment": environment})


def test_a_free_licence_leaves_no_claim_on_rates() -> None:
    record = record_of(RATES)
    paid = {
        j.id: j
        for j in claims.judge_all(FASTPATH, claims.Runs.of(with_level(record, "p-unlimited")))
    }
    free = {j.id: j for j in claims.judge_all(FASTPATH, claims.Runs.of(with_level(record, "free")))}
    name = "tracking-costs-more-than-the-fast-path"
    assert paid[name].verdict != claims.NOT_TESTABLE
    assert free[name].verdict == claims.NOT_TESTABLE
    assert "/system/license/renew" in free[name].reason
