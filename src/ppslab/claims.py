"""What the articles claim, and the verdict of a run on each claim.

A verdict is one of four: reproduced, contradicted, inconclusive, not testable here.  It is judged
by the whole 95 % interval, and a difference that is smaller than the reference condition's
difference from itself (the A/A interval of the same run) is none.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any, Literal

from pydantic import Field, model_validator

from ppslab import analysis, documents, published, units
from ppslab.errors import FileError
from ppslab.lab import Lab, Name, Words
from ppslab.published import Published
from ppslab.results import Record
from ppslab.statistics import Interval

REPRODUCED: Literal["reproduced"] = "reproduced"
CONTRADICTED: Literal["contradicted"] = "contradicted"
INCONCLUSIVE: Literal["inconclusive"] = "inconclusive"
NOT_TESTABLE: Literal["not testable here"] = "not testable here"
Verdict = Literal["reproduced", "contradicted", "inconclusive", "not testable here"]


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


class LineRate(Words):
    """The published rates are what `ports` ports of `speed` bits a second can carry: arithmetic."""

    size: int
    speed: float = Field(gt=0)
    ports: int = Field(ge=1)
    within: float = Field(default=0.01, gt=0)


class NotTestable(Words):
    """Nothing here can show it."""

    needs: str


class Judge(Words):
    """How a claim is judged: exactly one of the words."""

    order: Order | None = None
    ratio: Ratio | None = None
    at_least: AtLeast | None = None
    little_change: LittleChange | None = None
    size_independent: SizeIndependent | None = None
    line_rate: LineRate | None = None
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
    """One claim of claims.yml; `published` names rows of published.csv."""

    id: Name
    source: str
    statement: str
    where: str = ""
    published: tuple[str, ...] = ()
    judge: Judge
    note: str = ""


class Document(Words):
    """The words of claims.yml."""

    claims: tuple[Claim, ...]


@dataclass(frozen=True)
class Judged:
    """A claim with its verdict.

    `measured` and `interval` are the quantity that decided (a ratio of router times per packet,
    or of rates); None where nothing was measured.
    """

    id: str
    lab: str
    source: str
    statement: str
    where: str
    published: str
    measured: float | None
    interval: tuple[float, float] | None
    verdict: Verdict
    reason: str

    @property
    def measured_text(self) -> str:
        """The measured value with its interval, for reading."""
        if self.measured is None or self.interval is None:
            return "-"
        return f"{self.measured:.3g} [{self.interval[0]:.3g}, {self.interval[1]:.3g}]"

    def plain(self) -> dict[str, Any]:
        """The claim as `ppslab claims --json` prints it."""
        return asdict(self)


@dataclass(frozen=True)
class _Finding:
    verdict: Verdict
    reason: str
    interval: Interval | None = None


def load(lab: Lab) -> list[Claim]:
    """The claims of a lab; FileError with the line where one is wrong."""
    path = lab.folder / "claims.yml"
    document = documents.load_yaml(path)
    claims = documents.validate(document, Document).claims
    numbers = published.load(lab)
    seen: set[str] = set()
    for index, claim in enumerate(claims):

        def wrong(message: str, index: int = index, claim: Claim = claim) -> FileError:
            return document.error(("claims", index), f"claim {claim.id}: {message}")

        if claim.id in seen:
            raise wrong("stands here twice")
        seen.add(claim.id)
        for name in claim.published:
            if name not in numbers:
                near = documents.did_you_mean(name, numbers)
                raise wrong(f"published.csv has no row {name!r}{near}")
        for name in _conditions(claim.judge.word):
            if name not in lab.conditions:
                near = documents.did_you_mean(name, lab.conditions)
                raise wrong(f"no condition {name!r} in the lab{near}")
        if isinstance(claim.judge.word, Ratio | AtLeast) and len(claim.published) != 2:
            raise wrong("a ratio needs two published rows: the one above and the one below")
        if isinstance(claim.judge.word, LineRate) and not claim.published:
            raise wrong("a line rate needs the published rows that it explains")
    return list(claims)


def judge_all(lab: Lab, record: Record | None) -> list[Judged]:
    """The verdict on every claim of `lab` by one record; without a record nothing is conclusive."""
    numbers = published.load(lab)
    return [_judged(lab, claim, numbers, record) for claim in load(lab)]


def _judged(lab: Lab, claim: Claim, numbers: dict[str, Published], record: Record | None) -> Judged:
    rows = [numbers[name] for name in claim.published]
    word = claim.judge.word
    if isinstance(word, NotTestable):
        finding = _Finding(NOT_TESTABLE, f"needs {word.needs}")
    elif isinstance(word, LineRate):
        finding = _line_rate(word, rows)
    elif record is None:
        finding = _Finding(INCONCLUSIVE, f"no run yet: ppslab run {lab.name}")
    else:
        try:
            finding = _measured(word, rows, record)
        except analysis.NoDataError as error:
            finding = _Finding(INCONCLUSIVE, str(error))
    interval = finding.interval
    return Judged(
        id=claim.id,
        lab=lab.name,
        source=claim.source,
        statement=claim.statement,
        where=claim.where,
        published=_published_text(word, rows),
        measured=interval.estimate if interval else None,
        interval=(interval.low, interval.high) if interval else None,
        verdict=finding.verdict,
        reason=finding.reason,
    )


def _measured(word: Any, rows: list[Published], record: Record) -> _Finding:
    if isinstance(word, Order):
        return _order(word, record)
    if isinstance(word, SizeIndependent):
        larger, smaller = max(word.sizes), min(word.sizes)
        found = analysis.size_ratio(record, word.condition, larger, smaller)
        times = f"{larger / smaller:.3g}"
        return _band(found, 1 / word.within, word.within, f"the frame is {times} times as large")
    found = analysis.ratio(record, word.numerator, word.denominator, word.size)
    if isinstance(word, Ratio):
        value = _ratio_value(rows)
        said = f"published {value:.3g}, judged within a factor of {word.factor:g}"
        return _band(found, value / word.factor, value * word.factor, said)
    if isinstance(word, LittleChange):
        said = f"little change means a factor below {word.within:g}"
        return _band(found, 1 / word.within, word.within, said)
    bound = _ratio_value(rows) / word.factor
    said = f"published {_ratio_value(rows):.3g} or more, judged from {bound:.3g} up"
    return _band(found, bound, float("inf"), said)


def _band(found: Interval, low: float, high: float, said: str) -> _Finding:
    if found.within(low, high):
        return _Finding(REPRODUCED, said, found)
    if found.outside(low, high):
        return _Finding(CONTRADICTED, said, found)
    return _Finding(INCONCLUSIVE, f"{said}: the interval crosses the bound", found)


def _order(word: Order, record: Record) -> _Finding:
    """Every step must be dearer by more than the noise; one that is cheaper contradicts."""
    noise = analysis.noise(record, word.size)
    steps = []
    for cheaper, dearer in pairwise(word.conditions):
        found = analysis.ratio(record, dearer, cheaper, word.size)
        real = found.excludes(1.0) and abs(found.estimate - 1) > noise
        steps.append((found, real, f"{dearer} costs {found} times {cheaper}"))
    weakest, _, text = min(steps, key=lambda step: step[0].estimate)
    for found, real, said in steps:
        if real and found.estimate < 1:
            return _Finding(CONTRADICTED, said, found)
    for found, real, said in steps:
        if not real:
            reason = f"{said}, no more than the noise of this run ({noise:.2g})"
            return _Finding(INCONCLUSIVE, reason, found)
    return _Finding(REPRODUCED, f"smallest step: {text}", weakest)


def _line_rate(word: LineRate, rows: list[Published]) -> _Finding:
    limit = word.ports * units.line_rate(word.size, word.speed)
    shares = [_rate(row) / limit for row in rows]
    found = Interval(sum(shares) / len(shares), min(shares), max(shares), len(shares))
    said = (
        f"{word.ports} ports of {word.speed / 1e9:g} Gbit/s carry "
        f"{units.human_rate(limit)} of {word.size} bytes: arithmetic on the published numbers"
    )
    return _band(found, 1 - word.within, 1 + word.within, said)


def _rate(row: Published) -> float:
    return row.value * {"pps": 1.0, "kpps": 1e3, "Mpps": 1e6}[row.unit]


def _ratio_value(rows: list[Published]) -> float:
    """Rates are the reverse of costs: what is dearer forwards less.

    The first row belongs to the numerator, the dearer condition.
    """
    return rows[1].value / rows[0].value


def _published_text(word: Any, rows: list[Published]) -> str:
    if isinstance(word, Ratio | AtLeast):
        return f"{_ratio_value(rows):.3g}" + (" or more" if isinstance(word, AtLeast) else "")
    return "; ".join(row.shown for row in rows) or "in words"


def _conditions(word: Any) -> tuple[str, ...]:
    if isinstance(word, Order):
        return word.conditions
    if isinstance(word, SizeIndependent):
        return (word.condition,)
    if isinstance(word, Costs):
        return (word.numerator, word.denominator)
    return ()
