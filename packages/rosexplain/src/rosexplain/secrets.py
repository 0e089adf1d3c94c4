"""The parts of an export that are shown, and those struck out of it first.

A property's value is shown if it parses as what the property is (`property_kinds`): an address, a
rate, a number, an interface that exists, a word of the menu.  Names are shown, which the reader
chose; comments and other free text are not, nor what a secret's property has.  Of all other words
only those of known menus are left.
"""

from __future__ import annotations

from collections.abc import Callable

from rosexplain import menu_words, property_kinds
from rosexplain.addresses import packed
from rosexplain.parse import Command, Export, plain, split
from rosexplain.selection import HEX, is_gone

STRUCK = "***"

PARTS = ("password", "passphrase", "secret", "token", "md5", "private-key", "pre-shared", "psk")
"""A property is secret whose name holds one of these, or ends with `key`."""

WHOLE = ("source", "on-event", "on-up", "on-down", "on-login", "on-logout", "up-script", "script",
         "down-script", "lease-script", "url", "body", "http-data", "content", "comment",
         "system-id", "serial-number", "software-id", "contact", "location", "note")  # fmt: skip
"""Properties in which people put a secret by hand: scripts, addresses with a token, remarks."""

KEYWORDS = ("find", "where", "and", "count-only", "detail", "stats", "dynamic", "fasttrack")

REVISIONS = ("r2", "r3", "r4", "r5")
"""The ends of models of RouterOS 6."""
SERIES = ("BaseBox", "Cube", "DISC", "DynaDish", "Groove", "LDF", "LHG", "LtAP", "Metal",
          "NetBox", "NetMetal", "OmniTIK", "QRT", "SXT", "SXTsq", "cAP", "hAP", "mANTBox", "mAP",
          "wAP")  # fmt: skip
"""The names of series that a model of RouterOS 6 may have before its code: `wAP G-5HacT2HnD`."""
CODES = ("G", "P", "R", "2", "5")
"""The beginnings of codes of devices with a radio."""
FAMILIES = ("RB", "CCR", "CRS", "CSS", "CHR", "x86", "ATL", "GPeR", "FTC", "NetPower", "KNOT")
"""The beginnings of the other products' names, but for a capital and two digits: `C53UiG`."""
ENDS = ("i", "r", "n", "c", "s", "e", "u", "x", "ac", "ax", "be", "ad", "ay", "nd", "sq", "in",
        "out", "kit")  # fmt: skip
"""The small letters that a product's code has in a row; `n` or `d` may follow."""
LONGEST_CAPITALS = 5
LONGEST_CODE = 16
LONGEST_MODEL = 40
LONGEST_VERSION = 16
"""Letters in a row, of a code, of a model's word, and of a version."""

HEAD = 40
AROUND = 4
"""Lines of a long export that are shown: its first, and those around each that decides."""

COMMUNITY = "/snmp/community"
_BARE = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./*"
_MODEL = _BARE + "+^()&,"


def is_secret(menu: str, name: str) -> bool:
    """Return True if a property's value is never shown."""
    low = name.lower()
    last = low.rpartition(".")[2]
    if last in WHOLE or last.endswith("key") or (menu == COMMUNITY and last in ("name", "address")):
        return True
    return any(part in low for part in PARTS)


def is_shown(menu: str, name: str) -> bool:
    """Return True if a property's value may be shown: its kind is known, and it is no secret."""
    return bool(property_kinds.kinds(menu, name)) and not is_secret(menu, name)


MOST_DIGITS = 20
"""Digits of a number; RouterOS has none of more than 64 bits."""
_DIGITS = "0123456789"
_AMOUNTS = tuple(property_kinds.UNITS)


class Names:
    """The names that the rows of an export have, by their kind."""

    def __init__(self, exports: list[Export], more: list[Command] | None = None) -> None:
        self._names: dict[str, dict[str, bool]] = {}
        self._interfaces = False
        self._shown: dict[tuple[str, str, str], bool] = {}
        """The values that were asked about: each class of packets asks the same rules."""
        self.replaced: dict[str, bool] | None = None
        """The only names that are shown, beside RouterOS's own, where others were replaced."""
        for export in exports:
            if export.replaced is not None:
                self.replaced = self.replaced or {}
                self.replaced.update(export.replaced)
        kinds: dict[str, str | None] = {}
        for commands in [export.commands for export in exports] + [more or []]:
            for command in commands:
                if command.menu not in kinds:
                    kinds[command.menu] = property_kinds.defines(command.menu)
                    self._interfaces = self._interfaces or command.menu[:10] == "/interface"
                kind = kinds[command.menu]
                if kind or "interface" in command.properties:
                    self._take(command, kind)

    def _take(self, command: Command, kind: str | None) -> None:
        """Take in a line's names; `kind`: that of its menu's rows, if they have one."""
        name = command.properties.get("name")
        if kind and name:
            self._names.setdefault(kind, {})[name] = True
        about = command.properties.get("interface", "")
        if about:  # RouterOS has no row about an interface that does not exist
            for part in parts(about, ","):
                self._names.setdefault(property_kinds.INTERFACE, {})[part] = True

    def shows(self, menu: str, name: str, value: str) -> bool:
        """Return True if a property's value is shown."""
        key = (menu, name, value)
        if key not in self._shown:
            self._shown[key] = _shows(menu, name, value, self)
        return self._shown[key]

    def has(self, kind: str, name: str) -> bool:
        """Return True if a row has this name, or RouterOS itself.

        An export of a part of a router, without interfaces, tells of none whether it exists.
        """
        if self.replaced is not None:
            return name in self.replaced or property_kinds.standard(kind, name)
        if property_kinds.standard(kind, name) or name in self._names.get(kind, {}):
            return True
        if kind == property_kinds.INTERFACE:
            lists = property_kinds.INTERFACE_LIST
            return not self._interfaces or self.has(lists, name) or self.has("vrf", name)
        return kind == property_kinds.INTERFACE_LIST and not self._interfaces


def shows(menu: str, name: str, value: str, names: Names | None = None) -> bool:
    """Return True if a property's value is shown: it parses as what the property is.

    `names`: those that exist; None: any name will do.
    """
    return names.shows(menu, name, value) if names else _shows(menu, name, value, None)


def _shows(menu: str, name: str, value: str, names: Names | None) -> bool:
    kinds = property_kinds.kinds(menu, name)
    if not kinds or is_secret(menu, name):
        return False
    chosen = [kind for kind in kinds if kind in property_kinds.NAMES]
    if name == "default-name":
        return property_kinds.standard(property_kinds.INTERFACE, value)
    if chosen and _is_any(name, chosen, names):
        return True
    if not value or any(names is not None and names.has(kind, value) for kind in chosen):
        return True
    words = property_kinds.words(name)
    separators = ",%@" if property_kinds.ADDRESS in kinds else ",/" if chosen else ","
    for part in parts(value, separators):
        is_name = any(names is not None and names.has(kind, part) for kind in chosen)
        if part and not is_name and not parses(kinds, words, part):
            return False
    return True


def _is_any(name: str, chosen: list[str], names: Names | None) -> bool:
    """Return True if any name will do: a row's own, or one that needs no row."""
    if names is not None and names.replaced is not None:
        return False
    return name == "name" or names is None or chosen[0] in property_kinds.FREE


def parts(value: str, separators: str) -> list[str]:
    """The values of a list, each without its `!`."""
    for separator in separators[1:]:
        value = value.replace(separator, separators[0])
    return [part[1:] if part[:1] == "!" else part for part in value.split(separators[0])]


def parses(kinds: list[str], words: list[str], part: str) -> bool:
    """Return True if one value has the form of one of these kinds, or is one of these words."""
    if part in words:
        return True
    if is_gone(part):
        return True
    for kind in kinds:
        if kind == property_kinds.ADDRESS and _is_network(part):
            return True
        if kind == property_kinds.MAC and all(is_mac(half) for half in part.split("/")):
            return True
        if kind == property_kinds.PORT and all(_is_port(end) for end in part.split("-")):
            return True
    units = [kind for kind in kinds if kind in _AMOUNTS]
    return bool(units) and all(_is_range(piece, units, words) for piece in parts(part, " /:"))


def _is_range(text: str, kinds: list[str], words: list[str]) -> bool:
    if text in words or _is_amount(text, kinds):
        return True
    first, dash, last = text.partition("-")
    return bool(dash and first) and _is_amount(first, kinds) and _is_amount(last, kinds)


def _is_amount(text: str, kinds: list[str]) -> bool:
    """Return True if a text is digits with a unit; of time, one or more."""
    if text[:2] == "0x":
        return 2 < len(text) <= 10 and not text[2:].strip(HEX)
    rest = text
    while rest:
        after = rest.lstrip(_DIGITS)
        if after[:1] == "." and after[1:2].isdigit():
            after = after[1:].lstrip(_DIGITS)
        digits = len(rest) - len(after)
        length = 0
        while length < len(after) and after[length] not in _DIGITS:
            length += 1
        unit = after[:length]
        fits = [kind for kind in kinds if unit in property_kinds.UNITS[kind]]
        if not 0 < digits <= MOST_DIGITS or not fits:
            return False
        rest = after[length:]
        if rest and property_kinds.TIME not in fits:
            return False
    return text != ""


def _is_port(text: str) -> bool:
    return 0 < len(text) <= 5 and not text.strip(_DIGITS) and int(text) < 65536


def is_mac(text: str) -> bool:
    """Return True if a text is a hardware address."""
    pairs = text.split(":")
    return len(pairs) == 6 and all(len(pair) == 2 and not pair.strip(HEX) for pair in pairs)


def _is_network(text: str) -> bool:
    """Return True if a text is an address, with a prefix's length or a mask, or a range of them."""
    address, slash, length = text.partition("/")
    if slash and not (len(length) <= 3 and length.isdigit()):
        return _is_network(length) and _is_network(address)
    first, dash, last = address.partition("-")
    try:
        packed(first)
        if dash:
            packed(last)
    except ValueError:
        return False
    return True


def model(text: str, devices: list[str]) -> str:
    """A model as it may be shown: the name of a device, or a product's code.

    `devices`: those whose names are known, in capitals; such a name may have several words.
    """
    if not text or text[0] == " ":
        return ""
    words = text.split(" ")
    board = 1 if words[0] == "RouterBOARD" else 0
    most = board
    if words[most:] and _is_model(words[most]):
        most += 1
        if _goes_on(words[most - 1], words[most] if words[most:] else ""):
            most += 1
    for device in devices:
        for begin in (0, board):
            end = begin + len(device.split(" "))
            name = " ".join(words[begin:end]).upper()
            if name in (device, "RB" + device):
                most = max(most, end)
    return " ".join(words[:most] + ([STRUCK] if len(words) > most else []))


def _is_model(word: str) -> bool:
    """Return True if a word is the name of a series, or has the form of a product's code."""
    if word in SERIES:
        return True
    if not word or len(word) > LONGEST_MODEL or not all(letter in _MODEL for letter in word):
        return False
    for family in FAMILIES:
        if word[: len(family)] == family and (family == "CHR" or any(d in word for d in _DIGITS)):
            return _is_code(word[len(family) :])
    digits = len(word) - len(word.lstrip(_DIGITS))
    if word[0] in "CDEHKLS" and word[1:3].isdigit():
        return _is_code(word[1:])
    return 3 <= digits <= 4 and _is_code(word[digits:])


def _is_code(text: str) -> bool:
    """True if a text is made of what products' codes have: capitals, few digits, short ends."""
    for name in SERIES:
        text = text.replace(name, "")
    run, digits = "", 0
    for letter in text + "-":
        if letter in _DIGITS:
            digits += 1
            if digits > 4:
                return False
            continue
        digits = 0
        same = run and (letter.islower() == run[-1].islower()) and letter.isalpha()
        if same:
            run += letter
            continue
        if run and (not _is_end(run) if run[0].islower() else len(run) > LONGEST_CAPITALS):
            return False
        run = letter if letter.isalpha() else ""
    return True


def _is_end(run: str) -> bool:
    return run in ENDS or (run[-1] in "nd" and run[:-1] in ENDS)


def _goes_on(name: str, word: str) -> bool:
    """True if the word after a model's first belongs to it: a revision, or a series' own code."""
    if word in REVISIONS:
        return True
    return name in SERIES and word[:1] in CODES and len(word) <= LONGEST_CODE and _is_code(word)


def version(text: str) -> str:
    """A version as it may be shown, such as 7.20rc2."""
    letters = text.lstrip("0123456789.").rstrip("0123456789")
    known = letters in ("", "alpha", "beta", "rc")
    return text if not text or (known and len(text) < LONGEST_VERSION) else STRUCK


def pair(menu: str, name: str, value: str, names: Names | None = None) -> str:
    """`name=value` as it may be shown."""
    return name + "=" + (value if shows(menu, name, value, names) else STRUCK)


def struck_word(menu: str, word: str) -> str:
    """A word of a command that somebody typed, as it may be shown."""
    name, equals, value = word.partition("=")
    if equals:
        return pair(menu, name, value) if is_shown(menu, name) else STRUCK
    return word if word in KEYWORDS or menu_words.is_word(word) else STRUCK


class Struck:
    """The lines of an export as they may be shown.

    `devices`: the names that a model may have; `names`: those that rows of the exports have.
    """

    def __init__(self, export: Export, devices: list[str], names: Names) -> None:
        self._export = export
        self._devices = devices
        self._names = names
        self._menus = {command.number: command.menu for command in export.commands}
        self._shown: dict[int, str] = {}

    def line(self, number: int) -> str:
        """The line that begins on `number`; empty where none does."""
        if number not in self._shown:
            line = self._export.texts.get(number, "")
            menu = self._menus.get(number, "")
            comment = line[:1] == "#"
            self._shown[number] = (
                _comment(line, self._devices) if comment else _line(line, menu, self._names)
            )
        return self._shown[number]

    def lines(self, most: int, marked: list[int] | None = None) -> list[tuple[int, str]]:
        """All of them with their numbers; of more than `most`, the head and those near `marked`.

        `... 412 lines ...` with the number 0 stands for those that are left out.
        """
        order = self._export.order
        if len(order) <= most:
            return [(number, self.line(number)) for number in order]
        indexes = set(range(min(HEAD, most)))
        known = set(marked or [])
        for index in range(len(order)):
            if order[index] in known:
                indexes.update(range(max(0, index - AROUND), min(len(order), index + AROUND + 1)))
        lines: list[tuple[int, str]] = []
        before = -1
        for index in sorted(indexes) + [len(order)]:
            if index - before > 1:
                lines.append((0, "... " + str(index - before - 1) + " lines ..."))
            if index < len(order):
                lines.append((order[index], self.line(order[index])))
            before = index
        return lines


def _comment(line: str, devices: list[str]) -> str:
    comment = line.lstrip("# ")
    _, by, rest = comment.partition(" by RouterOS ")
    if by:
        return "# by RouterOS " + version(rest.split(" ")[0])
    name, equals, value = comment.partition(" = ")
    if equals and name == "model":
        return "# model = " + model(value.strip(" "), devices)
    return "# " + STRUCK


MOST_WORDS = 500
"""Words of a line that are looked at; no router exports a line of more."""


def _line(line: str, menu: str, names: Names) -> str:
    """The words that may be shown; `***` for each run of others, whose names nobody here knows."""
    words, _ = split(line) if line else ([], "")
    words_shown: list[str] = []
    named = False
    for word in words[:MOST_WORDS]:
        equals = "=" in word
        if equals and word[0] not in '["{(:':
            named = True
            shown = _property(menu, word, names)
        elif word[0] == "[":
            shown = _selection(menu, word, names)
        elif not named and _is_row(menu, word, words_shown, names):
            shown = word
        else:
            shown = word if menu_words.is_path(word) else STRUCK
        if shown != STRUCK or words_shown[-1:] != [STRUCK]:
            words_shown.append(shown)
    if len(words) > MOST_WORDS and words_shown[-1:] != [STRUCK]:
        words_shown.append(STRUCK)
    return " ".join(words_shown)


def with_menu(line: str, menu: str) -> str:
    """A line that is quoted by itself: with the menu that the lines above it enter."""
    if not line or line[0] in "/#":
        return line
    return "/" + menu[1:].replace("/", " ") + " " + line


def _is_row(menu: str, word: str, before: list[str], names: Names) -> bool:
    """Return True for the number of a row, or its name where names are shown."""
    if not any(menu_words.is_path(token) for token in before) or not menu:
        return False
    kind = property_kinds.defines(menu)
    return not word.strip(_DIGITS + ",") or (kind is not None and names.has(kind, plain(word)))


def _property(menu: str, word: str, names: Names) -> str:
    name, _, value = word.partition("=")
    known = menu or not property_kinds.is_name(menu, name)  # of a line that was read
    if known and _is_whole(value) and shows(menu, name, plain(value) if value else value, names):
        return word
    return name + "=" + STRUCK if property_kinds.known(name) else STRUCK


def _is_whole(value: str) -> bool:
    """Return True for no expression, and nothing behind the end of a quote."""
    if value[:1] in ("[", "{", "("):
        return False
    return value[:1] != '"' or value.find('"', 1) == len(value) - 1 or "\\" in value


def _selection(menu: str, word: str, names: Names) -> str:
    words, _ = split(word.strip("[]").strip(" "))
    words_shown = []
    for token in words:
        if "=" in token:
            words_shown.append(_property(menu, token, names))
        else:
            words_shown.append(token if token in KEYWORDS else STRUCK)
    return "[ " + " ".join(words_shown) + " ]"


def with_addresses(text: str, instead: Callable[[str], str]) -> str:
    """A text with each of its addresses as `instead` has it, given the address alone."""
    return _with_runs(
        text,
        "0123456789abcdefABCDEF.:",
        lambda word: _replaced(word, instead) if len(word) > 2 else word,
    )


def _with_runs(text: str, letters: str, instead: Callable[[str], str]) -> str:
    """A text with each of its runs of these letters, empty ones too, as `instead` has it."""
    pieces: list[str] = []
    run = ""
    for letter in text:
        if letter in letters:
            run += letter
            continue
        pieces += [instead(run), letter]
        run = ""
    return "".join(pieces + [instead(run)])


def _replaced(word: str, instead: Callable[[str], str]) -> str:
    """A run of digits, dots, colons and a to f, with the addresses in it replaced."""
    bare = word.rstrip(".")
    bare = bare[:-1] if bare[-1:] == ":" and bare[-2:] != "::" else bare
    begin = 1 if bare[:1] == ":" and bare[:2] != "::" else 0
    bare = bare[begin:]
    if is_mac(bare) or bare.count(":") == 7 or "::" in bare:
        return word[:begin] + instead(bare) + word[begin + len(bare) :]
    if word.count(".") < 3:
        return word
    return _with_runs(word, "0123456789.", lambda run: _replaced_ipv4(run, instead))


def _replaced_ipv4(run: str, instead: Callable[[str], str]) -> str:
    address = run.strip(".")
    if address.count(".") < 3:
        return run
    begin = run.find(address)
    numbers = address.split(".")
    for first in range(len(numbers) - 3):
        one = ".".join(numbers[first : first + 4])
        if one != instead(one):  # of more than four numbers nobody knows which are the address
            return run[:begin] + instead(one) + run[begin + len(address) :]
    return run


def public(word: str) -> bool:
    """Return True if a word is an address that the world can reach."""
    if word.count(":") > 1 and not is_mac(word):
        low = word.lower()
        return not (low.startswith("fe80") or low[:2] in ("fc", "fd", "ff") or low in ("::", "::1"))
    parts = word.split(".")
    if len(parts) != 4 or not all(part.isdigit() and int(part) < 256 for part in parts):
        return False
    a, b = int(parts[0]), int(parts[1])
    private = a in (0, 10, 127) or a >= 224 or (a == 172 and 16 <= b < 32)
    private = private or (a, b) in ((192, 168), (169, 254)) or (a == 100 and 64 <= b < 128)
    return not private
