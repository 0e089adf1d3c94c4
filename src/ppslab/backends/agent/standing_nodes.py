"""Nodes and topologies as a server sees them, be they namespaces or containers."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from typing import Protocol

from ppslab.backends.agent import process
from ppslab.backends.agent.deploying import Step
from ppslab.backends.agent.loop import Loop
from ppslab.backends.agent.process import Execution, Outcome, Terminal
from ppslab.backends.agent.protocol import Message


class StandingNode(process.NodeProcess, Protocol):
    """A node, as a server sees it."""

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
    """A topology that is deployed, or about to be."""

    name: str

    @property
    def nodes(self) -> Mapping[str, StandingNode]:
        """Its nodes, by name."""

    def stand_up(self, loop: Loop) -> Generator[Step, Outcome, None]:
        """Make everything; yields the commands to wait for.  Raises BackendError."""

    def remove(self) -> None:
        """Remove it with everything in it; OSError where something could not be restored."""

    def give_back(self) -> None:
        """Restore or remove what does not end with this process; OSError as `remove`."""
