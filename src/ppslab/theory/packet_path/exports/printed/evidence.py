"""What was read of a router's output: rows as an export's, sentences, and what was not read."""

from __future__ import annotations

from typing import Any

from ppslab.theory.packet_path.exports.reading import Command, Export, Unread, plain
from ppslab.theory.packet_path.exports.row import Row
from ppslab.theory.packet_path.exports.rows import Rows, rows_of

TOLD = "/printed"
"""The menu under which is kept what a router said and no export has."""

COUNT = "count"
"""What a sentence speaks for that speaks neither for a fast path nor against one."""


class Printed:
    """What was read.  `commands`: rows; `seen`: sentences; `unread`: the rest, with the reason."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.commands: list[Command] = []
        self.seen: list[dict[str, Any]] = []
        self.unread: list[Unread] = []

    def tell(
        self,
        what: str,
        value: str,
        number: int,
        fast: bool | None,
        tells: str = "",
        family: int = 0,
    ) -> None:
        """Keep a sentence; `fast`: for what it speaks, None: for neither.

        `tells`: of what, where an answer can be held against it.
        """
        speaks = COUNT if fast is None else "for" if fast else "against"
        self.seen.append({"what": what, "value": value, "file": self.file, "line": number,
                          "speaks": speaks, "tells": tells, "family": family})  # fmt: skip

    def put(
        self, number: int, menu: str, verb: str, name: str = "", value: str = "", about: str = ""
    ) -> None:
        """Keep a row as an export's command."""
        command = Command(self.file, number, number, menu, verb)
        if name:
            command.properties[name] = value
            command.names.append(name)
        if about:
            command.selected.append(about)
        self.commands.append(command)

    def miss(self, number: int, begins: str, why: str) -> None:
        """Keep that a line was not read."""
        self.unread.append(Unread(self.file, number, begins, why))


def news(exports: list[Export], commands: list[Command]) -> list[Command]:
    """What a router says that its exports do not: a line of an export decides, not its echo."""
    rows = rows_of(exports) if commands else Rows()
    return [command for command in commands if not _echo(rows, command)]


def _echo(rows: Rows, command: Command) -> bool:
    """Whether the exports set the same value for what a command sets."""
    row = _row(rows, command) if command.command == "set" else None
    names = command.names
    return row is not None and all(
        row.says(name) and row.get(name) == command.properties[name] for name in names
    )


def _row(rows: Rows, command: Command) -> Row | None:
    if not command.selected:
        return rows.single(command.menu)
    name, equals, value = command.selected[0].strip("[]").replace("find ", "", 1).partition("=")
    menu = rows.menus.get(command.menu)
    found = menu.with_value(name, plain(value)) if menu and equals else []
    return found[0] if found else None
