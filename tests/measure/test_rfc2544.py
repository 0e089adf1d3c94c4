"""Each test of RFC 2544 finds the truth of a router that is arithmetic."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppslab.measure.rfc2544 import section26
from ppslab.measure.rfc2544.stage import Stage, UnderTest, subjects_of
from ppslab.measure.rounds import SEARCHED_IN_NOISE
from ppslab.measure.trial.patience import ALL_SECONDS, Patience
from ppslab.measure.trial.spec import TrialSpec
from ppslab.model import results
from ppslab.model.lab import lab, profiles
from ppslab.model.metrics import delays
from ppslab.model.validity import Cause
from ppslab.testbed.testers.contract import Ability
from tests.support.factory import make_counts


@dataclass
class KnownRouter:
    """What `reset` does to it: `outage` seconds without forwarding."""

    outage: float = 0.0
    reset_kind: str = "made up"
    resets: int = 0

    def reset(self, condition: lab.Condition) -> None:
        self.resets += 1


class AbleTester:
    """Whatever it is asked for."""

    name = "made up"
    abilities = frozenset(get_args(Ability))


@dataclass
class KnownTestbed:
    """Frames beyond `capacity` fill `buffer`, then are lost.

    `capacity`: frames per second.  `recovery`: seconds for which it goes on losing frames after
    an overload.  `delay`: what every frame takes, in ns.  `stolen`: so many trials, the first
    ones, lose every frame to the hypervisor.
    """

    capacity: float
    buffer: int = 0
    recovery: float = 0.0
    delay: int = 20_000
    invalid: tuple[str, ...] = ()
    router: KnownRouter = field(default_factory=KnownRouter)
    trials: list[results.Trial] = field(default_factory=list)
    profile: profiles.Profile = field(default_factory=lambda: profiles.load("quick"))
    seconds: float = 0.0
    tester: AbleTester = field(default_factory=AbleTester)
    stolen: int = 0
    slept: list[float] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.patience = Patience(sleep=self.slept.append)

    def trial(self, wanted: TrialSpec) -> results.Trial:
        assert wanted.intended_load is not None and wanted.condition is not None
        intended = round(wanted.intended_load * wanted.intended_duration)
        lost = max(
            0,
            round((wanted.intended_load - self.capacity) * wanted.intended_duration) - self.buffer,
        )
        last = wanted.intended_duration if lost else None
        gap = 1 / wanted.intended_load
        if wanted.then:
            intended += round(wanted.then.rate * wanted.then.seconds)
            if lost and self.recovery:
                lost += round(wanted.then.rate * self.recovery)
                last = wanted.intended_duration + self.recovery
        if wanted.meanwhile:
            wanted.meanwhile[1]()
            lost += round(wanted.intended_load * self.router.outage)
            gap = max(gap, self.router.outage)
        self.seconds += wanted.intended_duration
        noise = len(self.trials) < self.stolen
        lost = intended if noise else lost
        invalid = ("CPU steal: all",) if noise else self.invalid
        counts = make_counts(1000, wanted.size, intended) | {
            "intended": intended, "received": intended - lost,
            "intended_rate": wanted.intended_load, "send_seconds": wanted.intended_duration,
        }  # fmt: skip
        made = results.Trial(
            number=len(self.trials), purpose=wanted.purpose, condition=wanted.condition.name,
            frame_size=wanted.size, arrangement=wanted.arrangement, family=wanted.family,
            direction=wanted.direction, intended_load=wanted.intended_load,
            intended_duration=wanted.intended_duration, at_seconds=0.0, state="completed",
            valid=not invalid, invalid_because=invalid, counts=counts,
            causes=(Cause.STEAL,) if invalid else (),
            every_frame=self._frames(intended, lost, last, gap) if wanted.keep_frames else None,
        )  # fmt: skip
        self.trials.append(made)
        return made

    def _frames(
        self, intended: int, lost: int, last: float | None, gap: float
    ) -> results.EveryFrame:
        received = np.full(intended - lost, self.delay)
        same = results.Delays(
            count=len(received), min=self.delay, mean=self.delay, max=self.delay,
            percentiles=delays.percentiles(received),
            histogram=delays.Histogram.of(received).encode(),
        )  # fmt: skip
        none = results.Variation(count=0)
        more: dict[str, Any] = {"last_lost_seconds": last, "longest_gap_seconds": gap}
        return results.EveryFrame(
            intended=intended, offered=intended, received=intended - lost, lost=lost, duplicates=0,
            reordering=results.Reordering(reordered=0),
            from_intended=same, from_actual=same, pdv=none, ipdv=none, **more,
        )  # fmt: skip


MAXIMUM = 1_000_000.0
CAPACITY = 400_000.0
WORDS = profiles.load("quick").suite


def subject(size: int = 64) -> UnderTest:
    return UnderTest(lab.find("fastpath").condition("routing-plain"), size, "ipv4", "lab", True)


def stage(testbed: Any, *known: UnderTest, capacity: float = CAPACITY) -> Stage:
    made = Stage(testbed, random.Random(1), maximum={64: MAXIMUM, 1518: MAXIMUM})
    made.lossless = dict.fromkeys(known, capacity)
    return made


def test_the_throughput_is_the_capacity_for_every_tolerated_loss() -> None:
    testbed, it = KnownTestbed(CAPACITY), subject()
    on = stage(testbed)
    (found,) = section26.throughput(on, section26.search_throughput(on, [it], {64: MAXIMUM}))
    width = profiles.load("quick").search.relative_width
    for goal in found.goals:
        truth = CAPACITY / (1 - goal.loss_ratio)
        assert goal.conditional_throughput == pytest.approx(truth, rel=width)
        assert goal.relevant_lower_bound is not None and goal.relevant_upper_bound is not None
        assert goal.relevant_lower_bound <= truth * 1.001 <= goal.relevant_upper_bound * 1.01
    assert on.lossless[it] == found.goals[0].conditional_throughput
    assert found.trials == len(testbed.trials)
    assert found.seconds == pytest.approx(testbed.seconds)


def test_a_router_that_loses_at_any_rate_has_no_throughput_and_no_latency() -> None:
    testbed, it = KnownTestbed(capacity=0), subject()
    on = stage(testbed)
    (found,) = section26.throughput(on, section26.search_throughput(on, [it], {64: MAXIMUM}))
    assert found.goals == () and "at any rate" in str(found.failed_because)
    assert section26.latency(on, [it], WORDS.latency) == []
    for measured in (
        section26.back_to_back(on, [it], WORDS.back_to_back),
        section26.recovery(on, [it], WORDS.recovery),
        section26.reset(on, [it], WORDS.reset),
    ):
        assert "throughput" in str(measured[0].why_none)


def test_latency_is_measured_at_each_share_from_every_frame() -> None:
    testbed, it = KnownTestbed(CAPACITY, delay=123_000), subject()
    found = section26.latency(stage(testbed, it), [it], WORDS.latency)
    assert [point.share for point in found] == list(WORDS.latency.shares)
    for point in found:
        assert point.rate == pytest.approx(point.share * CAPACITY)
        assert len(point.trials) == WORDS.latency.repeats
        assert point.from_intended.count == pytest.approx(
            point.rate * WORDS.latency.seconds * WORDS.latency.repeats
        )
        for percentile in point.from_intended.percentiles:
            assert percentile.ns == pytest.approx(123_000, rel=0.001)
        assert point.lost == 0


def test_a_trial_too_long_to_keep_is_counted_by_the_tester(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(section26, "MOST_KEPT", 10)
    testbed, it = KnownTestbed(CAPACITY), subject()
    found = section26.latency(stage(testbed, it), [it], WORDS.latency)
    assert not any(trial.every_frame for trial in testbed.trials)
    assert {p.share: p.ns for p in found[0].from_intended.percentiles} == {
        0.5: 1500, 0.9: 2000, 0.99: 3000, 0.999: 5000,
    }  # fmt: skip


def test_the_loss_curve_is_that_of_the_capacity_and_ends_below_it() -> None:
    testbed, it = KnownTestbed(CAPACITY), subject()
    curve = section26.frame_loss(stage(testbed), [it], WORDS.frame_loss)
    assert curve[0].share == 1.0
    for point in curve:
        truth = max(0.0, 1 - CAPACITY / (point.share * MAXIMUM))
        assert point.loss_ratio == pytest.approx(truth, abs=1e-4)
    # RFC 2544 section 26.3: until two successive trials lose nothing.
    assert [point.loss_ratio for point in curve[-2:]] == [0, 0]
    assert curve[-3].loss_ratio != 0
    assert curve[-1].share == pytest.approx(0.3)


def test_the_burst_is_what_fills_the_buffer() -> None:
    frames = 1_000
    testbed, it = KnownTestbed(CAPACITY, buffer=frames), subject()
    (found,) = section26.back_to_back(stage(testbed, it), [it], WORDS.back_to_back)
    truth = frames / (1 - CAPACITY / MAXIMUM)
    assert len(found.bursts) == WORDS.back_to_back.repeats
    for burst in found.bursts:
        assert truth * (1 - WORDS.back_to_back.resolution) - 2 <= burst <= truth + 2
    # RFC 9004 section 6.4: the corrected buffer time is that of the buffer alone.
    assert found.corrected_buffer_seconds == pytest.approx(frames / MAXIMUM, rel=0.06)
    assert found.implied_buffer_seconds == pytest.approx(truth / MAXIMUM, rel=0.06)


@pytest.mark.parametrize(
    ("testbed", "capacity", "why", "waited"),
    [
        # As fast as the tester.
        (KnownTestbed(2 * MAXIMUM), 0.95 * MAXIMUM, section26.TOO_FAST, 0),
        # A buffer beyond the longest burst.
        (KnownTestbed(CAPACITY, buffer=10**9), CAPACITY, "longest", 0),
        # Noise without end: it is waited for, and the run ends.
        (
            KnownTestbed(CAPACITY, buffer=1_000, stolen=10**6),
            CAPACITY,
            "CPU steal: all",
            ALL_SECONDS,
        ),
    ],
)
def test_a_burst_that_nobody_can_tell_is_none_and_says_why(
    testbed: KnownTestbed, capacity: float, why: str, waited: float
) -> None:
    it = subject()
    (found,) = section26.back_to_back(
        stage(testbed, it, capacity=capacity), [it], WORDS.back_to_back
    )
    assert why in str(found.why_none)
    assert found.corrected_buffer_seconds is None
    assert sum(testbed.slept) == waited


@pytest.mark.parametrize("stolen", [1, 5])
def test_a_burst_that_noise_spoiled_is_sent_again(stolen: int) -> None:
    quiet, noisy, it = (
        KnownTestbed(CAPACITY, buffer=1_000), KnownTestbed(CAPACITY, buffer=1_000, stolen=stolen),
        subject(),
    )  # fmt: skip
    (wanted,) = section26.back_to_back(stage(quiet, it), [it], WORDS.back_to_back)
    (found,) = section26.back_to_back(stage(noisy, it), [it], WORDS.back_to_back)
    assert found.bursts == wanted.bursts and found.why_none is None
    assert noisy.slept == [0.5, 1, 2, 4, 8][:stolen]


def test_a_search_asks_again_what_noise_spoiled_and_says_where_it_counts_noise() -> None:
    found_in = {}
    for stolen in (0, 5):
        testbed, it = KnownTestbed(CAPACITY, stolen=stolen), subject()
        on = stage(testbed)
        searched = section26.search_throughput(on, [it], {64: MAXIMUM})
        found_in[stolen] = section26.throughput(on, searched)[0].goals
        assert len(testbed.slept) == stolen and not testbed.remarks
    assert found_in[0] == found_in[5]
    testbed, it = KnownTestbed(CAPACITY, stolen=10**6), subject()
    on = stage(testbed)
    (found,) = section26.throughput(on, section26.search_throughput(on, [it], {64: MAXIMUM}))
    assert "at any rate" in str(found.failed_because)
    assert testbed.remarks == [SEARCHED_IN_NOISE]
    assert sum(testbed.slept) == ALL_SECONDS


@given(st.integers(0, 500_000), st.sampled_from([0.5, 0.05, 0.001]))
def test_the_longest_burst_lies_within_the_resolution(truth: int, resolution: float) -> None:
    asked = []

    def passes(frames: int) -> bool:
        asked.append(frames)
        return frames <= truth

    found = section26.longest_burst(passes, 400_000, resolution)
    assert found <= truth
    if truth >= 400_000:
        assert found == 400_000
    elif truth >= section26.SHORTEST:
        assert found >= truth * (1 - 2 * resolution) - 2
    assert len(asked) < 40


def test_the_recovery_time_is_counted_from_the_drop_of_the_load() -> None:
    testbed, it = KnownTestbed(CAPACITY, recovery=0.012), subject()
    (found,) = section26.recovery(stage(testbed, it), [it], WORDS.recovery)
    assert found.seconds == pytest.approx([0.012] * WORDS.recovery.repeats)
    assert found.overload_rate == pytest.approx(1.1 * CAPACITY)
    assert found.recovery_rate == pytest.approx(0.55 * CAPACITY)
    (at_once,) = section26.recovery(stage(KnownTestbed(CAPACITY), it), [it], WORDS.recovery)
    assert at_once.seconds == pytest.approx([0.0] * WORDS.recovery.repeats)
    endless = KnownTestbed(CAPACITY, recovery=WORDS.recovery.after_seconds)
    (never,) = section26.recovery(stage(endless, it), [it], WORDS.recovery)
    assert (never.seconds, never.not_recovered) == ((), WORDS.recovery.repeats)
    fast = KnownTestbed(2 * MAXIMUM)
    (none,) = section26.recovery(stage(fast, it, capacity=0.95 * MAXIMUM), [it], WORDS.recovery)
    assert none.why_none and never.why_none and fast.trials == []


def test_a_reset_takes_as_long_by_loss_as_by_time() -> None:
    testbed, it, other = KnownTestbed(CAPACITY), subject(), subject(1518)
    testbed.router.outage = 0.05
    (found,) = section26.reset(stage(testbed, it, other), [it, other], WORDS.reset)
    assert found.frame_size == 64
    assert testbed.router.resets == WORDS.reset.repeats
    assert found.by_loss_seconds == pytest.approx([0.05] * WORDS.reset.repeats)
    assert found.by_time_seconds == pytest.approx([0.05] * WORDS.reset.repeats)
    (none,) = section26.reset(stage(KnownTestbed(CAPACITY), it), [it], WORDS.reset)
    assert none.why_none == section26.MISSED


def test_what_cannot_be_tested_is_said() -> None:
    fastpath = lab.find("fastpath")
    conditions = [
        fastpath.condition("routing-plain"), fastpath.condition("routing-25-ip-filter-rules"),
    ]  # fmt: skip
    subjects, notes = subjects_of(fastpath, conditions, WORDS)
    v6 = [s for s in subjects if s.family == "ipv6"]
    assert {s.condition.name for s in v6} == {"routing-plain"}
    assert min(s.size for s in v6) == 84
    assert any("routing-25-ip-filter-rules: " in note for note in notes)
    assert any(re.search(r"IPv6\D+\d+\D+84\b", note) for note in notes)
    assert {s.size for s in subjects if s.family == "ipv4" and s.direction == "lab"} == set(
        WORDS.sizes
    )
    larger, notes = subjects_of(fastpath, conditions, WORDS, [9600])
    assert larger == [] and "9600" in "".join(notes)
