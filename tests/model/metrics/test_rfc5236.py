"""Reorder density and buffer-occupancy density by the RFC's own worked examples."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppslab.model.metrics import loss, rfc5236


def distinct(arrived: list[int]) -> rfc5236.Integers:
    """Numbers from 0 without their later copies; the RFC's count from 1."""
    found = np.array(arrived, dtype=np.int64) - 1
    return found[loss.first_copies(found, max(arrived))]


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


def online_displacements(arrived: list[int], threshold: int) -> list[int]:
    """Section 7.1 read out: the stay-back method."""
    coming = iter(arrived)
    window: list[int] = []
    buffer: set[int] = set()
    index, found = 1, []

    def take() -> None:
        for number in coming:
            if not (number < index or number in buffer or number in window):
                window.append(number)
                return

    for _ in range(threshold + 1):
        take()
    while window:
        if index in window or index in buffer:
            number = window.pop(0)
            if abs(index - number) <= threshold:
                found.append(index - number)
                buffer.discard(index)
                if index < number:
                    buffer.add(number)
                index += 1
            take()
        else:
            least = min([*window, *buffer])
            index = least if index < least else index + 1
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
    assert rfc5236.displacements(distinct(arrived)).tolist() == displaced


@pytest.mark.parametrize(
    ("arrived", "held"),
    [
        ([1, 4, 2, 5, 3, 6, 7, 8], [0, 1, 1, 2, 0, 0, 0, 0]),  # table 3
        ([1, 3, 2, 3, 4, 5], [0, 1, 0, 0, 0]),  # table 8
        ([1, 2, 4, 5, 3], [0, 0, 1, 2, 0]),  # section 3.8
    ],
)
def test_the_occupancies_of_the_examples(arrived: list[int], held: list[int]) -> None:
    assert rfc5236.occupancies(distinct(arrived)).tolist() == held
    assert online_occupancies(arrived, threshold=4) == held


def test_the_densities_of_the_first_example() -> None:
    """Tables 2 and 4."""
    s = distinct([1, 4, 2, 5, 3, 6, 7, 8])
    shares = {d: n / 8 for d, n in Counter(rfc5236.displacements(s).tolist()).items()}
    assert shares == {-2: 0.125, -1: 0.125, 0: 0.5, 1: 0.125, 2: 0.125}
    held = {b: n / 8 for b, n in Counter(rfc5236.occupancies(s).tolist()).items()}
    assert held == {0: 0.625, 1: 0.25, 2: 0.125}


def test_the_example_with_a_loss() -> None:
    """Table 6 fills a buffer of three before the loss is known; after a trial it is known."""
    arrived = [1, 2, 4, 5, 6, 7]
    assert online_occupancies(arrived, threshold=3) == [0, 0, 1, 2, 3, 0]
    assert rfc5236.occupancies(distinct(arrived)).tolist() == [0] * 6


permutations = st.integers(1, 30).flatmap(lambda n: st.permutations(range(1, n + 1)))


@given(permutations)
def test_without_loss_both_are_what_the_online_algorithms_find(arrived: list[int]) -> None:
    assert rfc5236.occupancies(distinct(arrived)).tolist() == online_occupancies(arrived, 30)
    assert rfc5236.displacements(distinct(arrived)).tolist() == online_displacements(arrived, 30)


@given(permutations, st.sets(st.integers(1, 30)), st.integers(0, 29))
def test_lost_and_repeated_packets_displace_nothing(
    arrived: list[int], lost: set[int], again: int
) -> None:
    """RD is orthogonal to loss and duplication, section 3: with them the online one agrees too."""
    kept = [number for number in arrived if number not in lost]
    if not kept:
        return
    copied = [*kept, kept[again % len(kept)]]
    found = rfc5236.displacements(distinct(copied)).tolist()
    assert found == online_displacements(copied, 30)
    assert sum(found) == 0


@given(permutations)
def test_in_order_is_the_only_order_without_displacement(arrived: list[int]) -> None:
    s = distinct(arrived)
    assert (rfc5236.displacements(s) == 0).all() == (arrived == sorted(arrived))
    assert (rfc5236.occupancies(s) == 0).all() == (arrived == sorted(arrived))
    assert rfc5236.occupancies(s)[-1] == 0
