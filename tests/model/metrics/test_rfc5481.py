"""Delay variation by the examples of RFC 5481 and RFC 4737."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ppslab.model.metrics import rfc5481


def array(values: list[int]) -> rfc5481.Integers:
    return np.array(values, dtype=np.int64)


def test_the_example_of_section_4_4() -> None:
    delays = array([20, 10, 20, 25, 20])
    assert rfc5481.pdv(delays).tolist() == [10, 0, 10, 15, 10]
    assert rfc5481.ipdv(array([1, 2, 3, 4, 5]), delays).tolist() == [-10, 10, 5, -5]


def test_the_ipdv_column_of_rfc_4737_table_1() -> None:
    """In the order of sending, whatever the order of arrival; none where one side is missing."""
    arrived = array([1, 2, 3, 5, 6, 7, 8, 4, 9, 10])
    delays = array([68, 68, 68, 68, 68, 68, 68, 150, 68, 68])
    assert rfc5481.ipdv(arrived, delays).tolist() == [0, 0, 82, -82, 0, 0, 0, 0, 0]
    without = array([1, 2, 3, 5, 6])
    assert rfc5481.ipdv(without, delays[:5]).tolist() == [0, 0, 0]


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 10**9)), unique_by=lambda p: p[0]))
def test_ipdv_is_defined_for_neighbours_only(pairs: list[tuple[int, int]]) -> None:
    delay_of = dict(pairs)
    truth = [delay_of[n] - delay_of[n - 1] for n in sorted(delay_of) if n - 1 in delay_of]
    found = rfc5481.ipdv(array([n for n, _ in pairs]), array([d for _, d in pairs]))
    assert found.tolist() == truth


@given(st.lists(st.integers(-5, 10**9), max_size=50))
def test_pdv_is_the_delay_moved_to_the_origin(delays: list[int]) -> None:
    found = rfc5481.pdv(array(delays)).tolist()
    assert found == [delay - min(delays) for delay in delays]
