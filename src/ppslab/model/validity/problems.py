"""What can be wrong with a trial or a transfer: a class each, with the figures of its sentence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ppslab.model.validity import Cause, Problem


@dataclass(frozen=True)
class Aborted(Problem):
    """The trial came to no end of its own."""

    cause = Cause.ABORTED

    @property
    def sentence(self) -> str:
        """The word alone: what happened stands in the tester's counts."""
        return "aborted"


@dataclass(frozen=True)
class NotAsConfigured(Problem):
    """The router is not what it was configured to be; `difference`: in the read-back's words."""

    cause = Cause.ROUTER_STATE
    difference: str

    @property
    def sentence(self) -> str:
        """What differs."""
        return f"router state not as configured: {self.difference}"


@dataclass(frozen=True)
class WrongConnections(Problem):
    """The router tracks or offloads `entries` connections where it should not, or none of them."""

    cause = Cause.ROUTER_STATE
    what: Literal["tracked", "offloaded"]
    entries: int

    @property
    def sentence(self) -> str:
        """How many there are."""
        many = f"{self.entries} connections are" if self.entries else "no connection is"
        return NotAsConfigured(f"{many} {self.what}").sentence


@dataclass(frozen=True)
class NothingSent(Problem):
    """There is no rate: no frame was sent, or so few that they took no time."""

    cause = Cause.NOTHING_SENT
    offered: int

    @property
    def sentence(self) -> str:
        """How many frames it sent."""
        return f"tester sent {self.offered} frames, all at once"


@dataclass(frozen=True)
class ReceiverDropped(Problem):
    """Frames for which the receiver's ring had no room."""

    cause = Cause.RECEIVER_DROPPED
    frames: int

    @property
    def sentence(self) -> str:
        """How many."""
        return f"receiver dropped {self.frames} frames"


@dataclass(frozen=True)
class CaughtUp(Problem):
    """A late tester sent so many frames at once to catch up."""

    cause = Cause.TESTER_LATE
    frames: float

    @property
    def sentence(self) -> str:
        """How many."""
        return f"tester late: {self.frames:.0f} frames at once"


@dataclass(frozen=True)
class Starved(Problem):
    """The sender had its CPU for this share of the time (0 to 1), and left frames unsent."""

    cause = Cause.TESTER_LATE
    cpu_share: float
    unsent: int

    @property
    def sentence(self) -> str:
        """The share, and the frames."""
        return (
            f"tester late: it had its CPU for {self.cpu_share:.0%} of the time, "
            f"{self.unsent} frames unsent"
        )


@dataclass(frozen=True)
class Chores(Problem):
    """The kernel's housekeeping took this share of what was counted (0 to 1)."""

    cause = Cause.CHORES
    share: float

    @property
    def sentence(self) -> str:
        """The share."""
        return f"housekeeping of the kernel's took {self.share:.0%} of what was counted"


@dataclass(frozen=True)
class Outlasted(Problem):
    """What was done in mid-stream took longer than the stream."""

    cause = Cause.OUTLASTED

    @property
    def sentence(self) -> str:
        """That it did."""
        return "what was to end in mid-stream lasted longer than the stream"


@dataclass(frozen=True)
class BaselineLeaks(Problem):
    """The drop baseline forwarded so many frames."""

    cause = Cause.NOT_DROPPED
    frames: int

    @property
    def sentence(self) -> str:
        """How many."""
        return f"the drop baseline let {self.frames} frames through"


@dataclass(frozen=True)
class NotDropped(Problem):
    """A condition that is to drop everything dropped only this share (0 to 1)."""

    cause = Cause.NOT_DROPPED
    dropped: float

    @property
    def sentence(self) -> str:
        """The share."""
        return f"only {self.dropped:.1%} of the frames were dropped"


@dataclass(frozen=True)
class NotForwarded(Problem):
    """Where nothing can overflow, only this share (0 to 1) came through."""

    cause = Cause.NOT_FORWARDED
    forwarded: float

    @property
    def sentence(self) -> str:
        """The share."""
        return f"only {self.forwarded:.1%} of the frames came through"


@dataclass(frozen=True)
class QueuesOverflowed(Problem):
    """CPUs dropped so many packets that were not of the transfer."""

    cause = Cause.CPU_QUEUES
    packets: int

    @property
    def sentence(self) -> str:
        """How many."""
        return f"CPU queues overflowed: {self.packets} packets that were not of this transfer"


@dataclass(frozen=True)
class Iperf3Failed(Problem):
    """An instance of iperf3 failed, with its own words."""

    cause = Cause.IPERF3
    client: str
    server: str
    said: str

    @property
    def sentence(self) -> str:
        """From where to where, and why."""
        return f"iperf3 from {self.client} to {self.server}: {self.said}"
