"""What of a configuration has to stay, though it costs time or closes a fast path."""

from __future__ import annotations

from rosexplain.language import N_
from rosexplain.matching import Met
from rosexplain.network import Network
from rosexplain.rows import Row

FIREWALL = "/ip/firewall/"
REFUSING = ("drop", "reject", "tarpit")
TRANSLATING = ("masquerade", "src-nat")
INVALID = "invalid"
"""The state of packets of no connection: to drop them guards no network from another."""

LABELS = (
    ("nat-of-list", N_("NAT for an address list, and the list decides who gets out")),
    ("ipsec", N_("IPsec")),
    ("vlans", N_("vlan-filtering, without which the bridge's VLANs are one network")),
    ("guards", N_("what the forward chain drops")),
    ("hotspot", N_("the hotspot")),
    ("mss", N_("change-mss, which tunnels may need")),
    ("nat", N_("NAT, which brings the replies back")),
)
"""What has to stay, the weightiest first."""


def kept(net: Network) -> list[Met]:
    """The guards, separations and translations by their names in LABELS, each with its lines.

    None is a limit: that is on purpose where it is slow (`summary`).
    """
    nat = [row for row in net.rows.of(FIREWALL + "nat")
           if row.get("chain") == "srcnat" and row.get("action") in TRANSLATING]  # fmt: skip
    listed = [row for row in nat if row.get("src-address-list")]
    guards = [row for row in net.rows.of(FIREWALL + "filter")
              if row.get("chain") == "forward" and row.get("action") in REFUSING
              and row.get("connection-state") != INVALID]  # fmt: skip
    filtering = [row for row in net.rows.of("/interface/bridge")
                 if row.get("vlan-filtering") == "yes" and _separates(net, row)]  # fmt: skip
    rows = {
        "nat-of-list": listed,
        "ipsec": net.policies or net.rows.of("/ip/ipsec/identity"),
        "vlans": filtering,
        "guards": guards,
        "hotspot": net.rows.of("/ip/hotspot"),
        "mss": [row for row in net.rows.of(FIREWALL + "mangle")
                if row.get("action") == "change-mss"],
        "nat": [row for row in nat if row not in listed],
    }  # fmt: skip
    return [
        (name, [row.command("vlan-filtering") for row in rows[name]])
        for name, _ in LABELS
        if rows[name]
    ]


def _separates(net: Network, bridge: Row) -> bool:
    """Return True if a bridge has several VLANs: those that it lists, and its other ports' own."""
    listed = [row for row in net.rows.of("/interface/bridge/vlan")
              if row.get("bridge") == bridge.name]  # fmt: skip
    untagged = [name for row in listed for name in row.get("untagged").split(",")]
    ports = net.port_rows.get(bridge.name, [])
    vlans = {row.get("pvid", "1") for row in ports if row.get("interface") not in untagged}
    vlans |= {row.get("vlan-ids") for row in listed}
    return len(vlans) > 1 or any("," in text or "-" in text for text in vlans)
