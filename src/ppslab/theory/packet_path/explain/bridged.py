"""What becomes of the frames of a bridge: the switch chip's, or the CPU's, or nobody can say."""

from __future__ import annotations

from typing import Any

from ppslab.theory.packet_path.explain import chip_lines, matching
from ppslab.theory.packet_path.explain.deciding import (
    FAST,
    NO,
    UNKNOWN,
    YES,
    Decided,
    Reason,
    Situation,
    answer_of,
    way,
    with_,
)
from ppslab.theory.packet_path.explain.joining import ask_about
from ppslab.theory.packet_path.explain.traffic import Traffic
from ppslab.theory.packet_path.exports.reading import Command
from ppslab.theory.packet_path.exports.rows import Row
from ppslab.theory.packet_path.packet_way import SLOW

ZEROTIER = "/zerotier/interface"

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

OF_CHIP = ("ethernet", "bonding")
"""Kinds of ports that a switch chip may have; what a CPU makes, as a VLAN, is none."""

BONDS_OF_CHIP = ("802.3ad", "balance-xor", "active-backup")
"""The modes of bonds that a chip bridges; one that says no mode has another."""

BY_BOND, BY_HORIZON = "bonding-hardware-modes", "bridge-hardware-horizon"
"""The facts by which a chip leaves a port of its own to the CPU."""


def decided(situation: Situation, each: Traffic, inputs: dict[str, Any]) -> Decided:
    """A bridge: the chip's where the model has one, the CPU's where it has none, else unknown."""
    rows = _rows(situation, each)
    unlisted = [row for row in rows if _kind(situation, row) not in LISTED]
    radios = _radios(situation, each)
    late = _vpls_too_early(situation, rows)
    if not unlisted and not radios and not late:
        return _of_chip_or_cpu(situation, each, inputs)
    # Two ports, but not both with a fast path: no Fast Forward.
    made = _of_chip_or_cpu(situation, each, with_(inputs, "two_ports", False))
    if made.answer == NO:
        return made
    if late:
        made = _with_vpls(situation, each, made, rows, late)
    if made.answer != NO and (unlisted or radios):
        names = [row.get("interface") for row in unlisted]
        lines = [row.command("interface") for row in unlisted]
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


def _vpls_too_early(situation: Situation, ports: list[Row]) -> list[Row]:
    """The bridge's VPLS interfaces, where RouterOS has no fast path for VPLS yet."""
    net = situation.net
    if matching.in_force(net.base["facts"][VPLS], net.numbers):
        return []
    return [row for row in ports if _kind(situation, row) == "vpls"]


def _with_vpls(
    situation: Situation, each: Traffic, others: Decided, ports: list[Row], vpls: list[Row]
) -> Decided:
    """The bridge with VPLS interfaces that have no fast path; `others`: as if they had one."""
    told = situation.net.base["facts"][VPLS]
    # Frames between its other ports take their way still, where there are two.
    ways = [SLOW] if len(ports) - len(vpls) < 2 else others.ways + [SLOW]
    made = Decided(each, answer_of(ways), ways)
    why = "since " + told["since"] + "; this is " + situation.net.version
    made.reasons = [Reason(VPLS, "", [row.command("interface") for row in vpls], why)]
    made.reasons += others.reasons if len(ways) > 1 else []
    made.asks = others.asks[:] if len(ways) > 1 else []
    return made


def _rows(situation: Situation, each: Traffic) -> list[Row]:
    return situation.net.port_rows.get(each.interface, [])


def _kind(situation: Situation, port: Row) -> str:
    """The kind of a bridge's port; one that no line makes is the router's own, as ether2."""
    name, net = port.get("interface"), situation.net
    if name in net.lists:
        return "ethernet"  # of many ports nothing is known but that they are ports
    if name in net.kinds:
        return net.kinds[name]
    for path in net.rows.menus:
        above, _, kind = path.rpartition("/")
        made = above == "/interface" and kind != "list"
        if (made or path == ZEROTIER) and net.rows.where(path, "name", name):
            return kind if made else "zerotier"
    return "ethernet"


def _of_chip_or_cpu(situation: Situation, each: Traffic, inputs: dict[str, Any]) -> Decided:
    net, ports = situation.net, _rows(situation, each)
    off = [row for row in ports if row.get("hw") == "no"]
    wired = [chip_lines.apart(net, row.get("interface")) for row in ports]
    made_by_cpu = [r for r in ports if not _of_chip(situation, r)]
    # A chip forwards between ports of its own, so it takes two.
    alone = bool(made_by_cpu) and len(ports) - len(made_by_cpu) < 2
    everything_off = bool(off) and len(off) == len(ports)
    cpu, reasons, _ = way(situation, each, inputs, [])
    flagged = [row for row in ports if row.get("hw-flag")]
    if net.virtual or everything_off or (alone and not flagged):
        made = Decided(each, answer_of([cpu]), [cpu])
        made.reasons = reasons
        if off:
            made.reasons = [_of_ports(situation)] + reasons
        elif alone and not net.virtual:
            made.reasons = _not_the_chip_s(situation, made_by_cpu) + reasons
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
        made.reasons += _not_the_chip_s(situation, made_by_cpu)
        if others:
            told = "there is " + ", ".join([row.name for row in others])
            lines = [row.first for row in others]
            made.reasons.append(Reason("bridge-one-hardware", "", lines, told))
            made.asks.append("/interface/bridge/port/print")
        made.reasons += reasons if both else []
        unsaid = [why for why in wired if why and why.fact == chip_lines.COUNTED]
        return _perhaps_elsewhere(made, cpu, unsaid, [] if both else reasons)
    answer = YES if cpu in FAST else UNKNOWN
    made = Decided(each, answer, [in_chip, cpu])
    made.reasons = reasons + [Reason("bridge-hardware", "", [], "if the ports have the flag H")]
    made.asks = ["/interface/bridge/port/print"]
    return made


def _other_bridges(situation: Situation, each: Traffic) -> list[Row]:
    """The other bridges that the chip may forward for instead: two ports of its own are enough."""
    net = situation.net
    found = []
    for bridge in net.rows.of("/interface/bridge"):
        rows = [r for r in net.port_rows.get(bridge.name, []) if r.get("hw") != "no"]
        if bridge.name != each.interface and len([r for r in rows if _of_chip(situation, r)]) > 1:
            found.append(bridge)
    return found


def _of_chip(situation: Situation, port: Row) -> bool:
    why = chip_lines.apart(situation.net, port.get("interface"))
    if _refused(situation, port) or _kind(situation, port) not in OF_CHIP:
        return False
    return not (why and why.fact == chip_lines.ELSEWHERE)


def _refused(situation: Situation, port: Row) -> str:
    """The fact by which a chip that is known leaves a port to the CPU; empty: it does not."""
    net = situation.net
    if not net.chip:
        return ""
    if port.get("horizon", "none") not in ("none", ""):
        return BY_HORIZON
    bonds = net.rows.where("/interface/bonding", "name", port.get("interface"))
    return BY_BOND if any(bond.get("mode") not in BONDS_OF_CHIP for bond in bonds) else ""


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
    answer = UNKNOWN if sure.answer == YES and cpu not in FAST else sure.answer
    made = Decided(sure.traffic, answer, sure.ways + ([] if cpu in sure.ways else [cpu]))
    first, ports = unsaid[0], ", ".join([reason.why for reason in unsaid])
    made.reasons = sure.reasons + [Reason(first.fact, first.rule, first.lines, ports)] + reasons
    made.asks = sure.asks + [chip_lines.BY_NUMBER]
    return made


def _not_the_chip_s(situation: Situation, ports: list[Row]) -> list[Reason]:
    """Why the CPU has these ports of a bridge."""
    made = []
    for fact in (BY_BOND, BY_HORIZON, ""):
        rows = [row for row in ports if _refused(situation, row) == fact]
        names = ", ".join([row.get("interface") for row in rows])
        lines = [row.command("interface") for row in rows]
        told = names if fact else "no port of the chip: " + names
        made += [Reason(fact or "bridge-hardware", "", lines, told)] if rows else []
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
