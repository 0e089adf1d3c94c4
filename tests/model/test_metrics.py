"""Delays, losses and reordering of streams: the examples of RFC 4737, 5236 and 5481, and laws."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from hdrh.histogram import HdrHistogram
from hypothesis import example, given
from hypothesis import strategies as st

from ppslab.model.metrics import arrivals, delays
from ppslab.model.metrics.delays import ipdv, pdv


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
    hundred = ascending(list(range(1, 101)))
    assert [one.value for one in delays.percentiles(hundred, (0.01, 0.1, 0.99, 1.0))] == [
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
        assert truth.value <= near.value <= truth.value * 1.001
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
        assert one.value == pytest.approx(truth, abs=error + 0.001 * truth)


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


MS = 1_000_000

# RFC 4737 section 7: sequence numbers and destination times in the order of arrival, then what
# the text says of them.
TABLE_1 = (
    [1, 2, 3, 5, 6, 7, 8, 4, 9, 10],
    [68, 88, 108, 148, 168, 188, 208, 210, 228, 248],
)
TABLE_2 = (
    [1, 2, 3, 4, 7, 5, 6, 8, 9, 10],
    [68, 88, 108, 128, 188, 189, 190, 208, 228, 248],
)
TABLE_3 = (
    [1, 2, 3, 7, 8, 9, 10, 4, 5, 6, 11],
    [68, 88, 108, 188, 208, 228, 248, 250, 252, 256, 268],
)
TABLE_4 = [1, 2, 3, 6, 7, 4, 5, 8, 9, 10, 12, 13, 11, 14, 15, 16]


def late(sequence: list[int]) -> list[int]:
    """The reordered packets by their numbers."""
    found = array(sequence)
    return found[arrivals.reordered(found)].tolist()


@pytest.mark.parametrize(
    ("table", "packets", "extents", "late_ms", "by_n"),
    [
        (TABLE_1, [4], [4], [62], [1, 1, 1, 1]),
        (TABLE_2, [5, 6], [1, 2], [1, 2], [1]),
        (TABLE_3, [4, 5, 6], [4, 5, 6], [62, 64, 68], [1, 1, 1, 1]),
    ],
    ids=["7.1", "7.2", "7.3"],
)
def test_the_examples_of_sections_7_1_to_7_3(
    table: tuple[list[int], list[int]],
    packets: list[int],
    extents: list[int],
    late_ms: list[int],
    by_n: list[int],
) -> None:
    sequence, times = array(table[0]), array(table[1]) * MS
    assert late(table[0]) == packets
    assert arrivals.extents(sequence).tolist() == extents
    assert (arrivals.late_times(sequence, times) // MS).tolist() == late_ms
    assert arrivals.n_reordered(sequence).tolist() == by_n
    assert arrivals.gaps(sequence).tolist() == []


def test_the_example_of_section_7_4() -> None:
    sequence = array(TABLE_4)
    assert late(TABLE_4) == [4, 5, 11]
    assert arrivals.extents(sequence).tolist() == [2, 3, 2]
    assert arrivals.gaps(sequence).tolist() == [7]
    assert arrivals.free_runs(sequence).tolist() == [5, 0, 5]
    reordered, causes = arrivals.discontinuities(sequence)
    assert sequence[causes].tolist() == [6, 6, 12]
    assert (reordered + 1).tolist() == [6, 7, 13]


def test_the_example_in_section_5_3() -> None:
    sequence = array([1, 2, 3, 7, 8, 9, 4, 5, 6])
    assert late(sequence.tolist()) == [4, 5, 6]
    assert arrivals.n_reordered(sequence).tolist() == [1, 1, 1]


def test_the_example_of_late_time_with_losses_in_section_4_3_4() -> None:
    assert arrivals.extents(array([1, 10, 5])).tolist() == [1]


@pytest.mark.parametrize(
    ("runs", "squares", "variability"), [([11, 11, 11], 363, 1.0), ([1, 1, 31], 963, 2.65)]
)
def test_the_examples_of_reordering_free_runs_in_section_4_6_4(
    runs: list[int], squares: int, variability: float
) -> None:
    """36 packets with three runs: each is followed by a packet that is reordered."""
    sequence: list[int] = []
    for length in runs:
        first = len(sequence) + 1
        sequence += [*range(first + 1, first + 1 + length), first]
    found = arrivals.free_runs(array(sequence))
    assert len(sequence) == 36
    assert found.tolist() == runs
    in_order, packets = int(found.sum()), len(found)
    assert (in_order, packets, int((found**2).sum())) == (33, 3, squares)
    assert squares / in_order / (in_order / packets) == pytest.approx(variability, abs=0.005)


sequences = st.lists(st.integers(0, 60), unique=True, max_size=40)


@given(sequences)
def test_every_metric_is_its_definition(sequence: list[int]) -> None:
    """The RFC's sentences, index by index."""
    s = array(sequence)
    expected, in_order = 0, []
    for number in sequence:  # section 3.4
        in_order.append(number >= expected)
        expected = max(expected, number + 1)
    assert (~arrivals.reordered(s)).tolist() == in_order

    causes = [
        min(j for j in range(i) if s[j] > s[i]) for i in range(len(s)) if not in_order[i]
    ]  # section 4.5.3
    late_at = [i for i in range(len(s)) if not in_order[i]]
    assert arrivals.extents(s).tolist() == [i - j for i, j in zip(late_at, causes, strict=True)]
    times = s * 7 + np.arange(len(s)) ** 2
    assert arrivals.late_times(s, times).tolist() == [
        times[i] - times[j] for i, j in zip(late_at, causes, strict=True)
    ]
    distinct = sorted(set(causes))
    assert arrivals.gaps(s).tolist() == [b - a for a, b in itertools.pairwise(distinct)]

    runs, run = [], 0  # section 4.6.3
    for good in in_order:
        run += 1
        if not good:
            runs.append(run - 1)
            run = 0
    assert arrivals.free_runs(s).tolist() == runs

    by_n = []  # section 5.3, definition 1
    for n in range(1, len(s)):
        by_n.append(sum(all(s[j] > s[i] for j in range(i - n, i)) for i in range(n, len(s))))
    while by_n and by_n[-1] == 0:
        by_n.pop()
    assert arrivals.n_reordered(s).tolist() == by_n


@given(st.integers(1, 200), st.integers(1, 8), st.integers(0, 50))
def test_a_known_extent_comes_back(blocks: int, extent: int, ahead: int) -> None:
    """In every block the first packet falls `extent` places back."""
    sequence, size = [], extent + 1 + ahead
    for block in range(blocks):
        first = block * size
        sequence += [*range(first + 1, first + extent + 1), first]
        sequence += range(first + extent + 1, first + size)
    s = array(sequence)
    assert sorted(sequence) == list(range(blocks * size))
    assert arrivals.extents(s).tolist() == [extent] * blocks
    assert arrivals.n_reordered(s).tolist() == [blocks] * extent
    assert arrivals.gaps(s).tolist() == [size] * (blocks - 1)


def test_n_reordering_is_looked_for_up_to_a_hundred() -> None:
    assert arrivals.n_reordered(array([*range(1, 500), 0])).tolist() == [1] * 100


def distinct(arrived: list[int]) -> arrivals.Integers:
    """Numbers from 0 without their later copies; the RFC's count from 1."""
    found = np.array(arrived, dtype=np.int64) - 1
    return found[arrivals.first_copies(found, max(arrived))]


def online_occupancies(arrived: list[int], threshold: int) -> list[int]:
    """Section 7.2 read out: a full buffer is the first sign that a packet is lost."""
    expected, buffer, found = 1, set[int](), []
    for number in arrived:
        if number in buffer or number < expected:
            continue
        if number > expected:
            if len(buffer) == threshold:
                while expected not in buffer and expected != number:
                    expected += 1
            buffer.add(number)
        else:
            buffer.add(number)
        while expected in buffer:
            buffer.remove(expected)
            expected += 1
        found.append(len(buffer))
    return found


@pytest.mark.parametrize(
    ("arrived", "displaced"),
    [
        ([2, 1, 4, 5, 3], [-1, 1, -1, -1, 2]),  # example 1
        ([1, 4, 3, 5, 3], [0, -1, 1, 0]),  # example 2
        ([1, 4, 3, 5, 3, 8, 7, 6], [0, -1, 1, 0, -2, 0, 2]),  # example 3
        ([1, 2, 3, 5, 4, 6], [0, 0, 0, -1, 1, 0]),  # example 4
        ([1, 2, 5, 3, 6, 2], [0, 0, -2, 2, 0]),  # example 5
        ([1, 4, 2, 5, 3, 6, 7, 8], [0, -2, 1, -1, 2, 0, 0, 0]),  # table 1
        ([1, 2, 4, 5, 6, 7], [0] * 6),  # table 5
        ([1, 3, 2, 3, 4, 5], [0, -1, 1, 0, 0]),  # table 7
        ([1, 2, 3, 2, 4, 5], [0] * 5),  # section 2 b)
    ],
)
def test_the_displacements_of_the_examples(arrived: list[int], displaced: list[int]) -> None:
    assert arrivals.displacements(distinct(arrived)).tolist() == displaced


@pytest.mark.parametrize(
    ("arrived", "held"),
    [
        ([1, 4, 2, 5, 3, 6, 7, 8], [0, 1, 1, 2, 0, 0, 0, 0]),  # table 3
        ([1, 3, 2, 3, 4, 5], [0, 1, 0, 0, 0]),  # table 8
        ([1, 2, 4, 5, 3], [0, 0, 1, 2, 0]),  # section 3.8
    ],
)
def test_the_occupancies_of_the_examples(arrived: list[int], held: list[int]) -> None:
    assert arrivals.occupancies(distinct(arrived)).tolist() == held
    assert online_occupancies(arrived, threshold=4) == held


def test_the_densities_of_the_first_example() -> None:
    """Tables 2 and 4."""
    s = distinct([1, 4, 2, 5, 3, 6, 7, 8])
    shares = {d: n / 8 for d, n in Counter(arrivals.displacements(s).tolist()).items()}
    assert shares == {-2: 0.125, -1: 0.125, 0: 0.5, 1: 0.125, 2: 0.125}
    held = {b: n / 8 for b, n in Counter(arrivals.occupancies(s).tolist()).items()}
    assert held == {0: 0.625, 1: 0.25, 2: 0.125}


def test_the_example_with_a_loss() -> None:
    """Table 6 fills a buffer of three before the loss is known; after a trial it is known."""
    arrived = [1, 2, 4, 5, 6, 7]
    assert online_occupancies(arrived, threshold=3) == [0, 0, 1, 2, 3, 0]
    assert arrivals.occupancies(distinct(arrived)).tolist() == [0] * 6
