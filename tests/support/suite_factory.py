"""Records of the RFC 2544 suite made up for tests, of routers whose truth the test knows."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from ppslab.model import results
from ppslab.model.lab import lab, profiles
from tests.support.factory import COSTS, WHERE, make_counts

SIZES = (64, 128, 256, 512, 1024, 1280, 1518)
CONDITIONS = ("routing-fast-path", "routing-25-ip-filter-rules")
STREAMS: tuple[tuple[results.Family, results.Direction], ...] = (
    ("ipv4", "lab"), ("ipv4", "one-way"), ("ipv6", "lab"),
)  # fmt: skip
LOSS_RATIOS = (0.0, 0.001, 0.005)
SHARES = (1.0, 0.9, 0.5, 0.1)
TESTER = 4e6
BUFFER_SECONDS = 0.01
RECOVERY_SECONDS = 0.02
RESET_SECONDS = 0.3


def capacity(nanoseconds: float, size: int) -> float:
    """Frames a second that a made-up router forwards."""
    return 1e9 / ((nanoseconds + 500) * (1 + size / 20_000))


class _Making:
    """One record in the making: its trials, and the chance that spreads them."""

    def __init__(self, costs: Mapping[str, float], noise: float, seed: int, speed: float) -> None:
        self.costs = costs
        self.noise = noise
        self.speed = speed
        self.chance = random.Random(seed)
        self.trials: list[results.Trial] = []

    def rate(self, condition: str, size: int) -> float:
        return capacity(self.costs[condition], size) * self.speed

    def spread(self, value: float) -> float:
        return value * self.chance.gauss(1.0, self.noise)

    def trial(
        self, purpose: results.Purpose, subject: Mapping[str, Any], rate: float, seconds: float,
        forwarded: float, because: tuple[str, ...] = (),
    ) -> int:  # fmt: skip
        """Add a trial that was offered `rate`; its number."""
        intended = round(rate * seconds)
        counts = make_counts(1e9 / rate, subject["frame_size"], intended)
        counts |= {"received": min(intended, round(forwarded * seconds)), "duration": seconds}
        number = len(self.trials)
        self.trials.append(
            results.Trial(
                number=number, purpose=purpose, arrangement="separate", **subject,
                intended_load=rate, intended_duration=seconds, at_seconds=float(number),
                state="completed", valid=not because, invalid_because=because, counts=counts,
            )
        )  # fmt: skip
        return number


def delays(middle: float, count: int = 100_000) -> results.Delays:
    """Delays around `middle` nanoseconds with a tail."""
    shares = {0.5: 1.0, 0.9: 1.6, 0.99: 3.0, 0.999: 6.0, 0.9999: 12.0}
    return results.Delays(
        count=count,
        min=round(middle * 0.6),
        mean=middle * 1.1,
        max=round(middle * 20),
        percentiles=tuple(
            results.Percentile(
                share=share, ns=round(middle * factor), beyond=round(count * (1 - share))
            )
            for share, factor in shares.items()
        ),
    )


def variation(middle: float, count: int = 100_000) -> results.Variation:
    return results.Variation(
        count=count, at={0.5: round(middle * 0.4), 0.999: round(middle * 5.4)}, min=0,
        max=round(middle * 19),
    )  # fmt: skip


def _throughput(made: _Making, subject: Mapping[str, Any]) -> results.Throughput:
    """A search whose trials the record holds: halving the load until the bounds are 5 % apart."""
    truth = made.rate(subject["condition"], subject["frame_size"])
    goals = []
    begun = len(made.trials)
    for ratio in LOSS_RATIOS:
        low, high = truth / 4, truth * 4
        while high > low * 1.05:
            load = math.sqrt(low * high)
            lost = []
            for _ in range(4):
                able = made.spread(truth) * (1 + ratio)
                made.trial("search", subject, load, 0.2, able)
                lost.append(max(0.0, 1 - able / load))
            if sum(loss <= ratio for loss in lost) >= 2:
                low = load
            else:
                high = load
        goals.append(
            results.GoalResult(
                loss_ratio=ratio, conditional_throughput=low, relevant_lower_bound=low,
                relevant_upper_bound=high, tester_limited=low >= 0.9 * TESTER,
            )
        )  # fmt: skip
    taken = len(made.trials) - begun
    return results.Throughput(**subject, goals=tuple(goals), trials=taken, seconds=taken * 0.2)


def _latency(made: _Making, subject: Mapping[str, Any], repeats: int) -> Iterator[results.Latency]:
    truth = made.rate(subject["condition"], subject["frame_size"])
    for share in SHARES:
        middle = (made.costs[subject["condition"]] + 2000) * (1 + 4 * share**4) / made.speed
        rate = share * truth * 0.98
        numbers = tuple(made.trial("latency", subject, rate, 0.5, rate + 1) for _ in range(repeats))
        yield results.Latency(
            **subject, share=share, rate=rate, trials=numbers, from_intended=delays(middle),
            from_actual=delays(middle * 0.95), pdv=variation(middle), ipdv=variation(middle / 2),
            medians_ns=tuple(made.spread(middle) for _ in numbers), reordered=3, duplicates=0,
            lost=0,
        )  # fmt: skip


def _frame_loss(made: _Making, subject: Mapping[str, Any]) -> Iterator[results.FrameLoss]:
    truth = made.rate(subject["condition"], subject["frame_size"])
    for step in range(10, 0, -1):
        share = step / 10
        rate = share * TESTER
        forwarded = min(rate, truth)
        spoiled = ("CPU steal: the hypervisor took 9% of the time",) if step == 7 else ()
        number = made.trial("frame-loss", subject, rate, 0.2, forwarded, spoiled)
        yield results.FrameLoss(
            **subject, share=share, rate=rate, trials=(number,), invalid_because=spoiled,
            loss_ratio=None if spoiled else 1 - forwarded / rate,
            offered_rate=None if spoiled else rate, forwarding_rate=None if spoiled else forwarded,
        )  # fmt: skip


def _bursts(made: _Making, subject: Mapping[str, Any], repeats: int) -> results.BackToBack:
    truth = made.rate(subject["condition"], subject["frame_size"])
    # A router that is faster than the tester loses no burst: all that was tried passed.
    longest = min(1.0, BUFFER_SECONDS / (1 - truth / TESTER)) if truth < TESTER else 1.0
    bursts = tuple(round(made.spread(longest * TESTER)) for _ in range(repeats))
    numbers = tuple(
        made.trial("back-to-back", subject, TESTER, burst / TESTER, TESTER) for burst in bursts
    )
    return results.BackToBack(
        **subject, rate=TESTER, bursts=bursts, longest_tried=round(TESTER),
        implied_buffer_seconds=longest, corrected_buffer_seconds=BUFFER_SECONDS, trials=numbers,
    )  # fmt: skip


def _recovery(made: _Making, subject: Mapping[str, Any], repeats: int) -> results.Recovery:
    truth = made.rate(subject["condition"], subject["frame_size"])
    numbers = tuple(
        made.trial("recovery", subject, 1.1 * truth, 0.5, truth) for _ in range(repeats)
    )
    return results.Recovery(
        **subject, overload_rate=1.1 * truth, recovery_rate=0.55 * truth,
        seconds=tuple(made.spread(RECOVERY_SECONDS) for _ in numbers), trials=numbers,
    )  # fmt: skip


def _reset(made: _Making, subject: Mapping[str, Any], repeats: int) -> results.Reset:
    rate = 0.5 * made.rate(subject["condition"], subject["frame_size"])
    numbers = tuple(made.trial("reset", subject, rate, 1.0, 0.7 * rate) for _ in range(repeats))
    return results.Reset(
        **subject, kind="the rule set is flushed and loaded anew", rate=rate,
        by_loss_seconds=tuple(made.spread(RESET_SECONDS) for _ in numbers),
        by_time_seconds=tuple(made.spread(RESET_SECONDS * 1.01) for _ in numbers), trials=numbers,
    )  # fmt: skip


def make_suite(
    *,
    costs: Mapping[str, float] | None = None,
    conditions: Sequence[str] = CONDITIONS,
    sizes: Sequence[int] = SIZES,
    noise: float = 0.01,
    repeats: int = 6,
    speed: float = 1.0,
    seed: int = 1,
    resolution: float | None = 800.0,
) -> results.SuiteRecord:
    """A completed record of the suite on fastpath, with `costs` in router nanoseconds a packet.

    `noise`: relative standard deviation of a trial.  `speed`: how fast the machine is, tester and
    router alike, beside another record's.
    """
    fastpath = lab.find("fastpath")
    profile = profiles.load("quick")
    made = _Making(dict(COSTS) | dict(costs or {}), noise, seed, speed)
    subjects = [
        {"condition": condition, "frame_size": size, "family": family, "direction": direction}
        for condition in conditions
        for family, direction in STREAMS
        for size in (sizes if direction == "lab" and family == "ipv4" else (sizes[0], sizes[-1]))
    ]
    whole = [s for s in subjects if (s["family"], s["direction"]) == ("ipv4", "lab")]
    ends = [s for s in whole if s["frame_size"] in (sizes[0], sizes[-1])]
    throughput = tuple(_throughput(made, subject) for subject in subjects)
    return results.SuiteRecord(
        schema="ppslab/rfc2544/2",
        id=f"rfc2544-fastpath-made-up-{seed}",
        lab="fastpath",
        title=fastpath.title,
        started=datetime(2026, 11, 21, 4, 0, tzinfo=UTC),
        finished=datetime(2026, 11, 21, 4, 9, tzinfo=UTC),
        state="completed",
        **WHERE,
        tester=results.Tester(
            name="ppstraffic", version="0",
            back_to_back=dict.fromkeys(sizes, TESTER * speed),
        ),
        profile=profile.model_dump(mode="json"),
        deviations=tuple(profile.deviations()),
        seed=seed,
        conditions=tuple(
            results.ConditionRecord(
                name=name, title=fastpath.conditions[name].title,
                configuration=fastpath.configuration(fastpath.conditions[name]),
                read_back="## rules\nmade up",
            )
            for name in conditions
        ),
        skipped=(results.Skipped(condition="bridging-plain", reason="no bridge here"),),
        port_speed=1_000_000_000,
        maximum_rate=dict.fromkeys(sizes, TESTER * speed),
        warnings=("Only in an isolated test environment (RFC 6815).",),
        calibration="calibration-made-up" if resolution else None,
        delay_resolution_ns=resolution,
        throughput=throughput,
        latency=tuple(found for s in ends for found in _latency(made, s, repeats)),
        frame_loss=tuple(found for s in ends for found in _frame_loss(made, s)),
        back_to_back=tuple(_bursts(made, s, repeats) for s in ends),
        recovery=tuple(_recovery(made, s, repeats) for s in ends),
        reset=tuple(_reset(made, s, repeats) for s in ends),
        trials=tuple(made.trials),
    )  # fmt: skip
