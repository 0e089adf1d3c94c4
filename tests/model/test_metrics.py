"""Delays, losses and reordering of streams: the examples of RFC 4737 and 5481, and laws."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hdrh.histogram import HdrHistogram
from hypothesis import example, given
from hypothesis import strategies as st

from ppslab.model.metrics import arrivals, delays
from ppslab.model.metrics.delays import ipdv, pdv
from ppslab.model.validity import Cause, steal_of


def array(values: list[int]) -> delays.Integers:
    return np.array(values, dtype=np.int64)


def ascending(values: list[int]) -> delays.Integers:
    return np.sort(np.array(values, dtype=np.int64))


values = st.lists(
    st.one_of(st.integers(0, 5000), st.integers(0, delays.HIGHEST_NS)), min_size=1, max_size=60
)


@given(values)
@example(list(range(1, 10_001)))
def test_a_percentile_is_the_smallest_that_its_share_does_not_exceed(found: list[int]) -> None:
    for one in delays.percentiles(ascending(found)):
        assert one.ns in found
        upto = sum(value <= one.ns for value in found)
        below = sum(value < one.ns for value in found)
        assert upto >= one.share * len(found) - 1e-6
        assert below < one.share * len(found) + 1e-6
        assert one.beyond == len(found) - upto


def test_shares_that_are_no_binary_fractions() -> None:
    assert delays.rank(0.55, 100) == 55
    assert delays.rank(0.9999, 10_000) == 9999
    assert delays.rank(0.9999, 10_001) == 10_000
    assert delays.rank(0.01, 1) == 1
    hundred = ascending(list(range(1, 101)))
    assert [one.ns for one in delays.percentiles(hundred, (0.01, 0.1, 0.99, 1.0))] == [
        1,
        10,
        99,
        100,
    ]
    assert delays.percentiles(ascending([])) == ()


@pytest.mark.long
@given(values)
def test_the_counters_are_those_of_hdr_histogram(found: list[int]) -> None:
    reference = HdrHistogram(1, delays.HIGHEST_NS, delays.DIGITS)
    for value in found:
        assert reference.record_value(value)
    ours = delays.Histogram.of(ascending(found))
    assert ours.counts.tolist() == list(reference.counts)
    assert ours.encode() == reference.encode().decode()
    for value in found:
        place = int(np.searchsorted(ours.lowest, value, side="right")) - 1
        assert ours.lowest[place] == reference.get_lowest_equivalent_value(value)
        assert ours.highest[place] == reference.get_highest_equivalent_value(value)


@pytest.mark.long
@given(values)
def test_a_histogram_comes_back_and_is_a_tenth_of_a_percent_off(found: list[int]) -> None:
    back = delays.Histogram.decode(delays.Histogram.of(ascending(found)).encode())
    assert back.counts.sum() == len(found)
    exact = delays.percentiles(ascending(found))
    for near, truth in zip(back.percentiles(), exact, strict=True):
        assert truth.ns <= near.ns <= truth.ns * 1.001
        assert near.beyond <= truth.beyond


@pytest.mark.long
@given(values, values)
def test_histograms_add_up(one: list[int], other: list[int]) -> None:
    both = delays.Histogram.of(ascending(one)) + delays.Histogram.of(ascending(other))
    assert both.counts.tolist() == delays.Histogram.of(ascending(one + other)).counts.tolist()


def test_delays_that_clocks_or_days_bring() -> None:
    odd = delays.Histogram.of(ascending([-700, 0, 5, delays.HIGHEST_NS, 10**14]))
    assert odd.counts.sum() == 5
    assert odd.counts[0] == 2
    assert odd.lowest[np.flatnonzero(odd.counts)[-1]] <= delays.HIGHEST_NS
    empty = delays.Histogram.decode(delays.Histogram.of(ascending([])).encode())
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
        assert one.ns == pytest.approx(truth, abs=error + 0.001 * truth)


def test_the_example_of_section_4_4() -> None:
    delays = array([20, 10, 20, 25, 20])
    assert pdv(delays).tolist() == [10, 0, 10, 15, 10]
    assert ipdv(array([1, 2, 3, 4, 5]), delays).tolist() == [-10, 10, 5, -5]


def test_the_ipdv_column_of_rfc_4737_table_1() -> None:
    """In the order of sending, whatever the order of arrival; none where one side is missing."""
    arrived = array([1, 2, 3, 5, 6, 7, 8, 4, 9, 10])
    delays = array([68, 68, 68, 68, 68, 68, 68, 150, 68, 68])
    assert ipdv(arrived, delays).tolist() == [0, 0, 82, -82, 0, 0, 0, 0, 0]
    without = array([1, 2, 3, 5, 6])
    assert ipdv(without, delays[:5]).tolist() == [0, 0, 0]


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 10**9)), unique_by=lambda p: p[0]))
def test_ipdv_is_defined_for_neighbours_only(pairs: list[tuple[int, int]]) -> None:
    delay_of = dict(pairs)
    truth = [delay_of[n] - delay_of[n - 1] for n in sorted(delay_of) if n - 1 in delay_of]
    found = ipdv(array([n for n, _ in pairs]), array([d for _, d in pairs]))
    assert found.tolist() == truth


# RFC 4737 sections 7 and 4.3.4: sequence numbers in the order of arrival, the reordered packets and
# their extents as the text has them.
@pytest.mark.parametrize(
    ("sequence", "late", "extents"),
    [
        ([1, 2, 3, 5, 6, 7, 8, 4, 9, 10], [4], [4]),  # 7.1
        ([1, 2, 3, 4, 7, 5, 6, 8, 9, 10], [5, 6], [1, 2]),  # 7.2
        ([1, 2, 3, 7, 8, 9, 10, 4, 5, 6, 11], [4, 5, 6], [4, 5, 6]),  # 7.3
        ([1, 2, 3, 6, 7, 4, 5, 8, 9, 10, 12, 13, 11, 14, 15, 16], [4, 5, 11], [2, 3, 2]),  # 7.4
        ([1, 10, 5], [5], [1]),  # 4.3.4
    ],
)
def test_the_reordered_packets_of_the_examples(
    sequence: list[int], late: list[int], extents: list[int]
) -> None:
    s = array(sequence)
    assert s[arrivals.reordered(s)].tolist() == late
    assert arrivals.extents(s).tolist() == extents


sequences = st.lists(st.integers(0, 60), unique=True, max_size=40)


@given(sequences)
def test_reordering_is_its_definition(sequence: list[int]) -> None:
    """The RFC's sentences, index by index: sections 3.4 and 4.2.3."""
    s = array(sequence)
    late = [i for i, number in enumerate(sequence) if number < max(sequence[:i], default=0)]
    assert np.flatnonzero(arrivals.reordered(s)).tolist() == late
    causes = [min(j for j in range(i) if sequence[j] > sequence[i]) for i in late]
    assert arrivals.extents(s).tolist() == [i - j for i, j in zip(late, causes, strict=True)]


@given(st.lists(st.integers(0, 20), max_size=40))
def test_first_copies_and_what_is_missing(sequence: list[int]) -> None:
    s = array(sequence)
    assert s[arrivals.first_copies(s, 21)].tolist() == list(dict.fromkeys(sequence))
    assert arrivals.missing(s, 21).tolist() == [n for n in range(21) if n not in sequence]


# --- when the hypervisor has taken too much of a CPU for a trial to count -------------------------

VERDICTS = [
    # ticks by CPU, seconds, CPUs that matter, whether it is too much
    ({}, 0.1, None, False),
    # The run that ended a book: two ticks of one CPU in 0.35 s, which may be 10 ms or 30.
    ({0: 2}, 0.35, None, False),
    ({0: 2}, 0.1, None, False),
    ({0: 1, 1: 1, 2: 1, 3: 1}, 0.1, None, False),
    # Each CPU alone: 3 % each are not 6 %.
    ({0: 3, 1: 3}, 1.0, None, False),
    ({0: 3}, 0.1, None, True),
    ({0: 3}, 0.35, None, True),
    # 5 % of 0.5 s are 25 ms: three ticks may be 20.
    ({0: 3}, 0.5, None, False),
    ({0: 4}, 0.5, None, True),
    ({0: 6}, 1.0, None, False),
    ({0: 7}, 1.0, None, True),
    ({0: 300}, 60.0, None, False),
    ({0: 302}, 60.0, None, True),
    # A CPU on which nothing of the trial works.
    ({7: 90}, 1.0, {0, 1}, False),
    ({1: 90}, 1.0, {0, 1}, True),
    (None, 1.0, None, False),
    ({0: 5}, 0.0, None, False),
]


@pytest.mark.parametrize(("ticks", "seconds", "cpus", "too_much"), VERDICTS)
def test_a_cpu_is_judged_by_what_it_certainly_lost(
    ticks: dict[int, int] | None, seconds: float, cpus: set[int] | None, too_much: bool
) -> None:
    found = steal_of(ticks, seconds, cpus)
    assert (found is not None) == too_much
    if found:
        assert found.cause == Cause.STEAL
