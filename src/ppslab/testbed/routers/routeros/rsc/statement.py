"""One statement of a script: menu, command, properties, the rows that it changes, file and line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from ppslab.testbed.routers.routeros.rsc.values import HIDDEN, shown

Command = Literal["add", "set", "enable", "disable", "remove"]
COMMANDS: tuple[Command, ...] = get_args(Command)

CONNECTIONS = ("/ip/firewall/connection", "/ipv6/firewall/connection")
"""The router's own tables: their rows are no configuration, and may be removed."""

PLACE = "place-before"
"""The word of `add` that says in front of which row; here always as `[find ...]`."""


@dataclass(frozen=True)
class Test:
    """One condition of a `find`: `op` is =, ~ (a regular expression) or flag.

    Of a flag, `value` is yes or no.
    """

    key: str
    op: Literal["=", "~", "flag"]
    value: str

    def __str__(self) -> str:
        if self.op == "flag":
            return self.key if self.value == "yes" else f"!{self.key}"
        return f"{self.key}{self.op}{self.value}"


@dataclass(frozen=True)
class Statement:
    """One change of a configuration.

    `find`: the rows that it is for; None: the menu's own settings, or a new row.  `which`: the
    row by its number or name, as in `set 0`.  A word without a value (`blackhole`) has "".
    `before`: of a new row, the row in whose place it goes (place-before); None: at the end.
    """

    menu: str
    command: Command
    properties: tuple[tuple[str, str], ...]
    find: tuple[Test, ...] | None
    which: str | None
    file: str
    line: int
    before: tuple[Test, ...] | None = None

    @property
    def where(self) -> str:
        """File and line."""
        return f"{self.file}:{self.line}"

    @property
    def target(self) -> str:
        """The rows as the script names them, such as `[find where name=p1]`."""
        return find_text(self.find) if self.find is not None else self.which or ""

    def __str__(self) -> str:
        words = [
            key if not value else f"{key}={_typed(shown(key, value))}"
            for key, value in self.properties
        ]
        if self.before is not None:
            words.append(f"{PLACE}={find_text(self.before)}")
        return " ".join(filter(None, [f"{self.menu}/{self.command}", self.target, *words]))


def find_text(tests: Sequence[Test]) -> str:
    """`[find where a=b]`."""
    return " ".join(["[find", *(["where"] if tests else []), *map(str, tests)]) + "]"


def _typed(value: str) -> str:
    """A value as it is typed: in quotes where it has more than a word's letters."""
    if value == HIDDEN or re.fullmatch(r"[A-Za-z0-9_.,:/!*@+~-]+", value):
        return value
    return '"' + re.sub(r'(["\\$?])', r"\\\1", value) + '"'
