"""Records made up for tests, with costs that the test knows.  Never shipped as results."""

from __future__ import annotations

import random
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Any

from ppslab.model import results
from ppslab.model.lab import lab, profiles

ENVIRONMENT: dict[str, Any] = {"kernel": "6.1.0-made-up", "emulation": "none", "cpu": "made up"}
WHERE: dict[str, Any] = {
    "ppslab": {"version": "0", "commit": "made up"},
    "router": {"name": "linux", "cannot_show": "made up for a test"},
    "backend": "namespaces",
    "environment": ENVIRONMENT,
    "cpus": {"sender": 0, "router": 1, "reader": 0},
}
"""What each record that is made up says of where it was made: on one machine, of one router."""

TESTER_NS = {"cable": 600.0, "drop": 450.0}

COSTS = {
    "routing-fast-path": 150.0,
    "routing-plain": 220.0,
    "routing-connection-tracking": 400.0,
    "routing-3-rules": 460.0,
    "routing-13-rules": 470.0,
    "routing-25-ip-filter-rules": 620.0,
    "routing-25-simple-queues": 700.0,
    "bridging-fast-path": 140.0,
    "bridging-plain": 210.0,
    "bridging-25-bridge-filter-rules": 500.0,
    "bridging-25-bridge-filter-rules-13-met": 360.0,
}
"""Router nanoseconds per packet by condition."""


def make_counts(nanoseconds: float, size: int = 64, offered: int = 100_000) -> dict[str, Any]:
    """What ppstraffic would print of a trial in which a frame took `nanoseconds`."""
    delay = {
        "min": 900, "p50": 1500.0, "p90": 2000.0, "p99": 3000.0, "p999": 5000.0,
        "max": 9000, "mean": 1600.0, "count": offered,
    }  # fmt: skip
    return {
        "version": 1, "aborted": False, "size": size, "intended_rate": None,
        "duration": 0.25, "intended": offered, "offered": offered, "received": offered,
        "duplicates": 0, "reordered": 0, "misdelivered": 0, "foreign": 0, "corrupt": 0,
        "send_errors": 0, "refused": 0, "kernel_drops": 0,
        "send_seconds": nanoseconds * offered / 1e9,
        "send_cpu_seconds": nanoseconds * offered / 1e9, "elapsed_seconds": 0.3,
        "steal_ticks": {}, "steal_window_seconds": 0.25, "max_lateness_ns": 0, "clock_step_ns": 0,
        "delay_ns": {"from": "intended", **delay}, "delay_actual_ns": {"from": "actual", **delay},
        "flows": [], "tx_cpu": 0, "rx_cpu": 1,
    }  # fmt: skip


def make_record(
    *,
    costs: Mapping[str, float] | None = None,
    rounds: int = 10,
    noise: float = 0.005,
    seed: int = 1,
    without: tuple[str, ...] = (),
) -> results.Record:
    """A completed record of fastpath with `costs` in router nanoseconds per packet.

    `noise`: relative standard deviation of a trial.  `without`: conditions whose trials are all
    invalid, as if their rule set had not been applied.  The same words give the same record.
    """
    return _made(tuple((costs or {}).items()), rounds, noise, seed, without)


@cache
def _made(
    changed: tuple[tuple[str, float], ...], rounds: int, noise: float, seed: int,
    without: tuple[str, ...],
) -> results.Record:  # fmt: skip
    fastpath = lab.find("fastpath")
    profile = profiles.load("quick")
    costs = COSTS | dict(changed)
    chance = random.Random(seed)
    trials: list[results.Trial] = []

    def add(purpose: results.Purpose, condition: str | None, size: int, number: int, ns: float):
        spoiled = condition in without
        drawn = ns * chance.gauss(1.0, noise)
        trials.append(
            results.Trial(
                number=len(trials), purpose=purpose, condition=condition, frame_size=size,
                arrangement="coupled", round=number, intended_load=None, intended_duration=0.25,
                at_seconds=0.3 * len(trials), state="completed", valid=not spoiled,
                invalid_because=("router state not as configured: no rules",) if spoiled else (),
                counts=None if spoiled else make_counts(drawn, size),
            )
        )  # fmt: skip

    for size in fastpath.spec.frame_sizes:
        larger = 1 + size / 20_000
        for number in range(rounds):
            for name in ("cable", "drop"):
                add(name, None, size, number, TESTER_NS[name] * larger)
            add("a-a", fastpath.spec.reference, size, number,
                (costs[fastpath.spec.reference] + TESTER_NS["cable"]) * larger)  # fmt: skip
            for condition in fastpath.conditions:
                add("cost", condition, size, number,
                    (costs[condition] + TESTER_NS["cable"]) * larger)  # fmt: skip
    # Loads that were too high, of which the streams get through what the article's did, and two
    # that were not: a tenth of the delay.
    counts = make_counts(costs["routing-connection-tracking"])
    got = {"r12": 25_000, "r31": 8_000}
    full = counts | {"received": sum(got.values()), "intended_rate": 2e6}
    full["flows"] = [
        {"name": name, "intended": 50_000, "offered": 50_000, "received": received,
         "duplicates": 0, "reordered": 0}
        for name, received in got.items()
    ]  # fmt: skip
    calm = counts | {"delay_actual_ns": counts["delay_actual_ns"] | {"min": 90, "p50": 150.0}}
    for searched in (full, full, calm, calm):
        if "routing-connection-tracking" in without:
            break
        trials.append(
            results.Trial(
                number=len(trials), purpose="search", condition="routing-connection-tracking",
                frame_size=64, arrangement="separate", round=None, intended_load=2e6,
                intended_duration=0.25, at_seconds=0.3 * len(trials), state="completed",
                valid=True, invalid_because=(), counts=searched,
            )
        )  # fmt: skip
    return results.Record(
        schema=results.SCHEMA,
        id=f"fastpath-made-up-{seed}",
        lab="fastpath",
        title=fastpath.title,
        started=datetime(2026, 11, 21, 3, 0, tzinfo=UTC),
        finished=datetime(2026, 11, 21, 3, 3, tzinfo=UTC),
        state="completed",
        **WHERE,
        tester=results.Tester(
            name="ppstraffic", version="0", back_to_back={64: 1.9e6}, into_the_router={64: 2e6}
        ),
        profile=profile.model_dump(mode="json"),
        deviations=tuple(profile.deviations()),
        seed=seed,
        baseline=fastpath.spec.baseline,
        clock="cpu",
        reference=fastpath.spec.reference,
        frame_sizes=fastpath.spec.frame_sizes,
        conditions=tuple(
            results.ConditionRecord(
                name=c.name, title=c.title, description=c.description, needs=tuple(sorted(c.needs)),
                configuration=fastpath.configuration(c), read_back="",
            )
            for c in fastpath.conditions.values()
        ),
        searches=tuple(
            results.Search(
                condition=name,
                frame_size=64,
                goals=tuple(
                    results.GoalResult(
                        loss_ratio=loss, conditional_throughput=1e9 / (ns + 500),
                        relevant_lower_bound=1e9 / (ns + 500),
                        relevant_upper_bound=1.02e9 / (ns + 500), tester_limited=False,
                    )
                    for loss in profile.search.loss_ratios
                ),
            )
            for name, ns in costs.items()
        ),
        trials=tuple(trials),
    )  # fmt: skip
