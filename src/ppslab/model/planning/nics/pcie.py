"""PCI Express links, and how many frames one carries.

Sources: PCI Express Base Specification 5.0, section 1.2 (speeds and widths), 4.2 (encoding), 2.2
and 3.5 (headers and framing of packets); R. Neugebauer and others, "Understanding PCIe performance
for end host networking", SIGCOMM 2018, section 3, for the sum over one frame.

All rates are those of one direction; a link carries as much in the other one at the same time.
MicroPython runs this in pages: no dataclasses.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from ppslab.core.errors import UsageError
from ppslab.core.units import FCS_BYTES, line_rate

SPEEDS = {1: 2.5, 2: 5.0, 3: 8.0, 4: 16.0, 5: 32.0}
"""Transfers of one lane by generation, in GT/s; a transfer is a bit on the wire."""

WIDTHS = (1, 2, 4, 8, 12, 16, 32)
PAYLOADS = (128, 256, 512, 1024, 2048, 4096)
"""What a packet may carry, and a read may ask for, in bytes."""

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


class Link:
    """A link of one generation (1 to 5) and so many lanes; UsageError for one that PCIe lacks.

    >>> str(Link(2, 8))
    'PCIe 2.0 x8'
    """

    def __init__(self, generation: int, width: int) -> None:
        if generation not in SPEEDS:
            known = ", ".join([str(number) for number in SPEEDS])
            raise UsageError(f"PCIe generation {generation}: there are {known}")
        if width not in WIDTHS:
            known = ", ".join([f"x{lanes}" for lanes in WIDTHS])
            raise UsageError(f"PCIe width x{width}: there are {known}")
        self.generation = generation
        self.width = width

    def __str__(self) -> str:
        return f"PCIe {self.generation}.0 x{self.width}"

    def __repr__(self) -> str:
        return f"Link({self.generation}, {self.width})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Link) and self._order == other._order

    def __lt__(self, other: Link) -> bool:
        return self._order < other._order

    def __hash__(self) -> int:
        return hash(self._order)

    @property
    def _order(self) -> tuple[int, int]:
        return self.generation, self.width

    @property
    def transfers(self) -> float:
        """GT/s of one lane."""
        return SPEEDS[self.generation]

    @property
    def encoding(self) -> tuple[int, int]:
        """Bits that arrive, and bits that were sent for them."""
        return encoding(self.generation)

    @property
    def gigabits(self) -> float:
        """Gbit/s of packets in one direction, the encoding taken off.

        >>> Link(2, 8).gigabits, round(Link(3, 8).gigabits, 2)
        (32.0, 63.02)
        """
        return gigabits(self.generation, self.width)

    def both(self, other: Link) -> Link:
        """What a card and a slot agree on: the older generation, the fewer lanes."""
        return Link(min(self.generation, other.generation), min(self.width, other.width))


class Budget:
    """What frames of one size may take of a link.

    `payload` is the largest payload of a packet in bytes (MaxPayload of the device control
    register), `request` the most that one read may ask for (MaxReadReq).
    """

    def __init__(self, link: Link, payload: int = 256, request: int = 512) -> None:
        for name, size in (("payload", payload), ("read request", request)):
            if size not in PAYLOADS:
                raise UsageError(f"{name} of {size} bytes: there are 128, 256, 512 to 4096")
        self.link = link
        self.payload = payload
        self.request = request

    def inwards(self, frame_size: int, descriptors: int) -> int:
        """Bytes towards memory for one received and one sent frame."""
        return inwards(frame_size, descriptors, self.payload, self.request)

    def outwards(self, frame_size: int, descriptors: int) -> int:
        """Bytes from memory for one received and one sent frame."""
        return outwards(frame_size, descriptors, self.payload)

    def frames(self, frame_size: int, descriptors: int) -> float:
        """Frames a second that the link carries each way, as many received as sent.

        UsageError for a frame size that Ethernet does not have.
        """
        if not 64 <= frame_size <= 9216:
            raise UsageError(f"frame size {frame_size}: must be from 64 to 9216 bytes")
        return frames(self.link.gigabits, frame_size, descriptors, self.payload, self.request)


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
    if speed <= 0:
        return ()
    return tuple(link for link in links() if math.isclose(link.gigabits / 8, speed, rel_tol=0.001))


def in_words(found: Iterable[Link]) -> str:
    """One link, or those that carry the same and that nothing else tells apart.

    >>> in_words([Link(3, 16), Link(4, 8)])
    'PCIe 3.0 x16 or 4.0 x8'
    """
    first, *others = sorted(found)
    return " or ".join([str(first)] + [f"{link.generation}.0 x{link.width}" for link in others])


def links() -> Iterator[Link]:
    """Every link that there is, newest generation first."""
    for generation in sorted(SPEEDS, reverse=True):
        for width in WIDTHS:
            yield Link(generation, width)


def generation_of(transfers: float) -> int | None:
    """The generation by its speed in GT/s; None for a speed that no generation has."""
    return next((g for g, speed in SPEEDS.items() if math.isclose(speed, transfers)), None)
