"""A router whose truth is known: limit and loss come back as they were put in.

The router under test is the Linux router with a token bucket or a random or counted loss in its
way (tests/labs/truth), measured by the same bench and search as every lab.  Sender and
router share a CPU here: then only the truth that was put in can lose a frame, not the burst of
another program.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from ppslab import capabilities, lab, profiles, rounds
from ppslab.backends import open_backend
from ppslab.instruments import ppstraffic
from ppslab.search import search
from ppslab.standing import stand
from ppslab.statistics import coefficient_of_variation
from ppslab.trial import Bench, Wanted

TRUTH = Path(__file__).with_name("truth")
REPEATS = 10
BUCKET = 40  # the truth's token bucket holds 50
HIGHEST = 250_000.0

# The goal is finer than the quick profile's: the bounds must lie within 1 % of the truth.
GOAL = profiles.Search(
    sizes="smallest",
    loss_ratios=(0.0,),
    initial_trial_seconds=0.25,
    final_trial_seconds=0.5,
    duration_sum=2.5,
    exceed_ratio=0.5,
    relative_width=0.005,
)


@contextmanager
def standing(backend_name: str) -> Iterator[Bench]:
    """The truth lab on a backend, ready for trials."""
    with ExitStack() as stack:
        backend = stack.enter_context(open_backend(backend_name))
        found = stand(stack, backend, lab.load(TRUTH), profiles.load("quick"))
        found.bearable_burst = BUCKET
        yield found


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    missing = {"nft"} - capabilities.features_of("namespaces")
    if missing:
        pytest.skip(f"this kernel has no {', '.join(missing)} here: ppslab doctor")
    with standing("namespaces") as found:
        yield found


def throughput(bench: Bench, condition: str) -> float:
    """The zero-loss throughput of a condition by MLRsearch."""

    def measure(seconds: float, load: float):
        wanted = Wanted("search", bench.lab.condition(condition), 64, seconds, load)
        return rounds.as_counted(bench.trial(wanted))

    (bounds,) = search(measure, GOAL, 1_000.0, HIGHEST)
    assert bounds.throughput is not None
    return bounds.throughput


@pytest.mark.parametrize(
    ("condition", "limit", "repeats"),
    [("limit-20k", 20_000, 3), ("limit-50k", 50_000, REPEATS), ("limit-100k", 100_000, 3)],
)
def test_the_throughput_of_a_router_with_a_limit_is_its_limit(
    bench: Bench, condition: str, limit: int, repeats: int
) -> None:
    found = [throughput(bench, condition) for _ in range(repeats)]
    print(f"{condition}: " + ", ".join(f"{value:.0f}" for value in found))
    median = sorted(found)[len(found) // 2]
    assert median == pytest.approx(limit, rel=0.01)
    assert coefficient_of_variation(found) < 0.03


def one(bench: Bench, condition: str, seconds: float, rate: float) -> ppstraffic.TrialCounts:
    trial = bench.trial(Wanted("search", bench.lab.condition(condition), 64, seconds, rate))
    assert not any("router state" in said for said in trial.invalid_because)
    assert trial.counts is not None
    return ppstraffic.TrialCounts.of(trial.counts)


def lost(counts: ppstraffic.TrialCounts) -> float:
    """The share of the offered frames that the router lost; what was not sent, it never had."""
    return 1 - counts.received / counts.offered


def test_random_loss_of_one_frame_in_a_hundred_lies_in_its_interval(bench: Bench) -> None:
    ratios = []
    for _ in range(REPEATS):
        counts = one(bench, "loss-1-percent", 1.0, 30_000.0)
        # Binomial: four standard deviations hold all but one trial in sixteen thousand.
        spread = 4 * math.sqrt(0.01 * 0.99 / counts.offered)
        assert abs(lost(counts) - 0.01) < spread, counts
        ratios.append(lost(counts))
    assert sum(ratios) / REPEATS == pytest.approx(0.01, abs=4 * math.sqrt(0.0099 / 300_000))


def test_every_fiftieth_frame_lost_is_two_percent_each_time(bench: Bench) -> None:
    ratios = [lost(one(bench, "loss-every-50th", 0.5, 20_000.0)) for _ in range(REPEATS)]
    for ratio in ratios:
        assert ratio == pytest.approx(0.02, abs=2 / 10_000)
    assert coefficient_of_variation(ratios) < 0.03


def test_a_router_without_a_limit_loses_nothing_at_a_low_rate(bench: Bench) -> None:
    counts = one(bench, "plain", 0.5, 5_000.0)
    assert lost(counts) == 0
    assert counts.duplicates == 0
    assert counts.reordered == 0


def test_a_rule_set_that_is_gone_makes_the_trial_invalid(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    condition = bench.lab.condition("limit-50k")
    apply: Callable[..., None] = bench.router.apply

    def forgetful(*args: object, **kwargs: object) -> None:
        apply(*args, **kwargs)
        bench.router.node.run(["nft", "flush", "ruleset"])

    monkeypatch.setattr(bench.router, "apply", forgetful)
    bench.trial(Wanted("search", bench.lab.condition("plain"), 64, 0.05, 5_000.0))
    trial = bench.trial(Wanted("search", condition, 64, 0.05, 5_000.0))
    assert not trial.valid
    assert trial.counts is None
    assert any("0 rules, not 1" in said for said in trial.invalid_because)
