"""Every simulated router does what its docstring says: the truth that other tests rely on."""

from __future__ import annotations

import math
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ppslab.measure.search import counted
from ppslab.model import simulated
from ppslab.model.simulated import EXAMPLES, Router

SRC = Path(__file__).resolve().parents[3] / "src"
PPSTRAFFIC = SRC.parent / "_build" / "bin" / "ppstraffic"

SAME_IN_EVERY_TRIAL = [
    lambda: simulated.HardLimit(1_000_000),
    simulated.shallow_buffer,
    simulated.deep_buffer,
    lambda: simulated.Buffered(100_000, 5_000),
    lambda: simulated.Reordering(300_000),
    lambda: simulated.Duplicating(300_000),
    lambda: simulated.Asymmetric(simulated.Path(600_000), simulated.Path(400_000)),
    lambda: simulated.BackPressure(100_000, 32, 0.02, 0.5),
    lambda: simulated.HardLimit(1_000_000, tester_limit=400_000),
    lambda: simulated.FasterThanTheTester(250_000),
]


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_same_seed_gives_the_same_frames_and_every_second_is_counted(name: str) -> None:
    one, other = EXAMPLES[name](7), EXAMPLES[name](7)
    trials = [(1.0, 50_000.0), (2.5, 999_000.0), (0.3, 2e6)]
    assert [one.measure(*trial) for trial in trials] == [other.measure(*t) for t in trials]
    assert one.frames(0.25, 20_000).rows == other.frames(0.25, 20_000).rows
    assert one.trials == 4
    assert one.traffic_seconds == pytest.approx(1.0 + 2.5 + 0.3 + 0.25)


@pytest.mark.parametrize("name", ["noisy capacity", "loss spikes"])
def test_another_seed_gives_other_trials(name: str) -> None:
    assert EXAMPLES[name](1).measure(60, 1.1e6) != EXAMPLES[name](2).measure(60, 1.1e6)


@settings(max_examples=200, deadline=None)
@given(
    name=st.sampled_from(sorted(EXAMPLES)),
    seconds=st.floats(0.001, 61),
    load=st.floats(0.5, 5e6),
)
def test_counts_are_consistent_and_mlrsearch_reads_the_same_loss(
    name: str, seconds: float, load: float
) -> None:
    counts = EXAMPLES[name](1).measure(seconds, load)
    assert 0 <= counts.forwarded <= counts.offered <= counts.intended
    assert counts.intended == max(1, round(seconds * load))
    assert counts.loss_ratio == pytest.approx(counted(counts, seconds, load).loss_ratio)


@pytest.mark.long
@pytest.mark.parametrize("load", [20_000, 97_000.5, 330_000])
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


@pytest.mark.parametrize("loss_ratio", [0.0, 0.001, 0.03])
@pytest.mark.parametrize("seconds", [0.2, 1.0, 10.0])
@pytest.mark.parametrize("make", SAME_IN_EVERY_TRIAL)
def test_a_load_below_the_truth_passes_and_one_above_fails(
    make, seconds: float, loss_ratio: float
) -> None:
    router: Router = make()
    truth = router.throughput(loss_ratio, seconds=seconds)
    assert truth is not None
    assert router.measure(seconds, truth * 0.9995).loss_ratio <= loss_ratio
    assert router.measure(seconds, truth * 1.0015).loss_ratio > loss_ratio


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


def test_a_minute_of_loss_spikes_passes_at_no_load() -> None:
    router = EXAMPLES["loss spikes"](1)
    assert router.throughput(0.0, seconds=60) is None
    assert router.throughput(0.0, seconds=1, exceed_ratio=0.05) is None
    failed = sum(router.measure(60, 50_000).loss_ratio > 0 for _ in range(500))
    assert failed >= 490  # 0.9 ** 60 is 0.18 %


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


def test_behind_a_slow_tester_only_the_tester_is_seen() -> None:
    router = simulated.FasterThanTheTester(100_000)
    assert router.throughput() == 100_000
    counts = router.measure(1, 150_000)
    assert (counts.intended, counts.offered, counts.forwarded) == (150_000, 100_000, 100_000)
    lateness = [row.sent_ns - row.intended_ns for row in router.frames(1, 150_000).rows]
    assert lateness[0] == 0
    assert lateness[-1] == pytest.approx(1e9 / 3, rel=0.001)


@pytest.mark.parametrize("name", EXAMPLES)
def test_ppstraffic_reads_the_frames_file(name: str, tmp_path: Path) -> None:
    if not PPSTRAFFIC.exists():
        pytest.skip("ppstraffic is not built: make setup")
    frames = EXAMPLES[name](1).frames(0.05, 40_000)
    file = tmp_path / "frames"
    file.write_bytes(frames.file())
    said = subprocess.run([PPSTRAFFIC, "replay", file], capture_output=True, text=True, check=False)
    assert said.returncode == 0, said.stderr
    lines = [line for line in said.stdout.splitlines() if not line.startswith("#")]
    assert len(lines) - 1 == len(frames.rows)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: simulated.HardLimit(0), "capacity is 0"),
        (lambda: simulated.HardLimit(1, tester_limit=-1), "tester_limit is -1"),
        (lambda: simulated.HardLimit(1).measure(0, 5), "seconds is 0"),
        (lambda: simulated.HardLimit(1).measure(1, -5), "load is -5"),
        (lambda: simulated.HardLimit(1).measure(math.nan, 5), "seconds is nan"),
        (lambda: simulated.HardLimit(1).frames(60, 1e6), "shorten the trial"),
        (lambda: simulated.HardLimit(1).throughput(1.0), "are shares"),
        (lambda: simulated.NoisyCapacity(1, 0.5), "deviation is 0.5"),
        (lambda: simulated.NoisyCapacity(1).throughput(0.001, seconds=60), "at most a second"),
        (lambda: simulated.LossSpikes(1, chance=1), "chance and loss"),
        (lambda: simulated.FailsAtAnyRate(0), "loss is 0"),
        (lambda: simulated.Buffered(1, 0), "buffer is 0"),
        (lambda: simulated.Buffered(1, 1, 0.2, 0.1), "less than stall_every"),
        (lambda: simulated.Reordering(1, every=3, extent=3), "extent is"),
        (lambda: simulated.Duplicating(1, every=0), "every is 0"),
    ],
)
def test_what_makes_no_sense_is_said(make, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        make()


@pytest.mark.parametrize(
    "module", ["ppslab.model.simulated", "ppslab.model.searching.binary_search"]
)
def test_it_needs_the_standard_library_only(module: str) -> None:
    code = f"import sys; sys.path.insert(0, {str(SRC)!r}); import {module}"
    # -S: without site-packages, as in a browser that has fetched nothing else.
    python = shutil.which("python3") or sys.executable
    subprocess.run([python, "-I", "-S", "-c", code], check=True)
