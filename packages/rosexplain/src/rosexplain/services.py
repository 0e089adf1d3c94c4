"""The router's own services that strangers reach by its uplinks, such as Winbox and SSH."""

from __future__ import annotations

from typing import NamedTuple

from rosexplain.addresses import private, range_of
from rosexplain.firewall import walk
from rosexplain.hosts import Ends
from rosexplain.matching import Met
from rosexplain.network import FILTER, Network
from rosexplain.ordered import unique
from rosexplain.resolver import INPUT, let_in
from rosexplain.rows import Row
from rosexplain.selection import is_number
from rosexplain.uplinks import ANYWHERE, MAIN, answered, is_default, off_by_default
from rosexplain.vrf import vrfs

MENU = "/ip/service"
WINBOX, HTTPS = "winbox", "www-ssl"
SERVICES = (
    (WINBOX, "Winbox", 8291), ("www", "WebFig", 80), ("ssh", "SSH", 22), ("telnet", "Telnet", 23),
    ("ftp", "FTP", 21), ("api", "the API", 8728), ("api-ssl", "the API by TLS", 8729),
    (HTTPS, "WebFig by HTTPS", 443),
)  # fmt: skip
"""By name: what people call it, and its port by default; all but HTTPS are on by default."""
LAST = (MENU, "/system", "/tool", "/user")
"""The last menus of an export: one without any of them was cut off before, or is a part."""
TEST, TEST_PORT = "/tool/bandwidth-server", 2000
SHARES, SHARES_PORT = "/ip/smb", 445
SESSIONS = ("/interface/pppoe-client", "/interface/lte")
RADIOS = ("wireless", "wifi", "wifiwave2")
YES, NO = ("yes", "true"), ("no", "false")
KNOWN = ((6,), (7,))
"""The versions with these defaults: the API was off before."""
HOLE = (6, 29), (6, 42)
"""The first and the last release in which anyone who reaches Winbox reads the users' file."""
MENDED = (6, 40, 8)
"""The first long-term release without it; of 6.40, later ones have none either."""


class Reached(NamedTuple):
    """A service that strangers reach: its name, the uplink, and the rule of input for them."""

    service: str
    uplink: Row
    rule: Row | None


def met(net: Network) -> list[Met]:
    """The rules of services that strangers reach: with the uplinks, or the rules that let them in.

    An old Winbox by itself, as nobody needs a password there.
    """
    every = reached(net)
    if not every:
        return []
    open_ = [one.uplink.first for one in every if one.rule is None]
    accepting = [one.rule.first for one in every if one.rule is not None]
    rule, lines = "services-accepted", accepting
    if open_:
        has_rules = bool(net.rows.where(FILTER, "chain", INPUT))
        rule, lines = ("services-open" if has_rules else "services-unguarded"), open_
    winbox = [one for one in every if one.service == SERVICES[0][1]]
    leaking = winbox if is_leaking(net.numbers) else []
    rules = [(rule, lines), ("winbox-leaks", [(one.rule or one.uplink).first for one in leaking])]
    return [(name, unique(own, id)) for name, own in rules if own]


def is_leaking(version: tuple[int, ...]) -> bool:
    """Return True if anyone who reaches Winbox of a RouterOS version reads the users' file."""
    first, last = HOLE
    return first <= version[:2] and version <= last and not MENDED <= version < (6, 41)


def names(net: Network) -> list[str]:
    """The services that strangers reach."""
    return unique([one.service for one in reached(net)])


def reached(net: Network) -> list[Reached]:
    """The services that strangers reach, by each uplink; none of a part of an export, or a switch.

    The uplinks are those to a provider: what has private addresses alone is behind another router.
    """
    menus = list(net.rows.menus)
    whole = any(menu[: len(last)] == last for menu in menus for last in LAST)
    left_out = net.unwritten(4) or MENU in net.missing or net.numbers[:1] not in KNOWN
    switch = net.routes_nothing or net.stands_between or net.stands_aside or net.leaves_as_it_came
    if left_out or switch or not whole:
        return []
    ends = Ends(net, 4)
    every: list[Reached] = []
    for name, row in _uplinks(net, ends):
        for service, port in _listening(net):
            packet = let_in(net, name, ends.router(name), "tcp", port)
            if packet is not None:
                end = walk(net, packet, "filter", INPUT).end
                every.append(Reached(service, row, end.top if end else None))
    return every


def _uplinks(net: Network, ends: Ends) -> list[tuple[str, Row]]:
    """The interfaces by which a provider's packets get in, each with the line that makes it one."""
    apart = [net.above(name) for one in vrfs(net) for name in one.names]
    rows = [(row.name, row) for menu in SESSIONS for row in net.rows.of(menu)
            if not off_by_default(row)]  # fmt: skip
    rows += [(row.get("interface"), row) for row in _leased(net)]
    rows += [(row.get("interface"), row) for row, inside in _addresses(net) if not inside]
    by_name: list[tuple[str, Row]] = []
    for name in ends.wan:
        own_rows = [row for below, row in rows if net.above(below) == name and name not in apart]
        by_name += [(name, row) for row in own_rows[:1]]
    return by_name


def _leased(net: Network) -> list[Row]:
    """The DHCP clients of a router that translates, and whose address may be a public one.

    Not those of a network of its own or beside a private address, and none where a default route's
    gateway is a private address that only DHCP can have brought: those are behind another router.
    """
    if not net.rows.where("/ip/firewall/nat", "chain", "srcnat"):
        return []
    gates = [gate.split("@")[0].split("%")[0] for row in net.rows.of("/ip/route")
             if is_default(row) for gate in row.get("gateway").split(",")]  # fmt: skip
    ranges = [range_of(gate) for gate in unique(gates) if not net.connected(gate)]
    if any(one is not None and private(one, 4) for one in ranges):
        return []
    own = [net.above(row.get("interface")) for row, inside in _addresses(net) if inside]
    own += net.served
    rows = [row for row in answered(net.rows) if row.get("add-default-route", "yes") in YES]
    return [row for row in rows if net.above(row.get("interface")) not in own
            and len(net.port_rows.get(row.get("interface"), [])) < 2
            and net.kinds.get(row.get("interface")) not in RADIOS]  # fmt: skip


def _addresses(net: Network) -> list[tuple[Row, bool]]:
    """The addresses of an export, each with True for a private one."""
    rows = net.rows.of("/ip/address")
    ranges = [(row, range_of(row.get("address").partition("/")[0])) for row in rows]
    return [(row, private(own, 4)) for row, own in ranges if own is not None]


def _listening(net: Network) -> list[tuple[str, int]]:
    """The services that are on for anybody's address, each with its port."""
    rows = {row.name: row for row in net.rows.all_of(MENU)}
    if any(is_number(name) for name in rows):
        return []  # a row by its number may be any of them
    every: list[tuple[str, int]] = []
    for name, label, port in SERVICES:
        row = rows.get(name)
        if row is None:
            every += [(label, port)] if name != HTTPS else []
            continue
        off = row.get("disabled", "yes" if name == HTTPS else "no") not in NO
        number = row.get("port")
        if not off and row.get("vrf", MAIN) == MAIN and _is_for_all(row.get("address")):
            every.append((label, int(number) if is_number(number) else port))
    return every + _tools(net)


def _tools(net: Network) -> list[tuple[str, int]]:
    """The bandwidth test, which is on from the beginning, and SMB."""
    test, shares = net.rows.single(TEST), net.rows.single(SHARES)
    every: list[tuple[str, int]] = []
    if test is None or (
        test.get("enabled") not in NO and _is_for_all(test.get("allowed-addresses4"))
    ):
        free = test is not None and test.get("authenticate") in NO
        label = "the bandwidth test without a password" if free else "the bandwidth test"
        every.append((label, TEST_PORT))
    if shares is not None and shares.get("enabled") in YES:
        every += [("SMB", SHARES_PORT)] if shares.get("interfaces") in ("", "all") else []
    return every


def _is_for_all(listed: str) -> bool:
    """Return True if a list of networks that may ask is empty, or has all addresses."""
    return not listed or ANYWHERE in listed.split(",")
