"""Rows as a terminal sees them: asked for without a change, numbered anew when one is gone."""

from __future__ import annotations

from rosexplain.parse import Command, Menu, Row, Rows


class LiveRows(Rows):
    """The rows of every menu, while somebody types."""

    def about(self, command: Command, which: str) -> list[Row] | None:
        """The rows that `which` names, without a change; None where it is not understood."""
        menu = self.menus.get(command.menu) or Menu(command.menu)
        asks = Command(command.file, command.number, command.last, command.menu, "remove")
        known = len(self.unread)
        found = self._chosen(menu, which, asks)
        if len(self.unread) > known:
            del self.unread[known:]
            return None
        return [row for row in (menu.rows if found is None else found) if not row.removed]

    def sweep(self) -> None:
        """Forget removed rows: those behind them move up, as a terminal's numbers do."""
        for path in list(self.menus):
            menu = self.menus[path]
            if any(row.removed for row in menu.rows):
                fresh = Menu(path)
                fresh.every = menu.every
                for row in menu.rows:
                    if not row.removed:
                        row.menu = fresh
                        fresh.add(row)
                self.menus[path] = fresh
