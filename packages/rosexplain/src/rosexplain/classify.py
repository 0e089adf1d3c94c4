"""`explain`: the path of each class of traffic, and the line that decides it."""

from __future__ import annotations

from typing import Any

from rosexplain import decide, matching, network, offload, trace, traffic
from rosexplain.commands import quoted
from rosexplain.decide import (
    DEPENDS,
    DROPPED,
    FAST_WAYS,
    SLOW,
    UNKNOWN,
    Reason,
    Situation,
    Verdict,
    answer_of,
    slow,
    way,
    with_,
)
from rosexplain.ending import place_of
from rosexplain.firewall import NO, YES, Marking, Packet, Step, marking
from rosexplain.language import N_, and_more, gettext
from rosexplain.marks import answering, both_ways, marked
from rosexplain.network import REFUSES, SERVER, TUNNELS, Network, as_number, span, unique, within
from rosexplain.offload import BridgePort
from rosexplain.parse import FORWARDS, Command, Export, Row
from rosexplain.printed import TOLD
from rosexplain.traffic import BRIDGED, CARRIED, ESTABLISHED, NEW, OTHER, VETH, Traffic, titled

# ------------------------------------------------------------------------------------------------
# Bridges and tunnels of which everything is the same make one class: thirty tunnels, one row.

MOST_NAMES = 4
"""Names that a title has; the rest are counted."""


def joined(classes: list[Verdict]) -> list[Verdict]:
    """The classes in their order, those alike as one, in the place of the first."""
    alike: dict[str, list[Verdict]] = {}
    order: list[list[Verdict]] = []
    for verdict in classes:
        mark = str(_mark(verdict)) if verdict.traffic.interface else verdict.traffic.name
        if mark not in alike:
            alike[mark] = []
            order.append(alike[mark])
        alike[mark].append(verdict)
    return [group[0] if len(group) == 1 else _merged(group) for group in order]


def _mark(verdict: Verdict) -> list[Any]:
    """All that is decided of a class, but its lines."""
    kind = [verdict.traffic.kind, verdict.traffic.of_kind, verdict.answer, verdict.ways]
    own = [ask for ask in verdict.asks if ask != counters_of(verdict.traffic.members)]
    return kind + [own, len(verdict.asks)] + [[r.fact, r.rule, r.why] for r in verdict.reasons]


def _merged(group: list[Verdict]) -> Verdict:
    """The first of them, with the lines and the names of all."""
    first = group[0]
    before = counters_of(first.traffic.members)
    names = [name for verdict in group for name in verdict.traffic.members]
    first.traffic.members = names
    for index in range(len(first.reasons)):
        first.reasons[index].lines = _lines([verdict.reasons[index] for verdict in group])
    first.asks = [counters_of(names) if ask == before else ask for ask in first.asks]
    title = ", ".join(names[:MOST_NAMES])
    more = len(names) - MOST_NAMES
    title += " " + and_more(more) if more > 0 else ""
    first.traffic.call(titled(first.traffic, title))
    return first


def _lines(reasons: list[Reason]) -> list[Command]:
    lines: list[Command] = []
    known: set[int] = set()
    for reason in reasons:
        for line in reason.lines:
            if id(line) not in known:
                known.add(id(line))
                lines.append(line)
    return lines


def counters_of(interfaces: list[str]) -> str:
    """What tells whether interfaces have fast path: the counters of each."""
    named = ["name=" + quoted(name) for name in interfaces]
    return "/interface/print stats-detail where " + " or ".join(named)


def class_of(classes: list[Verdict], traffic: Traffic) -> Verdict | None:
    """The class that packets are in, by themselves or with others alike."""
    for verdict in classes:
        same = verdict.traffic.interface and traffic.interface in verdict.traffic.members
        if verdict.traffic.kind == traffic.kind and (same or verdict.traffic.name == traffic.name):
            return verdict
    return None


# ------------------------------------------------------------------------------------------------
# The frames of a bridge: the switch chip's, or the CPU's, or unknown.

CAPSMAN = "capsman-forwarding"
"""The rule that a router is a CAPsMAN."""

OF_CAPSMAN = (("/caps-man/datapath", ""), ("/caps-man/configuration", "datapath."),
              ("/caps-man/interface", "datapath."))  # fmt: skip
"""The menus that put a CAPsMAN's radios into a bridge, each with what its properties begin with."""

VPLS = "fast-path-vpls"

LISTED = ("ethernet", "wireless", "wifi", "wifiwave2", "bridge", "vlan", "vrrp", "pppoe-client",
          "l2tp-client", "l2tp-server", "eoip", "gre", "ipip", "vxlan", "bonding",
          "vpls")  # fmt: skip
"""Kinds of interfaces that the manual names among those with a fast path (fast-path-ports)."""


def verdict_in_bridge(
    situation: Situation, traffic_class: Traffic, inputs: dict[str, Any]
) -> Verdict:
    """A bridge: the chip's where the model has one, the CPU's where it has none, else unknown."""
    ports = _ports(situation, traffic_class.interface)
    unlisted = [port for port in ports if port.kind not in LISTED]
    radios = _radios(situation, traffic_class)
    late = _vpls_too_early(situation, ports)
    if not unlisted and not radios and not late:
        return _of_chip_or_cpu(situation, traffic_class, inputs)
    # Two ports, but not both with a fast path: no Fast Forward.
    verdict = _of_chip_or_cpu(situation, traffic_class, with_(inputs, "two_ports", False))
    if verdict.answer == NO:
        return verdict
    if late:
        verdict = _with_vpls(situation, traffic_class, verdict, ports, late)
    if verdict.answer != NO and (unlisted or radios):
        names = [port.name for port in unlisted]
        lines = _named(unlisted)
        slow_ports = names + ([gettext("a CAPsMAN's radios")] if radios else [])
        perhaps = Verdict(
            traffic_class, UNKNOWN, verdict.ways + ([] if SLOW in verdict.ways else [SLOW])
        )
        why = gettext("not in this list: {names}").format(names=", ".join(slow_ports))
        perhaps.reasons = [Reason("fast-path-ports", "", lines + radios, why)] + verdict.reasons
        if radios:
            perhaps.reasons.append(Reason(CAPSMAN, "", radios, ""))
        asks = [counters_of(names)] if names else []
        asks += situation.rules[CAPSMAN]["asks"] if radios else []
        perhaps.asks = verdict.asks + asks
        return perhaps
    return verdict


def _radios(situation: Situation, traffic_class: Traffic) -> list[Command]:
    """The lines by which a CAPsMAN puts radios into the bridge whose frames it forwards itself."""
    if CAPSMAN not in situation.met:
        return []
    lines = []
    for menu, begins in OF_CAPSMAN:
        for row in situation.net.rows.of(menu):
            local = row.get(begins + "local-forwarding") in ("yes", "true")
            if row.get(begins + "bridge") == traffic_class.interface and not local:
                lines.append(row.command(begins + "bridge"))
    return lines


def _vpls_too_early(situation: Situation, ports: list[BridgePort]) -> list[BridgePort]:
    """The bridge's VPLS interfaces, where RouterOS has no fast path for VPLS yet."""
    net = situation.net
    if matching.in_force(net.base["facts"][VPLS], net.numbers):
        return []
    return [port for port in ports if port.kind == "vpls"]


def _with_vpls(
    situation: Situation,
    traffic_class: Traffic,
    others: Verdict,
    ports: list[BridgePort],
    vpls: list[BridgePort],
) -> Verdict:
    """The bridge with VPLS interfaces that have no fast path; `others`: as if they had one."""
    fact = situation.net.base["facts"][VPLS]
    # Frames between its other ports take their way still, where there are two.
    ways = [SLOW] if len(ports) - len(vpls) < 2 else others.ways + [SLOW]
    verdict = Verdict(traffic_class, answer_of(ways), ways)
    why = _too_old(fact, situation.net)
    verdict.reasons = [Reason(VPLS, "", _named(vpls), why)]
    verdict.reasons += others.reasons if len(ways) > 1 else []
    verdict.asks = others.asks[:] if len(ways) > 1 else []
    return verdict


def _too_old(fact: dict[str, Any], net: Network) -> str:
    """Why a fact is not true of a version of RouterOS."""
    text = gettext("since {since}; this is {version}")
    return text.format(since=fact["since"], version=net.version)


def _ports(situation: Situation, bridge: str) -> list[BridgePort]:
    """The ports of a bridge as the chip sees them, looked at once for all classes."""
    if bridge not in situation.bridge_ports:
        situation.bridge_ports[bridge] = offload.bridge_ports(situation.net, bridge)
    ports: list[BridgePort] = situation.bridge_ports[bridge]
    return ports


def _named(ports: list[BridgePort]) -> list[Command]:
    """The lines that make them ports."""
    return [port.row.command("interface") for port in ports]


def _of_chip_or_cpu(
    situation: Situation, traffic_class: Traffic, inputs: dict[str, Any]
) -> Verdict:
    net, ports = situation.net, _ports(situation, traffic_class.interface)
    off = [port for port in ports if port.off]
    cpu_ports = [port for port in ports if not port.of_chip]
    # A chip forwards between ports of its own, so it takes two.
    alone = bool(cpu_ports) and len(ports) - len(cpu_ports) < 2
    everything_off = bool(off) and len(off) == len(ports)
    cpu, reasons, _ = way(situation, traffic_class, inputs, [])
    flagged = [port.row for port in ports if port.row.get("hw-flag")]
    if net.virtual or everything_off or (alone and not flagged):
        verdict = Verdict(traffic_class, answer_of([cpu]), [cpu])
        verdict.reasons = reasons
        if off:
            verdict.reasons = [_of_ports(situation)] + reasons
        elif alone and not net.virtual:
            verdict.reasons = _left_to_cpu(cpu_ports) + reasons
        return verdict
    refused, lines = (
        ("", []) if net.chip or flagged else offload.of_bridge(net, traffic_class.interface)
    )
    if refused:
        verdict = Verdict(traffic_class, answer_of([cpu]), [cpu])
        verdict.reasons = reasons + [Reason(offload.BY_SETTING, "", lines, refused)]
        return verdict
    in_chip, why, _ = way(situation, traffic_class, with_(inputs, "bridge_chip", "bridges"), [])
    if flagged:
        return _by_flags(
            traffic_class, flagged, Verdict(traffic_class, YES, [in_chip, cpu]), why, reasons
        )
    if net.chip:
        others = _other_bridges(situation, traffic_class)
        both = bool(off or cpu_ports or others)
        ways = [in_chip, cpu] if both and cpu != in_chip else [in_chip]
        answer = answer_of(ways)
        # Which bridge the chip has, no export says.
        verdict = Verdict(traffic_class, UNKNOWN if others and answer != YES else answer, ways)
        verdict.reasons = _unseen(situation, traffic_class, why) + (
            [_of_ports(situation)] if off else []
        )
        verdict.reasons += _left_to_cpu(cpu_ports)
        if others:
            names = ", ".join([row.name for row in others])
            why_not = gettext("there is {names}").format(names=names)
            lines = [row.first for row in others]
            verdict.reasons.append(Reason("bridge-one-hardware", "", lines, why_not))
            verdict.asks.append("/interface/bridge/port/print")
        verdict.reasons += reasons if both else []
        unsaid = [port.unsourced for port in ports if port.unsourced is not None]
        return _perhaps_elsewhere(verdict, cpu, unsaid, [] if both else reasons)
    if not off and not cpu_ports and _all_of_one_chip(situation, traffic_class):
        verdict = Verdict(traffic_class, YES, [in_chip])
        verdict.reasons = _unseen(situation, traffic_class, why)
        return verdict
    answer = YES if cpu in FAST_WAYS else UNKNOWN
    verdict = Verdict(traffic_class, answer, [in_chip, cpu])
    flagged_only = gettext("if the ports have the flag H")
    verdict.reasons = reasons + [Reason("bridge-hardware", "", [], flagged_only)]
    verdict.asks = ["/interface/bridge/port/print"]
    return verdict


def _all_of_one_chip(situation: Situation, traffic_class: Traffic) -> bool:
    """Whether the manual counts all ports of a bridge to one small chip, which has no other."""
    net, chip = situation.net, situation.net.small_chip
    ports = _ports(situation, traffic_class.interface)
    plain = all(p.kind == "ethernet" and p.row.get("horizon", "none") == "none" for p in ports)
    if chip is None or not plain or _other_bridges(situation, traffic_class):
        return False
    names = [offload.default_name(net, port.name) for port in ports]
    return any(all(name in group for name in names) for group in chip["ports"])


def _other_bridges(situation: Situation, traffic_class: Traffic) -> list[Row]:
    """The other bridges that the chip may forward for instead: two ports of its own are enough."""
    net = situation.net
    bridges = []
    for bridge in net.rows.of("/interface/bridge"):
        ports = [port for port in _ports(situation, bridge.name) if port.of_chip and not port.off]
        if bridge.name != traffic_class.interface and len(ports) > 1:
            bridges.append(bridge)
    return bridges


def _unseen(situation: Situation, traffic_class: Traffic, why: list[Reason]) -> list[Reason]:
    """Why the chip forwards, with the bridge's own rules, which see nothing of that."""
    rules = situation.net.base["rules"]
    names = [rule["id"] for rule in rules if rule["by_cpu"] and rule["id"] in situation.met]
    lines = [line for name in names for line in situation.lines(name, traffic_class)]
    if not lines:
        return why
    remark = gettext("so these lines do not affect it")
    return [
        Reason(one.fact, one.rule, lines, remark) if one.fact == "bridge-hardware" else one
        for one in why
    ]


def _perhaps_elsewhere(
    sure: Verdict, cpu: str, unsaid: list[Reason], reasons: list[Reason]
) -> Verdict:
    """The bridge where some of its ports, for all that a source says, may be the CPU's."""
    if not unsaid:
        return sure
    answer = UNKNOWN if sure.answer == YES and cpu not in FAST_WAYS else sure.answer
    verdict = Verdict(sure.traffic, answer, sure.ways + ([] if cpu in sure.ways else [cpu]))
    first, ports = unsaid[0], ", ".join([reason.why for reason in unsaid])
    verdict.reasons = sure.reasons + [Reason(first.fact, first.rule, first.lines, ports)] + reasons
    verdict.asks = sure.asks + [offload.BY_NUMBER]
    return verdict


def _left_to_cpu(ports: list[BridgePort]) -> list[Reason]:
    """Why the CPU has these ports of a bridge."""
    reasons = []
    for fact in (offload.BY_BOND, offload.BY_HORIZON, ""):
        refused = [port for port in ports if port.refused == fact]
        names = ", ".join([port.name for port in refused])
        outside = gettext("not a port of the switch chip: {names}").format(names=names)
        why = names if fact else outside
        reasons += [Reason(fact or "bridge-hardware", "", _named(refused), why)] if refused else []
    return reasons


def _by_flags(
    traffic_class: Traffic,
    ports: list[Row],
    both: Verdict,
    why: list[Reason],
    reasons: list[Reason],
) -> Verdict:
    """A bridge whose ports the router printed: the flag H says which of them the chip has."""
    flags = [row.get("hw-flag") == "yes" for row in ports]
    in_chip, cpu = both.ways
    ways = [in_chip] if all(flags) else [in_chip, cpu] if any(flags) and in_chip != cpu else [cpu]
    verdict = Verdict(traffic_class, answer_of(ways), ways)
    without = [row.command("hw-flag") for row in ports if row.get("hw-flag") != "yes"]
    if any(flags):
        lines = [row.command("hw-flag") for row in ports if row.get("hw-flag") == "yes"]
        remark = gettext("the router shows flag H")
        verdict.reasons.append(Reason("bridge-hardware", "", lines, remark))
        verdict.reasons += [reason for reason in why if reason.fact != "bridge-hardware"]
    if without:
        remark = gettext("the router shows no flag H")
        verdict.reasons.append(Reason("bridge-hardware", "", without, remark))
        verdict.reasons += reasons
    return verdict


def _of_ports(situation: Situation) -> Reason:
    lines = situation.met.get("bridge-hw-off", [])
    return Reason("bridge-order", "bridge-hw-off", lines, "hw=no")


# ------------------------------------------------------------------------------------------------
# Classes of traffic that rules make: MPLS, and the sessions of PPP servers.
#
# What is decided of them stands in the rules' data (`carries`): no model of the packet's path is
# asked, since the packets are not routed as IPv4 or are in a tunnel whose interface no export
# shows.


def verdicts_by_rule(situation: Situation) -> list[Verdict]:
    """A class for each name of which a rule is met that makes it, in the rules' order."""
    met = [rule for rule in situation.net.base["rules"] if rule["id"] in situation.met]
    carrying = [rule for rule in met if rule["carries"]]
    making = [rule for rule in carrying if not rule["carries"]["instead"]]
    return [
        _verdict_by_rule(situation, [rule for rule in carrying if rule["carries"]["name"] == name])
        for name in unique([rule["carries"]["name"] for rule in making])
    ]


def _verdict_by_rule(situation: Situation, rules: list[dict[str, Any]]) -> Verdict:
    """By a rule that decides instead, where there is one; else by the first that makes it."""
    rule = ([rule for rule in rules if rule["carries"]["instead"]] or rules)[0]
    carries, net = rule["carries"], situation.net
    traffic_class = Traffic(carries["name"], net.base["carried"][carries["name"]], CARRIED)
    if carries["answer"] == YES and net.virtual and net.numbers and net.numbers[0] < 7:
        return slow(traffic_class, "fast-path-driver", "chr-adapters", [])
    allow, line = net.setting("/ip/settings", "allow-fast-path")
    if carries["answer"] == YES and allow == "no":
        return slow(traffic_class, "fast-path-allowed", "allow", [line] if line else [])
    verdict = Verdict(traffic_class, carries["answer"], list(carries["paths"]))
    verdict.reasons = [Reason(fact, rule["id"], [], "") for fact in rule["facts"]]
    verdict.reasons[0].lines = situation.met[rule["id"]]
    verdict.asks = list(rule["asks"]) if verdict.answer not in (YES, NO) else []
    return verdict


# ------------------------------------------------------------------------------------------------
# The cases of a class that is forwarded: what the firewall, its ports and bridges leave open.


def cases_of(
    situation: Situation, traffic_class: Traffic, markings: list[Marking], inputs: dict[str, Any]
) -> tuple[list[dict[str, Any]], list[Step]]:
    """The inputs of every case, and the rules that decide between FastTrack and none."""
    there = [row for m in markings for row in m.there]
    name = "fasttrack" if traffic_class.family == 4 else "fasttrack-ipv6"
    has = matching.has_fasttrack(situation.net.base, situation.net.numbers, traffic_class.family)
    inputs["fasttrack"] = has and (bool(there) or name in situation.met)
    answers = [m.answer for m in markings]
    untracked = [m.untracked for m in markings if m.untracked]
    never = bool([step for step in untracked if step.verdict == "yes"])
    reached = ("yes" in answers or not markings) and not untracked
    perhaps = ("perhaps" in answers or "yes" in answers) and not reached and not never
    inputs["accepted"] = not reached
    cases = [with_(inputs, "accepted", False), inputs] if perhaps else [inputs]
    cases = [
        with_(case, "driver", one) for case in cases for one in situation.drivers(traffic_class)
    ]
    steps = [step for m in markings for step in m.perhaps]
    if "yes" in answers:
        steps = [step for step in steps if step.action == "notrack"]
    crossed = [other for case in cases for other in situation.crossed(traffic_class, case)]
    return crossed, steps if perhaps else []


class Outcome:
    """The ways of all cases of a class, with their reasons and what to ask the router.

    `sourced`: those ways that a source states; `case`: the first case.
    """

    def __init__(self) -> None:
        self.ways: list[str] = []
        self.sourced: list[str] = []
        self.reasons: list[Reason] = []
        self.asks: list[str] = []
        self.case: Any = None

    def add(self, path: str, reasons: list[Reason], sourced: bool, asks: list[str]) -> None:
        """Take in one case."""
        if path not in self.ways:
            self.ways.append(path)
        if sourced:
            self.sourced.append(path)
        for reason in reasons:
            if (reason.fact, reason.rule) not in [(r.fact, r.rule) for r in self.reasons]:
                self.reasons.append(reason)
        self.asks += [ask for ask in asks if ask not in self.asks]


def outcome_of(
    situation: Situation,
    traffic_class: Traffic,
    cases: list[dict[str, Any]],
    markings: list[Marking],
) -> Outcome:
    """Return the outcome of all cases, with what the switch chip may do in each."""
    outcome = Outcome()
    modes = offload.modes(situation.net, traffic_class, markings)
    for mode in modes or [offload.Mode(offload.NONE, [])]:
        for inputs in cases:
            tried = with_(inputs, "chip", mode.chip) if modes else inputs
            path, reasons, case = way(situation, traffic_class, tried, markings)
            reasons = mode.reasons_for(path, reasons) if modes else reasons
            outcome.add(path, reasons, not mode.unsourced, mode.asks)
            outcome.case = outcome.case or case
    return _with_unnamed(situation, traffic_class, outcome)


def _with_unnamed(situation: Situation, traffic_class: Traffic, outcome: Outcome) -> Outcome:
    """The outcome with the slow way of interfaces and VLANs that no source calls fast."""
    fast = decide.FAST in outcome.ways or decide.FASTTRACK in outcome.ways
    without = without_fast_path(situation.net, traffic_class) if fast else []
    if without:
        outcome.asks.append(counters_of([name for name, _, _ in without]))
        if decide.SLOW not in outcome.ways:
            outcome.ways.append(decide.SLOW)
    tagged = [r for r in outcome.reasons if r.fact == "l3hw-bridge-tagged"]
    if decide.CHIP in outcome.ways and tagged:
        outcome.ways.append(DROPPED)  # nothing is routed into such a VLAN
        asks = situation.rules["bridge-tagged"]["asks"]
        outcome.asks += [ask for ask in asks if ask not in outcome.asks]
    outcome.reasons = [reason for _, reason, _ in without] + outcome.reasons
    outcome.sourced += [decide.SLOW for _, _, sourced in without if sourced]
    outcome.sourced += [path for path in outcome.ways if path == DROPPED]
    return outcome


def doubt_reason(step: Step) -> Reason:
    """Why it depends on the packet: a rule of the firewall that only perhaps matches."""
    why = gettext("it depends")
    if step.why:
        why = gettext("it depends on {words}").format(words=", ".join(step.why))
    fact, rule = "fasttrack-accept-in-front", "accept-in-front"
    if step.action == "notrack":
        fact, rule = "fasttrack-established", "not-tracked"
        why = gettext("this line leaves connections untracked: {why}").format(why=why)
    return Reason(fact, rule, [step.row.first], why)


# ------------------------------------------------------------------------------------------------
# A PPPoE server's sessions beside the firewall: the parts that no export shows.

RULE = "pppoe-server"
IN_LISTS = "/interface/list/member/print where dynamic"
"""What tells into which lists the profiles of users put their sessions."""


def _add_sessions(situation: Situation, verdict: Verdict) -> None:
    """Take in the server's lines; without what a router says, no export promises the fast path.

    A session may bring a queue or a rule with it, as RADIUS or its profile says.
    """
    net, rule = situation.net, situation.rules[RULE]
    reason = Reason(rule["facts"][0], RULE, situation.met[RULE], "")
    verdict.reasons.append(reason)
    active = net.rows.single(TOLD)
    open_ = active is None or active.get("active-4") != "yes"
    asks: list[str] = []
    if verdict.answer == YES and not any(row.says("disabled") for row in net.rows.of(SERVER)):
        verdict.answer, reason.why = UNKNOWN, gettext("the line does not set disabled")
        asks = [SERVER + "/print"]
    elif verdict.answer == YES and open_ and verdict.ways != [decide.FASTTRACK]:
        why = gettext("an export does not show their queues and rules")
        verdict.answer, reason.why = UNKNOWN, why
        asks = rule["asks"]
    elif verdict.answer == DEPENDS:
        asks = rule["asks"] + ([IN_LISTS] if net.fed_lists else [])
    verdict.asks = verdict.asks + [ask for ask in asks if ask not in verdict.asks]


# ------------------------------------------------------------------------------------------------
# Tunnels, and the interfaces of which no source says that they have a fast path.

UNLISTED = "unlisted"
"""The path in a tunnel of which no source says that it is fast."""

MAIN = "main"
"""The VRF that everything is in that is in none."""

LTE = "fast-path-lte"


def carried(net: Network, traffic_class: Traffic) -> Verdict:
    """What a tunnel carries, but for PPPoE."""
    row = traffic_class.row
    if row is None:
        return Verdict(traffic_class, UNKNOWN, [decide.SLOW])
    kind = traffic_class.of_kind
    rule = matching.tunnel_rule(net.base, row)
    path = rule["tunnel"]["path"] if rule is not None else ""
    name = rule["id"] if rule is not None else ""
    if path == UNLISTED:
        verdict = Verdict(traffic_class, UNKNOWN, [decide.SLOW])
        verdict.reasons = [_unlisted(name, row, "")]
        verdict.asks = [counters_of([traffic_class.interface])]
        return verdict
    if kind == "vpls":
        return _vpls(net, traffic_class, row)
    if kind == "vxlan" and (lines := _no_vxlan(row)):
        return slow(traffic_class, "vxlan-no-fast-path", "", lines)
    ipsec = _ipsec(net, traffic_class, row, kind)
    if ipsec is not None:
        return ipsec
    fact, why = "", ""
    lines = [row.command("allow-fast-path")] if row.get("allow-fast-path") else [row.first]
    if rule is not None and not row.get("allow-fast-path"):
        fact = rule["tunnel"]["defaults"].get(kind, "")
        why = gettext("its default") if fact else ""
    if path == decide.SLOW:
        verdict = slow(traffic_class, "fast-path-tunnels", name, lines)
        verdict.reasons += [Reason(fact, name, lines, why)] if fact else []
        return verdict
    allow, line = net.setting("/ip/settings", "allow-fast-path")
    if allow == "no":
        return slow(traffic_class, "fast-path-allowed", "allow", [line] if line else [])
    since = net.base["facts"].get(fact)
    if not path or (since and not matching.in_force(since, net.numbers)):
        verdict = Verdict(traffic_class, UNKNOWN, [decide.FAST, decide.SLOW])
        why = gettext("allow-fast-path is not set, and its default is unknown")
        verdict.reasons = [Reason("fast-path-tunnels", "", lines, why)]
        verdict.asks = ["/interface/" + kind + "/print detail"]
        return verdict
    verdict = Verdict(traffic_class, YES, [decide.FAST])
    verdict.reasons = [
        Reason("fast-path-tunnels", name, lines, gettext("allow-fast-path is yes")),
        Reason("fast-path-fragments", "", [], gettext("fragments take the slow path")),
    ]
    verdict.reasons += [Reason(fact, name, lines, why)] if fact else []
    return verdict


def _unlisted(rule: str, row: Row, name: str) -> Reason:
    text = gettext("{name} is not in this list") if name else gettext("it is not in this list")
    return Reason("fast-path-ports", rule, [row.first], text.format(name=name))


def _ipsec(net: Network, traffic_class: Traffic, row: Row, kind: str) -> Verdict | None:
    """A tunnel inside IPsec; an L2TP client's secret alone makes none."""
    if kind == "l2tp-client":
        if row.get("use-ipsec") in ("", "no", "false"):
            return None
        return slow(traffic_class, "l2tp-use-ipsec", "l2tp-ipsec", [row.command("use-ipsec")])
    if row.get("ipsec-secret"):
        lines = [row.command("ipsec-secret")]
        return slow(traffic_class, "eoip-ipsec-no-fast-path", "tunnel-ipsec", lines)
    policies = protecting(net, row) if row.get("allow-fast-path") in ("no", "false") else []
    if not policies:
        return None
    lines = [row.command("allow-fast-path")] + [policy.first for policy in policies]
    return slow(traffic_class, "eoip-ipsec-no-fast-path", "", lines)


def protecting(net: Network, tunnel: Row) -> list[Row]:
    """The policies, and the templates of policies, that take a tunnel's own packets."""
    rows = []
    for row in net.rows.of("/ip/ipsec/policy"):
        near = _within(tunnel.get("local-address"), row.get("src-address"))
        far = _within(tunnel.get("remote-address"), row.get("dst-address"))
        if YES in (near, far) and NO not in (near, far):
            rows.append(row)
    return rows


EVERYWHERE = ("", "0.0.0.0/0", "::/0")


def _within(end: str, selected: str) -> str:
    """Whether a tunnel's end is of a policy; empty where it is not said, or the policy has all."""
    if selected in EVERYWHERE or not end:
        return ""
    try:
        first, last = span(selected)
        return YES if first <= span(end)[0] <= last else NO
    except ValueError:
        return ""


def _no_vxlan(row: Row) -> list[Command]:
    """The lines by which a VXLAN interface has no fast path, whatever it allows."""
    lines = [row.command("vteps-ip-version")] if row.get("vteps-ip-version") == "ipv6" else []
    return lines + ([row.command("vrf")] if row.get("vrf", MAIN) != MAIN else [])


def _vpls(net: Network, traffic_class: Traffic, row: Row) -> Verdict:
    """VPLS has its fast path since a version, and nothing of its own to allow it by."""
    fact = "fast-path-vpls"
    fact_row = net.base["facts"][fact]
    if not matching.in_force(fact_row, net.numbers):
        why = _too_old(fact_row, net)
        return slow(traffic_class, fact, "", [row.first], why)
    verdict = Verdict(traffic_class, YES, [decide.FAST])
    verdict.reasons = [Reason(fact, "", [row.first], "")]
    return verdict


def without_fast_path(net: Network, traffic_class: Traffic) -> list[tuple[str, Reason, bool]]:
    """The tunnels and modems by which a class comes in or leaves, not known to have a fast path.

    With each the reason, and whether a source says that it has none: the manual's list of what has
    one does not tell of what it leaves out, as WireGuard and LTE.

    One way out of several is enough.  A tunnel among other networks of the LAN is not: what it
    carries has a class of its own.
    """
    packet = traffic_class.packet
    if packet is None:
        return []
    outer: list[tuple[str, Reason, bool]] = []
    others = _ipv6_outs(net) if traffic_class.family == 6 and packet.outs != packet.ins else []
    for names in (packet.ins or [], packet.outs or [], others):
        here = [(name, _of_interface(net, name)) for name in names]
        every = all(bool(tunnels) for _, tunnels in here)
        for name, tunnels in here:
            if every or name in net.wan + others:
                outer += [one for one in tunnels if one[0] not in [known[0] for known in outer]]
    return outer


def _of_interface(net: Network, interface: str) -> list[tuple[str, Reason, bool]]:
    """Of what carries an interface, the tunnels that are not known to have a fast path."""
    tunnels = []
    for name in net.ports_below(interface):
        kind = net.kinds.get(name, "")
        if kind not in TUNNELS + (VETH,) and (kind != "lte" or _named_lte(net)):
            continue
        # A modem that nobody renamed has but its default name.
        row = next(one for one in net.rows.of("/interface/" + kind) if one.name == name)
        rule = matching.tunnel_rule(net.base, row)
        if rule is not None and rule["tunnel"]["path"] == UNLISTED:
            tunnels.append((name, _unlisted(rule["id"], row, name), False))
            continue
        if kind == "lte":
            tunnels.append((name, Reason(LTE, "", [row.first], name), False))
            continue
        about = Traffic("carried-" + name, "", CARRIED)
        about.interface, about.of_kind, about.row = name, kind, row
        verdict = carried(net, about)
        if verdict.answer != YES:
            tunnels.append((name, verdict.reasons[0], verdict.answer == NO))
    return tunnels


def _named_lte(net: Network) -> bool:
    """Whether the manual of this RouterOS says that LTE has a fast path."""
    return bool(net.numbers) and net.numbers[0] < 7


def _ipv6_outs(net: Network) -> list[str]:
    """The interfaces by which IPv6's default routes leave: those of IPv4 may be others."""
    names: list[str] = []
    for row in net.rows.of("/ipv6/route"):
        gateway = row.get("gateway").split("%")[-1]
        if row.get("dst-address", "::/0") not in ("::/0", ""):
            continue
        if gateway in net.kinds:
            names.append(gateway)
            continue
        for address in net.rows.of("/ipv6/address"):
            try:
                to = as_number(gateway)
                if within((to, to), span(address.get("address"))):
                    names.append(address.get("interface"))
            except ValueError:
                continue
    return names


# ------------------------------------------------------------------------------------------------
# `explain`: the classes of traffic of a configuration, the path of each and the line that decides.
#
# The answer is plain data (`report.Answer.plain`), with the decisions as words of few kinds; the
# sentences are made from them where they are shown.

PACKET = "packet"
"""The name of the class of one packet that was asked about."""

LABELS = "labels"
"""What a rule hides and no counter of the fast path settles: which routes have labels.

What else a rule hides, queues and policies, a router counts under that name (`printed`).
"""

NOT_SHOWN = N_("an export does not show it")
HIDDEN = {LABELS: N_("an export does not show which routes have labels")}
"""What no export shows of what a rule hides."""

FORWARD_KNOWN = (6, 29)
"""No source says since when there is Fast Forward; before this, too little else is known."""


class Explanation:
    """Everything that was decided of a configuration."""

    def __init__(self, net: Network) -> None:
        self.net = net
        self.without: list[tuple[str, int]] = []
        self.evidence: list[Command] = []
        """What it was asked with, beside the exports."""
        self.met: dict[str, list[Command]] = {}
        self.classes: list[Verdict] = []
        self.offload: list[tuple[str, Command | None, str]] = []
        self.seen: list[dict[str, Any]] = []
        self.situation: Situation | None = None

    @property
    def fast(self) -> bool:
        """Whether all that is forwarded is forwarded fast."""
        kinds = [verdict for verdict in self.classes if verdict.traffic.kind in traffic.DECISIVE]
        return all(verdict.answer == YES for verdict in kinds)


def explain(
    exports: list[Export],
    base: dict[str, Any],
    without: list[tuple[str, int]] | None = None,
    evidence: list[Command] | None = None,
    version: str = "",
) -> Explanation:
    """Explain one router's exports by the rule base (`rules.plain()`).

    `without`: lines to leave out, by file and number; `evidence`: what a router printed, or what
    was typed behind the exports; `version`: RouterOS's, whatever the exports say.
    """
    net = Network(exports, base, without, evidence, version)
    explanation = Explanation(net)
    explanation.without, explanation.evidence = without or [], evidence or []
    rules = {rule["id"]: rule for rule in base["rules"]}
    chip = net.chip
    classes = chip["classes"] if chip else []
    in_force = [rule for rule in base["rules"] if matching.in_force(rule, net.numbers)]
    for name, row in matching.rows_that_meet(in_force, net.rows):
        rule = rules[name]
        if matching.only_offload(rule) and not matching.of_chip(rule, classes):
            continue
        words = [word for word in rule["where"] if row.says(word)]
        explanation.met.setdefault(name, []).append(row.command(words[0]) if words else row.first)
    if "cap-forwarding" in explanation.met:
        _radio_rules(explanation, exports)
    every = traffic.classes(net)
    markings = {traffic_class.name: _markings(net, traffic_class) for traffic_class in every}
    for name, lines in traffic.rules_met_together(net, markings["established"]):
        if matching.in_force(rules[name], net.numbers):
            explanation.met[name] = explanation.met.get(name, []) + lines
    if chip:
        every_command = [c for export in exports for c in export.commands] + explanation.evidence
        added = [c for c in every_command if c.command in ("add", "set")]
        added = [c for c in added if c.properties.get("disabled") != "yes"]
        for name, line, seen in offload.findings(added, chip["ways"]):
            if matching.of_chip(rules[name], classes):
                explanation.offload.append((name, line, seen))
                explanation.met[name] = explanation.met.get(name, []) + ([line] if line else [])
    situation = Situation(net, explanation.met, rules, markings["established"])
    explanation.situation = situation
    situation.main = next(
        traffic_class for traffic_class in every if traffic_class.name == "established"
    )
    explanation.classes = joined(
        [
            _verdict_of(situation, traffic_class, markings[traffic_class.name])
            for traffic_class in every
        ]
    )
    if net.routes_nothing:
        gone = (traffic.NEW, traffic.ESTABLISHED, traffic.OTHER)
        explanation.classes = [
            traffic_class
            for traffic_class in explanation.classes
            if traffic_class.traffic.kind not in gone
            or (traffic_class.traffic.family == 6 and _routes_ipv6(net))
        ]
        explanation.met["routes-nothing"] = [row.first for row in net.rows.of("/ip/address")]
    for verdict in verdicts_by_rule(situation):
        _of_device(situation, verdict)
        explanation.classes.append(verdict)
    return explanation


def verdict_of(explanation: Explanation, traffic_class: Traffic) -> Verdict:
    """The path of one more class of packets, as those of the configuration are decided."""
    assert explanation.situation is not None
    return _verdict_of(
        explanation.situation, traffic_class, _markings(explanation.net, traffic_class)
    )


def _radio_rules(explanation: Explanation, exports: list[Export]) -> None:
    """Who forwards what a CAP's radios receive, where the comments of its export say it."""
    for index, name in enumerate(("cap-to-capsman", "cap-itself")):
        word = FORWARDS[index]
        if any(word in export.header for export in exports):
            explanation.met[name] = explanation.met["cap-forwarding"]
    if "cap-to-capsman" in explanation.met or "cap-itself" in explanation.met:
        del explanation.met["cap-forwarding"]


def _routes_ipv6(net: Network) -> bool:
    menus = ("/ipv6/address", "/ipv6/dhcp-client", "/ipv6/route")
    return any(net.rows.of(menu) for menu in menus)


def _markings(net: Network, traffic_class: Traffic) -> list[Marking]:
    if traffic_class.packet is None or traffic_class.kind not in (
        traffic.ESTABLISHED,
        traffic.OTHER,
    ):
        return []
    return [marking(net, packet) for packet in both_ways(net, traffic_class.packet)]


def _verdict_of(situation: Situation, traffic_class: Traffic, markings: list[Marking]) -> Verdict:
    if traffic_class.kind == traffic.LOCAL:
        return slow(traffic_class, "fast-path-local", "", [])
    if traffic_class.kind == traffic.CARRIED:
        if traffic_class.of_kind == "pppoe-client":
            return _perhaps_off(_over_pppoe(situation, traffic_class))
        return _perhaps_off(carried(situation.net, traffic_class))
    if traffic_class.kind == traffic.PROTECTED:
        return slow(traffic_class, "fast-path-ipsec", "ipsec", situation.met.get("ipsec", []))
    # A packet that answers another may be of a connection that began the other way.
    drops_new = (
        None if traffic_class.name == PACKET else first_dropped(situation.net, traffic_class)
    )
    dropped = [m.dropped for m in markings if m.dropped]
    chip = [mode.chip for mode in offload.modes(situation.net, traffic_class, markings)]
    past = bool(chip) and all(mode == offload.ROUTES for mode in chip)
    if traffic_class.kind == traffic.NEW and drops_new is not None:
        dropped = [drops_new]
    if dropped and all(m.dropped for m in markings) and not past:
        verdict = Verdict(traffic_class, NO, [DROPPED])
        lines = [step.row.first for step in dropped]
        verdict.reasons = [
            Reason("fast-path-firewall", "", lines[:1], gettext("the rule drops them"))
        ]
        return verdict
    if drops_new is not None and not past:
        verdict = Verdict(traffic_class, NO, [DROPPED])
        lines, why = (
            [drops_new.row.first],
            gettext("the rule drops the first packet, so no connection starts"),
        )
        verdict.reasons = [Reason("fast-path-firewall", "", lines, why)]
        return verdict
    verdict = _forwarded(situation, traffic_class, markings)
    _hidden(situation, verdict)
    if traffic_class.name == RULE:
        _add_sessions(situation, verdict)
    return verdict


def first_dropped(net: Network, traffic_class: Traffic) -> Step | None:
    """The rule that drops the first packets of a class for certain."""
    if traffic_class.packet is None:
        return None
    packet = traffic_class.packet.copied()
    packet.state = "new"
    return marking(net, marked(net, packet)).dropped


def _forwarded(situation: Situation, traffic_class: Traffic, markings: list[Marking]) -> Verdict:
    """What is routed or bridged: by every case that is possible."""
    features = situation.features(traffic_class)
    inputs = situation.inputs(traffic_class, features)
    if traffic_class.kind == traffic.BRIDGED:
        return _old(situation, verdict_in_bridge(situation, traffic_class, inputs))
    before_ipv6 = (
        traffic_class.family == 6 and situation.net.numbers and situation.net.numbers < (7, 18)
    )
    if before_ipv6:
        inputs["allow"] = False
    cases, doubts = cases_of(situation, traffic_class, markings, inputs)
    outcome = outcome_of(situation, traffic_class, cases, markings)
    ways, reasons = outcome.ways, outcome.reasons
    if decide.CHIP not in ways:
        reasons = reasons + situation.bonds_back(traffic_class)
        if before_ipv6:
            reasons = [Reason("tree-ipv6-fast-path", "", [], "")] + reasons[1:]
    elif traffic_class.packet is not None and traffic_class.packet.nat == ["srcnat"]:
        # The chip translates nothing that it routes as it comes.
        traffic_class.translated(gettext("not translated by the chip"), False)
    verdict = Verdict(traffic_class, answer_of(ways), ways)
    if verdict.answer == DEPENDS and answer_of(outcome.sourced) == YES:
        verdict.answer = UNKNOWN  # only what no source says is slow
    verdict.asks = outcome.asks if len(ways) > 1 else []
    verdict.case = outcome.case
    doubted = doubts[:8] if verdict.answer == DEPENDS else []
    verdict.reasons = [doubt_reason(step) for step in doubted] + reasons
    return verdict


def _old(situation: Situation, verdict: Verdict) -> Verdict:
    """A bridge of a RouterOS so old that no source says whether it has Fast Forward."""
    net = situation.net
    if decide.FORWARD in verdict.ways and net.numbers and net.numbers < FORWARD_KNOWN:
        verdict.answer = UNKNOWN
        for reason in [r for r in verdict.reasons if r.fact == "fast-forward-two-ports"]:
            reason.why = gettext("unknown for RouterOS {version}").format(version=net.version)
        verdict.asks = verdict.asks + ["/interface/bridge/settings/print"]
    return verdict


def _perhaps_off(verdict: Verdict) -> Verdict:
    """A client that no line says to be on, and that is off from the beginning."""
    row = verdict.traffic.row
    if verdict.answer == YES and row is not None and network.off_by_default(row):
        verdict.answer, ask = UNKNOWN, counters_of([verdict.traffic.interface])
        verdict.reasons.append(
            Reason("client-disabled", "", [row.first], gettext("the line does not set disabled"))
        )
        verdict.asks = verdict.asks + ([] if ask in verdict.asks else [ask])
    return verdict


def _over_pppoe(situation: Situation, traffic_class: Traffic) -> Verdict:
    """What a client carries is routed as what is established; asked once for all clients."""
    if situation.over_pppoe is None:
        situation.over_pppoe = _forwarded(situation, traffic_class, situation.established)
    known = situation.over_pppoe
    lines = [traffic_class.row.first] if traffic_class.row is not None else []
    verdict = Verdict(traffic_class, known.answer, known.ways)
    verdict.reasons = known.reasons + [Reason("fast-path-ports", "pppoe-client", lines, "")]
    verdict.case = known.case
    verdict.asks = known.asks[:]
    _hidden(situation, verdict)
    return verdict


def _hidden(situation: Situation, verdict: Verdict) -> None:
    """What an export cannot say where it decides: dynamic queues and policies, a CHR's adapters."""
    if verdict.answer != YES:
        return
    fasttracked = verdict.ways == [decide.FASTTRACK]
    rules = [rule for rule in situation.net.base["rules"] if rule["hides"]]
    rules = [] if fasttracked or verdict.traffic.kind == traffic.BRIDGED else rules
    status = situation.net.rows.single(TOLD)
    if status is not None:
        settled = status.get("active-" + str(verdict.traffic.family)) == "yes"
        labels = [rule for rule in rules if rule["hides"] == LABELS]
        rules = labels if settled else [r for r in rules if not status.says(r["hides"] or "")]
    for rule in rules:
        name = rule["id"]
        if name in situation.met and rule["family"] in (None, verdict.traffic.family):
            verdict.answer = UNKNOWN
            verdict.asks += [ask for ask in rule["asks"] if ask not in verdict.asks]
            why = gettext(HIDDEN.get(rule["hides"], NOT_SHOWN))
            verdict.reasons.append(Reason(rule["facts"][0], name, situation.met[name], why))
    if status is None or status.get("active-" + str(verdict.traffic.family)) != "yes":
        _of_device(situation, verdict)


def _of_device(situation: Situation, verdict: Verdict) -> None:
    """A CHR's adapters, or a router that may be a CHR: whether ports have a fast path at all."""
    status, rule = situation.net.rows.single(TOLD), situation.rules["chr-adapters"]
    if situation.net.virtual and any(one in FAST_WAYS for one in verdict.ways):
        verdict.answer = UNKNOWN
        verdict.asks += [ask for ask in rule["asks"] if ask not in verdict.asks]
        verdict.reasons.append(Reason(rule["facts"][0], rule["id"], [], gettext(NOT_SHOWN)))
    if situation.net.device_unknown and status is None and verdict.answer == YES:
        verdict.answer, verdict.asks = UNKNOWN, verdict.asks + ["/system/resource/print"]
        verdict.reasons.append(
            Reason("chr-fast-path", "", [], gettext("the export does not show the device"))
        )


# ------------------------------------------------------------------------------------------------
# One packet with the path that it takes, decided as for a class of such packets.

TRACKED = ("established", "related")


def trace_packet(explanation: Explanation, packet: Packet) -> dict[str, Any]:
    """What `trace.walked` says, with `path`: its ways, and `because`: the reasons for them."""
    net = explanation.net
    walked, led = trace.followed(net, packet)
    never = _never_begins(explanation, led) if walked["chip"] == trace.NONE else None
    if walked["chain"] == "forward" and never is not None:
        place = place_of(net, never.row.first)
        walked["end"], walked["fasttrack"], walked["unless"] = never.action, "no", []
        walked["ended"] = gettext(
            "{action}: {place} stops the first packet, so no connection starts"
        ).format(action=never.action, place=place)
    ways, reasons = _path(explanation, walked, led)
    walked["path"] = ways
    walked["because"] = [_sentence(explanation, reason) for reason in reasons[:1]]
    for row in net.rows.of("/ip/hotspot"):
        if row.get("interface") in [net.above(name) for name in led.ins or []]:
            walked["says"].append(
                gettext(
                    "A hotspot is on {name} ({place}). While it runs, its dynamic rules redirect "
                    "or reject packets of clients that have not logged in; an export does not "
                    "show these rules."
                ).format(name=row.get("interface"), place=place_of(net, row.first))
            )
            walked["ended"] += gettext(", if the hotspot lets it pass")
    return walked


def _path(
    explanation: Explanation, walked: dict[str, Any], led: Packet
) -> tuple[list[str], list[Reason]]:
    if walked["chain"] == trace.BRIDGED:
        bridges = explanation.net.bridges_below(led.ins or [])
        for bridged in explanation.classes:
            if (
                bridges
                and bridged.traffic.kind == BRIDGED
                and bridges[0] in bridged.traffic.members
            ):
                return bridged.ways, bridged.reasons
        return [decide.SLOW], []
    refused = walked["end"] in REFUSES
    if walked["end"] == trace.NOWHERE or (
        refused and not walked["unless"] and walked["chip"] == trace.NONE
    ):
        return [DROPPED], []
    if walked["chain"] != "forward":
        return [decide.SLOW], [Reason("fast-path-local", "", [], "")]
    verdict = packet_verdict(explanation, led)
    return verdict.ways + (
        [DROPPED] if refused and DROPPED not in verdict.ways else []
    ), verdict.reasons


def packet_verdict(explanation: Explanation, led: Packet) -> Verdict:
    """The path of packets such as one, whose interfaces are the firewall's."""
    kind = ESTABLISHED if led.state in TRACKED else OTHER
    kind = NEW if led.state == "new" else kind
    kind = OTHER if led.protocols[0] not in ("tcp", "udp") else kind
    traffic_class = Traffic(PACKET, "the packet", kind, led.family)
    traffic_class.packet = led
    return verdict_of(explanation, traffic_class)


def _never_begins(explanation: Explanation, led: Packet) -> Step | None:
    """The rule that ends the first packet of an established packet's connection, either way."""
    if led.state not in TRACKED or led.chain != "forward":
        return None
    steps = []
    for one in (led, answering(explanation.net, led)):
        traffic_class = Traffic(PACKET, "", NEW, led.family)
        traffic_class.packet = one
        steps.append(first_dropped(explanation.net, traffic_class))
    return steps[0] if all(step is not None for step in steps) else None


def _sentence(explanation: Explanation, reason: Reason) -> str:
    lines = [place_of(explanation.net, line) for line in reason.lines[:1]]
    says = str(explanation.net.base["facts"][reason.fact]["says"])
    return says + "".join([" (" + line + ")" for line in lines])
