"""What is shown of what others typed: nothing secret, as `explain` shows an export.

A learner's own terminal shows all of it.
"""

from __future__ import annotations

from ppslab.model.packet_path.on_linux.values import ENDS, TYPED
from rosexplain import parse, secrets
from rosexplain.parse import Command, Rows

_HEX = "0123456789abcdefABCDEF"
_MAC = 17
"""Letters of a hardware address."""
_COMMENT = ' comment "'


def sentence(text: str, command: Command | None, masked: bool) -> str:
    """Why a command was refused, in which `values.shown` has quoted what was typed."""
    name = text.partition(": ")[0].replace(TYPED, "").replace(ENDS, "").partition("=")[0]
    menu = command.menu if command else ""
    values_shown = _values_shown(command) if command else []
    first, *parts = text.split(TYPED)
    for part in parts:
        word, _, rest = part.partition(ENDS)
        kept = not masked or word in values_shown or secrets.is_shown(menu, name)
        first += (word if kept else secrets.struck_word(menu, word)) + rest
    return without_macs(first, values_shown) if masked else first


def _values_shown(command: Command) -> list[str]:
    """The values of a command that `explain` shows, those of its selection too."""
    pairs = list(command.properties.items())
    for selection in command.selected:
        for word in parse.split(selection.strip("[] "))[0]:
            name, equals, value = word.partition("=")
            pairs += [(name, parse.plain(value))] if equals else []
    return [value for name, value in pairs if secrets.is_shown(command.menu, name)]


def begins(line: str, known: str, masked: bool) -> str:
    """How a line begins that was not read; `known`: its words that no secret can be."""
    return (known or secrets.STRUCK) if masked else line


def path(menu: str, masked: bool) -> str:
    """A menu as it is typed: `/ip firewall filter`."""
    words = menu[1:].split("/")
    if masked:
        words = [word if parse.is_path(word) else secrets.STRUCK for word in words]
    return menu[:1] + " ".join(words)


def pair(menu: str, name: str, value: str, masked: bool) -> str:
    """The value of a property."""
    return secrets.STRUCK if masked and not secrets.is_shown(menu, name) else value


def script(line: str, kept: list[str]) -> str:
    """Lines of a shell without the comments of rules, and without hardware addresses but `kept`.

    A comment is the last word of its line and has no quotation mark (`values.comment`).
    """
    lines = [part.partition(_COMMENT)[0] for part in line.split("\n")]
    return without_macs("\n".join(lines), kept)


def macs_shown(rows: Rows) -> list[str]:
    """The hardware addresses that `explain` shows: those of interfaces, not those of rules."""
    macs: list[str] = []
    for path in rows.menus:
        for row in rows.all_of(path):
            for name in row.names:
                if _is_mac(row.get(name)) and secrets.is_shown(path, name):
                    macs.append(row.get(name))
    return macs


def without_macs(text: str, kept: list[str]) -> str:
    """A text whose hardware addresses are struck out, but those that are `kept`."""
    shown = {mac.lower() for mac in kept}
    parts: list[str] = []
    begin = 0
    at = text.find(":")
    while at >= 0:
        mac = text[at - 2 : at - 2 + _MAC] if at - 2 >= begin else ""
        if _is_mac(mac) and mac.lower() not in shown:
            parts += [text[begin : at - 2], secrets.STRUCK]
            begin = at - 2 + _MAC
        at = text.find(":", max(at + 1, begin))
    return "".join(parts) + text[begin:]


def _is_mac(text: str) -> bool:
    parts = text.split(":")
    return len(parts) == 6 and all(len(p) == 2 and p[0] in _HEX and p[1] in _HEX for p in parts)
