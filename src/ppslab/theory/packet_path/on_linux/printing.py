"""`print`: the rows of a menu as they were typed, in the manner of RouterOS."""

from __future__ import annotations

from ppslab.theory.packet_path.exports.reading import Command
from ppslab.theory.packet_path.exports.rows import Rows
from ppslab.theory.packet_path.on_linux import checking, table
from ppslab.theory.packet_path.on_linux.values import refuse

FLAGS = "Flags: X - DISABLED"


def printed(rows: Rows, command: Command) -> list[str]:
    """The lines of a menu.  RefusedError for what is not printed here, as counters."""
    menu = command.menu
    if menu not in table.menus():
        raise refuse(checking.NONE)
    if command.command == "export" or command.selected or command.names:
        raise refuse("only print, without a word behind it, has an answer here")
    if menu in table.SINGLE:
        single = rows.single(menu)
        return [f"  {name}: {single.get(name) if single and single.get(name) else _default(name)}"
                for name in checking.properties_of(menu)]  # fmt: skip
    made = [FLAGS]
    for number, row in enumerate(rows.all_of(menu)):
        said = [f"{name}={quoted(row.get(name))}" for name in row.names if name != "disabled"]
        made.append(f" {number} {' ' if row.on else 'X'}  {' '.join(said)}")
    return made


def _default(name: str) -> str:
    return table.DEFAULTS[name]


def quoted(value: str) -> str:
    """A value as a command has it."""
    if value and all(letter not in ' "\\$;' for letter in value):
        return value
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
