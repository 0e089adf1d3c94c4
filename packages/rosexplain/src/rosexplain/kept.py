"""What of a configuration has to stay, though it costs time or closes a fast path."""

from __future__ import annotations

from rosexplain.language import N_
from rosexplain.matching import Met, met_by
from rosexplain.network import REFUSES, Network
from rosexplain.rows import Row

FIREWALL = "/ip/firewall/"
TRANSLATING = ("masquerade", "src-nat")
INVALID = "invalid"
"""The state of packets of no connection: to drop them guards no network from another."""

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


def kept(net: Network) -> list[Met]:
    """The guards, separations and translations by their names in LABELS, the weightiest first.

    None is a limit: that is on purpose where it is slow (`summary`).
    """
    nat = [row for row in net.rows.where(FIREWALL + "nat", "chain", "srcnat")
           if row.get("action") in TRANSLATING]  # fmt: skip
    guards = [row for row in net.rows.where(FIREWALL + "filter", "chain", "forward")
              if row.get("action") in REFUSES
              and row.get("connection-state") != INVALID]  # fmt: skip
    filtering = net.rows.where("/interface/bridge", "vlan-filtering", "yes")
    return met_by(
        [
            ("nat-of-list", "", [row for row in nat if row.get("src-address-list")]),
            ("ipsec", "", net.policies or net.rows.of("/ip/ipsec/identity")),
            ("vlans", "vlan-filtering", [row for row in filtering if _separates(net, row)]),
            ("guards", "", guards),
            ("hotspot", "", net.rows.of("/ip/hotspot")),
            ("mss", "", net.rows.where(FIREWALL + "mangle", "action", "change-mss")),
            ("nat", "", [row for row in nat if not row.get("src-address-list")]),
        ]
    )


def _separates(net: Network, bridge: Row) -> bool:
    """Return True if a bridge has several VLANs: those that it lists, and its other ports' own."""
    listed = net.rows.where("/interface/bridge/vlan", "bridge", bridge.name)
    untagged = [name for row in listed for name in row.get("untagged").split(",")]
    ports = net.port_rows.get(bridge.name, [])
    vlans = {row.get("pvid", "1") for row in ports if row.get("interface") not in untagged}
    vlans |= {row.get("vlan-ids") for row in listed}
    return len(vlans) > 1 or any("," in text or "-" in text for text in vlans)
