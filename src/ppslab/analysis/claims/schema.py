"""All of claims.yml: what a source says, and how a run judges it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from ppslab.analysis.claims.arithmetic import Capacity, Equation, LineRate
from ppslab.base.documents.strict import StrictModel
from ppslab.lab.lab import Name
from ppslab.results import Run, TcpDirection
from ppslab.theory.manual.schema import FactIds

Size = Annotated[int, Field(description="frame size in bytes")]
OneCondition = Annotated[Name, Field(description="a condition of the lab")]


class Costs(StrictModel):
    """Two conditions whose router time per packet is compared at one frame size."""

    numerator: Name = Field(description="the dearer condition; its row of published.csv is first")
    denominator: Name = Field(description="the cheaper condition; its row is second")
    size: Size


class Ratio(Costs):
    """The published ratio of the two; agreement.yml says how near."""


class AtLeast(Costs):
    """At least the published ratio, which the article's ports kept from being larger."""


class AtMost(Costs):
    """At most the published ratio."""


class LittleChange(Costs):
    """The two cost the same, as agreement.yml says it."""


class RateRatio(StrictModel):
    """How many times fewer frames a second one condition forwards than another, by search."""

    numerator: Name = Field(description="the slower condition; its row of published.csv is first")
    denominator: Name = Field(description="the faster condition; its row is second")
    size: Size
    loss: float = Field(
        default=0.001, description="the tolerated loss, 0.001 as in MikroTik's tables"
    )
    at_least: bool = Field(
        default=False, description="whether ports kept the published ratio from being larger"
    )


class Order(StrictModel):
    """Each condition costs the router more than the one before it."""

    conditions: tuple[Name, ...] = Field(min_length=2, description="the cheapest first")
    size: Size


class SizeIndependent(StrictModel):
    """A packet costs the same whatever its size, as agreement.yml says it."""

    condition: OneCondition
    sizes: tuple[int, int] = Field(description="two frame sizes in bytes")


class SizeRatio(StrictModel):
    """How much more a packet of the larger frame costs than one of the smaller.

    The published ratio, as near as agreement.yml says; the row of the larger size stands first.
    """

    condition: OneCondition
    larger: int = Field(description="frame size in bytes; its row of published.csv is first")
    smaller: int = Field(description="frame size in bytes; its row is second")

    @model_validator(mode="after")
    def _larger_is_larger(self) -> SizeRatio:
        if self.larger <= self.smaller:
            raise ValueError("`larger` is the larger frame size, `smaller` the smaller")
        return self


class Goodput(StrictModel):
    """Conditions whose TCP goodput is compared, in one direction of `ppslab tcp`."""

    direction: TcpDirection = Field(default="there", description="there, back or both")


class GoodputRatio(Goodput):
    """The published ratio of the first row's goodput to the second's; agreement.yml: how near."""

    numerator: Name = Field(description="its row of published.csv is first")
    denominator: Name = Field(description="its row is second")


class GoodputOrder(Goodput):
    """Each condition carries less TCP goodput than the one before it."""

    conditions: tuple[Name, ...] = Field(min_length=2, description="the fastest first")


class MoreRetransmits(Goodput):
    """A larger share of the segments is sent again under `condition` than under `than`."""

    condition: OneCondition
    than: Name = Field(description="the condition that it is compared with")


class Bounds(StrictModel):
    """A quantity of one condition, between two bounds."""

    condition: OneCondition
    at_least: float | None = Field(default=None, description="the lowest share, 0.5 for a half")
    at_most: float | None = Field(default=None, description="the highest share")

    @model_validator(mode="after")
    def _bounded(self) -> Bounds:
        if self.at_least is None and self.at_most is None:
            raise ValueError("it is judged by at_least, at_most or both")
        return self


class Busy(Goodput, Bounds):
    """The share of the time in which the busiest CPU worked while TCP filled the way."""


class RoundTripTime(Goodput, Bounds):
    """TCP's round-trip time while it fills the way: its smoothed one, the median of the streams."""

    at_least: float | None = Field(default=None, description="the shortest, in milliseconds")
    at_most: float | None = Field(default=None, description="the longest, in milliseconds")


class RoundTripOrder(Goodput):
    """TCP's round-trip time is longer under each condition than under the one before it."""

    conditions: tuple[Name, ...] = Field(min_length=2, description="the shortest first")


class Share(Bounds):
    """A share of the frames of one condition's trials."""

    size: Size


class CounterShare(Share):
    """By how much a counter grew, as a share of `of`: offered, received, or another counter."""

    counter: str = Field(description="a counter of the condition, as lab.yml names it")
    of: str = Field(default="offered", description="offered, received, or another counter")


class Spread(Share):
    """What one of several counters has of all that they counted: who carries the packets."""

    counters: tuple[str, ...] = Field(min_length=2, description="each packet is in one of them")
    rank: int = Field(default=1, ge=1, description="whose share: 1 the busiest's, 2 the next one's")


class Reordered(Share):
    """Frames out of order (RFC 4737 section 3.3) as a share of those received."""


class Lost(Share):
    """Frames that did not arrive, as a share of those offered."""


class Uneven(Share):
    """What the worst-served stream gets for each frame of the best-served one's, under overload.

    Of what is sent of each; in trials that lost a twentieth of all frames or more.
    """


class OverloadDelay(StrictModel):
    """A frame takes longer in trials that lost a twentieth or more than in those that lost none."""

    condition: OneCondition
    size: Size
    of: Literal["min", "p50"] = Field(default="p50", description="the quickest frame or the median")


class NotTestable(StrictModel):
    """Nothing here can show it."""

    needs: str = Field(description="what it would need: the router model, the port, the time")


class Documented(StrictModel):
    """What MikroTik has written down: facts of the manual, with their page and date."""

    facts: FactIds = Field(min_length=1, description="ids of facts in ppslab/theory/manual")
    holds: bool | Literal["open"] = Field(
        default=True,
        description="whether they say the same, or the contrary; open: they conflict, or speak of "
        "other versions",
    )
    because: str = Field(default="", description="what of the claim they leave open")


class Tables(StrictModel):
    """Rows of MikroTik's own tables by which a packet of one kind costs more than another's.

    The first `dearer` row and the first `cheaper` one are of the same router, and so on.
    """

    dearer: tuple[str, ...] = Field(min_length=1, description="rows of published.csv")
    cheaper: tuple[str, ...] = Field(min_length=1, description="as many, of the same routers")
    because: str = Field(description="what the two rows of a router are, and why that decides")


class Judge(StrictModel):
    """How a claim is judged: exactly one of the words."""

    order: Order | None = None
    ratio: Ratio | None = None
    at_least: AtLeast | None = None
    at_most: AtMost | None = None
    little_change: LittleChange | None = None
    rate_ratio: RateRatio | None = None
    size_independent: SizeIndependent | None = None
    size_ratio: SizeRatio | None = None
    goodput_ratio: GoodputRatio | None = None
    goodput_order: GoodputOrder | None = None
    more_retransmits: MoreRetransmits | None = None
    busy: Busy | None = None
    round_trip: RoundTripTime | None = None
    round_trip_order: RoundTripOrder | None = None
    counter_share: CounterShare | None = None
    spread: Spread | None = None
    reordered: Reordered | None = None
    lost: Lost | None = None
    uneven: Uneven | None = None
    overload_delay: OverloadDelay | None = None
    line_rate: LineRate | None = None
    capacity: Capacity | None = None
    equation: Equation | None = None
    not_testable: NotTestable | None = None

    @model_validator(mode="after")
    def _one(self) -> Judge:
        given = [word for word in type(self).model_fields if getattr(self, word)]
        if len(given) != 1:
            known = ", ".join(type(self).model_fields)
            raise ValueError(f"a claim is judged by exactly one of {known}")
        return self

    @property
    def name(self) -> str:
        """The name of the word that is given."""
        return next(name for name in type(self).model_fields if getattr(self, name))

    @property
    def word(self) -> Any:
        """The word that is given."""
        return getattr(self, self.name)


class Claim(StrictModel):
    """One claim of claims.yml; `published` names rows of published.csv."""

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
    documented: Documented | None = Field(
        default=None, description="what MikroTik has written down decides before any stand-in"
    )
    tables: Tables | None = Field(
        default=None,
        description="rows of MikroTik's own tables that decide it, where they are of no condition "
        "of the lab",
    )
    measure: Literal["counted", "timed"] | None = Field(
        default=None,
        description="which measure judges it; left out: the timed one where it can tell, "
        "and else, of costs, the counted one",
    )
    by_construction: str = Field(
        default="",
        description="what of our own makes the verdict what it is, where a run could hardly say "
        "otherwise",
    )
    note: str = ""
    settled_by: str = Field(
        default="", description="hardware that would settle what a stand-in has judged"
    )

    def word(self, run: Run | None) -> Any:
        """The word by which a run judges it; None: no run yet."""
        routeros = run is not None and run.router["name"] == "routeros"
        return (self.on_routeros if routeros and self.on_routeros else self.judge).word


class ClaimsSpec(StrictModel):
    """All of claims.yml."""

    documents: dict[str, str] = Field(
        default_factory=dict,
        description="source to title, author, date: of sources without a row in published.csv",
    )
    claims: tuple[Claim, ...]


RATIOS = (Ratio, AtLeast, AtMost, SizeRatio, RateRatio, GoodputRatio)
"""Words that stand on two published rows, the one above and the one below."""


def conditions(word: Any) -> tuple[str, ...]:
    """The conditions that a word names."""
    if isinstance(word, Order | GoodputOrder | RoundTripOrder):
        return word.conditions
    if isinstance(word, SizeIndependent | SizeRatio | OverloadDelay | Bounds):
        return (word.condition,)
    if isinstance(word, MoreRetransmits):
        return (word.condition, word.than)
    if isinstance(word, Costs | RateRatio | GoodputRatio):
        return (word.numerator, word.denominator)
    return ()
