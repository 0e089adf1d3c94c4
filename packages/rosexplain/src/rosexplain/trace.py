"""One packet, station by station and rule by rule."""

from __future__ import annotations

from typing import Any

from rosexplain import decide, matching, offload, secrets
from rosexplain.commands import quoted, spelled
from rosexplain.decide import Reason, Situation, way
from rosexplain.firewall import (
    ENDS,
    MOST_STATES,
    MOST_STEPS,
    NO,
    OUTPUT,
    PERHAPS,
    YES,
    Marking,
    Packet,
    Step,
    Walk,
    against,
    behind_raw,
    marking,
    stops,
    untracking,
    walk,
)
from rosexplain.language import N_, either, gettext, line_of
from rosexplain.network import (
    EVERY,
    MARKS,
    REFUSES,
    Network,
    as_number,
    dynamic,
    family_of,
    named_by,
    private,
    span,
    unique,
    within,
)
from rosexplain.parse import Command, Row
from rosexplain.selection import is_number
from rosexplain.traffic import ESTABLISHED, Traffic, rules_met_together

# ------------------------------------------------------------------------------------------------
# The tables and chains of the firewall that a packet meets, in their order.

Table = Any  # tuple[str, str, Packet]: a table, its chain, and the packet as it is there


def tables_of(packet: Packet, before: Packet | None = None) -> list[Table]:
    """The tables and chains that it meets, in their order (manual: Packet Flow).

    `before`: the packet as it came in, where its destination has been translated.
    """
    came = before or packet
    first = packet.state == "new"
    leaves = [("mangle", "postrouting", packet)]
    leaves += [("nat", "srcnat", packet)] if first else []
    if packet.chain == OUTPUT:
        tables = ("raw", "mangle", "filter")
        return [(table, OUTPUT, packet) for table in tables] + leaves
    met = [("raw", "prerouting", came), ("mangle", "prerouting", came)]
    met += [("nat", "dstnat", came)] if first else []
    if packet.chain == "input":
        return met + [("mangle", "input", packet), ("filter", "input", packet)]
    return met + [("mangle", "forward", packet), ("filter", "forward", packet)] + leaves


def as_tracked(net: Network, tables: list[Table]) -> list[Table]:
    """The tables with the packet as a notrack rule of raw leaves it: untracked, without NAT."""
    step = _left_untracked(net, tables)
    if step is None:
        return tables
    sure = step.verdict == YES
    return [
        (table, chain, there if table == "raw" else behind_raw(there, step))
        for table, chain, there in tables
        if table != "nat" or not sure
    ]


def untracked(net: Network, packet: Packet) -> bool:
    """Whether a rule of raw is sure to leave a packet untracked."""
    step = _left_untracked(net, tables_of(packet))
    return step is not None and step.verdict == YES


def _left_untracked(net: Network, tables: list[Table]) -> Step | None:
    table, chain, packet = tables[0]
    if table != "raw" or not net.firewall_of(packet.family).chains["raw"]:
        return None
    return untracking(walk(net, packet, table, chain))


# ------------------------------------------------------------------------------------------------
# The end of a packet, and the rules that only perhaps match it and would end it otherwise.

DECIDES = ENDS + ("jump", "return")
MOST_NAMED = 4
"""Lines that a sentence names; the rest are counted."""

DOES = {"accept": "accepts", "drop": "drops", "reject": "rejects", "tarpit": "tarpits",
        "return": "returns"}  # fmt: skip

Doubt = Any  # tuple[Row, str]: a rule that perhaps matches, and its action


class Ending:
    """`action`: how it ends if no rule matches that only perhaps does; `unless`: those rules."""

    def __init__(self, action: str = "accept") -> None:
        self.action = action
        self.table = ""
        """The table in which it is refused."""
        self.unless: list[Doubt] = []
        self.doubted: list[str] = []
        """The tables that have a rule which perhaps refuses it."""
        self.cut = False
        """Whether there were more rules than are followed."""

    @property
    def refuses(self) -> bool:
        """Whether it gets no further."""
        return self.action in REFUSES

    def words(self, net: Network) -> str:
        """`accept, unless line 28 drops it`."""
        if self.cut:
            return gettext("unknown: more than {count} rules").format(count=str(MOST_STEPS))
        if not self.unless:
            return self.action
        clauses: list[str] = []
        for action, does in DOES.items():
            lines = [place_of(net, row.first) for row, outcome in self.unless if outcome == action]
            more = len(lines) - MOST_NAMED
            lines = lines[:MOST_NAMED] + ([str(more) + " more"] if more > 0 else [])
            if lines:
                clauses.append(" or ".join(lines) + " " + does + (" it" if action in ENDS else ""))
        return self.action + ", unless " + ", or ".join(clauses)


def place_of(net: Network, command: Command) -> str:
    """`line 28`; with its file where there are several."""
    files = [export.file for export in net.exports]
    if files == [command.file]:
        return line_of(command.number)
    return command.place


def ending_of(net: Network, tables: list[Any]) -> Ending:
    """How it ends after these tables, each with its chain and the packet as it is there."""
    ending = Ending()
    for table, chain, packet in tables:
        way = walk(net, packet, table, chain)
        ending.cut = ending.cut or way.cut
        action, doubts = _outcome(way)
        if action in REFUSES:
            ending.action, ending.table = action, table
            ending.unless = [doubt for doubt in doubts if doubt[1] not in REFUSES]
            return ending
        doubts = [doubt for doubt in doubts if doubt[1] != "accept"]
        ending.unless += doubts
        ending.doubted += [table] if doubts else []
    return ending


def _outcome(way: Walk) -> tuple[str, list[Doubt]]:
    """The action that ends it if no rule matches that only perhaps does, and those rules."""
    doubts: list[Doubt] = []
    over: list[Step] = []  # jumps that are perhaps made, behind a rule that ends their chain
    for step in way.steps:
        action = "accept" if stops(step.row) else step.action
        if step.verdict == NO or action == "jump" or action not in DECIDES:
            continue
        jumps = [jump for jump in step.jumps if jump.verdict == PERHAPS]
        if [jump for jump in jumps if jump in over]:
            continue
        if step.verdict == YES and action == "return":
            continue
        if step.verdict == YES and not jumps:
            return action, unique(doubts, _doubted_row)
        doubts.append((step.row, action))
        if step.verdict == YES:
            over.append(jumps[0])
    return "", unique(doubts, _doubted_row)


def _doubted_row(doubt: Doubt) -> int:
    return id(doubt[0])


# ------------------------------------------------------------------------------------------------
# The marks that mangle gives a packet, followed rule by rule as far as its matchers are known.
#
# A packet's mark and a routing mark are its own; a connection's mark stays, so of a connection that
# is there already its first packet is followed too, in both directions (MikroTik's manual, Mangle).

OF_CONNECTION = MARKS[0]

GIVES = {"mark-connection": OF_CONNECTION, "mark-packet": MARKS[1], "mark-routing": MARKS[2]}
"""What each action of mangle gives."""

NO_MARK = ("no-mark", "main")
"""How a rule says that there is none."""

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
        values = dict(NO_MARKS.values)
        values[OF_CONNECTION] = self.values[OF_CONNECTION]
        return Marks(values)


NO_MARKS = Marks(dict.fromkeys(MARKS, ""))


class TooManyError(Exception):
    """More rules or combinations than are followed."""


class MarkWalk(Walk):
    """A packet's way through mangle with its marks; `at`: those it may have at rules that ask."""

    def __init__(
        self, net: Network, packet: Packet, verdicts: dict[tuple[int, str], str] | None = None
    ) -> None:
        """`verdicts`: of the rules that ask for no mark, where the same packet was followed."""
        super().__init__(net, packet, "mangle")
        self.verdicts = {} if verdicts is None else verdicts
        self.gave: list[Row] = []
        """The rules that gave a mark, or may have, each once."""
        self.at: dict[int, list[Marks]] = {}
        self._asking = net.firewall_of(packet.family).asking
        self._begins = ""
        self._gave: set[int] = set()

    def through(self, packet: Packet, chain: str, marks: list[Marks]) -> list[Marks]:
        """The marks behind a chain of mangle."""
        self.packet = packet.copied()
        self.packet.marks_at = {}
        self._begins = chain
        back, ended = self.chain(chain, marks)
        behind = self.distinct(back + ended)
        if len(behind) > MOST_STATES:
            raise TooManyError
        return behind

    def behind(self, tables: list[Table], marks: list[Marks]) -> list[list[Marks]]:
        """The marks behind each of the tables."""
        marks_behind: list[list[Marks]] = []
        for table, chain, there in tables:
            marks = self.through(there, chain, marks) if table == "mangle" else marks
            marks_behind.append(marks)
        return marks_behind

    def along(self, tables: list[Table], marks: list[Marks]) -> tuple[list[Table], list[Marks]]:
        """The tables with the packet's marks as they are there, and the marks behind them."""
        every = [marks] + self.behind(tables, marks)
        at = {key: _possible(self.at[key]) for key in self.at}
        by: dict[str, list[Row]] = {}
        for row in self.gave:
            name = GIVES[row.get("action")]
            by.setdefault(name + "=" + row.get("new-" + name), []).append(row)
        marked_tables: list[Table] = []
        for index in range(len(tables)):
            table, chain, there = tables[index]
            known = there.copied()
            known.marks, known.marks_at, known.marked_by = _possible(every[index]), at, by
            marked_tables.append((table, chain, known))
        return marked_tables, every[-1]

    def take(self, row: Row) -> None:
        """Note that a rule gave a mark."""
        if id(row) not in self._gave:
            self._gave.add(id(row))
            self.gave.append(row)

    def ask(
        self, row: Row, here: list[Marks], by: Step | None, sure: bool
    ) -> tuple[Step, list[Marks], list[Marks]]:
        """The step of a rule, the marks behind it where it matches, and those it does not match."""
        step = Step(self.net, row, by, NO, [], sure)
        asks = id(row) in self._asking
        if asks:
            self.at[id(row)] = self.distinct(self.at.get(id(row), []) + here)
        if step.action not in GIVES and step.action not in DECIDES and not stops(row):
            return step, [], here
        matched: list[Marks] = []
        left: list[Marks] = []
        key = (id(row), self._begins)
        verdict = "" if asks else self.verdicts.get(key, "")
        for marks in here:
            if asks or not verdict:
                self.packet.marks = {name: [marks.values[name]] for name in MARKS}
                verdict, _ = against(self.net, row, self.packet, self.packet.family)
                if not asks:
                    self.verdicts[key] = verdict
            if verdict != NO:
                matched.append(marks.given(row) if step.action in GIVES else marks)
            if verdict != YES:
                left.append(marks)
        if matched and step.action in GIVES:
            self.take(row)
        return step, matched, left

    def distinct(self, here: list[Marks]) -> list[Marks]:
        """The same marks, each combination once."""
        return unique(here, _key)

    def too_many(self) -> None:
        """TooManyError: all that asks for a mark is then perhaps matched."""
        raise TooManyError


def follow(net: Network, packet: Packet, tables: list[Table]) -> list[Table]:
    """The tables with the packet's marks as they are there; `packet` itself as filter sees it.

    Where no rule asks for a mark, or too many decide about them, all is as it was.
    """
    if not net.firewall_of(packet.family).asking:
        return tables
    following = MarkWalk(net, packet)
    try:
        return _seen(packet, following, tables, _at_first(following, packet, tables[0][2]))
    except TooManyError:
        return tables


def _seen(
    packet: Packet, following: MarkWalk, tables: list[Table], marks: list[Marks]
) -> list[Table]:
    """The tables with the packet's marks there, when it has those of `marks` that it comes with."""
    marked_tables, _ = following.along(tables, marks)
    # What is for nobody is not seen to come to filter.
    at_filter = ([there for table, _, there in marked_tables if table == "filter"]
                 or [marked_tables[-1][2]])[-1]  # fmt: skip
    packet.marks, packet.marks_at = at_filter.marks, at_filter.marks_at
    packet.marked_by = at_filter.marked_by
    return marked_tables


def both_ways(net: Network, packet: Packet) -> list[Packet]:
    """The packets of a connection that is there, and those that answer them, with their marks."""
    both = [packet.copied(), _back(packet)]
    if not net.firewall_of(packet.family).marks_decide:
        return both
    following = MarkWalk(net, packet)
    try:
        marks = _at_first(following, packet, packet)
        for one in both:
            own = MarkWalk(net, one)
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


def _at_first(into: MarkWalk, packet: Packet, came: Packet) -> list[Marks]:
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
        following = MarkWalk(net, first)
        tables, marks = following.along(tables_of(first, begun), [NO_MARKS])
        end = ending_of(net, as_tracked(net, tables))
        if end.refuses and not end.unless:
            continue  # no connection begins this way
        possible += _behind(into, following, marks)
    possible = unique(possible or [NO_MARKS], _key)
    verdicts: list[dict[tuple[int, str], str]] = [{} for _ in ways]
    for _ in range(ROUNDS):
        known = len(possible)
        for number, (one, before) in enumerate(ways):
            following = MarkWalk(net, one, verdicts[number])
            marks = following.behind(tables_of(one, before), possible)[-1]
            possible = unique(possible + _behind(into, following, marks), _key)
        if len(possible) == known:
            return possible
    raise TooManyError


def _behind(into: MarkWalk, following: MarkWalk, marks: list[Marks]) -> list[Marks]:
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


def _possible(marks: list[Marks]) -> dict[str, list[str]]:
    """The values that each mark may have."""
    values: dict[str, list[str]] = {name: [] for name in MARKS}
    for mark_set in marks:
        for name in MARKS:
            if mark_set.values[name] not in values[name]:
                values[name].append(mark_set.values[name])
    return values


def _key(marks: Marks) -> str:
    return marks.key


# ------------------------------------------------------------------------------------------------
# Sentences about a packet's marks: which it has, by which line, and the effect of a routing mark.

ASKS = {"connection-mark": "/ip/firewall/connection/print where connection-mark=",
        "packet-mark": "/ip/firewall/mangle/print stats where new-packet-mark=",
        "routing-mark": "/ip/firewall/mangle/print stats where new-routing-mark="}  # fmt: skip
"""What tells whether packets get a mark."""


def mark_sentences(net: Network, packet: Packet, rows: list[Row]) -> list[str]:
    """The marks that rules ask for and that it has or may have, and by which line.

    Where it only may, the command that tells is named too.
    """
    sentences: list[str] = []
    for row in rows:
        for name in MARKS:
            value = row.get(name).lstrip("!")
            known = packet.marks_before(row)
            if not value or value in NO_MARK or known is None or value not in known[name]:
                continue
            sentence = _mark_sentence(net, packet, name, value, known[name] == [value])
            sentences += [sentence] if sentence not in sentences else []
    return sentences


def _mark_sentence(net: Network, packet: Packet, name: str, value: str, sure: bool) -> str:
    places = [place_of(net, row.first) for row in packet.marked_by.get(name + "=" + value, [])]
    more = len(places) - MOST_NAMED
    by = places[:MOST_NAMED] + ([str(more) + " more"] if more > 0 else [])
    lines = " (" + either(by) + ")"
    if sure:
        return gettext("It has {mark}{lines}.").format(mark=name + "=" + value, lines=lines)
    ask = ASKS[name] if packet.family == 4 else ASKS[name].replace("/ip/", "/ipv6/")
    ask = spelled(net, ask + quoted(value))
    text = gettext("It may have {mark}{lines}. Ask the router: {ask}.")
    return text.format(mark=name + "=" + value, lines=lines, ask=ask)


def routing_mark_sentences(
    net: Network, steps: list[Step], given: bool, fasttracked: str
) -> list[str]:
    """The table that a routing mark chooses, and which packets leave by the table main instead.

    `given`: whether it is said by which interface it leaves.
    """
    sentences = []
    for step in steps:
        value = step.row.get("new-routing-mark")
        if step.action != "mark-routing" or step.verdict == NO or value in NO_MARK:
            continue
        may = "" if step.verdict == YES and step.sure else "perhaps "
        line = " (" + place_of(net, step.row.first) + ")"
        table = "the table " + value + line
        by = "routed by " + table
        if fasttracked == YES:
            text = "A fast-tracked packet bypasses mangle: it uses the main table, not "
            sentences.append(text + table + ".")
            continue
        if fasttracked == PERHAPS:
            by += ", unless it is fast-tracked: then it uses the main table"
        if given:
            sentences += ["It is " + may + by + "."] if fasttracked == PERHAPS else []
            continue
        text = "It is " + may + by + ". The rules below assume the main table: "
        sentences.append(text + "add out= to be sure.")
    return sentences


# ------------------------------------------------------------------------------------------------
# Sentences about empty interface lists, for which a rule matches no packet, or every one.


def empty_list_sentences(net: Network, packet: Packet, rows: list[Row]) -> list[str]:
    """What is so with each empty list that rules name, and the command that would change it."""
    none: dict[str, list[str]] = {}
    every: dict[str, list[str]] = {}
    ends: dict[str, list[str] | None] = {}
    for row in rows:
        for word, name in named_by(row):
            if name in net.empty_lists:
                lines = (every if row.get(word)[0] == "!" else none).setdefault(name, [])
                place = place_of(net, row.first)
                lines += [] if place in lines else [place]
                ends[name] = packet.ins if word[0] == "i" else packet.outs
    sentences = []
    for name, at in ends.items():
        clauses = []
        if name in none:
            clauses.append("no packet matches " + _listed(none[name]))
        if name in every:
            clauses.append("every packet matches !" + name + " in " + _listed(every[name]))
        end = at[0] if at is not None and len(at) == 1 else "INTERFACE"
        change = "/interface/list/member/add list=" + quoted(name) + " interface="
        change = spelled(net, change + quoted(end))
        start = "The interface list " + name + " has no members, so " + " and ".join(clauses)
        sentences.append(start + ". To change that: " + change)
    return sentences


def _listed(lines: list[str]) -> str:
    more = len(lines) - MOST_NAMED
    return ", ".join(lines[:MOST_NAMED] + (["and " + str(more) + " more"] if more > 0 else []))


# ------------------------------------------------------------------------------------------------
# A packet's destination: the router itself, out by an interface, or nowhere.

ASKS_FOR_ADDRESS = {4: "/ip/dhcp-client", 6: "/ipv6/dhcp-client"}
BY_SESSION = ("pppoe-client", "l2tp-client", "pptp-client", "sstp-client", "ovpn-client", "lte")
"""Interfaces that the other end gives an address."""


class Never:
    """A kind of destination that is never forwarded, and the standard that says so."""

    def __init__(self, network: str, kind: str, source: str) -> None:
        self.network = network
        self.kind = kind
        self.source = source
        self.nowhere = kind == "loopback"
        """Whether not even the router itself takes it from outside."""
        self.ask = ("/ipv6" if ":" in network else "/ip") + "/firewall/filter/print stats"

    def sentence(self, net: Network) -> str:
        """The rule in a sentence."""
        text = "The destination is a " + self.kind + " address, which no router may forward ("
        text += self.source
        if self.nowhere:
            ask = spelled(net, self.ask)
            return text + "). " + ask + " shows whether a rule matches it first."
        return text + "). The rules below apply if the address is the router's own."

    def ended(self, words: str) -> str:
        """How it ends, after what the rules for the router itself make of it."""
        if self.nowhere:
            return gettext("not forwarded")
        text = gettext("not forwarded; if the address is the router's own: {words}")
        return text.format(words=words)


NEVER = (
    Never("127.0.0.0/8", "loopback", "RFC 1122, 3.2.1.3"),
    Never("::1/128", "loopback", "RFC 4291, 2.5.3"),
    Never("169.254.0.0/16", "link-local", "RFC 3927, 2.7"),
    Never("fe80::/10", "link-local", "RFC 4291, 2.5.6"),
)


def never_forwarded(packet: Packet) -> Never | None:
    """The kind of its destination, where that is never forwarded."""
    if not packet.dst:
        return None
    for kind in NEVER:
        own = family_of(kind.network) == packet.family
        if own and within(packet.dst[0], span(kind.network)):
            return kind
    return None


def place(net: Network, packet: Packet) -> None:
    """Find out whither it goes: to the router itself, or out by which interface."""
    if not packet.dst:
        return
    own, outs = _looked_up(net, packet)
    if packet.chain == OUTPUT:
        packet.outs = packet.outs or ([] if own else outs or net.wan or None)
    elif own or never_forwarded(packet):
        packet.chain, packet.outs = "input", None
    elif packet.outs is None:
        packet.outs = outs or net.wan or None


def _looked_up(net: Network, packet: Packet) -> tuple[bool, list[str]]:
    """Whether its destination is an address of the router, and in whose network it is, if any."""
    outs: list[str] = []
    if not packet.dst:
        return False, outs
    to = packet.dst[0]
    best = -1
    for row in net.rows.of(("/ip" if packet.family == 4 else "/ipv6") + "/address"):
        if row.says("from-pool"):
            continue  # its network is what the provider gives
        address, _, length = row.get("address").partition("/")
        try:
            if as_number(address) == to[0] == to[1] and row.get("eui-64") != "yes":
                return True, outs
            if within(to, span(row.get("address"))) and int(length or "128") > best:
                best, outs = int(length or "128"), [row.get("interface")]
        except ValueError:
            continue
    return False, outs


def in_a_network(net: Network, packet: Packet) -> bool:
    """Whether its destination is in a network that an address of the router names."""
    return bool(_looked_up(net, packet)[1])


def dynamic_interface(net: Network, packet: Packet) -> str:
    """The interface that a packet comes in by, where its destination may be what that was given.

    Empty where it cannot: the destination is in a network that the export names, or is not known.
    """
    if not packet.dst or packet.chain != "forward" or not packet.ins:
        return ""
    if in_a_network(net, packet):
        return ""
    dynamic_names = [row.get("interface") for row in net.rows.of(ASKS_FOR_ADDRESS[packet.family])]
    dynamic_names += [name for name, kind in net.kinds.items() if kind in BY_SESSION]
    name = packet.ins[0]
    return name if len(packet.ins) == 1 and name in dynamic_names else ""


# ------------------------------------------------------------------------------------------------
# A packet's interfaces: as they are asked about, and as the IP firewall sees them.
#
# A frame that comes in by a port of a bridge comes in by the bridge for the IP firewall: the port
# is what the matcher `in-bridge-port` is for (MikroTik's manual, Common Firewall Matchers and
# Actions).

FACTORY = ("ether", "sfp", "sfp-sfpplus", "sfpplus", "qsfp", "qsfpplus", "combo", "wlan", "wifi",
           "lte")  # fmt: skip
"""What the names of ports begin with that a router has of itself, and a compact export omits."""

KIND = 2
"""Slashes in the menu of a kind of interface, as /interface/vlan."""

NAMES = ("interface", "in-interface", "out-interface", "slaves")
"""Words of a row that name an interface."""

NO_INTERFACES = ("", EVERY, "none", "dynamic", "static", "all-ethernet", "all-ppp", "all-vlan",
                 "all-wireless")  # fmt: skip
MOST_INTERFACES = 12


class NoInterfaceError(ValueError):
    """A packet's interface that the export does not have; `known`: those that it names."""

    def __init__(self, name: str, known: list[str], why: str = "") -> None:
        more = len(known) - MOST_INTERFACES
        there = ", ".join(known[:MOST_INTERFACES]) + (
            " and " + str(more) + " more" if more > 0 else ""
        )
        text = "no interface '" + name + "' in the export"
        super().__init__(why or text + (": it has " + there if there else ""))
        self.name = name
        self.known = known


class Entered:
    """A packet with its interfaces as the IP firewall sees them; `says`: what that changes.

    `in_port`, `out_port`: the port of a bridge or a bond that was asked for, else empty.
    """

    def __init__(self, net: Network, packet: Packet) -> None:
        self.net = net
        self.says: list[str] = []
        self.in_port = self.out_port = ""
        self.given = packet.outs is not None
        if packet.ins or packet.outs:
            self._checked((packet.ins or []) + (packet.outs or []))
        if packet.ins:
            self.in_port, packet.ins = self._seen(packet.ins[0], packet, True)
        if packet.outs:
            self.out_port, packet.outs = self._seen(packet.outs[0], packet, False)

    def _checked(self, names: list[str]) -> None:
        """NoInterfaceError where one is neither named in the export nor a port's name by birth."""
        if self.net.known_interfaces is None:
            self.net.known_interfaces = known_interfaces(self.net)
        known, renamed = self.net.known_interfaces
        for name in names:
            if name in known or (dynamic(name) and self.net.sessions):
                continue
            if name in renamed:
                why = "'" + name + "' is called '" + renamed[name] + "' in the export"
                raise NoInterfaceError(name, known, why)
            if self.net.lists.get(name):
                members = ", ".join(self.net.lists[name][:MOST_INTERFACES])
                why = "'" + name + "' is an interface list: name a member (" + members + ")"
                raise NoInterfaceError(name, [], why)
            if name != "lo" and (name[-1:] not in "0123456789" or _stem(name) not in FACTORY):
                raise NoInterfaceError(name, known)
            self.says.append(
                name + " is not in the export: it is treated as a port outside all bridges and "
                "lists."
            )

    def _seen(self, name: str, packet: Packet, comes_in: bool) -> tuple[str, list[str]]:
        """The port, empty where it is none, and the interfaces that the firewall may see."""
        above = above_of(self.net, name)
        if above == name:
            return "", [name]
        vlans = [row.name for row in self.net.rows.of("/interface/vlan")
                 if row.get("interface") == above]  # fmt: skip
        may = [above] + vlans
        ends = packet.src if comes_in else packet.dst
        own = _connected(self.net, may, ends[0] if ends else None, packet.family)
        seen = own or may
        way = "arrives on" if comes_in else "leaves through"
        text = "It " + way + " " + name + ", a port of " + above + ": the IP firewall sees "
        text += " or ".join(seen)
        if len(seen) > 1:
            text += ", depending on the frame's VLAN (name one of them to be sure)"
        self.says.append(text + ".")
        return name, seen

    def leaving(self, outs: list[str] | None) -> list[str] | None:
        """The interfaces that it leaves by: an address may stand on a port of a bridge."""
        if self.given or outs is None:
            return outs
        seen = [above_of(self.net, name) for name in outs]
        for index in range(len(outs)):
            if seen[index] != outs[index]:
                text = "It leaves through " + outs[index] + ", a port of " + seen[index]
                self.says.append(text + ": the IP firewall sees " + seen[index] + ".")
        return unique(seen)

    def stays_in_bridge(self, packet: Packet) -> bool:
        """Whether the bridge forwards it from port to port: it never gets to the router."""
        there = self.given or in_a_network(self.net, packet)
        if packet.chain != "forward" or not self.in_port or packet.ins != packet.outs:
            return False
        ins = packet.ins or []
        return there and len(ins) == 1 and bool(self.net.bridges_below(ins))

    def bridged_in_firewall(self) -> bool:
        """Whether the bridge asks the IP firewall."""
        row = self.net.rows.single("/interface/bridge/settings")
        return row is not None and row.get("use-ip-firewall") == "yes"

    def bridged_sentence(self, packet: Packet) -> str:
        """What becomes of a frame that stays in its bridge."""
        bridge = self.net.bridges_below(packet.ins or [])[0]
        text = "Its destination is behind the same bridge: " + bridge + " forwards it "
        if self.bridged_in_firewall():
            return text + "and applies the IP firewall (use-ip-firewall=yes)."
        return text + "without the IP firewall (use-ip-firewall is not yes)."


def _stem(name: str) -> str:
    """`sfp-sfpplus` of `sfp-sfpplus12`, `qsfp` of `qsfp28-1-1`."""
    return name.rstrip("0123456789-")


def above_of(net: Network, name: str) -> str:
    """The bond or the bridge of a port; a bond's bridge where it is in one."""
    for _ in range(4):
        above = net.bridge_of.get(name, "")
        for member in net.bridge_of:  # a list of interfaces may be a port too
            if not above and name in net.lists.get(member, []):
                above = net.bridge_of[member]
        for row in net.rows.of("/interface/bonding"):
            if not above and name in row.get("slaves").split(","):
                above = row.name
        if not above:
            break
        name = above
    return name


def _connected(
    net: Network, names: list[str], to: tuple[int, int] | None, family: int
) -> list[str]:
    """Those of some interfaces in whose network an address is."""
    connected: list[str] = []
    if to is None:
        return connected
    for row in net.rows.of(("/ip" if family == 4 else "/ipv6") + "/address"):
        try:
            if row.get("interface") in names and within(to, span(row.get("address"))):
                connected.append(row.get("interface"))
        except ValueError:
            continue
    return unique(connected)


def known_interfaces(net: Network) -> tuple[list[str], dict[str, str]]:
    """Every interface that the exports name, and the ports that they rename, by their old name."""
    names: list[str] = []
    renamed: dict[str, str] = {}
    for path in net.rows.menus:
        kind = path.startswith("/interface/") and path.count("/") == KIND
        own = (kind and path != "/interface/list") or path.endswith("/interface")
        for row in net.rows.all_of(path):
            if own and row.name != "*" and not is_number(row.name):
                names.append(row.name)
                if row.get("default-name") != row.name:
                    renamed[row.get("default-name")] = row.name
            for word in NAMES:
                for name in row.get(word).lstrip("!").split(","):
                    # A list may be a port of a bridge, and is no interface.
                    is_list = path == "/interface/bridge/port" and name in net.lists
                    names.append("" if is_list else name)
            if path.endswith("/route"):
                gateway = row.get("gateway").rpartition("%")[2]
                names.append("" if "." in gateway or ":" in gateway else gateway)
    names = [name for name in unique(names) if name not in NO_INTERFACES]
    return names, {old: new for old, new in renamed.items() if old not in names}


# ------------------------------------------------------------------------------------------------
# NAT: a packet's destination behind the rules of dstnat, its source behind those of srcnat.

TRANSLATES = ("dst-nat", "redirect", "netmap", "src-nat", "masquerade", "same",
              "endpoint-independent-nat")  # fmt: skip
TRANSLATED_STATES = ("new", "established", "related")
MAKES_RULES = ("/ip/upnp", "/ip/nat-pmp")
"""What creates dynamic rules of dstnat where it is enabled (MikroTik's manual, NAT-PMP)."""


class Translated:
    """The packet as a rule of dstnat makes it; `sure`: the rule matches all that come to it."""

    def __init__(self, row: Row, sure: bool, packet: Packet, to: str) -> None:
        self.row = row
        self.sure = sure
        self.packet = packet
        self.to = to

    @staticmethod
    def ends(action: str) -> bool:
        """Whether a rule of NAT with this action is the last one that a packet meets."""
        return action in TRANSLATES or action == "accept"

    def sentence(self, net: Network, came: Packet) -> str:
        """What was translated, and by which line."""
        where = place_of(net, self.row.first)
        if came.state == "new":
            return "The destination is translated to " + self.to + " (" + where + ")."
        text = "The destination is translated to " + self.to + ", like that of the first packet of "
        return text + "its connection (" + where + ")."

    def condition(self, net: Network) -> str:
        """`line 12 translates it to 192.168.1.10`."""
        return place_of(net, self.row.first) + " translates it to " + self.to


def translations(net: Network, packet: Packet) -> list[Translated]:
    """What may become of its destination, by the rules in their order; the last may be sure.

    NAT matches the first packet of a connection alone, and does the same to the others
    (MikroTik's manual, NAT): of a connection that is there already, the first is asked about.
    """
    first = packet.copied()
    first.state = "new"
    there = [known for _, chain, known in follow(net, first, tables_of(first)) if chain == "dstnat"]
    candidates: list[Translated] = []
    for step in _met(net, there[0], "dstnat"):
        sure = step.verdict == YES and step.sure
        if step.action in TRANSLATES:
            translated, to = _translated_by(net, packet, step.row)
            candidates.append(Translated(step.row, sure, translated, to))
        if sure:
            break
    return candidates


def _met(net: Network, packet: Packet, chain: str) -> list[Step]:
    """The rules of a chain of NAT that a packet meets, or may, and that end its way there."""
    steps = walk(net, packet, "nat", chain).steps
    return [step for step in steps if step.verdict != NO and Translated.ends(step.action)]


def _translated_by(net: Network, packet: Packet, row: Row) -> tuple[Packet, str]:
    """The packet behind a rule that translates it, and its destination in words."""
    translated = packet.copied()
    translated.nat = ["dstnat"]
    port = row.get("to-ports")
    if not secrets.shows(row.menu.path, "to-ports", port):
        port = ""
    if port:
        translated.dst_port = int(port) if is_number(port) else None
    if row.get("action") == "redirect":
        translated.chain, translated.dst, translated.outs = "input", None, None
        return translated, "the router itself" + (", port " + port if port else "")
    text = row.get("to-addresses") or row.get("to-address")
    to = None
    if text:
        translated.dst_internet = False
        try:
            to = span(text)
        except ValueError:
            text = ""
        translated.dst = [_within_map(row, packet, to)] if to else None
    translated.chain, translated.outs = "forward", None
    place(net, translated)
    if translated.outs:
        translated.outs = [above_of(net, name) for name in translated.outs]
    if not text or not to or not private(to, packet.family):
        # A public address may have to be struck out where the answer is shown.
        text = "the address that it names" if text else "the same address"
    return translated, text + (", port " + port if port else "")


def _within_map(row: Row, packet: Packet, to: tuple[int, int]) -> tuple[int, int]:
    """Netmap keeps an address's place in its network; all else may take any of the range."""
    if row.get("action") != "netmap" or not packet.dst:
        return to
    try:
        of = span(row.get("dst-address"))
    except ValueError:
        return to
    begin = to[0] + packet.dst[0][0] - of[0]
    one = packet.dst[0][0] == packet.dst[0][1] and of[1] - of[0] == to[1] - to[0]
    return (begin, begin) if one and to[0] <= begin <= to[1] else to


def named(net: Network, packet: Packet, perhaps: bool, says: list[str]) -> list[str] | None:
    """The NAT states that a packet may have which no rule of dstnat translates for certain."""
    makers = [path for path in MAKES_RULES if _enabled(net, path)]
    from_wan = not packet.ins or [name for name in packet.ins if name in net.wan]
    if packet.state not in TRANSLATED_STATES:
        return None
    if makers and from_wan:
        says.append(
            makers[0] + " is enabled and adds dstnat rules that an export does not show. Ask the "
            "router: " + spelled(net, "/ip/firewall/nat/print where dynamic")
        )
        return None
    if packet.state == "new":
        return ["none"]
    if perhaps or net.firewall_of(packet.family).chains["nat"].get("dstnat"):
        return None  # it may be an answer of a connection that was translated
    return ["none", "srcnat"]


def answer_sentences(net: Network, packet: Packet) -> list[str]:
    """That the answers of translated connections are not for the router, though they look so."""
    nat = net.firewall_of(packet.family).chains["nat"].get("srcnat")
    from_wan = not packet.ins or [name for name in packet.ins if name in net.wan]
    if (
        packet.chain != "input"
        or packet.state not in TRANSLATED_STATES[1:]
        or not nat
        or not from_wan
    ):
        return []
    return [
        gettext(
            "If it is a reply in a connection with source NAT, its destination is translated back "
            "and it is forwarded. For that case, give the host's address as dst=."
        )
    ]


def _enabled(net: Network, path: str) -> bool:
    row = net.rows.single(path)
    return row is not None and row.get("enabled") == "yes"


def source_sentences(net: Network, packet: Packet) -> list[str]:
    """What the rules of srcnat make of its source, where it is the first of its connection."""
    if packet.state != "new":
        return []
    for step in _met(net, packet, "srcnat"):
        where = place_of(net, step.row.first)
        sure = step.verdict == YES and step.sure
        if step.action in TRANSLATES:
            text = gettext("The source may be translated: {action} ({where}).")
            if sure:
                text = gettext("The source is translated: {action} ({where}).")
            return [text.format(action=step.action, where=where)]
        if sure:
            return []
    return []


# ------------------------------------------------------------------------------------------------
# The switch chip's routing, of which no rule of the firewall sees a packet.

ALL, SOME, NONE = "all", "some", "none"
"""Of the packets that are as the one that was asked about: those that the chip routes."""

BY_CHIP = N_("routed by the switch chip, which bypasses all rules")


def routed(net: Network, packet: Packet) -> str:
    """Which of such packets the chip routes: ALL, SOME where that depends, or NONE."""
    traffic = Traffic("packet", "the packet", ESTABLISHED, packet.family)
    traffic.packet = packet
    both = [marking(net, one) for one in (packet, answering(net, packet))]
    routes = [mode.chip == offload.ROUTES for mode in offload.modes(net, traffic, both)]
    if not any(routes):
        return NONE
    return ALL if all(routes) else SOME


def ended(by_chip: str, words: str) -> str:
    """How it ends in words, where the firewall would end it as `words` say."""
    chip = gettext(BY_CHIP)
    some = gettext("{one}; or {other}").format(one=words, other=chip)
    return {ALL: chip, SOME: some, NONE: words}[by_chip]


# ------------------------------------------------------------------------------------------------
# FastTrack of a packet's connection, decided as for a class of packets.

TRACKED = ("established", "related")


def fasttracked(net: Network, packet: Packet) -> tuple[str, str]:
    """Yes, no or perhaps, and why where that is not plain from the rules."""
    if packet.protocols[0] not in ("tcp", "udp") or packet.state not in TRACKED:
        return NO, ""
    if not matching.has_fasttrack(net.base, net.numbers, packet.family):
        return NO, ""
    # One direction of a connection is enough to mark it, for both.
    own, other = [marking(net, one) for one in (packet, answering(net, packet))]
    if not own.there:
        return NO, ""
    untracked = [direction.untracked.verdict for direction in (own, other) if direction.untracked]
    if YES in untracked:
        lines = [direction.untracked.row.first for direction in (own, other) if direction.untracked]
        return NO, _because(net, Reason("", "not-tracked", lines, ""))
    answers = [own.answer, other.answer]
    answer = YES if YES in answers else PERHAPS if PERHAPS in answers else NO
    if answer == NO:
        return NO, ""
    closed = _closed(net, packet, [own, other])
    if closed is not None:
        return NO, _because(net, closed)
    if untracked:
        return PERHAPS, ""
    return answer, _by_answers(net, own, other)


def _closed(net: Network, packet: Packet, markings: list[Marking]) -> Reason | None:
    """What keeps a connection out of FastTrack that its rule marks; None: nothing."""
    traffic = Traffic("packet", "the packet", ESTABLISHED, packet.family)
    traffic.packet = packet
    rules = {rule["id"]: rule for rule in net.base["rules"]}
    in_force = [rule for rule in net.base["rules"] if matching.in_force(rule, net.numbers)]
    met: dict[str, list[Command]] = {}
    for name, row in matching.rows_that_meet(in_force, net.rows):
        words = [word for word in rules[name]["where"] if row.says(word)]
        met.setdefault(name, []).append(row.command(words[0]) if words else row.first)
    for name, lines in rules_met_together(net, markings):
        met[name] = met.get(name, []) + lines
    situation = Situation(net, met, rules, markings)
    inputs = situation.inputs(traffic, situation.features(traffic))
    inputs["fasttrack"], inputs["accepted"] = True, False
    path, reasons, _ = way(situation, traffic, inputs, markings)
    return None if path == decide.FASTTRACK else reasons[0]


def _because(net: Network, reason: Reason) -> str:
    decides = [rule["decides"] for rule in net.base["rules"] if rule["id"] == reason.rule]
    says = str(decides[0] if decides else net.base["facts"][reason.fact]["says"])
    lines = [place_of(net, line) for line in reason.lines[:1]]
    says += "".join([" (" + line + ")" for line in lines])
    return gettext("Not fast-tracked: {says}").format(says=says)


def _by_answers(net: Network, own: Marking, other: Marking) -> str:
    """Where only the packets of the other direction meet the rule."""
    if own.answer == YES or other.answer == NO or other.by is None:
        return ""
    rule = place_of(net, other.by.first)
    text = gettext("Reply packets may mark the connection for both directions ({rule}).")
    if other.answer == YES:
        text = gettext("Reply packets mark the connection for both directions ({rule}).")
    return text.format(rule=rule)


# ------------------------------------------------------------------------------------------------
# One packet's trace through the firewall, rule by rule: `--packet "dst=1.1.1.1:443/tcp"`.
#
# What the export leaves open makes several cases of a packet: whether a rule translates it, whether
# an address is the router's own.  The first case is shown rule by rule, the others by their end.

MOST_SHOWN = 400
BEFORE = ("prerouting", "dstnat")
"""Chains that every packet from outside comes to, whithersoever it goes."""
BRIDGED, NOWHERE = "bridged", "not forwarded"


StepAt = Any  # tuple[Step, str, bool]: a rule, its table, and whether it gets there for certain


class Case:
    """One way that a packet may take: `if_` says when it does, empty for the one that is shown."""

    def __init__(self, if_: str, packet: Packet, tables: list[Table]) -> None:
        self.if_ = if_
        self.packet = packet
        self.tables = tables


def walked(net: Network, packet: Packet) -> dict[str, Any]:
    """What `followed` says of a packet."""
    return followed(net, packet)[0]


def followed(net: Network, packet: Packet) -> tuple[dict[str, Any], Packet]:
    """Every rule that a packet is asked by, and what becomes of it; and the packet behind NAT.

    ValueError: no such interface.

    `ended` says how in words; `end` and `unless` are the same as data: an action, and the rules
    that perhaps match and would end it otherwise; `chip`: what the switch chip routes beforehand.
    """
    entry = Entered(net, packet)
    says = entry.says
    place(net, packet)
    packet.outs = entry.leaving(packet.outs)
    if entry.stays_in_bridge(packet) and not _translated(net, packet):
        says.append(entry.bridged_sentence(packet))
        if not entry.bridged_in_firewall():
            return _answer(entry, packet, [], Ending(BRIDGED), NO), packet
    never = never_forwarded(packet) if packet.chain != OUTPUT else None
    if never:
        says.append(never.sentence(net))
        # What is for nobody is not seen to come to the chain for the router itself.
        cases = [Case("", packet, tables_of(packet)[: 2 if never.nowhere else None])]
    else:
        cases = _cases(net, packet, says, entry.given)
    for case in cases:
        case.tables = as_tracked(net, follow(net, case.packet, case.tables))
    first = cases[0]
    end = ending_of(net, first.tables)
    steps = _steps(net, first.tables, end, len(cases) > 1)
    says += empty_list_sentences(net, first.packet, [step.row for step, _, _ in steps])
    says += mark_sentences(net, first.packet, [step.row for step, _, _ in steps])
    marked, why = NO, ""
    if first.packet.chain == "forward" and not (end.refuses and not end.unless):
        marked, why = fasttracked(net, first.packet)
        marked = PERHAPS if end.refuses and marked == YES else marked
    says += routing_mark_sentences(net, [step for step, _, _ in steps], entry.given, marked)
    says += [why] if why else []
    if first.packet.chain in ("forward", OUTPUT) and not (end.refuses and not end.unless):
        says += source_sentences(net, first.tables[-1][2])
    answer = _answer(entry, first.packet, steps, end, marked)
    if first.packet.chain == "forward":
        answer["chip"] = routed(net, first.packet)
    answer["ended"] = ended(answer["chip"], end.words(net))
    if answer["chip"] == ALL:
        answer["fasttrack"] = NO
    if never:
        answer["ended"] = never.ended(end.words(net))
        answer["end"] = NOWHERE if never.nowhere else end.action
    for case in cases[1:]:
        other = ending_of(net, case.tables)
        answer["others"].append(
            {"if": case.if_, "chain": case.packet.chain, "ended": other.words(net)}
        )
        if other.words(net) != end.words(net):
            answer["ended"] += "; or " + other.words(net) + ", if " + case.if_
    return answer, first.packet


def _answer(
    entry: Entered, packet: Packet, steps: list[StepAt], end: Ending, marked: str
) -> dict[str, Any]:
    return {
        "chain": BRIDGED if end.action == BRIDGED else packet.chain,
        "family": packet.family,
        "in": packet.ins or [],
        "out": packet.outs or [],
        "ports": [port for port in (entry.in_port, entry.out_port) if port],
        "says": entry.says,
        "steps": _shown(steps[:MOST_SHOWN]),
        "left": max(0, len(steps) - MOST_SHOWN),
        "ended": end.action,
        "end": end.action,
        "unless": [
            {"file": row.first.file, "line": row.first.number, "action": action}
            for row, action in end.unless
        ],
        "others": [],
        "fasttrack": marked,
        "chip": NONE,
    }


def _translated(net: Network, packet: Packet) -> list[Translated]:
    comes_in = packet.chain != OUTPUT
    if comes_in and untracked(net, packet):
        return []  # NAT is of connections
    return translations(net, packet) if comes_in and packet.state in TRANSLATED_STATES else []


def _cases(net: Network, packet: Packet, says: list[str], out_given: bool) -> list[Case]:
    """The cases that are possible, the first as if no rule matched that only perhaps does."""
    candidates = _translated(net, packet)
    sure = [translation for translation in candidates if translation.sure]
    cases = [
        Case("", translation.packet, tables_of(translation.packet, packet)) for translation in sure
    ]
    for translation in sure:
        says.append(translation.sentence(net, packet))
    if not sure:
        rest = packet.copied()
        rest.nat = named(net, packet, bool(candidates), says)
        cases.append(Case("", rest, tables_of(rest, packet)))
        by = "" if out_given else dynamic_interface(net, rest)
        if by:
            own = rest.copied()
            own.chain, own.outs = "input", None
            says.append(
                "The address is in no network of the export. " + by + " has a dynamic address that "
                "the export does not show, so the rules below are for the router's own address."
            )
            case = Case("the address is not the router's own", rest, cases[0].tables)
            cases = [Case("", own, tables_of(own, packet)), case]
        says += answer_sentences(net, cases[0].packet)
    for translation in candidates:
        if not translation.sure:
            cases.append(
                Case(
                    translation.condition(net),
                    translation.packet,
                    tables_of(translation.packet, packet),
                )
            )
    return cases


def _steps(net: Network, tables: list[Table], end: Ending, several: bool) -> list[StepAt]:
    """The rules that it is asked by, up to the one that ends it for certain.

    `several`: there are other cases, which come to other rules once NAT has been asked.
    """
    steps: list[StepAt] = []
    doubt = False
    for table, chain, packet in tables:
        if several and chain not in BEFORE:
            doubt = True
        for step in _up_to_translation(table, walk(net, packet, table, chain).steps):
            steps.append((step, table, step.sure and not doubt))
            if table == "nat" and step.verdict == PERHAPS and Translated.ends(step.action):
                doubt = True
        doubt = doubt or table in end.doubted or table == end.table
        if table == end.table and not end.unless:
            break
    return steps


def _shown(steps: list[StepAt]) -> list[dict[str, Any]]:
    return [
        {
            "table": table,
            "chain": step.row.get("chain"),
            "verdict": step.verdict,
            "why": step.why,
            "action": step.action,
            "sure": sure,
            "command": step.row.first,
        }
        for step, table, sure in steps
    ]


def _up_to_translation(table: str, steps: list[Step]) -> list[Step]:
    """The steps of a table, of NAT to the rule that translates: a `Walk` goes on behind it."""
    if table != "nat":
        return steps
    for index in range(len(steps)):
        step = steps[index]
        if step.verdict == YES and step.sure and Translated.ends(step.action):
            return steps[: index + 1]
    return steps
