"""What a RouterOS device makes of packets: whether its fast path is open, and what it counts.

The conditions are those of MikroTik's manual (packet flow, fast path).  [INF] that each of them
shows in `ipv4-fast-path-active`: no recording has it false.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from tests.support.doubles.routeros_menus import Item, Menus
from tests.support.doubles.routeros_shapes import INTERFACE

TABLES = ("/ip/firewall/filter", "/ip/firewall/nat", "/ip/firewall/mangle", "/ip/firewall/raw")
SIX = "/ipv6/firewall/filter"
CONNECTIONS = "/ip/firewall/connection"
MARK = "fasttrack-connection"
PARTIAL = {
    "src-address",
    "dst-address",
    "protocol",
    "in-interface",
    "out-interface",
    "ipsec-policy",
}
"""Words by which a rule is for some packets only."""
ESTABLISHED = "established"


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
    told = menus.singles["/ip/firewall/connection/tracking"]["enabled"]
    tables = (*TABLES, SIX)
    return told == "yes" or (told == "auto" and any(active(menus, table) for table in tables))


def closes(menus: Menus) -> Iterator[str]:
    """What closes the IPv4 fast path, in the manual's order."""
    if menus.singles["/ip/settings"]["allow-fast-path"] != "true":
        yield "allow-fast-path=no"
    if any(active(menus, table) for table in TABLES):
        yield "firewall rules"
    if active(menus, "/queue/simple"):
        yield "simple queues"
    if any(item.get("parent") == "global" for item in active(menus, "/queue/tree")):
        yield "a queue tree with parent=global"
    if active(menus, "/interface/mesh"):
        yield "a mesh interface"
    if menus.singles["/tool/sniffer"]["running"] == "true":
        yield "the sniffer"
    if tracks(menus):
        yield "connection tracking"
    if active(menus, "/ip/vrf"):
        yield "a VRF"
    if active(menus, "/ip/hotspot"):
        yield "a hotspot"
    if any(item.get("template") != "true" for item in active(menus, "/ip/ipsec/policy")):
        yield "an IPsec policy"


def open_(menus: Menus) -> bool:
    """Whether the IPv4 fast path is open."""
    return not any(closes(menus))


def refresh(menus: Menus) -> None:
    """Bring what the device says of itself up to date."""
    menus.singles["/ip/settings"]["ipv4-fast-path-active"] = str(open_(menus)).lower()
    word = "yes" if tracks(menus) else "no"
    menus.singles["/ip/firewall/connection/tracking"] |= {"active-ipv4": word, "active-ipv6": word}
    bridge = menus.singles["/interface/bridge/settings"]
    rules = active(menus, "/interface/bridge/filter") or active(menus, "/interface/bridge/nat")
    snooping = [b for b in active(menus, "/interface/bridge") if b.get("dhcp-snooping") == "true"]
    told = bridge["allow-fast-path"] != "true" or bridge["use-ip-firewall"] == "true"
    slow = told or rules or snooping
    bridge["bridge-fast-path-active"] = "false" if slow else "true"
    six = menus.singles["/ipv6/settings"]
    if "ipv6-fast-path-active" in six:
        shut = six["allow-fast-path"] != "true" or active(menus, SIX)
        shut = shut or tracks(menus)
        six["ipv6-fast-path-active"] = "false" if shut else "true"
    fast = marks(menus) or any(map(fast_tracked, menus.items(CONNECTIONS).values()))
    menus.singles["/ip/settings"]["ipv4-fasttrack-active"] = "true" if fast else "false"


def marks(menus: Menus) -> bool:
    """Whether an established packet meets a rule that marks its connection.

    One that accepts it before ends its way; rules for some packets only are not looked into.
    """
    if any(i.get("action") == MARK for i in active(menus, "/ip/firewall/mangle")):
        return True
    for rule in active(menus, "/ip/firewall/filter"):
        if rule.get("chain") == "forward" and ESTABLISHED in rule.get("connection-state", ""):
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
    fast = marked or settings["ipv4-fast-path-active"] == "true"
    for name, way in ((left, "rx"), (right, "tx")):
        port = menus.named(name)
        assert port is not None, f"the device has no interface {name}"
        for front in ("", "fp-") if fast else ("",):
            grow(port, f"{front}{way}-packet", packets)
            grow(port, f"{front}{way}-byte", packets * size)
    if fast:
        kind = "fasttrack" if marked else "fast-path"
        grow(settings, f"ipv4-{kind}-packets", packets)
        grow(settings, f"ipv4-{kind}-bytes", packets * (size - 18))
    else:
        for rule in active(menus, "/ip/firewall/filter"):
            grow(rule, "packets", packets)
            grow(rule, "bytes", packets * (size - 18))
    if tracks(menus):
        menus.singles["/ip/firewall/connection/tracking"]["total-entries"] = "1"


def grow(item: Item, word: str, by: int) -> None:
    """Count on from where the recording of an interface stands, else from nothing."""
    item[word] = str(int(item.get(word, INTERFACE.get(word, "0"))) + by)
