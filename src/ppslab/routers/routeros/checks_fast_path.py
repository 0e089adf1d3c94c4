"""Checks of the fast path: whether it is open, and which documented condition closes it.

The conditions are those of MikroTik's manual (packet flow in RouterOS, fast path; bridging).  Some
cannot be seen over REST, as they are commands that somebody runs; they are named where the fast
path is closed and nothing else explains it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ppslab.routers.routeros.api import Api, Row
from ppslab.routers.routeros.findings import Facts, Finding, State, Wanted

UNSEEN = (
    "somebody runs /tool/torch, /tool/mac-scan or /tool/ip-scan, or the cards' drivers have no "
    "fast path"
)

FIREWALL = ("filter", "nat", "mangle", "raw")

WHOLE = "only-hardware-queue"
"""The queue of an interface with which a packet leaves on the fast path too."""


def of_ipv4(api: Api, facts: Facts, wanted: Wanted) -> Iterator[Finding]:
    """The IPv4 fast path, and why it is closed."""
    settings = api.settings("/ip/settings")
    yield from _judged(
        "fast path IPv4",
        settings.get("ipv4-fast-path-active"),
        list(_closed(api, "/ip", settings, "active-ipv4")),
        wanted,
    )


def of_ipv6(api: Api, facts: Facts, wanted: Wanted) -> Iterator[Finding]:
    """The IPv6 fast path (RouterOS 7.18 and later)."""
    settings = api.settings_or_none("/ipv6/settings")
    if settings is None or settings.get("disable-ipv6") == "true":
        return
    if "ipv6-fast-path-active" not in settings:
        said = f"RouterOS {facts.version} has none: it came with 7.18"
        yield Finding("fast path IPv6", "warns", said, "/system/package/update/install")
        return
    yield from _judged(
        "fast path IPv6",
        settings["ipv6-fast-path-active"],
        list(_closed(api, "/ipv6", settings, "active-ipv6")),
        wanted,
    )


def of_bridge(api: Api, facts: Facts, wanted: Wanted) -> Iterator[Finding]:
    """The fast path of bridges, where there is one."""
    bridges = [row for row in api.rows_or_none("/interface/bridge") or () if _on(row)]
    if not bridges:
        return
    settings = api.settings("/interface/bridge/settings")
    yield from _judged(
        "fast path of bridges",
        settings.get("bridge-fast-path-active"),
        list(_closed_bridge(api, settings, bridges)),
        wanted,
    )


def of_interface_queues(api: Api, facts: Facts, wanted: Wanted) -> Iterator[Finding]:
    """Whether a port's queue takes packets off the fast path on their way out."""
    rows = api.rows_or_none("/queue/interface")
    if rows is None:
        return
    ports = {port.get("name") for port in facts.ports}
    mine = [row for row in rows if row.get("interface") in ports]
    slow = [row for row in mine if row.get("active-queue", row.get("queue")) != WHOLE]
    if not mine:
        yield Finding("interface queues", "unknown", "the router lists no queue of a port")
    elif slow:
        named = ", ".join(f"{row['interface']} {row.get('queue', '?')}" for row in slow)
        yield Finding(
            "interface queues",
            "warns",
            f"{named}: a packet leaves the fast path in the last step, which costs little",
            f"/queue/interface/set [find where interface=PORT] queue={WHOLE}, where the driver can",
        )
    else:
        yield Finding("interface queues", "ok", f"every port has {WHOLE}")


Reason = tuple[str, str]
"""What closes it, and what would open it."""


def _judged(
    name: str, active: str | None, closed: list[Reason], wanted: Wanted
) -> Iterator[Finding]:
    """The router's own word decides; the conditions say why."""
    if active == "true":
        yield Finding(name, "ok", "the router says that it is open")
        return
    if active != "false":
        yield Finding(name, "unknown", "the router does not say whether it is open")
        return
    state: State = "spoils" if wanted.fast_path else "warns"
    if not closed:
        yield Finding(name, state, f"closed, and not by what can be seen from here: {UNSEEN}")
    for said, remedy in closed:
        yield Finding(name, state, f"closed by {said}", remedy)


def _closed(api: Api, menu: str, settings: Row, tracked: str) -> Iterator[Reason]:
    """What closes the fast path of a family.  `menu`: /ip or /ipv6; `tracked`: its word there."""
    if settings.get("allow-fast-path") == "false":
        yield "allow-fast-path=no", f"{menu}/settings/set allow-fast-path=yes"
    yield from _rules(api, f"{menu}/firewall", FIREWALL)
    tracking = api.settings("/ip/firewall/connection/tracking")
    # Older versions say only what they were told.
    if tracking.get(tracked, tracking.get("enabled")) == "yes":
        told = tracking.get("enabled", "yes")
        because = ", from the first rule of a firewall on" if told == "auto" else ""
        remedy = "/ip/firewall/connection/tracking/set enabled=no"
        yield f"connection tracking (enabled={told}{because})", remedy
    for where, what, counts in LISTS:
        rows = [row for row in _rows(api, where) if _on(row) and counts(row)]
        if rows:
            yield f"{len(rows)} {what}", f"{where}/print, and disable what is not needed"
    sniffer = api.settings_or_none("/tool/sniffer") or {}
    if sniffer.get("running") == "true":
        yield "the sniffer, which runs", "/tool/sniffer/stop"


def _always(row: Row) -> bool:
    return True


LISTS: tuple[tuple[str, str, Callable[[Row], bool]], ...] = (
    ("/queue/simple", "simple queues", _always),
    (
        "/queue/tree",
        "queues of a tree with parent=global",
        lambda row: row.get("parent") == "global",
    ),
    ("/interface/mesh", "mesh interfaces", _always),
    ("/ip/vrf", "VRFs", lambda row: row.get("name") != "main"),
    ("/ip/hotspot", "hotspots", _always),
    ("/ip/ipsec/policy", "IPsec policies", lambda row: row.get("template") != "true"),
)
"""Lists that must be empty: menu, what its rows are, and which of them count."""


def _closed_bridge(api: Api, settings: Row, bridges: list[Row]) -> Iterator[Reason]:
    menu = "/interface/bridge"
    if settings.get("allow-fast-path") == "false":
        yield "allow-fast-path=no", f"{menu}/settings/set allow-fast-path=yes"
    if settings.get("use-ip-firewall") == "true":
        yield "use-ip-firewall=yes", f"{menu}/settings/set use-ip-firewall=no"
    yield from _rules(api, menu, ("filter", "nat"))
    for word in ("dhcp-snooping", "dhcpv6-snooping"):
        names = [row.get("name", "?") for row in bridges if row.get(word) == "true"]
        if names:
            remedy = f"{menu}/set {names[0]} {word}=no"
            yield f"{word}=yes on {', '.join(names)}", remedy
    if any(map(_on, _rows(api, "/interface/mesh"))):
        yield "mesh interfaces", "/interface/mesh/print, and disable what is not needed"
    if (api.settings_or_none("/tool/sniffer") or {}).get("running") == "true":
        yield "the sniffer, which runs", "/tool/sniffer/stop"
    generator = api.settings_or_none("/tool/traffic-generator") or {}
    if generator.get("running") == "true":
        yield "the traffic generator, which runs", "/tool/traffic-generator/stop"


def _rules(api: Api, menu: str, tables: tuple[str, ...]) -> Iterator[Reason]:
    for table in tables:
        # RouterOS's own rule that shows FastTrack's counters is dynamic and closes nothing.
        count = sum(1 for row in _rows(api, f"{menu}/{table}") if _on(row))
        if count:
            remedy = f"{menu}/{table}/print, and disable what is not needed"
            yield f"{count} {'rule' if count == 1 else 'rules'} in {menu}/{table}", remedy


def _rows(api: Api, menu: str) -> list[Row]:
    """The rows of a menu; none where this router has no such menu."""
    return api.rows_or_none(menu) or []


def _on(row: Row) -> bool:
    return row.get("disabled") != "true" and row.get("dynamic") != "true"
