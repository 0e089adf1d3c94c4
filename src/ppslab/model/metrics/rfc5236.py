"""Reorder density and reorder buffer-occupancy density (RFC 5236), of one stream.

Both take the sequence numbers in the order of arrival, shape (received,), each once.  After a
trial it is known which packets are lost, so no threshold is needed to call one lost: DT and BT of
the RFC are the length of the stream, and a lost packet neither displaces others (section 3.1) nor
keeps them in the buffer (section 3.7).  The RFC's online algorithm (section 7.2) differs from that
where packets are lost: there a full buffer is the first sign of a loss.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]


def displacements(sequence: Integers) -> Integers:
    """Displacement of each packet (section 3.3), early ones negative; shape (received,).

    Receive index minus sequence number; the receive index leaves out the numbers of lost packets.
    """
    return np.sort(sequence) - sequence


def occupancies(sequence: Integers) -> Integers:
    """Packets in the recovery buffer after each arrival (section 3.8); shape (received,).

    A buffer that holds what is early until all before it came, or is lost.
    """
    count = len(sequence)
    arrival_of = np.argsort(sequence, kind="stable")
    # A packet leaves the buffer when the last one of all up to it has come.
    released_at = np.maximum.accumulate(arrival_of)
    arrivals = np.arange(count)
    return arrivals + 1 - np.searchsorted(released_at, arrivals, side="right")
