"""The terminals that learners show to the instructor: in memory alone, and only while they agree.

A seat's page repeats with each poll what its learner agrees to, so nothing of it has to outlive
this process: a server that starts again hears it with the next poll.  A page that says nothing for
a while agrees to nothing.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from pydantic import Field, field_validator, model_validator

from ppslab.core.documents.strict import StrictModel
from ppslab.core.errors import PpslabError
from ppslab_class.board.messages import Id, SeatName

SILENT_SECONDS: Final = 45
"""Without a word of its page: a tab in the background polls every 36 s at most (seat.js)."""

WATCH_SECONDS: Final = 12
"""Without a look by the instructor's page, which looks every 2 s: then nobody watches."""

KEYS_SECONDS: Final = 20
"""What waited longer is not typed: the learner has gone on, and it would land in other work."""

MOST_TEXT: Final = 12_000
"""Characters of a screen: 60 rows of 200.  A browser sends 64 KiB at most as a page is left."""

MOST_KEYS: Final = 200
"""Characters that are typed at once."""

MOST_WAITING: Final = 20
"""Times that something was typed and no page has confirmed yet."""

Agreed: TypeAlias = Literal["", "see", "type"]
Key: TypeAlias = Literal[
    "enter", "tab", "backspace", "escape", "ctrl-c", "up", "down", "left", "right"
]


class NotAgreedError(PpslabError):
    """The learner does not agree to it."""

    exit_code = 2


class BusyError(PpslabError):
    """Too much waits to be typed."""

    exit_code = 2


class Sharing(StrictModel):
    """What a seat's page says of its terminal, with each poll."""

    consent: Id
    """Of this agreement: each time that the learner agrees it is another one."""
    life: int = Field(default=0, ge=0)
    first: bool = False
    """Whether the learner has agreed just now: then what another page of the seat shows ends."""
    see: bool
    """False: the agreement ends."""
    type: bool = False
    typed: int = Field(default=0, ge=0, le=10**9)
    """The number of what was typed last."""
    # Nothing but text and line ends: what a terminal would take for a command is no text.
    text: str | None = Field(
        default=None, max_length=MOST_TEXT, pattern=r"^[^\x00-\x09\x0b-\x1f\x7f-\x9f]*$"
    )
    """The visible screen; None: as before."""


class Typing(StrictModel):
    """What an instructor types at a seat: text, then a key."""

    seat: SeatName
    text: str = Field(default="", max_length=MOST_KEYS)
    key: Key | Literal[""] = ""

    @field_validator("text")
    @classmethod
    def _printable(cls, text: str) -> str:
        if not text.isprintable():
            raise ValueError("only printable text is allowed; Enter and other keys have names")
        return text

    @model_validator(mode="after")
    def _something(self) -> Typing:
        if not (self.text or self.key):
            raise ValueError("nothing to type")
        return self


@dataclass(frozen=True)
class Typed:
    """What was typed at a seat, and its number there."""

    n: int
    text: str
    key: str
    at: float


@dataclass(frozen=True)
class Answer:
    """What the seat's page hears; `have`: the screen that it sent last is here."""

    agreed: bool = False
    watched: bool = False
    have: bool = False
    keys: tuple[Typed, ...] = ()


@dataclass(frozen=True)
class View:
    """What the instructor sees; times in seconds ago.

    text, changed: None where no screen has come yet; waiting, lost: what was typed and is not
    confirmed yet, or was not within KEYS_SECONDS.
    """

    text: str | None
    changed: float | None
    heard: float
    may_type: bool
    waiting: int
    lost: int


@dataclass
class _Screen:
    consent: str
    may_type: bool
    heard: float
    sent: int
    """The number of what was typed last."""
    watched: float | None = None
    text: str | None = None
    changed: float = 0.0
    waiting: deque[Typed] = field(default_factory=deque)
    lost: int = 0


class Screens:
    """What each seat shows; `clock`: seconds that never go back."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self._screens: dict[str, _Screen] = {}
        self._ended: dict[str, str] = {}
        """A request that was under way when the learner ended it may come after the end."""

    def agreed(self, seat: str) -> Agreed:
        """What the learner of a seat agrees to now."""
        screen = self._live(seat)
        return "" if screen is None else "type" if screen.may_type else "see"

    def hear(self, seat: str, sharing: Sharing) -> Answer:
        """Take what a seat's page says, and answer it."""
        screen = self._live(seat)
        if not sharing.see:
            self._ended[seat] = sharing.consent
            if screen and screen.consent == sharing.consent:
                del self._screens[seat]
            return Answer()
        if self._ended.get(seat) == sharing.consent:
            return Answer()
        now = self.clock()
        if screen is None or (sharing.first and screen.consent != sharing.consent):
            screen = self._screens[seat] = _Screen(
                sharing.consent, sharing.type, now, sharing.typed
            )
        elif screen.consent != sharing.consent:
            return Answer()  # Another page of this seat shows its own.
        screen.heard, screen.may_type = now, sharing.type
        _confirm(screen, sharing)
        watched = screen.watched is not None
        if watched and sharing.text is not None:
            screen.text, screen.changed = sharing.text, now
        return Answer(True, watched, screen.text is not None, tuple(screen.waiting))

    def watch(self, seat: str) -> View:
        """Look at a seat's terminal; NotAgreedError where its learner does not show it."""
        screen = self._live(seat)
        if screen is None:
            raise NotAgreedError(f"{seat} does not share its terminal")
        now = screen.watched = self.clock()
        return View(
            text=screen.text,
            changed=None if screen.text is None else now - screen.changed,
            heard=now - screen.heard,
            may_type=screen.may_type,
            waiting=len(screen.waiting),
            lost=screen.lost,
        )

    def type(self, typing: Typing) -> int:
        """Let a seat's page type something at its next poll; returns its number there.

        NotAgreedError where its learner does not let the instructor type, BusyError where too much
        waits already.
        """
        screen = self._live(typing.seat)
        if screen is None or not screen.may_type:
            raise NotAgreedError(f"{typing.seat} does not let you type")
        if len(screen.waiting) >= MOST_WAITING:
            raise BusyError(f"{typing.seat} has not typed the last {MOST_WAITING} inputs yet; wait")
        screen.watched = self.clock()  # Nobody types unseen: the page says that somebody looks.
        screen.sent += 1
        screen.waiting.append(Typed(screen.sent, typing.text, typing.key, screen.watched))
        return screen.sent

    def end(self, seat: str) -> None:
        """Forget what a seat shows: somebody else sits there now, or nobody."""
        if screen := self._screens.pop(seat, None):
            self._ended[seat] = screen.consent

    def end_all(self) -> None:
        """The lesson is over."""
        for seat in [*self._screens]:
            self.end(seat)

    def _live(self, seat: str) -> _Screen | None:
        """What a seat shows now; of every seat, what is too old goes."""
        now = self.clock()
        self._screens = {
            name: screen
            for name, screen in self._screens.items()
            if now - screen.heard <= SILENT_SECONDS
        }
        for screen in self._screens.values():
            _age(screen, now)
        return self._screens.get(seat)


def _age(screen: _Screen, now: float) -> None:
    """Forget a screen at which nobody looks, and what was typed too long ago."""
    if screen.watched is not None and now - screen.watched > WATCH_SECONDS:
        screen.watched = screen.text = None
    while screen.waiting and now - screen.waiting[0].at > KEYS_SECONDS:
        screen.waiting.popleft()
        screen.lost += 1


def _confirm(screen: _Screen, sharing: Sharing) -> None:
    """Strike what the page has typed; without the agreement nothing waits."""
    while screen.waiting and screen.waiting[0].n <= sharing.typed:
        screen.waiting.popleft()
    if not screen.may_type:
        screen.lost += len(screen.waiting)
        screen.waiting.clear()
