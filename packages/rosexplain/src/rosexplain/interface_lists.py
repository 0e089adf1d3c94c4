"""The interface lists of a router: their members, and which may have others too."""

from __future__ import annotations

from rosexplain.ordered import unique
from rosexplain.rows import Menu, Row, Rows

EVERY = "all"

BUILT_IN = (EVERY, "none", "dynamic", "static")
"""The interface lists that every router has (manual, Interface Lists, read 2026-11-24)."""

MOST_NESTED = 64
"""Lists in lists that are followed; whoever has more gets "perhaps"."""

MATCHERS = ("in-interface-list", "out-interface-list")
"""The matchers by which a rule of a firewall names a list."""

FEEDING = ("interface-list", "datapath.interface-list", "lan-interface-list",
           "wan-interface-list", "internet-interface-list")  # fmt: skip
"""Properties that put interfaces into a list while the router runs: of PPP's profiles, of the
datapaths of radios, and of Detect Internet."""

FEED = ("/ppp/", "/caps-man/", "/interface/wifi", "/interface/wifiwave2", "/interface/ovpn-server",
        "/interface/detect-internet", "/interface/lte")  # fmt: skip
"""The beginnings of menus with such properties; elsewhere the same words choose a list."""


def settled(rows: Rows) -> tuple[dict[str, list[str]], set[str]]:
    """The members of each interface list; and the lists that may have others too.

    Included members come first, excluded ones go, those that were added by hand are added last
    and so stay (manual, Interface Lists, read 2026-11-24).  A list that includes itself by way
    of others settles like any other; one that excludes itself never does.
    """
    own: dict[str, list[str]] = {}
    for row in rows.of("/interface/list/member"):
        name, member = row.get("list"), row.get("interface")
        if name and member:
            own.setdefault(name, []).append(member)
    members_of = dict(own)
    open_: set[str] = set()
    moved: set[str] = set()
    nested = [r for r in rows.of("/interface/list") if r.get("include") or r.get("exclude")]
    for _ in range(MOST_NESTED):
        moved = set()
        for row in nested:
            others = [included for included in row.get("include").split(",") if included]
            out = [included for included in row.get("exclude").split(",") if included]
            unsaid = any(included in (EVERY, "static") or included in open_ for included in others)
            if unsaid and row.name not in open_:
                open_.add(row.name)
                moved.add(row.name)
            members = [m for included in others for m in members_of.get(included, [])]
            gone = {m for included in out for m in members_of.get(included, [])}
            if EVERY in out or "static" in out:
                gone = gone | set(members)
            members = [m for m in members if m not in gone] + own.get(row.name, [])
            members = unique(members)
            if members != members_of.get(row.name, []):
                members_of[row.name] = members
                moved.add(row.name)
        if not moved:
            break
    for name in moved:
        members_of[name] = own.get(name, [])  # the rest was not settled
    return members_of, open_ | moved


def empty(rows: Rows, members: dict[str, list[str]]) -> set[str]:
    """The lists that an export makes and puts nothing into; others may be in another export."""
    lists = {row.get("name") for row in rows.of("/interface/list")}
    return {name for name in lists if name and not members.get(name)}


def named_by(row: Row) -> list[tuple[str, str]]:
    """The interface lists that a rule names: the matcher, and the name without its `!`."""
    named = [(word, row.get(word).lstrip("!")) for word in MATCHERS]
    return [(word, name) for word, name in named if name]


def fed(rows: Rows) -> set[str]:
    """The lists to which sessions, radios or Detect Internet add interfaces."""
    names: set[str] = set()
    for path in rows.menus:
        if any(path.startswith(prefix) for prefix in FEED):
            names |= rows.menus[path].once("fed", _fed)
    return including(rows, {name for name in names if name not in BUILT_IN})


def _fed(menu: Menu) -> set[str]:
    return {row.get(word) for row in menu.on() for word in FEEDING if row.get(word)}


def including(rows: Rows, names: set[str]) -> set[str]:
    """These lists, and those that include one of them, by way of others too."""
    reached = set(names)
    nested = [row for row in rows.of("/interface/list") if row.get("include")]
    for _ in range(MOST_NESTED):
        more = [r.name for r in nested if any(i in reached for i in r.get("include").split(","))]
        if all(name in reached for name in more):
            break
        reached |= set(more)
    return reached
