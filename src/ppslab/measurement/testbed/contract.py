"""What a session stands on once it is open: a tester of frames, or hosts that talk TCP."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from ppslab.backends.capabilities import CpuPlan
from ppslab.lab.profiles import Profile
from ppslab.routers.contract import Router


class Instrument(Protocol):
    """What measures, as far as a record's head tells it."""

    @property
    def settings(self) -> dict[str, str]:
        """How it runs here."""


class Testbed(Protocol):
    """What a session stands on once it is open: `FrameTestbed` or `TcpTestbed`."""

    @property
    def router(self) -> Router:
        """The device under test."""

    @property
    def tester(self) -> Instrument:
        """What measures it."""

    @property
    def cpus(self) -> CpuPlan:
        """Who works where."""

    @property
    def profile(self) -> Profile:
        """The profile as it is used here."""

    @property
    def trials(self) -> Sequence[Any]:
        """What was measured so far."""

    @property
    def remarks(self) -> Sequence[str]:
        """What noise made of the run, for its record."""

    @property
    def read_backs(self) -> dict[str, str]:
        """What the router said of itself, by condition."""
