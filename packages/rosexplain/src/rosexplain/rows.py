"""The rows of every menu that the commands of exports make.

`set [ find default-name=ether1 ]` finds the rows that are there, makes the port that an export
takes for granted, and renames it; `enable`, `disable`, `remove`, `move` and `place-before` do
what they say.  A selection that is not understood is kept in `unread`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rosexplain import selection
from rosexplain.parse import Command, Export, NotMoved, Unread, plain, split
from rosexplain.selection import DIGITS

ADDED = "+"
"""The key of a row that an `add` made."""
WRITTEN = ".place"
"""`[find .place=router.rsc:12]`: the row of a line, whatever was moved or removed since."""


class Row:
    """One row: `values` hold a value, its command, and when it was set."""

    def __init__(self, menu: Menu, born: int, first: Command) -> None:
        self.menu = menu
        self.born = born
        self.first = first
        self.values: dict[str, tuple[str, Command, int]] = {}
        self.names: list[str] = []
        self.removed = False
        self.place = 0
        self.key = ""
        self.selector = ""
        """The words by which a command names it, once somebody asked (`commands.selector`)."""
        self.conditions: list[tuple[str, str]] | None = None
        """Its matchers, once somebody asked (`matchers.conditions`)."""

    def _value(self, name: str) -> tuple[str, Command, int] | None:
        own = self.values.get(name)
        every = self.menu.every.get(name)
        if every and every[2] >= (own[2] if own else self.born):
            return every
        return own

    def get(self, name: str, otherwise: str = "") -> str:
        """A value, `otherwise` where the export does not say it."""
        # Asked millions of times of a long export, in which hardly a menu has such values.
        setting = self._value(name) if self.menu.every else self.values.get(name)
        return otherwise if setting is None else setting[0]

    def says(self, name: str) -> bool:
        """Return True if the export says this property."""
        return self._value(name) is not None

    def stated(self, name: str) -> str | None:
        """A value; None where the export does not say it; of WRITTEN its command's place."""
        if name == WRITTEN:
            return self.first.place
        setting = self._value(name)
        return None if setting is None else setting[0]

    def command(self, name: str) -> Command:
        """The command that said a property last; the row's own where none did."""
        setting = self._value(name)
        return self.first if setting is None else setting[1]

    @property
    def on(self) -> bool:
        """Return True if it is there and not disabled."""
        return not self.removed and self.get("disabled") not in ("yes", "true")

    @property
    def name(self) -> str:
        """The name that other rows call it by."""
        return self.get("name") or self.get("default-name") or self.key.strip(ADDED)


class Menu:
    """The rows of a menu, and what was set for all of them at once."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.rows: list[Row] = []
        self.every: dict[str, tuple[str, Command, int]] = {}
        self._indexes: dict[str, dict[str, list[Row]]] = {}
        self._on: list[Row] | None = None
        self._on_with: dict[str, dict[str, list[Row]]] = {}
        self._once: dict[str, Any] = {}
        self.met: dict[str, list[Row]] = {}
        """The rows that meet a rule, by its id, once somebody asked (`matching`)."""

    def on(self) -> list[Row]:
        """The rows that are on, in their order; there may be thousands, so once."""
        if self._on is None:
            self._on = [row for row in self.rows if row.on]
        return self._on

    def on_with(self, name: str, value: str) -> list[Row]:
        """The rows that are on and have this value, in their order."""
        if name not in self.named():
            return [] if value else self.on()[:]
        index = self._on_with.get(name)
        if index is None:
            index = self._on_with[name] = {}
            for row in self.on():
                index.setdefault(row.get(name), []).append(row)
        return index.get(value, [])[:]

    def once(self, what: str, read: Callable[[Menu], Any]) -> Any:
        """What is read of the rows, once until a command changes them.

        The routers of an export's tried changes share most menus, e.g. thousands of leases.
        """
        if what not in self._once:
            self._once[what] = read(self)
        return self._once[what]

    def named(self) -> set[str]:
        """The properties that any row says."""
        names: set[str] = self.once("named", _named)
        return names

    def mentioned(self) -> set[str]:
        """The words of all values of the rows, taken apart at commas."""
        words: set[str] = self.once("mentioned", _mentioned)
        return words

    def change(self) -> None:
        """Forget what was read of the rows, which a command is about to change."""
        self._on = None
        self.met, self._once, self._on_with = {}, {}, {}

    def put(self, row: Row, name: str, value: str, command: Command, now: int) -> None:
        """Set a value of a row."""
        index = self._indexes.get(name)
        if index is not None:
            old = row.get(name)
            if old != value:
                index[old] = [other for other in index.get(old, []) if other is not row]
                index.setdefault(value, []).append(row)
        if name not in row.values:
            row.names.append(name)
        row.values[name] = (value, command, now)

    def add(self, row: Row) -> None:
        """Take a new row in."""
        self.change()
        row.place = len(self.rows)
        self.rows.append(row)
        for name in self._indexes:
            self._indexes[name].setdefault(row.get(name), []).append(row)

    def with_value(self, name: str, value: str) -> list[Row]:
        """The rows in which a property has a value."""
        if name not in self._indexes:
            index: dict[str, list[Row]] = {}
            for row in self.rows:
                index.setdefault(row.get(name), []).append(row)
            self._indexes[name] = index
        return self._indexes[name].get(value, [])

    def forget(self, name: str) -> None:
        """All rows got a value at once."""
        self._indexes.pop(name, None)

    def copied(self) -> Menu:
        """The same rows, to change without changing these."""
        same = Menu(self.path)
        same.every = dict(self.every)
        for row in self.rows:
            own = Row(same, row.born, row.first)
            own.values, own.names = dict(row.values), row.names[:]
            own.removed, own.place, own.key = row.removed, row.place, row.key
            same.rows.append(own)
        return same


def _named(menu: Menu) -> set[str]:
    names = set(menu.every)
    for row in menu.rows:
        names.update(row.names)
    return names


def _mentioned(menu: Menu) -> set[str]:
    words: set[str] = set()
    for row in menu.rows:
        for name in row.names:
            value = row.get(name)
            if "," in value:
                words.update(value.split(","))
            else:
                words.add(value)
    return words


LONGEST = 10
"""Digits of a number that counts rows, at which nobody has to look further."""
PLACE, NUMBERS = "place-before", "numbers"
UNSUPPORTED = "not applied: unsupported selection"


SINGLE = ""
"""The row of a menu that has no rows, as /ip/settings."""


class Rows:
    """Every menu of one or more exports."""

    def __init__(self) -> None:
        self.menus: dict[str, Menu] = {}
        self.unread: list[Unread] = []
        self._now = 0

    def of(self, path: str) -> list[Row]:
        """The rows of a menu that are on, in their order."""
        menu = self.menus.get(path)
        return menu.on() if menu else []

    def where(self, path: str, name: str, value: str) -> list[Row]:
        """The rows of a menu that are on and have this value, in their order."""
        menu = self.menus.get(path)
        return menu.on_with(name, value) if menu else []

    def saying(self, path: str, name: str) -> list[Row]:
        """The rows of a menu that are on and say a property, in their order."""
        menu = self.menus.get(path)
        if menu is None or name not in menu.named():
            return []
        return [row for row in menu.on() if row.get(name)]

    def all_of(self, path: str) -> list[Row]:
        """The rows of a menu, on or off."""
        menu = self.menus.get(path)
        return [row for row in menu.rows if not row.removed] if menu else []

    def single(self, path: str) -> Row | None:
        """The one row of a menu such as /ip/settings; None where no export speaks of it."""
        return next(iter(self.all_of(path)), None)

    def behind(self, commands: list[Command]) -> Rows:
        """These rows with more commands behind them; the menus of no command are shared."""
        rows = Rows()
        rows.menus, rows.unread, rows._now = dict(self.menus), self.unread[:], self._now
        for command in commands:
            menu = self.menus.get(command.menu)
            if menu is not None and rows.menus[command.menu] is menu:
                rows.menus[command.menu] = menu.copied()
            rows.take(command)
        return rows

    def without(self, commands: list[Command], gone: list[tuple[str, int]]) -> Rows:
        """The rows of all `commands` but those on some lines; the menus of no such line are shared.

        What was not read is not told again.
        """
        left = set(gone)
        changed = {line.menu for line in commands if (line.file, line.number) in left}
        rows = Rows()
        rows.menus = {path: menu for path, menu in self.menus.items() if path not in changed}
        for line in commands:
            if line.menu in changed and (line.file, line.number) not in left:
                rows.take(line)
        return rows

    def take(self, command: Command) -> None:
        """Do what one command says."""
        self._now += 1
        if NUMBERS in command.properties:
            why = "not applied: numbers= refers to the last print; select the row with [find]"
            self._miss(command, why)
            return
        menu = self.menus.get(command.menu)
        if menu is None:
            menu = self.menus[command.menu] = Menu(command.menu)
        menu.change()
        if command.command == "add":
            row = Row(menu, self._now, command)
            row.key = ADDED
            row.names = [name for name in command.names if name != PLACE]
            for name in row.names:
                row.values[name] = (command.properties[name], command, self._now)
            menu.add(row)
            if PLACE in command.properties:
                self._moved(menu, [row], command.properties[PLACE], command)
            return
        rows = self.selected(command)
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
                    self._built_in(menu, "*", command)
            rows = menu.rows[:] if command.command != "set" else []
        for row in rows:
            self._change(menu, row, command)

    def _moved(self, menu: Menu, rows: list[Row], where: str, command: Command) -> None:
        """Put rows in front of the one that `where` selects; at the end where it says nothing."""
        targets = self._chosen(menu, where, command) if where else None
        left = [other for other in menu.rows if other not in rows]
        if rows and not where:
            self._ordered(menu, left + rows)
            return
        if not rows or not targets or targets[0] in rows:
            why = "not applied: the rows to move or their destination are unknown"
            self.unread.append(NotMoved(command.file, command.number, menu.path, why))
            return
        at = left.index(targets[0])
        self._ordered(menu, left[:at] + rows + left[at:])

    def _ordered(self, menu: Menu, rows: list[Row]) -> None:
        menu.rows[:] = rows
        for place, row in enumerate(menu.rows):
            row.place = place

    def _change(self, menu: Menu, row: Row, command: Command) -> None:
        if command.command == "set":
            for name in [member for member in command.names if member != PLACE]:
                menu.put(row, name, command.properties[name], command, self._now)
        elif command.command == "remove":
            row.removed = True
        elif command.command in ("enable", "disable"):
            off = "yes" if command.command == "disable" else "no"
            menu.put(row, "disabled", off, command, self._now)
        elif command.command in ("start", "stop"):
            running = "yes" if command.command == "start" else "no"
            menu.put(row, "running", running, command, self._now)

    def _built_in(self, menu: Menu, key: str, command: Command) -> Row:
        """A row that the router has of itself, as a port or a menu's only one."""
        row = Row(menu, self._now, command)
        row.key = key
        menu.add(row)
        return row

    def selected(self, command: Command) -> list[Row] | None:
        """The rows that a command is about; None: all of them."""
        menu = self.menus[command.menu]
        first = command.selected[0] if command.selected else SINGLE
        return self._chosen(menu, first, command) if first else self._keyed(menu, SINGLE, command)

    def _chosen(self, menu: Menu, first: str, command: Command) -> list[Row] | None:
        """The rows that a name, a number or a selection in brackets is about; None: all of them."""
        if first[0] != "[":
            key = plain(first)
            return [row for number in key.split(",") for row in self._keyed(menu, number, command)]
        words, _ = split(first[1:-1].strip(" "))
        if len(words) == 3 and words[0] == ":pick" and not words[2].strip(DIGITS):
            if words[1].lstrip("[ ")[:5] == ":pick":
                return self._miss(command, UNSUPPORTED)
            every = self._chosen(menu, words[1], command)
            chosen = None if every is None else {id(row) for row in every}
            there = [row for row in menu.rows if chosen is None or id(row) in chosen]
            return [row for row in there if not row.removed][int(words[2][:LONGEST]) :][:1]
        inner = first[1:-1].strip(" ")
        if words and words[0] == "find":
            inner = inner[4:]
        try:
            tree = selection.read(inner, plain)
            return None if tree is None else self._fitting(menu, tree, command)
        except selection.UnknownSelectionError:
            return self._miss(command, UNSUPPORTED)

    def _miss(self, command: Command, why: str) -> list[Row]:
        """Keep a command that was not applied, which is about no rows."""
        self.unread.append(Unread(command.file, command.number, command.menu, why))
        return []

    def _fitting(self, menu: Menu, tree: Any, command: Command) -> list[Row]:
        """The rows that meet the conditions; `set` makes the one that an export does not have."""
        named = selection.equals(tree)
        rows = menu.rows
        # A row that says nothing of a flag says no.
        if named and named[0][0] not in selection.FLAGS and named[0][0] != WRITTEN:
            rows = menu.with_value(named[0][0], named[0][1])
        rows = [row for row in rows if not row.removed and selection.holds(tree, row.stated)]
        granted = [pair for pair in named if pair[1] not in ("no", "false")]
        if rows or command.command != "set" or not granted or len(granted) < len(named):
            return rows
        name, value = named[0][0], named[0][1]
        row = self._built_in(menu, value if name in ("name", "default-name") else "", command)
        for pair in named:
            menu.put(row, pair[0], pair[1], command, self._now)
        return [row]

    def _keyed(self, menu: Menu, key: str, command: Command) -> list[Row]:
        for name in ("name", "default-name", "interface", "list"):
            if key and (matching := menu.with_value(name, key)):
                return [row for row in matching if not row.removed]
        if key and not key.strip(DIGITS) and menu.rows and menu.rows[0].key == ADDED:
            why = "not applied: no such item; there are " + str(len(menu.rows)) + " so far"
            return menu.rows[int(key[:LONGEST]) :][:1] or self._miss(command, why)
        for row in menu.rows:
            if row.key == key and not row.removed:
                return [row]
        return [self._built_in(menu, key, command)] if command.command == "set" else []


def rows_of(
    exports: list[Export],
    without: list[tuple[str, int]] | None = None,
    more: list[Command] | None = None,
) -> Rows:
    """The rows of several exports, read in their order, and of `more` commands behind them.

    `without`: lines as if they were not there.
    """
    rows = Rows()
    left = set(without or [])
    for export in exports:
        rows.unread += export.unread
        for command in export.commands:
            if (command.file, command.number) not in left:
                rows.take(command)
    for command in more or []:
        rows.take(command)
    return rows


BARE = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:"


def quoted(value: str) -> str:
    """A value as a command has it."""
    if all(letter in BARE for letter in value):
        return value
    for letter in '\\"$':
        value = value.replace(letter, "\\" + letter)
    return '"' + value + '"'
