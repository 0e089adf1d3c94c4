"""What a word of an export is behind a menu: another menu, a command, or not known.

An export's line is only a menu's name: what RouterOS may have as such is told from what it has
not, as `/import more.rsc`.  The words, and where they were read, are in `menu_words.yml`.
"""

from __future__ import annotations

from ppslab.theory.packet_path.exports.menu_words import DATA

MENU, COMMAND, UNKNOWN = "menu", "command", "unknown"
"""What a word is behind a menu; UNKNOWN: nobody here knows it."""

_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789-"


def kind(path: list[str], word: str) -> str:
    """What `word` is in the menu `path`."""
    menu = "/".join(path)
    if word in DATA["below"].get(menu, []):
        return MENU
    if word in DATA["commands"] or (menu + "/" + word).strip("/") in DATA["here"]:
        return COMMAND
    return UNKNOWN


def might_be(path: list[str], word: str) -> bool:
    """Whether a word that nobody here knows may be a menu, as another version may have one."""
    return bool(path) and word[0] != "-" and all(letter in _LETTERS for letter in word)
