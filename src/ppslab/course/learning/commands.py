"""The commands that pages show, read from their code: RouterOS, ppslab and Linux."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from ppslab.testbed.routers.routeros.rsc import lint

Kind = Literal["RouterOS", "ppslab", "Linux"]

SHELLS = ("sh", "bash", "shell", "console")
_MENU = re.compile(r"/[a-z][a-z0-9-]*[ /][a-z]")
_FILE = re.compile(r"/(?:proc|sys|etc|usr|dev|var|tmp|run)/")
# Words before the command itself, and a variable that is set for it.
_BEFORE = re.compile(r"^(?:[A-Z_][A-Z0-9_]*=\S*|sudo|env|nice|exec|time)$")
_OF_SHELL = re.compile(
    r"^(?:if|then|else|fi|for|do|done|while|case|esac|in|set|cd|export|exit|true|false|\{|\}|"
    r"!|\[|test|local|return|shift|eval|read|printf|echo|wait|:)$"
)
# What follows these words is no command.
_WITH_DATA = frozenset("for case cd export set printf echo read test [ wait return shift".split())
_PROGRAM = re.compile(r"^(?:\.venv/bin/)?([a-z][\w.+-]*)$")
# RouterOS's own commands outside all menus; the text inside their brackets is separate.
_OF_SCRIPTS = frozenset(
    "for foreach while if do put global local set log delay error execute environment".split()
)
_SEPARATORS = "|;&()"
_FUNCTION = re.compile(r"^\s*(\w+)\(\)", re.MULTILINE)
# The first word of an nftables expression is no verb of `ip`.
_NO_VERBS = ("saddr", "daddr", "protocol")
_WORD = re.compile(r"^[a-z][a-z0-9-]*$")
# Programs whose second word is a command of its own.
_WITH_VERB = {"ip", "bridge", "tc", "nft", "ethtool", "make", "ppslab", "docker", "git", "kubectl"}
_DEEPER = {"ppslab plan", "docker compose"}


@dataclass(frozen=True, order=True)
class Said:
    """A command and one way in which a page writes it."""

    kind: Kind
    name: str
    text: str


def of_script(text: str) -> Iterator[Said]:
    """The RouterOS commands of a script: `/ip/firewall/filter add`."""
    for each in lint.commands(text):
        menu, verb, *_ = each.text.split(" ", 2)
        if menu != "/":
            yield Said("RouterOS", f"{menu} {verb}", " ".join(each.text.split()))
        elif verb in _OF_SCRIPTS:
            yield Said("RouterOS", f":{verb}", f":{verb}")
        else:
            yield Said("RouterOS", f"/{verb}", " ".join(each.text.split()))


def of_shell(text: str) -> Iterator[Said]:
    """The commands of a block of shell, by program and verb: `ip route`, `ppslab plan nics`."""
    own = set(_FUNCTION.findall(text))
    for line in _lines(text):
        for words in _parts(line):
            said = _said(words)
            if said and said.name not in own:
                yield said


def of_words(text: str, programs: frozenset[str]) -> Said | None:
    """The commands between backquotes: RouterOS's by their menu, others by their program.

    `programs`: those of the shell blocks, as a single word is no command.
    """
    if re.match(r"/[a-z][a-z0-9-]*[ /][a-z]", text) and not re.match(
        r"/(?:proc|sys|etc|usr)/", text
    ):
        found = list(lint.commands(f"{text}\n"))
        if found:
            return next(of_script(f"{text}\n"))
        return None
    said = next(map(_said, _parts(text)), None) if " " in text else None
    return said if said and said.name.split()[0] in programs else None


def _lines(text: str) -> Iterator[str]:
    """Whole lines: a backslash at the end joins the next; a here-document is data."""
    ends = ""
    for line in re.sub(r"\\\n\s*", " ", text).splitlines():
        if ends:
            ends = "" if line.strip() == ends else ends
            continue
        here = re.search(r"<<-?\s*['\"]?(\w+)", line)
        ends = here[1] if here else ""
        stripped = re.sub(r"(^|\s)#.*$", "", line).strip().removeprefix("$ ")
        if stripped:
            yield stripped


def _parts(line: str) -> Iterator[list[str]]:
    """The commands of a line, word by word, quotes and all."""
    lexer = shlex.shlex(line, posix=False, punctuation_chars=_SEPARATORS)
    lexer.whitespace_split, lexer.commenters = True, ""
    try:
        words = list(lexer)
    except ValueError:
        words = line.split()  # A quote that a later line closes.
    part: list[str] = []
    for word in words:
        if set(word) <= set(_SEPARATORS):
            # The label of a case, whose bracket was never opened.
            if not (word[0] == ")" and "(" not in line):
                yield part
            part = []
        else:
            part.append(word)
    yield part


def _said(words: list[str]) -> Said | None:
    while words and (_BEFORE.match(words[0]) or _OF_SHELL.match(words[0])):
        if words[0] in _WITH_DATA:
            return None
        words = words[1:]
    program = _PROGRAM.match(words[0]) if words else None
    if program is None or (len(words) > 1 and words[1] in _NO_VERBS):
        return None
    name = program[1]
    rest = words[1:]
    if name in _WITH_VERB:
        for word in rest[: 1 + (f"{name} {rest[0]}" in _DEEPER if rest else 0)]:
            if _WORD.match(word):
                name += f" {word}"
    kind: Kind = "ppslab" if name.split()[0] == "ppslab" else "Linux"
    written = " ".join(words)
    return Said(kind, name, re.sub(r"\s+\d?[<>]+\s*$", "", written))
