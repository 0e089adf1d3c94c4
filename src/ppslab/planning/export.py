"""RouterOS exports: what `/export` prints, as menus, commands and their words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ppslab import documents
from ppslab.errors import FileError

_TOKEN = re.compile(r'(?:[^\s"\[\]{}]|"(?:[^"\\]|\\.)*"|\[[^\]]*\]|\{[^}]*\})+')


@dataclass(frozen=True)
class Line:
    """One command of an export: the 1-based line it starts on, its menu, `add` or `set`, its words.

    `words`: values by name, without quotes; `find`: what stands in [find ...] of a set, or the
    number or name that it sets.
    """

    number: int
    menu: str
    command: str
    words: dict[str, str]
    find: str = ""

    @property
    def text(self) -> str:
        """The line, for a message."""
        named = [f"{name}={value}" for name, value in self.words.items()]
        return " ".join([self.menu, self.command, *filter(None, [self.find]), *named])


def read(path: Path) -> list[Line]:
    """The commands of an export; FileError where the file cannot be read."""
    found = list(_lines(documents.read_text(path)))
    if not found:
        raise FileError(path, None, "no RouterOS command in it: /export prints them")
    return found


def _lines(text: str) -> Iterator[Line]:
    menu = "/"
    for number, line in _joined(text):
        tokens = _TOKEN.findall(line)
        if not tokens or tokens[0].startswith("#"):
            continue
        if tokens[0].startswith("/"):
            path: list[str] = []
            while tokens and tokens[0] not in ("add", "set", "remove", "disable", "enable"):
                if "=" in tokens[0] or tokens[0].startswith("["):
                    break
                path += tokens.pop(0).strip("/").split("/")
            # /ip/route/add is a command of /ip/route.
            command = path.pop() if path and path[-1] in ("add", "set") else None
            menu = "/" + "/".join(filter(None, path))
            if command:
                tokens.insert(0, command)
        if not tokens or tokens[0] not in ("add", "set"):
            continue
        command, rest = tokens[0], tokens[1:]
        words, find = {}, []
        for token in rest:
            name, equals, value = token.partition("=")
            if equals and not token.startswith("["):
                words[name] = value.strip('"')
            else:
                find.append(token)
        yield Line(number, menu, command, words, " ".join(find))


def _joined(text: str) -> Iterator[tuple[int, str]]:
    """Lines with those behind a backslash joined to them, and where each starts."""
    start, whole = 0, ""
    for number, line in enumerate(text.splitlines(), start=1):
        if not whole:
            start = number
        if line.rstrip().endswith("\\"):
            whole += line.rstrip()[:-1] + (" " if line.rstrip()[:-1].endswith(" ") else "")
            continue
        yield start, (whole + (line.strip() if whole else line)).strip()
        whole = ""
    if whole:
        yield start, whole.strip()
