"""What the frames of one trial say: the frames file in, every statistic out."""

from __future__ import annotations

from ppslab.results import EveryFrame


def count(frames: bytes) -> EveryFrame:
    """Every statistic of a frames file (traffic/README.md); FileError where it is none."""
    raise NotImplementedError
