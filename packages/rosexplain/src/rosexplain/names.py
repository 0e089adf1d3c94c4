"""Names that lines ask for and no line makes: lists that nothing fills, and slips of the pen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from rosexplain import queues, scripts, secrets
from rosexplain.matching import Met
from rosexplain.network import LISTING, NO_MARK, TOP, Network, once
from rosexplain.ordered import unique
from rosexplain.parse import Command
from rosexplain.queues import READ_BY, SET_BY, marks_in
from rosexplain.rows import Row
from rosexplain.unused import CHAINS, EVERY_TABLE, LISTS

Named: TypeAlias = tuple[Row, str, str]
"""A row with the property that has a name, and the name."""

DIGITS, SIGNS = "0123456789", " -_./:+#"
LEAST = 4
"""Letters of a name in which one that is wrong is a slip; shorter ones are alike by chance."""
BUILT_IN = tuple([chain for table in sorted(CHAINS) for chain in CHAINS[table]])
OF_HOTSPOT = "hs-"
"""The beginning of the chains that a hotspot makes itself."""


def met(net: Network) -> list[Met]:
    """The rules that hold, each with its lines."""
    every = [("name-misspelled", misspelling(net)), ("list-unfilled", _unfilled(net))]
    return [(rule, lines) for rule, lines in every if lines]


def misspelling(net: Network) -> list[Command]:
    """The lines of both spellings of a name: first that which nothing makes."""
    return [row.command(name) for slip in misspelled(net) for row, name, _ in slip]


def _unfilled(net: Network) -> list[Command]:
    """The first rules that ask for the address lists which nothing fills.

    None where RADIUS may fill some, nor a list that a script names.
    """
    menus = [path for path in (queues.SESSIONS, queues.LOGINS) if path in net.rows.menus]
    radius = any(row.says(queues.RADIUS) for path in menus for row in net.rows.of(path))
    if net.missing or radius:
        return []
    texts = [row.get(name) for menu, name in scripts.EVERY for row in net.rows.all_of(menu)]
    known = misspelling(net)
    lines: list[Command] = []
    for family in sorted(TOP):
        made, asked = _lists(net, TOP[family] + "/firewall/")
        for name in sorted(asked):
            row, matcher, _ = asked[name]
            if name not in made and not any(name in text for text in texts):
                lines.append(row.command(matcher))
    return [line for line in unique(lines, id) if line not in known]


@once
def misspelled(net: Network) -> list[list[Named]]:
    """The names that are asked for and that nothing makes, each with its likeness.

    Only where nothing asks for the likeness: two names that are both made, or both asked for, may
    be meant so.
    """
    every: list[list[Named]] = []
    if net.is_part or scripts.may_change(net.rows, scripts.FIREWALL):
        return every
    for made, asked in _kinds(net):
        free = [name for name in sorted(made) if name not in asked]
        for name in sorted(asked):
            alike = [other for other in free if is_slip(name, other)] if name not in made else []
            if len(alike) == 1:
                every.append([asked[name], made[alike[0]]])
    return every


def spellings(slip: list[Named]) -> list[str]:
    """The two spellings, as far as they may be shown."""
    return [text if secrets.shows(row.menu.path, name, text) else secrets.STRUCK
            for row, name, text in slip]  # fmt: skip


def _kinds(net: Network) -> Iterator[tuple[dict[str, Named], dict[str, Named]]]:
    """The names of each kind that lines make, and those that lines ask for, each with a line.

    A list whose entries are off is there all the same, and so is a chain.
    """
    rows = net.rows
    for kind in READ_BY:
        setting = [(row, name) for menu, name in SET_BY[kind] for row in rows.of(menu)]
        reading = [(row, name) for menu, name in READ_BY[kind] for row in rows.of(menu)]
        yield _names(setting), _names(reading)
    for family in sorted(TOP):
        yield _lists(net, TOP[family] + "/firewall/")
    for menu in EVERY_TABLE:
        chains = _names([(row, "chain") for row in rows.all_of(menu)])
        jumps = _names([(row, "jump-target") for row in rows.of(menu)])
        own = [name for name in jumps if name[: len(OF_HOTSPOT)] == OF_HOTSPOT]
        yield _without(chains, BUILT_IN), _without(jumps, own)


def _lists(net: Network, top: str) -> tuple[dict[str, Named], dict[str, Named]]:
    """The address lists of a family that lines fill, and those that rules ask for."""
    tables = [menu for menu in EVERY_TABLE if menu[: len(top)] == top]
    filling = [(top + "address-list", "list")] + [(menu, "address-list") for menu in tables]
    made = [(row, name) for menu, name in filling + list(LISTING) for row in net.rows.all_of(menu)]
    asked = [(row, name) for menu in tables for row in net.rows.of(menu) for name in LISTS]
    return _names(made), _names(asked)


def _names(pairs: list[tuple[Row, str]]) -> dict[str, Named]:
    """The names that properties of rows have, each with the first of these."""
    every: dict[str, Named] = {}
    for row, name in pairs:
        for value in marks_in(row.get(name)):
            if value != NO_MARK:
                every.setdefault(value, (row, name, value))
    return every


def _without(names: dict[str, Named], but: Iterable[str]) -> dict[str, Named]:
    return {name: names[name] for name in names if name not in but}


def is_slip(name: str, other: str) -> bool:
    """Return True if two names differ by case, signs, a letter, or words behind: `isp` and `ISP`.

    >>> is_slip("WAN-LIVE", "wan-live-mark"), is_slip("guests", "guest"), is_slip("isp5", "isp6")
    (True, True, False)
    """
    one, two = sorted([_plain(name), _plain(other)], key=len)
    if _digits(one) != _digits(two):
        return False
    if one == two:
        return bool(one)
    if len(one) < LEAST:
        return False
    return two[: len(one)] == one or _by_letter(one, two)


def _by_letter(one: str, two: str) -> bool:
    """Return True if a letter is missing, is another, or two have changed places."""
    if len(one) == len(two) and sorted(one) == sorted(two):
        places = [place for place in range(len(one)) if one[place] != two[place]]
        return len(places) == 2 and places[1] - places[0] == 1
    at = 0
    while at < len(one) and one[at] == two[at]:
        at += 1
    return one[at + 1 :] == two[at + 1 :] or one[at:] == two[at + 1 :]


def _plain(name: str) -> str:
    return "".join([letter for letter in name.lower() if letter not in SIGNS])


def _digits(name: str) -> str:
    return "".join([letter for letter in name if letter in DIGITS])
