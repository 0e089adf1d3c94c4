"""The way of packets through a machine of several sockets: in at a card, over a CPU, out again.

A packet that a card of one socket hands to a CPU of another crosses the link between the sockets,
and again when it leaves through a card that is not on the CPU's socket.

Which CPUs carried the packets of a run is read from the counters that are named after CPUs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from statistics import median

from ppslab.core.errors import UsageError
from ppslab.core.text.quantities import NOTHING, Named, Quantity
from ppslab.core.text.tables import Table, cells
from ppslab.judge import costs
from ppslab.model.lab.conditions import Condition
from ppslab.model.lab.lab import Lab
from ppslab.model.lab.machine import Machine
from ppslab.model.results import Record, Trial
from ppslab.model.statistics import Interval

_HEADING = "## interrupts"
_NODE = " numa_node"
CPU = "CPU"


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
        """Number of times that a packet crosses the link between sockets."""
        if self.cpu_socket is None:
            return None
        return (self.enters != self.cpu_socket) + (self.cpu_socket != self.leaves)


def ways(lab: Lab, condition: Condition, read_back: str = "") -> list[Way]:
    """The way of every stream of a condition; `read_back`: what the router said of itself.

    With a read-back the CPUs are those that it names, without one those of the condition's words.
    UsageError where the lab has no machine.
    """
    machine = lab.spec.machine
    if machine is None:
        raise UsageError(f"lab {lab.name} has no machine: nothing says where its cards are")
    served = served_by(read_back) or _wanted(condition)
    pairs = []
    for flow in lab.flows(condition):
        enters, leaves = (lab.spec.ports[name] for name in (flow.tx_name, flow.rx_name))
        cpu = served.get(enters)
        pairs.append(
            Way(
                condition=condition.name,
                stream=flow.name,
                enters=_socket(lab, machine, enters),
                cpu=cpu,
                leaves=_socket(lab, machine, leaves),
                cpu_socket=None if cpu is None else cpu // machine.cores,
            )
        )
    return pairs


def served_by(read_back: str) -> dict[str, int]:
    """The CPU that serves what each interface receives, out of a router's read-back."""
    cpus: dict[str, int] = {}
    if _HEADING not in read_back:
        return cpus
    for line in read_back.partition(_HEADING)[2].splitlines()[1:]:
        fields = line.split()
        if line.startswith("## ") or "wanted" not in fields:
            break
        if "-input" in fields[2]:
            cpus[fields[0]] = int(fields[fields.index("wanted") + 1])
    return cpus


def table(lab: Lab, record: Record | None = None) -> Table:
    """Every stream's way; of a record with the CPUs that were read back, else as the lab says.

    Which CPU of a socket it is may be chance, so that column is an aside.
    """
    read_backs = {each.name: each.read_back for each in record.conditions} if record else {}
    conditions = [lab.condition(name) for name in read_backs] or list(lab.conditions.values())
    shown = [way for one in conditions for way in ways(lab, one, read_backs.get(one.name, ""))]
    return Table.of(
        "Path of each stream, and number of crossings between the sockets",
        shown,
        {
            "condition": lambda way: Named(way.condition, lab.condition(way.condition).title),
            "stream": lambda way: way.stream,
            "enters": lambda way: f"socket {way.enters}",
            "served on": lambda way: (
                "nobody said" if way.cpu is None else f"socket {way.cpu_socket}"
            ),
            CPU: lambda way: "?" if way.cpu is None else str(way.cpu),
            "leaves": lambda way: f"socket {way.leaves}",
            "crossings": lambda way: "?" if way.crossings is None else str(way.crossings),
        },
        provenance=record.provenance() if record else None,
        asides=frozenset({CPU}),
    )


def cards(record: Record) -> Table:
    """The router's cards as the kernel of the record's machine showed them in /sys and ethtool."""
    shown = answers(record)
    ports = [name.removesuffix(_NODE) for name in shown if name.endswith(_NODE)]

    def last(pattern: str, text: str) -> str:
        return next(reversed(re.findall(pattern, text, re.MULTILINE)), "?")

    return Table.of(
        "The router's cards, as its kernel sees them",
        ports,
        {
            "card": lambda port: port,
            "numa_node": lambda port: shown[port + _NODE].strip(),
            "local_cpulist": lambda port: shown[f"{port} local_cpulist"].strip(),
            "driver": lambda port: last(r"^driver: (\S+)", shown[f"{port} driver"]),
            "queues": lambda port: last(r"^Combined:\s+(\S+)", shown[f"{port} channels"]),
        },
        provenance=record.provenance(),
    )


def answers(record: Record) -> dict[str, str]:
    """The read-back of the record's machine, by heading; UsageError where it has no sockets."""
    # Older records have them where the kind of processor stands in any other.
    facts = record.environment.get("sockets") or record.environment.get("machine")
    if not isinstance(facts, dict):
        raise UsageError(f"{record.id}: no machine was built for it")
    shown: dict[str, str] = facts["shown"]
    return shown


def served(record: Record) -> Table:
    """Table of the CPUs and sockets that handled the packets, by their counters, in words."""
    size = min(record.frame_sizes)
    shares = {c.name: costs.counter_shares(record, c.name, size) for c in record.conditions}
    names = sorted({n for each in shares.values() for n in each if re.match(r"(cpu|socket)\d", n)})
    rows = tuple(
        cells(record.named(name), *(_in_words(each[n]) if n in each else "-" for n in names))
        for name, each in shares.items()
        if each
    )
    return Table(
        title=f"CPUs that handled the packets, {size} bytes",
        header=("condition", *names),
        rows=rows,
        notes=(
            "none: less than one packet in ten; half: four to six in ten; all: more than nine in "
            "ten of the frames that the tester offered.",
        ),
        provenance=record.provenance(),
    )


def _in_words(share: Interval) -> str:
    if share.estimate < 0.1:
        return "none"
    if share.estimate > 0.9:
        return "all"
    return "half" if 0.4 <= share.estimate <= 0.6 else "some"


def _wanted(condition: Condition) -> dict[str, int]:
    interrupts = condition.linux.interrupts
    return dict(interrupts) if isinstance(interrupts, dict) else {}


def _socket(lab: Lab, machine: Machine, interface: str) -> int:
    end = f"{lab.spec.router}:{interface}"
    card = machine.cards.get(lab.spec.topology, {}).get(end)
    if card is None:
        raise UsageError(f"lab {lab.name}: {end} is no card of its machine")
    return card.socket


CARRIES = 0.1
"""A CPU with a smaller share than this of a trial's packets does not count as one that carries."""


def cpu_shares(trial: Trial) -> list[float]:
    """Each CPU's share of the packets that all of them counted, CPU 0 first; [] without any."""
    names = sorted(
        (name for name in trial.counters if re.fullmatch(r"cpu\d+", name)),
        key=lambda name: int(name.removeprefix("cpu")),
    )
    counts = [trial.counters[name] for name in names]
    return [count / sum(counts) for count in counts] if sum(counts) else []


def cpu_table(record: Record) -> Table:
    """For each condition every CPU's share, the busiest one's, and how many CPUs carry."""
    by_condition = {
        condition.name: [
            shares
            for trial in record.trials
            if trial.valid and trial.purpose == "cost" and trial.condition == condition.name
            if (shares := cpu_shares(trial))
        ]
        for condition in record.conditions
    }
    width = max((len(shares) for each in by_condition.values() for shares in each), default=0)
    rows = []
    for name, trials in by_condition.items():
        if not trials:
            continue
        each = [_per_cent([shares[cpu] for shares in trials]) for cpu in range(len(trials[0]))]
        carrying = sorted({sum(share >= CARRIES for share in shares) for shares in trials})
        rows.append(
            cells(
                record.named(name),
                " or ".join(map(str, carrying)),
                _per_cent([max(shares) for shares in trials]),
                *each,
                *[NOTHING] * (width - len(each)),
            )
        )
    return Table(
        title="CPUs that handled the packets",
        header=("condition", "CPUs at work", "the busiest", *(f"CPU {n}" for n in range(width))),
        rows=tuple(rows),
        notes=(
            "Median of the trials. A CPU is at work if it handles at least a tenth of a trial's "
            "packets. The streams are assigned to CPUs anew whenever a machine starts.",
        ),
        provenance=record.provenance(),
    )


def _per_cent(shares: list[float]) -> Quantity:
    return Quantity(round(100 * median(shares), 1), unit="%", digits=3)
