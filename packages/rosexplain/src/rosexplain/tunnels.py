"""Tunnels, and the interfaces of which no source says that they have a fast path."""

from __future__ import annotations

from typing import Any, NamedTuple

from rosexplain import decide, matching, queues
from rosexplain.addresses import Range, bounds_of, within
from rosexplain.commands import LIMITED, counters_of, rows_of
from rosexplain.decide import UNKNOWN, Reason, Verdict, slow
from rosexplain.firewall import of_forwarded
from rosexplain.language import gettext
from rosexplain.matchers import NO, YES, Matching
from rosexplain.network import FASTTRACK, TABLES, TUNNELS, Network
from rosexplain.packet import PROTOCOLS, STATES, Packet
from rosexplain.parse import Command
from rosexplain.rows import Menu, Row
from rosexplain.traffic import CARRIED, STAYS, VETH, Traffic

UNLISTED = "unlisted"
"""The path in a tunnel of which no source says that it is fast."""

MAIN = "main"
"""The VRF that everything is in that is in none."""

LTE = "fast-path-lte"


def carried(net: Network, traffic_class: Traffic) -> Verdict:
    """Return the verdict of what a tunnel carries, but for PPPoE."""
    row = traffic_class.row
    if row is None:
        return Verdict(traffic_class, UNKNOWN, [decide.SLOW])
    kind = traffic_class.of_kind
    rule = matching.tunnel_rule(net.rules.of_tunnels, row)
    path = rule["tunnel"]["path"] if rule is not None else ""
    name = rule["id"] if rule is not None else ""
    if path == UNLISTED:
        verdict = Verdict(traffic_class, UNKNOWN, [decide.SLOW], [_unlisted(name, row, "")])
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
    near, far = _selected(tunnel.get("local-address")), _selected(tunnel.get("remote-address"))
    menu = net.rows.menus.get("/ip/ipsec/policy")
    rows = []
    for row, src, dst in menu.once("selectors", _selectors) if menu and (near or far) else ():
        pairs = [(end, own) for end, own in ((far, dst), (near, src)) if end and own]
        if pairs and all(within(end, own) for end, own in pairs):
            rows.append(row)
    return rows


def _selectors(menu: Menu) -> list[tuple[Row, Range | None, Range | None]]:
    return [(row, _selected(row.get("src-address")), _selected(row.get("dst-address")))
            for row in menu.on()]  # fmt: skip


def _selected(text: str) -> Range | None:
    """The addresses of a tunnel's end or of a policy; None where it has all, or none is said."""
    return None if text in EVERYWHERE else bounds_of(text)


L2TP = "/interface/l2tp"
PASSES = STAYS + (FASTTRACK,)
"""Actions that lose nothing where a packet bypasses them: it passes all the same."""


def bypassed(net: Network, lines: list[Command]) -> list[Row]:
    """Return what packets in a tunnel meet now, and bypass with allow-fast-path=yes.

    `lines`: those of the tunnel, or of the server, whose sessions have interfaces of their own.
    The frames of a bridge's port meet IPsec, but the rest only with use-ip-firewall=yes.
    """
    ends = rows_of(net, lines)
    rows = net.policies + net.rows.of("/ip/ipsec/identity")
    rows += [row for row in ends if row.get("use-ipsec") not in ("", "no", "false")]
    bridged = all(row.name in net.bridge_of for row in ends)
    if bridged and net.setting("/interface/bridge/settings", "use-ip-firewall")[0] != "yes":
        return rows
    names = [row.name for row in ends if row.name in net.kinds] or None
    packets: list[Packet] = []
    for state in STATES:
        coming, leaving = Packet(state), Packet(state)
        coming.ins = leaving.outs = names
        coming.protocols = leaving.protocols = list(PROTOCOLS)
        packets += [coming, leaving]
    every = [Matching(net, packet) for packet in packets]
    for table in TABLES:
        chains = of_forwarded(net, table)
        for rule in net.rows.of("/ip/firewall/" + table):
            if rule.get("chain") not in chains or rule.get("action", "accept") in PASSES:
                continue
            if any(asked.against(rule, False)[0] != NO for asked in every):
                rows.append(rule)
    for menu in LIMITED:
        rows += net.rows.of(menu)
    rows += queues.of_global(net.rows)
    if any(row.menu.path[: len(L2TP)] == L2TP for row in ends):  # a user may have any profile
        rows += [row for row in net.rows.of("/ppp/profile") if row.get("rate-limit")]
    return rows


EVERYWHERE = ("", "0.0.0.0/0", "::/0")


def _no_vxlan(row: Row) -> list[Command]:
    """The lines by which a VXLAN interface has no fast path, whatever it allows."""
    lines = [row.command("vteps-ip-version")] if row.get("vteps-ip-version") == "ipv6" else []
    return lines + ([row.command("vrf")] if row.get("vrf", MAIN) != MAIN else [])


def _vpls(net: Network, traffic_class: Traffic, row: Row) -> Verdict:
    """VPLS has its fast path since a version, and nothing of its own to allow it by."""
    fact = "fast-path-vpls"
    fact_row = net.base["facts"][fact]
    if not matching.in_force(fact_row, net.numbers):
        why = too_old(fact_row, net)
        return slow(traffic_class, fact, "", [row.first], why)
    return Verdict(traffic_class, YES, [decide.FAST], [Reason(fact, "", [row.first], "")])


class Unsure(NamedTuple):
    """A tunnel or modem that is not known to have a fast path, and the reason.

    `sourced`: a source says that it has none; the manual's list of what has one does not tell of
    what it leaves out, as WireGuard and LTE.
    """

    name: str
    reason: Reason
    sourced: bool


def without_fast_path(net: Network, traffic_class: Traffic) -> list[Unsure]:
    """The tunnels and modems by which a class comes in or leaves, not known to have a fast path.

    One way out of several is enough.  A tunnel among other networks of the LAN is not: what it
    carries has a class of its own.
    """
    packet = traffic_class.packet
    if packet is None:
        return []
    outer: list[Unsure] = []
    others = _ipv6_outs(net) if traffic_class.family == 6 and packet.outs != packet.ins else []
    wide = set(net.wan + others)  # thousands, of a concentrator
    for names in (packet.ins or [], packet.outs or [], others):
        here = [(name, _of_interface(net, name)) for name in names]
        every = all(bool(tunnels) for _, tunnels in here)
        for name, tunnels in here:
            if every or name in wide:
                outer += [one for one in tunnels if one.name not in [known.name for known in outer]]
    return outer


def _of_interface(net: Network, interface: str) -> list[Unsure]:
    """Of what carries an interface, the tunnels that are not known to have a fast path."""
    tunnels = []
    named_lte = net.numbers and net.numbers[0] < 7  # the manual of those says that it has one
    for name in net.ports_below(interface):
        kind = net.kinds.get(name, "")
        if kind not in TUNNELS + (VETH,) and (kind != "lte" or named_lte):
            continue
        # A modem that nobody renamed has but its default name.
        row = next(one for one in net.rows.of("/interface/" + kind) if one.name == name)
        rule = matching.tunnel_rule(net.rules.of_tunnels, row)
        if rule is not None and rule["tunnel"]["path"] == UNLISTED:
            tunnels.append(Unsure(name, _unlisted(rule["id"], row, name), False))
            continue
        if kind == "lte":
            tunnels.append(Unsure(name, Reason(LTE, "", [row.first], name), False))
            continue
        about = Traffic("carried-" + name, "", CARRIED)
        about.interface, about.of_kind, about.row = name, kind, row
        verdict = carried(net, about)
        if verdict.answer != YES:
            tunnels.append(Unsure(name, verdict.reasons[0], verdict.answer == NO))
    return tunnels


def _ipv6_outs(net: Network) -> list[str]:
    """The interfaces by which IPv6's default routes leave: those of IPv4 may be others."""
    names: list[str] = []
    for row in net.rows.of("/ipv6/route"):
        gateway = row.get("gateway").split("%")[-1]
        if row.get("dst-address", "::/0") not in ("::/0", ""):
            continue
        to = bounds_of(gateway)
        near = [(one, bounds_of(one.get("address"))) for one in net.rows.of("/ipv6/address")]
        names += [gateway] if gateway in net.kinds else [
            one.get("interface") for one, own in near if to and own and within(to, own)
        ]  # fmt: skip
    return names


def too_old(fact: dict[str, Any], net: Network) -> str:
    """Return the reason by which a fact is not true of a version of RouterOS."""
    text = gettext("since {since}; this is {version}")
    return text.format(since=fact["since"], version=net.version)
