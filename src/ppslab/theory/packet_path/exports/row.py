"""The rows of one menu of an export, each value with the command that said it."""

from __future__ import annotations

from ppslab.theory.packet_path.exports.reading import Command

ADDED = "+"
"""The key of a row that an `add` made."""


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
        """How a command names it, once somebody asked (remedies.commands)."""

    def _found(self, name: str) -> tuple[str, Command, int] | None:
        own = self.values.get(name)
        every = self.menu.every.get(name)
        if every and every[2] > self.born and (own is None or every[2] > own[2]):
            return every
        return own

    def get(self, name: str, otherwise: str = "") -> str:
        """A value, `otherwise` where the export does not say it."""
        found = self._found(name)
        return otherwise if found is None else found[0]

    def says(self, name: str) -> bool:
        """Whether the export says this property."""
        return self._found(name) is not None

    def command(self, name: str) -> Command:
        """The command that said a property last; the row's own where none did."""
        found = self._found(name)
        return self.first if found is None else found[1]

    @property
    def on(self) -> bool:
        """Whether it is there and not disabled."""
        return not self.removed and self.get("disabled") not in ("yes", "true")

    @property
    def name(self) -> str:
        """What other rows call it."""
        return self.get("name") or self.get("default-name") or self.key.strip(ADDED)


class Menu:
    """The rows of a menu, and what was set for all of them at once."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.rows: list[Row] = []
        self.every: dict[str, tuple[str, Command, int]] = {}
        self._indexes: dict[str, dict[str, list[Row]]] = {}

    def put(self, row: Row, name: str, value: str, command: Command, now: int) -> None:
        """Set a value of a row."""
        index = self._indexes.get(name)
        if index is not None:
            old = row.get(name)
            if old != value:
                index[old] = [each for each in index.get(old, []) if each is not row]
                index.setdefault(value, []).append(row)
        if name not in row.values:
            row.names.append(name)
        row.values[name] = (value, command, now)

    def add(self, row: Row) -> None:
        """Take a new row in."""
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
