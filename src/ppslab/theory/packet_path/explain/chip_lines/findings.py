"""What no single line says of L3 hardware offload: bridges, VLANs, next hops, MAC addresses, MTUs.

Each finding: the id of the rule, the line that it is seen by or None, and what was seen.
"""

from __future__ import annotations

from typing import Any

from ppslab.theory.packet_path.explain.network.vlans import tagged
from ppslab.theory.packet_path.exports.reading import Command

MTU_PROFILES = 8

Seen = Any  # tuple[str, Command | None, str]


def findings(lines: list[Command], ways: int) -> list[Seen]:
    """All of them, on a chip that spreads over `ways` next hops (0: not printed)."""
    menus: dict[str, list[Command]] = {}
    for line in lines:
        menus.setdefault(line.menu, []).append(line)
    found: list[Seen] = []
    switch = menus.get("/interface/ethernet/switch", [])
    if not any(line.properties.get("l3-hw-offloading") == "yes" for line in switch):
        found.append(("switch-off", None, "The export does not set it"))
    bridges = [line for line in menus.get("/interface/bridge", []) if line.command == "add"]
    found += [("second-bridge", line, "") for line in bridges[1:]]
    found += _vlans(menus, bridges)
    found += _untagged(menus, bridges)
    if menus.get("/ipv6/route") and not ipv6_hw(lines):
        found.append(("ipv6-off", menus["/ipv6/route"][0], ""))
    found += _paths(menus.get("/ip/route", []), ways)
    found += _macs(lines)
    mtus = {line.properties["mtu"] for line in lines if "mtu" in line.properties}
    if len(mtus) > MTU_PROFILES:
        found.append(("mtu", None, str(len(mtus)) + " different MTUs"))
    return found


def ipv6_hw(lines: list[Command]) -> bool:
    """Whether an export has IPv6 routed in hardware; RouterOS's default is no."""
    settings = "/interface/ethernet/switch/l3hw-settings"
    return any(line.menu == settings and line.properties.get("ipv6-hw") == "yes" for line in lines)


def _name(line: Command) -> str:
    return line.properties.get("name", "")


def _vlans(menus: dict[str, list[Command]], bridges: list[Command]) -> list[Seen]:
    added = [line for line in menus.get("/interface/vlan", []) if line.command == "add"]
    on_bridge = {_name(line) for line in bridges}
    bonds = {_name(line) for line in menus.get("/interface/bonding", [])}
    inner = {_name(line) for line in added}
    found: list[Seen] = []
    for line in added:
        below = line.properties.get("interface", "")
        if below in inner:
            found.append(("vlan-in-vlan", line, ""))
        elif below not in on_bridge:
            found.append(("vlan-elsewhere", line, "It stands on " + below))
            if below in bonds:
                found.append(("vlan-on-bond", line, "It stands on " + below))
    return found


def _untagged(menus: dict[str, list[Command]], bridges: list[Command]) -> list[Seen]:
    """VLAN interfaces on a bridge that is no tagged member of their VLAN."""
    on_bridge = {_name(line) for line in bridges}
    table = [each.properties for each in menus.get("/interface/bridge/vlan", [])]
    members = tagged([(each.get("tagged", ""), each.get("vlan-ids", "")) for each in table])
    found: list[Seen] = []
    for line in menus.get("/interface/vlan", []):
        bridge = line.properties.get("interface", "")
        number = line.properties.get("vlan-id", "")
        if line.command != "add" or bridge not in on_bridge:
            continue
        if bridge not in members or not members[bridge].has(number):
            said = bridge + " is no tagged member of VLAN " + number
            found.append(("bridge-tagged", line, said))
    return found


def _paths(routes: list[Command], ways: int) -> list[Seen]:
    hops: dict[str, int] = {}
    found: list[Seen] = []
    for line in routes:
        target = line.properties.get("dst-address", "0.0.0.0/0")
        count = hops.get(target, 0) + len(line.properties.get("gateway", "").split(","))
        hops[target] = count
        if ways and count > ways:
            said = target + " has " + str(count) + " next hops, the chip " + str(ways) + " ways"
            found.append(("paths", line, said))
    return found


def _is_mac(word: str) -> bool:
    """Whether a word is one: it is shown."""
    return len(word) == 17 and not word.strip("0123456789abcdefABCDEF:")


def _macs(lines: list[Command]) -> list[Seen]:
    first = ""
    found: list[Seen] = []
    for line in lines:
        mac = line.properties.get("mac-address") or line.properties.get("admin-mac") or ""
        if not _is_mac(mac) or not line.menu.startswith("/interface/"):
            continue
        first = first or mac[:-3].upper()
        if mac[:-3].upper() != first:
            found.append(("mac", line, mac + " beside " + first + ":xx"))
    return found
