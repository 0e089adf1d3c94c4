"""The menus of a RouterOS device: what is in them, and what adding, setting and removing does.

Recorded: GET lists or gives one object, PUT adds (201) and answers with the object, PATCH sets and
answers with it, DELETE removes (204, nothing), POST .../set with `numbers` answers [], POST
.../print takes .proplist and .query; the order of a list is that of its rules, and place-before
says where a new one goes.
[INF] that an item whose interface went keeps the interface's id and becomes invalid; the words of
the refusals of what is there already.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from typing import Any

from tests.support.doubles.routeros_shapes import DEFAULTS, KINDS, SINGLES
from tests.support.doubles.routeros_words import RefusedError, Words, bad

Item = dict[str, str]

PORTS = ("interface", "bridge", "slaves", "tagged", "untagged", "gateway", "interfaces")
"""Words that name interfaces."""

MORE = {
    "/ip/address": ("actual-interface",), "/system/resource/irq": ("users",),
    "/interface/ethernet/switch/port": ("name",), "/interface/ethernet/switch/rule": ("ports",),
    "/system/resource/irq/rps": ("name",),
}  # fmt: skip
"""Words that name interfaces in one menu only; of an interrupt's users, RPS, a switch's ports and
its rules it is [INF]."""

MUST_BE_THERE = ("interface", "bridge", "slaves")

UNIQUE = {
    "/ip/address": ("address", "failure: already have such address"),
    "/ip/vrf": ("name", "failure: already have such name"),
    "/queue/simple": ("name", "failure: already have such name"),
    "/ppp/profile": ("name", "failure: already have such name"),
    "/ppp/secret": ("name", "failure: already have such name"),
}


def gone() -> RefusedError:
    """There is no such item."""
    return RefusedError(404, "Not Found", "no such item")


class Menus:
    """All that is configured.  `lists`: a menu's items by id, in order; `singles`: the others."""

    def __init__(self, words: Words) -> None:
        self.words = words
        self.lists: dict[str, dict[str, Item]] = {}
        self.singles: dict[str, Item] = {menu: dict(values) for menu, values in SINGLES.items()}
        self._last: dict[str, int] = {}

    def items(self, menu: str) -> dict[str, Item]:
        """The items of a list by id."""
        return self.lists.setdefault(menu, {})

    def put(self, menu: str, values: Item, number: str = "") -> str:
        """Put an item there, unchecked: what the device has of itself.  Its id."""
        number = number or self._number(menu)
        self.items(menu)[number] = dict(values)
        return number

    def interfaces(self) -> Iterator[tuple[str, str, Item]]:
        """Every interface: menu, id, values."""
        for menu in KINDS:
            for number, item in self.items(menu).items():
                yield menu, number, item

    def named(self, name: str) -> Item | None:
        """The interface of a name."""
        return next((item for _, _, item in self.interfaces() if item["name"] == name), None)

    def add(self, menu: str, words: Any) -> str:
        """Add an item; its id."""
        if self.words.single(menu) or not self.words.has(menu, "add"):
            raise RefusedError(406, "Not Acceptable", "no such command or directory (add)")
        kept = self.words.check(menu, "add", words)
        copied = kept.pop("copy-from", None)
        item = {**DEFAULTS.get(menu, {"disabled": "false"}), **kept}
        if copied:
            item = {**self.items(menu)[self.find(menu, copied)], **kept}
        if menu in KINDS and "name" not in item:
            item["name"] = self._free(KINDS[menu])
        self._fits(menu, item, "")
        number = self._number(menu)
        there = self.items(menu)
        place = words.get("place-before")
        if place is None:
            there[number] = item
        else:
            before = self.find(menu, place)
            order = list(there.items())
            spot = [each for each, _ in order].index(before)
            order.insert(spot, (number, item))
            there.clear()
            there.update(order)
        return number

    def set(self, menu: str, number: str, words: Any) -> None:
        """Change an item, or a menu of one object."""
        kept = self.words.check(menu, "set", words)
        if self.words.single(menu):
            self.singles.setdefault(menu, {}).update(kept)
            return
        number = self.find(menu, number)
        item = self.items(menu)[number]
        if item.get("dynamic") == "true":
            raise bad("failure: can not change dynamic")
        told = {word: value for word, value in kept.items() if not word.startswith("!")}
        self._fits(menu, {**item, **told}, number)
        before = item.get("name", "")
        for word in [word for word in kept if word.startswith("!")]:
            del kept[word]
            self.unset(menu, number, word[1:])
        item |= kept
        if not item.get("comment", "x"):
            del item["comment"]
        if menu in KINDS and item["name"] != before:
            self._replace(before, item["name"])

    def unset(self, menu: str, number: str, word: str) -> None:
        """Take a value back to what it is of itself."""
        item = self.items(menu)[self.find(menu, number)]
        default = DEFAULTS.get(menu, {}).get(word)
        if default is None:
            item.pop(word, None)
        else:
            item[word] = default

    def remove(self, menu: str, number: str) -> None:
        """Remove an item."""
        if menu == "/interface/ethernet" or not self.words.has(menu, "remove"):
            raise RefusedError(406, "Not Acceptable", "no such command or directory (remove)")
        number = self.find(menu, number)
        item = self.items(menu)[number]
        if item.get("dynamic") == "true" or item.get("default") == "true":
            raise bad("failure: can not remove " + ("dynamic" if "dynamic" in item else "default"))
        del self.items(menu)[number]
        if menu in KINDS:
            self._replace(item["name"], number, invalid=True)

    def find(self, menu: str, number: str) -> str:
        """The id of an item that is told by its id or its name."""
        there = self.items(menu)
        if number in there:
            return number
        for each, item in there.items():
            if number and number in (item.get("name"), item.get("default-name")):
                return each
        raise gone()

    def _number(self, menu: str) -> str:
        """A new id: ids are not given twice, and interfaces of all kinds share theirs."""
        counter = "/interface" if menu in KINDS else menu
        taken = {number for at in (KINDS if menu in KINDS else [menu]) for number in self.items(at)}
        last = self._last.get(counter, 0) + 1
        while f"*{last:X}" in taken:
            last += 1
        self._last[counter] = last
        return f"*{last:X}"

    def _free(self, kind: str) -> str:
        taken = {item["name"] for _, _, item in self.interfaces()}
        return next(f"{kind}{n}" for n in range(1, 1000) if f"{kind}{n}" not in taken)

    def _fits(self, menu: str, item: Item, number: str) -> None:
        """Whether all that an item names is there, and its name is its own."""
        for word in MUST_BE_THERE:
            for name in item.get(word, "").split(","):
                if name and name != "all" and not name.startswith("*") and not self.named(name):
                    raise bad(f"input does not match any value of {word}")
        if menu in KINDS:
            for _, other, there in self.interfaces():
                if other != number and there["name"] == item["name"]:
                    raise bad("failure: already have interface with such name")
        if menu in UNIQUE:
            word, said = UNIQUE[menu]
            for other, there in self.items(menu).items():
                if other != number and there.get(word) == item.get(word):
                    raise bad(said)
        if menu == "/ip/address":
            try:
                face = ipaddress.IPv4Interface(item["address"])
            except ValueError:
                raise bad("value of address is not an IP address") from None
            item["network"] = str(face.network.network_address)
            item["actual-interface"] = item["interface"]
            if number:
                self.items(menu)[number]["network"] = item["network"]
                self.items(menu)[number]["actual-interface"] = item["interface"]

    def _replace(self, before: str, now: str, *, invalid: bool = False) -> None:
        """All that names an interface follows it to its new name."""
        for menu, there in self.lists.items():
            for item in there.values():
                for word in PORTS + MORE.get(menu, ()):
                    names = item.get(word, "").split(",")
                    if before in names:
                        item[word] = ",".join(now if name == before else name for name in names)
                        if invalid and "invalid" in item:
                            item["invalid"] = "true"
