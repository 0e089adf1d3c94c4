"""What a tunnel carries, and the interfaces of which no source says that they have a fast path."""

from __future__ import annotations

from ppslab.theory.packet_path import packet_way
from ppslab.theory.packet_path.explain import joining, matching
from ppslab.theory.packet_path.explain.addresses import number, span, within
from ppslab.theory.packet_path.explain.deciding import (
    NO,
    UNKNOWN,
    YES,
    Decided,
    Reason,
    slow,
)
from ppslab.theory.packet_path.explain.network import TUNNELS, Network
from ppslab.theory.packet_path.explain.traffic import CARRIED, VETH, Traffic
from ppslab.theory.packet_path.exports.reading import Command
from ppslab.theory.packet_path.exports.row import Row

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
        return Decided(each, UNKNOWN, [packet_way.SLOW])
    kind = each.of_kind
    if kind in WITHOUT:
        made = Decided(each, UNKNOWN, [packet_way.SLOW])
        made.reasons = [_unnamed(row, "it")]
        made.asks = [joining.ask_about([each.interface])]
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
        made = Decided(each, UNKNOWN, [packet_way.FAST, packet_way.SLOW])
        why = "allow-fast-path is not said, and what it is then is not known"
        made.reasons = [Reason("fast-path-tunnels", "", lines, why)]
        made.asks = ["/interface/" + kind + "/print detail"]
        return made
    rule = "tunnel-fast-path-set" if kind in SET else "tunnel-fast-path"
    made = Decided(each, YES, [packet_way.FAST])
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
    made = Decided(each, YES, [packet_way.FAST])
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
                to = number(gateway)
                if within((to, to), span(address.get("address"))):
                    found.append(address.get("interface"))
            except ValueError:
                continue
    return found
