"""Remedies: each change that might help is made, and the configuration explained again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from rosexplain import (
    commands,
    cut_off,
    decide,
    frames,
    matching,
    neighbours,
    offload,
    probes,
    queues,
    resolver,
    scripts,
    searching,
    stateless,
    traffic,
    tunnels,
)
from rosexplain.alike import class_of
from rosexplain.bridging import is_single
from rosexplain.classify import Explanation, explained
from rosexplain.commands import TYPED
from rosexplain.decide import FAST_WAYS, IN_CHIP, UNKNOWN, Reason, Verdict
from rosexplain.device import LAST_OF_6
from rosexplain.firewall import walk
from rosexplain.language import N_, few_of, gettext
from rosexplain.logs import CHAINS as OF_FORWARDED
from rosexplain.logs import settles
from rosexplain.marks import both_ways
from rosexplain.matchers import NO, YES
from rosexplain.matching import FASTTRACKS, UNLIMITED, numbers
from rosexplain.network import FASTTRACK, FILTER, OF_FRAMES, REFUSES, TOP, Network, spelled
from rosexplain.ordered import unique
from rosexplain.packet import Packet
from rosexplain.parse import Command, parsed
from rosexplain.rows import Row
from rosexplain.traffic import BRIDGED, CARRIED, DECISIVE, ESTABLISHED
from rosexplain.unused import LISTS, filtering_nothing, matches_nothing, only_accepts
from rosexplain.uplinks import CLIENT

MOST_NAMED = 5

MARKING = ("mark-packet", "change-dscp", "change-ttl", "set-priority", "sniff-tzsp")
COUNTS = "passthrough"
"""The action of a rule that only counts packets."""


def places(lines: list[Command]) -> str:
    """` (home.rsc:12, home.rsc:13 and 4 more)`; empty for none."""
    once: list[Command] = unique(lines, lambda line: (line.file, line.number))
    if not once:
        return ""
    named = [line.place for line in once[:MOST_NAMED]]
    return " (" + few_of(named, MOST_NAMED, len(once)) + ")"


def _of(what: str, rows: list[Row]) -> list[str]:
    return [what + places([row.first for row in rows])] if rows else []


def of_fasttrack(net: Network, family: int, limited: bool = True) -> list[str]:
    """Return the losses to FastTrack here (manual, fasttrack-around), and what must stay slow.

    `limited`: FastTrack takes the hosts of hotspots too.
    """
    mangle = net.rows.of(TOP[family] + "/firewall/mangle")
    direct = commands.marked_directly(net)
    given = net.firewall_of(family).marks.get("connection-mark", set())
    marks = [row for row in commands.routed_by_mark(net) if row not in direct
             and (row.get("connection-mark", "!")[0] == "!" or row.get("connection-mark") in given)
             ]  # fmt: skip
    seen = [row for row in mangle if row.get("action") in MARKING]
    raw = net.rows.of(TOP[family] + "/firewall/raw")
    raw = [row for row in raw if row.get("action") in REFUSES]
    names = [row.get(word) for row in net.rows.of(TOP[family] + "/firewall/filter")
             for word in LISTS if row.get(word)]  # fmt: skip
    lists = (TOP[family] + "/firewall/address-list",)
    filling = [text for _, _, text in scripts.run(net.rows) if scripts.does(text, lists, ("add",))]
    filled = list(net.firewall_of(family).filled)
    filled += [name for name in names if any("list=" + name in text for text in filling)]
    listed = [row for row in net.rows.of(TOP[family] + "/firewall/filter")
              if row.get("action") in REFUSES and not row.says("connection-state")
              and row.get("chain") not in ("input", "output")
              and any(row.get(word) and row.get(word) in filled for word in LISTS)]  # fmt: skip
    counting = [row for row in mangle + net.rows.of(TOP[family] + "/firewall/filter")
                if row.get("action") == COUNTS and row.get("chain") in OF_FORWARDED]  # fmt: skip
    losses = _of(gettext("mangle rules for fast-tracked packets"), seen)
    losses += _of(gettext("the counts of fast-tracked packets"), counting)
    text = gettext("the effect of raw rules that drop packets of connections already fast-tracked")
    losses += _of(text, raw)
    text = gettext("the drops by lists that fill later, of connections already fast-tracked")
    losses += _of(text, listed)
    if family == 4:
        losses += _of(gettext("FastTrack for marked connections"), marks)
        losses += _of(
            gettext("the hotspot's universal client and its users' limits"),
            net.rows.of("/ip/hotspot") + net.idle_hotspots if limited else [],
        )
        # The probes name what somebody reads: IP accounting.
        flow = net.rows.where("/ip/traffic-flow", "enabled", "yes")
        losses += _of(gettext("Traffic Flow for fast-tracked packets"), flow)
        encrypting = net.policies or net.rows.of("/ip/ipsec/identity")
        losses += _of(gettext("FastTrack for packets that IPsec policies encrypt"), encrypting)
    return losses


def of_limited(net: Network) -> list[str]:
    """The losses to a FastTrack rule that leaves out the hosts of queues and hotspots."""
    rows = commands.limiting(net)
    hosts = gettext("FastTrack for the hosts of these queues and hotspots")
    losses = [hosts + places([row.first for row in rows])]
    if any(row.menu.path == commands.SIMPLE for row in rows):
        text = gettext("the limits of queues added later, until their hosts are left out too")
        losses.append(text)
    return losses


def of_switched(net: Network, family: int) -> list[str]:
    """The losses of drops that are off until a script switches them on, as at bedtime.

    They end the connections that run then, and would not end those that are fast-tracked.
    """
    menu = TOP[family] + "/firewall/filter"
    switching = [text for _, _, text in scripts.run(net.rows)
                 if scripts.does(text, (menu,), queues.SWITCHES)]  # fmt: skip
    waiting = [row for row in net.rows.all_of(menu) if switching and not row.on
               and row.get("action") in REFUSES and row.get("chain") not in ("input", "output")
               and _sees_established(row)]  # fmt: skip
    text = gettext("the drops that a script switches on, of connections already fast-tracked")
    return _of(text, waiting)


def of_established(
    net: Network, limited: bool = True, scoped: bool = False, texts: list[str] | None = None
) -> str:
    """The losses to FastTrack that this router has, without those that `of_fasttrack` names.

    `filter, simple queues for fast-tracked connections`, or `no configured function`.
    `limited`: FastTrack takes the hosts of simple queues and hotspots too.  `texts`: its commands,
    of which matchers such as `in-interface=!guests` leave something out.
    `scoped`: FastTrack leaves tunnels out, as its accept rules leave out what policies encrypt.
    """
    text = gettext("{what} for fast-tracked connections")
    if net.missing:
        return text.format(what=gettext("filter, mangle, simple queues, IPsec and Traffic Flow"))
    rows = net.rows
    words = [word for text in texts or [] if FASTTRACK in text for word in text.split(" ")]
    left_out = [word.partition("=!")[2] for word in words if "=!" in word]
    filters: list[Row] = []
    settled: list[str] = []
    for row in rows.of(FILTER):
        chain = row.get("chain")
        if settles(row):
            settled.append(chain)
        elif row.get("action") != FASTTRACK and chain not in ["input", "output"] + settled:
            apart = any(row.get(name) in left_out for name in commands.TURNED if row.get(name))
            filters += [] if apart else [row]
    mangle = [row for row in rows.of("/ip/firewall/mangle") if row.get("chain") in OF_FORWARDED
              and row.get("action") not in MARKING + (COUNTS, "mark-routing")
              and row.get("tcp-flags") != "syn"]  # fmt: skip
    clients = [row.menu.path for row, _ in queues.of_clients(rows)]
    if not limited:
        clients = [path for path in clients if path != queues.LEASES
                   and path[: len(queues.HOTSPOT)] != queues.HOTSPOT]  # fmt: skip
    limits = bool(clients or (limited and rows.of(queues.SIMPLE)))
    secret = bool(probes.in_ipsec(net)) and not scoped
    trees = [branch for branch in queues.branches(rows) if branch.root == queues.GLOBAL]
    parts = [
        (any(_sees_established(row) for row in filters), gettext("filter")),
        (any(_sees_established(row) for row in mangle), gettext("mangle")),
        (limits, gettext("simple queues")),
        (bool(trees), gettext("queue trees")),
        (secret, gettext("IPsec")),
    ]
    what = ", ".join([words for there, words in parts if there])
    return text.format(what=what) if what else gettext(NO_LOSS)


def _sees_established(row: Row) -> bool:
    """Return True if a rule may match packets of connections that FastTrack takes."""
    protocol, states = row.get("protocol"), row.get("connection-state")
    if protocol not in ("",) + commands.FASTTRACKED and protocol[:1] != "!":
        return False
    named = [state in states.lstrip("!").split(",") for state in ESTABLISHES]
    return not states or (not all(named) if states[0] == "!" else any(named))


def of_hardware(net: Network) -> list[str]:
    """Return the losses to L3 hardware offload in words (manual, l3hw-firewall)."""
    losses: list[str] = []
    for what, menu in (
        (gettext("mangle rules"), "/ip/firewall/mangle"),
        (gettext("simple queues"), "/queue/simple"),
        (gettext("queue trees"), "/queue/tree"),
    ):
        losses += _of(what, net.rows.of(menu))
    forward = net.rows.where(FILTER, "chain", "forward")
    losses += _of(gettext("filter rules"), [r for r in forward if r.get("action") != FASTTRACK])
    tracked = net.setting("/ip/firewall/connection/tracking", "enabled")[0] == "yes"
    others = any(net.rows.of("/ip/firewall/" + table) for table in ("nat", "raw"))
    if not losses and not tracked and not others:
        return [gettext("rules and queues that are added later, for packets that the chip routes")]
    every = gettext("firewall, connection tracking and queues for packets that the chip routes")
    return [every] + losses


# What is not better then, makes other packets slower, or warns of something new, is no remedy.

MOST_TRIED = 40000
"""Commands of exports that are explained again for all remedies of an answer together."""

MOST_STEPS = 4
"""Remedies that are taken together, each for what the ones before left slow."""

NO_LOSS = N_("no configured function")
"""What a rule loses that does nothing."""
ONE_VLAN = N_("no VLAN: each port of these bridges has the bridge's own pvid")
OF_GONE = N_("nothing, as the interfaces of the bridge rules are gone")
FRAMES_ASIDE = N_("nothing, as no rule is for bridged packets")
UPDATE = "/system/package/update/install"
RESTARTS = "all connections while the router reboots to install the update"
"""By the manual's page cli-reference/system/package, which does not tell when it restarts."""

TRANSIT = "transit"
"""The rule about BGP and OSPF: what such a router does not translate may come back elsewhere."""
UNREAD = "tracked-for-nothing"
"""The rule whose remedy keeps every rule, and does without tracking, which FastTrack needs."""
INSIDE = ("established", "lan-to-lan")
"""The classes from the LAN to the internet, and between the networks of a LAN."""
ASTRAY = ("fasttrack-and-ipsec", "fasttrack-and-marks", "fasttrack-and-tables")
"""Notes of packets that FastTrack leads astray."""
UNANSWERED, ESTABLISHES = "replies-dropped", ("established", "related")
"""The rule of connections whose replies are dropped, and the states that its remedy accepts."""
IN_FRONT = "accept-in-front"
"""The note of rules that accept packets in front of FastTrack's."""

SWITCH = "/interface/ethernet/switch"
ON_PORT = "vlan-elsewhere"
"""The rule that a VLAN on a port is not the chip's (manual, l3hw-vlan-on-bridge)."""
OFFLOADS = "7.1"
"""The first version whose chips route (fact l3hw-releases)."""


Lines: TypeAlias = list[Command]


def _marked(net: Network, _: Lines, packet: Packet | None, texts: list[str]) -> list[str]:
    direct = commands.marked_directly(net)
    return commands.keeping_out(net, direct, packet) if direct else texts


def _routed(net: Network, _: Lines, packet: Packet | None, texts: list[str]) -> list[str]:
    rules = commands.looked_up(net)
    if commands.covers_sources(rules, packet):
        return []  # users contradict the manual: too little to do without FastTrack
    hosts = commands.keeping_out(net, rules, packet)
    return hosts + texts[-1:] if hosts else []


def _limited(net: Network, lines: Lines, packet: Packet | None, texts: list[str]) -> list[str]:
    # An accept of established packets stops no rule that takes new ones.
    rules = [row for menu in (FILTER, commands.MANGLE)
             for row in net.rows.where(menu, "action", FASTTRACK)]  # fmt: skip
    apart = commands.accepting_limited
    if not all(row.says("connection-state") for row in rules):
        apart = commands.sparing_by_rules
    hosts = apart(net, lines, packet)
    return hosts + texts[-1:] if hosts else texts


INSTEAD: dict[str, Callable[[Network, Lines, Packet | None, list[str]], list[str]]] = {
    "marked": _marked,
    "routed": _routed,
    "limited": _limited,
    "changed": commands.accepting_changed,
    "few": lambda net, *_: stateless.tracking_few(net),
    "searched": lambda net, _, __, texts: searching.beginning(net, texts),
    "strangers": lambda net, *_: resolver.dropping(net),
    "proxied": lambda net, *_: resolver.dropping(net, resolver.proxy_ports(net)),
}
"""By the word of a rule's `spares` or `refuses`: its commands, given those of its `remedy`.

The last of those ends the connections that are fast-tracked already.
"""


def intended(rule: dict[str, Any], explanation: Explanation, harm: probes.Harm) -> bool:
    """Return True if a rule's remedy is there to do what this harm says (`intends`, `refuses`).

    Of what it is about: its lines, connections that were let begin, or networks that are cut off.
    """
    packet = harm.packet
    if harm.kind == probes.CUT and packet is not None and "refuses" in rule:
        return resolver.from_strangers(explanation.net, packet)
    if not rule or (harm.kind != probes.LOGGED and harm.kind not in _intends(rule)):
        return False
    if harm.kind == probes.OPENED:
        return packet is not None and packet.state in ESTABLISHES
    if harm.kind == probes.CUT:
        # The rules that guard the other ways out are about this one too then.
        outs = [one.out for one in cut_off.leaving(explanation.net)]
        outs += _joined_bridges(explanation, rule)
        new = packet if packet is not None and packet.state == "new" else None
        return new is not None and all(name in outs for name in new.ins or [""])
    return any(line is harm.line for line in explanation.met.get(rule["id"], []))


def _joined_bridges(explanation: Explanation, rule: dict[str, Any]) -> list[str]:
    """The bridges to which a rule's remedy takes the clients on their ports."""
    net = explanation.net
    rows = commands.rows_of(net, explanation.met.get(rule["id"], []))
    ports = [row.get("interface") for row in rows if row.menu.path == CLIENT]
    return [net.bridge_of[port] for port in ports if port in net.bridge_of]


def _intends(rule: dict[str, Any]) -> list[str]:
    """The harms that a rule's remedy is there to do; most rules have none."""
    return list(rule["intends"]) if "intends" in rule else []


@dataclass
class Option:
    """The commands for one rule; what is lost with them, and whether a feature is given up.

    `gives_up`: it is tried after all that give up nothing; the probes decide what is shown.
    `needs`: the first version that does, where it is an update.  `given_up`: losses that no probe
    sees.
    """

    rule: str
    commands: list[str]
    loses: list[str]
    gives_up: bool = False
    needs: str = ""
    given_up: list[str] = field(default_factory=list)


class Changes:
    """The remedies for what was found, each tried once."""

    def __init__(self, explanation: Explanation) -> None:
        self.explanation = explanation
        self.rules = explanation.net.rules.by_id
        self.on_ports: list[Command] = []
        """The VLAN interfaces on ports for which alone the chip does not route."""
        self.barred: dict[str, list[Command]] = {}
        """The bars to FastTrack as a remedy: the rules about it, and the lines that match them."""
        self.untried = False
        """True if some were left out because the exports are long."""
        self.refused: dict[str, list[probes.Harm]] = {}
        """By class: the harms of the remedies that are not shown because of them."""
        self._probes = probes.Asked(explanation)
        self._harms: dict[int, list[probes.Harm]] = {}
        """The harms of what was tried, by the id of its explanation, which stays in `_tried`."""
        self._tried: dict[str, Explanation] = {}
        self._nets: dict[tuple[int, str], Network] = {}
        self._lines = sum(len(export.commands) for export in explanation.net.exports)
        self._left = MOST_TRIED

    def of_class(self, verdict: Verdict) -> list[dict[str, Any]]:
        """The remedies of a class; those that give up more than another only where they do more."""
        if verdict.traffic.kind not in DECISIVE:
            return []  # first packets, ping and what is for the router are few
        options: list[tuple[dict[str, Any], set[str], list[int]]] = []
        for option in self._options(self.explanation, verdict):
            chosen, rank = self._grown(verdict, option)
            if not chosen:
                continue
            change = change_of(chosen)
            if sorted(change["commands"]) in [sorted(other["commands"]) for other, _, _ in options]:
                continue
            if not self._harmless(change, verdict.traffic.name):
                continue
            if not self._joins_networks(verdict, chosen) or not self._takes_some(verdict, chosen):
                continue
            change["then"] = self._then(verdict, chosen)
            gives = {one.rule for one in chosen if one.gives_up}
            options.append((change, gives, rank))
        changes = [
            change
            for change, gives, rank in options
            if not any(less < gives and other >= rank for _, less, other in options)
        ]
        return [change for change in changes if self._spelled(change)]

    def _takes_some(self, verdict: Verdict, chosen: list[Option]) -> bool:
        """Return False if a FastTrack rule takes nothing but what it leaves out; keep why."""
        net, texts = self.explanation.net, _texts(chosen)
        of = verdict if verdict.traffic.name == INSIDE[1] else self.explanation.main
        packet = of.traffic.packet if of is not None else None
        if verdict.traffic.family == 6 or not any(FASTTRACK in text for text in texts):
            return True
        again = self._with(texts)
        if packet is None or again is None:
            return True
        rules = again.net.rows.where(FILTER, "action", FASTTRACK)
        apart = traffic.of_networks(again.net, packet)
        # Where sessions alone come in, they are dynamic interfaces.
        sessions = all(row.get("in-interface-list") == "!dynamic" for row in rules)
        if not apart and (packet.ins or not sessions):
            return True
        both = [way for one in apart for way in both_ways(again.net, one)]
        if any(traffic.reaches(again.net, way) for way in both):
            return True
        self._bar([], commands.routed_by_mark(net) + commands.looked_up(net))
        return False

    def _joins_networks(self, verdict: Verdict, chosen: list[Option]) -> bool:
        """Return False if a FastTrack rule leaves out so many networks that no two are left."""
        packet, texts = verdict.traffic.packet, _texts(chosen)
        sparing = any(FASTTRACK in text and ("=!" in text or commands.SCOPE in text)
                      for text in texts)  # fmt: skip
        names = packet.ins or [] if packet is not None else []
        if verdict.traffic.name != INSIDE[1] or packet is None or not sparing or len(names) < 2:
            return True
        again = self._with(texts)
        for one in names if again is not None else []:
            for other in names:
                pair = packet.copied()
                pair.ins, pair.outs = [one], [other]
                if (
                    one != other
                    and again is not None
                    and any(
                        step.action == FASTTRACK and step.verdict != NO
                        for step in walk(again.net, pair, "filter", "forward").steps
                    )
                ):
                    return True
        return False

    def _harmless(self, change: dict[str, Any], name: str) -> bool:
        """Ask the probes about a change of a class or a note: whether it may be shown at all.

        What it takes away that somebody may not need stands in `given_up`, and it gives that up.
        What only counts packets stands in `loses`; what only logs them does too, and is given up.
        """
        again = self._with(change["commands"])
        if again is None:
            return False
        rule = self.rules.get(name, {})
        every = self._harms_of(again)
        every = [harm for harm in every if not intended(rule, self.explanation, harm)]
        harms = probes.distinct(every)
        never = [harm for harm in harms if harm.kind in probes.NEVER]
        if TRANSIT in self.explanation.met:
            never += [harm for harm in harms if harm.kind == probes.TRACKING]
        if never:
            # A reader knows no line that was only tried.
            named = [one for one in never if one.line is None or one.line.file != TYPED]
            self.refused.setdefault(name, []).extend(named)
            return False
        logged = [harm for harm in harms if harm.kind == probes.LOGGED]
        kept = [harm for harm in harms if harm.kind != probes.COUNTED and harm not in logged]
        change["loses"] = "; ".join(
            [change["loses"]] + probes.without(self.explanation.net, logged)
        )
        change["given_up"] += probes.without(self.explanation.net, kept)
        change["logged"] = probes.without(self.explanation.net, logged)
        change["gives_up"] = change["gives_up"] or bool(kept + logged)
        return True

    def _spelled(self, change: dict[str, Any]) -> bool:
        """Write a change's commands as this router takes them, and those that take them back.

        False where nothing takes them back; an update is told in words.
        """
        net = self.explanation.net
        texts = [text for text in change["commands"] if text != UPDATE]
        change["update"] = UPDATE in change["commands"]
        change["row_by_row"] = [spelled(net, text) for text in texts]
        shorter = commands.at_once(net, texts)
        undo = self._undo(shorter)
        if shorter != texts and not undo:
            shorter, undo = texts, self._undo(texts)
        texts = shorter
        change["undo"] = [spelled(net, text) for text in undo]
        change["commands"] = [spelled(net, text) for text in texts]
        return bool(change["undo"]) or not texts

    def _undo(self, texts: list[str]) -> list[str]:
        """The commands that take others back, tried: the rows are then as they were."""
        net = self.explanation.net
        undo = commands.undone(net, self._net(self.explanation, texts), texts, TYPED)
        if not undo:
            return []
        again = self._net(self.explanation, texts + undo)
        menus = {text.partition(" ")[0].rpartition("/")[0] for text in texts}
        same = all(_same(net, again, menu) for menu in menus)
        return undo if same and not _unread(again) else []

    def of_note(self, name: str) -> dict[str, Any]:
        """The remedy of a note: with it, the note is gone and no other is there."""
        net, main = self.explanation.net, self.explanation.main
        rule, lines = self.rules[name], self.explanation.met[name]
        word = self.rules[name].get("spares") or self.rules[name].get("refuses")
        if main is None and "notice" not in rule and "frames" not in rule:
            return change_of([])  # it is tried on that class
        packet = main.traffic.packet if main is not None else None
        texts = whole = commands.commands(net, rule, lines, packet, 4)
        if word:
            texts = INSTEAD[word](net, lines, packet, texts)
        if name == UNLIMITED and texts != whole:  # where these leave some out, FastTrack is off
            spared = self._with(texts)
            texts = texts if spared is not None and self._settles(name, spared) else whole
        option = Option(name, texts, [rule["loses"]], "gives_up" in rule, _after(rule["until"]))
        change = change_of([option])
        again = self._with(texts) if texts else None
        if again is None or not self._settles(name, again):
            return change_of([])
        if not self._harmless(change, name) or not self._spelled(change):
            return change_of([])
        if change["given_up"] and not self._faster(again):
            return change_of([])  # it would give something up for no packet's sake
        change["then"] = {"gone": True}
        return change

    def _settles(self, name: str, again: Explanation) -> bool:
        """Return True if a note is gone then, and nothing is worse."""
        rule = self.rules[name]
        if name in again.met or self._warned(again, rule) or _unread(again.net):
            return False
        if "opens" in rule and not self._faster(again):
            return False  # something else closes the fast path
        if name == IN_FRONT:  # what is in front may be all that keeps some from FastTrack
            return not any(one in again.met for one in ASTRAY)
        # The first rule of a firewall closes the fast path.
        return "refuses" not in rule or not self._slower(again)

    def _options(self, explanation: Explanation, verdict: Verdict) -> list[Option]:
        """Return the options for a class, the guarded first, those that give up a feature last."""
        options: list[Option] = []
        if verdict.answer != YES:
            options += self._fasttrack(explanation, verdict)
            for reason in verdict.reasons:
                options += self._of_reason(explanation, verdict, reason)
        if verdict.traffic.kind == ESTABLISHED:
            options = self._on_bridge(explanation, verdict) + options
            options += self._hardware(explanation, verdict)
        gentle = [option for option in options if not option.gives_up]
        return gentle + [option for option in options if option.gives_up]

    def _of_reason(
        self, explanation: Explanation, verdict: Verdict, reason: Reason
    ) -> list[Option]:
        rule = self.rules.get(reason.rule)
        if not rule or not rule["remedy"] or matching.offers_fasttrack(rule):
            return []
        if reason.rule == "tracking" and reason.rule not in explanation.met:
            return []  # nobody forced it
        net = explanation.net
        packet, family = verdict.traffic.packet, verdict.traffic.family
        texts = commands.commands(net, rule, reason.lines, packet, family)
        if not texts:
            return []
        gives_up, loses = "gives_up" in rule, rule["loses"]
        if frames.ASKED in rule["where"] and frames.is_idle(net):
            loses = gettext(FRAMES_ASIDE)
        filters = commands.rows_of(net, reason.lines) if "vlan-filtering" in rule["where"] else []
        if filters and all(row in filtering_nothing(net) for row in filters):
            off = "/interface/bridge/set {row} vlan-filtering=no"
            texts = [off.replace("{row}", commands.selector(row)) for row in filters]
            gives_up, loses = False, gettext(ONE_VLAN)
        about = {line.menu for line in reason.lines}
        if about and all(menu in OF_FRAMES for menu in about) and only_accepts(net):
            gone = all(matches_nothing(row) for row in commands.rows_of(net, reason.lines))
            gives_up, loses = False, gettext(OF_GONE if gone else NO_LOSS)
        idle = [row.first for row in queues.limitless(net.rows)]
        if reason.lines and all(line in idle for line in reason.lines):
            gives_up, loses = False, gettext("the counters of these queues")
        losses = loses + (places(reason.lines) if gives_up and UPDATE not in texts else "")
        around = tunnels.bypassed(net, reason.lines) if "bypasses" in rule else []
        needs = _after(rule["until"])
        # No probe follows a packet into a tunnel.
        given_up = [loses + places([row.first for row in around])] if around else []
        return [Option(reason.rule, texts, [losses], gives_up or bool(around), needs, given_up)]

    def _fasttrack(self, explanation: Explanation, verdict: Verdict) -> list[Option]:
        """FastTrack, which must leave out what IPsec protects and what has a routing mark."""
        net, family = explanation.net, verdict.traffic.family
        closing = [self.rules[r.rule] for r in verdict.reasons if r.rule in self.rules]
        if (
            verdict.traffic.kind not in (ESTABLISHED, CARRIED)
            or FASTTRACKS[family == 6] in explanation.met
            or net.unwritten(family)
            or net.bypass_unknown
        ):
            return []
        if not [rule for rule in closing if rule["closes"].get("ip")]:
            return []
        for reason in verdict.reasons:
            if reason.rule in self.rules and "fasttrack" in self.rules[reason.rule]["closes"]:
                self.barred[reason.rule] = reason.lines
        if verdict.traffic.name in INSIDE and not net.wan and UNANSWERED in explanation.met:
            self.barred[UNANSWERED] = explanation.met[UNANSWERED]
            return []  # it would answer what the firewall leaves without an answer
        direct = commands.marked_directly(net) + commands.looked_up(net) if family == 4 else []
        own = commands.accepting_marked(net, direct, verdict.traffic.packet)
        nobody = commands.covers_sources(direct, verdict.traffic.packet)
        in_vrf = explanation.met.get("vrf", [])
        apart = commands.accepting_vrfs(net, verdict.traffic.packet) if family == 4 else []
        barred = bool(in_vrf and not apart) or bool(direct and not own) or nobody
        leading = commands.marking_shares(net) if family == 4 and not barred else []
        leading = direct if barred else leading
        if barred or leading:
            self._bar([] if apart else in_vrf, leading)
            return []
        if not self._sees_both(explanation, verdict):
            return []
        rule = self.rules["rules" if family == 4 else "rules-ipv6"]
        packet = verdict.traffic.packet
        if packet is None:  # a PPPoE client carries what is established
            packet = explanation.main.traffic.packet if explanation.main else None
        old = not matching.has_fasttrack(net.base, net.numbers, family)
        first = ([UPDATE] if old else []) + own + apart
        trees = _of(
            gettext("queues that match marks, which fast-tracked packets do not have"),
            queues.of_marks(net.rows),
        )
        rest = ([RESTARTS] if old else []) + trees
        rest += _of(gettext("FastTrack for the hosts of these rules"), direct)
        rest += [gettext("FastTrack for the networks of VRFs") + places(in_vrf)] if apart else []
        limited, sparing = self._leaving_out_limited() if family == 4 else ([], [])
        spares = bool(limited or sparing)
        limited, sparing, carried = self._leaving_out_carried(family, limited, sparing)
        rest += of_limited(net) if spares else []
        template = rule["remedy"][0]
        texts = self._fasttracking(explanation, first + limited, template, packet, family, sparing)
        scoped = bool(carried and sparing)
        general = rule["loses"]
        if family == 4:
            general = of_established(net, not spares, scoped, texts)
        rest += _of(gettext("FastTrack for the tunnels that IPsec carries"), carried)
        losses = [general] + of_fasttrack(net, family, not spares) + rest
        names = [rule["id"] for rule in closing if matching.offers_fasttrack(rule)]
        name = (names + [FASTTRACKS[family == 6]])[0]
        needs = self.rules[FASTTRACKS[family == 6]]["since"] or ""
        switched = of_switched(net, family)
        return [Option(name, texts, losses + switched, old or bool(trees + switched), needs,
                       switched)]  # fmt: skip

    def _sees_both(self, explanation: Explanation, verdict: Verdict) -> bool:
        """Return True if both directions of a class's connections pass this router.

        Where not, and it is the main class, keep why FastTrack is no remedy.
        """
        leaf = bool(neighbours.only_one(explanation.net)) and UNREAD not in explanation.met
        if TRANSIT not in explanation.met or verdict.traffic.by_router or leaf:
            return True
        main = explanation.main
        if main is not None and main.traffic.name == verdict.traffic.name:
            self.barred[TRANSIT] = explanation.met[TRANSIT]
        return False

    def _fasttracking(
        self,
        explanation: Explanation,
        first: list[str],
        template: str,
        packet: Packet | None,
        family: int,
        sparing: list[str],
    ) -> list[str]:
        """The commands `first`, and behind them IPsec's accept rules and FastTrack's rule."""
        classes = [one.traffic for one in explanation.classes if one.traffic.kind == ESTABLISHED]
        packets = [one.packet for one in classes if one.family == family]
        every = [other for other in packets if other is not None and other is not packet]
        choices: list[list[str]] = []
        for others in ([], every):
            texts = first[:]
            for way in ("in", "out") if family == 4 and explanation.net.has_ipsec else ():
                after = self._net(explanation, texts)
                texts += commands.accepting_ipsec(after, way, packet, others)
            after = self._net(explanation, texts)
            texts += commands.fasttracking(after, template, packet, family, sparing, others)
            choices.append(texts)
        last, ahead = choices
        best = ahead if ahead == last or self._no_worse(ahead, last) else last
        behind = commands.accepting_behind(self._net(explanation, best), best[-1], family)
        return best + behind if behind and self._no_worse(best + behind, best) else best

    def _no_worse(self, texts: list[str], others: list[str]) -> bool:
        """Return True if commands do no harm that others do not."""
        again, other = self._with(texts), self._with(others)
        if again is None or other is None:
            return False
        known = [harm.text(other.net) for harm in self._harms_of(other)]
        return all(harm.text(again.net) in known for harm in self._harms_of(again))

    def _harms_of(self, again: Explanation) -> list[probes.Harm]:
        """The harms of what was tried, of which the probes are asked once."""
        if id(again) not in self._harms:
            self._harms[id(again)] = self._probes.every_harm(again)
        return self._harms[id(again)]

    def _leaving_out_limited(self) -> tuple[list[str], list[str]]:
        """By what FastTrack leaves out simple queues and hotspots, where these are few.

        The commands before FastTrack's rule, and matchers of its own.
        None where most networks have some, or somebody turned FastTrack off for their sake.
        Another change may disable a queue or a hotspot, and is then not needed for FastTrack.
        """
        net, main = self.explanation.net, self.explanation.main
        packet = main.traffic.packet if main is not None else None
        idle = queues.limitless(net.rows)
        rows = [row for row in commands.limiting(net) if row not in idle]
        if not rows or packet is None or commands.fasttrack_off(net):
            return [], []
        inside = [row.get("interface") for row in net.rows.of("/ip/address")]
        inside = [name for name in packet.ins or [] if name in [net.above(one) for one in inside]]
        limited = [net.above(name) for row in rows for name in queues.clients_of(net.rows, row)]
        if 2 * len([name for name in inside if name in limited]) > len(inside):
            return [], []
        lines = [row.first for row in rows]
        listing, sparing = commands.sparing_limited(net, lines, packet)
        return (listing if sparing else commands.accepting_limited(net, lines, packet)), sparing

    def _leaving_out_carried(
        self, family: int, limited: list[str], sparing: list[str]
    ) -> tuple[list[str], list[str], list[Row]]:
        """The same with what leaves out tunnels in IPsec too, and their rows; none if they stay."""
        carried = probes.in_ipsec(self.explanation.net) if family == 4 else []
        listing: list[str] = []
        scope: list[str] = []
        if carried:
            listing, scope, sparing = commands.between(self.explanation.net, carried, sparing)
        return limited + listing, sparing + scope, carried if scope else []

    def _bar(self, in_vrf: Lines, leading: list[Row]) -> None:
        """Keep why FastTrack is no remedy: VRFs, or rules that lead packets to other tables."""
        if in_vrf:
            self.barred["fasttrack-and-vrfs"] = in_vrf
        for row in leading:
            marks = row.get("action").startswith("mark-")
            name = "fasttrack-and-marks" if marks else "fasttrack-and-tables"
            lines = self.barred.setdefault(name, [])
            lines += [one.first for one in self._routing_by(row) if one.first not in lines]

    def _routing_by(self, row: Row) -> list[Row]:
        """The rules that give a routing mark by the connection mark of a rule; else itself."""
        routing = commands.routed_by_mark(self.explanation.net)
        mark = row.get("new-connection-mark")
        by_mark = [one for one in routing if mark and one.get("connection-mark") == mark]
        known = [one for one in routing if mark and one.get("connection-mark")]
        return by_mark or known or [row]

    def _on_bridge(self, explanation: Explanation, verdict: Verdict) -> list[Option]:
        """VLANs on ports moved to the bridge that tells VLANs apart, by which the chip routes."""
        rows = explanation.net.rows
        rules = [row for one in REFUSES for row in rows.where(FILTER, "action", one)]
        if [row for row in rules if row.get("chain") not in ("input", "output")]:
            return []  # the chip would let pass what they drop
        if offload.needs_cpu(explanation.net):
            return []
        lines = [line for r in verdict.reasons if r.rule == ON_PORT for line in r.lines]
        texts = commands.vlans_on_bridge(explanation.net, lines)
        if not texts:
            return []
        loses = gettext("untagged frames on these ports{lines}").format(lines=places(lines))
        losses = [loses] + of_hardware(explanation.net)
        return [Option(ON_PORT, texts, losses, True, given_up=[loses])]

    def _hardware(self, explanation: Explanation, verdict: Verdict) -> list[Option]:
        """The switch chip as a router, where it is one and was not told to be."""
        net = explanation.net
        settings = [row.get("l3-hw-offloading") for row in net.rows.of(SWITCH)]
        if not net.chip or "yes" in settings or all(way in IN_CHIP for way in verdict.ways):
            return []
        old = bool(net.numbers) and net.numbers < numbers(OFFLOADS)
        if old and verdict.answer != YES:
            return []  # its own release has a remedy, which comes first
        first, restarts = ([UPDATE], [RESTARTS]) if old else ([], [])
        on = SWITCH + "/set 0 l3-hw-offloading=yes"
        losses = restarts + of_hardware(net)
        options: list[Option] = []
        if not offload.needs_cpu(net):
            options = [Option("l3hw", first + [on], losses, old, OFFLOADS)]
            again = self._with(first + [on]) if explanation is self.explanation else None
            other = class_of(again.classes, verdict.traffic) if again else None
            for reason in other.reasons if other else []:
                if reason.rule == ON_PORT:
                    self.on_ports = reason.lines
        if net.chip["fasttrack"]:
            ports = SWITCH + "/port/set [find] l3-hw-offloading=no"
            texts = first + [ports, on] + commands.offloading(net)
            losses = restarts + [
                gettext(
                    "CPU counters for packets that the chip forwards; only the chip counts them"
                )
            ]
            options = [Option("l3hw", texts, losses, old, OFFLOADS)] + options
        return options

    def _grown(self, verdict: Verdict, option: Option) -> tuple[list[Option], list[int]]:
        """An option with what else is needed beside it, and its rank; no remedy has none."""
        chosen = [option]
        for _ in range(MOST_STEPS):
            again, other = self._again(verdict, chosen)
            if again is None or other is None:
                return [], []
            if other.answer != YES:
                options = self._options(again, other)
            else:
                options = self._of_warnings(verdict, again)
            names = [one.rule for one in chosen]
            more = [one for one in options if one.rule not in names]
            more = [one for one in more if option.gives_up or not one.gives_up]
            if not more:
                break
            chosen.append(more[0])
        rank = self._ranked(verdict, chosen)
        if not rank:
            self._led_astray(chosen)
            return [], []
        for one in chosen[:]:
            left = [other for other in chosen if other is not one]
            without = self._ranked(verdict, left) if left else []
            if without and without >= rank:
                chosen, rank = left, without
        return chosen, rank

    def _of_warnings(self, verdict: Verdict, again: Explanation) -> list[Option]:
        """The options for the lines that the router is warned of then, as queues that are left."""
        lines = {id(line) for name in self._warned(again) for line in again.met.get(name, [])}
        options: list[Option] = []
        for reason in verdict.reasons if lines else []:
            if any(id(line) in lines for line in reason.lines):
                options += self._of_reason(self.explanation, verdict, reason)
        return options

    def _ranked(self, verdict: Verdict, chosen: list[Option]) -> list[int]:
        """The rank of these packets then.

        Empty where they are no better off, others are worse off, or something new is warned of.
        """
        again, other = self._again(verdict, chosen)
        if (
            again is None
            or other is None
            or other.answer == NO
            or rank_of(other) <= rank_of(verdict)
        ):
            return []
        if self._slower(again) or self._warned(again) or _unread(again.net):
            return []
        return rank_of(other)

    def _led_astray(self, chosen: list[Option]) -> None:
        """Keep why FastTrack is no remedy: the packets that it would lead astray."""
        again = self._with(_texts(chosen))
        if again is None or not any(FASTTRACK in text for text in _texts(chosen)):
            return
        for name in self._warned(again):
            if name in ASTRAY:
                self.barred[name] = [line for line in again.met[name] if line.file != TYPED]

    def _faster(self, again: Explanation) -> bool:
        """Return True if some class is on a better path than before."""
        return any(now > before for _, before, now in self._ranks(again))

    def _slower(self, again: Explanation) -> bool:
        """Return True if some class that decides is on a worse path than before.

        Not that of a bridge of one port, which nothing crosses.
        """
        slower = [one.traffic for one, before, now in self._ranks(again) if now < before]
        return any(one.kind in DECISIVE and not is_single(again.net, one.interface)
                   for one in slower)  # fmt: skip

    def _ranks(self, again: Explanation) -> list[tuple[Verdict, list[int], list[int]]]:
        """The classes that are still there, each with its rank before and now."""
        every = [(one, class_of(again.classes, one.traffic)) for one in self.explanation.classes]
        return [(one, rank_of(one), rank_of(now)) for one, now in every if now is not None]

    def _warned(self, again: Explanation, rule: dict[str, Any] | None = None) -> list[str]:
        """Return the warnings that are new, but those that the remedy of a `rule` may bring."""
        explanation = self.explanation
        noted = matching.notes(explanation.net.base, again.met)
        updated = again.net.version != explanation.net.version
        bears = ["always"] + (["updated"] if updated else []) + (_intends(rule) if rule else [])
        notes = [name for name in noted if name not in explanation.met
                 and self.rules[name].get("tolerated") not in bears]  # fmt: skip
        notes = [name for name in notes if name != UNLIMITED or not _known_to_option(again)]
        return notes + [name for name in off_chip(again) if name not in off_chip(explanation)]

    def _then(self, verdict: Verdict, chosen: list[Option]) -> dict[str, Any] | None:
        _, other = self._again(verdict, chosen)
        if other is None:
            return None
        then = {"answer": other.answer, "paths": other.ways, "better": True}
        then["costs"] = [in_records(self.explanation.net.base, other, way) for way in other.ways]
        return then

    def _net(self, explanation: Explanation, texts: list[str]) -> Network:
        """The configuration of an explanation with more commands in it."""
        if not texts:
            return explanation.net
        text = "\n".join(texts)
        key = (id(explanation), text)  # it stays in `_tried`
        if key not in self._nets:
            net = explanation.net
            self._nets[key] = net.behind(parsed(text, TYPED).commands, net.version)
        return self._nets[key]

    def _again(
        self, verdict: Verdict, chosen: list[Option]
    ) -> tuple[Explanation | None, Verdict | None]:
        """The explanation with these remedies, and the class in it."""
        again = self._with(_texts(chosen))
        return again, class_of(again.classes, verdict.traffic) if again else None

    def _with(self, texts: list[str]) -> Explanation | None:
        """The explanation with these commands; None where too much has been tried already."""
        text = "\n".join(texts)
        if text not in self._tried:
            if self._left < self._lines:
                self.untried = True
                return None
            self._left -= self._lines
            net = self.explanation.net
            typed = parsed("\n".join([one for one in texts if one != UPDATE]), TYPED)
            more = typed.commands
            version = net.base["read_for"] if UPDATE in texts else net.version
            evidence = self.explanation.evidence + more
            again = explained(net.behind(more, version), self.explanation.without, evidence)
            again.net.rows.unread += typed.unread
            self._tried[text] = again
        return self._tried[text]


def change_of(chosen: list[Option]) -> dict[str, Any]:
    """The plain data of a change, before it is tried; of no options that of no change."""
    losses = unique([loss for option in chosen for loss in option.loses])
    nothing = [NO_LOSS, gettext(NO_LOSS), gettext(FRAMES_ASIDE)]
    real = [loss for loss in losses if loss not in nothing]
    return {
        "rule": chosen[0].rule if chosen else "",
        "commands": _texts(chosen),
        "row_by_row": [],
        "loses": "; ".join(real or losses[-1:]),
        "then": None,
        "undo": [],
        "gives_up": any(option.gives_up for option in chosen),
        "given_up": unique([words for option in chosen for words in option.given_up]),
        "logged": [],
        "update": False,
        "needs": max(
            [""] + [option.needs for option in chosen if UPDATE in option.commands], key=numbers
        ),
    }


def _after(until: str | None) -> str:
    """The version after the last of a rule: `7.2` after `7.1`, and `7` after `6.49`."""
    major, _, minor = (until or "").partition(".")
    if not minor:
        return ""
    newest = until == LAST_OF_6
    return str(int(major) + 1) if newest else major + "." + str(int(minor) + 1)


def _known_to_option(explanation: Explanation) -> bool:
    """True if FastTrack bypasses only queues by their marks, whose loss its option names.

    Or those of sessions, of which probes ask.
    """
    rows = explanation.net.rows
    leaves = [row.first for row in queues.of_marks(rows)]
    leaves += [row.command(name) for row, name in queues.of_clients(rows)]
    return all(line in leaves for line in explanation.met[UNLIMITED][1:])


def off_chip(explanation: Explanation) -> list[str]:
    """The rules by which the chip does not route, or routes what the firewall should have seen."""
    net = explanation.net
    switches = [row for row in net.rows.of(SWITCH) if row.get("l3-hw-offloading") == "yes"]
    if not net.chip or not switches:
        return []
    routed = [verdict for verdict in explanation.classes if verdict.traffic.kind != BRIDGED]
    # Of what the chip fast-tracks, the firewall has seen the beginning.
    routes = [verdict for verdict in routed if decide.CHIP in verdict.ways]
    effects = ("off", "blind") if routes else ("off",)
    rules = [
        rule for rule in net.base["rules"] if rule["offload"] and rule["id"] in explanation.met
    ]
    rules = [rule for rule in rules if rule["offload"]["effect"] in effects]
    return [rule["id"] for rule in rules if matching.of_chip(rule, net.chip["classes"])]


def _texts(chosen: list[Option]) -> list[str]:
    return unique([text for option in chosen for text in option.commands])


def _same(net: Network, again: Network, menu: str) -> bool:
    """Return True if a menu has the same rows in the same order, with the same values."""
    rows, others = [
        [row for row in one.rows.all_of(menu) if row.first.file != TYPED] for one in (net, again)
    ]
    pairs = list(zip(rows, others, strict=False))
    alike = all(row.first is other.first and _alike(net, row, other) for row, other in pairs)
    return len(rows) == len(others) and alike


def _alike(net: Network, row: Row, other: Row) -> bool:
    """True if two rows say the same; what only one says may be what the router has of itself."""
    if row.on != other.on:
        return False
    if not row.menu.every and not other.menu.every and row.values == other.values:
        return True
    for property_name in unique(row.names + other.names + list(other.menu.every)):
        was, now = row.stated(property_name), other.stated(property_name)
        if property_name == "disabled" or (was or "") == (now or ""):
            continue
        usual = commands.may_be_unsaid(net, row.menu.path, property_name, now or "")
        if was is not None or not usual:
            return False
    return True


def _unread(net: Network) -> bool:
    return any(line.file == TYPED for line in net.rows.unread)


def in_records(base: dict[str, Any], verdict: Verdict, way: str) -> dict[str, Any] | None:
    """The lab and the condition whose packets take this way; None where no lab has it."""
    case = verdict.case
    if case is None or verdict.answer == UNKNOWN:
        return None
    for row in base["paths"]:
        path = [way, case.way, verdict.traffic.family, case.tracked]
        if [row["path"], row["way"], row["family"], row["tracked"]] == path:
            return {"lab": row["lab"], "condition": row["condition"]}
    return None


def rank_of(verdict: Verdict) -> list[int]:
    """Greater where more is fast: the answer, then the ways, then the chip."""
    fast = len([way for way in verdict.ways if way in FAST_WAYS])
    answers = ["no", "unknown", "depends", "yes"]
    slow = verdict.ways[-1] in (decide.SLOW, "dropped")
    chip = all(way in IN_CHIP for way in verdict.ways)
    return [
        answers.index(verdict.answer),
        fast - len(verdict.ways),
        0 if slow else 1,
        1 if chip else 0,
    ]
