"""The words of a subject's file: where it was read and when, and what it says there."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, field_validator, model_validator

from ppslab.core.documents.strict import StrictModel

MANUAL = "https://manual.mikrotik.com/docs/"

LONGEST_QUOTE = 24
"""Words: the manual has no open licence, so no more of it is copied than names the place."""

Basis = Literal["read", "inferred"]
"""Whether a source says so, or it follows from what sources say."""

Version = Annotated[str, Field(pattern=r"^[67]\.\d{1,2}(\.\d{1,2})?$")]

Day = Annotated[str, Field(pattern=r"^20\d\d-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?$")]
"""`2026-10-06`, or `2026-08` where only the month is known."""

Name = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]


class Fact(StrictModel):
    """One thing that RouterOS does.

    `chips`: the switch chips that it is true of, all where none is named.  `confirmed`: `none`, or
    which real router of which version, and who says so.  `because`: why an inferred fact follows.
    `page`, `url`, `work`, `read`: where and when, where that is not the file's.
    """

    section: str = Field(min_length=2)
    says: str = Field(min_length=20, max_length=400)
    quote: str = ""
    since: Version | None = None
    until: Version | None = None
    chips: tuple[str, ...] = ()
    confirmed: str = Field(min_length=4)
    basis: Basis = "read"
    because: str = ""
    page: str = ""
    url: str = ""
    work: str = ""
    read: Day | None = None

    @field_validator("quote")
    @classmethod
    def _short(cls, text: str) -> str:
        if len(text.split()) > LONGEST_QUOTE:
            raise ValueError(f"a quote has {LONGEST_QUOTE} words at most, not {len(text.split())}")
        return text

    @model_validator(mode="after")
    def _reasoned(self) -> Fact:
        if (self.basis == "inferred") != bool(self.because):
            raise ValueError(
                "`because` says why an inferred fact follows, and stands with no other"
            )
        if self.basis == "inferred" and self.quote:
            raise ValueError("what a source says in its own words is not inferred")
        return self

    @property
    def is_confirmed(self) -> bool:
        """Whether a real router has shown it."""
        return self.confirmed != "none"


class Subject(StrictModel):
    """A file: `page` of the manual, `url` of another source, or `work`, one without an address."""

    page: str = ""
    url: str = ""
    work: str = ""
    read: Day
    facts: dict[Name, Fact] = Field(min_length=1)

    @model_validator(mode="after")
    def _one_source(self) -> Subject:
        if sum(map(bool, (self.page, self.url, self.work))) != 1:
            raise ValueError("a file has one of `page`, `url` and `work`")
        return self


def _known(name: str) -> str:
    # Here, since reading needs these words.
    from ppslab.model.manual import reading  # noqa: PLC0415

    return reading.known(name)


FactId = Annotated[str, AfterValidator(_known)]
"""The id of a fact, for a pydantic model: one that nobody wrote down is an error with its line."""

FactIds = tuple[FactId, ...]
