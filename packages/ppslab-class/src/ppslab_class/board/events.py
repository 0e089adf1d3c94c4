"""What a learner's browser or command tells the board, one thing an event.

The sender names each event, so that one that comes twice counts once, however late it comes.
"""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from typing import Annotated, Final, TypeAlias

from pydantic import AwareDatetime, Field, StringConstraints

from ppslab.base.documents.strict import StrictModel
from ppslab.course.own_seat import MOST_AT_ONCE, Kind

MEANING: Final[dict[Kind, str]] = {
    "at": "what: the page that is open",
    "done": "what: CHAPTER/KIND/ID, as the site's progress names it",
    "tried": "what: CHAPTER/task/TASK; value: pass, warn or fail",
    "hint": "what: CHAPTER/task/TASK, of which a hint was read",
    "solved": "what: CHAPTER/task/TASK, of which the solution was read",
    "guess": "what: CHAPTER/prediction/NAME; value: the guess, empty if it was taken back",
    "measured": "what: CHAPTER/prediction/NAME; value: what came out at this seat",
    "help": "what: the page; value: asked or withdrawn",
    "exit": "what: CHAPTER/quiz/QUESTION; value: letters; or day/exit/line, day/exit/name",
}

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
    """What is sent at once; `now` by the sender's clock, which may be wrong by hours."""

    now: AwareDatetime
    life: int = Field(default=0, ge=0)
    """Of the seat, when these happened: what comes after a reset belongs before it."""
    events: tuple[Event, ...] = Field(max_length=MOST_AT_ONCE)

    def dated(self, received: datetime) -> list[tuple[Event, datetime]]:
        """Each event with its time by our clock: never later than now."""
        wrong = received - self.now
        return [(each, min(received, _shifted(each.at, wrong, received))) for each in self.events]


def _shifted(at: datetime, by: timedelta, otherwise: datetime) -> datetime:
    try:
        return at.astimezone(UTC) + by
    except OverflowError:  # a clock at the end of time
        return otherwise


def number(text: str) -> float | None:
    """The number that was typed: `2.5`, `2,5`, `3x`, `about 4`; None where it holds none or two.

    >>> number("2,5 times"), number("1 or 2"), number("no")
    (2.5, None, None)
    """
    words = [word.strip("x\u00d7~<>=%") for word in text.replace(",", ".").split()]
    found = []
    for word in words:
        try:
            value = float(word)
        except ValueError:
            continue
        if math.isfinite(value):
            found.append(value)
    return found[0] if len(found) == 1 else None
