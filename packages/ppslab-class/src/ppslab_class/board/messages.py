"""The messages to the board: a learner's events, one thing each, and an instructor's acts.

The sender names each event, so that one that comes twice counts once, however late it comes.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated, Final, Literal, TypeAlias

from pydantic import AwareDatetime, Field, StringConstraints, TypeAdapter

from ppslab.core.documents.strict import StrictModel

Kind: TypeAlias = Literal["at", "done", "tried", "hint", "solved", "guess", "measured", "help"]
"""The meaning of an event's `what`, and of its `value`:

at: the page that is open.  done: CHAPTER/KIND/ID, as the site's progress names it.
tried: CHAPTER/task/TASK, `pass` or `fail`; of a case `pass 5` in 5 moves.
hint, solved: CHAPTER/task/TASK, of which a hint or the solution was read.
guess: CHAPTER/prediction/NAME, the guess, empty if it was taken back.
measured: CHAPTER/prediction/NAME, the figure of this seat.  help: the page, asked or withdrawn.
"""
MOST_AT_ONCE: Final = 200
"""Events of one request."""

Id: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{8,64}$")]
What: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[\w./+-]{1,160}$")]


class Event(StrictModel):
    """One event; `at` by the sender's clock."""

    id: Id
    kind: Kind
    what: What
    value: str = Field(default="", max_length=120)
    at: AwareDatetime


class Batch(StrictModel):
    """One request; `now` by the sender's clock, which may be wrong by hours."""

    now: AwareDatetime
    life: int = Field(default=0, ge=0)
    """The seat's life when these happened: what comes after a reset belongs before it."""
    events: tuple[Event, ...] = Field(max_length=MOST_AT_ONCE)

    def dated(self, received: datetime) -> list[tuple[Event, datetime]]:
        """Each event with its time by our clock: never later than now."""
        wrong = received - self.now
        return [
            (event, min(received, _shifted(event.at, wrong, received))) for event in self.events
        ]


def _shifted(at: datetime, by: timedelta, otherwise: datetime) -> datetime:
    try:
        return at.astimezone(UTC) + by
    except OverflowError:  # a clock at the end of time
        return otherwise


MOST_NUMBER: Final = 1e12
"""No figure is larger, or its reciprocal smaller: bars of such guesses would overflow."""


def number(text: str) -> float | None:
    """The number that was typed: `2.5`, `2,5`, `3x`, `about 4`; None where it holds none or two.

    >>> number("2,5 times"), number("1 or 2"), number("no")
    (2.5, None, None)
    """
    words = [word.strip("x\u00d7~<>=%") for word in text.replace(",", ".").split()]
    numbers = []
    for word in words:
        try:
            value = float(word)
        except ValueError:
            continue
        if value == 0 or 1 / MOST_NUMBER <= abs(value) <= MOST_NUMBER:
            numbers.append(value)
    return numbers[0] if len(numbers) == 1 else None


SeatName: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[a-z0-9-]{1,40}$")]
# A page of the site, or of another: nothing that runs, such as javascript:.
_PART = r"[^\s\"'<>\\]*"
Link: TypeAlias = Annotated[
    str,
    StringConstraints(pattern=rf"^(|/|/[^/\s\"'<>\\]{_PART}|https?://{_PART})$", max_length=300),
]


class Message(StrictModel):
    """A text, such as a hint, and perhaps a link; to no seat by name: to all."""

    do: Literal["message"]
    seats: tuple[SeatName, ...] = Field(default=(), max_length=200)
    text: str = Field(min_length=1, max_length=600)
    link: Link = ""


class Stage(StrictModel):
    """The page of the class, for latecomers; empty: none."""

    do: Literal["stage"]
    page: Link


class Pause(StrictModel):
    """Everybody looks to the front; or no more."""

    do: Literal["pause"]
    on: bool


class End(StrictModel):
    """The day is over: nobody joins any more, and what comes late is still taken; or it is not."""

    do: Literal["end"]
    on: bool


class Reset(StrictModel):
    """A seat begins anew, for another person: what it told is kept, and not shown."""

    do: Literal["reset"]
    seat: SeatName


class Show(StrictModel):
    """The question on the projector (empty: none), before the measurement or after it."""

    do: Literal["show"]
    what: What | Literal[""]
    phase: Literal["before", "after"] = "before"


class Helped(StrictModel):
    """Somebody has come to a seat that asked for help."""

    do: Literal["helped"]
    seat: SeatName


Act: TypeAlias = Message | Stage | Pause | End | Reset | Show | Helped

ACT: Final[TypeAdapter[Act]] = TypeAdapter(Annotated[Act, Field(discriminator="do")])
