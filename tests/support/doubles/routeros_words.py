"""Which menus and words a RouterOS device knows: the command tree of a real CHR, in routeros-lsp.

The tree is of 7.21.4.  What other versions have more or less, and what only a switch has, is told
here by hand, from the trees of 7.9 to 7.24 in github.com/tikoci/restraml and from the manual.

Recorded: the words of the refusals (`unknown parameter X`, `input does not match any value of X`,
`missing =X=`), that a word of yes or no is answered as true or false, that one of three (auto, no,
yes) keeps its word, and the form of times (`10s`, `1d`).
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from routeros_lsp.schema.schema import Schema

_RULE = ["switch", "ports", "dst-address", "protocol", "dst-port", "new-dst-ports"]

HARDWARE: dict[str, dict[str, list[str]]] = {
    "/interface/ethernet/switch": {"set": ["l3-hw-offloading", "name"]},
    "/interface/ethernet/switch/port": {"set": ["l3-hw-offloading"]},
    "/interface/ethernet/switch/l3hw-settings": {
        "set": ["ipv6-hw", "fasttrack-hw", "icmp-reply-on-error", "autorestart"]
    },
    "/interface/ethernet/switch/rule": {
        "add": [*_RULE, "redirect-to-cpu", "disabled"],
        "set": [*_RULE, "redirect-to-cpu", "disabled"],
        "remove": [],
    },
}
"""Menus that only a device with a switch chip has (MAN:bridging-and-switching)."""

SINGLE = {"/interface/ethernet/switch/l3hw-settings"}

NEW: dict[tuple[str, str], tuple[int, int]] = {
    ("/ipv6/settings", "allow-fast-path"): (7, 18),
}
"""Words and the version that brought them."""

GONE: dict[tuple[str, str], tuple[int, int]] = {
    ("/ip/firewall/filter", "hw-offload"): (7, 21),
    ("/ip/route", "suppress-hw-offload"): (7, 21),
    ("/ipv6/route", "suppress-hw-offload"): (7, 21),
}
"""Words that a CHR no longer takes from a version on; a switch keeps them."""


class RefusedError(Exception):
    """A request that RouterOS would refuse: status and detail."""

    def __init__(self, status: int, message: str, detail: str = "") -> None:
        self.status = status
        self.body = {"error": status, "message": message} | ({"detail": detail} if detail else {})
        super().__init__(detail or message)


def bad(detail: str) -> RefusedError:
    """A request with wrong words."""
    return RefusedError(400, "Bad Request", detail)


@cache
def tree() -> dict[str, Any]:
    """The command tree."""
    schema = Schema.bundled()
    assert schema is not None
    return schema.root


class Words:
    """What one device knows: its version, and whether it has a switch chip."""

    def __init__(self, version: tuple[int, int], hardware: bool) -> None:
        self.version = version
        self.hardware = hardware

    def split(self, path: str) -> tuple[str, list[str]]:
        """The menu of a path, and what stands behind it (an item, a command, nothing).

        RefusedError where there is no such menu.
        """
        parts = [part for part in path.split("/") if part]
        node, used = tree(), 0
        menu = ""
        for part in parts:
            below = node.get("c", {}).get(part)
            if (below is None or below.get("k")) and not self._hardware(f"{menu}/{part}"):
                break
            node, menu, used = below or {}, f"{menu}/{part}", used + 1
        rest = parts[used:]
        stray = bool(rest) and "print" not in node.get("c", {}) and rest[0] not in node.get("c", {})
        if not menu or len(rest) > 1 or (stray and not self._hardware(menu)):
            raise bad(f"no such command or directory ({parts[used] if rest else path})")
        return menu, rest

    def single(self, menu: str) -> bool:
        """Whether a menu is one object, not a list."""
        if self._hardware(menu):
            return menu in SINGLE
        return "find" not in self._node(menu).get("c", {})

    def has(self, menu: str, command: str) -> bool:
        """Whether a menu has a command."""
        if self._hardware(menu):
            return command in HARDWARE[menu] or command == "print"
        return command in self._node(menu).get("c", {})

    def below(self, menu: str, name: str) -> list[tuple[str, str]]:
        """What a command of a menu takes, itself first, as `/console/inspect` lists it."""
        if not self.has(menu, name):
            return []
        return [(name, "cmd"), *((word, "arg") for word in self._arguments(menu, name))]

    def check(self, menu: str, command: str, words: Any) -> dict[str, str]:
        """The words, as the device keeps them.  RefusedError where RouterOS would refuse."""
        if not isinstance(words, dict):
            raise bad("malformed body")
        known = self._arguments(menu, command)
        kept = {}
        for word, value in words.items():
            if not isinstance(value, str):
                raise bad(f"value of {word} is no string")
            if word in (".id", "numbers", "place-before"):
                continue
            if word.removeprefix("!") not in known:
                raise bad(f"unknown parameter {word}")
            if word.startswith("!") and command == "set":
                kept[word] = ""
                continue
            kept[word] = _kept(word, known[word], value)
        node = self._node(menu).get("c", {}).get(command, {})
        for word in node.get("r") or ():
            if word != "numbers" and word not in words:
                raise bad(f"missing ={word}=")
        return kept

    def _arguments(self, menu: str, command: str) -> dict[str, Any]:
        if self._hardware(menu):
            yes_no = {"e": ["no", "yes"], "x": 1}
            free = ("name", *_RULE)
            return {word: {} if word in free else yes_no for word in HARDWARE[menu][command]}
        known = dict(self._node(menu)["c"][command].get("a", {}))
        for (where, word), since in NEW.items():
            if where == menu and self.version < since:
                known.pop(word, None)
        for (where, word), until in GONE.items():
            if where == menu and (self.version < until or self.hardware):
                known[word] = {"e": ["no", "yes"], "x": 1}
        return known

    def _hardware(self, menu: str) -> bool:
        return self.hardware and menu in HARDWARE

    @staticmethod
    def _node(menu: str) -> dict[str, Any]:
        node = tree()
        for part in menu.strip("/").split("/"):
            node = node.get("c", {}).get(part, {})
        return node


SECOND_WORDS = {"ipsec-policy": ["ipsec", "none"]}
"""Second parts of values such as `in,ipsec`: the tree lists the first ones alone."""


def _kept(word: str, argument: dict[str, Any], value: str) -> str:
    choices = [*(argument.get("e") or []), *SECOND_WORDS.get(word, [])]
    if set(choices) == {"no", "yes"}:
        if value not in ("yes", "no", "true", "false"):
            raise bad(f"input does not match any value of {word}")
        return "true" if value in ("yes", "true") else "false"
    closed = argument.get("t") is None and len(choices) > 1 and word != "copy-from"
    if closed and not any(letter.isdigit() for letter in value):
        for part in value.removeprefix("!").split(","):
            if part not in choices:
                raise bad(f"input does not match any value of {word}")
    if re.fullmatch(
        r"([0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}(/([0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2})?", value
    ):
        return value.upper()
    if "TIME" in str(argument.get("t", "")).upper() or word.endswith(("-interval", "lifetime")):
        return duration(value)
    return value


def duration(value: str) -> str:
    """A time as RouterOS answers it: `00:10:00` and `600s` are `10m`; what is no time stays."""
    clock = re.fullmatch(r"(?:(\d+)d)?(\d+):(\d\d):(\d\d)", value)
    if clock:
        days, hours, minutes, seconds = (int(part or 0) for part in clock.groups())
    else:
        parts = re.findall(r"(\d+)(w|d|h|m|s)", value)
        if not parts or "".join(a + b for a, b in parts) != value:
            return value
        units = {"w": 604800, "d": 86400, "h": 3600, "m": 60, "s": 1}
        days, hours, minutes = 0, 0, 0
        seconds = sum(int(a) * units[b] for a, b in parts)
    seconds += 60 * minutes + 3600 * hours + 86400 * days
    said = ""
    for unit, size in (("w", 604800), ("d", 86400), ("h", 3600), ("m", 60), ("s", 1)):
        many, seconds = divmod(seconds, size)
        said += f"{many}{unit}" if many else ""
    return said or "0s"
