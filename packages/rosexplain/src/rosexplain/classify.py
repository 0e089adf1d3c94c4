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
    Decided,
    Reason,
    Situation,
    answer_of,
    slow,
    way,
    with_,
)
from rosexplain.firewall import NO, YES, Marking, Packet, Step, marking
from rosexplain.network import REFUSES, SERVER, TUNNELS, Network, as_number, span, unique, within
from rosexplain.offload import BridgePort
from rosexplain.parse import FORWARDS, Command, Export, Row
from rosexplain.printed import TOLD
from rosexplain.trace import answering, both_ways, marked, place_of
from rosexplain.traffic import BRIDGED, CARRIED, ESTABLISHED, NEW, OTHER, VETH, Traffic, titled

# ------------------------------------------------------------------------------------------------
# Bridges and tunnels of which everything is the same make one class: thirty tunnels, one row.

MOST_NAMES = 4
"""Names that a title has; the rest are counted."""


def joined(classes: list[Decided]) -> list[Decided]:
    """The classes in their order, those alike as one, in the place of the first."""
    alike: dict[str, list[Decided]] = {}
    order: list[list[Decided]] = []
    for each in classes:
        mark = str(_mark(each)) if each.traffic.interface else each.traffic.name
        if mark not in alike:
            alike[mark] = []
            order.append(alike[mark])
        alike[mark].append(each)
    return [group[0] if len(group) == 1 else _one_of(group) for group in order]


def _mark(each: Decided) -> list[Any]:
    """All that is decided of a class, but its lines."""
    kind = [each.traffic.kind, each.traffic.of_kind, each.answer, each.ways]
    own = [ask for ask in each.asks if ask != ask_about(each.traffic.members)]
    return kind + [own, len(each.asks)] + [[r.fact, r.rule, r.why] for r in each.reasons]


def _one_of(group: list[Decided]) -> Decided:
    """The first of them, with the lines and the names of all."""
    made = group[0]
    before = ask_about(made.traffic.members)
    names = [name for each in group for name in each.traffic.members]
    made.traffic.members = names
    for index in range(len(made.reasons)):
        made.reasons[index].lines = _lines([each.reasons[index] for each in group])
    made.asks = [ask_about(names) if ask == before else ask for ask in made.asks]
    said = ", ".join(names[:MOST_NAMES])
    more = len(names) - MOST_NAMES
    said += " and " + str(more) + " more" if more > 0 else ""
    made.traffic.title = titled(made.traffic, said)
    return made


def _lines(reasons: list[Reason]) -> list[Command]:
    found: list[Command] = []
    known: set[int] = set()
    for reason in reasons:
        for line in reason.lines:
            if id(line) not in known:
                known.add(id(line))
                found.append(line)
    return found


def ask_about(interfaces: list[str]) -> str:
    """What tells whether interfaces have fast path: the counters of each."""
    named = ["name=" + quoted(name) for name in interfaces]
    return "/interface/print stats-detail where " + " or ".join(named)


def class_of(classes: list[Decided], traffic: Traffic) -> Decided | None:
    """The class that packets are in, by themselves or with others alike."""
    for each in classes:
        same = each.traffic.interface and traffic.interface in each.traffic.members
        if each.traffic.kind == traffic.kind and (same or each.traffic.name == traffic.name):
            return each
    return None


# ------------------------------------------------------------------------------------------------
# What becomes of the frames of a bridge: the switch chip's, or the CPU's, or nobody can say.

CAPSMAN = "capsman-forwarding"
"""The rule that a router is a CAPsMAN."""

OF_CAPSMAN = (("/caps-man/datapath", ""), ("/caps-man/configuration", "datapath."),
              ("/caps-man/interface", "datapath."))  # fmt: skip
"""The menus that put a CAPsMAN's radios into a bridge, each with what its properties begin with."""

UNSEEN = ("bridge-rules", "use-ip-firewall")
"""Rules about what the CPU does to bridged frames, which a chip's frames never meet."""

VPLS = "fast-path-vpls"

LISTED = ("ethernet", "wireless", "wifi", "wifiwave2", "bridge", "vlan", "vrrp", "pppoe-client",
          "l2tp-client", "l2tp-server", "eoip", "gre", "ipip", "vxlan", "bonding",
          "vpls")  # fmt: skip
"""Kinds of interfaces that the manual names among those with a fast path (fast-path-ports)."""


def decided_in_bridge(situation: Situation, each: Traffic, inputs: dict[str, Any]) -> Decided:
    """A bridge: the chip's where the model has one, the CPU's where it has none, else unknown."""
    ports = _ports(situation, each.interface)
    unlisted = [port for port in ports if port.kind not in LISTED]
    radios = _radios(situation, each)
    late = _vpls_too_early(situation, ports)
    if not unlisted and not radios and not late:
        return _of_chip_or_cpu(situation, each, inputs)
    # Two ports, but not both with a fast path: no Fast Forward.
    made = _of_chip_or_cpu(situation, each, with_(inputs, "two_ports", False))
    if made.answer == NO:
        return made
    if late:
        made = _with_vpls(situation, each, made, ports, late)
    if made.answer != NO and (unlisted or radios):
        names = [port.name for port in unlisted]
        lines = _named(unlisted)
        said = names + (["a CAPsMAN's radios"] if radios else [])
        perhaps = Decided(each, UNKNOWN, made.ways + ([] if SLOW in made.ways else [SLOW]))
        why = "not named there: " + ", ".join(said)
        perhaps.reasons = [Reason("fast-path-ports", "", lines + radios, why)] + made.reasons
        if radios:
            perhaps.reasons.append(Reason(CAPSMAN, "", radios, ""))
        asks = [ask_about(names)] if names else []
        asks += situation.rules[CAPSMAN]["asks"] if radios else []
        perhaps.asks = made.asks + asks
        return perhaps
    return made


def _radios(situation: Situation, each: Traffic) -> list[Command]:
    """The lines by which a CAPsMAN puts radios into the bridge whose frames it forwards itself."""
    if CAPSMAN not in situation.met:
        return []
    lines = []
    for menu, begins in OF_CAPSMAN:
        for row in situation.net.rows.of(menu):
            local = row.get(begins + "local-forwarding") in ("yes", "true")
            if row.get(begins + "bridge") == each.interface and not local:
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
    each: Traffic,
    others: Decided,
    ports: list[BridgePort],
    vpls: list[BridgePort],
) -> Decided:
    """The bridge with VPLS interfaces that have no fast path; `others`: as if they had one."""
    told = situation.net.base["facts"][VPLS]
    # Frames between its other ports take their way still, where there are two.
    ways = [SLOW] if len(ports) - len(vpls) < 2 else others.ways + [SLOW]
    made = Decided(each, answer_of(ways), ways)
    why = "since " + told["since"] + "; this is " + situation.net.version
    made.reasons = [Reason(VPLS, "", _named(vpls), why)]
    made.reasons += others.reasons if len(ways) > 1 else []
    made.asks = others.asks[:] if len(ways) > 1 else []
    return made


def _ports(situation: Situation, bridge: str) -> list[BridgePort]:
    """The ports of a bridge as the chip sees them, looked at once for all classes."""
    if bridge not in situation.bridge_ports:
        situation.bridge_ports[bridge] = offload.bridge_ports(situation.net, bridge)
    found: list[BridgePort] = situation.bridge_ports[bridge]
    return found


def _named(ports: list[BridgePort]) -> list[Command]:
    """The lines that make them ports."""
    return [port.row.command("interface") for port in ports]


def _of_chip_or_cpu(situation: Situation, each: Traffic, inputs: dict[str, Any]) -> Decided:
    net, ports = situation.net, _ports(situation, each.interface)
    off = [port for port in ports if port.off]
    made_by_cpu = [port for port in ports if not port.of_chip]
    # A chip forwards between ports of its own, so it takes two.
    alone = bool(made_by_cpu) and len(ports) - len(made_by_cpu) < 2
    everything_off = bool(off) and len(off) == len(ports)
    cpu, reasons, _ = way(situation, each, inputs, [])
    flagged = [port.row for port in ports if port.row.get("hw-flag")]
    if net.virtual or everything_off or (alone and not flagged):
        made = Decided(each, answer_of([cpu]), [cpu])
        made.reasons = reasons
        if off:
            made.reasons = [_of_ports(situation)] + reasons
        elif alone and not net.virtual:
            made.reasons = _not_the_chip_s(made_by_cpu) + reasons
        return made
    refused, lines = ("", []) if net.chip or flagged else offload.of_bridge(net, each.interface)
    if refused:
        made = Decided(each, answer_of([cpu]), [cpu])
        made.reasons = reasons + [Reason(offload.BY_SETTING, "", lines, refused)]
        return made
    in_chip, why, _ = way(situation, each, with_(inputs, "bridge_chip", "bridges"), [])
    if flagged:
        return _by_flags(each, flagged, Decided(each, YES, [in_chip, cpu]), why, reasons)
    if net.chip:
        others = _other_bridges(situation, each)
        both = bool(off or made_by_cpu or others)
        ways = [in_chip, cpu] if both and cpu != in_chip else [in_chip]
        answer = answer_of(ways)
        # Which bridge the chip has, no export says.
        made = Decided(each, UNKNOWN if others and answer != YES else answer, ways)
        made.reasons = _unseen(situation, each, why) + ([_of_ports(situation)] if off else [])
        made.reasons += _not_the_chip_s(made_by_cpu)
        if others:
            told = "there is " + ", ".join([row.name for row in others])
            lines = [row.first for row in others]
            made.reasons.append(Reason("bridge-one-hardware", "", lines, told))
            made.asks.append("/interface/bridge/port/print")
        made.reasons += reasons if both else []
        unsaid = [port.unsaid for port in ports if port.unsaid is not None]
        return _perhaps_elsewhere(made, cpu, unsaid, [] if both else reasons)
    if not off and not made_by_cpu and _all_of_one_chip(situation, each):
        made = Decided(each, YES, [in_chip])
        made.reasons = _unseen(situation, each, why)
        return made
    answer = YES if cpu in FAST_WAYS else UNKNOWN
    made = Decided(each, answer, [in_chip, cpu])
    made.reasons = reasons + [Reason("bridge-hardware", "", [], "if the ports have the flag H")]
    made.asks = ["/interface/bridge/port/print"]
    return made


def _all_of_one_chip(situation: Situation, each: Traffic) -> bool:
    """Whether the manual counts all ports of a bridge to one small chip, which has no other."""
    net, chip = situation.net, situation.net.small_chip
    ports = _ports(situation, each.interface)
    plain = all(p.kind == "ethernet" and p.row.get("horizon", "none") == "none" for p in ports)
    if chip is None or not plain or _other_bridges(situation, each):
        return False
    names = [offload.default_name(net, port.name) for port in ports]
    return any(all(name in group for name in names) for group in chip["ports"])


def _other_bridges(situation: Situation, each: Traffic) -> list[Row]:
    """The other bridges that the chip may forward for instead: two ports of its own are enough."""
    net = situation.net
    found = []
    for bridge in net.rows.of("/interface/bridge"):
        ports = [port for port in _ports(situation, bridge.name) if port.of_chip and not port.off]
        if bridge.name != each.interface and len(ports) > 1:
            found.append(bridge)
    return found


def _unseen(situation: Situation, each: Traffic, why: list[Reason]) -> list[Reason]:
    """Why the chip forwards, with the bridge's own rules, which see nothing of that."""
    names = [name for name in UNSEEN if name in situation.met]
    lines = [line for name in names for line in situation.lines(name, each)]
    if not lines:
        return why
    told = "so these lines do nothing to it"
    return [
        Reason(one.fact, one.rule, lines, told) if one.fact == "bridge-hardware" else one
        for one in why
    ]


def _perhaps_elsewhere(
    sure: Decided, cpu: str, unsaid: list[Reason], reasons: list[Reason]
) -> Decided:
    """The bridge where some of its ports, for all that a source says, may be the CPU's."""
    if not unsaid:
        return sure
    answer = UNKNOWN if sure.answer == YES and cpu not in FAST_WAYS else sure.answer
    made = Decided(sure.traffic, answer, sure.ways + ([] if cpu in sure.ways else [cpu]))
    first, ports = unsaid[0], ", ".join([reason.why for reason in unsaid])
    made.reasons = sure.reasons + [Reason(first.fact, first.rule, first.lines, ports)] + reasons
    made.asks = sure.asks + [offload.BY_NUMBER]
    return made


def _not_the_chip_s(ports: list[BridgePort]) -> list[Reason]:
    """Why the CPU has these ports of a bridge."""
    made = []
    for fact in (offload.BY_BOND, offload.BY_HORIZON, ""):
        refused = [port for port in ports if port.refused == fact]
        names = ", ".join([port.name for port in refused])
        told = names if fact else "no port of the chip: " + names
        made += [Reason(fact or "bridge-hardware", "", _named(refused), told)] if refused else []
    return made


def _by_flags(
    each: Traffic, ports: list[Row], both: Decided, why: list[Reason], reasons: list[Reason]
) -> Decided:
    """A bridge whose ports the router printed: the flag H says which of them the chip has."""
    flags = [row.get("hw-flag") == "yes" for row in ports]
    in_chip, cpu = both.ways
    ways = [in_chip] if all(flags) else [in_chip, cpu] if any(flags) and in_chip != cpu else [cpu]
    made = Decided(each, answer_of(ways), ways)
    without = [row.command("hw-flag") for row in ports if row.get("hw-flag") != "yes"]
    if any(flags):
        lines = [row.command("hw-flag") for row in ports if row.get("hw-flag") == "yes"]
        made.reasons.append(Reason("bridge-hardware", "", lines, "the router prints the flag H"))
        made.reasons += [reason for reason in why if reason.fact != "bridge-hardware"]
    if without:
        made.reasons.append(Reason("bridge-hardware", "", without, "the flag H is not there"))
        made.reasons += reasons
    return made


def _of_ports(situation: Situation) -> Reason:
    lines = situation.met.get("bridge-hw-off", [])
    return Reason("bridge-order", "bridge-hw-off", lines, "hw=no")


# ------------------------------------------------------------------------------------------------
# The classes of traffic that rules make by themselves: MPLS, and the sessions of PPP servers.
#
# What is decided of them stands in the rules' data (`carries`): no model of the packet's path is
# asked, since the packets are not routed as IPv4 or are in a tunnel whose interface no export
# shows.


def classes_by_rule(situation: Situation) -> list[Decided]:
    """A class for each name of which a rule is met that makes it, in the rules' order."""
    met = [rule for rule in situation.net.base["rules"] if rule["id"] in situation.met]
    carrying = [rule for rule in met if rule["carries"]]
    making = [rule for rule in carrying if not rule["carries"]["instead"]]
    return [
        _decided_by_rule(situation, [rule for rule in carrying if rule["carries"]["name"] == name])
        for name in unique([rule["carries"]["name"] for rule in making])
    ]


def _decided_by_rule(situation: Situation, rules: list[dict[str, Any]]) -> Decided:
    """By a rule that decides instead, where there is one; else by the first that makes it."""
    rule = ([rule for rule in rules if rule["carries"]["instead"]] or rules)[0]
    said, net = rule["carries"], situation.net
    each = Traffic(said["name"], net.base["carried"][said["name"]], CARRIED)
    if said["answer"] == YES and net.virtual and net.numbers and net.numbers[0] < 7:
        return slow(each, "fast-path-driver", "chr-adapters", [])
    made = Decided(each, said["answer"], list(said["paths"]))
    made.reasons = [Reason(fact, rule["id"], [], "") for fact in rule["facts"]]
    made.reasons[0].lines = situation.met[rule["id"]]
    made.asks = list(rule["asks"]) if made.answer not in (YES, NO) else []
    return made


# ------------------------------------------------------------------------------------------------
# The cases of a class that is forwarded: what the firewall, its ports and bridges leave open.


def cases_of(
    situation: Situation, each: Traffic, markings: list[Marking], inputs: dict[str, Any]
) -> tuple[list[dict[str, Any]], list[Step]]:
    """The inputs of every case, and the rules that decide between FastTrack and none."""
    there = [row for m in markings for row in m.there]
    name = "fasttrack" if each.family == 4 else "fasttrack-ipv6"
    has = matching.has_fasttrack(situation.net.base, situation.net.numbers, each.family)
    inputs["fasttrack"] = has and (bool(there) or name in situation.met)
    answers = [m.answer for m in markings]
    untracked = [m.untracked for m in markings if m.untracked]
    never = bool([step for step in untracked if step.verdict == "yes"])
    reached = ("yes" in answers or not markings) and not untracked
    perhaps = ("perhaps" in answers or "yes" in answers) and not reached and not never
    inputs["accepted"] = not reached
    cases = [with_(inputs, "accepted", False), inputs] if perhaps else [inputs]
    cases = [with_(case, "driver", one) for case in cases for one in situation.drivers(each)]
    steps = [step for m in markings for step in m.perhaps]
    if "yes" in answers:
        steps = [step for step in steps if step.action == "notrack"]
    crossed = [other for case in cases for other in situation.crossed(each, case)]
    return crossed, steps if perhaps else []


def not_known(
    situation: Situation, each: Traffic, ways: list[str], reasons: list[Reason], asks: list[str]
) -> list[tuple[Reason, bool]]:
    """One more way by an interface or a VLAN of the class; each reason, and if it is sourced."""
    without = without_fast_path(situation.net, each)
    if decide.FAST not in ways and decide.FASTTRACK not in ways:
        without = []
    if without:
        asks.append(ask_about([name for name, _, _ in without]))
        if decide.SLOW not in ways:
            ways.append(decide.SLOW)
    if decide.CHIP in ways and [r for r in reasons if r.fact == "l3hw-bridge-tagged"]:
        ways.append(DROPPED)  # nothing is routed into such a VLAN
        asks += [ask for ask in situation.rules["bridge-tagged"]["asks"] if ask not in asks]
    return [(reason, said) for _, reason, said in without]


def on_what(step: Step) -> Reason:
    """Why it depends on the packet: a rule of the firewall that only perhaps matches."""
    why = "it depends on " + ", ".join(step.why) if step.why else "it depends"
    fact, rule = "fasttrack-accept-in-front", "accept-in-front"
    if step.action == "notrack":
        fact, rule = "fasttrack-established", "not-tracked"
        why = "none that this line leaves untracked: " + why
    return Reason(fact, rule, [step.row.first], why)


# ------------------------------------------------------------------------------------------------
# What is said of a PPPoE server's sessions beside the firewall: what of them no export shows.

RULE = "pppoe-server"
IN_LISTS = "/interface/list/member/print where dynamic"
"""What tells into which lists the profiles of users put their sessions."""


def told(situation: Situation, made: Decided) -> None:
    """Take in the server's lines; without what a router says, no export promises the fast path.

    A session may bring a queue or a rule with it, as RADIUS or its profile says.
    """
    net, rule = situation.net, situation.rules[RULE]
    reason = Reason(rule["facts"][0], RULE, situation.met[RULE], "")
    made.reasons.append(reason)
    active = net.rows.single(TOLD)
    open_ = active is None or active.get("active-4") != "yes"
    asks: list[str] = []
    if made.answer == YES and not any(row.says("disabled") for row in net.rows.of(SERVER)):
        made.answer, reason.why = UNKNOWN, "it does not say disabled"
        asks = [SERVER + "/print"]
    elif made.answer == YES and open_ and made.ways != [decide.FASTTRACK]:
        made.answer, reason.why = UNKNOWN, "no export shows which queues and rules they bring"
        asks = rule["asks"]
    elif made.answer == DEPENDS:
        asks = rule["asks"] + ([IN_LISTS] if net.fed_lists else [])
    made.asks = made.asks + [ask for ask in asks if ask not in made.asks]


# ------------------------------------------------------------------------------------------------
# What a tunnel carries, and the interfaces of which no source says that they have a fast path.

WITHOUT = ("wireguard", "ovpn-client", "sstp-client", "pptp-client", "6to4", "eoipv6", "gre6",
           VETH)  # fmt: skip
"""Kinds that fast-path-ports does not name."""

BY_DEFAULT = {"eoip": (YES, ""), "gre": (YES, "gre-fast-path-default"),
              "vxlan": (YES, "vxlan-fast-path-default"),
              "l2tp-client": (NO, "l2tp-fast-path-default")}  # fmt: skip
"""allow-fast-path where nothing is said, and the fact beside fast-path-tunnels that says so; of
IPIP no source was found."""

MAIN = "main"
"""The VRF that everything is in that is in none."""

LTE = "fast-path-lte"

SET = ("l2tp-client", "ipip")
"""Kinds with a rule of their own for allow-fast-path=yes."""


def carried(net: Network, each: Traffic) -> Decided:
    """What a tunnel carries, but for PPPoE."""
    row = each.row
    if row is None:
        return Decided(each, UNKNOWN, [decide.SLOW])
    kind = each.of_kind
    if kind in WITHOUT:
        made = Decided(each, UNKNOWN, [decide.SLOW])
        made.reasons = [_unnamed(row, "it")]
        made.asks = [ask_about([each.interface])]
        return made
    if kind == "vpls":
        return _vpls(net, each, row)
    if kind == "vxlan" and (lines := _no_vxlan(row)):
        return slow(each, "vxlan-no-fast-path", "", lines)
    ipsec = _ipsec(each, row, kind)
    if ipsec is not None:
        return ipsec
    told, fact = (row.get("allow-fast-path"), "") if row.says("allow-fast-path") else ("", "")
    lines = [row.command("allow-fast-path")] if told else [row.first]
    if not told:
        told, fact = BY_DEFAULT.get(kind, ("", ""))
    why = "its default" if fact else ""
    if told in ("no", "false"):
        rule = "l2tp-slow" if kind == "l2tp-client" else "tunnel-slow"
        made = slow(each, "fast-path-tunnels", rule, lines)
        made.reasons += [Reason(fact, rule, lines, why)] if fact else []
        return made
    allow, said = net.setting("/ip/settings", "allow-fast-path")
    if allow == "no":
        return slow(each, "fast-path-allowed", "allow", [said] if said else [])
    since = net.base["facts"].get(fact)
    if not told or (since and not matching.in_force(since, net.numbers)):
        made = Decided(each, UNKNOWN, [decide.FAST, decide.SLOW])
        why = "allow-fast-path is not said, and what it is then is not known"
        made.reasons = [Reason("fast-path-tunnels", "", lines, why)]
        made.asks = ["/interface/" + kind + "/print detail"]
        return made
    rule = "tunnel-fast-path-set" if kind in SET else "tunnel-fast-path"
    made = Decided(each, YES, [decide.FAST])
    made.reasons = [
        Reason("fast-path-tunnels", rule, lines, "allow-fast-path is yes"),
        Reason("fast-path-fragments", "", [], "what arrives in fragments is slow"),
    ]
    made.reasons += [Reason(fact, rule, lines, why)] if fact else []
    return made


def _unnamed(row: Row, name: str) -> Reason:
    rule = "veth-port" if row.menu.path == "/interface/" + VETH else "tunnel-without"
    return Reason("fast-path-ports", rule, [row.first], name + " is not named there")


def _ipsec(each: Traffic, row: Row, kind: str) -> Decided | None:
    """A tunnel inside IPsec; an L2TP client's secret alone makes none."""
    if kind == "l2tp-client":
        if row.get("use-ipsec") in ("", "no", "false"):
            return None
        return slow(each, "l2tp-use-ipsec", "l2tp-ipsec", [row.command("use-ipsec")])
    if not row.get("ipsec-secret"):
        return None
    return slow(each, "eoip-ipsec-no-fast-path", "tunnel-ipsec", [row.command("ipsec-secret")])


def _no_vxlan(row: Row) -> list[Command]:
    """The lines by which a VXLAN interface has no fast path, whatever it allows."""
    found = [row.command("vteps-ip-version")] if row.get("vteps-ip-version") == "ipv6" else []
    return found + ([row.command("vrf")] if row.get("vrf", MAIN) != MAIN else [])


def _vpls(net: Network, each: Traffic, row: Row) -> Decided:
    """VPLS has its fast path since a version, and nothing of its own to allow it by."""
    fact = "fast-path-vpls"
    told = net.base["facts"][fact]
    if not matching.in_force(told, net.numbers):
        why = "since " + told["since"] + "; this is " + net.version
        return slow(each, fact, "", [row.first], why)
    made = Decided(each, YES, [decide.FAST])
    made.reasons = [Reason(fact, "", [row.first], "")]
    return made


def without_fast_path(net: Network, each: Traffic) -> list[tuple[str, Reason, bool]]:
    """The tunnels and modems by which a class comes in or leaves, not known to have a fast path.

    With each the reason, and whether a source says that it has none: the manual's list of what has
    one does not tell of what it leaves out, as WireGuard and LTE.

    One way out of several is enough.  A tunnel among other networks of the LAN is not: what it
    carries has a class of its own.
    """
    packet = each.packet
    if packet is None:
        return []
    found: list[tuple[str, Reason, bool]] = []
    others = _ipv6_outs(net) if each.family == 6 and packet.outs != packet.ins else []
    for names in (packet.ins or [], packet.outs or [], others):
        here = [(name, _of_interface(net, name)) for name in names]
        every = all(bool(tunnels) for _, tunnels in here)
        for name, tunnels in here:
            if every or name in net.wan + others:
                found += [one for one in tunnels if one[0] not in [known[0] for known in found]]
    return found


def _of_interface(net: Network, interface: str) -> list[tuple[str, Reason, bool]]:
    """Of what carries an interface, the tunnels that are not known to have a fast path."""
    found = []
    for name in net.ports_below(interface):
        kind = net.kinds.get(name, "")
        if kind not in TUNNELS + (VETH,) and (kind != "lte" or _named_lte(net)):
            continue
        # A modem that nobody renamed has but its default name.
        row = next(one for one in net.rows.of("/interface/" + kind) if one.name == name)
        if kind in WITHOUT:
            found.append((name, _unnamed(row, name), False))
            continue
        if kind == "lte":
            found.append((name, Reason(LTE, "", [row.first], name), False))
            continue
        about = Traffic("carried-" + name, "", CARRIED)
        about.interface, about.of_kind, about.row = name, kind, row
        made = carried(net, about)
        if made.answer != YES:
            found.append((name, made.reasons[0], made.answer == NO))
    return found


def _named_lte(net: Network) -> bool:
    """Whether the manual of this RouterOS says that LTE has a fast path."""
    return bool(net.numbers) and net.numbers[0] < 7


def _ipv6_outs(net: Network) -> list[str]:
    """The interfaces by which IPv6's default routes leave: those of IPv4 may be others."""
    found: list[str] = []
    for row in net.rows.of("/ipv6/route"):
        gateway = row.get("gateway").split("%")[-1]
        if row.get("dst-address", "::/0") not in ("::/0", ""):
            continue
        if gateway in net.kinds:
            found.append(gateway)
            continue
        for address in net.rows.of("/ipv6/address"):
            try:
                to = as_number(gateway)
                if within((to, to), span(address.get("address"))):
                    found.append(address.get("interface"))
            except ValueError:
                continue
    return found


# ------------------------------------------------------------------------------------------------
# `explain`: the classes of traffic of a configuration, the path of each and the line that decides.
#
# The answer is plain data (`report.Answer.plain`), with the decisions as words of few kinds; the
# sentences are made from them where they are shown.

NOTES = ("fasttrack-and-ipsec", "fasttrack-and-marks", "fasttrack-and-tables",
         "fasttrack-and-queues", "bridge-mtu", "masquerade-reconnects", "never-reached",
         "ppp-rate-limit", "dhcp-rate-limit", "ipsec-dynamic", "l2tp-server-ipsec",
         "routes-nothing", "capsman-forwarding", "cap-forwarding", "cap-to-capsman", "cap-itself",
         "accept-in-front", "empty-list")  # fmt: skip
"""Rules that are said beside the table, whatever the classes' paths."""

PACKET = "packet"
"""The name of the class of one packet that was asked about."""

LABELS = "labels"
"""What a rule hides and no counter of the fast path settles: which routes have labels.

What else a rule hides, queues and policies, a router counts under that name (`printed`).
"""

HIDDEN = {"queues": "it", "policies": "it", LABELS: "which routes have labels"}
"""What no export shows of what a rule hides."""

FORWARD_KNOWN = (6, 29)
"""No source says since when there is Fast Forward; before this, too little else is known."""


class Explained:
    """Everything that was decided of a configuration."""

    def __init__(self, net: Network) -> None:
        self.net = net
        self.without: list[tuple[str, int]] = []
        self.evidence: list[Command] = []
        """What it was asked with, beside the exports."""
        self.met: dict[str, list[Command]] = {}
        self.classes: list[Decided] = []
        self.offload: list[tuple[str, Command | None, str]] = []
        self.seen: list[dict[str, Any]] = []
        self.situation: Situation | None = None

    @property
    def fast(self) -> bool:
        """Whether all that is forwarded is forwarded fast."""
        kinds = [each for each in self.classes if each.traffic.kind in traffic.DECISIVE]
        return all(each.answer == YES for each in kinds)


def explain(
    exports: list[Export],
    base: dict[str, Any],
    without: list[tuple[str, int]] | None = None,
    evidence: list[Command] | None = None,
    version: str = "",
) -> Explained:
    """Explain one router's exports by the rule base (`rules.plain()`).

    `without`: lines to leave out, by file and number; `evidence`: what a router printed, or what
    was typed behind the exports; `version`: RouterOS's, whatever the exports say.
    """
    net = Network(exports, base, without, evidence, version)
    found = Explained(net)
    found.without, found.evidence = without or [], evidence or []
    rules = {rule["id"]: rule for rule in base["rules"]}
    chip = net.chip
    classes = chip["classes"] if chip else []
    in_force = [rule for rule in base["rules"] if matching.in_force(rule, net.numbers)]
    for name, row in matching.rows_that_meet(in_force, net.rows):
        rule = rules[name]
        if matching.only_offload(rule) and not matching.of_chip(rule, classes):
            continue
        words = [word for word in rule["where"] if row.says(word)]
        found.met.setdefault(name, []).append(row.command(words[0]) if words else row.first)
    if "cap-forwarding" in found.met:
        _said_of_radios(found, exports)
    every = traffic.classes(net)
    markings = {each.name: _markings(net, each) for each in every}
    for name, lines in traffic.rules_met_together(net, markings["established"]):
        if matching.in_force(rules[name], net.numbers):
            found.met[name] = found.met.get(name, []) + lines
    if chip:
        every_command = [c for export in exports for c in export.commands] + found.evidence
        added = [c for c in every_command if c.command in ("add", "set")]
        added = [c for c in added if c.properties.get("disabled") != "yes"]
        for name, line, seen in offload.findings(added, chip["ways"]):
            if matching.of_chip(rules[name], classes):
                found.offload.append((name, line, seen))
                found.met[name] = found.met.get(name, []) + ([line] if line else [])
    situation = Situation(net, found.met, rules, markings["established"])
    found.situation = situation
    situation.main = next(each for each in every if each.name == "established")
    found.classes = joined([_decided(situation, each, markings[each.name]) for each in every])
    if net.routes_nothing:
        gone = (traffic.NEW, traffic.ESTABLISHED, traffic.OTHER)
        found.classes = [
            each
            for each in found.classes
            if each.traffic.kind not in gone or (each.traffic.family == 6 and _routes_ipv6(net))
        ]
        found.met["routes-nothing"] = [row.first for row in net.rows.of("/ip/address")]
    for made in classes_by_rule(situation):
        _of_device(situation, made)
        found.classes.append(made)
    return found


def decided(found: Explained, each: Traffic) -> Decided:
    """The path of one more class of packets, as those of the configuration are decided."""
    assert found.situation is not None
    return _decided(found.situation, each, _markings(found.net, each))


def _said_of_radios(found: Explained, exports: list[Export]) -> None:
    """Who forwards what a CAP's radios receive, where the comments of its export say it."""
    for index, name in enumerate(("cap-to-capsman", "cap-itself")):
        word = FORWARDS[index]
        if any(word in export.header for export in exports):
            found.met[name] = found.met["cap-forwarding"]
    if "cap-to-capsman" in found.met or "cap-itself" in found.met:
        del found.met["cap-forwarding"]


def _routes_ipv6(net: Network) -> bool:
    menus = ("/ipv6/address", "/ipv6/dhcp-client", "/ipv6/route")
    return any(net.rows.of(menu) for menu in menus)


def _markings(net: Network, each: Traffic) -> list[Marking]:
    if each.packet is None or each.kind not in (traffic.ESTABLISHED, traffic.OTHER):
        return []
    return [marking(net, packet, each.family) for packet in both_ways(net, each.packet)]


def _decided(situation: Situation, each: Traffic, markings: list[Marking]) -> Decided:
    if each.kind == traffic.LOCAL:
        return slow(each, "fast-path-local", "", [])
    if each.kind == traffic.CARRIED:
        if each.of_kind == "pppoe-client":
            return _perhaps_off(_over_pppoe(situation, each))
        return _perhaps_off(carried(situation.net, each))
    if each.kind == traffic.PROTECTED:
        return slow(each, "fast-path-ipsec", "ipsec", situation.met.get("ipsec", []))
    # A packet that answers another may be of a connection that began the other way.
    drops_new = None if each.name == PACKET else first_dropped(situation.net, each)
    dropped = [m.dropped for m in markings if m.dropped]
    chip = [mode.chip for mode in offload.modes(situation.net, each, markings)]
    past = bool(chip) and all(mode == offload.ROUTES for mode in chip)
    if each.kind == traffic.NEW and drops_new is not None:
        dropped = [drops_new]
    if dropped and all(m.dropped for m in markings) and not past:
        made = Decided(each, NO, [DROPPED])
        lines = [step.row.first for step in dropped]
        made.reasons = [Reason("fast-path-firewall", "", lines[:1], "the rule drops them")]
        return made
    if drops_new is not None and not past:
        made = Decided(each, NO, [DROPPED])
        lines, why = [drops_new.row.first], "no connection begins this way: the rule drops it"
        made.reasons = [Reason("fast-path-firewall", "", lines, why)]
        return made
    made = _forwarded(situation, each, markings)
    _hidden(situation, made)
    if each.name == RULE:
        told(situation, made)
    return made


def first_dropped(net: Network, each: Traffic) -> Step | None:
    """The rule that drops the first packets of a class for certain."""
    if each.packet is None:
        return None
    packet = each.packet.copied()
    packet.state = "new"
    return marking(net, marked(net, packet), each.family).dropped


def _forwarded(situation: Situation, each: Traffic, markings: list[Marking]) -> Decided:
    """What is routed or bridged: by every case that is possible."""
    features = situation.features(each)
    inputs = situation.inputs(each, features)
    if each.kind == traffic.BRIDGED:
        return _old(situation, decided_in_bridge(situation, each, inputs))
    before_ipv6 = each.family == 6 and situation.net.numbers and situation.net.numbers < (7, 18)
    if before_ipv6:
        inputs["allow"] = False
    cases, doubts = cases_of(situation, each, markings, inputs)
    chip: list[offload.Mode | None] = list(offload.modes(situation.net, each, markings))
    ways: list[str] = []
    reasons: list[Reason] = []
    asks: list[str] = []
    first: Any = None
    known: list[str] = []
    for mode in chip or [None]:
        for chosen in cases:
            tried = with_(chosen, "chip", mode.chip) if mode else chosen
            found, why, case = way(situation, each, tried, markings)
            why = mode.told(found, why) if mode else why
            asks += [ask for ask in mode.asks if ask not in asks] if mode else []
            first = first or case
            if found not in ways:
                ways.append(found)
            if mode is None or not mode.unsaid:
                known.append(found)
            for reason in why:
                if (reason.fact, reason.rule) not in [(r.fact, r.rule) for r in reasons]:
                    reasons.append(reason)
    without = not_known(situation, each, ways, reasons, asks)
    reasons = [reason for reason, _ in without] + reasons
    known += [decide.SLOW for _, said in without if said]
    known += [one for one in ways if one == DROPPED]
    if decide.CHIP not in ways:
        reasons += situation.bonds_back(each)
    elif each.packet is not None and each.packet.nat == ["srcnat"]:
        # The chip translates nothing that it routes as it comes.
        each.title = each.title.replace(", translated", ", not translated by the chip")
    if before_ipv6 and decide.CHIP not in ways:
        reasons = [Reason("tree-ipv6-fast-path", "", [], "")] + reasons[1:]
    made = Decided(each, answer_of(ways), ways)
    if made.answer == DEPENDS and answer_of(known) == YES:
        made.answer = UNKNOWN  # only what no source says is slow
    made.reasons = reasons
    made.asks = asks if len(ways) > 1 else []
    made.case = first
    if made.answer == DEPENDS:
        made.reasons = [on_what(step) for step in doubts[:8]] + reasons
    return made


def _old(situation: Situation, made: Decided) -> Decided:
    """A bridge of a RouterOS so old that no source says whether it has Fast Forward."""
    net = situation.net
    if decide.FORWARD in made.ways and net.numbers and net.numbers < FORWARD_KNOWN:
        made.answer = UNKNOWN
        for reason in [r for r in made.reasons if r.fact == "fast-forward-two-ports"]:
            reason.why = "not known of RouterOS " + net.version
        made.asks = made.asks + ["/interface/bridge/settings/print"]
    return made


def _perhaps_off(made: Decided) -> Decided:
    """A client that no line says to be on, and that is off from the beginning."""
    row = made.traffic.row
    if made.answer == YES and row is not None and network.unsaid(row):
        made.answer, ask = UNKNOWN, ask_about([made.traffic.interface])
        made.reasons.append(Reason("client-disabled", "", [row.first], "it does not say disabled"))
        made.asks = made.asks + ([] if ask in made.asks else [ask])
    return made


def _over_pppoe(situation: Situation, each: Traffic) -> Decided:
    """What a client carries is routed as what is established; asked once for all clients."""
    if situation.over_pppoe is None:
        situation.over_pppoe = _forwarded(situation, each, situation.established)
    known = situation.over_pppoe
    lines = [each.row.first] if each.row is not None else []
    made = Decided(each, known.answer, known.ways)
    made.reasons = known.reasons + [Reason("fast-path-ports", "pppoe-client", lines, "")]
    made.case = known.case
    made.asks = known.asks[:]
    _hidden(situation, made)
    return made


def _hidden(situation: Situation, made: Decided) -> None:
    """What an export cannot say where it decides: dynamic queues and policies, a CHR's adapters."""
    if made.answer != YES:
        return
    fasttracked = made.ways == [decide.FASTTRACK]
    rules = [rule for rule in situation.net.base["rules"] if rule["hides"]]
    rules = [] if fasttracked or made.traffic.kind == traffic.BRIDGED else rules
    told = situation.net.rows.single(TOLD)
    if told is not None:
        settled = told.get("active-" + str(made.traffic.family)) == "yes"
        labels = [rule for rule in rules if rule["hides"] == LABELS]
        rules = labels if settled else [r for r in rules if not told.says(r["hides"] or "")]
    for rule in rules:
        name = rule["id"]
        if name in situation.met and rule["family"] in (None, made.traffic.family):
            made.answer = UNKNOWN
            made.asks += [ask for ask in rule["asks"] if ask not in made.asks]
            why = "no export shows " + HIDDEN.get(rule["hides"], "it")
            made.reasons.append(Reason(rule["facts"][0], name, situation.met[name], why))
    if told is None or told.get("active-" + str(made.traffic.family)) != "yes":
        _of_device(situation, made)


def _of_device(situation: Situation, made: Decided) -> None:
    """A CHR's adapters, or a router that may be a CHR: whether ports have a fast path at all."""
    told, rule = situation.net.rows.single(TOLD), situation.rules["chr-adapters"]
    if situation.net.virtual and any(one in FAST_WAYS for one in made.ways):
        made.answer = UNKNOWN
        made.asks += [ask for ask in rule["asks"] if ask not in made.asks]
        made.reasons.append(Reason(rule["facts"][0], rule["id"], [], "no export shows it"))
    if situation.net.device_unknown and told is None and made.answer == YES:
        made.answer, made.asks = UNKNOWN, made.asks + ["/system/resource/print"]
        made.reasons.append(Reason("chr-fast-path", "", [], "which device it is, nothing says"))


# ------------------------------------------------------------------------------------------------
# One packet with the path that it takes, decided as for a class of such packets.

TRACKED = ("established", "related")


def answered(found: Explained, packet: Packet) -> dict[str, Any]:
    """What `trace.walked` says, with `path`: its ways, and `because`: the reasons for them."""
    net = found.net
    walked, led = trace.followed(net, packet)
    never = _never_begins(found, led) if walked["chip"] == trace.NONE else None
    if walked["chain"] == "forward" and never is not None:
        place = place_of(net, never.row.first)
        walked["end"], walked["fasttrack"], walked["unless"] = never.action, "no", []
        walked["ended"] = never.action + ": no connection begins, " + place + " ends the first"
        walked["ended"] += " packet of it"
    ways, reasons = _path(found, walked, led)
    walked["path"] = ways
    walked["because"] = [_sentence(found, reason) for reason in reasons[:1]]
    for row in net.rows.of("/ip/hotspot"):
        if row.get("interface") in [net.above(name) for name in led.ins or []]:
            walked["says"].append(
                "A hotspot is on " + row.get("interface") + " (" + place_of(net, row.first) + "): "
                "while it runs it has rules of its own, which no export shows, and which redirect "
                "or reject the packets of whoever has not logged in."
            )
            walked["ended"] += ", if the hotspot lets it pass"
    return walked


def _path(found: Explained, walked: dict[str, Any], led: Packet) -> tuple[list[str], list[Reason]]:
    if walked["chain"] == trace.BRIDGED:
        bridges = found.net.bridges_below(led.ins or [])
        for each in found.classes:
            if bridges and each.traffic.kind == BRIDGED and bridges[0] in each.traffic.members:
                return each.ways, each.reasons
        return [decide.SLOW], []
    refused = walked["end"] in REFUSES
    if walked["end"] == trace.NOWHERE or (
        refused and not walked["unless"] and walked["chip"] == trace.NONE
    ):
        return [DROPPED], []
    if walked["chain"] != "forward":
        return [decide.SLOW], [Reason("fast-path-local", "", [], "")]
    made = _decided_packet(found, led)
    return made.ways + ([DROPPED] if refused and DROPPED not in made.ways else []), made.reasons


def _decided_packet(found: Explained, led: Packet) -> Decided:
    kind = ESTABLISHED if led.state in TRACKED else OTHER
    kind = NEW if led.state == "new" else kind
    kind = OTHER if led.protocols[0] not in ("tcp", "udp") else kind
    each = Traffic(PACKET, "the packet", kind, led.family)
    each.packet = led
    return decided(found, each)


def _never_begins(found: Explained, led: Packet) -> Step | None:
    """The rule that ends the first packet of an established packet's connection, either way."""
    if led.state not in TRACKED or led.chain != "forward":
        return None
    steps = []
    for one in (led, answering(found.net, led)):
        each = Traffic(PACKET, "", NEW, led.family)
        each.packet = one
        steps.append(first_dropped(found.net, each))
    return steps[0] if all(step is not None for step in steps) else None


def _sentence(found: Explained, reason: Reason) -> str:
    lines = [place_of(found.net, line) for line in reason.lines[:1]]
    says = str(found.net.base["facts"][reason.fact]["says"])
    return says + "".join([" (" + line + ")" for line in lines])
