"""Percentiles: exact ones by counting, and those of HDR histograms against HdrHistogram's own."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hdrh.histogram import HdrHistogram
from hypothesis import example, given
from hypothesis import strategies as st

from ppslab.model.metrics import delays


def array(values: list[int]) -> delays.Integers:
    return np.sort(np.array(values, dtype=np.int64))


values = st.lists(
    st.one_of(st.integers(0, 5000), st.integers(0, delays.HIGHEST_NS)), min_size=1, max_size=60
)


@given(values)
@example(list(range(1, 10_001)))
def test_a_percentile_is_the_smallest_that_its_share_does_not_exceed(found: list[int]) -> None:
    for one in delays.percentiles(array(found)):
        assert one.value in found
        upto = sum(value <= one.value for value in found)
        below = sum(value < one.value for value in found)
        assert upto >= one.share * len(found) - 1e-6
        assert below < one.share * len(found) + 1e-6
        assert one.beyond == len(found) - upto


def test_shares_that_are_no_binary_fractions() -> None:
    assert delays.rank(0.55, 100) == 55
    assert delays.rank(0.9999, 10_000) == 9999
    assert delays.rank(0.9999, 10_001) == 10_000
    assert delays.rank(0.01, 1) == 1
    hundred = array(list(range(1, 101)))
    assert [one.value for one in delays.percentiles(hundred, (0.01, 0.1, 0.99, 1.0))] == [
        1,
        10,
        99,
        100,
    ]
    assert delays.percentiles(array([])) == ()


@pytest.mark.long
@given(values)
def test_the_counters_are_those_of_hdr_histogram(found: list[int]) -> None:
    reference = HdrHistogram(1, delays.HIGHEST_NS, delays.DIGITS)
    for value in found:
        assert reference.record_value(value)
    ours = delays.Histogram.of(array(found))
    assert ours.counts.tolist() == list(reference.counts)
    assert ours.encode() == reference.encode().decode()
    for value in found:
        place = int(np.searchsorted(ours.lowest, value, side="right")) - 1
        assert ours.lowest[place] == reference.get_lowest_equivalent_value(value)
        assert ours.highest[place] == reference.get_highest_equivalent_value(value)


@pytest.mark.long
@given(values)
def test_a_histogram_comes_back_and_is_a_tenth_of_a_percent_off(found: list[int]) -> None:
    back = delays.Histogram.decode(delays.Histogram.of(array(found)).encode())
    assert back.counts.sum() == len(found)
    exact = delays.percentiles(array(found))
    for near, truth in zip(back.percentiles(), exact, strict=True):
        assert truth.value <= near.value <= truth.value * 1.001
        assert near.beyond <= truth.beyond


@pytest.mark.long
@given(values, values)
def test_histograms_add_up(one: list[int], other: list[int]) -> None:
    both = delays.Histogram.of(array(one)) + delays.Histogram.of(array(other))
    assert both.counts.tolist() == delays.Histogram.of(array(one + other)).counts.tolist()


def test_delays_that_clocks_or_days_bring() -> None:
    odd = delays.Histogram.of(array([-700, 0, 5, delays.HIGHEST_NS, 10**14]))
    assert odd.counts.sum() == 5
    assert odd.counts[0] == 2
    assert odd.lowest[np.flatnonzero(odd.counts)[-1]] <= delays.HIGHEST_NS
    empty = delays.Histogram.decode(delays.Histogram.of(array([])).encode())
    assert empty.percentiles() == ()


@pytest.mark.parametrize(
    "text",
    ["", "nonsense", "SElTVA==", HdrHistogram(1, 1000, 2).encode().decode()],
    ids=["empty", "no base64", "cut off", "other settings"],
)
def test_what_is_no_histogram_of_ours(text: str) -> None:
    with pytest.raises(ValueError, match="HdrHistogram"):
        delays.Histogram.decode(text)


def test_percentiles_of_a_known_distribution() -> None:
    """Exponential delays: the p-quantile is -ln(1-p) means."""
    drawn = np.random.default_rng(2544).exponential(1e6, 400_000)
    found = delays.Histogram.of(np.sort(drawn.astype(np.int64))).percentiles()
    for one in found:
        truth = -math.log(1 - one.share) * 1e6
        # Four standard errors of a quantile: sqrt(p(1-p)/n) over the density 1-p.
        error = 4 * math.sqrt(one.share / (1 - one.share) / len(drawn)) * 1e6
        assert one.value == pytest.approx(truth, abs=error + 0.001 * truth)
