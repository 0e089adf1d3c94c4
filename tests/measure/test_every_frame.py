"""Every statistic of made-up frames whose truth is known."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ppslab.core.errors import FileError
from ppslab.measure.trial import every_frame
from ppslab.model import simulated
from ppslab.model.results import Delays, EveryFrame
from ppslab.model.simulated import Router
from ppslab.testbed.testers import frames
from ppslab.testbed.testers.frames import FlowFrames, Frames, Paced
from tests.support import frames_file
from tests.support import simulated_paths as paths
from tests.support.simulated_paths import EXAMPLES

RATE = 100_000.0
PERIOD = 10_000


def made(
    arrived: Any,
    intended: int,
    *,
    delay: Any = 50_000,
    lateness: Any = 0,
    offered: int | None = None,
    steps: tuple[Paced, ...] | None = None,
    **columns: Any,
) -> Frames:
    """One flow's frames in the order of arrival, due every 10 us; `delay` is from their sending."""
    sequence = np.asarray(arrived, dtype=np.int64)
    due = sequence * PERIOD
    rows = frames_file.rows(
        {
            "sequence": sequence,
            "intended_ns": due,
            "lateness_ns": np.broadcast_to(lateness, sequence.shape),
            "received_ns": due + lateness + delay,
            "port": 1,
            **columns,
        }
    )
    flow = FlowFrames("f", intended, intended if offered is None else offered)
    return Frames(
        (flow,), ("p1", "p2"), 64, rows, (Paced(RATE, intended),) if steps is None else steps
    )


def shares(found: Delays) -> dict[float, int]:
    return {one.share: one.ns for one in found.percentiles}


def test_a_path_that_harms_nothing() -> None:
    found = every_frame.count(frames_file.write(made(range(1000), 1000)))
    assert (found.intended, found.offered, found.received) == (1000, 1000, 1000)
    assert (found.lost, found.duplicates) == (0, 0)
    assert found.from_actual == found.from_intended
    assert (found.from_actual.min, found.from_actual.mean, found.from_actual.max) == (50_000,) * 3
    assert set(shares(found.from_actual).values()) == {50_000}
    assert found.pdv.max == found.ipdv.max == found.ipdv.min == 0
    assert (found.pdv.count, found.ipdv.count) == (1000, 999)
    assert (found.reordering.reordered, found.reordering.max_extent) == (0, 0)
    assert found.first_lost_seconds is found.last_lost_seconds is None
    assert found.longest_gap_seconds == PERIOD / 1e9
    assert found.by_ports == ()


def test_a_late_tester_cannot_hide_a_slow_router() -> None:
    """Every frame waits 1 us at the router; the tester stood still for 5 ms (500 frames)."""
    late = np.zeros(1000, dtype=np.int64)
    late[300:800] = 5_000_000 - np.arange(500) * PERIOD
    found = every_frame.of(made(range(1000), 1000, delay=1_000, lateness=late))
    assert set(shares(found.from_actual).values()) == {1_000}
    assert found.from_intended.max == 5_001_000
    assert shares(found.from_intended)[0.5] == 1_000
    assert shares(found.from_intended)[0.9] == 1_000 + sorted(late)[899]


def test_without_a_schedule_the_neighbours_say_when() -> None:
    kept = [n for n in range(1000) if n not in {0, 500, 501, 999}]
    found = every_frame.of(made(kept, 1000, steps=()))
    assert found.first_lost_seconds == pytest.approx(PERIOD / 1e9)
    assert found.last_lost_seconds == pytest.approx(998 * PERIOD / 1e9)
    middle = every_frame.of(made([n for n in range(1000) if n != 500], 1000, steps=()))
    assert middle.first_lost_seconds == pytest.approx(500 * PERIOD / 1e9, abs=2e-9)
    assert every_frame.of(made([], 10, steps=())).first_lost_seconds is None


def test_the_last_loss_of_a_router_that_recovers_in_the_second_step() -> None:
    """RFC 2544 section 26.5: 1000 frames at 100 000 a second, then 500 at 50 000."""
    steps = (Paced(RATE, 1000), Paced(RATE / 2, 500))
    lost = {900, 950, 1040}
    found = every_frame.of(made([n for n in range(1500) if n not in lost], 1500, steps=steps))
    assert found.last_lost_seconds == pytest.approx(0.01 + 40 * 20e-6, abs=2e-9)


def test_duplicates_count_apart_and_only_the_first_copy_is_measured() -> None:
    arrived = [0, 1, 2, 1, 3, 4, 0, 0]
    found = every_frame.of(made(arrived, 5, delay=[9, 9, 9, 999, 9, 9, 999, 999]))
    assert (found.received, found.duplicates, found.lost) == (5, 3, 0)
    assert found.from_actual.max == 9
    assert found.reordering.reordered == 0


def test_frames_that_are_not_of_the_trial_are_left_out() -> None:
    flags = [0, frames.LEARNING, frames.FOREIGN, frames.CORRUPT, frames.MISDELIVERED, 0]
    found = every_frame.of(made([0, 2**31, 2**30, 2**29, 2, 1], 3, flags=flags))
    assert (found.received, found.lost, found.duplicates) == (2, 1, 0)


def test_a_frame_that_nobody_was_to_send() -> None:
    with pytest.raises(FileError, match="flow f: frame 7 of 5"):
        every_frame.of(made([0, 7], 5))


@pytest.mark.long
@given(st.data())
def test_whatever_arrives_the_numbers_agree(data: st.DataObject) -> None:
    intended = data.draw(st.integers(1, 40))
    arrived = data.draw(st.lists(st.integers(0, intended - 1), max_size=60))
    found = every_frame.of(made(arrived, intended))
    assert found.received == len(set(arrived)) == found.from_actual.count
    assert found.received + found.duplicates == len(arrived)
    assert found.lost == intended - found.received
    assert found.reordering.max_extent < max(found.received, 1)
    assert (found.reordering.max_extent > 0) == (found.reordering.reordered > 0)
    lost = sorted(set(range(intended)) - set(arrived))
    if lost:
        assert found.first_lost_seconds == pytest.approx(lost[0] * PERIOD / 1e9, abs=2e-9)
        assert found.last_lost_seconds == pytest.approx(lost[-1] * PERIOD / 1e9, abs=2e-9)
    assert EveryFrame.model_validate_json(found.model_dump_json()) == found


def test_several_trials_are_merged_by_their_histograms() -> None:
    drawn = np.random.default_rng(5).lognormal(12, 1, (3, 20_000)).astype(np.int64)
    parts = [every_frame.of(made(range(20_000), 20_000, delay=one)).from_actual for one in drawn]
    empty = every_frame.of(made([], 5)).from_actual
    merged = every_frame.merge([*parts, empty])
    whole = every_frame.of(made(range(60_000), 60_000, delay=drawn.ravel())).from_actual
    assert (merged.count, merged.min, merged.max) == (whole.count, whole.min, whole.max)
    assert merged.mean == pytest.approx(whole.mean)
    assert merged.histogram == whole.histogram
    for near, truth in zip(merged.percentiles, whole.percentiles, strict=True):
        assert truth.ns <= near.ns <= truth.ns * 1.001
    assert every_frame.merge([]) == empty
    assert every_frame.merge([merged]).percentiles == merged.percentiles
    damaged = parts[0].model_copy(update={"histogram": "nonsense"})
    with pytest.raises(FileError, match="histogram: no HdrHistogram"):
        every_frame.merge([damaged])


def counted(router: Router, seconds: float, load: float) -> tuple[EveryFrame, simulated.Frames]:
    frames = router.frames(seconds, load)
    return every_frame.count(paths.file_of(frames)), frames


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
def test_reordering_is_measured_with_its_extent(data: st.DataObject, every: int, load: int) -> None:
    extent = data.draw(st.integers(1, every - 1))
    router = paths.Reordering(1e6, every, extent)
    found, frames = counted(router, 0.1, load)
    reordered = router.reordered(frames.intended)
    assert (found.lost, found.duplicates) == (0, 0)
    assert found.reordering.reordered == reordered
    assert found.reordering.max_extent == (extent if reordered else 0)


def test_reordering_is_counted_flow_by_flow() -> None:
    """Two flows, each in order; the second begins again at 0."""
    one, other = made(range(100), 100), made([0, 2, 1, *range(3, 100)], 100)
    other.rows["flow"] = 1
    both = Frames(
        (*one.flows, *other.flows), one.ports, 64, np.concatenate((one.rows, other.rows)), ()
    )
    found = every_frame.of(both).reordering
    assert (found.reordered, found.max_extent) == (1, 1)


def test_each_direction_gets_its_own_delay_and_loss() -> None:
    there, back = (paths.Path(1e6, delay_ns=200_000), paths.Path(4_000, delay_ns=3_000_000))
    found, _ = counted(paths.Asymmetric(there, back), 1, 10_000)
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
