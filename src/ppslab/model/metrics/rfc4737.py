"""Packet reordering metrics (RFC 4737), of one stream without its duplicates.

Every function takes the sequence numbers in the order of arrival, shape (received,), each once.
Index i of the RFC is i - 1 here, and sequence numbers may start anywhere.
Not here: byte offsets (section 4.4), which packets of one size only scale.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]
Booleans = npt.NDArray[np.bool_]

MOST_N = 100
"""n-reordering is looked for up to this n, as in the RFC's own code (appendix A)."""


def reordered(sequence: Integers) -> Booleans:
    """Type-P-Reordered (section 3.4): a higher number came before.

    In the RFC's words s < NextExp, where NextExp is one more than the highest number so far.
    """
    return sequence < np.maximum.accumulate(sequence)


def discontinuities(sequence: Integers) -> tuple[Integers, Integers]:
    """The reordered packets, and the reordering discontinuity of each (section 4.5.3).

    Two arrays of arrival indexes, shape (reordered,): i of each reordered packet, and the
    smallest j with s[j] > s[i].
    """
    highest = np.maximum.accumulate(sequence)
    late = np.flatnonzero(sequence < highest)
    return late, np.searchsorted(highest, sequence[late], side="right")


def extents(sequence: Integers) -> Integers:
    """Reordering extent of each reordered packet in packets, shape (reordered,): section 4.2.3."""
    late, cause = discontinuities(sequence)
    return late - cause


def late_times(sequence: Integers, received_ns: Integers) -> Integers:
    """Reordering late time offset of each reordered packet in ns: section 4.3.3."""
    late, cause = discontinuities(sequence)
    return received_ns[late] - received_ns[cause]


def gaps(sequence: Integers) -> Integers:
    """Distances between successive reordering discontinuities in packets: section 4.5.4.

    One less than there are discontinuities; empty where there is none.
    """
    _, cause = discontinuities(sequence)
    found = np.unique(cause)
    return found[1:] - found[:-1]


def free_runs(sequence: Integers) -> Integers:
    """Numbers of in-order packets before each reordered one, shape (reordered,): section 4.6.3.

    The packets behind the last reordered one belong to no run.
    """
    late = np.flatnonzero(reordered(sequence))
    return late - np.concatenate(([-1], late[:-1])) - 1


def n_reordered(sequence: Integers) -> Integers:
    """How many packets are n-reordered (section 5.3), for n = 1, 2, ... up to at most 100.

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
