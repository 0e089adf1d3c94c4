"""What a switch chip leaves to the CPU whatever its ports are told: VRFs, horizons, odd bonds."""

from __future__ import annotations

from ppslab.theory.packet_path.explain.network import Network
from ppslab.theory.packet_path.exports.row import Row

BY_BOND, BY_HORIZON = "bonding-hardware-modes", "bridge-hardware-horizon"
"""The facts by which a chip leaves a port of its own to the CPU."""

BRIDGED_BONDS = ("802.3ad", "balance-xor", "active-backup")
"""The modes of bonds that a chip bridges; one that says no mode has another."""


def vrf_of(net: Network, name: str) -> Row | None:
    """The VRF that an interface is in, by its name or by a list's; None: the main one."""
    for row in net.rows.of("/ip/vrf"):
        names = row.get("interfaces").split(",") if row.name != "main" else []
        if any(name in net.lists.get(each, [each]) for each in names):
            return row
    return None


def as_port(net: Network, port: Row) -> str:
    """The fact by which a chip that is known leaves a bridge's port to the CPU; empty: none."""
    if not net.chip:
        return ""
    if port.get("horizon", "none") not in ("none", ""):
        return BY_HORIZON
    bonds = net.rows.where("/interface/bonding", "name", port.get("interface"))
    return BY_BOND if any(bond.get("mode") not in BRIDGED_BONDS for bond in bonds) else ""
