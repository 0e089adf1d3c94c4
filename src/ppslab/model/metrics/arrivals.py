"""Which frames of a flow came, and in which order (RFC 4737).

Of one stream without its duplicates, except where it says otherwise: functions take the sequence
numbers in the order of arrival, shape (received,), each once.  Index i of the RFC is i - 1 here,
and sequence numbers may start anywhere.  Of the RFC's metrics, those that a report shows: the
ratio, the extent and the late time.
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


def discontinuities(sequence: Integers) -> tuple[Integers, Integers]:
    """The reordered packets, and the reordering discontinuity of each (RFC 4737 section 4.5.3).

    Two arrays of arrival indexes, shape (reordered,): i of each reordered packet, and the
    smallest j with s[j] > s[i].
    """
    highest = np.maximum.accumulate(sequence)
    late = np.flatnonzero(sequence < highest)
    return late, np.searchsorted(highest, sequence[late], side="right")


def extents(sequence: Integers) -> Integers:
    """Reordering extent of each reordered packet, in packets: RFC 4737 section 4.2.3."""
    late, cause = discontinuities(sequence)
    return late - cause


def late_times(sequence: Integers, received_ns: Integers) -> Integers:
    """Reordering late time offset of each reordered packet in ns: RFC 4737 section 4.3.3."""
    late, cause = discontinuities(sequence)
    return received_ns[late] - received_ns[cause]


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
