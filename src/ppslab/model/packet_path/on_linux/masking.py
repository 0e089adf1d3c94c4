"""Quoting of typed text: nothing secret, as `explain` shows an export.

A learner's own terminal shows all of it.
"""

from __future__ import annotations

from ppslab.model.packet_path.on_linux.values import ENDS, TYPED
from rosexplain import menu_words, parse, secrets
from rosexplain.parse import Command

_COMMENT = ' comment "'


def sentence(text: str, command: Command | None, masked: bool) -> str:
    """The reason of a refusal, in which `values.shown` has quoted the typed text."""
    name = text.partition(": ")[0].replace(TYPED, "").replace(ENDS, "").partition("=")[0]
    menu = command.menu if command else ""
    values_shown = _values_shown(command) if command else []
    first, *parts = text.split(TYPED)
    for part in parts:
        word, _, rest = part.partition(ENDS)
        kept = not masked or word in values_shown or secrets.shows(menu, name, word)
        first += (word if kept else secrets.struck_word(menu, word)) + rest
    return first


def _values_shown(command: Command) -> list[str]:
    """The values of a command that `explain` shows, those of its selection too."""
    pairs = list(command.properties.items())
    for selection in command.selected:
        for word in parse.split(selection.strip("[] "))[0]:
            name, equals, value = word.partition("=")
            pairs += [(name, parse.plain(value))] if equals else []
    return [value for name, value in pairs if secrets.shows(command.menu, name, value)]


def begins(line: str, known: str, masked: bool) -> str:
    """Beginning of a line that was not read; `known`: its words that no secret can be."""
    return (known or secrets.STRUCK) if masked else line


def path(menu: str, masked: bool) -> str:
    """A menu as it is typed: `/ip firewall filter`."""
    words = menu[1:].split("/")
    if masked:
        words = [word if menu_words.is_path(word) else secrets.STRUCK for word in words]
    return menu[:1] + " ".join(words)


def script(line: str) -> str:
    """Lines of a shell without the comments of rules.

    A comment is the last word of its line and has no quotation mark (`values.comment`).
    """
    return "\n".join([part.partition(_COMMENT)[0] for part in line.split("\n")])
