"""Statements made on a router, each with its way back; and the way back.

Nothing is touched that is not in a statement: a row that we made is removed only while it is as
we made it, a property that we set is put back only while it is as we set it.  What somebody else
changed meanwhile is left alone, and told.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ppslab.core.errors import BackendError
from ppslab.testbed.routers.routeros.api import (
    CHANGE_SECONDS,
    CLOSED,
    Api,
    RefusedError,
    Row,
    explained,
)
from ppslab.testbed.routers.routeros.journal import Change, Journal
from ppslab.testbed.routers.routeros.rsc.script import Statement, Test
from ppslab.testbed.routers.routeros.rsc.values import SECRETS, plain, same

# --- which row a statement means ------------------------------------------------------------------


def matches(properties: Mapping[str, str], row: Row) -> bool:
    """Return whether a row is as the words say, but for secrets, which RouterOS hides."""
    return all(key in SECRETS or same(value, row.get(key)) for key, value in properties.items())


def fits(test: Test, row: Row) -> bool:
    """Return whether a row is one that a `find` with this condition finds."""
    shown_value = row.get(test.key)
    if shown_value is None:
        return False
    if test.op == "~":
        return re.search(test.value, shown_value) is not None
    return same(test.value, shown_value)


# --- statements, made and taken back --------------------------------------------------------------


KNOWN_BY = ("default-name", "name", "address", "dst-address", "interface", "irq", "users")
"""Properties by which a row is known again where ids were given anew, in this order."""

MADE_WITHIN = CHANGE_SECONDS
"""Seconds after which RouterOS makes no change any more that it was asked for."""

_PAUSE = 1.0
"""Seconds between two looks whether it has made it."""


@dataclass
class AppliedStatement:
    """A statement that stands: the rows that it is for, and what it wants of them.

    `rows`: ids, or None for a menu's settings.  `changes`: how many stood in the journal before.
    """

    statement: Statement
    changes: int
    rows: list[str | None] = field(default_factory=list)


class Configurator:
    """Makes statements on one router, and takes them back."""

    def __init__(self, api: Api, journal: Journal) -> None:
        self.api = api
        self.journal = journal
        self._rows: dict[str, dict[str, Row]] = {}

    def make(self, statement: Statement) -> AppliedStatement:
        """Make one statement.  BackendError with its file, line and RouterOS's words."""
        applied = AppliedStatement(statement, len(self.journal.changes))
        try:
            if statement.command == "add":
                applied.rows.append(self._add(statement))
            elif statement.find is None and statement.which is None:
                self._set(statement, self.api.settings(statement.menu), None)
                applied.rows.append(None)
            else:
                rows = self._targets(statement)
                applied.rows += [row[".id"] for row in rows]
                for row in rows:
                    self._set(statement, row, row[".id"])
        except RefusedError as refused:
            raise BackendError(
                f"{statement.where}: RouterOS: {explained(refused)}\n  {statement}"
            ) from None
        return applied

    def put_back(self, keep: int = 0) -> list[str]:
        """Take the changes back, the newest first, but the oldest `keep`.

        What could not be put back, a sentence each.  A change that RouterOS does not let us take
        back stays in the journal.  Of one that it did not answer it waits to hear the outcome.
        """
        sentences = []
        self._rows.clear()
        for change in reversed(self.journal.changes[keep:]):
            try:
                self._await_outcome(change)
                sentences += self._unmake(change)
            except RefusedError as refused:
                sentences.append(f"{change.title}: RouterOS: {explained(refused)}")
                continue
            self.journal.undone(change)
        self.journal.shorten()
        self._rows.clear()
        return sentences

    def adopt(self, statements: list[Statement]) -> None:
        """Rows that a start configuration made are ours from now on: they go as if we made them."""
        for statement in statements:
            if statement.command != "add":
                continue
            row = next(self._fitting(statement.menu, statement.wanted), None)
            if row is not None:
                wanted = statement.wanted
                change = self.journal.begin("add", statement.menu, wanted, statement.where)
                self.journal.done(change, row)

    def _add(self, statement: Statement) -> str:
        menu = statement.menu
        if menu not in self.journal.there:
            ids = {row[".id"] for row in self.api.rows(menu, ".id")}
            self.journal.begin_menu(menu, ids)
        change = self.journal.begin("add", menu, statement.wanted, statement.where)
        try:
            row = self.api.add(menu, dict(statement.properties))
        except RefusedError as refused:
            self._perhaps_not(change, refused)
            raise
        self.journal.done(change, row)
        return row[".id"]

    def _set(self, statement: Statement, now: Row, item: str | None) -> None:
        """Set what is not yet as wanted; nothing is sent where all is."""
        menu = statement.menu
        # A secret never is as wanted, as RouterOS does not show it.
        properties = {
            key: value
            for key, value in statement.wanted.items()
            if key in SECRETS or now.get(key) is None or not same(value, now[key])
        }
        for key in properties:
            if key.startswith("!"):
                raise BackendError(f"{statement.where}: {key}: set it to a value\n  {statement}")
        if not properties:
            return
        if SECRETS.intersection(properties) and not self._is_ours(menu, item):
            raise BackendError(
                f"{statement.where}: a secret on the router is not overwritten, because it "
                f"could not be restored\n  {statement}"
            )
        change = self.journal.begin(
            "set", menu, properties, statement.where, id=item, settings=item is None,
            before={key: now.get(key) for key in properties.keys() - SECRETS},
            known={key: now[key] for key in KNOWN_BY if key in now and key not in properties},
        )  # fmt: skip
        try:
            if item is None:
                self.api.set_settings(menu, properties)
            else:
                self.api.set(menu, item, properties)
        except RefusedError as refused:
            self._perhaps_not(change, refused)
            raise
        # Not in the `try`: what cannot be asked any more was set nevertheless.
        row = self.api.settings(menu) if item is None else self.api.row(menu, item)
        self.journal.done(change, row or {})

    def _perhaps_not(self, change: Change, refused: RefusedError) -> None:
        """A change that was refused does not stand; one that was broken off may."""
        change.asked = None
        if refused.said != CLOSED and refused.status < 500:
            self.journal.undone(change)

    def _is_ours(self, menu: str, item: str | None) -> bool:
        return item is not None and any(
            change.do == "add" and (change.menu, change.id) == (menu, item)
            for change in self.journal.changes
        )

    def _targets(self, statement: Statement) -> list[Row]:
        rows = self.api.rows(statement.menu)
        if statement.find is not None:
            targets = [row for row in rows if all(fits(test, row) for test in statement.find)]
        elif statement.which is not None and statement.which.isdigit():
            # The number of a row as the console prints them.  [INF] REST lists in that order.
            targets = rows[int(statement.which) :][:1]
        else:
            targets = [row for row in rows if row.get("name") == statement.which]
        if not targets:
            key = statement.find[0].key if statement.find else "name"
            there = ", ".join(row[key] for row in rows if key in row) or f"{len(rows)} rows"
            raise BackendError(
                f"{statement.where}: nothing on the router is {statement.target} in "
                f"{statement.menu}; it has {there}\n  {statement}"
            )
        return targets

    def _await_outcome(self, change: Change) -> None:
        """Wait until an unanswered change stands, or cannot be made any more.

        The connection broke, nobody waited any longer, or we were killed: RouterOS may make it
        after a first look, and then it would stay.
        """
        if change.asked is None:
            return
        # No longer than that, whatever somebody has set this machine's clock to.
        left = min(MADE_WITHIN, change.asked + MADE_WITHIN - time.time())
        until = time.monotonic() + left
        while not self._stands(change) and time.monotonic() < until:
            time.sleep(_PAUSE)
            self._rows.clear()

    def _stands(self, change: Change) -> bool:
        """Return whether a change that RouterOS has not answered has anything to take back."""
        if change.do == "add":
            return any(self._fitting(change.menu, change.after))
        now = self.api.settings(change.menu) if change.settings else self._known(change)
        return now is None or any(now.get(key) != value for key, value in change.before.items())

    def _unmake(self, change: Change) -> list[str]:
        if change.do == "add":
            return self._remove(change)
        now = self.api.settings(change.menu) if change.settings else self._known(change)
        if now is None:
            return [f"{change.title}: the row is not there any more"]
        back: dict[str, str] = {}
        told, nothing = [], []
        for key, before in change.before.items():
            found, after = now.get(key), change.after.get(key)
            if found == before or (before is not None and same(before, found)):
                continue
            if found != after and not same(after or "", found):
                told.append(
                    f"{change.title}: {key} is {found}, which is neither what it was ({before}) "
                    "nor what was set: left alone"
                )
            elif before is not None:
                back[key] = before
            elif change.settings:
                told.append(f"{change.title}: {key} is {found}; what it was RouterOS did not say")
            else:
                nothing.append(key)
        if back and change.settings:
            self.api.set_settings(change.menu, back)
        elif back:
            self.api.set(change.menu, now[".id"], back)
        for key in nothing:
            self.api.unset(change.menu, now[".id"], key)
        # A new name of an interface is one in many menus.
        self._rows.clear()
        return told

    def _known(self, change: Change) -> Row | None:
        """The row that a change was made of, by its id or by what it is known by."""
        rows = self._menu(change.menu)

        def is_it(row: Row) -> bool:
            return all(row.get(key) == value for key, value in change.known.items())

        row = rows.get(change.id or "")
        if row is not None and is_it(row):
            return row
        others = [row for row in rows.values() if change.known and is_it(row)]
        return others[0] if len(others) == 1 else None

    def _remove(self, change: Change) -> list[str]:
        """Remove a row of ours while it is as it was made; one that is gone is well."""
        row = self._menu(change.menu).get(change.id or "")
        if row is None or not matches(change.after, row):
            changed = row is not None
            # Killed before RouterOS's answer, its id is not known; a reboot may give others.
            row = next(self._fitting(change.menu, change.after), None)
            if row is None and changed:
                return [f"{change.title}: somebody has changed it since: left alone"]
        if row is not None:
            self.api.remove(change.menu, row[".id"])
            self._menu(change.menu).pop(row[".id"], None)
        return []

    def _fitting(self, menu: str, properties: Mapping[str, str]) -> Iterator[Row]:
        """Rows of ours perhaps: as the words say, not there before us, and no change's yet."""
        taken = {c.id for c in self.journal.changes if c.menu == menu} | self.journal.there.get(
            menu, set()
        )
        for row in self._menu(menu).values():
            dynamic = plain(row.get("dynamic", "no")) == "true"
            if row[".id"] not in taken and not dynamic and matches(properties, row):
                yield row

    def _menu(self, menu: str) -> dict[str, Row]:
        """The rows of a menu by id, asked for once until something else may have changed them."""
        if menu not in self._rows:
            self._rows[menu] = {row[".id"]: row for row in self.api.rows_or_none(menu) or []}
        return self._rows[menu]
