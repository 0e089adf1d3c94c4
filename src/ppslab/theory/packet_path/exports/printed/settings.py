"""Settings and counters as a router prints them: `name: value`, a line each.

The names are those of the recordings in tests/support/doubles (routeros_shapes.py).
"""

from __future__ import annotations

from ppslab.theory.packet_path.exports.printed.evidence import TOLD, Printed
from ppslab.theory.packet_path.exports.printed.rows import amount

SETTINGS = {
    "ipv4-fast-path-active": ("fast-path", 4, "The IPv4 fast path"),
    "ipv4-fasttrack-active": ("fasttrack", 4, "FastTrack of IPv4"),
    "ipv6-fast-path-active": ("fast-path", 6, "The IPv6 fast path"),
    "ipv6-fasttrack-active": ("fasttrack", 6, "FastTrack of IPv6"),
    "bridge-fast-path-active": ("bridge-fast-path", 0, "The bridge's fast path"),
}
"""What each tells of, for which family, and what it is called."""

COUNTERS = {
    "ipv4-fast-path-packets": ("", 4), "ipv4-fasttrack-packets": ("fasttrack", 4),
    "ipv6-fast-path-packets": ("", 6), "ipv6-fasttrack-packets": ("fasttrack", 6),
    "bridge-fast-path-packets": ("", 0), "bridge-fast-forward-packets": ("", 0),
    "fp-rx-packet": ("", 0), "fp-tx-packet": ("", 0),
}  # fmt: skip
"""Counters, what each tells of and for which family."""

KEPT = {
    "/ip/settings": ("allow-fast-path", "route-cache"),
    "/ipv6/settings": ("allow-fast-path", "disable-ipv6"),
    "/interface/bridge/settings": ("allow-fast-path", "use-ip-firewall"),
    "/ip/firewall/connection/tracking": ("enabled",),
    "/tool/sniffer": ("running",),
    "/tool/traffic-generator": ("running",),
}
"""Settings that are kept as an export's, by their menu."""

OWN = {
    "/ip/settings": ("ip-forward", "rp-filter", "tcp-syncookies", "route-cache"),
    "/ipv6/settings": ("disable-ipv6", "accept-router-advertisements"),
    "/interface/bridge/settings": ("use-ip-firewall", "use-ip-firewall-for-vlan"),
    "/ip/firewall/connection/tracking": ("tcp-established-timeout", "udp-stream-timeout"),
    "/tool/sniffer": ("filter-interface", "streaming-server", "memory-scroll"),
}
"""Properties that one menu has and no other, by which lines without a prompt are known."""

PREFIXES = {"ipv4-": "/ip/settings", "ipv6-": "/ipv6/settings",
            "bridge-fast-": "/interface/bridge/settings"}  # fmt: skip

WORDS = {"true": "yes", "false": "no"}
NO_COMMAND = "it is not said which command printed it: paste the line with the prompt too"


def menu_of(values: list[tuple[str, str, int]]) -> str:
    """The one menu that has these properties; empty where several have them."""
    for name, _, _ in values:
        for menu, own in OWN.items():
            if name in own:
                return menu
        for prefix, menu in PREFIXES.items():
            if name.startswith(prefix):
                return menu
    return ""


def take(into: Printed, menu: str, values: list[tuple[str, str, int]]) -> int:
    """Keep what they say; how many of them were understood, or are told as not read."""
    read = 0
    for name, value, number in values:
        if _setting(into, menu, name, WORDS.get(value, value), number):
            read += 1
        elif any(name in names for names in KEPT.values()):
            into.miss(number, name, "several menus have it: " + NO_COMMAND)
            read += 1
    return read


def _setting(into: Printed, menu: str, name: str, value: str, number: int) -> bool:
    if name in SETTINGS:
        tells, family, what = SETTINGS[name]
        fast = value == "yes"
        into.tell(what, "open" if fast else "closed", number, fast, tells, family)
        if tells == "fast-path":
            into.put(number, TOLD, "set", "active-" + str(family), "yes" if fast else "no")
    elif name in COUNTERS and amount(value) is not None:
        tells, family = COUNTERS[name]
        into.tell(name, value, number, bool(amount(value)), tells, family)
    elif name in KEPT.get(menu, ()) and value in ("yes", "no", "auto"):
        into.put(number, menu, "set", name, value)
    else:
        return bool(menu)
    return True
