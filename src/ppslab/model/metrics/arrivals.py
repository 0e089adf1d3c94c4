"""Arrival and order of the frames of a flow (RFC 4737).

Functions take the sequence numbers of one stream in the order of arrival, shape (received,), each
once unless a function says otherwise; they may start anywhere.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]
Booleans = npt.NDArray[np.bool_]


def reordered(sequence: Integers) -> Booleans:
    """Type-P-Reordered (RFC 4737 section 3.4): a higher number came before.

    In the RFC's words s < NextExp, where NextExp is one more than the highest number so far.
    """
    return sequence < np.maximum.accumulate(sequence)


def extents(sequence: Integers) -> Integers:
    """Reordering extent of each reordered packet, in packets: RFC 4737 section 4.2.3.

    The distance to the first packet that came before it with a higher number.
    """
    highest = np.maximum.accumulate(sequence)
    late = np.flatnonzero(sequence < highest)
    return late - np.searchsorted(highest, sequence[late], side="right")


def first_copies(sequence: Integers, intended: int) -> Booleans:
    """True for each arrival that is the first of its sequence number (RFC 4737 section 3.6).

    `sequence`: shape (arrivals,), each at least 0 and below `intended`; the result likewise.
    """
    arrivals = np.arange(len(sequence))
    first = np.zeros(intended, dtype=np.int64)
    # Where an index repeats, numpy keeps the last value: backwards, that is the first arrival.
    first[sequence[::-1]] = arrivals[::-1]
    found: Booleans = first[sequence] == arrivals
    return found


def missing(sequence: Integers, intended: int) -> Integers:
    """The sequence numbers below `intended` that are not in `sequence`, ascending."""
    seen = np.zeros(intended, dtype=np.bool_)
    seen[sequence] = True
    return np.flatnonzero(~seen)
