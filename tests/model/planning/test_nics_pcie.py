"""What a PCIe link carries, against the numbers that everybody can look up."""

from __future__ import annotations

import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppslab.core.errors import UsageError
from ppslab.model.planning.nics import pcie
from ppslab.model.planning.nics.pcie import SPEEDS, WIDTHS, Budget, Link


def test_the_examples_in_the_module_are_right() -> None:
    assert doctest.testmod(pcie).failed == 0


@pytest.mark.parametrize(
    ("generation", "width", "gigabytes"),
    [
        # PCI-SIG's table of effective rates, GB/s in one direction.
        (1, 1, 0.25),
        (1, 16, 4.0),
        (2, 1, 0.5),
        (2, 4, 2.0),
        (2, 8, 4.0),
        (3, 1, 0.985),
        (3, 8, 7.877),
        (3, 16, 15.754),
        (4, 8, 15.754),
        (4, 16, 31.508),
        (5, 16, 63.015),
    ],
)
def test_what_a_link_carries(generation: int, width: int, gigabytes: float) -> None:
    assert Link(generation, width).gigabits / 8 == pytest.approx(gigabytes, abs=5e-4)


def test_a_large_frame_is_cut_into_packets_of_the_largest_payload() -> None:
    small, large = Budget(Link(2, 8), payload=128), Budget(Link(2, 8), payload=512)
    assert small.inwards(1518, 0) - large.inwards(1518, 0) == (12 - 3) * 24
    assert small.outwards(1518, 0) - large.outwards(1518, 0) == (12 - 3) * 20


@given(
    st.sampled_from(list(SPEEDS)), st.sampled_from(WIDTHS), st.integers(64, 9216), st.integers(0, 2)
)
def test_no_link_carries_more_bits_of_frames_than_it_has(
    generation: int, width: int, size: int, descriptors: int
) -> None:
    link = Budget(Link(generation, width))
    assert 0 < link.frames(size, descriptors) * (size - 4) * 8 < link.link.gigabits * 1e9
    assert link.frames(size, descriptors + 1) < link.frames(size, descriptors)


def test_4_gigabytes_are_two_links_and_0_is_none() -> None:
    assert set(pcie.from_gigabytes(4.0)) == {Link(2, 8), Link(1, 16)}
    assert pcie.from_gigabytes(0.0) == ()
    assert pcie.from_gigabytes(3.3) == ()


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Link(6, 8), "generation 6"),
        (lambda: Link(3, 3), "width x3"),
        (lambda: Budget(Link(3, 8), payload=100), "payload of 100"),
        (lambda: Budget(Link(3, 8)).frames(63, 0), "64 to 9216"),
    ],
)
def test_what_there_is_not(make, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        make()
