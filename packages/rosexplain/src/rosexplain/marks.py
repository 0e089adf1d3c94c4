"""The marks that mangle gives a packet, rule by rule as far as its matchers are known.

A packet's mark and a routing mark are its own; a connection's mark stays, so of a connection that
is there already its first packet is followed too, in both directions (MikroTik's manual, Mangle).
"""

from __future__ import annotations

from rosexplain.ending import (
    DECIDES,
    Table,
    as_tracked,
    ending_of,
    named_places,
    place_of,
    tables_of,
)
from rosexplain.firewall import MOST_STATES, MOST_STEPS, Step, Walk, stops
from rosexplain.language import either, gettext
from rosexplain.matchers import NO, PERHAPS, YES, Chain, alike
from rosexplain.network import MARKS, UNMARKED, Network, spelled
from rosexplain.ordered import unique
from rosexplain.packet import OUTPUT, Packet, possible
from rosexplain.rows import Menu, Row, quoted

OF_CONNECTION = MARKS[0]

GIVES = {"mark-connection": OF_CONNECTION, "mark-packet": MARKS[1], "mark-routing": MARKS[2]}
"""The mark that each action of mangle gives."""


ROUNDS = 4
"""Turns in which the packets of a connection are followed until its marks are settled."""


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
        values[name] = "" if value in UNMARKED else value
        return Marks(values)

    def met(self, asked: list[tuple[str, str, bool]]) -> bool:
        """True if they are what a rule asks for: of each mark its value, or any other one."""
        return all((self.values[name] == value) != inverted for name, value, inverted in asked)

    def of_connection(self) -> Marks:
        """Return those that the next packet of the connection has."""
        values = dict(NO_MARKS.values)
        values[OF_CONNECTION] = self.values[OF_CONNECTION]
        return Marks(values)


NO_MARKS = Marks(dict.fromkeys(MARKS, ""))


class TooManyError(Exception):
    """More rules or combinations than are followed."""


class MarkWalk(Walk):
    """A packet's way through a chain of mangle with its marks.

    `at`: those it may have at rules that ask; `gave`: the rules that gave one, or may have.
    """

    def __init__(self, net: Network, packet: Packet) -> None:
        super().__init__(net, packet, "mangle")
        self.gave: list[Row] = []
        self.at: dict[int, list[Marks]] = {}
        self.behind: list[Marks] = []
        self._asking = net.firewall_of(packet.family).asking

    def through(self, chain: str, marks: list[Marks]) -> MarkWalk:
        """Follow the packet; itself."""
        back, ended = self.chain(chain, marks)
        self.behind = self.distinct(back + ended)
        if len(self.behind) > MOST_STATES:
            raise TooManyError
        return self

    def numbers(self, chain: Chain) -> list[int]:
        """The rules that are asked: those that may match, and those that ask for a mark."""
        return chain.numbers(chain.may(self.asked) | chain.marked)

    def ask(
        self, row: Row, here: list[Marks], by: Step | None, sure: bool
    ) -> tuple[Step, list[Marks], list[Marks]]:
        """The step of a rule, the marks behind it where it matches, and those it does not match."""
        step = Step(self.net, row, by, NO, [], sure)
        asked = self._asking.get(id(row))
        if asked:
            self.at[id(row)] = self.distinct(self.at.get(id(row), []) + here)
        if step.action not in GIVES and step.action not in DECIDES and not stops(row):
            return step, [], here
        matched: list[Marks] = []
        left: list[Marks] = []
        rest, _ = self.asked.against(row, marks=False)
        for marks in here:
            verdict = rest if not asked or marks.met(asked) else NO
            if verdict != NO:
                matched.append(marks.given(row) if step.action in GIVES else marks)
            if verdict != YES:
                left.append(marks)
        if matched and step.action in GIVES:
            self.gave.append(row)
        return step, matched, left

    def distinct(self, here: list[Marks]) -> list[Marks]:
        """The same marks, each combination once."""
        return here if len(here) < 2 else unique(here, _key)

    def too_many(self) -> None:
        """TooManyError: all that asks for a mark is then perhaps matched."""
        raise TooManyError


class Following:
    """A packet's way through all chains of mangle with its marks.

    `at`: those it may have at rules that ask; `gave`: the rules that gave one, or may have, each
    once.
    """

    def __init__(self, net: Network) -> None:
        self.net = net
        self.gave: list[Row] = []
        self.at: dict[int, list[Marks]] = {}
        self._count = 0
        self._gave: set[int] = set()
        self._ways: list[int] = []

    def through(self, packet: Packet, chain: str, marks: list[Marks]) -> list[Marks]:
        """The marks behind a chain, which is followed once for all packets that are alike."""
        walks = self.net.firewall_of(packet.family).mark_walks
        key = (alike(self.net, packet, "mangle", chain), chain, tuple([one.key for one in marks]))
        way = walks.get(key)
        if way is None:
            way = walks[key] = MarkWalk(self.net, packet).through(chain, marks)
        self._ways.append(id(way))
        self._count += way.count
        if self._count > MOST_STEPS:
            raise TooManyError
        for row in way.gave:
            self.take(row)
        for row_id, there in way.at.items():
            before = self.at.get(row_id)
            self.at[row_id] = unique(before + there, _key) if before else there
        behind: list[Marks] = way.behind
        return behind

    def behind_each(self, tables: list[Table], marks: list[Marks]) -> list[list[Marks]]:
        """The marks behind each of the tables."""
        marks_behind: list[list[Marks]] = []
        for table, chain, there in tables:
            marks = self.through(there, chain, marks) if table == "mangle" else marks
            marks_behind.append(marks)
        return marks_behind

    def along(self, tables: list[Table], marks: list[Marks]) -> tuple[list[Table], list[Marks]]:
        """The tables with the packet's marks as they are there, and the marks behind them."""
        every = [marks] + self.behind_each(tables, marks)
        by: dict[str, list[Row]] = {}
        for row in self.gave:
            by.setdefault(row.menu.once("given", _given)[id(row)], []).append(row)
        marked_tables: list[Table] = []
        for (table, chain, there), come in zip(tables, every, strict=False):
            known = there.copied()
            known.marks, known.marks_at, known.marked_by = possible(come), self.at, by
            known.marks_by = tuple(self._ways)
            marked_tables.append(Table(table, chain, known))
        return marked_tables, every[-1]

    def take(self, row: Row) -> None:
        """Note that a rule gave a mark."""
        if id(row) not in self._gave:
            self._gave.add(id(row))
            self.gave.append(row)


def follow(net: Network, packet: Packet, tables: list[Table]) -> list[Table]:
    """The tables with the packet's marks as they are there; `packet` itself as filter sees it.

    Where no rule asks for a mark, or too many decide about them, all is as it was.
    """
    if not net.firewall_of(packet.family).asking:
        return tables
    following = Following(net)
    try:
        return _seen(packet, following, tables, _at_first(following, packet, tables[0][2]))
    except TooManyError:
        return tables


def _seen(
    packet: Packet, following: Following, tables: list[Table], marks: list[Marks]
) -> list[Table]:
    """The tables with the packet's marks there, when it has those of `marks` that it comes with."""
    marked_tables, _ = following.along(tables, marks)
    # What is for nobody is not seen to come to filter.
    at_filter = ([there for table, _, there in marked_tables if table == "filter"]
                 or [marked_tables[-1][2]])[-1]  # fmt: skip
    packet.marks, packet.marks_at = at_filter.marks, at_filter.marks_at
    packet.marked_by, packet.marks_by = at_filter.marked_by, at_filter.marks_by
    return marked_tables


def both_ways(net: Network, packet: Packet) -> list[Packet]:
    """The packets of a connection that is there, and those that answer them, with their marks."""
    both = [packet.copied(), _back(packet)]
    if not net.firewall_of(packet.family).marks_decide:
        return both
    following = Following(net)
    try:
        marks = _at_first(following, packet, packet)
        for one in both:
            own = Following(net)
            for row in following.gave:
                own.take(row)
            _seen(one, own, tables_of(one), marks)
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
        return [NO_MARKS]
    possible: list[Marks] = [NO_MARKS] if packet.state == "related" else []
    ways = [(packet, came), (_back(packet), None)]
    for one, before in ways:
        first, begun = one.copied(), before.copied() if before else None
        first.state = "new"
        if begun is not None:
            begun.state = "new"
        following = Following(net)
        tables, marks = following.along(tables_of(first, begun), [NO_MARKS])
        end = ending_of(net, as_tracked(net, tables))
        if end.refuses and not end.unless:
            continue  # no connection begins this way
        possible += _behind(into, following, marks)
    possible = unique(possible or [NO_MARKS], _key)
    for _ in range(ROUNDS):
        known = len(possible)
        for one, before in ways:
            following = Following(net)
            marks = following.behind_each(tables_of(one, before), possible)[-1]
            possible = unique(possible + _behind(into, following, marks), _key)
        if len(possible) == known:
            return possible
    raise TooManyError


def _behind(into: Following, following: Following, marks: list[Marks]) -> list[Marks]:
    """The marks of a connection after one packet of it; `into` is told which rules gave them."""
    for row in following.gave:
        if GIVES[row.get("action")] == OF_CONNECTION:
            into.take(row)
    return unique([mark_set.of_connection() for mark_set in marks], _key)


def _back(packet: Packet) -> Packet:
    other = packet.back()
    if packet.chain == "input":
        other.chain, other.ins, other.outs = OUTPUT, None, packet.ins
    elif packet.chain == OUTPUT:
        other.chain, other.ins, other.outs = "input", packet.outs, None
    return other


def _given(menu: Menu) -> dict[int, str]:
    """The mark that each rule gives, by its id: `packet-mark=x`."""
    rows = [(row, GIVES[row.get("action")]) for row in menu.on() if row.get("action") in GIVES]
    return {id(row): name + "=" + row.get("new-" + name) for row, name in rows}


def _key(marks: Marks) -> str:
    return marks.key


ASKS = {"connection-mark": "/ip/firewall/connection/print where connection-mark=",
        "packet-mark": "/ip/firewall/mangle/print stats where new-packet-mark=",
        "routing-mark": "/ip/firewall/mangle/print stats where new-routing-mark="}  # fmt: skip
"""The commands that show the packets of a mark."""


def mark_sentences(net: Network, packet: Packet, rows: list[Row]) -> list[str]:
    """The marks that rules ask for and that it has or may have, and by which line.

    Where it only may, the command that tells is named too.
    """
    sentences: list[str] = []
    for row in rows:
        for name in MARKS:
            value = row.get(name).lstrip("!")
            known = packet.marks_before(row)
            if not value or value in UNMARKED or known is None or value not in known[name]:
                continue
            sentence = _mark_sentence(net, packet, name, value, known[name] == [value])
            sentences += [sentence] if sentence not in sentences else []
    return sentences


def _mark_sentence(net: Network, packet: Packet, name: str, value: str, sure: bool) -> str:
    mark = name + "=" + value
    lines = f" ({either(named_places(net, packet.marked_by.get(mark, [])))})"
    if sure:
        return gettext("It has {mark}{lines}.").format(mark=mark, lines=lines)
    ask = ASKS[name] if packet.family == 4 else ASKS[name].replace("/ip/", "/ipv6/")
    text = gettext("It may have {mark}{lines}. Ask the router: {ask}.")
    return text.format(mark=mark, lines=lines, ask=spelled(net, ask + quoted(value)))


def routing_mark_sentences(
    net: Network, steps: list[Step], given: bool, fasttracked: str
) -> list[str]:
    """The table that a routing mark chooses, and which packets leave by the table main instead.

    `given`: whether it is said by which interface it leaves.
    """
    sentences = []
    for step in steps:
        value = step.row.get("new-routing-mark")
        if step.action != "mark-routing" or step.verdict == NO or value in UNMARKED:
            continue
        may = "" if step.verdict == YES and step.sure else "perhaps "
        table = f"the table {value} ({place_of(net, step.row.first)})"
        if fasttracked == YES:
            sentences.append(
                f"A fast-tracked packet bypasses mangle: it uses the main table, not {table}."
            )
            continue
        by = f"It is {may}routed by {table}"
        if fasttracked == PERHAPS:
            by += ", unless it is fast-tracked: then it uses the main table"
        if not given:
            by += ". The rules below assume the main table: add out= to be sure"
        sentences += [by + "."] if fasttracked == PERHAPS or not given else []
    return sentences
