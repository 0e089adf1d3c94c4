"""The claims of a lab: what a source says, and the judge of each; claims.yml, read and checked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from pydantic import Field, model_validator

from ppslab.core import documents
from ppslab.core.documents import Document, fitting
from ppslab.core.documents.strict import StrictModel
from ppslab.core.errors import did_you_mean
from ppslab.judge.claims import others, vendor
from ppslab.judge.claims.arithmetic import Equation, LineRate
from ppslab.judge.claims.judges import (
    CounterShare,
    Frames,
    Judge,
    LittleChange,
    NotTestable,
    Order,
    RateRatio,
    Ratio,
    SizeRatio,
    Spread,
    TcpOrder,
)
from ppslab.model import manual
from ppslab.model.lab import published
from ppslab.model.lab.lab import Lab, Name
from ppslab.model.lab.published import Published
from ppslab.model.manual import FactIds
from ppslab.model.results import Run

MANUAL = "mikrotik-manual-"
"""The beginning of a source that is a page of MikroTik's manual."""


class Documented(StrictModel):
    """Facts of MikroTik's manual that decide a claim, each with its page and date."""

    facts: FactIds = Field(min_length=1)  # ids of rosexplain's facts
    # whether they say the same, or the contrary; open: they conflict, or speak of other versions
    holds: bool | Literal["open"] = True
    because: str = ""  # what of the claim they leave open


class JudgeWord(StrictModel):
    """The judge of a claim: exactly one of these words is given."""

    order: Order | None = None
    ratio: Ratio | None = None
    little_change: LittleChange | None = None
    rate_ratio: RateRatio | None = None
    size_ratio: SizeRatio | None = None
    tcp_order: TcpOrder | None = None
    counter_share: CounterShare | None = None
    spread: Spread | None = None
    frames: Frames | None = None
    line_rate: LineRate | None = None
    equation: Equation | None = None
    not_testable: NotTestable | None = None

    @model_validator(mode="after")
    def _one(self) -> JudgeWord:
        given = [word for word in type(self).model_fields if getattr(self, word)]
        if len(given) != 1:
            known = ", ".join(type(self).model_fields)
            raise ValueError(f"a claim is judged by exactly one of {known}")
        return self

    @property
    def name(self) -> str:
        return next(name for name in type(self).model_fields if getattr(self, name))

    @property
    def word(self) -> Judge:
        word: Judge = getattr(self, self.name)
        return word


class Claim(StrictModel):
    """One claim of claims.yml; `published` and `repeated` name rows of published.csv."""

    id: Name
    source: str
    statement: str
    where: str = ""
    published: tuple[str, ...] = ()
    # rows that say the same in another place, or of another size: shown with the claim, and not
    # judged
    repeated: tuple[str, ...] = ()
    judge: JudgeWord
    # how a RouterOS router's run judges it, where that is another way: by a counter of its own,
    # which a licence that limits rates leaves true
    on_routeros: JudgeWord | None = None
    # what MikroTik has written down decides before any stand-in
    documented: Documented | None = None
    # rows of MikroTik's own tables that decide it, where they are of no condition of the lab
    tables: vendor.Tables | None = None
    # rows of model/devices/measurements.csv that decide it: RouterOS, as others measured it
    measured: others.Measurements | None = None
    # which measure judges it where both are evidence of the same kind, as of events; left out: the
    # timed one. Times of a real CPU are stronger evidence than counted instructions, whatever is
    # written here
    measure: Literal["counted", "timed"] | None = None
    # what of our own makes the verdict what it is, where a run could hardly say otherwise
    by_construction: str = ""
    note: str = ""
    settled_by: str = ""  # hardware that would settle what a stand-in has judged

    @property
    def rows(self) -> tuple[str, ...]:
        """All rows of published.csv that stand with the claim."""
        return (*self.published, *self.repeated)

    def word(self, run: Run | None) -> Judge:
        """The word by which a run judges it; None: no run yet."""
        routeros = run is not None and run.router["name"] == "routeros"
        return (self.on_routeros if routeros and self.on_routeros else self.judge).word


class ClaimsSpec(StrictModel):
    """All of claims.yml."""

    # source to title, author, date: of sources without a row in published.csv
    documents: dict[str, str] = Field(default_factory=dict)
    claims: tuple[Claim, ...]


def load(lab: Lab) -> list[Claim]:
    """The claims of a lab; FileError with the line where one is wrong."""
    document, spec = _read(lab)
    numbers = published.load(lab)
    seen: set[str] = set()
    for index, claim in enumerate(spec.claims):
        for keys, message in _faults(lab, claim, numbers, seen):
            raise document.error(("claims", index, *keys), f"claim {claim.id}: {message}")
        seen.add(claim.id)
    return list(spec.claims)


def titles(lab: Lab) -> dict[str, str]:
    """The documents that the claims of a lab are from, by their source."""
    rows = published.load(lab).values()
    return {**_read(lab)[1].documents, **{row.source: row.document for row in rows}}


def _read(lab: Lab) -> tuple[Document, ClaimsSpec]:
    document = documents.load_yaml(lab.folder / "claims.yml")
    return document, fitting.validate(document, ClaimsSpec)


def _faults(
    lab: Lab, claim: Claim, numbers: dict[str, Published], seen: set[str]
) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the faults of a claim, each with its keys in the file, the first to mend first."""
    if claim.id in seen:
        yield (), "stands here twice"
    unknown = [name for name in claim.rows if name not in numbers]
    for name in unknown:
        key = "published" if name in claim.published else "repeated"
        yield (key,), f"published.csv has no row {name!r}{did_you_mean(name, numbers)}"
    if unknown:
        return
    yield from _of_judge(lab, "judge", claim.judge, [numbers[name] for name in claim.published])
    if message := claim.judge.word.no_counter(lab):
        yield ("judge", claim.judge.name), message
    if claim.documented and claim.source.startswith(MANUAL):
        yield (
            ("documented",),
            "the manual is its source and its evidence: that is a fact of rosexplain, and no claim",
        )
    for name in claim.documented.facts if claim.documented else ():
        if manual.fact(name).fact.basis == "inferred":
            yield ("documented", "facts"), f"fact {name} is inferred: no document says it"
    for message in vendor.Results(numbers.values()).faults(claim.tables) if claim.tables else ():
        yield ("tables",), message
    for message in claim.measured.faults(claim.judge.word) if claim.measured else ():
        yield ("measured",), message
    if claim.on_routeros:
        # It judges by counters: the published rates are for the other one.
        yield from _of_judge(lab, "on_routeros", claim.on_routeros, [])


def _of_judge(
    lab: Lab, key: str, judge: JudgeWord, rows: list[Published]
) -> Iterator[tuple[tuple[str, ...], str]]:
    keys = (key, judge.name)
    unknown = [name for name in judge.word.conditions if name not in lab.conditions]
    for name in unknown:
        yield keys, f"no condition {name!r} in the lab{did_you_mean(name, lab.conditions)}"
    if not unknown:
        for message in judge.word.faults(lab, rows):
            yield keys, message
