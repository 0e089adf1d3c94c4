"""What the commands of an export come to: the rows of each menu, each value with its command.

`set [ find default-name=ether1 ]` finds the rows that are there, makes the port that an export
takes for granted, and renames it; `enable`, `disable`, `remove`, `move` and `place-before` do what
they say.  A selection that is not understood is kept in `unread`.
"""

from __future__ import annotations

from ppslab.theory.packet_path.exports.reading import Command, Export, Unread, plain, split
from ppslab.theory.packet_path.exports.row import ADDED, Menu, Row

DIGITS, LONGEST = "0123456789", 10
"""Digits of a number that counts rows, and the most that are looked at."""
PLACE, NUMBERS = "place-before", "numbers"
ON, OFF = "\0on", "\0off"
"""`[find dynamic]` and `[find !dynamic]`: a flag, for which no value is written."""
FLAGS = (ON, OFF)
KNOWN_FLAGS = ("dynamic", "disabled", "invalid", "template", "running", "active", "default")
SINGLE = ""
"""The row of a menu that has no rows, as /ip/settings."""


class Rows:
    """Every menu of one or more exports."""

    def __init__(self) -> None:
        self.menus: dict[str, Menu] = {}
        self.unread: list[Unread] = []
        self._now = 0
        self._on: dict[str, list[Row]] = {}

    def of(self, path: str) -> list[Row]:
        """The rows of a menu that are on, in their order; there may be thousands, so once."""
        if path not in self._on:
            menu = self.menus.get(path)
            self._on[path] = [row for row in menu.rows if row.on] if menu else []
        return self._on[path]

    def where(self, path: str, name: str, value: str) -> list[Row]:
        """The rows of a menu that are on and have this value, in their order."""
        menu = self.menus.get(path)
        found = [row for row in menu.with_value(name, value) if row.on] if menu else []
        return sorted(found, key=lambda row: row.place)

    def all_of(self, path: str) -> list[Row]:
        """The rows of a menu, on or off."""
        menu = self.menus.get(path)
        return [row for row in menu.rows if not row.removed] if menu else []

    def single(self, path: str) -> Row | None:
        """The one row of a menu such as /ip/settings; None where no export speaks of it."""
        return next(iter(self.all_of(path)), None)

    def take(self, command: Command) -> None:
        """Do what one command says."""
        self._now += 1
        self._on = {}
        if NUMBERS in command.properties:
            why = "not applied: numbers= counts rows as the last print did; name the row by [find]"
            self.unread.append(Unread(command.file, command.number, command.menu, why))
            return
        menu = self.menus.get(command.menu)
        if menu is None:
            menu = self.menus[command.menu] = Menu(command.menu)
        if command.command == "add":
            row = Row(menu, self._now, command)
            row.key = ADDED
            self._set(menu, row, command)
            menu.add(row)
            if PLACE in command.properties:
                self._moved(menu, [row], command.properties[PLACE], command)
            return
        rows = self._selected(menu, command)
        if command.command == "move":
            later = command.selected[1:]
            where = command.properties.get("destination", later[0] if later else "")
            self._moved(menu, rows or [], where, command)
            return
        if rows is None:
            if command.command == "set":
                for name in command.names:
                    menu.every[name] = (command.properties[name], command, self._now)
                    menu.forget(name)
                if not menu.rows:
                    self._made(menu, "*", command)
            rows = menu.rows[:] if command.command != "set" else []
        for row in rows:
            self._change(menu, row, command)

    def _moved(self, menu: Menu, rows: list[Row], where: str, command: Command) -> None:
        """Put rows in front of the one that `where` selects."""
        found = self._chosen(menu, where, command) if where else None
        if not rows or not found or found[0] in rows:
            why = "the order is as the lines have it: what this moves, or whither, is not known"
            self.unread.append(Unread(command.file, command.number, menu.path, why))
            return
        left = [each for each in menu.rows if each not in rows]
        at = left.index(found[0])
        menu.rows[:] = left[:at] + rows + left[at:]
        for place, row in enumerate(menu.rows):
            row.place = place

    def _change(self, menu: Menu, row: Row, command: Command) -> None:
        if command.command == "set":
            self._set(menu, row, command)
        elif command.command == "remove":
            row.removed = True
        elif command.command in ("enable", "disable"):
            off = "yes" if command.command == "disable" else "no"
            menu.put(row, "disabled", off, command, self._now)
        elif command.command == "stop":
            menu.put(row, "running", "no", command, self._now)

    def _set(self, menu: Menu, row: Row, command: Command) -> None:
        for name in [each for each in command.names if each != PLACE]:
            menu.put(row, name, command.properties[name], command, self._now)

    def _made(self, menu: Menu, key: str, command: Command) -> Row:
        """A row that the router has of itself, as a port or a menu's only one."""
        row = Row(menu, self._now, command)
        row.key = key
        menu.add(row)
        return row

    def _selected(self, menu: Menu, command: Command) -> list[Row] | None:
        """The rows that a command is about; None: all of them."""
        first = command.selected[0] if command.selected else SINGLE
        return self._chosen(menu, first, command) if first else self._keyed(menu, SINGLE, command)

    def _chosen(self, menu: Menu, first: str, command: Command) -> list[Row] | None:
        """The rows that a name, a number or a selection in brackets is about; None: all of them."""
        if first[0] != "[":
            key = plain(first)
            return [row for each in key.split(",") for row in self._keyed(menu, each, command)]
        words, _ = split(first[1:-1].strip(" "))
        if len(words) == 3 and words[0] == ":pick" and not words[2].strip(DIGITS):
            every = self._chosen(menu, words[1], command)
            there = [row for row in menu.rows if every is None or row in every]
            return [row for row in there if not row.removed][int(words[2][:LONGEST]) :][:1]
        for first_word in ("find", "where"):
            if words and words[0] == first_word:
                words = words[1:]
        if not words:
            return None
        tests = self._tests(words, command)
        if tests is None:
            return []
        name, value = tests[0]
        rows = menu.with_value(name, value) if value not in FLAGS else menu.rows[:]
        rows = [row for row in rows if not row.removed and all(_is(row, n, v) for n, v in tests)]
        flags = [v for _, v in tests if v in FLAGS]
        if not rows and command.command == "set" and not flags:
            row = self._made(menu, value if name in ("name", "default-name") else "", command)
            for n, v in tests:
                menu.put(row, n, v, command, self._now)
            rows = [row]
        return rows

    def _tests(self, words: list[str], command: Command) -> list[tuple[str, str]] | None:
        tests = []
        for word in [each for each in words if each not in ("and", "&&")]:
            name, equals, value = word.partition("=")
            bare = word.lstrip("!")
            if bare in KNOWN_FLAGS:
                tests.append((bare, OFF if word[0] == "!" else ON))
                continue
            if not equals or not name or name[-1] in "!<>~" or "~" in name:
                why = "a selection that is not understood here"
                self.unread.append(Unread(command.file, command.number, command.menu, why))
                return None
            tests.append((name, plain(value)))
        return tests

    def _keyed(self, menu: Menu, key: str, command: Command) -> list[Row]:
        for name in ("name", "default-name", "interface", "list"):
            if key and (found := menu.with_value(name, key)):
                return [row for row in found if not row.removed]
        if key and not key.strip(DIGITS) and menu.rows and menu.rows[0].key == ADDED:
            rows = menu.rows[int(key[:LONGEST]) :][:1]
            if not rows:
                why = "not applied: no such item, there are " + str(len(menu.rows)) + " so far"
                self.unread.append(Unread(command.file, command.number, menu.path, why))
            return rows
        for row in menu.rows:
            if row.key == key and not row.removed:
                return [row]
        return [self._made(menu, key, command)] if command.command == "set" else []


def _is(row: Row, name: str, value: str) -> bool:
    if value in FLAGS:
        return (row.get(name) in ("yes", "true")) == (value == ON)
    return row.get(name) == value


def rows_of(
    exports: list[Export],
    without: list[tuple[str, int]] | None = None,
    more: list[Command] | None = None,
) -> Rows:
    """The rows of several exports, read in their order, and of `more` commands behind them.

    `without`: lines as if they were not there.
    """
    rows = Rows()
    left = without or []
    for export in exports:
        rows.unread += export.unread
        for command in export.commands:
            if not left or (command.file, command.number) not in left:
                rows.take(command)
    for command in more or []:
        rows.take(command)
    return rows
