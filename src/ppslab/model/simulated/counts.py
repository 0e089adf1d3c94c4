"""What a trial counts."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Counts:
    """Frames of one trial: `seconds` long, at the intended load `load` (frames per second).

    `forwarded` are distinct frames; copies of them are `duplicates` (RFC 4737 section 3.6).
    """

    seconds: float
    load: float
    intended: int
    offered: int
    forwarded: int
    duplicates: int = 0

    @property
    def lost(self) -> int:
        """Frames that did not come back; a frame that was not sent is lost (FD.io CSIT)."""
        return self.intended - self.forwarded

    @property
    def loss_ratio(self) -> float:
        """`lost` as a share of the intended frames."""
        return self.lost / self.intended

    @property
    def arrived(self) -> int:
        """What a counter without sequence numbers counts: copies hide losses in it."""
        return self.forwarded + self.duplicates
