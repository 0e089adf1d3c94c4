"""The tables of the firewall that a packet meets, and how it ends in them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from rosexplain.firewall import (
    ENDS,
    MOST_STEPS,
    Step,
    Walk,
    behind_raw,
    chain_of,
    stops,
    untracking,
    walk,
)
from rosexplain.language import gettext, line_of
from rosexplain.matchers import NO, PERHAPS, YES
from rosexplain.network import REFUSES, Network
from rosexplain.ordered import unique
from rosexplain.packet import OUTPUT, Packet
from rosexplain.parse import Command
from rosexplain.rows import Row


class Table(NamedTuple):
    """A table of the firewall, its chain, and the packet as it is there."""

    name: str
    chain: str
    packet: Packet


def tables_of(packet: Packet, before: Packet | None = None) -> list[Table]:
    """The tables and chains that it meets, in their order (manual: Packet Flow).

    `before`: the packet as it came in, where its destination has been translated.
    """
    came = before or packet
    first = packet.state == "new"
    leaves = [Table("mangle", "postrouting", packet)]
    leaves += [Table("nat", "srcnat", packet)] if first else []
    if packet.chain == OUTPUT:
        return [Table(name, OUTPUT, packet) for name in ("raw", "mangle", "filter")] + leaves
    met = [Table("raw", "prerouting", came), Table("mangle", "prerouting", came)]
    met += [Table("nat", "dstnat", came)] if first else []
    met += [Table(name, packet.chain, packet) for name in ("mangle", "filter")]
    return met if packet.chain == "input" else met + leaves


def as_tracked(net: Network, tables: list[Table]) -> list[Table]:
    """The tables with the packet as a notrack rule of raw leaves it: untracked, without NAT."""
    step = _left_untracked(net, tables)
    if step is None:
        return tables
    sure = step.verdict == YES
    return [
        Table(table, chain, there if table == "raw" else behind_raw(there, step))
        for table, chain, there in tables
        if table != "nat" or not sure
    ]


def untracked(net: Network, packet: Packet) -> bool:
    """Return True if tracking is off, or a rule of raw is sure to leave a packet untracked."""
    if tracking_off(net) is not None:
        return True
    step = _left_untracked(net, tables_of(packet))
    return step is not None and step.verdict == YES


def tracking_off(net: Network) -> Command | None:
    """The line that turns connection tracking off: no NAT, and no packet has another state."""
    row = net.rows.single("/ip/firewall/connection/tracking")
    off = row is not None and row.get("enabled") in ("no", "false")
    return row.command("enabled") if row is not None and off else None


def _left_untracked(net: Network, tables: list[Table]) -> Step | None:
    table, chain, packet = tables[0]
    if table != "raw" or not net.firewall_of(packet.family).chains["raw"]:
        return None
    return untracking(walk(net, packet, table, chain))


DECIDES = ENDS + ("jump", "return")
MOST_NAMED = 4
"""Lines that a sentence names; the rest are counted."""

DOES = {"accept": "accepts", "drop": "drops", "reject": "rejects", "tarpit": "tarpits",
        "return": "returns"}  # fmt: skip


class Doubt(NamedTuple):
    """A rule that perhaps matches, and its action."""

    row: Row
    action: str


@dataclass
class Ending:
    """`action`: how it ends if no rule matches that only perhaps does; `unless`: those rules."""

    action: str = "accept"
    table: str = ""
    """The table in which it is refused."""
    unless: list[Doubt] = field(default_factory=list)
    doubted: list[str] = field(default_factory=list)
    """The tables that have a rule which perhaps refuses it."""
    cut: bool = False
    """More rules than are followed."""

    @property
    def refuses(self) -> bool:
        """Return True if it gets no further."""
        return self.action in REFUSES

    def words(self, net: Network) -> str:
        """`accept, unless line 28 drops it`."""
        if self.cut:
            return gettext("unknown: more than {count} rules").format(count=str(MOST_STEPS))
        if not self.unless:
            return self.action
        clauses: list[str] = []
        for action, does in DOES.items():
            rows = [doubt.row for doubt in self.unless if doubt.action == action]
            lines = named_places(net, rows)
            if lines:
                clauses.append(" or ".join(lines) + " " + does + (" it" if action in ENDS else ""))
        return self.action + ", unless " + ", or ".join(clauses)


def place_of(net: Network, command: Command) -> str:
    """`line 28`; with its file where there are several."""
    if net.files == [command.file]:
        return line_of(command.number)
    return command.place


def named_places(net: Network, rows: list[Row]) -> list[str]:
    """The places of rules, the first few by line and the rest counted, e.g. `3 more`."""
    places = [place_of(net, row.first) for row in rows]
    left = len(places[MOST_NAMED:])
    return places[:MOST_NAMED] + ([str(left) + " more"] if left else [])


def ending_of(net: Network, tables: list[Table]) -> Ending:
    """Return the end after these tables, each with its chain and the packet as it is there."""
    ending = Ending()
    for table, chain, packet in tables:
        if not chain_of(net, packet.family, table, chain).ends:
            continue
        way = walk(net, packet, table, chain)
        ending.cut = ending.cut or way.cut
        action, doubts = _outcome(way)
        if action in REFUSES:
            ending.action, ending.table = action, table
            ending.unless = [doubt for doubt in doubts if doubt.action not in REFUSES]
            return ending
        doubts = [doubt for doubt in doubts if doubt.action != "accept"]
        ending.unless += doubts
        ending.doubted += [table] if doubts else []
    return ending


def _outcome(way: Walk) -> tuple[str, list[Doubt]]:
    """The action that ends it if no rule matches that only perhaps does, and those rules."""
    doubts: list[Doubt] = []
    over: list[Step] = []  # jumps that are perhaps made, behind a rule that ends their chain
    for step in way.steps:
        if step.verdict == NO:
            continue
        action = "accept" if stops(step.row) else step.action
        if action == "jump" or action not in DECIDES:
            continue
        jumps = [jump for jump in step.jumps if jump.verdict == PERHAPS]
        if [jump for jump in jumps if jump in over]:
            continue
        if step.verdict == YES and action == "return":
            continue
        if step.verdict == YES and not jumps:
            return action, unique(doubts, _doubted_row)
        doubts.append(Doubt(step.row, action))
        if step.verdict == YES:
            over.append(jumps[0])
    return "", unique(doubts, _doubted_row)


def _doubted_row(doubt: Doubt) -> int:
    return id(doubt.row)
