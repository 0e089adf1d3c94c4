"""Every statistic of a trial recovers what the simulated router that made its frames is known for.

The frames go the way of real ones: as a frames file, read and counted by every_frame.
"""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ppslab.measure.trial import every_frame
from ppslab.model import simulated
from ppslab.model.results import Delays, EveryFrame
from ppslab.model.simulated import EXAMPLES, Frames, Router

IDLE_NS = 50_000


def counted(router: Router, seconds: float, load: float) -> tuple[EveryFrame, Frames]:
    frames = router.frames(seconds, load)
    return every_frame.count(frames.file()), frames


def percentile(delays: list[int], share: float) -> int:
    """Nearest rank, by sorting."""
    return sorted(delays)[math.ceil(round(share * len(delays), 6)) - 1]


def recovers(found: Delays, delays: list[int]) -> None:
    assert (found.count, found.min, found.max) == (len(delays), min(delays), max(delays))
    assert found.mean == pytest.approx(sum(delays) / len(delays))
    for one in found.percentiles:
        assert one.ns == percentile(delays, one.share)
        assert one.beyond == sum(delay > one.ns for delay in delays)


@pytest.mark.long
@pytest.mark.parametrize("name", EXAMPLES)
def test_counts_and_delays_are_those_of_the_frames(name: str) -> None:
    found, frames = counted(EXAMPLES[name](2), 0.2, 60_000)
    assert (found.intended, found.offered) == (frames.intended, frames.offered)
    assert found.received == frames.forwarded
    assert found.lost == frames.intended - frames.forwarded
    assert found.duplicates == len(frames.rows) - frames.forwarded
    first = {(row.flow, row.sequence): row for row in reversed(frames.rows)}.values()
    recovers(found.from_intended, [row.received_ns - row.intended_ns for row in first])
    recovers(found.from_actual, [row.received_ns - row.sent_ns for row in first])


@settings(max_examples=25, deadline=None)
@given(data=st.data(), every=st.integers(2, 120), load=st.integers(1_000, 30_000))
def test_reordering_is_found_with_its_ratio_extent_and_lateness(
    data: st.DataObject, every: int, load: int
) -> None:
    extent = data.draw(st.integers(1, every - 1))
    router = simulated.Reordering(1e6, every, extent)
    found, frames = counted(router, 0.1, load)
    reordered = router.reordered(frames.intended)
    assert (found.lost, found.duplicates) == (0, 0)
    assert found.reordering.reordered == reordered
    assert found.reordering.ratio == pytest.approx(reordered / frames.intended)
    assert found.reordering.extent == ({extent: reordered} if reordered else {})
    if reordered:
        late = found.reordering.late_ns
        assert late.count == reordered
        assert late.min == pytest.approx(router.late_ns(load), abs=2)
        assert late.max == pytest.approx(router.late_ns(load), abs=2)
        # A frame that 3 others overtook in a row is 3-reordered, 2-reordered and 1-reordered.
        share = pytest.approx(reordered / frames.intended)
        known = min(extent, 100)
        assert found.reordering.n_reordering == dict.fromkeys(range(1, known + 1), share)


def test_duplicates_are_neither_reordered_nor_lost() -> None:
    # Frames come every 50 us, copies 120 us behind: two others are between.
    found, frames = counted(simulated.Duplicating(1e6, every=10, after_ns=120_000), 0.5, 20_000)
    assert (found.duplicates, found.lost) == (1_000, 0)
    assert found.reordering.reordered == 0
    assert found.from_actual.max == IDLE_NS
    assert found.received == frames.intended


def test_each_direction_gets_its_own_delay_and_loss() -> None:
    there, back = simulated.Path(1e6, delay_ns=200_000), simulated.Path(4_000, delay_ns=3_000_000)
    found, _ = counted(simulated.Asymmetric(there, back), 1, 10_000)
    one, other = sorted(found.by_ports, key=lambda ports: ports.sent_from)
    assert (one.intended, one.lost) == (5_000, 0)
    assert (other.intended, other.lost) == (5_000, 1_000)
    assert (one.from_actual.min, one.from_actual.max) == (200_000, 200_000)
    assert (other.from_actual.min, other.from_actual.max) == (3_000_000, 3_000_000)
    # Each flow's delay varies around its own: the difference of the paths is no variation.
    assert (found.pdv.max, found.ipdv.min, found.ipdv.max) == (0, 0, 0)


def test_a_spike_is_a_gap_of_so_many_frames_at_its_time() -> None:
    router = simulated.LossSpikes(1e6, chance=0.999999, loss=0.02, deviation=0)
    found, _ = counted(router, 1, 10_000)
    assert found.lost == 200
    period = 1 / 10_000
    assert found.longest_gap_seconds == pytest.approx(201 * period)
    assert found.first_lost_seconds == pytest.approx(0.5 - 0.01, abs=period)
    assert found.last_lost_seconds == pytest.approx(0.5 + 0.01, abs=2 * period)


@pytest.mark.long
def test_a_stall_delays_by_its_length_behind_a_deep_buffer() -> None:
    router = simulated.Buffered(100_000, 100_000, stall_seconds=0.002, stall_every=0.1)
    found, frames = counted(router, 1, 50_000)
    assert found.lost == 0
    service = round(1e9 / 100_000)
    assert found.from_actual.min == pytest.approx(IDLE_NS + service, abs=2)
    assert found.from_actual.max == pytest.approx(IDLE_NS + service + 2_000_000, rel=0.02)
    # Ten stalls hold 2 ms of frames each, and it takes as long again to serve what they held.
    held = 10 * 2 * 0.002 * 50_000
    longer = sum(row.received_ns - row.sent_ns > IDLE_NS + 2 * service for row in frames.rows)
    assert longer == pytest.approx(held, rel=0.05)
    assert found.pdv.max == found.from_actual.max - found.from_actual.min


@pytest.mark.long
def test_back_pressure_hides_in_the_actual_delay_and_shows_in_the_intended_one() -> None:
    found, frames = counted(EXAMPLES["back pressure"](1), 2, 50_000)
    assert found.lost == 0

    def p99(delays: Delays) -> int:
        return next(one.ns for one in delays.percentiles if one.share == 0.99)

    assert p99(found.from_actual) < 400_000
    assert p99(found.from_intended) > 15_000_000
    assert frames.offered == found.received


def test_unsent_frames_are_lost_at_the_end() -> None:
    found, _ = counted(simulated.HardLimit(1e9, tester_limit=40_000), 1, 50_000)
    assert (found.offered, found.received, found.lost) == (40_000, 40_000, 10_000)
    assert found.first_lost_seconds == pytest.approx(0.8)
    # The last frame that left was due at 0.8 s, and left at 1 s.
    assert found.from_intended.max == pytest.approx(200_000_000, rel=0.001)
    assert found.from_actual.max == IDLE_NS


@pytest.mark.long
def test_delays_of_several_trials_together() -> None:
    router = simulated.deep_buffer()
    trials = [router.frames(0.2, load) for load in (60_000, 110_000, 140_000)]
    merged = every_frame.merge([every_frame.count(one.file()).from_actual for one in trials])
    delays = [row.received_ns - row.sent_ns for one in trials for row in one.rows]
    assert (merged.count, merged.min, merged.max) == (len(delays), min(delays), max(delays))
    for one in merged.percentiles:
        assert one.ns == pytest.approx(percentile(delays, one.share), rel=0.001)
