"""An export as it may be shared: its names, public addresses and hardware addresses replaced.

Names are replaced before the answer is worked out, so that the answer has no other, and says the
same of them: `bridge-1`, `list-2`.  RouterOS's own stay (`ether1`, `LAN`, `forward`), which rules
and remedies know by name.  Addresses are replaced in the finished answer: networks and their
members must be told from each other until then.

    replaced = Replaced([export], [output])
    explanation = explain(replaced.exports)
    Answer(explanation, replaced=replaced)
"""

from __future__ import annotations

from typing import Any

from rosexplain import property_kinds, secrets
from rosexplain.menu_words import VERBS
from rosexplain.parse import Command, Export, Unread, plain, split
from rosexplain.selection import is_gone

BARE = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:<>,!%@"
"""Letters of a word that needs no quotes."""

LABELS = {property_kinds.INTERFACE_LIST: "list", property_kinds.QUEUE_TYPE: "queue-type"}
"""The word in the place of a kind of name, where it is not the kind's own."""

NAMED = ("ether", "sfp", "qsfp", "combo", "wlan", "wifi", "lte")
"""The beginnings of names of ports that no line tells of, by which their kind is known."""
SESSION = "<pppoe-"
"""The beginning of the name of a PPPoE session's interface; the user's name follows."""

PACKET = ("in", "out", "in-interface", "out-interface")
"""The words of a packet that name an interface."""
COUNTED = ("MTU of ", "fp-rx-packet of ", "fp-tx-packet of ")
"""The beginnings of printed lines about an interface, whose name follows."""

_KEPT = dict.fromkeys(property_kinds.ANYWHERE, True)
for _words in property_kinds.BUILT_IN.values():
    for _word in _words:
        _KEPT[_word] = True


class Replaced:
    """The exports and the printed outputs of one router with other names.

    `exports` and `outputs` are what came of them.
    """

    def __init__(self, exports: list[Export], outputs: list[Any] | None = None) -> None:
        self._names: dict[str, str] = {}
        self._counts: dict[str, int] = {}
        self._addresses: dict[str, str] = {}
        self._files: dict[str, str] = {}
        printed = outputs or []
        self._name_files([export.file for export in exports], "export", ".rsc")
        self._name_files([output.file for output in printed], "printed", ".txt")
        self._used = _names_of([export.commands for export in exports])
        for export in exports:
            for command in export.commands:
                self._define(command)
                for name in sorted(command.properties):
                    self.text(command.properties[name])  # numbered as the export has them
        self.exports = [self._export(export) for export in exports]
        self.outputs = [self._output(output) for output in printed]

    def _name_files(self, files: list[str], begins: str, ends: str) -> None:
        for number, file in enumerate(files, start=1):
            self._files[file] = begins + ("-" + str(number) if len(files) > 1 else "") + ends

    # What is replaced.

    def lines(self, lines: list[tuple[str, int]]) -> list[tuple[str, int]]:
        """Lines by file and number, with the files' other names."""
        return [(self._files.get(file, file), number) for file, number in lines]

    def packet(self, text: str) -> str:
        """The words of a packet, with the interfaces' other names."""
        words = []
        for word in text.replace(",", " ").split():
            name, equals, value = word.partition("=")
            if equals and value and name in PACKET:
                word = name + "=" + self._instead(property_kinds.INTERFACE, value)  # noqa: PLW2901
            words.append(word)
        return " ".join(words)

    def text(self, text: str) -> str:
        """A text of the answer, with its public addresses and its hardware addresses replaced."""
        return secrets.with_addresses(text, self._address)

    def _address(self, address: str) -> str:
        low = address.lower()
        hardware = secrets.is_mac(address) or (low[:4] == "fe80" and "ff:fe" in low)
        if not hardware and not secrets.public(address):
            return address
        if hardware and not low.replace("f", "").strip(":"):
            return address  # a mask
        if low not in self._addresses:
            self._addresses[low] = self._numbered("hardware" if hardware else "public")
        return self._addresses[low]

    # Names.

    def _define(self, command: Command) -> None:
        """Give the name of a row its own word: `vlan-1` to the first VLAN's."""
        kind = property_kinds.defines(command.menu)
        name = command.properties.get("name")
        if kind and name:
            last = command.menu.rpartition("/")[2]
            interface = kind == property_kinds.INTERFACE and command.menu[:11] == "/interface/"
            self._instead(kind, name, last if interface else "")

    def _instead(self, kind: str, name: str, label: str = "") -> str:
        """The name that stands for another; RouterOS's own for itself."""
        if name in self._names:
            return self._names[name]
        numbered = property_kinds.standard(property_kinds.INTERFACE, name)
        if name in _KEPT or numbered or is_gone(name):
            return name
        for begins in NAMED:
            label = label or (begins if name[: len(begins)] == begins else "")
        instead = self._numbered(label or LABELS.get(kind, kind))
        if name[: len(SESSION)] == SESSION:
            instead = SESSION + self._numbered("user") + ">"
        self._names[name] = instead
        return instead

    def _numbered(self, label: str) -> str:
        """The next `label-1` that no name of the exports is."""
        while True:
            self._counts[label] = self._counts.get(label, 0) + 1
            name = label + "-" + str(self._counts[label])
            if name not in self._used:
                return name

    def _value(self, menu: str, name: str, value: str) -> str:
        """A property's value with other names."""
        kinds = property_kinds.kinds(menu, name)
        chosen = [kind for kind in kinds if kind in property_kinds.NAMES]
        if not chosen or not value or secrets.is_secret(menu, name):
            return value
        if name == "name":
            return self._instead(chosen[0], value)
        inverted = "!" if value[0] == "!" else ""
        if value[len(inverted) :] in self._names:
            return inverted + self._names[value[len(inverted) :]]
        separators = ","
        if property_kinds.ADDRESS in kinds:
            separators = ",%@"  # 192.0.2.1%ether1, 192.0.2.1@vrf
        elif property_kinds.QUEUE_TYPE in kinds:
            separators = ",/"  # up/down
        return self._pieces(kinds, name, value, separators)

    def _pieces(self, kinds: list[str], name: str, piece: str, separators: str) -> str:
        """What stands between separators, each with its other name."""
        if separators:
            pieces = piece.split(separators[0])
            rest = separators[1:]
            return separators[0].join([self._pieces(kinds, name, one, rest) for one in pieces])
        kind = next(kind for kind in kinds if kind in property_kinds.NAMES)
        bare = piece[1:] if piece[:1] == "!" else piece
        if not bare or secrets.parses(kinds, property_kinds.words(name), bare):
            return piece
        return piece[: len(piece) - len(bare)] + self._instead(kind, bare)

    # Words of a line, and of what selects rows.

    def _word(self, menu: str, word: str) -> str:
        if word[0] == "[" and word[-1] == "]":
            words, _ = split(word[1:-1].strip(" "))
            return "[" + " ".join([self._word(menu, one) for one in words]) + "]"
        name, equals, value = word.partition("=")
        if equals and word[0] not in '["{(:':
            if value[:1] == "[":
                return name + "=" + self._word(menu, value)
            before = plain(value) if value else ""
            after = self._value(menu, name, before)
            return word if after == before else name + "=" + _quoted(after)
        return word

    def _row(self, menu: str, word: str) -> str:
        """Replace the selection of rows: in brackets, or the name of one."""
        kind = property_kinds.defines(menu)
        if word[0] in "[{(:" or "=" in word or kind is None:
            return self._word(menu, word)
        named = plain(word)
        if not named.strip("0123456789,"):
            return word
        names = [self._instead(kind, one) if one else "" for one in named.split(",")]
        after = self._names[named] if named in self._names else ",".join(names)
        return word if after == named else _quoted(after)

    def _line(self, menu: str, line: str) -> str:
        words, _ = split(line)
        verbs = [index for index, word in enumerate(words) if word in VERBS]
        if line[:1] == "#" or not verbs:
            return line
        rest = [self._row(menu, word) for word in words[verbs[0] + 1 :]]
        return " ".join(words[: verbs[0] + 1] + rest)

    # Exports and outputs.

    def _command(self, command: Command) -> Command:
        other = Command(self._files.get(command.file, command.file), command.number, command.last,
                        command.menu, command.command)  # fmt: skip
        other.names = command.names[:]
        for name in command.names:
            value = command.properties[name]
            if value[:1] == "[":
                other.properties[name] = self._word(command.menu, value)
            else:
                other.properties[name] = self._value(command.menu, name, value)
        other.selected = [self._row(command.menu, word) for word in command.selected]
        return other

    def _unread(self, row: Unread) -> Unread:
        file = self._files.get(row.file, row.file)
        return type(row)(file, row.number, row.begins, row.why)

    def _export(self, export: Export) -> Export:
        other = Export(self._files[export.file])
        other.commands = [self._command(command) for command in export.commands]
        other.asked = [self._command(command) for command in export.asked]
        other.unread = [self._unread(row) for row in export.unread]
        other.header = export.header
        other.order, other.menus = export.order, export.menus
        menus = {command.number: command.menu for command in export.commands}
        for number in export.order:
            line = export.texts[number]
            other.texts[number] = self._line(menus[number], line) if number in menus else line
        other.replaced = dict.fromkeys(self._names.values(), True)
        return other

    def _output(self, output: Any) -> Any:
        other = type(output)(self._files[output.file])
        other.commands = [self._command(command) for command in output.commands]
        other.unread = [self._unread(row) for row in output.unread]
        for seen in output.seen:
            copy = dict(seen)
            copy["file"] = self._files.get(seen["file"], seen["file"])
            copy["what"] = self._what(seen["what"])
            other.seen.append(copy)
        return other

    def _what(self, what: str) -> str:
        """Return a printed line's subject, with the interface's other name."""
        for begins in COUNTED:
            if what[: len(begins)] == begins:
                return begins + self._instead(property_kinds.INTERFACE, what[len(begins) :])
        words, _ = split(what)
        menus = [word for word in words if word[0] == "/"]
        return " ".join([self._word(menus[0] if menus else "", word) for word in words])


def _names_of(exports: list[list[Command]]) -> dict[str, bool]:
    """Every value that a property has whose values are names."""
    names: dict[str, bool] = {}
    for commands in exports:
        for command in commands:
            for name in command.names:
                if property_kinds.is_name(command.menu, name):
                    names[command.properties[name].lstrip("!")] = True
    return names


def _quoted(value: str) -> str:
    return value if all(letter in BARE for letter in value) else '"' + value + '"'
