"""Where a tester's programs run: a node of a deployed lab, and the ports that it has there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol


class Completed(Protocol):
    """What a command left behind."""

    @property
    def returncode(self) -> int:
        """Its exit code."""

    @property
    def stdout(self) -> str:
        """What it printed."""

    @property
    def stderr(self) -> str:
        """What it complained of."""


class Runner(Protocol):
    """Where a tester runs: a node of a deployed lab."""

    def run(self, argv: Sequence[str], *, timeout: float = 60.0, check: bool = True) -> Completed:
        """Run a command to its end; `check` turns a non-zero exit code into an exception."""

    def read(self, path: str) -> bytes:
        """A file of the node, whole."""


def give_queues(node: Runner, ports: Mapping[str, str], separate: bool) -> None:
    """GRO on the ports in separate trials, off in coupled ones.

    GRO gives each port of the tester a queue of its own (veth takes NAPI with it).  Without
    one, router and receiver share a backlog, and an overloaded router's frames are lost
    behind it.  Coupled trials overflow nothing, and it would cost them 200 ns a packet.
    """
    state = "on" if separate else "off"
    lines = [f"ethtool -K {port} gro {state}" for port in ports.values()]
    node.run(["sh", "-ec", "; ".join(lines)])
