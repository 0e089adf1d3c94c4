"""GET, PUT, PATCH and DELETE on a RouterOS device's menus, and the commands that every menu has.

Recorded (CHR 7.23.2 and 7.24rc2, github.com/tikoci/centrs; the manual's REST page): see
tests/support/doubles/README.md.  [INF] `unset`, and that GET takes a name in the place of an id.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tests.support.doubles import routeros_furniture
from tests.support.doubles.routeros_menus import Item, gone
from tests.support.doubles.routeros_words import RefusedError, bad

if TYPE_CHECKING:
    from tests.support.doubles.routeros_rest import Device

COUNTERS = ("bytes", "packets")


def answer(
    device: Device,
    method: str,
    menu: str,
    rest: list[str],
    asked: list[tuple[str, str]],
    words: Any,
) -> Any:
    """What a request that is no command is answered with."""
    if method == "GET":
        return _get(device, menu, rest, asked)
    if method == "PUT" and not rest:
        return _one(device, menu, device.tree.add(menu, words))
    if method == "PATCH" and rest:
        number = _own(device, menu, rest[0], lambda at, each: device.tree.set(at, each, words))
        return _one(device, menu, number)
    if method == "DELETE" and rest:
        _own(device, menu, rest[0], device.tree.remove)
        return None
    raise RefusedError(406, "Not Acceptable", f"no such command or directory ({method})")


def has(menu: str, command: str) -> bool:
    """Whether this module runs the command."""
    return command in COMMANDS and (menu, command) != ("/system/device-mode", "print")


def command(device: Device, menu: str, name: str, words: Any) -> Any:
    """What POST <menu>/<command> is answered with."""
    if not isinstance(words, dict):
        raise bad("malformed body")
    return COMMANDS[name](device, menu, words)


def _add(device: Device, menu: str, words: Item) -> Any:
    return {"ret": device.tree.add(menu, words)}


def _set(device: Device, menu: str, words: Item) -> Any:
    if device.words.single(menu):
        device.tree.set(menu, "", words)
        return []
    return _each(device, menu, words, lambda at, number: device.tree.set(at, number, words))


def _remove(device: Device, menu: str, words: Item) -> Any:
    return _each(device, menu, words, device.tree.remove)


def _unset(device: Device, menu: str, words: Item) -> Any:
    word = words.get("value-name", "")
    return _each(device, menu, words, lambda at, number: device.tree.unset(at, number, word))


def _disable(device: Device, menu: str, words: Item) -> Any:
    told = {"disabled": "yes"}
    return _each(device, menu, words, lambda at, number: device.tree.set(at, number, told))


def _enable(device: Device, menu: str, words: Item) -> Any:
    told = {"disabled": "no"}
    return _each(device, menu, words, lambda at, number: device.tree.set(at, number, told))


def _reset_counters(device: Device, menu: str, words: Item) -> Any:
    def reset(at: str, number: str) -> None:
        item = device.tree.items(at)[device.tree.find(at, number)]
        item |= {word: "0" for word in item if word in COUNTERS or word.startswith(("rx-", "tx-"))}

    return _each(device, menu, words, reset)


def _print(device: Device, menu: str, words: Item) -> Any:
    found = rows(device, menu)
    wanted = words.get(".proplist", [])
    wanted = [wanted] if isinstance(wanted, str) else wanted
    if isinstance(found, dict):
        return _projected(found, wanted)
    for asked in words.get(".query", []):
        word, _, value = asked.partition("=")
        found = [row for row in found if row.get(word) == value]
    if "count-only" in words:  # [INF]
        return {"ret": str(len(found))}
    return [_projected(row, wanted) for row in found]


COMMANDS: dict[str, Callable[[Device, str, Item], Any]] = {
    "add": _add, "set": _set, "remove": _remove, "unset": _unset, "print": _print,
    "enable": _enable, "disable": _disable, "reset-counters": _reset_counters,
}  # fmt: skip


def _each(device: Device, menu: str, words: Item, do: Callable[[str, str], None]) -> list[Any]:
    told = str(words.get("numbers", words.get(".id", "")))
    numbers = [each for each in told.split(",") if each]
    if not numbers:
        raise bad("missing =.id=")
    for number in numbers:
        _own(device, menu, number, do)
    return []


def _own(device: Device, menu: str, number: str, do: Callable[[str, str], None]) -> str:
    """Do something to an item, and say its id; one of /interface is one of its own menu."""
    if menu != "/interface":
        each = device.tree.find(menu, number)
        do(menu, each)
        return each
    for at, each, item in list(device.tree.interfaces()):
        if number in (each, item["name"]):
            do(at, each)
            return each
    raise gone()


def _one(device: Device, menu: str, number: str) -> Item:
    for row in rows(device, menu):
        if number in (row[".id"], row.get("name")):
            found: Item = row
            return found
    raise gone()


def _get(device: Device, menu: str, rest: list[str], asked: list[tuple[str, str]]) -> Any:
    if rest:
        if device.words.single(menu):
            raise bad(f"no such command or directory ({rest[0]})")
        return _one(device, menu, rest[0])
    wanted = [value for word, value in asked if word == ".proplist"]
    found = rows(device, menu)
    if isinstance(found, dict):
        return _projected(found, wanted)
    for word, value in asked:
        if word != ".proplist":
            found = [row for row in found if row.get(word) == value]
    return [_projected(row, wanted) for row in found]


OF_ITSELF: dict[str, Callable[[Device], Any]] = {
    "/system/resource": lambda device: device.resource,
    "/system/license": routeros_furniture.licence,
    "/system/device-mode": lambda device: (
        device.device_mode | {"traffic-gen": "true" if device.allowed else "false"}
    ),
    "/interface": lambda device: [
        routeros_furniture.listed(device, *each) for each in device.tree.interfaces()
    ],
    "/file": lambda device: _numbered([{"name": name} for name in device.files]),
}
"""Menus that are not configured, or not only."""


def rows(device: Device, menu: str) -> Any:
    """All that a menu has: a list, or one object."""
    if menu in OF_ITSELF:
        return OF_ITSELF[menu](device)
    if device.words.single(menu):
        return dict(device.tree.singles.get(menu, {}))
    items = [{".id": number, **item} for number, item in device.tree.items(menu).items()]
    return items + (routeros_furniture.connected(device) if menu == "/ip/route" else [])


def _numbered(items: list[Item]) -> list[Item]:
    return [{".id": f"*{n:X}", **item} for n, item in enumerate(items, 1)]


def _projected(row: Item, wanted: list[str]) -> Item:
    names = {name for each in wanted for name in each.split(",")}
    return {word: value for word, value in row.items() if not names or word in names}
