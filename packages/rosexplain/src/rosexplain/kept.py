"""What of a configuration has to stay, though it costs time or closes a fast path."""

from __future__ import annotations

from rosexplain.firewall import TRANSLATES, led_to
from rosexplain.language import N_
from rosexplain.matchers import conditions
from rosexplain.matching import Met, met_by
from rosexplain.network import REFUSES, Network
from rosexplain.probes import in_ipsec
from rosexplain.rows import Row
from rosexplain.selection import is_gone

FIREWALL = "/ip/firewall/"
INVALID = "invalid"
"""The state of packets of no connection: to drop them guards no network from another."""

OF_ANYBODY = ("out-interface", "out-interface-list", "ipsec-policy", "src-address")
"""The matchers of a rule of NAT that lets out hosts which no list names."""

LABELS = {
    "nat-of-list": N_("NAT for an address list, and the list decides who gets out"),
    "ipsec": N_("IPsec"),
    "vlans": N_("vlan-filtering, without which the bridge's VLANs are one network"),
    "guards": N_("what the forward chain drops"),
    "hotspot": N_("the hotspot"),
    "mss": N_("change-mss, which tunnels may need"),
    "nat": N_("NAT, which brings the replies back"),
}
"""What has to stay."""


def kept(net: Network, noticed: list[Met]) -> list[Met]:
    """The guards, separations and translations by their names in LABELS, the weightiest first.

    None is a limit: that is on purpose where it is slow (`summary`).  `noticed`: the notices that
    hold; a rule that does nothing is worth nothing.
    """
    rules = net.rules.by_id
    idle = {id(line) for rule, lines in noticed if "idle" in rules[rule] for line in lines}
    nat = [row for row in net.rows.where(FIREWALL + "nat", "chain", "srcnat")
           if row.get("action") in TRANSLATES]  # fmt: skip
    listed = [row for row in nat if row.get("src-address-list")[:1] not in ("", "!")]
    if any(all(name in OF_ANYBODY for name, _ in conditions(row)) for row in nat):
        listed = []  # whoever sent it is let out: the list only chooses an address
    routes = not net.routes_nothing or net.drops_forwarded  # to drop all of it is a guard too
    forwarding = list(led_to(net, 4, "filter", "forward")) if routes else []
    guards = [row for row in net.rows.of(FIREWALL + "filter")
              if row.get("chain") in forwarding and row.get("action") in REFUSES
              and row.get("connection-state") != INVALID]  # fmt: skip
    filtering = [row for row in net.rows.where("/interface/bridge", "vlan-filtering", "yes")
                 if _separates(net, row)]  # fmt: skip
    hotspots = [row for row in net.rows.of("/ip/hotspot") if not is_gone(row.get("interface"))]
    every = [
        ("nat-of-list", "", listed),
        ("ipsec", "", _protecting(net)),
        ("vlans", "vlan-filtering", filtering),
        ("guards", "", guards),
        ("hotspot", "", hotspots),
        ("mss", "", net.rows.where(FIREWALL + "mangle", "action", "change-mss")),
        ("nat", "", [row for row in nat if row not in listed]),
    ]
    return met_by(
        [
            (name, word, [row for row in rows if not idle.intersection(_commands(row))])
            for name, word, rows in every
        ]
    )


def _commands(row: Row) -> set[int]:
    """The ids of all lines that a row is of; a notice names the first or a property's."""
    return {id(row.command(name)) for name in row.names} | {id(row.first)}


def _protecting(net: Network) -> list[Row]:
    """IPsec's policies whose peers are on, or else its identities, or the tunnels with a secret."""
    off = [row.name for row in net.rows.all_of("/ip/ipsec/peer") if not row.on]
    every = [row for row in net.policies if row.get("peer") not in off]
    peers = [row for row in net.rows.of("/ip/ipsec/identity") if row.get("peer") not in off]
    return every or peers or in_ipsec(net)


def _separates(net: Network, bridge: Row) -> bool:
    """Return True if a bridge has several VLANs: those that it lists, and its other ports' own."""
    listed = net.rows.where("/interface/bridge/vlan", "bridge", bridge.name)
    untagged = [name for row in listed for name in row.get("untagged").split(",")]
    ports = net.port_rows.get(bridge.name, [])
    vlans = {row.get("pvid", "1") for row in ports if row.get("interface") not in untagged}
    vlans |= {row.get("vlan-ids") for row in listed}
    return len(vlans) > 1 or any("," in text or "-" in text for text in vlans)
