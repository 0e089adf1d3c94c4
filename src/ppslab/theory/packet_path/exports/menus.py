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


VERBS = ("add", "set", "remove", "enable", "disable", "unset", "move", "stop", "export", "print")

_WORDS = {word: True for words in DATA["below"].values() for word in words}
for _names in [DATA["everywhere"], DATA["interfaces"]] + list(DATA["shown"].values()):
    for _word in _names:
        _WORDS[_word] = True
for _word in list(VERBS) + DATA["commands"]:
    _WORDS[_word] = True


def is_word(word: str) -> bool:
    """Whether a word is one of a known menu or a command's."""
    return word in _WORDS


def is_path(word: str) -> bool:
    """Whether all that is between the slashes of a word is known."""
    return all(not piece or piece == ".." or piece in _WORDS for piece in word.split("/"))


def known(begins: str) -> str:
    """The words with which a line begins, as far as they are known: the others may be secret."""
    kept: list[str] = []
    for word in begins.split(" "):
        if not is_path(word):
            break
        kept.append(word)
    return " ".join(kept)
