"""Simulated buffers, order, copies and back pressure have the extent that they were told."""

from __future__ import annotations

from collections import Counter
from statistics import quantiles

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ppslab.model import simulated
from ppslab.model.simulated import Frames


def test_a_buffer_carries_a_burst_by_the_formula_of_rfc_9004() -> None:
    capacity, rate, buffer = 100_000, 400_000, 3_000
    router = simulated.Buffered(capacity, buffer)
    longest = buffer / (1 - capacity / rate)
    assert router.measure(longest * 0.999 / rate, rate).lost == 0
    assert router.measure(longest * 1.002 / rate, rate).lost > 0
    # Section 6.4 takes from the burst what leaves the buffer while it is sent.
    assert longest / rate * (1 - capacity / rate) == pytest.approx(buffer / rate)


def test_a_buffer_without_stalls_carries_a_trial_once() -> None:
    router = simulated.Buffered(100_000, 5_000)
    for seconds in (0.1, 1.0, 60.0):
        assert router.throughput(seconds=seconds) == pytest.approx(100_000 + 5_000 / seconds)


@pytest.mark.long
def test_shallow_buffers_lose_in_each_stall_and_deep_ones_delay() -> None:
    shallow, deep = simulated.shallow_buffer(), simulated.deep_buffer()
    for seconds in (1.0, 60.0):
        assert shallow.throughput(seconds=seconds) == pytest.approx(256 / 0.005, rel=1e-6)
    assert deep.throughput(seconds=600) == pytest.approx(95_000, rel=0.001)
    assert deep.throughput(seconds=1) == pytest.approx(95_000 + 16_384, rel=0.001)

    def longest(frames: Frames) -> int:
        return max(row.received_ns - row.sent_ns for row in frames.rows) - 50_000

    for router in (shallow, deep):
        # As long as the docstring says, and no longer.
        assert longest(router.frames(0.6, 140_000)) == pytest.approx(
            router.longest_wait_ns, rel=0.01
        )
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
    router = simulated.Reordering(1e6, every, extent)
    frames = router.frames(0.1, load)
    assert extents(frames) == [extent] * router.reordered(frames.intended)
    assert frames.forwarded == frames.intended


def test_a_held_frame_is_late_by_what_overtook_it() -> None:
    router = simulated.Reordering(1e6, every=100, extent=5)
    rows = router.frames(0.5, 10_000).rows
    arrival = {row.sequence: row.received_ns for row in rows}
    late = [arrival[k] - arrival[k + 1] for k in range(99, len(rows) - 5, 100)]
    assert late == pytest.approx([router.late_ns(10_000)] * 49, abs=2)
    assert router.late_ns(10_000) == 400_000


def test_copies_are_counted_apart_and_hide_losses_from_a_simple_counter() -> None:
    router = simulated.Duplicating(100_000, every=100)
    counts = router.measure(1, 101_000)
    assert (counts.forwarded, counts.duplicates) == (100_000, 1_000)
    assert counts.lost == 1_000
    assert counts.arrived == counts.offered
    twice = Counter((row.flow, row.sequence) for row in router.frames(1, 50_000).rows)
    assert sum(n == 2 for n in twice.values()) == 500


def test_each_direction_has_its_own_capacity_and_delay() -> None:
    router = simulated.Asymmetric(
        simulated.Path(60_000, delay_ns=200_000), simulated.Path(40_000, delay_ns=3_000_000)
    )
    assert router.throughput() == 80_000
    frames = router.frames(1, 90_000)
    forwarded = Counter(row.flow for row in frames.rows)
    assert (forwarded[0], forwarded[1]) == (45_000, 40_000)
    delays = {(row.flow, row.received_ns - row.sent_ns) for row in frames.rows}
    assert delays == {(0, 200_000), (1, 3_000_000)}
    assert [flow.name for flow in frames.flows] == ["there", "back"]
    assert [flow.intended for flow in frames.flows] == [45_000, 45_000]


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
