"""The words of claims.yml: what a source says, and how a run judges it."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import Field, model_validator

from ppslab import documents, published
from ppslab.errors import FileError, did_you_mean
from ppslab.lab import Lab, Name, Words
from ppslab.results import Run, TcpDirection


class Costs(Words):
    """Two conditions whose router time per packet is compared at one frame size."""

    numerator: Name
    denominator: Name
    size: int


class Ratio(Costs):
    """The published ratio of the two, within a factor."""

    factor: float = Field(default=2.0, gt=1)


class AtLeast(Costs):
    """At least the published ratio, which the article's ports kept from being larger.

    Another machine's ratio is another: the bound is the published one divided by `factor`.
    """

    factor: float = Field(default=2.0, gt=1)


class AtMost(Costs):
    """At most the published ratio, times `factor`."""

    factor: float = Field(default=2.0, gt=1)


class LittleChange(Costs):
    """The two cost the same, within a factor."""

    within: float = Field(default=1.15, gt=1)


class Order(Words):
    """Each condition costs the router more than the one before it."""

    conditions: tuple[Name, ...] = Field(min_length=2)
    size: int


class SizeIndependent(Words):
    """A packet costs the same whatever its size, within a factor."""

    condition: Name
    sizes: tuple[int, int]
    within: float = Field(default=1.5, gt=1)


class SizeRatio(Words):
    """How much more a packet of the larger frame costs than one of the smaller.

    The published ratio within a factor; the row of the larger size stands first.
    """

    condition: Name
    larger: int
    smaller: int
    factor: float = Field(default=2.0, gt=1)


class Goodput(Words):
    """Conditions whose TCP goodput is compared, in one direction of `ppslab tcp`."""

    direction: TcpDirection = "there"


class GoodputRatio(Goodput):
    """The published ratio of the first row's goodput to the second's, within a factor."""

    numerator: Name
    denominator: Name
    factor: float = Field(default=2.0, gt=1)


class GoodputOrder(Goodput):
    """Each condition carries less than the one before it."""

    conditions: tuple[Name, ...] = Field(min_length=2)


class MoreRetransmits(Goodput):
    """A larger share of the segments is sent again under `condition` than under `than`."""

    condition: Name
    than: Name


class Share(Words):
    """A share of the frames of one condition's trials, between two bounds."""

    condition: Name
    size: int
    at_least: float | None = None
    at_most: float | None = None

    @model_validator(mode="after")
    def _bounded(self) -> Share:
        if self.at_least is None and self.at_most is None:
            raise ValueError("a share is judged by at_least, at_most or both")
        return self


class CounterShare(Share):
    """By how much a counter grew, as a share of `of`: offered, received, or another counter."""

    counter: str
    of: str = "offered"


class Reordered(Share):
    """Frames out of order (RFC 4737 section 3.3) as a share of those received."""


class Lost(Share):
    """Frames that did not arrive, as a share of those offered."""


class LineRate(Words):
    """The published rates are what `ports` ports of `speed` bits a second can carry: arithmetic."""

    size: int
    speed: float = Field(gt=0)
    ports: int = Field(ge=1)
    within: float = Field(default=0.01, gt=0)


class Capacity(Words):
    """The published bit rates fit into `ports` ports of `speed` bits a second: arithmetic."""

    speed: float = Field(gt=0)
    ports: int = Field(ge=1)


class NotTestable(Words):
    """Nothing here can show it."""

    needs: str


class Judge(Words):
    """How a claim is judged: exactly one of the words."""

    order: Order | None = None
    ratio: Ratio | None = None
    at_least: AtLeast | None = None
    at_most: AtMost | None = None
    little_change: LittleChange | None = None
    size_independent: SizeIndependent | None = None
    size_ratio: SizeRatio | None = None
    goodput_ratio: GoodputRatio | None = None
    goodput_order: GoodputOrder | None = None
    more_retransmits: MoreRetransmits | None = None
    counter_share: CounterShare | None = None
    reordered: Reordered | None = None
    lost: Lost | None = None
    line_rate: LineRate | None = None
    capacity: Capacity | None = None
    not_testable: NotTestable | None = None

    @model_validator(mode="after")
    def _one(self) -> Judge:
        given = [word for word in type(self).model_fields if getattr(self, word)]
        if len(given) != 1:
            known = ", ".join(type(self).model_fields)
            raise ValueError(f"a claim is judged by exactly one of {known}")
        return self

    @property
    def word(self) -> Any:
        """The word that is given."""
        return next(w for name in type(self).model_fields if (w := getattr(self, name)))


class Claim(Words):
    """One claim of claims.yml; `published` names rows of published.csv, with * for any text."""

    id: Name
    source: str
    statement: str
    where: str = ""
    published: tuple[str, ...] = ()
    judge: Judge
    on_routeros: Judge | None = Field(
        default=None,
        description="how a RouterOS router's run judges it, where that is another way: by a "
        "counter of its own, which a licence that limits rates leaves true",
    )
    note: str = ""
    settled_by: str = Field(
        default="", description="hardware that would settle what a stand-in has judged"
    )

    def word(self, run: Run | None) -> Any:
        """The word by which a run judges it; None: no run yet."""
        routeros = run is not None and run.router["name"] == "routeros"
        return (self.on_routeros if routeros and self.on_routeros else self.judge).word


class Document(Words):
    """The words of claims.yml."""

    claims: tuple[Claim, ...]


RATIOS = (Ratio, AtLeast, AtMost, SizeRatio, GoodputRatio)
"""Words that stand on two published rows, the one above and the one below."""


def load(lab: Lab) -> list[Claim]:
    """The claims of a lab; FileError with the line where one is wrong."""
    path = lab.folder / "claims.yml"
    document = documents.load_yaml(path)
    claims = documents.validate(document, Document).claims
    numbers = published.load(lab)
    seen: set[str] = set()
    named: list[Claim] = []
    for index, claim in enumerate(claims):

        def wrong(message: str, index: int = index, claim: Claim = claim) -> FileError:
            return document.error(("claims", index), f"claim {claim.id}: {message}")

        if claim.id in seen:
            raise wrong("stands here twice")
        seen.add(claim.id)
        named.append(_named(claim, numbers))
        for name in claim.published:
            if not fnmatch.filter(numbers, name):
                near = did_you_mean(name, numbers)
                raise wrong(f"published.csv has no row {name!r}{near}")
        beside = conditions(claim.on_routeros.word) if claim.on_routeros else ()
        for name in (*conditions(claim.judge.word), *beside):
            if name not in lab.conditions:
                near = did_you_mean(name, lab.conditions)
                raise wrong(f"no condition {name!r} in the lab{near}")
        if isinstance(claim.judge.word, RATIOS) and not _makes_a_ratio(claim, numbers):
            raise wrong(
                "a ratio needs two published rows: the one above and the one below; "
                "or one that is a factor (unit times)"
            )
        counter = getattr(claim.judge.word, "counter", None)
        if counter is not None:
            known = counters(lab, claim.judge.word.condition)
            if counter not in known:
                raise wrong(f"no counter {counter!r}{did_you_mean(counter, known)}")
        if isinstance(claim.judge.word, LineRate | Capacity) and not claim.published:
            raise wrong("a line rate or a capacity needs the published rows that it explains")
    return named


def _named(claim: Claim, numbers: Iterable[str]) -> Claim:
    """The claim with the rows that its patterns mean, in the file's order."""
    rows = dict.fromkeys(row for name in claim.published for row in fnmatch.filter(numbers, name))
    return claim.model_copy(update={"published": tuple(rows)})


def _makes_a_ratio(claim: Claim, numbers: Mapping[str, published.Published]) -> bool:
    """Two rows, or for packets one that the source prints as a factor."""
    rows = [numbers[name] for name in claim.published]
    factor = len(rows) == 1 and rows[0].unit == "times"
    return len(rows) == 2 or (factor and isinstance(claim.judge.word, Costs))


def counters(lab: Lab, condition: str) -> list[str]:
    """The counters of a condition as trials name them: of other nodes with the node's name."""
    words = lab.conditions[condition]
    beside = [f"{node} {name}" for node, w in words.nodes.items() for name in w.counters]
    return [*words.linux.counters, *beside]


def conditions(word: Any) -> tuple[str, ...]:
    """The conditions that a word names."""
    if isinstance(word, Order | GoodputOrder):
        return word.conditions
    if isinstance(word, SizeIndependent | SizeRatio | Share):
        return (word.condition,)
    if isinstance(word, MoreRetransmits):
        return (word.condition, word.than)
    if isinstance(word, Costs | GoodputRatio):
        return (word.numerator, word.denominator)
    return ()
