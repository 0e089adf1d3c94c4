"""The board of one day: who joins by which code and may do what, what is told and done.

It knows no HTTP.  All of it is in memory and in the file (`store`), the file first.
"""

from __future__ import annotations

import fcntl
import os
import secrets
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Literal, TypeAlias, cast

from ppslab.core.documents import write_atomic
from ppslab.core.errors import CannotHereError, FileError, PpslabError
from ppslab_class.board import codes, messages
from ppslab_class.board.messages import Batch, Event
from ppslab_class.board.seats import SeatState
from ppslab_class.board.store import Store

Role: TypeAlias = Literal["learner", "instructor", "projector"]
Right: TypeAlias = Literal[
    "leave",
    "send reports",
    "read messages",
    "see the class",
    "control the class",
    "see the projector",
    "see the slides",
]

RIGHTS: Final[dict[Right, frozenset[Role]]] = {
    "leave": frozenset({"learner", "instructor", "projector"}),
    "send reports": frozenset({"learner"}),
    "read messages": frozenset({"learner"}),
    "see the class": frozenset({"instructor"}),
    "control the class": frozenset({"instructor"}),
    "see the projector": frozenset({"instructor", "projector"}),
    # With them come the speaker's notes, and what is not due yet.
    "see the slides": frozenset({"instructor", "projector"}),
}
"""A learner is named by its token, never by what it sends: it can tell of no other seat."""


def may(role: Role | None, right: Right) -> bool:
    """Return True where a role has a right; None: somebody without a token."""
    return role is not None and role in RIGHTS[right]


@dataclass
class Day:
    """Each field is text, as the file keeps it; empty: nothing of the kind."""

    title: str = "Workshop"
    page: str = ""
    """The class's page, to which latecomers catch up."""
    paused: str = ""
    """Since when, an ISO time."""
    over: str = ""
    shown: str = ""
    phase: str = "before"

    @classmethod
    def of(cls, store: Store) -> Day:
        """Read the day from the file."""
        words = store.words()
        return cls(**{one.name: words[one.name] for one in fields(cls) if one.name in words})

    def keep(self, store: Store) -> None:
        for name, value in asdict(self).items():
            store.say(name, value)


FILE: Final = "board.sqlite"
SECRET: Final = "secret"
LOCK: Final = "serving.lock"
STAFF: Final[dict[str, Role]] = {"instructor": "instructor", "projector": "projector"}

MOST_TOKENS: Final = 6
"""Browsers and commands of one seat at once; with another the oldest is out."""

MOST_EVENTS: Final = 20_000
"""The most events of one life of a seat: a disk full of one seat's events stops all others."""


class RefusedError(PpslabError):
    """The board does not do it, and says why."""

    exit_code = 2


@contextmanager
def serving(folder: Path) -> Iterator[None]:
    """The folder is served while this is open; CannotHereError where another process serves it.

    Each server has the day in memory, so two would show two.
    """
    path = folder / LOCK
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise FileError(path, None, f"cannot be written: {error.strerror}") from None
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            reason = f"{folder} is being served by another process"
            raise CannotHereError(reason, "end that process, or choose another --folder") from None
        yield
    finally:
        os.close(handle)


@dataclass(frozen=True)
class Joined:
    """Somebody who has shown a token."""

    seat: str
    role: Role


@dataclass(frozen=True)
class Message:
    """An instructor's message to all (no seats) or some."""

    number: int
    seats: tuple[str, ...]
    text: str
    link: str
    at: datetime

    def is_for(self, seat: str) -> bool:
        """Return True where the message is for this seat."""
        return not self.seats or seat in self.seats


class Board:
    """The class of one day; `folder` holds its file and its secret."""

    def __init__(self, folder: Path) -> None:
        self.store = Store(folder / FILE)
        self.secret = _secret(folder / SECRET)
        self.day = Day.of(self.store)
        self.roles: dict[str, Role] = {}
        self.lives: dict[str, int] = {}
        self.seats: dict[str, SeatState] = {}
        for name, role, life in self.store.seats():
            self.roles[name], self.lives[name] = cast("Role", role), life
            if role == "learner":
                self.seats[name] = SeatState()
        self._kept: Counter[tuple[str, int]] = Counter()
        """Events in the file, by seat and life: what comes late to an earlier life fills it too."""
        self._version = self.store.version()
        self._tokens = self.store.tokens()
        for seat, life, event, at in self.store.events():
            self._take(seat, life, event, at)
        self.messages = [Message(*row) for row in self.store.messages()]

    def close(self) -> None:
        self.store.close()

    # --- before the day ---------------------------------------------------------------------

    def set_up(self, seats: int, title: str) -> dict[str, str]:
        """Seats and staff that are not there yet; returns the code of each new one."""
        names = [f"seat-{number:02d}" for number in range(1, seats + 1)]
        roles: dict[str, Role] = {**dict.fromkeys(names, "learner"), **STAFF}
        with self.store.whole():
            self.day.title = title
            self.day.keep(self.store)
            return {
                name: self.new_code(name, role)
                for name, role in roles.items()
                if name not in self.roles
            }

    def new_code(self, seat: str, role: Role | None = None) -> str:
        """A code for a seat; whoever joined with the one before is out."""
        role = role or self.roles.get(seat)
        if role is None:
            raise RefusedError(f"no seat {seat}: there are {', '.join(self.roles)}")
        letters = codes.SEAT_LETTERS if role == "learner" else codes.STAFF_LETTERS
        code = codes.new(letters)
        self.store.put_seat(seat, role, codes.digest(code, self.secret))
        self._tokens = {key: name for key, name in self._tokens.items() if name != seat}
        self.roles[seat] = role
        self.lives.setdefault(seat, 0)
        if role == "learner":
            self.seats.setdefault(seat, SeatState())
        return code

    # --- who --------------------------------------------------------------------------------

    def whose(self, code: str) -> Joined:
        """Return the owner of a code; RefusedError for a code that is none.

        All is read from the file: a hub asks beside the process that serves the board.
        """
        seat = self.store.seat_of_code(codes.digest(code, self.secret))
        if seat is None:
            raise RefusedError("this code belongs to no seat: check the card")
        role = cast("Role", next(role for name, role, _ in self.store.seats() if name == seat))
        if Day.of(self.store).over and role == "learner":
            raise RefusedError("the day is over")
        return Joined(seat, role)

    def join(self, code: str, now: datetime) -> tuple[Joined, str]:
        """Return the owner of a code, and a new token; RefusedError for a code that is none."""
        joined = self.whose(code)
        return joined, self.token_for(joined.seat, now)

    def token_for(self, seat: str, now: datetime) -> str:
        """A new token of a seat."""
        token = codes.token()
        with self.store.whole():
            self.store.put_token(codes.token_digest(token), seat, now, MOST_TOKENS)
        self._tokens = self.store.tokens()
        return token

    def who(self, token: str) -> Joined | None:
        """Return the owner of a token; None for one that is none, or no more."""
        version = self.store.version()
        if version != self._version:
            self._version, self._tokens = version, self.store.tokens()
        seat = self._tokens.get(codes.token_digest(token)) if token else None
        return Joined(seat, self.roles[seat]) if seat else None

    def leave(self, token: str) -> None:
        self.store.drop_token(codes.token_digest(token))
        self._tokens.pop(codes.token_digest(token), None)

    # --- what learners tell -------------------------------------------------------------------

    def tell(self, seat: str, batch: Batch, received: datetime) -> int:
        """Take events in; returns how many were new.  RefusedError for a seat with too many."""
        life = min(batch.life, self.lives[seat])
        kept = self._kept[seat, life]
        if kept + len(batch.events) > MOST_EVENTS:
            raise RefusedError(f"{seat} has sent {kept} reports, the maximum")
        rows = [(seat, life, event, at) for event, at in batch.dated(received)]
        with self.store.whole():
            new = self.store.put_events(rows, received)
        for row in new:
            self._take(*row)
        return len(new)

    def _take(self, seat: str, life: int, event: Event, at: datetime) -> None:
        self._kept[seat, life] += 1
        if seat in self.seats and life == self.lives[seat]:
            self.seats[seat].take(event, at)

    def heard(self, seat: str, after: int) -> list[Message]:
        """The messages to a seat after the one of this number."""
        return [
            message for message in self.messages if message.number > after and message.is_for(seat)
        ]

    # --- what an instructor does ----------------------------------------------------------------

    def act(self, act: messages.Act, now: datetime) -> None:
        """Do it; RefusedError where there is no such seat."""
        named = (
            act.seats
            if isinstance(act, messages.Message)
            else (act.seat,)
            if isinstance(act, messages.Reset | messages.Helped)
            else ()
        )
        for seat in named:
            if seat not in self.seats:
                raise RefusedError(f"no seat {seat}: there are {', '.join(self.seats)}")
        with self.store.whole():
            match act:
                case messages.Message():
                    self.store.put_message(act.seats, act.text, act.link, now)
                case messages.Reset():
                    self.store.new_life(act.seat)
                case messages.Helped():
                    self._come(act.seat, now)
                case messages.Stage():
                    self.day.page = act.page
                case messages.Pause():
                    self.day.paused = (self.day.paused or now.isoformat()) if act.on else ""
                case messages.End():
                    self.day.over = (self.day.over or now.isoformat()) if act.on else ""
                case messages.Show():
                    self.day.shown, self.day.phase = act.what, act.phase
            self.day.keep(self.store)
        if isinstance(act, messages.Message):
            self.messages = [Message(*row) for row in self.store.messages()]
        elif isinstance(act, messages.Reset):
            self.lives[act.seat] += 1
            self.seats[act.seat] = SeatState()

    def _come(self, seat: str, now: datetime) -> None:
        """Help came: an event like the learner's own, for the newest of them counts."""
        event = Event(
            id=f"helped-{secrets.token_hex(8)}",
            kind="help",
            what=self.seats[seat].page.value or "/",
            value="withdrawn",
            at=now,
        )
        for row in self.store.put_events([(seat, self.lives[seat], event, now)], now):
            self._take(*row)


def now() -> datetime:
    """The time, of all that the board notes."""
    return datetime.now(UTC)


def _secret(path: Path) -> bytes:
    """Return the key of the codes' digests, made once: 32 bytes."""
    if not path.exists():
        write_atomic(path, secrets.token_bytes(32), private=True)
    return path.read_bytes()
