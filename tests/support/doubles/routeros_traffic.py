"""What a RouterOS device makes of packets: its fast path and its counters.

The conditions of the fast path are those of MikroTik's manual (packet flow, fast path).  [INF] that
each of them shows in `ipv4-fast-path-active`: no recording has it false.
"""

from __future__ import annotations

import zlib

from tests.support.doubles.routeros_menus import Item, Menus
from tests.support.doubles.routeros_shapes import INTERFACE

RULES = tuple(f"/ip/firewall/{table}" for table in ("filter", "nat", "mangle", "raw"))
RULES_6 = "/ipv6/firewall/filter"
CONNECTIONS = "/ip/firewall/connection"
MARK = "fasttrack-connection"
PARTIAL = frozenset(
    "src-address dst-address protocol in-interface out-interface ipsec-policy".split()
)
"""Words by which a rule is for some packets only."""
CLOSING = (*RULES, "/queue/simple", "/interface/mesh", "/ip/vrf", "/ip/hotspot", "/ip/ipsec/policy")
"""Menus of which any row in force closes the IPv4 fast path."""


def active(menus: Menus, menu: str) -> list[Item]:
    """The items of a list that are in force."""
    return [
        item
        for item in menus.items(menu).values()
        # The firewall's own rule that shows FastTrack's counters is dynamic; a session's queue too.
        if item.get("disabled") != "true"
        and not (item.get("dynamic") == "true" and "/firewall/" in menu)
    ]


def tracks(menus: Menus) -> bool:
    """Whether connections are tracked; `auto`: from the first firewall rule on."""
    enabled = menus.singles["/ip/firewall/connection/tracking"]["enabled"]
    ruled = any(active(menus, table) for table in (*RULES, RULES_6))
    return enabled == "yes" or (enabled == "auto" and ruled)


def is_open(menus: Menus) -> bool:
    """Whether the IPv4 fast path is open."""
    return (
        menus.singles["/ip/settings"]["allow-fast-path"] == "true"
        and menus.singles["/tool/sniffer"]["running"] == "false"
        and not tracks(menus)
        and not any(active(menus, menu) for menu in CLOSING)
        and not any(tree.get("parent") == "global" for tree in active(menus, "/queue/tree"))
    )


def refresh(menus: Menus) -> None:
    """Bring what the device says of itself up to date."""

    def says(menu: str, name: str, value: bool) -> None:
        if name in menus.singles[menu]:
            menus.singles[menu][name] = str(value).lower()

    says("/ip/settings", "ipv4-fast-path-active", is_open(menus))
    word = "yes" if tracks(menus) else "no"
    menus.singles["/ip/firewall/connection/tracking"] |= {"active-ipv4": word, "active-ipv6": word}
    bridge = menus.singles["/interface/bridge/settings"]
    snooping = any(b.get("dhcp-snooping") == "true" for b in active(menus, "/interface/bridge"))
    slow = bridge["allow-fast-path"] != "true" or bridge["use-ip-firewall"] == "true"
    slow = slow or snooping or bool(active(menus, "/interface/bridge/filter"))
    says("/interface/bridge/settings", "bridge-fast-path-active", not slow)
    six = menus.singles["/ipv6/settings"].get("allow-fast-path") == "true"
    six = six and not active(menus, RULES_6) and not tracks(menus)
    says("/ipv6/settings", "ipv6-fast-path-active", six)
    fast = marks(menus) or any(map(fast_tracked, menus.items(CONNECTIONS).values()))
    says("/ip/settings", "ipv4-fasttrack-active", fast)


def marks(menus: Menus) -> bool:
    """Whether an established packet meets a rule that marks its connection.

    One that accepts it before ends its way; rules for some packets only are not looked into.
    """
    if any(i.get("action") == MARK for i in active(menus, "/ip/firewall/mangle")):
        return True
    for rule in active(menus, "/ip/firewall/filter"):
        if rule.get("chain") == "forward" and "established" in rule.get("connection-state", ""):
            if rule.get("action") == MARK:
                return True
            if rule.get("action") == "accept" and not PARTIAL.intersection(rule):
                return False
    return False


def fast_tracked(connection: Item) -> bool:
    """Flag F of a connection.  [INF] that REST calls it so: the manual's list of properties."""
    return connection.get("fasttrack") == "true"


def tracked(menus: Menus, left: str, right: str) -> Item:
    """The connection of what goes between two ports, made where there is none.

    [INF] which rows there are; what is marked stays so until its row is gone (the manual).
    """
    source = f"198.18.1.2:{50000 + zlib.crc32(repr(sorted((left, right))).encode()) % 10000}"
    found = [row for row in menus.items(CONNECTIONS).values() if row["src-address"] == source]
    if not found:
        number = menus.put(CONNECTIONS, {
            "protocol": "udp", "src-address": source, "dst-address": "198.18.2.2:443",
            "fasttrack": "false",
        })  # fmt: skip
        found = [menus.items(CONNECTIONS)[number]]
    row = found[0]
    if marks(menus):
        row["fasttrack"] = "true"
    return row


def carry(menus: Menus, left: str, right: str, packets: int, size: int) -> None:
    """Count `packets` frames of `size` bytes (with FCS) that came in left and went out right."""
    refresh(menus)
    settings = menus.singles["/ip/settings"]
    marked = tracks(menus) and fast_tracked(tracked(menus, left, right))
    fast = marked or is_open(menus)
    for name, way in ((left, "rx"), (right, "tx")):
        port = menus.named(name)
        assert port is not None, f"the device has no interface {name}"
        for front in ("", "fp-") if fast else ("",):
            grow(port, f"{front}{way}-packet", packets)
            grow(port, f"{front}{way}-byte", packets * size)
    kind = "fasttrack" if marked else "fast-path"
    front = f"ipv4-{kind}-"
    for item in [settings] if fast else active(menus, "/ip/firewall/filter"):
        grow(item, f"{front if fast else ''}packets", packets)
        grow(item, f"{front if fast else ''}bytes", packets * (size - 18))


def grow(item: Item, word: str, by: int) -> None:
    """Count on from where the recording of an interface stands, else from nothing."""
    item[word] = str(int(item.get(word, INTERFACE.get(word, "0"))) + by)
