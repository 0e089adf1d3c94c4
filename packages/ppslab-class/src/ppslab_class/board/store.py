"""The board's file: SQLite, with a log before it (WAL), on the disk before an answer goes out.

A server that is killed at any moment loses nothing that it has answered.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Final, cast

from ppslab.core.errors import CannotHereError, FileError
from ppslab_class.board.messages import Event, Kind

FORM: Final = 1

TABLES = """
CREATE TABLE day (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE seat (
    name TEXT PRIMARY KEY, role TEXT NOT NULL, code TEXT NOT NULL UNIQUE, life INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE token (digest TEXT PRIMARY KEY, seat TEXT NOT NULL, since TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE event (
    n INTEGER PRIMARY KEY, seat TEXT NOT NULL, life INTEGER NOT NULL, id TEXT NOT NULL,
    kind TEXT NOT NULL, what TEXT NOT NULL, value TEXT NOT NULL,
    at TEXT NOT NULL, received TEXT NOT NULL, UNIQUE (seat, life, id)
);
CREATE TABLE message (
    n INTEGER PRIMARY KEY, seats TEXT NOT NULL, text TEXT NOT NULL, link TEXT NOT NULL,
    at TEXT NOT NULL
);
"""
"""`life`: how often a seat was reset; what an earlier life told is kept, and not shown."""

Row = tuple[str, int, Event, datetime]
"""Seat, life, event, and its time by our clock."""


class Store:
    """The file, open."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            # Nobody else of this machine reads who sits where.
            os.close(os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600))
        except OSError as error:
            raise FileError(path, None, f"cannot be written: {error.strerror}") from None
        self._db = sqlite3.connect(path, isolation_level=None)
        try:
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = FULL")
            if not self._db.execute("PRAGMA schema_version").fetchone()[0]:
                self._db.executescript(f"BEGIN; {TABLES} PRAGMA user_version = {FORM}; COMMIT;")
            form = self._db.execute("PRAGMA user_version").fetchone()[0]
            (sound,) = self._db.execute("PRAGMA quick_check(1)").fetchone()
        except sqlite3.OperationalError as error:
            self._db.close()
            raise _no_room(path, error) from None
        except sqlite3.DatabaseError as error:
            raise FileError(path, None, f"is not a board: {error}") from None
        if form != FORM:
            raise FileError(path, None, "is a board of another ppslab version; move it away")
        if sound != "ok":
            raise FileError(path, None, f"is a damaged board ({sound}); move it away")

    def close(self) -> None:
        """Close it; the log goes into the file."""
        self._db.close()

    @contextmanager
    def whole(self) -> Iterator[None]:
        """Write all statements inside, or none of them."""
        try:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                # A full disk has ended it already.
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise
        except sqlite3.OperationalError as error:
            raise _no_room(self.path, error) from None

    def words(self) -> dict[str, str]:
        """Return the facts of the day by name."""
        return dict(self._db.execute("SELECT name, value FROM day"))

    def say(self, name: str, value: str) -> None:
        """Store a fact of the day."""
        self._db.execute("INSERT OR REPLACE INTO day VALUES (?, ?)", (name, value))

    def seats(self) -> list[tuple[str, str, int]]:
        """Name, role and life of each seat."""
        return list(self._db.execute("SELECT name, role, life FROM seat ORDER BY name"))

    def put_seat(self, name: str, role: str, code: str) -> None:
        """A new seat, or a new code for one; tokens that were got by the old one are gone."""
        self._db.execute(
            "INSERT INTO seat VALUES (?, ?, ?, 0) "
            "ON CONFLICT (name) DO UPDATE SET code = excluded.code",
            (name, role, code),
        )
        self._db.execute("DELETE FROM token WHERE seat = ?", (name,))

    def new_life(self, name: str) -> None:
        self._db.execute("UPDATE seat SET life = life + 1 WHERE name = ?", (name,))

    def seat_of_code(self, code: str) -> str | None:
        row = self._db.execute("SELECT name FROM seat WHERE code = ?", (code,)).fetchone()
        return cast("str", row[0]) if row else None

    def put_token(self, digest: str, seat: str, since: datetime, most: int) -> None:
        """A token for a seat; of more than `most` the oldest goes."""
        self._db.execute("INSERT INTO token VALUES (?, ?, ?)", (digest, seat, since.isoformat()))
        self._db.execute(
            "DELETE FROM token WHERE digest IN (SELECT digest FROM token WHERE seat = ? "
            "ORDER BY since DESC, digest LIMIT -1 OFFSET ?)",
            (seat, most),
        )

    def drop_token(self, digest: str) -> None:
        self._db.execute("DELETE FROM token WHERE digest = ?", (digest,))

    def tokens(self) -> dict[str, str]:
        """Seat by token's digest."""
        return dict(self._db.execute("SELECT digest, seat FROM token"))

    def version(self) -> int:
        """Another number whenever another process has written, as `workshop cards` does."""
        return cast("int", self._db.execute("PRAGMA data_version").fetchone()[0])

    def put_events(self, rows: Iterable[Row], received: datetime) -> list[Row]:
        """Keep events; returns those that were not kept before."""
        new = []
        for row in rows:
            seat, life, event, at = row
            done = self._db.execute(
                "INSERT OR IGNORE INTO event (seat, life, id, kind, what, value, at, received) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    *(seat, life, event.id, event.kind, event.what, event.value),
                    *(at.isoformat(), received.isoformat()),
                ),
            )
            if done.rowcount:
                new.append(row)
        return new

    def events(self) -> Iterator[Row]:
        """Every event that was kept, as it came."""
        asked = "SELECT seat, life, id, kind, what, value, at FROM event ORDER BY n"
        for seat, life, name, kind, what, value, at in self._db.execute(asked):
            when = datetime.fromisoformat(at)
            event = Event.model_construct(
                id=name, kind=cast("Kind", kind), what=what, value=value, at=when
            )
            yield seat, life, event, when

    def put_message(self, seats: Sequence[str], text: str, link: str, at: datetime) -> None:
        """A message; to no seat: to all."""
        self._db.execute(
            "INSERT INTO message (seats, text, link, at) VALUES (?, ?, ?, ?)",
            (" ".join(seats), text, link, at.isoformat()),
        )

    def messages(self) -> Iterator[tuple[int, tuple[str, ...], str, str, datetime]]:
        """Number, seats (none: all), text, link, time."""
        asked = "SELECT n, seats, text, link, at FROM message ORDER BY n"
        for n, seats, text, link, at in self._db.execute(asked):
            yield n, tuple(seats.split()), text, link, datetime.fromisoformat(at)


def _no_room(path: Path, error: sqlite3.OperationalError) -> CannotHereError:
    """Return the error for a failure of the disk: full, read-only, or locked by another program."""
    return CannotHereError(
        f"{path} cannot be written: {error}",
        "give its disk room, and end other programs that have it open",
    )
