"""The probes of a repair beside those of a remedy.

Who is on a slower path than before, who has another limit, what is gone, and what the new rules
let through.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rosexplain import addresses, decide, trace, traffic
from rosexplain.addresses import Range, range_of, span, within
from rosexplain.bounds import (  # fmt: skip
    MOST_NETWORKS,
    MOST_RULES,
    TO_HOST,
    at_bounds,
    ending_rules,
    protocol_words,
)
from rosexplain.classify import Explanation
from rosexplain.ending import place_of
from rosexplain.firewall import TRANSLATES
from rosexplain.hosts import OUTSIDE, Ends, first_packet
from rosexplain.language import gettext
from rosexplain.limits import EACH, SHARED, STREAM, Rate, rates_of
from rosexplain.matchers import YES
from rosexplain.network import REFUSES, TUNNELS, Network
from rosexplain.ordered import unique
from rosexplain.packet import Packet
from rosexplain.parse import Command
from rosexplain.probes import (
    ALL,
    CAPPED,
    CUT,
    GUARD,
    JOINED,
    NONE,
    OFF,
    OPENED,
    PLAIN,
    POLICY,
    RAISED,
    SECRET,
    SLOWER,
    UNLIMITED,
    Answer,
    Asked,
    Harm,
    Probe,
    changed_names,
    kept,
    passage,
    passes,
    probes_of,
    same_row,
    translated_hosts,
    ways,
)
from rosexplain.rows import ADDED, Row, Rows
from rosexplain.selection import is_number

STREAMS = (("tcp", 443), ("udp", 3478), ("tcp", 22))
"""Connections of a host: the web, a call (RFC 8489), a terminal."""
RANKS = {decide.SLOW: 0, decide.HALF: 1, decide.FAST: 2, decide.FASTTRACK: 2, decide.FORWARD: 2,
         decide.BRIDGE_FAST: 2, decide.CHIP_FASTTRACK: 3, decide.CHIP: 4}  # fmt: skip
"""The paths from the slowest to the fastest."""
MOST_HOSTS = 14
"""Hosts that are probed."""

UNLIMITED_RATE = 1 << 40
"""More than any port carries [bit/s]."""
STREAMS_OF = 8
"""The part of the probes that are of streams, which take the longest."""

CONNECTS = ("/ip/address", "/ip/route", "/ip/dhcp-client", "/ip/dhcp-server", "/ip/pool",
            "/ip/dhcp-server/network", "/interface/bridge", "/interface/bridge/port",
            "/interface/vlan", "/interface/bonding", "/interface/pppoe-client",
            "/interface/wireguard", "/interface/wireguard/peers", "/ip/ipsec/peer",
            "/ip/ipsec/identity", "/ipv6/address", "/ipv6/route",
            "/ipv6/dhcp-client") + tuple(["/interface/" + kind for kind in TUNNELS])  # fmt: skip
"""Menus whose rows connect somebody: without one, somebody is cut off."""


class Repair(Asked):
    """The probes of a router that somebody repairs, asked once.

    `named`: hosts that are probed, by their addresses, beside those that the configuration names.
    `most`: where time is short, about how many probes are asked, of each sort some; 0: all.
    `left`: the probes that are not asked.
    """

    def __init__(self, before: Explanation, named: list[str] | None = None, most: int = 0) -> None:
        super().__init__(before)
        self.named = named or []
        self.most = most
        self.left = 0

    def all_probes(self) -> list[Probe]:
        """Those of a remedy, and those of who is slower, who gets less and what is gone."""
        hosts = hosts_of(self.before.net, self.named)
        streams = self._some(_streams(self.before.net, hosts), STREAMS_OF)
        every = [probe for probe in probes_of(self.before) if not _of_simple_queue(probe)]
        passages = [probe for probe in every if probe.lost == CUT]
        others = [probe for probe in every if probe.lost != CUT]
        return (
            self._some(passages + _entering_for(self.before, hosts), 2)
            + self._some(others, 2)
            + translated_hosts(
                self.before,
                [(one.name, one.interface, [(one.number, one.number)]) for one in hosts],
            )
            + _paths(self.before, streams)
            + _rates(self.before, streams)
            + _connecting(self.before)
            + _encrypting(self.before)
        )

    def _some(self, every: list[Any], part: int) -> list[Any]:
        """At most that part of `most`, from all over the list."""
        most = self.most // part
        if not most or len(every) <= most:
            return every
        self.left += len(every) - most
        return [every[at * len(every) // most] for at in range(most)]

    def every_harm(self, after: Explanation) -> list[Harm]:
        """The harm of each probe that has one, and of what the change itself adds."""
        harms = super().every_harm(after)
        for probe in _of_changed_rules(self.before, after):
            harm = probe.harm(probe.answer(self.before), after)
            if harm is not None:
                harms.append(harm)
        return (
            harms
            + _refused_anew(self.before, after)
            + _joined_in_chip(self.before, after)
            + _done_by_new_rows(self.before, after)
        )

    def dropped_by(self, harm: Harm, after: Explanation) -> Row | None:
        """The router's own rule that drops the packet of a harm now, and is as it was.

        None too where the rules of before would have let it pass, had they seen it.
        """
        if harm.kind != CUT or harm.packet is None:
            return None
        line = _refusing(after, harm.packet)
        if line is None or line is not _refusing(self.before, harm.packet):
            return None
        was, now = [row for one in (self.before, after) for row in one.net.rows.of(line.menu)
                    if row.first is line]  # fmt: skip
        return None if changed_names(was, now) else was


def _refusing(explanation: Explanation, packet: Packet) -> Command | None:
    """The line of the rule that drops a packet, if the CPU sees it."""
    steps = trace.followed(explanation.net, packet.copied())[0]["steps"]
    lines = [s["command"] for s in steps if s["action"] in REFUSES and s["verdict"] == YES]
    return lines[-1] if lines else None


def _of_simple_queue(probe: Probe) -> bool:
    """Return True if it asks for one row of a simple queue, whose limit another one may keep."""
    line = probe.line
    return probe.lost == UNLIMITED and line is not None and line.menu == "/queue/simple"


@dataclass(frozen=True)
class Host:
    """A host of a LAN: its interface, as the firewall sees it, and its address."""

    interface: str
    number: int

    @property
    def name(self) -> str:
        """Its address in words."""
        return addresses.plain(self.number.to_bytes(4, "big"))


def hosts_of(net: Network, named: list[str]) -> list[Host]:
    """The first and the last host of each LAN, and those that the configuration or `named` names.

    Of a network in which each customer has a queue of his own, customers alone.
    """
    ends = Ends(net, 4)
    networks: list[tuple[str, Range]] = []
    for row in net.rows.of("/ip/address"):
        name = net.above(row.get("interface"))
        whole = range_of(row.get("address"))
        if whole is not None and name not in ends.wan and whole[1] - whole[0] > 1:
            networks.append((name, whole))
    own = [range_of(row.get("address").partition("/")[0]) for row in net.rows.of("/ip/address")]
    numbers: list[int] = []
    customers = [range_of(row.get("target")) for row in net.rows.of("/queue/simple")]
    for _, whole in networks[:MOST_NETWORKS]:
        if len([one for one in customers if one is not None and within(one, whole)]) > 2:
            continue
        first = whole[0] + 1 if (whole[0] + 1, whole[0] + 1) not in own else whole[0] + 2
        numbers += [first, whole[1] - 1]
    for text in named + _customers(net) + _named(net):
        part = range_of(text)
        numbers += [part[0], part[1]] if part is not None else []
    hosts: list[Host] = []
    for number in unique(numbers):
        inside = [one for one in networks if one[1][0] < number < one[1][1]]
        if inside and (number, number) not in own:
            inside.sort(key=lambda one: one[1][1] - one[1][0])
            hosts.append(Host(inside[0][0], number))
    return hosts[:MOST_HOSTS]


def _customers(net: Network) -> list[str]:
    """The targets of simple queues: of each limit the first and the last."""
    by_limit: dict[str, list[str]] = {}
    limits: list[str] = []
    for row in net.rows.of("/queue/simple"):
        limit = row.get("max-limit")
        if limit not in by_limit:
            limits.append(limit)
        by_limit.setdefault(limit, []).append(row.get("target"))
    every: list[str] = []
    for limit in limits[:MOST_NETWORKS]:
        targets = by_limit[limit]
        every += (targets[0] + "," + targets[-1]).split(",")
    return every


def _named(net: Network) -> list[str]:
    """The addresses of leases, of address lists, and of the firewall's rules."""
    every = [row.get("address") for row in net.rows.of("/ip/dhcp-server/lease")]
    every += [row.get("address") for row in net.rows.of("/ip/firewall/address-list")]
    for table in ("filter", "raw", "mangle", "nat"):
        for row in net.rows.of("/ip/firewall/" + table)[:MOST_RULES]:
            for name in ("src-address", "dst-address", "to-addresses"):
                every.append(row.get(name).lstrip("!"))
    return every[: traffic.MOST_ASKED]


class Stream:
    """Established packets of one connection one way, in words; each router is asked once."""

    def __init__(self, words: str, packet: Packet) -> None:
        self.words = words
        self.packet = packet
        self._answers: list[tuple[Explanation, list[str], list[Rate]]] = []

    def answer(self, explanation: Explanation) -> tuple[list[str], list[Rate]]:
        """The paths that they may take, and the limits that they meet there."""
        for of, paths, limits in self._answers:
            if of is explanation:
                return paths, limits
        paths = ways(explanation, self.packet)
        limits = rates_of(explanation, self.packet, paths)
        # The first is the router before.
        self._answers = self._answers[:1] + [(explanation, paths, limits)]
        return paths, limits


def _streams(net: Network, hosts: list[Host]) -> list[Stream]:
    """Established packets of hosts, both ways: with the internet, and with the other LANs."""
    ends = Ends(net, 4)
    every: list[Stream] = []
    firsts: dict[str, Host] = {}
    for at, host in enumerate(hosts):
        first = host.interface not in firsts
        firsts.setdefault(host.interface, host)
        for protocol, port in STREAMS if first else STREAMS[at % len(STREAMS) :][:1]:
            for out in ends.wan[:MOST_NETWORKS]:
                packet = _established(host, span(OUTSIDE[4]), out, protocol, port)
                every += _both_ways(packet, host.name, out, protocol)
    names = sorted(firsts)
    for at, name in enumerate(names):
        for other in names[at + 1 :]:
            to = firsts[other]
            packet = _established(firsts[name], (to.number, to.number), other, *STREAMS[0])
            every += _both_ways(packet, firsts[name].name, to.name, STREAMS[0][0])
    return every


def _established(host: Host, to: Range, out: str, protocol: str, port: int) -> Packet:
    own = [(host.number, host.number)]
    packet = first_packet(4, host.interface, own, [to], protocol, port)
    packet.state, packet.outs = "established", [out]
    return packet


def _both_ways(packet: Packet, one: str, other: str, protocol: str) -> list[Stream]:
    text = gettext("{protocol} packets from {one} to {other}")
    return [
        Stream(text.format(protocol=protocol.upper(), one=one, other=other), packet),
        Stream(text.format(protocol=protocol.upper(), one=other, other=one), packet.back()),
    ]


def _entering_for(explanation: Explanation, hosts: list[Host]) -> list[Probe]:
    """New packets from each WAN to each of these hosts."""
    every: list[Probe] = []
    for name in Ends(explanation.net, 4).wan[:MOST_NETWORKS]:
        for host in hosts:
            to = [(host.number, host.number)]
            packet = first_packet(4, name, [span(OUTSIDE[4])], to, *TO_HOST[0])
            packet.outs = [host.interface]
            text = gettext("a new packet from {name} to {other} ({what})")
            words = text.format(name=name, other=host.name, what=protocol_words(*TO_HOST[0]))
            every.append(passage(words, packet, None))
    return every


def _paths(explanation: Explanation, streams: list[Stream]) -> list[Probe]:
    """Return the probes of paths: of hosts, and of the frames of a bridge."""
    every = [Probe(one.words, None, _path_answer(one), SLOWER, "", one.packet) for one in streams]
    for verdict in explanation.classes:
        if verdict.traffic.kind == traffic.BRIDGED:
            name = verdict.traffic.name
            every.append(Probe(verdict.traffic.title, None, _frames_answer(name), SLOWER))
    return every


def rank_of_paths(names: list[str]) -> int:
    """The slowest of some paths, and behind it the fastest; 0 where all are slow."""
    ranks = [RANKS[name] for name in names if name in RANKS]
    return 10 * min(ranks) + max(ranks) if ranks else 0


def _path_answer(stream: Stream) -> Answer:
    return lambda explanation: rank_of_paths(stream.answer(explanation)[0])


def _frames_answer(name: str) -> Answer:
    def answer(explanation: Explanation) -> int:
        return rank_of_paths(
            [w for v in explanation.classes if v.traffic.name == name for w in v.ways]
        )

    return answer


def _rates(explanation: Explanation, streams: list[Stream]) -> list[Probe]:
    """Return the probes of rates: of each stream, and of all that share a limit."""
    net, wan = explanation.net, Ends(explanation.net, 4).wan
    every: list[Probe] = []
    for stream in streams:
        words, packet = stream.words, stream.packet
        least = _least(stream, (EACH, SHARED, STREAM))
        every.append(Probe(words, None, least, CAPPED, "", packet))
        own = [limit for limit in stream.answer(explanation)[1] if limit.kind == EACH]
        beyond = [name for name in (packet.ins or []) + (packet.outs or []) if name in wan]
        if own and beyond:  # what is sold is a line to the internet
            line = own[0].row.first
            every.append(Probe(words, line, _least(stream, (EACH, SHARED)), "", RAISED, packet))
            alike = net.rows.where("/queue/simple", "max-limit", own[0].row.get("max-limit"))
            sold = _least(stream, (SHARED,), own[0].rate * len(alike))
            text = gettext("{number} customers together, such as {words}")
            together = text.format(number=len(alike), words=words)
            every.append(Probe(together, None, sold, CAPPED, "", packet))
    return every


def _least(stream: Stream, kinds: tuple[str, ...], most: int = UNLIMITED_RATE) -> Answer:
    """The lowest of a stream's limits of these kinds; `most` where there is none below."""

    def answer(explanation: Explanation) -> int:
        limits = stream.answer(explanation)[1]
        return min([most] + [limit.rate for limit in limits if limit.kind in kinds])

    return answer


# --- what is touched -----------------------------------------------------------------------------

REMOVE, MOVE, DISABLED = "remove", "move", "disabled"
"""The touches of a row beside those of its properties."""
NO_EFFECT = ("comment", "name", "log", "log-prefix", "place-before")
"""Properties of new rows by which nothing is forwarded in another way."""
NAMES_OWN = ("interface", "default-name", "numbers")
"""The properties that name a row of the router's own, as a port's queue."""


@dataclass(frozen=True)
class Touch:
    """A row that a change adds, sets, moves or takes away: its menu, by what, and its line."""

    menu: str
    by: list[str]
    line: Command


def touched(before: Rows, after: Rows) -> list[Touch]:
    """Every row that differs between a router and the same one behind some commands."""
    touches: list[Touch] = []
    for menu in after.menus:
        rows, others = before.all_of(menu), after.all_of(menu)
        old = {id(row.first): row for row in rows}
        new = {id(row.first): row for row in others}
        for row in rows:
            now = new.get(id(row.first))
            if now is None:
                touches.append(Touch(menu, [REMOVE], row.first))
                continue
            by = [
                name
                for name in changed_names(row, now)
                if name != DISABLED and _whole(row.get(name)) != _whole(now.get(name))
            ]
            by += [DISABLED] if row.on != now.on else []
            if by:
                touches.append(Touch(menu, by, row.first))
        for row in others:
            if id(row.first) not in old:
                plain = NO_EFFECT if row.key == ADDED else NO_EFFECT + NAMES_OWN
                by = [name for name in row.names if name not in plain and row.get(name)]
                touches.append(Touch(menu, by, row.first))
        left = [row for row in others if id(row.first) in old]
        order = [row for row in rows if id(row.first) in new]
        moved = [left[at] for at in range(len(left)) if left[at].first is not order[at].first]
        touches += [Touch(menu, [MOVE], row.first) for row in moved[:1]]
    return touches


def _whole(value: str) -> str:
    """A value without the length of a whole address: RouterOS takes 192.0.2.9 as 192.0.2.9/32."""
    return value.replace("/32", "")


# --- what is gone, and what is new ---------------------------------------------------------------


def _connecting(explanation: Explanation) -> list[Probe]:
    every: list[Probe] = []
    for menu in CONNECTS:
        for row in explanation.net.rows.of(menu)[: traffic.MOST_ASKED]:
            names = ["bridge"] if menu == "/interface/bridge/port" else []
            which = row.name or row.get("interface") or row.get("address") or row.get("dst-address")
            words = menu + " " + which
            every.append(Probe(words, row.first, kept(row, names), GUARD))
    return every


def _encrypting(explanation: Explanation) -> list[Probe]:
    """IPsec's policies, whether FastTrack bypasses them or not, and tunnels with a secret.

    An export hides a secret, so each tunnel counts as one that has it.
    """
    net = explanation.net
    every: list[Probe] = []
    for row in net.policies[: traffic.MOST_ASKED]:
        words = gettext("traffic of the IPsec policy")
        every.append(Probe(words, row.first, kept(row, POLICY), PLAIN))
    for menu, name in SECRET:
        for row in net.rows.of(menu):
            if row.get(name) not in OFF or not row.says(name):
                words = gettext("the tunnel that IPsec carries")
                every.append(Probe(words, row.first, _secret_answer(row, name), PLAIN))
    return every


def _secret_answer(row: Row, name: str) -> Answer:
    def answer(explanation: Explanation) -> int:
        now = same_row(explanation, row)
        off = now is not None and now.says(name) and now.get(name) in OFF
        return NONE if off else ALL

    return answer


def _of_changed_rules(before: Explanation, after: Explanation) -> list[Probe]:
    """Packets at the bounds of the rules that match other packets after a change."""
    every: list[Probe] = []
    for family in (4, 6):
        ends = Ends(after.net, family)
        for row, top in ending_rules(after.net, family):
            old = same_row(before, row)
            if old is None or not changed_names(old, row):
                continue
            for words, packet in at_bounds(ends, row, top):
                every.append(passage(words, packet, None))
    return every


def _refused_anew(before: Explanation, after: Explanation) -> list[Harm]:
    """The packets that a new rule refuses, or perhaps, and that all passed before."""
    harms: list[Harm] = []
    ends = Ends(after.net, 4)
    for row, top in ending_rules(after.net, 4):
        if row.get("action") not in REFUSES or same_row(before, row) is not None:
            continue
        for words, packet in at_bounds(ends, row, top):
            states = unique([packet.state, "established"])
            if row.says("dst-port") and passes(before, packet) == NONE:
                states = []  # no connection to this port begins, so none is established
            for state in states:
                one = packet.copied()
                one.state = state
                if passes(before, one) > passes(after, one) >= NONE:
                    harms.append(Harm(CUT, words, row.first, one))
    return harms


def _of_switch_rule(net: Network, row: Row) -> list[Packet]:
    """Packets that a rule of the switch chip drops, of the first and the last host of its range."""
    if row.get("mac-protocol", "ip") != "ip":
        return []
    ends = Ends(net, 4)
    other = (ends.lan[:1] or [""])[0]
    whole = range_of(row.get("src-address")) or span(OUTSIDE[4])
    to = range_of(row.get("dst-address"))
    protocol = row.get("protocol", STREAMS[0][0])
    port = row.get("dst-port")
    of = (protocol, int(port) if is_number(port) else STREAMS[0][1])
    packets: list[Packet] = []
    for name in row.get("ports").split(","):
        for number in unique(list(whole)):
            packet = first_packet(4, net.above(name), [(number, number)], None, *of)
            packet.dst = [(to[0], to[0])] if to is not None else ends.host(other)
            packet.outs = [other] if other and to is None else None
            packets.append(packet)
    return packets


def _joined_in_chip(before: Explanation, after: Explanation) -> list[Harm]:
    """The ports that a new row of the chip's VLAN table puts into a VLAN that was not theirs."""
    net = before.net
    members: dict[str, list[str]] = {}
    for row in net.rows.of("/interface/bridge/vlan"):
        members.setdefault(row.get("vlan-ids"), []).extend(
            (row.get("tagged") + "," + row.get("untagged")).split(",")
        )
    for row in net.rows.of("/interface/bridge/port"):
        members.setdefault(row.get("pvid", "1"), []).append(row.get("interface"))
    harms: list[Harm] = []
    for row in after.net.rows.of("/interface/ethernet/switch/vlan") if members else []:
        ports = [name for name in row.get("ports").split(",") if name in net.bridge_of]
        strange = [name for name in ports if name not in members.get(row.get("vlan-id"), [])]
        if strange and same_row(before, row) is None:
            words = gettext("the VLANs of {names}").format(names=", ".join(strange))
            harms.append(Harm(JOINED, words, row.first))
    return harms


def _done_by_new_rows(before: Explanation, after: Explanation) -> list[Harm]:
    """Return the harm of new rows: they forward, serve, cut off, or encrypt with nothing."""
    harms: list[Harm] = []
    settings = after.net.rows.single("/ip/settings")
    if settings is not None and settings.get("ip-forward") in OFF[1:]:
        harms.append(Harm(CUT, gettext("every packet between networks"), None))
    for row in after.net.rows.of("/ip/ipsec/proposal"):
        old = same_row(before, row)
        was = old.get("enc-algorithms").split(",") if old is not None else []
        if "null" in row.get("enc-algorithms").split(",") and "null" not in was:
            line = row.command("enc-algorithms")
            harms.append(Harm(PLAIN, gettext("traffic of the IPsec policy"), line))
    for row in after.net.rows.of("/interface/ethernet/switch/rule"):
        if row.says("new-dst-ports") and not row.get("new-dst-ports") and not same_row(before, row):
            words = gettext("a packet that {line} matches")
            words = words.format(line=place_of(after.net, row.first))
            harms += [Harm(CUT, words, None, one) for one in _of_switch_rule(before.net, row)]
    for row in before.net.rows.all_of("/ip/service"):
        if not row.on and same_row(after, row) is not None:
            text = gettext("a connection to the service {name}")
            harms.append(Harm(OPENED, text.format(name=row.name), row.command("disabled")))
    for row in after.net.rows.of("/ip/firewall/nat"):
        old = same_row(before, row)
        forwards = row.get("chain") == "dstnat" and row.get("action") in TRANSLATES
        if forwards and (old is None or changed_names(old, row)):
            harms.append(Harm(OPENED, gettext("a newly forwarded port"), None))
    for row in after.net.rows.all_of("/interface/ethernet"):
        off = [old for old in before.net.rows.all_of("/interface/ethernet") if not old.on]
        if not row.on and row.name not in [old.name for old in off]:
            harms.append(Harm(GUARD, row.name, row.command("disabled")))
    return harms
