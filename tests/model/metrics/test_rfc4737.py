"""Reordering by the RFC's own worked examples, by its definitions read out, and by known truth."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppslab.model.metrics import rfc4737

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


def array(values: list[int]) -> rfc4737.Integers:
    return np.array(values, dtype=np.int64)


def late(sequence: list[int]) -> list[int]:
    """The reordered packets by their numbers."""
    found = array(sequence)
    return found[rfc4737.reordered(found)].tolist()


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
    assert rfc4737.extents(sequence).tolist() == extents
    assert (rfc4737.late_times(sequence, times) // MS).tolist() == late_ms
    assert rfc4737.n_reordered(sequence).tolist() == by_n
    assert rfc4737.gaps(sequence).tolist() == []


def test_the_example_of_section_7_4() -> None:
    sequence = array(TABLE_4)
    assert late(TABLE_4) == [4, 5, 11]
    assert rfc4737.extents(sequence).tolist() == [2, 3, 2]
    assert rfc4737.gaps(sequence).tolist() == [7]
    assert rfc4737.free_runs(sequence).tolist() == [5, 0, 5]
    reordered, causes = rfc4737.discontinuities(sequence)
    assert sequence[causes].tolist() == [6, 6, 12]
    assert (reordered + 1).tolist() == [6, 7, 13]


def test_the_example_in_section_5_3() -> None:
    sequence = array([1, 2, 3, 7, 8, 9, 4, 5, 6])
    assert late(sequence.tolist()) == [4, 5, 6]
    assert rfc4737.n_reordered(sequence).tolist() == [1, 1, 1]


def test_the_example_of_late_time_with_losses_in_section_4_3_4() -> None:
    assert rfc4737.extents(array([1, 10, 5])).tolist() == [1]


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
    found = rfc4737.free_runs(array(sequence))
    assert len(sequence) == 36
    assert found.tolist() == runs
    in_order, packets = int(found.sum()), len(found)
    assert (in_order, packets, int((found**2).sum())) == (33, 3, squares)
    assert squares / in_order / (in_order / packets) == pytest.approx(variability, abs=0.005)


arrivals = st.lists(st.integers(0, 60), unique=True, max_size=40)


@given(arrivals)
def test_every_metric_is_its_definition(sequence: list[int]) -> None:
    """The RFC's sentences, index by index."""
    s = array(sequence)
    expected, in_order = 0, []
    for number in sequence:  # section 3.4
        in_order.append(number >= expected)
        expected = max(expected, number + 1)
    assert (~rfc4737.reordered(s)).tolist() == in_order

    causes = [
        min(j for j in range(i) if s[j] > s[i]) for i in range(len(s)) if not in_order[i]
    ]  # section 4.5.3
    late_at = [i for i in range(len(s)) if not in_order[i]]
    assert rfc4737.extents(s).tolist() == [i - j for i, j in zip(late_at, causes, strict=True)]
    times = s * 7 + np.arange(len(s)) ** 2
    assert rfc4737.late_times(s, times).tolist() == [
        times[i] - times[j] for i, j in zip(late_at, causes, strict=True)
    ]
    distinct = sorted(set(causes))
    assert rfc4737.gaps(s).tolist() == [b - a for a, b in itertools.pairwise(distinct)]

    runs, run = [], 0  # section 4.6.3
    for good in in_order:
        run += 1
        if not good:
            runs.append(run - 1)
            run = 0
    assert rfc4737.free_runs(s).tolist() == runs

    by_n = []  # section 5.3, definition 1
    for n in range(1, len(s)):
        by_n.append(sum(all(s[j] > s[i] for j in range(i - n, i)) for i in range(n, len(s))))
    while by_n and by_n[-1] == 0:
        by_n.pop()
    assert rfc4737.n_reordered(s).tolist() == by_n


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
    assert rfc4737.extents(s).tolist() == [extent] * blocks
    assert rfc4737.n_reordered(s).tolist() == [blocks] * extent
    assert rfc4737.gaps(s).tolist() == [size] * (blocks - 1)


@given(arrivals)
def test_losses_alone_reorder_nothing(sequence: list[int]) -> None:
    """Section 6: the criterion holds when packets are lost."""
    s = np.sort(array(sequence))
    assert not rfc4737.reordered(s).any()
    assert len(rfc4737.extents(s)) == len(rfc4737.n_reordered(s)) == len(rfc4737.gaps(s)) == 0


def test_n_reordering_is_looked_for_up_to_a_hundred() -> None:
    assert rfc4737.n_reordered(array([*range(1, 500), 0])).tolist() == [1] * 100
