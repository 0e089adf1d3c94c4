"""Secrets struck out of an export, before anything of it is shown or copied.

A property's value is shown only where `explain` reads it (`shown` and `matchers` of
`menu_words`); of all other words only those of known menus are left.
"""

from __future__ import annotations

from rosexplain import parse
from rosexplain.menu_words import DATA
from rosexplain.parse import Export, split

STRUCK = "***"

PARTS = ("password", "passphrase", "secret", "token", "md5", "private-key", "pre-shared", "psk")
"""A property is secret whose name holds one of these, or ends with `key`."""

WHOLE = ("source", "on-event", "on-up", "on-down", "on-login", "on-logout", "up-script", "script",
         "down-script", "lease-script", "url", "body", "http-data", "content", "comment",
         "system-id", "serial-number", "software-id", "contact", "location", "note")  # fmt: skip
"""Properties in which people put a secret by hand: scripts, addresses with a token, remarks."""

KEYWORDS = ("find", "where", "and", "count-only", "detail", "stats", "dynamic", "fasttrack")

REVISIONS = ("r2", "r3", "r4", "r5")
"""What a model of RouterOS 6 may end with."""
SERIES = ("BaseBox", "Cube", "DISC", "DynaDish", "Groove", "LDF", "LHG", "LtAP", "Metal",
          "NetBox", "NetMetal", "OmniTIK", "QRT", "SXT", "SXTsq", "cAP", "hAP", "mANTBox", "mAP",
          "wAP")  # fmt: skip
"""The names of series that a model of RouterOS 6 may have before its code: `wAP G-5HacT2HnD`."""
CODES = ("G", "P", "R", "2", "5")
BANDS = ("2n", "5n", "52", "Hn", "Hac", "60a")
"""How the code of a device with a radio begins, and what it has in it."""
LONGEST_MODEL = 40
LONGEST_VERSION = 16
"""Letters of a model's word, and of a version."""

HEAD = 40
AROUND = 4
"""Lines of a long export that are shown: its first, and those around each that decides."""

COMMUNITY = "/snmp/community"
_BARE = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./*"
_MODEL = _BARE + "+^()&,"


def is_secret(menu: str, name: str) -> bool:
    """Whether a property's value is never shown."""
    low = name.lower()
    last = low.rpartition(".")[2]
    if last in WHOLE or last.endswith("key") or (menu == COMMUNITY and last in ("name", "address")):
        return True
    return any(part in low for part in PARTS)


def is_shown(menu: str, name: str) -> bool:
    """Whether a property's value is shown: somebody here reads it, and it is no secret."""
    path = menu.strip("/")
    read = (
        name in DATA["everywhere"]
        or name in DATA["shown"].get(path, [])
        or (path in DATA["firewalls"] and name in DATA["matchers"])
        or (path[:10] == "interface/" and "/" not in path[10:] and name in DATA["interfaces"])
    )
    return read and not is_secret(menu, name)


def model(text: str, devices: list[str]) -> str:
    """A model as it may be shown: its first word; or the name of a device, which may have several.

    `devices`: those whose names are known, in capitals.
    """
    words = text.split(" ")
    most = 1
    if words[0] == "RouterBOARD":
        most = 3 if words[2:3] and _goes_on(words[1], words[2]) else 2
    for device in devices:
        length = len(device.split(" "))
        if " ".join(words[:length]).upper() == device:
            most = max(most, length)
    words_shown = [_plain(word, LONGEST_MODEL) for word in words[:most]]
    return " ".join(words_shown + ([STRUCK] if len(words) > most else []))


def _goes_on(name: str, word: str) -> bool:
    """Whether the word after a model's first belongs to it: a revision, or a series' own code."""
    return word in REVISIONS or (
        name in SERIES and word[:1] in CODES and any(band in word for band in BANDS)
    )


def version(text: str) -> str:
    """A version as it may be shown, such as 7.20rc2."""
    letters = text.lstrip("0123456789.").rstrip("0123456789")
    known = letters in ("", "alpha", "beta", "rc")
    return text if not text or (known and len(text) < LONGEST_VERSION) else STRUCK


def _plain(word: str, most: int) -> str:
    return word if len(word) <= most and all(letter in _MODEL for letter in word) else STRUCK


def pair(menu: str, name: str, value: str) -> str:
    """`name=value` as it may be shown."""
    return name + "=" + (value if is_shown(menu, name) else STRUCK)


def struck_word(menu: str, word: str) -> str:
    """A word of a command that somebody typed, as it may be shown."""
    name, equals, value = word.partition("=")
    if equals:
        return pair(menu, name, value) if is_shown(menu, name) else STRUCK
    return word if word in KEYWORDS or parse.is_word(word) else STRUCK


class Struck:
    """The lines of an export as they may be shown.

    `devices`: the names that a model may have; `hide`: public addresses are struck out too.
    """

    def __init__(self, export: Export, devices: list[str], hide: bool = False) -> None:
        self._export = export
        self._devices = devices
        self._hide = hide
        self._menus = {command.number: command.menu for command in export.commands}

    def line(self, number: int) -> str:
        """The line that begins on `number`; empty where none does."""
        line = self._export.texts.get(number, "")
        if line[:1] == "#":
            return _comment(line, self._devices)
        return _line(line, self._menus.get(number, ""), self._hide) if line else ""

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


def _line(line: str, menu: str, hide: bool) -> str:
    """The words that may be shown; `***` for each run of others, whose names nobody here knows."""
    words, _ = split(line)
    words_shown: list[str] = []
    named = False
    for word in words:
        equals = "=" in word
        if equals and word[0] not in '["{(:':
            named = True
            shown = _property(menu, word, hide)
        elif word[0] == "[":
            shown = _selection(menu, word, hide)
        elif not named and _is_name(menu, word, words_shown):
            shown = without_addresses(word) if hide else word
        else:
            shown = word if parse.is_path(word) else STRUCK
        if shown != STRUCK or words_shown[-1:] != [STRUCK]:
            words_shown.append(shown)
    return " ".join(words_shown)


def _is_name(menu: str, word: str, before: list[str]) -> bool:
    """Whether a bare word is the number or the name of a row, where names are shown."""
    if not any(parse.is_path(token) for token in before) or not menu:
        return False
    shown = is_shown(menu, "name") or is_shown(menu, "default-name")
    return not word.strip("0123456789,") or (shown and all(letter in _BARE for letter in word))


def _property(menu: str, word: str, hide: bool) -> str:
    name, _, value = word.partition("=")
    if is_shown(menu, name):
        return name + "=" + _value(menu, value, hide)
    known = name in DATA["shown"].get(menu.strip("/"), [])
    return name + "=" + STRUCK if known or name in WHOLE or name in PARTS else STRUCK


def _selection(menu: str, word: str, hide: bool) -> str:
    words, _ = split(word.strip("[]").strip(" "))
    words_shown = []
    for token in words:
        if "=" in token:
            words_shown.append(_property(menu, token, hide))
        else:
            words_shown.append(token if token in KEYWORDS else STRUCK)
    return "[ " + " ".join(words_shown) + " ]"


def _value(menu: str, value: str, hide: bool) -> str:
    if value[:1] in ("[", "{", "("):
        return STRUCK
    return without_addresses(value) if hide else value


def without_addresses(value: str) -> str:
    """A value whose public IPv4 and IPv6 addresses are struck out, their length of prefix kept."""
    parts: list[str] = []
    word = ""
    for letter in value + "\0":
        if letter in "0123456789abcdefABCDEF.:":
            word += letter
            continue
        parts.append(STRUCK if public(word) else word)
        word = ""
        if letter != "\0":
            parts.append(letter)
    return "".join(parts)


def public(word: str) -> bool:
    """Whether a word is an address that the world can reach."""
    if (word.count(":") >= 2 and "::" in word) or word.count(":") == 7:
        low = word.lower()
        return not (low.startswith("fe80") or low[:2] in ("fc", "fd", "ff") or low in ("::", "::1"))
    parts = word.partition(":")[0].split(".")
    if len(parts) != 4 or not all(part.isdigit() and int(part) < 256 for part in parts):
        return False
    a, b = int(parts[0]), int(parts[1])
    private = a in (0, 10, 127) or a >= 224 or (a == 172 and 16 <= b < 32)
    private = private or (a, b) in ((192, 168), (169, 254)) or (a == 100 and 64 <= b < 128)
    return not private
