"""Every simulated router does what its docstring says: the truth that other tests rely on."""

from __future__ import annotations

import math
import shutil
import subprocess
import sys
from collections import Counter
from itertools import product
from pathlib import Path
from statistics import quantiles

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from MLRsearch import MeasurementResult

from ppslab.model import simulated
from ppslab.model.simulated import Frames, Router
from tests.support import simulated_paths as paths
from tests.support.simulated_paths import EXAMPLES

SRC = Path(__file__).resolve().parents[2] / "src"

SAME_IN_EVERY_TRIAL = [
    lambda: simulated.HardLimit(1_000_000),
    lambda: EXAMPLES["shallow buffer"](1),
    lambda: EXAMPLES["deep buffer"](1),
    lambda: simulated.Buffered(100_000, 5_000),
    lambda: paths.Reordering(300_000),
    lambda: paths.Duplicating(300_000),
    lambda: paths.Asymmetric(paths.Path(600_000), paths.Path(400_000)),
    lambda: simulated.BackPressure(100_000, 32, 0.02, 0.5),
    lambda: simulated.HardLimit(1_000_000, tester_limit=400_000),
    lambda: simulated.HardLimit(math.inf, tester_limit=250_000),
]


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_same_seed_gives_the_same_frames_and_every_second_is_counted(name: str) -> None:
    one, other = EXAMPLES[name](7), EXAMPLES[name](7)
    trials = [(1.0, 50_000.0), (2.5, 999_000.0), (0.3, 2e6)]
    assert [one.measure(*trial) for trial in trials] == [other.measure(*t) for t in trials]
    assert one.frames(0.25, 20_000).rows == other.frames(0.25, 20_000).rows
    assert one.trials == 4
    assert one.traffic_seconds == pytest.approx(1.0 + 2.5 + 0.3 + 0.25)


@settings(max_examples=200, deadline=None)
@given(
    name=st.sampled_from(sorted(EXAMPLES)), seconds=st.floats(0.001, 61), load=st.floats(0.5, 5e6)
)
def test_counts_are_consistent_and_mlrsearch_reads_the_same_loss(
    name: str, seconds: float, load: float
) -> None:
    counts = EXAMPLES[name](1).measure(seconds, load)
    assert 0 <= counts.forwarded <= counts.offered <= counts.intended
    assert counts.intended == max(1, round(seconds * load))
    result = MeasurementResult(
        intended_duration=seconds,
        intended_load=load,
        offered_count=counts.offered,
        forwarding_count=counts.forwarded,
        intended_count=counts.intended,
    )
    assert counts.loss_ratio == pytest.approx(result.loss_ratio)


@pytest.mark.parametrize(
    "load", [20_000, *(pytest.param(load, marks=pytest.mark.long) for load in (97_000.5, 330_000))]
)
@pytest.mark.parametrize("name", EXAMPLES)
def test_listed_frames_are_those_that_are_counted(name: str, load: float) -> None:
    counts, frames = EXAMPLES[name](3).measure(0.3, load), EXAMPLES[name](3).frames(0.3, load)
    assert (frames.intended, frames.offered) == (counts.intended, counts.offered)
    # A buffer is counted as a fluid: a stall may take a frame more or less.
    assert abs(frames.forwarded - counts.forwarded) <= (4 if "buffer" in name else 0)
    assert len(frames.rows) - frames.forwarded == counts.duplicates
    arrivals = [row.received_ns for row in frames.rows]
    assert arrivals == sorted(arrivals)
    assert all(row.intended_ns <= row.sent_ns < row.received_ns for row in frames.rows)


@pytest.mark.parametrize("make", SAME_IN_EVERY_TRIAL)
def test_a_load_below_the_truth_passes_and_one_above_fails(make) -> None:
    for seconds, loss_ratio in product((0.2, 1.0, 10.0), (0.0, 0.001, 0.03)):
        router: Router = make()
        truth = router.throughput(loss_ratio, seconds=seconds)
        assert truth is not None
        assert router.measure(seconds, truth * 0.9995).loss_ratio <= loss_ratio, seconds
        assert router.measure(seconds, truth * 1.0015).loss_ratio > loss_ratio, seconds


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "loss_ratio", "seconds", "exceed_ratio"),
    [
        ("noisy capacity", 0.0, 1.0, 0.5),
        ("noisy capacity", 0.001, 1.0, 0.5),
        ("noisy capacity", 0.005, 0.5, 0.2),
        ("noisy capacity", 0.0, 60.0, 0.5),
        ("loss spikes", 0.0, 1.0, 0.5),
        ("loss spikes", 0.0, 1.0, 0.2),
        ("loss spikes", 0.0, 0.25, 0.5),
        ("loss spikes", 0.0, 5.0, 0.5),
        ("loss spikes", 0.001, 1.0, 0.5),
    ],
)
def test_the_truth_of_noise_is_the_load_that_so_many_trials_fail(
    name: str, loss_ratio: float, seconds: float, exceed_ratio: float
) -> None:
    router, trials = EXAMPLES[name](11), 3000
    truth = router.throughput(loss_ratio, seconds=seconds, exceed_ratio=exceed_ratio)
    assert truth is not None
    failed = sum(router.measure(seconds, truth).loss_ratio > loss_ratio for _ in range(trials))
    error = math.sqrt(exceed_ratio * (1 - exceed_ratio) / trials)
    assert failed / trials == pytest.approx(exceed_ratio, abs=4 * error)


def test_without_noise_the_noisy_routers_are_a_hard_limit() -> None:
    assert simulated.NoisyCapacity(500_000, 0).throughput(0.001) == 500_000 / 0.999
    router = simulated.LossSpikes(500_000, chance=0, deviation=0)
    assert router.measure(60, 500_000).lost == 0
    assert router.measure(60, 600_000).forwarded == 30_000_000


def test_spikes_are_so_frequent_and_lose_so_much_each_in_one_row() -> None:
    router = simulated.LossSpikes(1e6, chance=0.1, loss=0.01, deviation=0, seed=5)
    ratios = Counter(router.measure(1, 100_000).loss_ratio for _ in range(4000))
    assert set(ratios) == {0.0, 0.01}
    assert ratios[0.01] / 4000 == pytest.approx(0.1, abs=4 * math.sqrt(0.09 / 4000))
    spiky = simulated.LossSpikes(1e6, chance=0.999999, loss=0.01, deviation=0)
    missing = sorted(set(range(20_000)) - {row.sequence for row in spiky.frames(1, 20_000).rows})
    assert len(missing) == 200
    assert missing == list(range(missing[0], missing[0] + 200))


def test_a_router_that_fails_at_any_rate_has_no_throughput_but_for_patient_goals() -> None:
    router = simulated.FailsAtAnyRate(0.02)
    assert router.throughput() is None
    assert router.throughput(0.02) == math.inf
    assert router.measure(1, 1).lost == 1
    assert router.measure(60, 1_000).loss_ratio == pytest.approx(0.02)


@pytest.mark.parametrize(
    "make",
    [
        lambda: simulated.HardLimit(0),
        lambda: simulated.HardLimit(1, tester_limit=-1),
        lambda: simulated.HardLimit(1).measure(0, 5),
        lambda: simulated.HardLimit(1).measure(1, -5),
        lambda: simulated.HardLimit(1).measure(math.nan, 5),
        lambda: simulated.Buffered(1, 0),
        lambda: paths.Duplicating(1, every=0),
    ],
)
def test_what_makes_no_sense_is_said(make) -> None:
    with pytest.raises(ValueError):
        make()


@pytest.mark.parametrize("module", ["ppslab.model.simulated", "ppslab.model.binary_search"])
def test_it_needs_the_standard_library_only(module: str) -> None:
    code = f"import sys; sys.path.insert(0, {str(SRC)!r}); import {module}"
    # -S: without site-packages, as in a browser that has fetched nothing else.
    python = shutil.which("python3") or sys.executable
    subprocess.run([python, "-I", "-S", "-c", code], check=True)


def test_a_buffer_carries_a_burst_by_the_formula_of_rfc_9004() -> None:
    capacity, rate, buffer = 100_000, 400_000, 3_000
    router = simulated.Buffered(capacity, buffer)
    longest = buffer / (1 - capacity / rate)
    assert router.measure(longest * 0.999 / rate, rate).lost == 0
    assert router.measure(longest * 1.002 / rate, rate).lost > 0
    # Section 6.4 takes from the burst what leaves the buffer while it is sent.
    assert longest / rate * (1 - capacity / rate) == pytest.approx(buffer / rate)


def test_stalls_take_their_share_and_a_buffer_outlasts_short_ones() -> None:
    """Stalls of 5 ms in each tenth of a second, as where nobody says how often."""
    shallow, deep = EXAMPLES["shallow buffer"](1), EXAMPLES["deep buffer"](1)
    for seconds in (1.0, 60.0):
        assert shallow.throughput(seconds=seconds) == pytest.approx(256 / 0.005, rel=1e-6)
    assert deep.throughput(seconds=600) == pytest.approx(95_000, rel=0.001)
    assert deep.throughput(seconds=1) == pytest.approx(95_000 + 16_384, rel=0.001)


@pytest.mark.long
def test_shallow_buffers_lose_in_each_stall_and_deep_ones_delay() -> None:
    shallow, deep = EXAMPLES["shallow buffer"](1), EXAMPLES["deep buffer"](1)

    def longest(frames: Frames) -> int:
        return max(row.received_ns - row.sent_ns for row in frames.rows) - 50_000

    for router in (shallow, deep):
        # As long as the docstring says, and no longer.
        wait = router.buffer / router.capacity
        running = router.stall_every - router.stall_seconds
        stalls = wait // running + 1 if router.stall_seconds else 0
        wait += stalls * router.stall_seconds
        assert longest(router.frames(0.6, 140_000)) == pytest.approx(wait * 1e9, rel=0.01)
    # What is served at the moment at which a stall begins does not wait for its end.
    assert simulated.Buffered(4, 1, 0.5, 1.0).frames(0.25, 4).rows[0].received_ns == 250_050_000
    lost = shallow.frames(1, 90_000)
    assert lost.forwarded == pytest.approx(90_000 - 10 * (90_000 * 0.005 - 256), abs=10)
    assert deep.frames(1, 90_000).forwarded == 90_000


def extents(frames: Frames) -> list[int]:
    """RFC 4737 section 4.2.3, as it is written: i - j, for the earliest j with s[j] > s[i]."""
    s = [row.sequence for row in frames.rows]
    found = []
    for i, number in enumerate(s):
        later = next((j for j in range(max(0, i - 200), i) if s[j] > number), None)
        if later is not None:
            found.append(i - later)
    return found


@settings(max_examples=30, deadline=None)
@given(data=st.data(), every=st.integers(2, 150), load=st.integers(1_000, 20_000))
def test_reordering_has_the_extent_that_it_was_told(data, every: int, load: int) -> None:
    extent = data.draw(st.integers(1, every - 1))
    router = paths.Reordering(1e6, every, extent)
    frames = router.frames(0.1, load)
    assert extents(frames) == [extent] * router.reordered(frames.intended)
    assert frames.forwarded == frames.intended


def test_copies_are_counted_apart_and_hide_losses_from_a_simple_counter() -> None:
    router = paths.Duplicating(100_000, every=100)
    counts = router.measure(1, 101_000)
    assert (counts.forwarded, counts.duplicates) == (100_000, 1_000)
    assert counts.lost == 1_000
    assert counts.forwarded + counts.duplicates == counts.offered
    twice = Counter((row.flow, row.sequence) for row in router.frames(1, 50_000).rows)
    assert sum(n == 2 for n in twice.values()) == 500


@pytest.mark.long
def test_back_pressure_loses_nothing_and_delays_only_what_was_due() -> None:
    router = simulated.BackPressure(100_000, 32, 0.02, 0.5)
    over = router.measure(1, 150_000)
    assert over.offered == over.forwarded < over.intended
    frames = router.frames(2, 50_000)
    assert frames.offered == frames.forwarded == frames.intended

    def p99(delays: list[int]) -> float:
        return quantiles(delays, n=100)[98]

    actual = p99([row.received_ns - row.sent_ns for row in frames.rows])
    intended = p99([row.received_ns - row.intended_ns for row in frames.rows])
    assert actual < 400_000
    # A frame in twenty-five was due while the router stood still, for 10 ms on average.
    assert 15_000_000 < intended < 20_000_000
