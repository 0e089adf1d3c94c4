"""Packets, frames and bits: what a link of a given speed can carry.

A frame is counted as RFC 1242 and MikroTik's tables count it: from the destination address to the
frame check sequence.  On the wire each frame takes 20 bytes more (preamble 7, start of frame 1,
inter-frame gap 12; IEEE 802.3 clause 4).
"""

from __future__ import annotations

FCS_BYTES = 4
"""Frame check sequence; RouterOS's traffic generator does not count it, frame sizes here do."""

WIRE_OVERHEAD_BYTES = 20
"""Preamble, start-of-frame delimiter and inter-frame gap of one frame."""


def line_rate(frame_size: int, bits_per_second: float) -> float:
    """Frames per second that fill a link (RFC 2544 appendix B).

    `frame_size` in bytes with the frame check sequence.

    >>> round(line_rate(64, 10e9))
    14880952
    >>> round(line_rate(1518, 1e9))
    81274
    """
    return bits_per_second / (8 * (frame_size + WIRE_OVERHEAD_BYTES))


def frame_bits_per_second(rate: float, frame_size: int) -> float:
    """Bits of frames a second, without what the wire adds: as MikroTik's tables count Mbps.

    >>> round(frame_bits_per_second(23_808_000, 64) / 1e6, 1)
    12189.7
    """
    return rate * frame_size * 8


def human_rate(rate: float) -> str:
    """A rate for reading: three digits that matter.

    >>> human_rate(1170641), human_rate(98851), human_rate(730)
    ('1.17 Mpps', '98.9 kpps', '730 pps')
    """
    for limit, unit in ((1e9, "Gpps"), (1e6, "Mpps"), (1e3, "kpps")):
        if rate >= limit:
            return f"{rate / limit:.3g} {unit}"
    return f"{rate:.3g} pps"
