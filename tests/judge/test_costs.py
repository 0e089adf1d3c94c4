"""What a packet costs, by hand: from the counts of trials to times, rates and ratios."""

from __future__ import annotations

from typing import Any

import pytest

from ppslab.judge import claims, costs, goodput
from ppslab.model import results
from ppslab.model.lab import lab
from ppslab.model.results import ConditionRecord, Record, TcpRecord, Tester, Transfer, Trial, Way
from ppslab.model.statistics import Interval
from ppslab.show import record_tables
from tests.support.factory import make_record


def trial(purpose: str, condition: str | None, seconds: float, **other: Any) -> Trial:
    """100 000 frames of which half arrive; `seconds` of the sender's CPU in 0.5 s."""
    counts = {"send_cpu_seconds": seconds, "send_seconds": 0.5, "offered": 100_000,
              "received": 50_000, **other.pop("counts", {})}  # fmt: skip
    known = {"purpose": purpose, "condition": condition, "counts": counts, "frame_size": 64}
    return Trial.model_construct(
        **{**known, "round": 0, "valid": True, "intended_load": None} | other
    )


def record(*trials: Trial, delivers: str = "all", **other: Any) -> Record:
    return Record.model_construct(
        **{"clock": "cpu", "baseline": "cable", "trials": trials}
        | {"conditions": (ConditionRecord.model_construct(name="a", delivers=delivers),)}
        | {"tester": Tester.model_construct(back_to_back={64: 8e4}, into_the_router={64: 1.2e5})}
        | other
    )


CABLE = trial("cable", None, 0.06)  # 600 ns of each frame that was offered
DROP = trial("drop", None, 0.045)


@pytest.mark.parametrize(
    ("made", "cost"),
    [
        (record(trial("cost", "a", 0.2), CABLE), 2000 - 600),
        # An instruction takes two nanoseconds of a counted router (icount shift=1).
        (record(trial("cost", "a", 0.2), CABLE, measure="counted"), 1000 - 300),
        (record(trial("cost", "a", 0.2), CABLE, clock="wall"), 5000 - 5000),
        # No receiver worked where nothing is delivered.
        (
            record(
                trial("cost", "a", 0.2), CABLE, DROP, delivers="none"
            ),
            2000 - 450,
        ),
        # The kernel's threads did 9 % of the work, or 2 % that is not the router's.
        (
            record(trial("cost", "a", 0.2, counts={"kernel_thread_seconds": 0.02}), CABLE),
            2200 - 600,
        ),
        (
            record(trial("cost", "a", 0.2, counts={"kernel_thread_seconds": 0.004}), CABLE),
            2000 - 600,
        ),
        # The last valid one of a round that was repeated.
        (
            record(
                trial("cost", "a", 0.9), trial("cost", "a", 0.2),
                trial("cost", "a", 0.7, valid=False), CABLE,
            ),
            2000 - 600,
        ),
        # A router of its own: 100 000 frames a second take 10 us each, and the tester sent 120 000.
        (record(trial("cost", "a", 0.2), baseline="none"), 1e4),
    ],
)  # fmt: skip
def test_the_cost_of_a_packet(made: Record, cost: float) -> None:
    assert costs.router_costs(made, "a", 64) == pytest.approx({0: cost})


def test_within_a_tenth_of_the_tester_s_limit_nothing_is_known() -> None:
    """0.9 of 120 000 frames a second, the higher of the two limits, are 108 000."""
    below, above = (trial("cost", "a", 0.2, counts={"received": n}) for n in (53_900, 54_100))
    assert costs.router_costs(record(below, baseline="none"), "a", 64)
    with pytest.raises(costs.NoDataError, match="limit is higher"):
        costs.router_costs(record(above, baseline="none"), "a", 64)


def test_the_ratio_of_two_sizes_by_donner_and_zou(monkeypatch: pytest.MonkeyPatch) -> None:
    """In logarithms: down hypot(ln 2, ln 4) = 1.549924, up hypot(ln 2, ln 2) = 0.980258."""
    known = {1518: Interval(4, 2, 8, 7), 64: Interval(1, 0.5, 4, 5)}
    monkeypatch.setattr(costs, "cost", lambda record, condition, size: known[size])
    found = costs.size_ratio(make_record(rounds=1), "routing-plain", 1518, 64)
    assert (found.low, found.estimate, found.high) == pytest.approx((0.849056, 4, 10.660577))
    assert found.count == 5


@pytest.mark.parametrize(
    ("null", "noise", "factor"),
    [((0.9, 1.2), 0.2, 1.2), ((0.8, 1.1), 0.2, 1.25), ((0.5, 1.6), 0.6, 2.0)],
)
def test_the_noise_of_a_run(
    monkeypatch: pytest.MonkeyPatch, null: tuple[float, float], noise: float, factor: float
) -> None:
    monkeypatch.setattr(costs, "a_a_interval", lambda record, size: Interval(1, *null, 9))
    made = make_record(rounds=1)
    assert costs.a_a_interval(made, 64).noise == pytest.approx(noise)
    assert costs.noise_factor(made, 64) == pytest.approx(factor)


def test_rates_of_transfers() -> None:
    """RFC 2647, section 3.17: bits, not bytes; 10 full segments, of which 3 were sent again."""
    way = Way.model_construct(received_bytes=(600_000, 400_000), seconds=2.0)
    assert way.goodput == 4e6
    again = Way.model_construct(retransmits=(1, 2), received_bytes=(14_480,))
    made = TcpRecord.model_construct(segment_size=1448)
    assert goodput.retransmitted(made, Transfer.model_construct(ways=(again,))) == pytest.approx(
        0.3
    )


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
    assert "othing is subtracted" in str(record_tables.baseline_line(record, 64))
    assert record_tables.costs(record).rows


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
    name = "the-first-three-rules-cost-40-megabit"
    assert paid[name].verdict != claims.NOT_TESTABLE
    assert free[name].verdict == claims.NOT_TESTABLE
    assert "/system/license/renew" in free[name].reason
