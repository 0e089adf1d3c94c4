"""The rules of the base that a configuration matches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

from rosexplain.parse import Command
from rosexplain.rows import LONGEST, Menu, Row, Rows

TOGETHER = "-"
"""The menu of a rule that is about several lines."""
PORTS = "/interface/ethernet"
FASTTRACKS = ("fasttrack", "fasttrack-ipv6")
"""The rules of FastTrack itself, IPv4's first."""
UNLIMITED = "fasttrack-and-queues"
"""The note of limits that FastTrack bypasses."""

Met: TypeAlias = tuple[str, list[Command]]
"""The id of a rule and the lines that meet it, the deciding one first."""


def met_by(every: Sequence[tuple[str, str, Iterable[Row]]]) -> list[Met]:
    """The rules that some rows meet, each with the lines of a property of its rows.

    `[("uplink-idle", "gateway", rows)]`; the rows' own lines where the property is empty.
    """
    met = [(rule, [row.command(name) for row in rows]) for rule, name, rows in every]
    return [(rule, lines) for rule, lines in met if lines]


_WORDS = {"true": "yes", "false": "no"}
_VALUES: dict[str, list[str]] = {}
"""The values of a pattern, taken apart once: each rule of the base is asked of each row."""


def fits(pattern: str, value: str, present: bool) -> bool:
    """Return True if a value is as a rule's `where` has it; `present`: it is there at all."""
    value = _WORDS.get(value, value)
    if pattern == "":
        return present and value == ""
    if pattern == "*":
        return present
    inverted = pattern.startswith("!")
    values = _VALUES.get(pattern)
    if values is None:
        values = _VALUES[pattern] = (pattern[1:] if inverted else pattern).split(",")
    return (value in values) != inverted


def meets(rule: dict[str, Any], value: Callable[[str], str | None]) -> bool:
    """Return True if a row meets a rule; `value` gives a property, None where there is none."""
    for name, pattern in rule["where"].items():
        property_value = value(name)
        if not fits(pattern, property_value or "", property_value is not None):
            return False
    return True


def row_meets(rule: dict[str, Any], row: Row) -> bool:
    """Return True if a row of an export does."""
    return meets(rule, row.stated)


def numbers(version: str) -> tuple[int, ...]:
    """`7.20rc2` as (7, 20); empty where it is no version."""
    parts: list[int] = []
    for part in version.split("."):
        digits = ""
        for letter in part:
            if letter not in "0123456789":
                break
            digits += letter
        if digits:
            parts.append(int(digits[:LONGEST]))
        if digits != part:
            break
    return tuple(parts)


def in_force(rule: dict[str, Any], version: tuple[int, ...]) -> bool:
    """True if a rule holds in a RouterOS version; one that is not known is taken as the newest."""
    if not rule["since"] and not rule["until"]:
        return True  # most rules
    since, until = numbers(rule["since"] or ""), numbers(rule["until"] or "")
    if not version:
        return not until
    if since and version[: len(since)] < since:
        return False
    return not until or version[: len(until)] <= until


def has_fasttrack(base: dict[str, Any], version: tuple[int, ...], family: int) -> bool:
    """Return True if a RouterOS version has FastTrack of a family at all."""
    name = FASTTRACKS[family == 6]
    return any(rule["id"] == name and in_force(rule, version) for rule in base["rules"])


class RuleSet:
    """The rules of a base as a network asks for them: the same for all changes of a router."""

    def __init__(self, every: list[dict[str, Any]]) -> None:
        self.every = every
        self.by_id = {rule["id"]: rule for rule in every}
        self.of_tunnels = [rule for rule in every if "tunnel" in rule]
        self.not_of_chip = {
            kind_of(menu): rule["id"]
            for rule in every
            if rule["offload"] and "l3hw-tunnels" in rule["offload"]["facts"]
            for menu in rule["menus"]
        }
        """The rule that says of a kind of tunnel that no chip ends it."""
        self._in_force: dict[tuple[int, ...], list[dict[str, Any]]] = {}

    def in_force(self, version: tuple[int, ...]) -> list[dict[str, Any]]:
        """Those that hold in a RouterOS version."""
        if version not in self._in_force:
            self._in_force[version] = [rule for rule in self.every if in_force(rule, version)]
        return self._in_force[version]


def notes(base: dict[str, Any], met: dict[str, Any]) -> list[str]:
    """The rules that are met and said beside the table, in their order."""
    noted = [rule for rule in base["rules"] if "note" in rule and rule["id"] in met]
    return [rule["id"] for rule in sorted(noted, key=lambda rule: int(rule["note"]))]


def kind_of(menu: str) -> str:
    """The kind of interface that a menu has, e.g. `eoip` of /interface/eoip."""
    return (menu.split("/") + ["", ""])[2]


def tunnel_rule(rules: list[dict[str, Any]], row: Row) -> dict[str, Any] | None:
    """Return the rule, of those about tunnels, that an interface's row meets."""
    for rule in rules:
        if row.menu.path in rule["menus"] and row_meets(rule, row):
            return rule
    return None


def offers_fasttrack(rule: dict[str, Any]) -> bool:
    """Return True if a rule's remedy is FastTrack."""
    return bool(rule["remedy"]) and "action=fasttrack-connection" in rule["remedy"][0]


def only_offload(rule: dict[str, Any]) -> bool:
    """Return True if a rule says nothing but what becomes of L3 hardware offload."""
    return bool(rule["offload"]) and not rule["closes"] and not rule["facts"]


def of_chip(rule: dict[str, Any], classes: list[str]) -> bool:
    """Return True if a rule's offload is about a chip of these classes."""
    return bool(rule["offload"]) and rule["offload"]["chips"] in classes


def lines_that_meet(
    rules: list[dict[str, Any]], rows: Rows, idle: Callable[[], list[Row]] | None = None
) -> dict[str, list[Command]]:
    """The lines that meet each of the rules, in their order.

    `idle`: gives the rows of ports that nothing uses, whose limits limit nothing; it reads all
    rows, so it is asked only where a port has a limit.
    """
    met: dict[str, list[Command]] = {}
    unused: set[int] | None = None
    for rule in rules:
        for path in rule["menus"]:
            menu = rows.menus.get(path)
            every = _rows_that_meet(rule, menu) if menu else []
            if every and idle is not None and path == PORTS and "limits" in rule:
                if unused is None:
                    unused = {id(row) for row in idle()}
                every = [row for row in every if id(row) not in unused]
            for row in every:
                words = [word for word in rule["where"] if row.says(word)]
                line = row.command(words[0]) if words else row.first
                met.setdefault(rule["id"], []).append(line)
    return met


def _rows_that_meet(rule: dict[str, Any], menu: Menu) -> list[Row]:
    """The rows of a menu that meet a rule: the same for all changes of other menus."""
    name = rule["id"]
    if name not in menu.met:
        menu.met[name] = [row for row in menu.on() if row_meets(rule, row)]
    return menu.met[name]
