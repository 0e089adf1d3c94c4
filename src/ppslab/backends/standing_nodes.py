"""What a server knows of nodes and topologies, be they namespaces or containers."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from typing import Protocol

from ppslab.backends import execs
from ppslab.backends.deploying import Step
from ppslab.backends.execs import Execution, Outcome, Terminal
from ppslab.backends.loop import Loop
from ppslab.backends.protocol import Message


class Place(execs.Place, Protocol):
    """A node, as far as a server knows it."""

    def execution(
        self, loop: Loop, argv: list[str], done: Callable[[Outcome], None], request: Message
    ) -> Execution:
        """Start the command of a request `run`."""

    def terminal(
        self,
        loop: Loop,
        argv: list[str],
        said: Callable[[str], None],
        ended: Callable[[int], None],
        request: Message,
    ) -> Terminal:
        """Start the command of a request `pty`."""


class Standing(Protocol):
    """A topology that stands, or is about to."""

    name: str

    @property
    def nodes(self) -> Mapping[str, Place]:
        """Its nodes, by name."""

    def stand_up(self, loop: Loop) -> Generator[Step, Outcome, None]:
        """Make everything; yields the commands to wait for.  Raises BackendError."""

    def remove(self) -> None:
        """Take it away with all that runs in it; OSError where something could not be put back."""

    def give_back(self) -> None:
        """Put back or take away what does not end with this process; OSError as `remove`."""
