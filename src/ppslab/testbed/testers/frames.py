"""The frames file of ppstraffic as numpy arrays; its format: traffic/src/receiving/record.h."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ppslab.core.errors import FileError

MAGIC = b"PPSFRAME"
VERSION = 2
NAME_SIZE = 32

ROW = np.dtype(
    [
        ("received_ns", "<i8"),
        ("intended_ns", "<i8"),
        ("lateness_ns", "<u4"),
        ("sequence", "<u4"),
        ("length", "<u4"),
        ("flags", "<u2"),
        ("flow", "u1"),
        ("port", "u1"),
    ]
)
"""One received frame; times since the trial's epoch, lateness: actual - intended send time."""

DUPLICATE, REORDERED, MISDELIVERED, FOREIGN, CORRUPT, LEARNING = (1 << bit for bit in range(6))
NOT_COUNTED = MISDELIVERED | FOREIGN | CORRUPT | LEARNING

_HEADER = struct.Struct("<8sIIIHHQIIqdQdQ")
_FLOW = struct.Struct(f"<{NAME_SIZE}sQQIBB2x")


@dataclass(frozen=True)
class FlowFrames:
    """A flow: how many frames it was to send, and sent; its turns; its ports, by index."""

    name: str
    intended: int
    offered: int
    weight: int = 1
    tx: int = 0
    rx: int = 1


@dataclass(frozen=True)
class Paced:
    """A step of the load: frames per second over all flows, and how many frames."""

    rate: float
    count: int


@dataclass(frozen=True)
class Frames:
    """A trial's load, and a record of every frame that came.

    `steps`: the load, one step or two; none where it was as fast as the tester could.  `rows`:
    dtype ROW, shape (arrivals,), of one receiving port in the order of arrival.
    """

    flows: tuple[FlowFrames, ...]
    ports: tuple[str, ...]
    size: int
    rows: npt.NDArray[np.void] = field(repr=False)
    steps: tuple[Paced, ...] = ()
    epoch: int = 0

    def due(self, flow: int, sequence: npt.NDArray[np.int64]) -> npt.NDArray[np.int64] | None:
        """Due times of a flow's frames, ns since the epoch; same shape.

        None where there was no schedule.
        """
        if not self.steps:
            return None
        order = turns([one.weight for one in self.flows])
        places = np.flatnonzero(order == flow)
        index = sequence // len(places) * len(order) + places[sequence % len(places)]
        first = self.steps[0]
        times = index * (1e9 / first.rate)
        if len(self.steps) > 1:
            later = first.count / first.rate * 1e9 + (index - first.count) * (
                1e9 / self.steps[1].rate
            )
            times = np.where(index < first.count, times, later)
        return times.astype(np.int64)


def turns(weights: Sequence[int]) -> npt.NDArray[np.int64]:
    """Return the flow of each turn of a round, as ppstraffic does (traffic/src/frames/turns.c)."""
    shares = np.array(weights, dtype=np.int64) // np.gcd.reduce(weights)
    length = int(shares.sum())
    credit = np.zeros_like(shares)
    turn_of = np.empty(length, dtype=np.int64)
    for turn in range(length):
        credit += shares
        turn_of[turn] = richest = int(np.argmax(credit))
        credit[richest] -= length
    return turn_of


def read(data: bytes, name: Path | str = "frames") -> Frames:
    """Read a frames file, without copying its rows.  FileError (naming `name`) where it is none."""
    if data[: len(MAGIC)] != MAGIC:
        raise FileError(name, None, "no frames file of ppstraffic")
    if len(data) < _HEADER.size:
        raise FileError(name, None, "the frames file ends too early")
    (_, version, header_size, row_size, ports, flows, count, size, _, epoch, *load) = (
        _HEADER.unpack_from(data)
    )
    if version != VERSION:
        raise FileError(
            name, None, f"a frames file of version {version}; this program reads {VERSION}"
        )
    length = _HEADER.size + ports * NAME_SIZE + flows * _FLOW.size
    if header_size != length or row_size != ROW.itemsize or flows == 0:
        raise FileError(name, None, "the header of the frames file is damaged")
    if len(data) < header_size + count * row_size:
        raise FileError(name, None, "the frames file ends too early")
    at = _HEADER.size
    names = []
    for _ in range(ports):
        names.append(_text(data[at : at + NAME_SIZE]))
        at += NAME_SIZE
    blocks = []
    for _ in range(flows):
        title, *rest = _FLOW.unpack_from(data, at)
        blocks.append(FlowFrames(_text(title), *rest))
        at += _FLOW.size
    rate, first, then_rate, then = load
    steps = [Paced(rate, first), Paced(then_rate, then)]
    return Frames(
        flows=tuple(blocks),
        ports=tuple(names),
        size=size,
        rows=np.frombuffer(data, dtype=ROW, count=count, offset=header_size),
        steps=tuple(step for step in steps if step.rate > 0),
        epoch=epoch,
    )


def _text(field_: bytes) -> str:
    return field_.split(b"\0", 1)[0].decode("ascii", "replace")
