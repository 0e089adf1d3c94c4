"""PCI Express links, and how many frames one carries.

The arithmetic and its sources stand in pcie_rates.  All rates are those of one direction; a
link carries as much in the other one at the same time.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ppslab.core.errors import UsageError
from ppslab.core.units import line_rate
from ppslab.model.planning.nics import pcie_rates

SPEEDS = pcie_rates.SPEEDS
WIDTHS = (1, 2, 4, 8, 12, 16, 32)
PAYLOADS = (128, 256, 512, 1024, 2048, 4096)
"""What a packet may carry, and a read may ask for, in bytes."""


@dataclass(frozen=True, order=True)
class Link:
    """A link of one generation (1 to 5) and so many lanes; UsageError for one that PCIe lacks.

    >>> str(Link(2, 8))
    'PCIe 2.0 x8'
    """

    generation: int
    width: int

    def __post_init__(self) -> None:
        if self.generation not in SPEEDS:
            known = ", ".join(str(each) for each in SPEEDS)
            raise UsageError(f"PCIe generation {self.generation}: there are {known}")
        if self.width not in WIDTHS:
            known = ", ".join(f"x{each}" for each in WIDTHS)
            raise UsageError(f"PCIe width x{self.width}: there are {known}")

    def __str__(self) -> str:
        return f"PCIe {self.generation}.0 x{self.width}"

    @property
    def transfers(self) -> float:
        """GT/s of one lane."""
        return SPEEDS[self.generation]

    @property
    def encoding(self) -> tuple[int, int]:
        """Bits that arrive, and bits that were sent for them."""
        return pcie_rates.encoding(self.generation)

    @property
    def gigabits(self) -> float:
        """Gbit/s of packets in one direction, the encoding taken off.

        >>> Link(2, 8).gigabits, round(Link(3, 8).gigabits, 2)
        (32.0, 63.02)
        """
        return pcie_rates.gigabits(self.generation, self.width)

    def both(self, other: Link) -> Link:
        """What a card and a slot agree on: the older generation, the fewer lanes."""
        return Link(min(self.generation, other.generation), min(self.width, other.width))


@dataclass(frozen=True)
class Budget:
    """What frames of one size may take of a link.

    `payload` is the largest payload of a packet in bytes (MaxPayload of the device control
    register), `request` the most that one read may ask for (MaxReadReq).
    """

    link: Link
    payload: int = 256
    request: int = 512

    def __post_init__(self) -> None:
        for name, size in (("payload", self.payload), ("read request", self.request)):
            if size not in PAYLOADS:
                raise UsageError(f"{name} of {size} bytes: there are 128, 256, 512 to 4096")

    def inwards(self, frame_size: int, descriptors: int) -> int:
        """Bytes towards memory for one received and one sent frame; see pcie_rates."""
        return pcie_rates.inwards(frame_size, descriptors, self.payload, self.request)

    def outwards(self, frame_size: int, descriptors: int) -> int:
        """Bytes from memory for one received and one sent frame."""
        return pcie_rates.outwards(frame_size, descriptors, self.payload)

    def frames(self, frame_size: int, descriptors: int) -> float:
        """Frames a second that the link carries each way, as many received as sent.

        UsageError for a frame size that Ethernet does not have.
        """
        if not 64 <= frame_size <= 9216:
            raise UsageError(f"frame size {frame_size}: there are frames of 64 to 9216 bytes")
        return pcie_rates.frames(
            self.link.gigabits, frame_size, descriptors, self.payload, self.request
        )


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
    return " or ".join([str(first), *(str(each).removeprefix("PCIe ") for each in others)])


def links() -> Iterator[Link]:
    """Every link that there is, newest generation first."""
    for generation in sorted(SPEEDS, reverse=True):
        for width in WIDTHS:
            yield Link(generation, width)


def generation_of(transfers: float) -> int | None:
    """The generation by its speed in GT/s; None for a speed that no generation has."""
    return next((g for g, speed in SPEEDS.items() if math.isclose(speed, transfers)), None)
