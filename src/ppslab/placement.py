"""Which way packets go through a machine of several sockets: in at a card, over a CPU, out again.

A packet that a card of one socket hands to a CPU of another crosses the link between the sockets,
and again when it leaves through a card that is not on the CPU's socket.
"""

from __future__ import annotations

from dataclasses import dataclass

from ppslab.conditions import Condition
from ppslab.errors import UsageError
from ppslab.lab import Lab
from ppslab.machine import Machine
from ppslab.results import Record
from ppslab.tables import Table, cells

_HEADING = "## interrupts"


@dataclass(frozen=True)
class Way:
    """One stream's way: the socket of the card that receives it, the CPU, the socket it leaves by.

    `cpu` None: nobody said, and nothing was read back.
    """

    condition: str
    stream: str
    enters: int
    cpu: int | None
    leaves: int
    cpu_socket: int | None

    @property
    def crossings(self) -> int | None:
        """How often each packet crosses the link between sockets."""
        if self.cpu_socket is None:
            return None
        return (self.enters != self.cpu_socket) + (self.cpu_socket != self.leaves)


def ways(lab: Lab, condition: Condition, read_back: str = "") -> list[Way]:
    """The way of every stream of a condition; `read_back`: what the router said of itself.

    With a read-back the CPUs are those that it names, without one those of the condition's words.
    UsageError where the lab has no machine.
    """
    machine = lab.words.machine
    if machine is None:
        raise UsageError(f"lab {lab.name} has no machine: nothing says where its cards are")
    served = served_by(read_back) or _wanted(condition)
    found = []
    for flow in lab.flows(condition):
        enters, leaves = (lab.words.ports[name] for name in (flow.tx_name, flow.rx_name))
        cpu = served.get(enters)
        found.append(
            Way(
                condition=condition.name,
                stream=flow.name,
                enters=_socket(lab, machine, enters),
                cpu=cpu,
                leaves=_socket(lab, machine, leaves),
                cpu_socket=None if cpu is None else cpu // machine.cores,
            )
        )
    return found


def served_by(read_back: str) -> dict[str, int]:
    """The CPU that serves what each interface receives, out of a router's read-back."""
    found: dict[str, int] = {}
    if _HEADING not in read_back:
        return found
    for line in read_back.partition(_HEADING)[2].splitlines()[1:]:
        words = line.split()
        if line.startswith("## ") or "wanted" not in words:
            break
        if "-input" in words[2]:
            found[words[0]] = int(words[words.index("wanted") + 1])
    return found


def table(lab: Lab, record: Record | None = None) -> Table:
    """Every stream's way; of a record with the CPUs that were read back, else as the lab says."""
    said = {each.name: each.read_back for each in record.conditions} if record else {}
    conditions = [lab.condition(name) for name in said] or list(lab.conditions.values())
    rows = []
    for condition in conditions:
        for way in ways(lab, condition, said.get(condition.name, "")):
            rows.append(
                cells(
                    condition.name,
                    way.stream,
                    f"socket {way.enters}",
                    "left to chance" if way.cpu is None else f"{way.cpu} (socket {way.cpu_socket})",
                    f"socket {way.leaves}",
                    "?" if way.crossings is None else str(way.crossings),
                )
            )
    return Table(
        title="The way of each stream, and how often a packet crosses the link between the sockets",
        header=("condition", "stream", "enters on", "served by CPU", "leaves on", "crossings"),
        rows=tuple(rows),
        provenance=record.provenance() if record else "",
    )


def _wanted(condition: Condition) -> dict[str, int]:
    words = condition.linux.interrupts
    return dict(words) if isinstance(words, dict) else {}


def _socket(lab: Lab, machine: Machine, interface: str) -> int:
    end = f"{lab.words.router}:{interface}"
    card = machine.cards.get(lab.words.topology, {}).get(end)
    if card is None:
        raise UsageError(f"lab {lab.name}: {end} is no card of its machine")
    return card.socket
