"""Which frames of a flow came: first copies, and the sequence numbers that never did."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]
Booleans = npt.NDArray[np.bool_]


def first_copies(sequence: Integers, intended: int) -> Booleans:
    """Which arrivals are the first of their sequence number (RFC 4737 section 3.6).

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
