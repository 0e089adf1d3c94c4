"""Delays: percentiles, histograms that can be added up, and variation (RFC 5481).

Percentiles are exact from every frame, or come from HDR histograms.  A percentile for a share p is
the smallest delay that the share p of the frames did not exceed (nearest rank).  Histograms are
HdrHistogram's (V2, compressed, base64), from 1 ns to an hour with three significant digits: what
comes back from one is at most 0.1 % too high.  Delays below 0, which clocks in disagreement can
give, count there as 0, and those above an hour as an hour.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from hdrh.histogram import HdrHistogram

from ppslab.model.metrics import Percentile

Integers = npt.NDArray[np.int64]

SHARES = (0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999)

HIGHEST_NS = 3600 * 10**9
DIGITS = 3
_HALF = 1024  # half of the buckets of an octave at three digits


def rank(share: float, count: int) -> int:
    """The place, from 1, of the percentile for `share` among `count` ascending values."""
    # 0.55 * 100 is 55.00000000000001, which is not to become the 56th.
    return max(1, math.ceil(round(share * count, 6)))


def percentiles(ascending: Integers, shares: Sequence[float] = SHARES) -> tuple[Percentile, ...]:
    """Exact percentiles of values in ascending order; none of no values."""
    count = len(ascending)
    if count == 0:
        return ()
    values = [int(ascending[rank(share, count) - 1]) for share in shares]
    behind = np.searchsorted(ascending, values, side="right")
    return tuple(
        Percentile(share=share, ns=ns, beyond=count - int(upto))
        for share, ns, upto in zip(shares, values, behind, strict=True)
    )


def _edges(length: int) -> Integers:
    """The least value of each of HdrHistogram's first `length` counters."""
    index = np.arange(length, dtype=np.int64)
    octave = np.maximum(index // _HALF - 1, 0)
    edges: Integers = (index - octave * _HALF) << octave
    return edges


def _empty() -> HdrHistogram:
    return HdrHistogram(1, HIGHEST_NS, DIGITS)


@dataclass(frozen=True)
class Histogram:
    """Delays by HdrHistogram's counters: `counts[k]` are from `lowest[k]` to `highest[k]`."""

    counts: Integers

    @classmethod
    def of(cls, ascending: Integers) -> Histogram:
        edges = _edges(_empty().counts_len + 1)
        places = np.searchsorted(ascending, edges)
        places[0] = 0
        places[np.searchsorted(edges, HIGHEST_NS, side="right") :] = len(ascending)
        return cls(np.diff(places))

    @property
    def lowest(self) -> Integers:
        """The least delay that each counter stands for, ns."""
        return _edges(len(self.counts))

    @property
    def highest(self) -> Integers:
        """The greatest delay that each counter stands for, ns."""
        return _edges(len(self.counts) + 1)[1:] - 1

    def __add__(self, other: Histogram) -> Histogram:
        return Histogram(self.counts + other.counts)

    def percentiles(self, shares: Sequence[float] = SHARES) -> tuple[Percentile, ...]:
        """Percentiles, at most 0.1 % too high."""
        upto = np.cumsum(self.counts)
        count = int(upto[-1])
        if count == 0:
            return ()
        places = [int(np.searchsorted(upto, rank(share, count))) for share in shares]
        highest = self.highest
        return tuple(
            Percentile(share=share, ns=int(highest[place]), beyond=count - int(upto[place]))
            for share, place in zip(shares, places, strict=True)
        )

    def encode(self) -> str:
        """As HdrHistogram's text."""
        histogram = _empty()
        counters = np.ctypeslib.as_array(histogram.counts)
        counters[:] = self.counts
        used = np.flatnonzero(self.counts)
        if len(used):
            histogram.set_internal_tacking_values(
                int(used[0]), int(used[-1]), int(self.counts.sum())
            )
        text: bytes = histogram.encode()
        return text.decode()

    @classmethod
    def decode(cls, text: str) -> Histogram:
        """From HdrHistogram's text.  ValueError where it is none of ours."""
        try:
            histogram = HdrHistogram.decode(text)
        except Exception as error:
            raise ValueError(f"no HdrHistogram: {error}") from None
        settings = (histogram.lowest_trackable_value, histogram.highest_trackable_value)
        if settings != (1, HIGHEST_NS) or histogram.significant_figures != DIGITS:
            raise ValueError("an HdrHistogram, but not from 1 ns to an hour with three digits")
        return cls(np.ctypeslib.as_array(histogram.counts).astype(np.int64))


def pdv(delays: Integers) -> Integers:
    """Packet delay variation: each delay minus the least (section 4.2); in any order."""
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
