"""Probes: what tells whether a change of a configuration does harm.

They are made from the configuration as it was: packets at the bounds of its rules, and the rows
that keep something apart, encrypted or limited.  The same probes are asked before and after a
change; `harms` names each whose answer became a worse one.  Batfish calls the idea differential
reachability.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from rosexplain import decide, frames, limits, logs, queues, stateless, trace, traffic
from rosexplain.addresses import Range, range_of, span, within
from rosexplain.bounds import (
    MOST_NETWORKS,
    MOST_RULES,
    TOPS,
    at_bounds,
    ending_rules,
    entering,
    established,
)
from rosexplain.classify import Explanation, packet_verdict
from rosexplain.destination import place
from rosexplain.ending import place_of, tracking_off, untracked
from rosexplain.firewall import TRANSLATES, Step, ends, led_to, walk
from rosexplain.hosts import OUTSIDE, Ends, first_packet
from rosexplain.interfaces import NoInterfaceError, above_of
from rosexplain.language import N_, few_of, gettext
from rosexplain.matchers import NO, YES
from rosexplain.network import FASTTRACK, FILTER, OF_FRAMES, REFUSES, TOP, TUNNELS, Network
from rosexplain.ordered import unique
from rosexplain.packet import Packet, Protected, key_of
from rosexplain.parse import Command
from rosexplain.rows import Row
from rosexplain.tunnels import protecting
from rosexplain.unused import filtering_nothing, matches_nothing, only_accepts
from rosexplain.uplinks import off_by_default
from rosexplain.vrf import Vrf

OPENED, CUT = "opened", "cut"
"""A packet passes that was dropped; one is dropped that passed."""
PLAIN, JOINED, UNTRANSLATED = "plain", "joined", "untranslated"
"""No longer encrypted; in another routing table or VLAN than before; no longer translated."""
UNLIMITED, UNWATCHED, GUARD = "unlimited", "unwatched", "guard"
"""Without its rate limit; past a rule that looks into connections; without another function."""
COUNTED = "counted"
"""Without the reports of what passes: a measurement, which no packet depends on."""
LOGGED = "logged"
"""Without the messages that rules write about the packets of connections."""
TRACKING = "tracking"
"""Connections are tracked that were not, by hand."""
SLOWER, CAPPED, RAISED = "slower", "capped", "raised"
"""On a slower path than before; with a lower limit, or a higher one.  Only repairs are asked."""

KINDS = {
    OPENED: N_("{probe} would pass ({line})"),
    CUT: N_("{probe} would be dropped ({line})"),
    PLAIN: N_("{probe} would no longer be encrypted ({line})"),
    JOINED: N_("{probe} would no longer be kept apart ({line})"),
    UNTRANSLATED: N_("{probe} would no longer be translated ({line})"),
    UNLIMITED: N_("{probe} would no longer hold ({line})"),
    UNWATCHED: N_("{probe} would bypass {line}"),
    GUARD: N_("{probe} would be gone ({line})"),
    COUNTED: N_("{probe} would be gone ({line})"),
    LOGGED: N_("{probe} would be gone ({line})"),
    TRACKING: N_("connections would be tracked, which {line} turns off"),
    SLOWER: N_("{probe} would be on a slower path"),
    CAPPED: N_("{probe} would get no more than {rate}"),
    RAISED: N_("{probe} would get more than {line} allows"),
}

NEVER = (OPENED, CUT, PLAIN, JOINED, UNTRANSLATED)
"""The kinds that no remedy may do, whatever it gains."""

NOBODY, NONE, SOME, ALL = -1, 0, 1, 2
"""An answer: of such packets none, some or all pass, are encrypted, limited, and so on; or there
are no such packets, as there is no such interface."""


@dataclass(frozen=True)
class Harm:
    """A loss by a change: its kind, the probe in words, and the line that gave it.

    `packet`: what was asked about, if it was one; `now`: the answer after the change.
    """

    kind: str
    probe: str
    line: Command | None
    packet: Packet | None = None
    now: int = 0

    def text(self, net: Network) -> str:
        """The harm in one sentence."""
        where = place_of(net, self.line) if self.line is not None else gettext("a rule")
        words = gettext(KINDS[self.kind])
        if self.line is None or where in self.probe:
            words = words.replace(" ({line})", "")  # it names no line, or the same once more
        return words.format(probe=self.probe, line=where, rate=queues.rate_words(self.now)) + "."


MOST_LINES = 3


def without(net: Network, harms: list[Harm]) -> list[str]:
    """Return the losses in few words: `clients' rate limits (line 12, line 14)`."""
    lines: dict[str, list[str]] = {}
    for harm in harms:
        places = lines.setdefault(harm.probe, [])
        if harm.line is not None:
            places.append(place_of(net, harm.line))
    words = []
    for probe in unique([harm.probe for harm in harms]):  # MicroPython's dict keeps no order
        where = few_of(unique(lines[probe]), MOST_LINES)
        words.append(probe + (" (" + where + ")" if where else ""))
    return words


Answer: TypeAlias = Callable[[Explanation], int]


@dataclass(frozen=True)
class Probe:
    """One question: `answer` gives NONE, SOME or ALL of an explanation.

    `lost`: the kind of harm where the answer falls, `gained` where it rises; empty for none.
    `packet`: what is asked about, if it is one.
    """

    words: str
    line: Command | None
    answer: Answer
    lost: str
    gained: str = ""
    packet: Packet | None = None

    def harm(self, was: int, after: Explanation) -> Harm | None:
        """The harm of a change, if there is one; `was`: the answer before it."""
        if was == NOBODY or (was == NONE and not self.gained):
            return None
        now = max(NONE, self.answer(after))
        kind = self.gained if now > was else self.lost if now < was else ""
        if not kind or (kind == CUT and now != NONE):
            return None
        return Harm(kind, self.words, self.line, self.packet, now)


def harms(before: Explanation, after: Explanation) -> list[Harm]:
    """The harms of a change, each kind and line once; `before` and `after` share their exports."""
    return Asked(before).harms(after)


def distinct(every: list[Harm]) -> list[Harm]:
    """Harms, each kind and line once."""
    once: list[Harm] = unique(
        every, lambda harm: (harm.kind, id(harm.line) if harm.line is not None else harm.probe)
    )
    return once


class Asked:
    """The probes of a configuration; `harms` asks those that a change may be about, twice."""

    def __init__(self, before: Explanation) -> None:
        self.before = before
        self.probes: list[Probe] = []
        self._answers: dict[int, int] = {}

    def harms(self, after: Explanation) -> list[Harm]:
        """The harms of a change, each kind and line once."""
        return distinct(self.every_harm(after))

    def every_harm(self, after: Explanation) -> list[Harm]:
        """The harm of each probe that has one."""
        self.probes = self.probes or self.all_probes()
        changed = Changed(self.before.net, after.net)
        every: list[Harm | None] = []
        for number, probe in enumerate(self.probes + _added(self.before, after)):
            # A path or a limit may be another one where no other rule lets the packet pass.
            if probe.lost == CUT and not changed.may_concern(probe.packet):
                continue
            if number >= len(self.probes):
                was = probe.answer(self.before)
            elif number in self._answers:
                was = self._answers[number]
            else:
                was = self._answers[number] = probe.answer(self.before)
            every.append(probe.harm(was, after))
        return [harm for harm in every if harm is not None]

    def all_probes(self) -> list[Probe]:
        """The probes."""
        return probes_of(self.before)


OF_PASSAGE = ("/ip/firewall/", "/ipv6/firewall/", "/interface/list", "/interface/bridge/settings",
              "/interface/bridge/vlan", "/interface/ethernet/switch", "/interface/vlan",
              "/ip/address", "/ipv6/address", "/ip/route", "/ipv6/route", "/ip/ipsec",
              "/ip/settings", "/ipv6/settings", "/ip/vrf", "/routing/", "/interface/l2tp",
              "/interface/eoip", "/interface/gre", "/interface/ipip", "/interface/vxlan",
              "/interface/wireguard", "/interface/bonding", "/ip/upnp",
              "/ip/nat-pmp")  # fmt: skip
"""The beginnings of menus that decide on a packet's way through the firewall."""


class Changed:
    """The parts that a change touches, so that only probes of such parts are asked again."""

    def __init__(self, before: Network, after: Network) -> None:
        self.rules: list[Row] = []
        """The rules of filter that were added, removed, moved or changed, as before and after."""
        self.elsewhere = False
        """True if anything else changed that may be about packets."""
        for menu in unique(list(before.rows.menus) + list(after.rows.menus)):
            if before.rows.menus.get(menu) is after.rows.menus.get(menu):
                continue
            if not any(menu.startswith(path) for path in OF_PASSAGE):
                continue
            rows = _differing(before.rows.all_of(menu), after.rows.all_of(menu))
            if menu.endswith("/firewall/filter"):
                self.rules += rows
            elif rows:
                self.elsewhere = True

    def may_concern(self, packet: Packet | None) -> bool:
        """True if packets in the state of this one may pass or not by another rule than before."""
        if packet is None or self.elsewhere:
            return True
        states = [packet.state, "untracked"]
        return any(_of_states(row, states) for row in self.rules)


def _differing(rows: list[Row], others: list[Row]) -> list[Row]:
    """The rows that are not the same in both; all of them where their order is another."""
    old = {id(row.first): row for row in rows}
    new = {id(row.first): row for row in others}
    kept = [key for key in [id(row.first) for row in rows] if key in new]
    if kept != [key for key in [id(row.first) for row in others] if key in old]:
        return rows + others
    differ = [row for key, row in old.items() if key not in new]
    differ += [row for key, row in new.items() if key not in old]
    for key in kept:
        if old[key].on != new[key].on or changed_names(old[key], new[key]):
            differ += [old[key], new[key]]
    return differ


def _of_states(row: Row, states: list[str]) -> bool:
    """Return True if a rule may match packets in one of these states."""
    if row.get("action") == FASTTRACK:
        return False  # it lets them pass on
    listed = row.get("connection-state")
    if not listed:
        return True
    named = listed.lstrip("!").split(",")
    return any((state in named) == (listed[0] != "!") for state in states)


def probes_of(explanation: Explanation) -> list[Probe]:
    """All probes of a configuration."""
    return (
        _passages(explanation)
        + _protected(explanation)
        + _by_policy(explanation)
        + _separate(explanation)
        + _translated(explanation)
        + _limited(explanation)
        + _seen(explanation)
        + _replies(explanation)
        + _rows(explanation)
        + _tracked(explanation)
    )


def gained_of(explanation: Explanation) -> list[Probe]:
    """Those by which a change gives something: encryption, translation, limits."""
    return _protected(explanation) + _translated(explanation) + _limited(explanation)


MOST_QUEUES = 30
"""Queues whose clients are probed; the rest is taken to be like them."""


def _passages(explanation: Explanation) -> list[Probe]:
    net = explanation.net
    every: list[Probe] = []
    for family in (4, 6):
        chains = net.firewall_of(family).chains
        if not any(chains[table] for table in ("filter", "raw")):
            continue
        for words, packet in entering(net, family):
            every.append(passage(words, packet, None))
        ends = Ends(net, family)
        for row, chain in ending_rules(net, family):
            for words, packet in at_bounds(ends, row, chain):
                every.append(passage(words, packet, row.first))
    return every


def _added(before: Explanation, after: Explanation) -> list[Probe]:
    """Packets at the bounds of the rules that a change adds: no rule of before may know them."""
    every: list[Probe] = []
    for family in (4, 6):
        ends = Ends(after.net, family)
        for table, tops in TOPS + (("nat", ("dstnat",)),):
            menu = TOP[family] + "/firewall/" + table
            old = {id(row.first) for row in before.net.rows.all_of(menu)}
            new = [row for row in after.net.rows.of(menu) if id(row.first) not in old]
            for row in new[:MOST_RULES]:
                for top in tops:
                    if row.get("chain") not in led_to(after.net, family, table, top):
                        continue
                    for words, packet in at_bounds(ends, row, top):
                        every.append(passage(words, packet, row.first))
    return every


def passage(words: str, packet: Packet, line: Command | None) -> Probe:
    return Probe(words, line, lambda explanation: passes(explanation, packet), CUT, OPENED, packet)


def passes(explanation: Explanation, packet: Packet) -> int:
    """Return the share of such packets that pass: NONE, SOME or ALL."""
    if _in_fast_tunnel(explanation, packet):
        return ALL
    try:
        way = trace.led(explanation.net, packet)
    except NoInterfaceError:
        return NOBODY
    end = way.end
    refused = end.action in REFUSES or way.nowhere
    if not refused and not [doubt for doubt in end.unless if doubt.action in REFUSES]:
        return ALL  # the chip, which takes longer to ask, would let them pass too
    chip = way.chip(explanation.net)
    if chip == trace.ALL:
        return ALL
    return NONE if refused and not end.unless and chip == trace.NONE else SOME


def _in_fast_tunnel(explanation: Explanation, packet: Packet) -> bool:
    """True if it comes out of tunnels whose packets bypass the firewall (fast-path-tunnels)."""
    names = packet.ins or []
    if not names or packet.chain != "forward":
        return False
    fast = [verdict.traffic for verdict in explanation.classes if decide.FAST in verdict.ways]
    members = [name for one in fast if one.of_kind in TUNNELS for name in one.members]
    return all(name in members for name in names)


SECRET = (("/interface/l2tp-server/server", "use-ipsec"), ("/interface/l2tp-client", "use-ipsec"),
          ("/interface/eoip", "ipsec-secret"), ("/interface/gre", "ipsec-secret"),
          ("/interface/ipip", "ipsec-secret"), ("/interface/eoipv6", "ipsec-secret"),
          ("/interface/gre6", "ipsec-secret"), ("/interface/6to4", "ipsec-secret"))  # fmt: skip
"""The menus that carry a tunnel in IPsec, each with the property that says so."""
OFF = queues.OFF


def in_ipsec(net: Network) -> list[Row]:
    """The tunnels that IPsec carries by a secret of their own, without a policy in the export."""
    return [row for menu, name in SECRET for row in net.rows.of(menu)
            if row.get(name) not in OFF and not off_by_default(row)
            and (menu != SECRET[0][0] or row.get("enabled") == "yes")]  # fmt: skip


POLICY = ("src-address", "dst-address", "action", "level", "template", "protocol", "tunnel")
"""Properties of an IPsec policy that say what it encrypts, and whether it must."""


def _protected(explanation: Explanation) -> list[Probe]:
    net = explanation.net
    every: list[Probe] = []
    for row in net.policies[: traffic.MOST_ASKED]:
        if row.get("action", "encrypt") != "encrypt":
            continue
        words = gettext("traffic of the IPsec policy")
        share = _unless(lambda net, policy: _translated_before(net, policy)
                        or not traffic.kept_out(net, policy))  # fmt: skip
        every.append(Probe(words, row.first, kept(row, POLICY, share), PLAIN))
    any_peer = net.rows.of("/ip/ipsec/peer") or net.rows.of("/ip/ipsec/identity")
    for menu, name in SECRET:
        for row in net.rows.of(menu):
            secret = row.get(name) not in OFF
            if secret or (name == "use-ipsec" and any_peer):
                words = gettext("the tunnel that IPsec carries")
                every.append(Probe(words, row.first, _carrier_answer(row, name), PLAIN))
    for kind in TUNNELS:
        for row in net.rows.of("/interface/" + kind):
            if not row.get("ipsec-secret") and protecting(net, row):
                words = gettext("the tunnel that an IPsec policy carries")
                every.append(Probe(words, row.first, _carrier_answer(row, ""), PLAIN))
    return every


def _by_policy(explanation: Explanation) -> list[Probe]:
    """IPsec's packets that a rule accepts before FastTrack, whether or not the export has a policy.

    RouterOS makes the policies of some peers while it runs.
    """
    net, every = explanation.net, []
    for row in net.rows.where(FILTER, "action", "accept"):
        if traffic.accepts_policy(net, row):
            words = gettext("IPsec traffic that a rule keeps from FastTrack")
            answer = _kept_from_fasttrack(traffic.protected(net, row))
            every.append(Probe(words, row.first, answer, PLAIN))
    return every


def _kept_from_fasttrack(packet: Packet) -> Answer:
    return lambda explanation: NONE if traffic.reaches(explanation.net, packet) else ALL


def same_row(explanation: Explanation, row: Row) -> Row | None:
    """The same row, by its line, where it is still there and on."""
    rows = explanation.net.rows.of(row.menu.path)
    return next((other for other in rows if other.first is row.first), None)


def kept(
    row: Row,
    names: Iterable[str] | None = None,
    share: Callable[[Explanation, Row], int] | None = None,
) -> Answer:
    """Return a question about a row: NONE where it is gone, or says something else.

    `names`: the properties that count, all where None.  `share`: the answer where the row says
    what it said; without it ALL.
    """

    def answer(explanation: Explanation) -> int:
        now = same_row(explanation, row)
        if now is None or changed_names(row, now, names):
            return NONE
        return share(explanation, now) if share else ALL

    return answer


def _translated_before(net: Network, policy: Row) -> bool:
    """True if NAT, which comes before IPsec, gives its packets an address that it does not have."""
    packet = Protected("out", "new")
    packet.ins, packet.outs = net.inside, net.wan or None
    src, dst = range_of(policy.get("src-address")), range_of(policy.get("dst-address"))
    if src is None or dst is None:
        return False
    packet.src, packet.dst = [src], [dst]
    for step in walk(net, packet, "nat", "srcnat").steps:
        if step.verdict == YES and step.sure and ends(step.row):
            return _translates(step)
    return False


def _carrier_answer(row: Row, name: str) -> Answer:
    def answer(explanation: Explanation) -> int:
        now = same_row(explanation, row)
        if now is None:
            return ALL  # what is off sends nothing
        if name and now.get(name) in OFF and row.get(name) not in OFF:
            return NONE
        return NONE if now.get("allow-fast-path") in ("yes", "true") else ALL

    return answer


def _separate(explanation: Explanation) -> list[Probe]:
    net = explanation.net
    every: list[Probe] = []
    for rows, strays, words in (
        (traffic.routing_marks(net)[: traffic.MOST_ASKED], traffic.bypasses_mangle,
         gettext("the route of marked packets")),
        (traffic.other_tables(net)[: traffic.MOST_ASKED], traffic.bypasses_table,
         gettext("the route of packets with a table of their own")),
        (net.rows.of("/ip/vrf"), _leaves_vrf, gettext("the VRF")),
    ):  # fmt: skip
        share = _unless(strays)
        every += [Probe(words, row.first, kept(row, None, share), JOINED) for row in rows]
    return every


def _unless(strays: Callable[[Network, Row], bool]) -> Callable[[Explanation, Row], int]:
    return lambda explanation, row: NONE if strays(explanation.net, row) else ALL


def _leaves_vrf(net: Network, row: Row) -> bool:
    """Return True if FastTrack, which routes by the table main, may take the packets of a VRF."""
    packet = Packet()
    packet.ipsec = False
    own = Vrf(net, row)
    packet.ins = [net.above(name) for name in own.names] or None
    packet.src = [span(text) for text in own.networks] if own.networks else None
    return traffic.reaches(net, packet) or traffic.reaches(net, packet.back())


def _translated(explanation: Explanation) -> list[Probe]:
    net, ends = explanation.net, Ends(explanation.net, 4)
    hosts = [(name, name, ends.host(name)) for name in ends.lan[:MOST_NETWORKS]]
    every = translated_hosts(explanation, hosts)
    tracks = _unless(lambda net, _: tracking_off(net) is not None)
    for row in net.rows.of("/ip/firewall/nat"):
        if row.command("dst-address") in explanation.met.get("forward-for-no-address", []):
            continue  # it forwards nothing
        if row.get("chain") == "dstnat" and row.get("action") in TRANSLATES:
            words = gettext("a forwarded port")
            every.append(Probe(words, row.first, kept(row, None, tracks), UNTRANSLATED))
    return every


def translated_hosts(
    explanation: Explanation, hosts: list[tuple[str, str, list[Range] | None]]
) -> list[Probe]:
    """Connections of hosts to each WAN, where NAT translates them.

    `hosts`: in words, the interface, and the address where it is known.
    """
    net = explanation.net
    every: list[Probe] = []
    for name, interface, src in hosts:
        for out in Ends(net, 4).wan[:MOST_NETWORKS]:
            packet = first_packet(4, interface, src, [span(OUTSIDE[4])], "tcp", 443)
            packet.outs = [out]
            words = gettext("a connection from {name} to {out}").format(name=name, out=out)
            steps = walk(net, packet, "nat", "srcnat").steps
            lines = [step.row.first for step in steps if _translates(step)]
            if lines:
                every.append(Probe(words, lines[0], _source_answer(packet), UNTRANSLATED))
    return every


def _translates(step: Step) -> bool:
    return step.verdict != NO and step.action in TRANSLATES


def _source_answer(packet: Packet) -> Answer:
    def answer(explanation: Explanation) -> int:
        net = explanation.net
        if untracked(net, packet.copied()):
            return NONE
        for step in walk(net, packet, "nat", "srcnat").steps:
            if step.verdict == NO or not ends(step.row):
                continue
            if step.verdict == YES:
                if not _translates(step):
                    return NONE
                begun = packet.copied()
                begun.state = "established"
                return NONE if decide.CHIP in ways(explanation, begun) else ALL
            if _translates(step):
                return SOME
        return NONE

    return answer


OF_NO_EFFECT = ("comment", "disabled", "log", "log-prefix")


def changed_names(row: Row, now: Row, names: Iterable[str] | None = None) -> list[str]:
    """The properties of which a row says something else now; `names`: those that count."""
    if names is None:
        every = unique(row.names + now.names + sorted(now.menu.every))
        names = [name for name in every if name not in OF_NO_EFFECT]
    return [name for name in names if now.get(name) != row.get(name)]


PORT_LIMITS = (("/queue/interface", "queue"), ("/interface/ethernet", "bandwidth"),
               ("/interface/ethernet/switch/port", "ingress-rate"),
               ("/interface/ethernet/switch/port", "egress-rate"),
               ("/interface/ethernet", "rx-flow-control"))  # fmt: skip
RATES = ("max-limit", "rate-limit", "burst-limit", "total-max-limit")
"""The limits of a queue; a lower one limits too."""
WHOM = ("queue", "target", "dst", "parent", "packet-mark", "packet-marks")
"""Whom it limits, and how."""


def ways(explanation: Explanation, packet: Packet) -> list[str]:
    """The paths that such packets may take, decided once for all that are alike."""
    key = key_of(packet.parts())  # nobody has followed it, so it has no marks
    if key not in explanation.paths:
        one = packet.copied()
        place(explanation.net, one)
        if one.outs:
            one.outs = [above_of(explanation.net, name) for name in one.outs]
        explanation.paths[key] = packet_verdict(explanation, one).ways
    return explanation.paths[key]


def _meets(explanation: Explanation, packet: Packet, word: str) -> int:
    """Return the share of such packets that meet what a word of `limits` says: NONE, SOME, ALL."""
    return _share_beside(limits.PAST[word], ways(explanation, packet))


def _share_beside(past: tuple[str, ...], paths: list[str]) -> int:
    """The share of packets on these paths that are on none of `past`: NONE, SOME or ALL."""
    there = [path in past for path in paths]
    return ALL if not any(there) else SOME if not all(there) else NONE


def _limited(explanation: Explanation) -> list[Probe]:
    net, ends = explanation.net, Ends(explanation.net, 4)
    every: list[Probe] = []
    words = gettext("the queues' limits")
    idle = queues.limitless(net.rows)
    for row in [one for one in net.rows.of("/queue/simple") if one not in idle][:MOST_QUEUES]:
        target = row.get("target").split(",")[0]
        client = _client(ends, _interface_of(ends, target), _one_of(target))
        answer = _limit_answer(row, [client], queues.SLOW)
        every.append(Probe(words, row.first, answer, UNLIMITED))
    for row, word in queues.of_trees(net.rows)[:MOST_QUEUES]:
        if row not in idle:
            answer = _limit_answer(row, [_client(ends, "", None)], word)
            every.append(Probe(words, row.first, answer, UNLIMITED))
    without = queues.unanswered(net.rows)
    for menu, name in queues.DYNAMIC_LIMITS:
        for row in net.rows.of(menu):
            if row.get(name) in OFF + ("accounting",) or (name == queues.RADIUS and row in without):
                continue
            if menu == "/ppp/profile" and not queues.serves_ppp(net.rows):
                continue
            if menu[:11] == "/ip/hotspot" and not net.rows.of("/ip/hotspot"):
                continue
            words = gettext("clients' rate limits")
            answer = _limit_answer(row, _sessions(ends, menu), queues.SLOW)
            every.append(Probe(words, row.command(name), answer, UNLIMITED))
    for row, name in queues.scripted(net.rows):
        words = gettext("the limits of queues that a script makes")
        answer = _limit_answer(row, _of_script(ends, row), queues.SLOW)
        every.append(Probe(words, row.command(name), answer, UNLIMITED))
    long = queues.long(net.rows)
    for menu, name in PORT_LIMITS:
        for row in net.rows.of(menu):
            if row.says(name):
                words = gettext("the ports' limits")
                every.append(Probe(words, row.command(name), kept(row, [name]), UNLIMITED))
    for row in net.rows.of("/queue/type"):
        words = gettext("the queues' types")
        if row not in long:  # a shorter one limits as much
            every.append(Probe(words, row.first, kept(row), UNLIMITED))
    return every


def _interface_of(ends: Ends, target: str) -> str:
    """The interface behind which a queue's target is; the target itself where it is one."""
    net, host = ends.net, _one_of(target)
    if target in net.kinds or target[:5] == "ether":
        return net.above(target)
    for row in net.rows.of("/ip/address") if host else []:
        whole = range_of(row.get("address"))
        if host and whole and within(host[0], whole):
            return net.above(row.get("interface"))
    return ""


def _one_of(target: str) -> list[Range] | None:
    whole = range_of(target)
    if whole is None or whole[0] == 0:
        return None
    host = min(whole[0] + 1, whole[1])
    return [(host, host)]


def _client(ends: Ends, name: str, host: list[Range] | None) -> Packet:
    """An established packet of a client to the internet."""
    packet = Packet()
    packet.ins = [name] if name else ends.lan or None
    packet.outs = ends.wan or None
    packet.src = host or (ends.host(name) if name else None)
    packet.dst_internet = bool(ends.wan)
    packet.ipsec = False
    return packet


def _sessions(ends: Ends, menu: str) -> list[Packet]:
    """Packets of those whom a dynamic limit is about."""
    net = ends.net
    if menu[:4] == "/ppp":
        packet = _client(ends, "", None)
        packet.ins = sorted(net.sessions) or None
        return [packet]
    served = "/ip/hotspot" if menu[:11] == "/ip/hotspot" else "/ip/dhcp-server"
    names = unique([net.above(row.get("interface")) for row in net.rows.of(served)])
    return [_client(ends, name, None) for name in names[:MOST_NETWORKS] or [""]]


def _of_script(ends: Ends, row: Row) -> list[Packet]:
    """Packets of those for whom a script makes queues: a DHCP server's, PPP's, or any client's.

    Where it only switches queues on, of those that they are for.
    """
    off = [one.get("target").split(",")[0] for one in queues.switched(ends.net.rows, row)]
    if off:
        return [_client(ends, _interface_of(ends, target), _one_of(target)) for target in off]
    if row.menu.path == "/ip/dhcp-server":
        return [_client(ends, ends.net.above(row.get("interface")), None)]
    return _sessions(ends, row.menu.path) if row.menu.path[:4] == "/ppp" else [
        _client(ends, "", None)]  # fmt: skip


def _limit_answer(row: Row, packets: list[Packet], word: str) -> Answer:
    def share(explanation: Explanation, now: Row) -> int:
        if [name for name in RATES if not queues.limits_as(now.get(name), row.get(name))]:
            return NONE
        return min([_meets(explanation, packet, word) for packet in packets])

    return kept(row, WHOM, share)


WATCHES = ("layer7-protocol", "content", "tls-host", "connection-bytes", "connection-rate",
           "dst-limit", "limit", "time", "packet-size", "ttl", "dscp")  # fmt: skip
"""Matchers whose answer changes while a connection lasts."""
CHANGES = ("change-dscp", "change-ttl", "set-priority", "sniff-tzsp", "mark-packet",
           "strip-ipv4-options", "change-hop-limit", "sniff-pc")  # fmt: skip
"""Actions of mangle that are about each packet of a connection."""


def _comes_to(net: Network, packet: Packet, row: Row) -> bool:
    """Return True if such packets come to a rule of the filter as they are forwarded."""
    return any(step.row is row for step in walk(net, packet, "filter", "forward").steps)


def _last(row: Row, packet: Packet) -> Packet:
    """The packet of the last host of the networks that a rule names, in place of the first."""
    other = packet.copied()
    for name in ("src-address", "dst-address"):
        bounds = range_of(row.get(name))
        if bounds is not None:
            setattr(other, name[:3], [(bounds[1], bounds[1])])
    return other


def _coming_to(ends: Ends, row: Row) -> list[Packet]:
    """The packets of established connections that come to a rule of forward.

    Those of the hosts that it names, else of those that a jump to its chain names.  None where a
    rule before accepts what is established: it sees only the first packets of connections then.
    """
    jumps = led_to(ends.net, 4, "filter", "forward").get(row.get("chain"), [])
    for one in [row] + jumps:
        packets: list[Packet] = []
        for first in established(ends, one):
            both = [first, _last(one, first)]
            packets += [packet for packet in both if _comes_to(ends.net, packet, row)][:1]
        if packets:
            return packets
    return []


def _seen(explanation: Explanation) -> list[Probe]:
    net, ends = explanation.net, Ends(explanation.net, 4)
    every: list[Probe] = []
    for row, top in ending_rules(net, 4):
        looks = [name for name in WATCHES if row.stated(name)]
        if top != "forward" or row.get("action") not in REFUSES or not looks:
            continue
        for packet in _coming_to(ends, row):
            words = gettext("an established connection")
            begins = looks == [stateless.SEARCHES]
            answer = _begun_met(row, packet) if begins else _row_met(row, packet)
            every.append(Probe(words, row.first, answer, UNWATCHED))
    read = queues.marks_of(net.rows, queues.READ_BY["packet"], queues.limitless(net.rows))
    for row in net.rows.of("/ip/firewall/mangle")[:MOST_QUEUES]:
        action = row.get("action")
        if action not in CHANGES:
            continue
        if action == "mark-packet" and row.get("new-packet-mark") not in read:
            continue
        if row.get("protocol", "tcp") not in ("tcp", "udp", "6", "17"):
            continue  # never fast-tracked
        for packet in established(ends, row)[:1]:
            words = gettext("{action} for established connections").format(action=action)
            every.append(Probe(words, row.first, _row_met(row, packet), GUARD))
    main = explanation.main.traffic.packet if explanation.main else None
    for menu in ("/ip/traffic-flow", "/ip/accounting"):
        for row in net.rows.of(menu):
            if row.get("enabled") in ("yes", "true") and main is not None:
                words = gettext("the counting of traffic")
                # Accounts are fetched by somebody; flows may be reported all the same, as sources
                # disagree (fact fasttrack-traffic-flow).
                kind = COUNTED if menu[-4:] == "flow" else LOGGED
                every.append(Probe(words, row.command("enabled"), _row_met(row, main), kind))
    for row in logs.of_established(net):
        words = gettext("log messages about packets of established connections")
        every += [
            Probe(words, row.first, _row_met(row, packet), LOGGED)
            for packet in established(ends, row) + _logged(ends, row)
        ]
    for row in net.rows.of("/ip/hotspot"):
        words = gettext("the hotspot's view of its clients")
        packets = _sessions(ends, "/ip/hotspot")
        every.append(Probe(words, row.first, _limit_answer(row, packets, queues.SLOW), GUARD))
    return every


def _logged(ends: Ends, row: Row) -> list[Packet]:
    """The packets of the LAN's connections to the internet, and back, that a rule may log."""
    table, chain = row.menu.path.rpartition("/")[2], row.get("chain")
    packets: list[Packet] = []
    for name in ends.lan[:MOST_NETWORKS]:
        client = _client(ends, name, None)
        for packet in (client, client.back()):
            steps = walk(ends.net, packet, table, chain).steps
            if any(step.row is row and step.verdict != NO for step in steps):
                packets.append(packet)
    return packets


def _replies(explanation: Explanation) -> list[Probe]:
    """Replies that a rule drops although it lets their connections begin the other way.

    FastTrack in front of the rule lets them bypass it.
    """
    net, every = explanation.net, []
    for family in (4, 6):
        ends = Ends(net, family)
        for row, top in ending_rules(net, family):
            if top != "forward" or row.get("action") not in REFUSES or row.says("connection-state"):
                continue
            for packet in established(ends, row):
                if passes(explanation, _opening(packet)) == NONE:
                    continue
                words = gettext("a reply that {line} matches").format(line=place_of(net, row.first))
                every.append(Probe(words, row.first, _replies_pass(packet), CUT, OPENED, packet))
    return every


def _opening(packet: Packet) -> Packet:
    """The first packet of the connection to which another one is a reply."""
    first = packet.back()
    first.state, first.nat = "new", None
    return first


def _replies_pass(packet: Packet) -> Answer:
    def answer(explanation: Explanation) -> int:
        steps = walk(explanation.net, packet, "filter", "forward").steps
        if any(step.action == FASTTRACK and step.verdict == YES and step.sure for step in steps):
            return ALL  # as those that follow the first one bypass the filter
        return passes(explanation, packet)

    return answer


def _row_met(row: Row, packet: Packet) -> Answer:
    """Return a question: do packets that should meet a rule still meet it?"""
    return kept(row, None, lambda explanation, _: _meets(explanation, packet, queues.SLOW))


def _begun_met(row: Row, packet: Packet) -> Answer:
    """As `_row_met`, of a Layer 7 rule: it looks at a connection's beginning only."""

    def share(explanation: Explanation, _: Row) -> int:
        met = _meets(explanation, packet, queues.SLOW)
        steps = walk(explanation.net, packet, "filter", "forward").steps
        taking = [step.row for step in steps if step.action == FASTTRACK and step.verdict != NO]
        return ALL if taking and all(map(stateless.takes_late, taking)) else met

    return kept(row, None, share)


PORT, HORIZON = "/interface/bridge/port", "horizon"
ISOLATION = "/interface/ethernet/switch/port-isolation"
KEPT_ROWS = (
    ("/interface/bridge/nat", (), GUARD, N_("a bridge's NAT rule")),
    ("/interface/ethernet/switch/rule", (), GUARD, N_("a rule of the switch chip")),
    ("/interface/mesh", (), GUARD, N_("the mesh")),
    ("/interface/bridge", ("dhcp-snooping",), GUARD, N_("the bridge's DHCP snooping")),
    ("/interface/bridge", ("arp", "protocol-mode", "igmp-snooping"), GUARD,
     N_("a function of the bridge")),
    ("/interface/bridge", ("vlan-filtering", "pvid", "frame-types", "ingress-filtering"), JOINED,
     N_("the VLANs of the bridge")),
    (PORT, ("bridge", "horizon", "pvid", "frame-types", "ingress-filtering",
            "trusted", "bpdu-guard", "restricted-role", "isolate"), JOINED,
     N_("a port of the bridge")),
    ("/interface/bridge/vlan", ("vlan-ids", "tagged", "untagged"), JOINED,
     N_("a VLAN of the bridge")),
    ("/interface/vlan", ("vlan-id",), JOINED, N_("a VLAN")),
    ("/ip/settings", ("rp-filter", "tcp-syncookies"), GUARD, N_("a guard of the router")),
    ("/ip/service", ("address", "disabled"), OPENED, N_("a service of the router")),
)  # fmt: skip
"""Menus, the properties that count (all where none is named), the harm, and the row in words."""


def _rows(explanation: Explanation) -> list[Probe]:
    net = explanation.net
    every: list[Probe] = []
    idle = filtering_nothing(net)
    for menu, names, kind, words in KEPT_ROWS:
        for row in net.rows.of(menu):
            stated = [name for name in names if row.says(name)]
            for_nothing = matches_nothing(row) or (row in idle and "vlan-filtering" in stated)
            if (not stated and names) or for_nothing:
                continue
            if menu == PORT:
                answer = _kept_port(net, row, stated)
            else:
                answer = kept(row, stated if names else None)
            every.append(Probe(gettext(words), row.first, answer, kind))
    filters = [row for row in net.rows.of(OF_FRAMES[0]) if not matches_nothing(row)]
    for row in [] if only_accepts(net) else filters:
        refuses = row.get("action") in REFUSES
        kind, words = (OPENED, N_("a frame that a bridge filter drops")) if refuses else (
            GUARD, N_("a bridge filter"))  # fmt: skip
        every.append(Probe(gettext(words), row.first, kept(row, None, _frames_met), kind))
    # FastTrack lets packets bypass the rules and queues of RouterOS's own.
    seen = _unless(lambda net, _: bool(net.rows.where(FILTER, "action", FASTTRACK)))
    for row in queues.of_kids(net.rows):
        words = gettext("kid control's hours and rate limit")
        every.append(Probe(words, row.first, kept(row, None, seen), GUARD))
    return every + _frames_seen(explanation)


def _frames_seen(explanation: Explanation) -> list[Probe]:
    """The setting by which the IP firewall sees bridged packets, by each row that needs it."""
    net, every = explanation.net, []
    settings = net.rows.single(frames.SETTINGS)
    if settings is None:
        return []
    for row in frames.purposes(net, _by_cpu(explanation))[:MOST_QUEUES]:
        words = N_("use-ip-firewall=yes, which a rule for bridged packets needs")
        if row.menu.path in (queues.SIMPLE, queues.TREE, queues.LEASE, queues.PROFILES):
            words = N_("use-ip-firewall=yes, which a queue for bridged packets needs")
        answer = kept(settings, [frames.ASKED], _frames_met)
        every.append(Probe(gettext(words), row.first, answer, GUARD))
    return every


JOINS = ("bridge", "datapath.bridge")
"""Properties by which a session or a radio becomes a bridge's port while the router runs."""


def _by_cpu(explanation: Explanation) -> list[str]:
    """The bridges of which the CPU forwards frames between ports, or may."""
    net = explanation.net
    joined = {row.get(word) for path in net.rows.menus if path[:17] != "/interface/bridge"
              for row in net.rows.of(path) for word in JOINS}  # fmt: skip
    chip = [one.traffic.interface for one in explanation.classes
            if one.traffic.kind == traffic.BRIDGED and one.ways == [decide.CHIP]]  # fmt: skip
    return [name for name in sorted(net.port_rows)
            if name in joined or (len(net.port_rows[name]) > 1 and name not in chip)]  # fmt: skip


SEGMENT = ("bridge", "pvid")
"""Properties of a bridge's port that say with which others it is joined."""


def _kept_port(net: Network, row: Row, names: list[str]) -> Answer:
    """As `kept`; a port in another bridge or VLAN is kept apart if it joins the same ports."""
    before = _joined_to(net, row)

    def share(explanation: Explanation, now: Row) -> int:
        same = not changed_names(row, now, SEGMENT) or _joined_to(explanation.net, now) == before
        if changed_names(row, now, [name for name in names if name == HORIZON]):
            same = same and _isolated(net, explanation.net, row)
        return ALL if same else NONE

    names_kept = [name for name in names if name not in SEGMENT and name != HORIZON]
    return kept(row, names_kept or ["interface"], share)


def _isolated(net: Network, after: Network, row: Row) -> bool:
    """Return True if the chip keeps a port from those of the horizon that it had."""
    ports = net.port_rows.get(row.get("bridge"), [])
    apart = [one.get("interface") for one in ports if one.get(HORIZON) == row.get(HORIZON)]
    for one in after.rows.of(ISOLATION):
        if one.name == row.get("interface") and one.get("forwarding-override"):
            return not any(name in one.get("forwarding-override").split(",") for name in apart)
    return False


def _joined_to(net: Network, row: Row) -> list[str]:
    """The ports that a bridge's port exchanges untagged frames with, by names."""
    bridge, number = row.get("bridge"), row.get("pvid", "1")
    filters = net.rows.where("/interface/bridge", "name", bridge)
    ports = net.port_rows.get(bridge, [])
    if not any(one.get("vlan-filtering") in ("yes", "true") for one in filters):
        return sorted([one.get("interface") for one in ports])
    names = [one.get("interface") for one in ports if one.get("pvid", "1") == number]
    for vlan in net.rows.where("/interface/bridge/vlan", "bridge", bridge):
        if number in vlan.get("vlan-ids").split(","):
            names += (vlan.get("tagged") + "," + vlan.get("untagged")).split(",")
    return sorted(unique([name for name in names if name not in ("", bridge)]))


def _frames_met(explanation: Explanation, _: Row) -> int:
    """The share of bridged frames that the CPU's filter is asked about: the chip's meet none."""
    bridged = [one for one in explanation.classes if one.traffic.kind == traffic.BRIDGED]
    return _share_beside(decide.IN_CHIP, [way for one in bridged for way in one.ways])


def _tracked(explanation: Explanation) -> list[Probe]:
    row = explanation.net.rows.single("/ip/firewall/connection/tracking")
    line = tracking_off(explanation.net)
    if row is None or line is None:
        return []
    words = gettext("the setting that turns connection tracking off")
    return [Probe(words, line, kept(row, ["enabled"]), TRACKING)]
