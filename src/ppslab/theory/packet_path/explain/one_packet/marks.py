"""The marks that mangle gives a packet, followed rule by rule as far as its matchers are known.

A packet's mark and a routing mark are its own; a connection's mark stays, so of a connection that
is there already its first packet is followed too, in both directions (MikroTik's manual, Mangle).
"""

from __future__ import annotations

from ppslab.theory.packet_path.explain.firewall import MOST_JUMPS, MOST_STEPS, stops
from ppslab.theory.packet_path.explain.matchers import NO, YES, against
from ppslab.theory.packet_path.explain.network import MARKS, Network
from ppslab.theory.packet_path.explain.one_packet.ending import ending_of
from ppslab.theory.packet_path.explain.one_packet.tables import Table, tables_of
from ppslab.theory.packet_path.explain.packets import OUTPUT, Packet
from ppslab.theory.packet_path.exports.row import Row

OF_CONNECTION = MARKS[0]

GIVES = {"mark-connection": OF_CONNECTION, "mark-packet": MARKS[1], "mark-routing": MARKS[2]}
"""What each action of mangle gives."""

NO_MARK = ("no-mark", "main")
"""How a rule says that there is none."""

MOST_STATES = 50
"""Combinations of marks that are followed; whoever has more gets "perhaps"."""

ROUNDS = 4
"""How often the packets of a connection are followed before its marks have to be settled."""


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
    """A packet on its way through mangle; `at`: its possible marks at each rule that asks."""

    def __init__(
        self, net: Network, packet: Packet, verdicts: dict[tuple[int, str], str] | None = None
    ) -> None:
        """`verdicts`: of the rules that ask for no mark, where the same packet was followed."""
        self.net = net
        self.verdicts = {} if verdicts is None else verdicts
        self._begins = ""
        self._gave: set[int] = set()
        self.gave: list[Row] = []
        """The rules that gave a mark, or may have, each once."""
        self.lists = net.firewall_of(packet.family)
        self.at: dict[int, list[Marks]] = {}
        self.count = 0

    def through(self, packet: Packet, chain: str, marks: list[Marks]) -> list[Marks]:
        """The marks behind a chain of mangle."""
        probe = packet.copied()
        probe.marks_at = {}
        self._begins = chain
        back, ended = self._chain(probe, chain, marks, 0)
        behind = _once(back + ended)
        if len(behind) > MOST_STATES:
            raise TooManyError
        return behind

    def behind(self, tables: list[Table], marks: list[Marks]) -> list[list[Marks]]:
        """The marks behind each of the tables."""
        found: list[list[Marks]] = []
        for table, chain, there in tables:
            marks = self.through(there, chain, marks) if table == "mangle" else marks
            found.append(marks)
        return found

    def along(self, tables: list[Table], marks: list[Marks]) -> tuple[list[Table], list[Marks]]:
        """The tables with the packet's marks as they are there, and the marks behind them."""
        every = [marks] + self.behind(tables, marks)
        at = {key: _possible(self.at[key]) for key in self.at}
        by: dict[str, list[Row]] = {}
        for row in self.gave:
            name = GIVES[row.get("action")]
            by.setdefault(name + "=" + row.get("new-" + name), []).append(row)
        made: list[Table] = []
        for index in range(len(tables)):
            table, chain, there = tables[index]
            known = there.copied()
            known.marks, known.marks_at, known.marked_by = _possible(every[index]), at, by
            made.append((table, chain, known))
        return made, every[-1]

    def take(self, row: Row) -> None:
        """Note that a rule gave a mark."""
        if id(row) not in self._gave:
            self._gave.add(id(row))
            self.gave.append(row)

    def _chain(
        self, probe: Packet, name: str, here: list[Marks], depth: int
    ) -> tuple[list[Marks], list[Marks]]:
        """The marks of the packets that leave a chain, and of those that end there."""
        returned: list[Marks] = []
        ended: list[Marks] = []
        for row in self.lists.chains["mangle"].get(name, []):
            self.count += len(here)
            ended = _once(ended) if len(ended) > MOST_STATES else ended
            if depth > MOST_JUMPS or self.count > MOST_STEPS:
                raise TooManyError
            if len(here) > MOST_STATES or len(ended) > MOST_STATES:
                raise TooManyError
            if not here:
                break
            asks = id(row) in self.lists.asking
            if asks:
                self.at[id(row)] = _once(self.at[id(row)] + here) if id(row) in self.at else here
            action = row.get("action", "accept")
            ends = action == "accept" or stops(row)
            if action not in GIVES and action not in ("jump", "return") and not ends:
                continue
            left: list[Marks] = []
            matched: list[Marks] = []
            met = (id(row), self._begins)
            verdict = "" if asks else self.verdicts.get(met, "")
            for one in here:
                if asks or not verdict:
                    probe.marks = {name: [one.values[name]] for name in MARKS}
                    verdict, _ = against(self.net, row, probe, probe.family)
                    if not asks:
                        self.verdicts[met] = verdict
                if verdict != NO:
                    matched.append(one.given(row) if action in GIVES else one)
                if verdict != YES:
                    left.append(one)
            if matched and action in GIVES:
                self.take(row)
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
    if not net.firewall_of(packet.family).asking:
        return tables
    following = Following(net, packet)
    try:
        return _seen(packet, following, tables, _at_first(following, packet, tables[0][2]))
    except TooManyError:
        return tables


def _seen(
    packet: Packet, following: Following, tables: list[Table], marks: list[Marks]
) -> list[Table]:
    """The tables with the packet's marks there, when it has those of `marks` that it comes with."""
    made, _ = following.along(tables, marks)
    at_filter = [there for table, _, there in made if table == "filter"][-1]
    packet.marks, packet.marks_at = at_filter.marks, at_filter.marks_at
    packet.marked_by = at_filter.marked_by
    return made


def both_ways(net: Network, packet: Packet) -> list[Packet]:
    """The packets of a connection that is there, and those that answer them, with their marks."""
    both = [packet.copied(), _back(packet)]
    if not net.firewall_of(packet.family).marks_decide:
        return both
    following = Following(net, packet)
    try:
        marks = _at_first(following, packet, packet)
        for each in both:
            own = Following(net, each)
            for row in following.gave:
                own.take(row)
            _seen(each, own, tables_of(each), marks)
    except TooManyError:
        return [packet.copied(), _back(packet)]
    return both


def marked(net: Network, packet: Packet) -> Packet:
    """The same packet with its marks, as filter sees it.  FastTrack's rule may be mangle's."""
    same = packet.copied()
    if not net.firewall_of(packet.family).marks_decide:
        return same
    follow(net, same, tables_of(same))
    return same


def answering(net: Network, packet: Packet) -> Packet:
    """The packets of the same connection the other way, with their marks."""
    return marked(net, _back(packet))


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
        following = Following(net, first)
        tables, marks = following.along(tables_of(first, begun), [NONE])
        end = ending_of(net, tables)
        if end.refuses and not end.unless:
            continue  # no connection begins this way
        found += _behind(into, following, marks)
    found = _once(found or [NONE])
    verdicts: list[dict[tuple[int, str], str]] = [{} for _ in ways]
    for _ in range(ROUNDS):
        known = len(found)
        for number, (one, before) in enumerate(ways):
            following = Following(net, one, verdicts[number])
            marks = following.behind(tables_of(one, before), found)[-1]
            found = _once(found + _behind(into, following, marks))
        if len(found) == known:
            return found
    raise TooManyError


def _behind(into: Following, following: Following, marks: list[Marks]) -> list[Marks]:
    """The marks of a connection after one packet of it; `into` is told which rules gave them."""
    for row in following.gave:
        if GIVES[row.get("action")] == OF_CONNECTION:
            into.take(row)
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
