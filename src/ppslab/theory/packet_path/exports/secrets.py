"""Secrets struck out of an export, before anything of it is shown or copied.

What is left of a line is put together anew from the words that were read; a word that was not
understood is not shown, as nobody knows what it is.  Comments of the file are shown where RouterOS
writes them and they name no serial number.
"""

from __future__ import annotations

from ppslab.theory.packet_path.exports.reading import Export, split

STRUCK = "***"

PARTS = ("password", "passphrase", "secret", "token", "md5", "private-key", "pre-shared", "psk")
"""A property is secret whose name holds one of these, or ends with `key`."""

WHOLE = ("source", "on-event", "on-up", "on-down", "on-login", "on-logout", "up-script", "script",
         "down-script", "lease-script", "url", "body", "http-data", "content", "comment",
         "system-id", "serial-number", "software-id", "contact", "location", "note")  # fmt: skip
"""Properties in which people put a secret by hand: scripts, addresses with a token, remarks."""

HEAD = 40
AROUND = 4
"""Lines of a long export that are shown: its first, and those around each that decides."""

COMMUNITY = "/snmp/community"
_BARE = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./*"


def is_secret(menu: str, name: str) -> bool:
    """Whether a property's value is never shown."""
    low = name.lower()
    last = low.rpartition(".")[2]
    if last in WHOLE or last.endswith("key") or (menu == COMMUNITY and last in ("name", "address")):
        return True
    return any(part in low for part in PARTS)


def struck_word(menu: str, word: str) -> str:
    """A word of a command that somebody typed, as it may be shown."""
    name, equals, value = word.partition("=")
    if equals:
        return name + "=" + (STRUCK if is_secret(menu, name) else value)
    return word if all(letter in _BARE for letter in word) else STRUCK


class Struck:
    """The lines of an export as they may be shown.  `hide`: public addresses are struck out too."""

    def __init__(self, export: Export, hide: bool = False) -> None:
        self._export = export
        self._hide = hide
        self._menus = {command.number: command.menu for command in export.commands}

    def line(self, number: int) -> str:
        """The line that begins on `number`; empty where none does."""
        line = self._export.texts.get(number, "")
        if line[:1] == "#":
            return _comment(line)
        return _line(line, self._menus.get(number, ""), self._hide) if line else ""

    def lines(self, most: int, marked: list[int] | None = None) -> list[tuple[int, str]]:
        """All of them with their numbers; of more than `most`, the head and those near `marked`.

        `... 412 lines ...` with the number 0 stands for those that are left out.
        """
        order = self._export.order
        if len(order) <= most:
            return [(number, self.line(number)) for number in order]
        wanted = set(range(min(HEAD, most)))
        known = set(marked or [])
        for index in range(len(order)):
            if order[index] in known:
                wanted.update(range(max(0, index - AROUND), min(len(order), index + AROUND + 1)))
        made: list[tuple[int, str]] = []
        before = -1
        for index in sorted(wanted) + [len(order)]:
            if index - before > 1:
                made.append((0, "... " + str(index - before - 1) + " lines ..."))
            if index < len(order):
                made.append((order[index], self.line(order[index])))
            before = index
        return made


def _comment(line: str) -> str:
    comment = line.lstrip("# ")
    if " by RouterOS " in comment and len(comment) < 80:
        return line
    if comment.startswith("model ="):
        return line
    return "# " + STRUCK


def _line(line: str, menu: str, hide: bool) -> str:
    words, _ = split(line)
    made: list[str] = []
    named = False
    for word in words:
        name, equals, value = word.partition("=")
        if equals and word[0] not in '["{(:':
            named = True
            struck = is_secret(menu, name)
            made.append(name + "=" + (STRUCK if struck else _value(menu, value, hide)))
        elif word[0] == "[":
            made.append(_selection(menu, word, hide))
        elif not named and menu and all(letter in _BARE for letter in word):
            made.append(without_addresses(word) if hide else word)
        elif not menu and _is_menu(word, made):
            made.append(word)
        else:
            made.append(STRUCK)
    return " ".join(made)


def _is_menu(word: str, before: list[str]) -> bool:
    if word[0] == "/":
        return "=" not in word
    return bool(before) and before[0][0] == "/" and word.replace("-", "").isalpha()


def _selection(menu: str, word: str, hide: bool) -> str:
    words, _ = split(word.strip("[]").strip(" "))
    made = []
    for each in words:
        name, equals, value = each.partition("=")
        if not equals:
            made.append(each if each in ("find", "where", "and") else STRUCK)
        else:
            struck = is_secret(menu, name)
            made.append(name + "=" + (STRUCK if struck else _value(menu, value, hide)))
    return "[ " + " ".join(made) + " ]"


def _value(menu: str, value: str, hide: bool) -> str:
    if value[:1] in ("[", "{", "("):
        return STRUCK
    return without_addresses(value) if hide else value


def without_addresses(value: str) -> str:
    """A value whose public IPv4 and IPv6 addresses are struck out, their length of prefix kept."""
    made: list[str] = []
    word = ""
    for letter in value + "\0":
        if letter in "0123456789abcdefABCDEF.:":
            word += letter
            continue
        made.append(STRUCK if public(word) else word)
        word = ""
        if letter != "\0":
            made.append(letter)
    return "".join(made)


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
