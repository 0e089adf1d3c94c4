"""What an instructor does to the class, as the page sends it."""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeAlias

from pydantic import Field, StringConstraints, TypeAdapter

from ppslab.base.documents.strict import StrictModel
from ppslab_class.board.events import What

SeatName: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[a-z0-9-]{1,40}$")]
Chapter: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[a-z0-9-]{1,40}$")]
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
    """Where the class is now, for those who come late; an empty page: nowhere."""

    do: Literal["stage"]
    page: Link
    task: What | Literal[""] = ""


class Pause(StrictModel):
    """Everybody looks to the front; or no more."""

    do: Literal["pause"]
    on: bool


class Extend(StrictModel):
    """The day ends so many minutes later, or earlier."""

    do: Literal["extend"]
    minutes: int = Field(ge=-600, le=600)


class End(StrictModel):
    """The day is over: nobody joins any more, and what comes late is still taken; or it is not."""

    do: Literal["end"]
    on: bool


class Lock(StrictModel):
    """The chapters that are not due yet, all of them."""

    do: Literal["lock"]
    chapters: tuple[Chapter, ...] = Field(max_length=60)


class Reset(StrictModel):
    """A seat begins anew, for another person: what it told is kept, and not shown."""

    do: Literal["reset"]
    seat: SeatName


class Show(StrictModel):
    """The question on the projector (empty: none), before the measurement or after it."""

    do: Literal["show"]
    what: What | Literal[""]
    phase: Literal["before", "after"] = "before"


class Ticket(StrictModel):
    """The exit ticket with these questions of quizzes is handed out; with none it is taken back."""

    do: Literal["ticket"]
    questions: tuple[What, ...] = Field(max_length=3)


class Helped(StrictModel):
    """Somebody has come to a seat that asked for help."""

    do: Literal["helped"]
    seat: SeatName


Act: TypeAlias = Message | Stage | Pause | Extend | End | Lock | Reset | Show | Ticket | Helped

ACT: Final[TypeAdapter[Act]] = TypeAdapter(Annotated[Act, Field(discriminator="do")])
