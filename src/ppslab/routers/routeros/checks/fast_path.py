"""Checks of the fast path: whether it is open, and which documented condition closes it.

The conditions are the rules that `ppslab explain` reads (theory/packet_path/rules), asked of the
router's rows.  Some cannot be seen over REST, as they are commands that somebody runs; they are
named where the fast path is closed and nothing else explains it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from ppslab.routers.routeros.api import Api, Row
from ppslab.routers.routeros.checks.findings import Facts, Finding, Needs, State
from ppslab.theory.packet_path import rules
from ppslab.theory.packet_path.rules.schema import Closed
from rosexplain import matching

UNSEEN = (
    "somebody runs /tool/torch, /tool/mac-scan or /tool/ip-scan, or the cards' drivers have no "
    "fast path"
)

WHOLE = "only-hardware-queue"
"""The queue of an interface with which a packet leaves on the fast path too."""


class _Once:
    """A router that is asked once for each menu: for one check, in which it counts as unchanged.

    None stands for a menu that it has not.
    """

    def __init__(self, api: Api) -> None:
        self.settings = cache(api.settings_or_none)
        self.rows = cache(api.rows_or_none)


def of_ipv4(api: Api, facts: Facts, needs: Needs) -> Iterator[Finding]:
    """The IPv4 fast path, and why it is closed."""
    asked = _Once(api)
    settings = asked.settings("/ip/settings") or {}
    yield from _judged(
        "fast path IPv4",
        settings.get("ipv4-fast-path-active"),
        list(_closed(asked, facts, "/ip", "active-ipv4")),
        needs,
    )


def of_ipv6(api: Api, facts: Facts, needs: Needs) -> Iterator[Finding]:
    """The IPv6 fast path (RouterOS 7.18 and later)."""
    asked = _Once(api)
    settings = asked.settings("/ipv6/settings")
    if settings is None or settings.get("disable-ipv6") == "true":
        return
    if "ipv6-fast-path-active" not in settings:
        said = f"RouterOS {facts.version} has none: it came with 7.18"
        remedy = "/system/package/update/install"
        yield Finding("fast path IPv6", "warns", said, remedy, "tree-ipv6-fast-path")
        return
    yield from _judged(
        "fast path IPv6",
        settings["ipv6-fast-path-active"],
        list(_closed(asked, facts, "/ipv6", "active-ipv6")),
        needs,
    )


def of_bridge(api: Api, facts: Facts, needs: Needs) -> Iterator[Finding]:
    """The fast path of bridges, where there is one."""
    menu = "/interface/bridge"
    asked = _Once(api)
    bridges = [row for row in _rows(asked, menu) if _on(menu, row)]
    if not bridges:
        return
    settings = asked.settings("/interface/bridge/settings") or {}
    yield from _judged(
        "fast path of bridges",
        settings.get("bridge-fast-path-active"),
        list(_closed_bridge(asked, facts)),
        needs,
    )


def of_interface_queues(api: Api, facts: Facts, needs: Needs) -> Iterator[Finding]:
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


Reason = tuple[str, str, str]
"""What closes it, what would open it, and the fact by which it does."""


def _judged(name: str, active: str | None, closed: list[Reason], needs: Needs) -> Iterator[Finding]:
    """The router's own word decides; the conditions say why."""
    if active == "true":
        yield Finding(name, "ok", "the router says that it is open")
        return
    if active != "false":
        yield Finding(name, "unknown", "the router does not say whether it is open")
        return
    state: State = "spoils" if needs.fast_path else "warns"
    if not closed:
        yield Finding(name, state, f"closed, and not by what can be seen from here: {UNSEEN}")
    for said, remedy, fact in closed:
        yield Finding(name, state, f"closed by {said}", remedy, fact)


def _closed(asked: _Once, facts: Facts, menu: str, tracked: str) -> Iterator[Reason]:
    """What closes the fast path of a family.  `menu`: /ip or /ipv6; `tracked`: its word there."""
    family = 4 if menu == "/ip" else 6
    yield from _settings(asked, facts, "allow" if family == 4 else "allow-ipv6")
    yield from _by_rules(asked, facts, "ip", family)
    tracking = asked.settings("/ip/firewall/connection/tracking") or {}
    # Older versions say only what they were told.
    if tracking.get(tracked, tracking.get("enabled")) == "yes":
        told = tracking.get("enabled", "yes")
        because = ", from the first rule of a firewall on" if told == "auto" else ""
        remedy = "/ip/firewall/connection/tracking/set enabled=no"
        yield f"connection tracking (enabled={told}{because})", remedy, "fast-path-tracking"


def _closed_bridge(asked: _Once, facts: Facts) -> Iterator[Reason]:
    yield from _settings(asked, facts, "bridge-allow")
    yield from _by_rules(asked, facts, "bridge", None)


SINGLE = ("/ip/settings", "/ipv6/settings", "/interface/bridge/settings", "/tool/sniffer",
          "/tool/traffic-generator", "/ip/accounting")  # fmt: skip
"""Menus that have settings and no rows."""

COMMANDS = ("/tool/torch", "/tool/ip-scan", "/tool/mac-scan")
"""Menus of a command that runs in a terminal: REST shows nothing of it (UNSEEN)."""


def _by_rules(asked: _Once, facts: Facts, path: Closed, family: int | None) -> Iterator[Reason]:
    """Every rule of the rule base that closes a path in this version, where a row meets it."""
    for kept in rules.load().rules.values():
        fact = kept.rule.closes.get(path)
        about = kept.rule.family in (None, family) or family is None
        if fact and about and kept.id not in LAN_ONLY:
            yield from _met(asked, facts, kept.rule, fact)


LAN_ONLY = ("bridge-port-before-6-29",)
"""Rules that hold only where a packet crosses a bridge: not for the whole router."""


def _settings(asked: _Once, facts: Facts, name: str) -> Iterator[Reason]:
    """A rule that is about one setting."""
    rule = rules.rule(name)
    yield from _met(asked, facts, rule, rule.facts[0])


def _met(asked: _Once, facts: Facts, rule: rules.Rule, fact: str) -> Iterator[Reason]:
    """The rows of this router that meet a rule: what they are called, and how many they are."""
    plain = {"where": rule.where, "since": rule.since, "until": rule.until}
    if not matching.in_force(plain, matching.numbers(facts.version)):
        return
    words = rule.label or ", ".join(f"{name}={value}" for name, value in rule.where.items())
    for menu in rule.menus:
        if menu in COMMANDS:
            continue
        rows = _single(asked, menu) if menu in SINGLE else _rows(asked, menu)
        met = [row for row in rows if _on(menu, row) and matching.meets(plain, row.get)]
        if not met:
            continue
        remedy = rule.remedy[0] if rule.remedy and "{" not in rule.remedy[0] else ""
        if menu in SINGLE:
            yield words, remedy or f"{menu}/print", fact
            continue
        names = [row["name"] for row in met if row.get("name")]
        named = f" ({', '.join(names[:MOST_NAMED])})" if names else ""
        look = f"{menu}/print, and disable what is not needed"
        yield f"{words}: {len(met)} in {menu}{named}", look, fact


MOST_NAMED = 3


def _single(asked: _Once, menu: str) -> list[Row]:
    row = asked.settings(menu)
    return [] if row is None else [row]


def _rows(asked: _Once, menu: str) -> list[Row]:
    """The rows of a menu; none where this router has no such menu."""
    return asked.rows(menu) or []


def _on(menu: str, row: Row) -> bool:
    """Whether a row is in force.

    RouterOS's own rule that shows FastTrack's counters is dynamic, and closes nothing.
    """
    own = "/firewall/" in menu and row.get("dynamic") == "true"
    return row.get("disabled") != "true" and not own
