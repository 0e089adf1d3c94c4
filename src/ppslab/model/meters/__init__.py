"""Bytes of a frame that each meter counts: the same packets, other bits per second.

`meters.csv` holds a row a meter; `offset` is what it counts beside the frame of f bytes with its
check sequence, as RFC 2544 counts frames.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from ppslab.core import documents
from ppslab.core.errors import UsageError
from ppslab.core.text.tables import Table, cells

FILE = Path(__file__).with_name("meters.csv")
SIZES = (64, 512, 1518)


@dataclass(frozen=True)
class Meter:
    """A counter of bytes.  `offset`: what it counts beside the frame with its check sequence."""

    id: str
    name: str
    system: str
    offset: int
    counts: str
    source: str

    def counted(self, frame_size: int) -> int:
        """The bytes that it counts for one frame of `frame_size` bytes."""
        return frame_size + self.offset

    @property
    def rule(self) -> str:
        """Its bytes as a sum: `f - 4`."""
        if self.offset == 0:
            return "f"
        return f"f {'+' if self.offset > 0 else '-'} {abs(self.offset)}"


@lru_cache(maxsize=1)
def load() -> dict[str, Meter]:
    """Every meter by its id, in the order of the file."""
    table = documents.read_table(FILE, Meter, unique=["id"], name="meter")
    return {meter.id: meter for meter in table}


def bytes_each(bits_per_second: float, packets_per_second: float) -> float:
    """The bytes that a meter counted for each packet, from what it showed.

    >>> round(bytes_each(593.0e6, 1_235_620), 1)
    60.0
    """
    if packets_per_second <= 0:
        raise UsageError(f"{packets_per_second} packets per second: no bytes can be told for each")
    return bits_per_second / 8 / packets_per_second


def counting(each: float, frame_size: int, *, within: float = 0.5) -> list[Meter]:
    """The meters that count `each` bytes, give or take `within`, for a frame of `frame_size`."""
    return [m for m in load().values() if abs(m.counted(frame_size) - each) <= within]


def table(sizes: Sequence[int] = SIZES) -> Table:
    """Every meter with its rule, and what it counts for frames of `sizes` bytes."""
    for size in sizes:
        if not 64 <= size <= 9216:
            raise UsageError(f"frame size {size}: must be from 64 to 9216 bytes")
    rows = tuple(
        cells(m.name, m.system, m.counts, m.rule, *(str(m.counted(s)) for s in sizes), m.source)
        for m in load().values()
    )
    header = ("meter", "system", "counts", "bytes of a frame of f", *(f"f = {s}" for s in sizes))
    return Table("Which meter counts which bytes", (*header, "source"), rows)
