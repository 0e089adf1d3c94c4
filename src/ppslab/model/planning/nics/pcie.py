"""PCI Express links, and the number of frames that one carries.

Sources: PCI Express Base Specification 5.0, section 1.2 (speeds and widths), 4.2 (encoding), 2.2
and 3.5 (headers and framing of packets); R. Neugebauer and others, "Understanding PCIe performance
for end host networking", SIGCOMM 2018, section 3, for the sum over one frame.

All rates are those of one direction; a link carries as much in the other one at the same time.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from ppslab.core.errors import UsageError
from ppslab.core.units import FCS_BYTES, line_rate

SPEEDS = {1: 2.5, 2: 5.0, 3: 8.0, 4: 16.0, 5: 32.0}
"""Transfers of one lane by generation, in GT/s; a transfer is a bit on the wire."""

WIDTHS = (1, 2, 4, 8, 12, 16, 32)
PAYLOAD = 256
"""Largest payload of a packet in bytes (MaxPayload), as most root ports have it."""

WRITE_OVERHEAD = 24
"""Bytes around a memory write: framing 2, sequence number and LCRC 6, header 16."""

READ_OVERHEAD = 24
"""Bytes of a memory read request, which carries no data."""

COMPLETION_OVERHEAD = 20
"""Bytes around the data that answers a read: its header has 12 bytes."""

DESCRIPTOR = 16
"""Bytes of a frame's descriptor; the size that Intel's and most others' have."""

READ_REQUEST = 512
"""Bytes that one read asks for at most (MaxReadReq), as Linux sets it by default."""


@dataclass(frozen=True, order=True)
class Link:
    """A link of one generation (1 to 5) and so many lanes; UsageError for one that PCIe lacks."""

    generation: int
    width: int

    def __post_init__(self) -> None:
        if self.generation not in SPEEDS:
            known = ", ".join(map(str, SPEEDS))
            raise UsageError(f"PCIe generation {self.generation}: there are {known}")
        if self.width not in WIDTHS:
            known = ", ".join(f"x{lanes}" for lanes in WIDTHS)
            raise UsageError(f"PCIe width x{self.width}: there are {known}")

    def __str__(self) -> str:
        return f"PCIe {self.generation}.0 x{self.width}"

    @property
    def encoding(self) -> tuple[int, int]:
        """Bits that arrive, and bits that were sent for them."""
        return (8, 10) if self.generation <= 2 else (128, 130)

    @property
    def gigabits(self) -> float:
        """Gbit/s of packets in one direction, the encoding taken off.

        >>> Link(2, 8).gigabits, round(Link(3, 8).gigabits, 2)
        (32.0, 63.02)
        """
        useful, sent = self.encoding
        return SPEEDS[self.generation] * self.width * useful / sent

    def frames(self, frame_size: int, descriptors: int) -> float:
        """Frames a second that the link carries each way, as many received as sent.

        `descriptors`: 0 where a driver moves so many at once that they hardly count, 1 where it
        moves each of a frame's two by itself.  UsageError for a frame size that Ethernet lacks.
        """
        if not 64 <= frame_size <= 9216:
            raise UsageError(f"frame size {frame_size}: must be from 64 to 9216 bytes")
        data = frame_size - FCS_BYTES
        packets = -(-data // PAYLOAD)
        # Towards memory a received frame is written and a sent one asked for; both frames'
        # descriptors are fetched (asked for), and written back when done.
        asked = -(-data // READ_REQUEST) * READ_OVERHEAD
        inwards = data + packets * WRITE_OVERHEAD + asked
        inwards += 2 * descriptors * (READ_OVERHEAD + DESCRIPTOR + WRITE_OVERHEAD)
        outwards = data + packets * COMPLETION_OVERHEAD
        outwards += 2 * descriptors * (DESCRIPTOR + COMPLETION_OVERHEAD)
        return self.gigabits * 1e9 / 8 / max(inwards, outwards)


def line_frames(gigabits: float, frame_size: int) -> float:
    """Frames a second that Ethernet ports of so many Gbit/s carry; RFC 2544, appendix B.

    >>> round(line_frames(10, 64))
    14880952
    """
    return line_rate(frame_size, gigabits * 1e9)


def from_gigabytes(speed: float) -> tuple[Link, ...]:
    """The links whose rate is so many GB/s, as hwloc prints it; empty for 0, which says nothing.

    hwloc counts 8b/10b as 80 % and 128b/130b as 128/130, and prints six digits, so a rate names
    its link but for those that carry the same: 4 GB/s are PCIe 2.0 x8 and PCIe 1.0 x16.
    """
    links = (Link(generation, width) for generation in SPEEDS for width in WIDTHS)
    return tuple(link for link in links if math.isclose(link.gigabits / 8, speed, rel_tol=0.001))


def in_words(links: Iterable[Link]) -> str:
    """One link, or those that carry the same and that nothing else tells apart.

    >>> in_words([Link(3, 16), Link(4, 8)])
    'PCIe 3.0 x16 or 4.0 x8'
    """
    first, *others = sorted(links)
    return " or ".join([str(first)] + [f"{link.generation}.0 x{link.width}" for link in others])
