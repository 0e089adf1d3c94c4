"""The marks that mangle gives a packet, followed rule by rule as far as its matchers are known.

A packet's mark and a routing mark are its own; a connection's mark stays, so of a connection that
is there already its first packet is followed too, in both directions (MikroTik's manual, Mangle).
"""

from __future__ import annotations

from ppslab.theory.packet_path.explain.firewall import MOST_JUMPS, MOST_STEPS, Step, stops
from ppslab.theory.packet_path.explain.matchers import MARKS, NO, YES, against
from ppslab.theory.packet_path.explain.network import Network
from ppslab.theory.packet_path.explain.one_packet.ending import MOST_NAMED, ending_of, place_of
from ppslab.theory.packet_path.explain.one_packet.tables import Table, tables_of
from ppslab.theory.packet_path.explain.packets import OUTPUT, Packet
from ppslab.theory.packet_path.exports.row import Row
from ppslab.theory.packet_path.remedies.commands import quoted, spelled

OF_CONNECTION = MARKS[0]

GIVES = {"mark-connection": OF_CONNECTION, "mark-packet": MARKS[1], "mark-routing": MARKS[2]}
"""What each action of mangle gives."""

NO_MARK = ("no-mark", "main")
"""How a rule says that there is none."""

MOST_STATES = 50
"""Combinations of marks that are followed; whoever has more gets "perhaps"."""

ROUNDS = 4
"""How often the packets of a connection are followed before its marks have to be settled."""

ASKS = {"connection-mark": "/ip/firewall/connection/print where connection-mark=",
        "packet-mark": "/ip/firewall/mangle/print stats where new-packet-mark=",
        "routing-mark": "/ip/firewall/mangle/print stats where new-routing-mark="}  # fmt: skip
"""What tells whether packets get a mark."""


class Marks:
    """One possibility: the value of each mark, empty for none."""

    def __init__(self, values: dict[str, str]) -> None:
        self.values = values
        self.key = "\0".join([values[name] for name in MARKS])
        """The same for the same values."""

    def given(self, row: Row) -> Marks:
        """The marks behind a rule of mangle that matched."""
        name = GIVES[row.get("action")]
        value = row.get("new-" + name)
        values = dict(self.values)
        values[name] = "" if value in NO_MARK else value
        return Marks(values)

    def of_connection(self) -> Marks:
        """What of them the next packet of the connection has."""
        values = dict(NONE.values)
        values[OF_CONNECTION] = self.values[OF_CONNECTION]
        return Marks(values)


NONE = Marks(dict.fromkeys(MARKS, ""))


class TooManyError(Exception):
    """More rules or combinations than are followed."""


class Following:
    """A packet on its way through mangle; `at`: the marks that it may have at each rule."""

    def __init__(self, net: Network, packet: Packet) -> None:
        self.net = net
        self.gave: dict[str, list[Row]] = {}
        """The rules that gave a mark, or may have, by the mark."""
        self.chains = net.firewall_of(packet.family).chains["mangle"]
        self.at: dict[int, list[Marks]] = {}
        self.count = 0

    def through(self, packet: Packet, chain: str, marks: list[Marks]) -> list[Marks]:
        """The marks behind a chain of mangle."""
        probe = packet.copied()
        probe.marks_at = {}
        back, ended = self._chain(probe, chain, marks, 0)
        return _once(back + ended)

    def _given(self, marks: Marks, row: Row) -> Marks:
        name = GIVES[row.get("action")]
        rows = self.gave.setdefault(name + "=" + row.get("new-" + name), [])
        rows += [] if row in rows else [row]
        return marks.given(row)

    def _chain(
        self, probe: Packet, name: str, here: list[Marks], depth: int
    ) -> tuple[list[Marks], list[Marks]]:
        """The marks of the packets that leave a chain, and of those that end there."""
        returned: list[Marks] = []
        ended: list[Marks] = []
        for row in self.chains.get(name, []):
            self.count += len(here)
            if depth > MOST_JUMPS or self.count > MOST_STEPS or len(here) > MOST_STATES:
                raise TooManyError
            if not here:
                break
            self.at[id(row)] = _once(self.at[id(row)] + here) if id(row) in self.at else here
            action = row.get("action", "accept")
            ends = action == "accept" or stops(row)
            if action not in GIVES and action not in ("jump", "return") and not ends:
                continue
            left: list[Marks] = []
            matched: list[Marks] = []
            asks = any(row.says(name) for name in MARKS)
            verdict = ""
            for one in here:
                if asks or not verdict:
                    probe.marks = {name: [one.values[name]] for name in MARKS}
                    verdict, _ = against(self.net, row, probe, probe.family)
                if verdict != NO:
                    matched.append(self._given(one, row) if action in GIVES else one)
                if verdict != YES:
                    left.append(one)
            if action == "jump":
                back, inside = self._chain(probe, row.get("jump-target"), matched, depth + 1)
                left, ended = left + back, ended + inside
            elif action == "return":
                returned += matched
            elif ends:
                ended += matched
            else:
                left += matched
            here = _once(left) if matched else left
        return _once(here + returned), _once(ended)


def follow(net: Network, packet: Packet, tables: list[Table]) -> list[Table]:
    """The tables with the packet's marks as they are there; `packet` itself as filter sees it.

    Where no rule asks for a mark, or too many decide about them, all is as it was.
    """
    if not net.firewall_of(packet.family).asks_marks:
        return tables
    following = Following(net, packet)
    made: list[Table] = []
    at_filter = None
    try:
        marks = _at_first(following, packet, tables[0][2])
        for table, chain, there in tables:
            known = there.copied()
            known.marks, known.marks_at = _possible(marks), {}
            made.append((table, chain, known))
            if table == "mangle":
                marks = following.through(there, chain, marks)
            elif table == "filter":
                at_filter = known.marks
    except TooManyError:
        return tables
    packet.marks = at_filter
    at = {key: _possible(following.at[key]) for key in following.at}
    for known in [there for _, _, there in made] + [packet]:
        known.marks_at, known.marked_by = at, following.gave
    return made


def answering(net: Network, packet: Packet) -> Packet:
    """The packets of the same connection the other way, with their marks."""
    other = _back(packet)
    follow(net, other, tables_of(other))
    return other


def marks_said(net: Network, packet: Packet, rows: list[Row]) -> list[str]:
    """The marks that rules ask for and that it has or may have, and by which line.

    Where it only may, the command that tells is named too.
    """
    made: list[str] = []
    for row in rows:
        for name in MARKS:
            value = row.get(name).lstrip("!")
            known = packet.marks_before(row)
            if not value or value in NO_MARK or known is None or value not in known[name]:
                continue
            said = _said(net, packet, name, value, known[name] == [value])
            made += [said] if said not in made else []
    return made


def _said(net: Network, packet: Packet, name: str, value: str, sure: bool) -> str:
    found = [place_of(net, row.first) for row in packet.marked_by.get(name + "=" + value, [])]
    more = len(found) - MOST_NAMED
    by = found[:MOST_NAMED] + ([str(more) + " more"] if more > 0 else [])
    lines = " (" + " or ".join(by) + ")"
    if sure:
        return "It has " + name + "=" + value + lines + "."
    ask = ASKS[name] if packet.family == 4 else ASKS[name].replace("/ip/", "/ipv6/")
    ask = spelled(net, ask + quoted(value))
    return "It perhaps has " + name + "=" + value + lines + ": ask the router by " + ask + "."


def routing_said(net: Network, steps: list[Step]) -> list[str]:
    """That a routing mark chooses its table, and so the interface that it leaves by."""
    made = []
    for step in steps:
        value = step.row.get("new-routing-mark")
        if step.action != "mark-routing" or step.verdict == NO or value in NO_MARK:
            continue
        may = "" if step.verdict == YES and step.sure else "perhaps "
        line = " (" + place_of(net, step.row.first) + ")"
        said = (
            "It is " + may + "routed by the table " + value + line + ", and the rules below take "
        )
        made.append(said + "it to leave as the main table says: give out= to be sure.")
    return made


def _at_first(into: Following, packet: Packet, came: Packet) -> list[Marks]:
    """The marks that it comes with: those of its connection, where that is there already."""
    net = into.net
    if packet.state not in ("established", "related"):
        return [NONE]
    found: list[Marks] = [NONE] if packet.state == "related" else []
    ways = [(packet, came), (_back(packet), None)]
    for one, before in ways:
        first, begun = one.copied(), before.copied() if before else None
        first.state = "new"
        if begun is not None:
            begun.state = "new"
        tables = follow(net, first, tables_of(first, begun))
        end = ending_of(net, tables)
        if end.refuses and not end.unless:
            continue  # no connection begins this way
        found += _behind(into, first, tables, [NONE])
    found = _once(found or [NONE])
    for _ in range(ROUNDS):
        known = len(found)
        for one, before in ways:
            found = _once(found + _behind(into, one, tables_of(one, before), found))
        if len(found) == known:
            return found
    raise TooManyError


def _behind(
    into: Following, packet: Packet, tables: list[Table], marks: list[Marks]
) -> list[Marks]:
    """The marks of a connection after one packet of it; `into` is told which rules gave them."""
    following = Following(into.net, packet)
    for table, chain, there in tables:
        if table == "mangle":
            marks = following.through(there, chain, marks)
    for mark, rows in following.gave.items():
        if mark.startswith(OF_CONNECTION):
            known = into.gave.setdefault(mark, [])
            known += [row for row in rows if row not in known]
    return _once([each.of_connection() for each in marks])


def _back(packet: Packet) -> Packet:
    other = packet.back()
    if packet.chain == "input":
        other.chain, other.ins, other.outs = OUTPUT, None, packet.ins
    elif packet.chain == OUTPUT:
        other.chain, other.ins, other.outs = "input", packet.outs, None
    return other


def _possible(marks: list[Marks]) -> dict[str, list[str]]:
    """The values that each mark may have."""
    found: dict[str, list[str]] = {name: [] for name in MARKS}
    for each in marks:
        for name in MARKS:
            if each.values[name] not in found[name]:
                found[name].append(each.values[name])
    return found


def _once(marks: list[Marks]) -> list[Marks]:
    found: list[Marks] = []
    known: set[str] = set()
    for each in marks:
        if each.key not in known:
            known.add(each.key)
            found.append(each)
    return found
