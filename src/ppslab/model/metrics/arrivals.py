"""Which frames of a flow came, and in which order (RFC 4737, RFC 5236).

Of one stream without its duplicates, except where it says otherwise: functions take the sequence
numbers in the order of arrival, shape (received,), each once.  Index i of RFC 4737 is i - 1 here,
and sequence numbers may start anywhere.  Not here: byte offsets (RFC 4737 section 4.4), which
packets of one size only scale.

After a trial it is known which packets are lost, so no threshold is needed to call one lost: DT and
BT of RFC 5236 are the length of the stream, and a lost packet neither displaces others (section
3.1) nor keeps them in the buffer (section 3.7).  The RFC's online algorithm (section 7.2) differs
from that where packets are lost: there a full buffer is the first sign of a loss.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]
Booleans = npt.NDArray[np.bool_]


MOST_N = 100
"""n-reordering is looked for up to this n, as in the RFC's own code (appendix A)."""


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


def gaps(sequence: Integers) -> Integers:
    """Distances between successive reordering discontinuities in packets: RFC 4737 section 4.5.4.

    One less than there are discontinuities; empty where there is none.
    """
    _, cause = discontinuities(sequence)
    found = np.unique(cause)
    return found[1:] - found[:-1]


def free_runs(sequence: Integers) -> Integers:
    """Numbers of in-order packets before each reordered one: RFC 4737 section 4.6.3.

    The packets behind the last reordered one belong to no run.
    """
    late = np.flatnonzero(reordered(sequence))
    return late - np.concatenate(([-1], late[:-1])) - 1


def n_reordered(sequence: Integers) -> Integers:
    """How many packets are n-reordered (RFC 4737 section 5.3), for n = 1, 2, ... up to at most 100.

    A packet is n-reordered if the n packets before it all have higher numbers.  Shape (k,): the
    first n for which there is none ends it.
    """
    candidates = np.flatnonzero(reordered(sequence))
    found = []
    for n in range(1, MOST_N + 1):
        candidates = candidates[candidates >= n]
        candidates = candidates[sequence[candidates - n] > sequence[candidates]]
        if len(candidates) == 0:
            break
        found.append(len(candidates))
    return np.array(found, dtype=np.int64)


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


def displacements(sequence: Integers) -> Integers:
    """Displacement of each packet (RFC 5236 section 3.3), early ones negative; shape (received,).

    Receive index minus sequence number; the receive index leaves out the numbers of lost packets.
    """
    return np.sort(sequence) - sequence


def occupancies(sequence: Integers) -> Integers:
    """Packets in the recovery buffer after each arrival (RFC 5236 section 3.8); shape (received,).

    A buffer that holds what is early until all before it came, or is lost.
    """
    count = len(sequence)
    arrival_of = np.argsort(sequence, kind="stable")
    # A packet leaves the buffer when the last one of all up to it has come.
    released_at = np.maximum.accumulate(arrival_of)
    arrivals = np.arange(count)
    return arrivals + 1 - np.searchsorted(released_at, arrivals, side="right")
