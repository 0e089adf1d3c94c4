"""The frames file as Python reads and writes it."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from ppslab.core.errors import FileError
from ppslab.testbed.testers import frames
from ppslab.testbed.testers.frames import FlowFrames, Frames, Paced
from tests.support import frames_file

FLOWS = (FlowFrames("there", 4, 3, weight=2, tx=0, rx=1), FlowFrames("back", 2, 2, tx=1, rx=0))


def some() -> Frames:
    rows = frames_file.rows(
        {"received_ns": [10, 20, 35], "sequence": [0, 1, 0], "flow": [0, 0, 1], "port": [1, 1, 0]}
    )
    return Frames(FLOWS, ("p1", "p2"), 64, rows, (Paced(6.0, 3), Paced(2.0, 3)), epoch=99)


def test_what_is_written_is_read() -> None:
    back = frames.read(frames_file.write(some()))
    assert (back.flows, back.ports, back.size, back.steps, back.epoch) == (
        FLOWS,
        ("p1", "p2"),
        64,
        (Paced(6.0, 3), Paced(2.0, 3)),
        99,
    )
    assert back.rows.tolist() == some().rows.tolist()
    assert back.rows["lateness_ns"].tolist() == [0, 0, 0]


def test_every_frame_is_due_at_its_turn() -> None:
    """Turns there, back, there, at 6 a second; then the same again at 2 a second."""
    found = some()
    there = found.due(0, np.arange(4))
    back = found.due(1, np.arange(2))
    assert there is not None and back is not None
    assert there.tolist() == [0, 333_333_333, 500_000_000, 1_500_000_000]
    assert back.tolist() == [166_666_666, 1_000_000_000]
    as_fast = Frames(FLOWS, ("p1", "p2"), 64, found.rows)
    assert as_fast.due(0, np.arange(4)) is None


WHOLE = frames_file.write(some())


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"X" + WHOLE[1:],
        WHOLE[:8],
        WHOLE[:-1],
        WHOLE[:100],
        WHOLE[:8] + struct.pack("<I", 1) + WHOLE[12:],
        WHOLE[:12] + struct.pack("<I", 80) + WHOLE[16:],
        WHOLE[:16] + struct.pack("<I", 31) + WHOLE[20:],
        WHOLE[:22] + struct.pack("<H", 0) + WHOLE[24:],
    ],
)
def test_a_file_that_is_none(data: bytes) -> None:
    with pytest.raises(FileError):
        frames.read(data, "trial-7.frames")
