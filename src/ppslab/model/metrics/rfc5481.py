"""Delay variation (RFC 5481): PDV against the least delay, IPDV against the packet before."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]


def pdv(delays: Integers) -> Integers:
    """Packet delay variation: each delay minus the least (section 4.2); any order, same shape."""
    return delays - delays.min() if len(delays) else delays


def ipdv(sequence: Integers, delays: Integers) -> Integers:
    """Inter-packet delay variation: D(i) - D(i-1) in the order of sending (section 4.1).

    `sequence` and `delays` in the order of arrival, each number once.  Packets behind a lost one
    have none; shape (pairs of successive numbers received,).
    """
    order = np.argsort(sequence, kind="stable")
    successive = np.diff(sequence[order]) == 1
    variation: Integers = np.diff(delays[order])[successive]
    return variation
