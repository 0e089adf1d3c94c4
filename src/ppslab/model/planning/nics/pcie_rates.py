"""What a PCI Express link carries: the arithmetic of pcie.py, and the one copy of it.

Sources: PCI Express Base Specification 5.0, section 1.2 (speeds and widths), 4.2 (encoding), 2.2
and 3.5 (headers and framing of packets); R. Neugebauer and others, "Understanding PCIe performance
for end host networking", SIGCOMM 2018, section 3, for the sum over one frame.

All rates are those of one direction; a link carries as much in the other one at the same time.
"""

from __future__ import annotations

from ppslab.core.units import FCS_BYTES

SPEEDS = {1: 2.5, 2: 5.0, 3: 8.0, 4: 16.0, 5: 32.0}
"""Transfers of one lane by generation, in GT/s; a transfer is a bit on the wire."""

WRITE_OVERHEAD = 24
"""Bytes around a memory write: framing 2, sequence number and LCRC 6, header 16."""

READ_OVERHEAD = 24
"""Bytes of a memory read request, which carries no data."""

COMPLETION_OVERHEAD = 20
"""Bytes around the data that answers a read: its header has 12 bytes."""

DESCRIPTOR = 16
"""Bytes that say where one frame lies in memory; the size that Intel's and most others' have."""


def encoding(generation: int) -> tuple[int, int]:
    """Bits that arrive, and bits that were sent for them."""
    return (8, 10) if generation <= 2 else (128, 130)


def gigabits(generation: int, width: int) -> float:
    """Gbit/s of packets in one direction, the encoding taken off.

    >>> gigabits(2, 8), round(gigabits(3, 8), 2)
    (32.0, 63.02)
    """
    useful, sent = encoding(generation)
    return SPEEDS[generation] * width * useful / sent


def inwards(frame_size: int, descriptors: int, payload: int, request: int) -> int:
    """Bytes towards memory for one received and one sent frame.

    The received frame is written; the sent one is asked for.  `payload` is the largest payload of
    a packet in bytes (MaxPayload of the device control register), `request` the most that one read
    may ask for (MaxReadReq).  `descriptors` is how many of them are moved for each of the two
    frames: 0 where a driver moves so many at once that they hardly count, 1 where it moves each by
    itself.
    """
    data = frame_size - FCS_BYTES
    received = data + -(-data // payload) * WRITE_OVERHEAD
    asked = -(-data // request) * READ_OVERHEAD
    # Both frames' descriptors are fetched (asked for), and written back when done.
    each = READ_OVERHEAD + DESCRIPTOR + WRITE_OVERHEAD
    return received + asked + 2 * descriptors * each


def outwards(frame_size: int, descriptors: int, payload: int) -> int:
    """Bytes from memory for one received and one sent frame."""
    data = frame_size - FCS_BYTES
    sent = data + -(-data // payload) * COMPLETION_OVERHEAD
    return sent + 2 * descriptors * (DESCRIPTOR + COMPLETION_OVERHEAD)


def frames(
    rate: float, frame_size: int, descriptors: int, payload: int = 256, request: int = 512
) -> float:
    """Frames a second that a link of `rate` Gbit/s carries each way, as many received as sent."""
    most = max(
        inwards(frame_size, descriptors, payload, request),
        outwards(frame_size, descriptors, payload),
    )
    return rate * 1e9 / 8 / most
