"""Judges of what a packet costs the router, of its rates, and of which frames came and how.

A judge is one word of claims.yml.  It names the conditions and frame sizes that a run must have,
says what is wrong with its published rows, and puts its question to a record: a quantity of the
record beside what the source says, which `deciding` compares.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from math import inf, sqrt
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field, model_validator

from ppslab.core.documents.strict import StrictModel
from ppslab.core.errors import did_you_mean
from ppslab.judge import agreement, costs, goodput
from ppslab.judge.claims.deciding import Band, Question, Size, Steps, Width
from ppslab.judge.claims.verdicts import (
    CONFIDENCE,
    COUNTED,
    SEARCHES,
    TIMED,
    Evidence,
    Finding,
    bounded,
    ratio_of_costs,
)
from ppslab.model.lab.lab import Lab, Name
from ppslab.model.lab.published import Published, Value
from ppslab.model.results import GoalResult, Record, TcpDirection, TcpRecord, Trial
from ppslab.model.statistics import Interval, median_interval

if TYPE_CHECKING:
    from ppslab.judge.claims.vendor import Results

FrameSize = Annotated[int, Field(description="frame size in bytes")]
OneCondition = Annotated[Name, Field(description="a condition of the lab")]
Bound = Annotated[
    Literal["at_least"] | None,
    Field(description="at_least if the article's ports limited the ratio"),
]
Place = tuple[str, int]
"""A condition and a frame size."""
Ratios = Callable[[Place, Place], Interval]
"""The cost of a packet at the first place over that at the second; NoDataError for none."""


MOST_SHOWN = 8
"""More published numbers than this are counted, not listed: the scoreboard has each."""


class Judge(StrictModel):
    """One way to judge a claim.

    command: the command of ppslab whose record it asks; empty where it asks none.
    measures: the measures that can judge, the one that decides first.  A rate, TCP, loss and
        reordering take time, and more than one CPU: they are never counted.
    searched: whether it asks searches, not trials at the highest load.
    by_counter: whether it asks a counter, which a licence that limits rates leaves true.
    interval_kind: what the ends of an interval of one router's own runs are.
    """

    command: ClassVar[Literal["run", "tcp", ""]] = "run"
    measures: ClassVar[tuple[Evidence, ...]] = (TIMED,)
    searched: ClassVar[bool] = False
    by_counter: ClassVar[bool] = False
    interval_kind: ClassVar[str] = CONFIDENCE

    if TYPE_CHECKING:  # a field of some judges, which must not hide a property

        @property
        def conditions(self) -> tuple[str, ...]:
            """The conditions of the lab that it names."""

    @property
    def frame_sizes(self) -> tuple[int, ...]:
        """The frame sizes that it needs of each of its conditions."""
        return ()

    @property
    def pairs(self) -> tuple[tuple[str, str, int], ...]:
        """Numerator, denominator, frame size of each ratio of costs or rates that it asks for."""
        return ()

    @property
    def makes_ratio(self) -> bool:
        """True if two published rows, the one above and the one below, make its published ratio."""
        return False

    @property
    def by_events(self) -> bool:
        """True if it counts events: frames, segments."""
        return False

    @property
    def missing(self) -> str:
        """The equipment that it lacks, e.g. "a switch chip"; empty where it can be judged here."""
        return ""

    def published(self, rows: Sequence[Published]) -> str:
        """The source's numbers for reading, e.g. "2.3 Mpps; 1.1 Mpps"."""
        if len(rows) > MOST_SHOWN:
            return f"{len(rows)} numbers"
        return "; ".join(row.shown for row in rows) or "in words"

    def faults(self, lab: Lab, rows: Sequence[Published]) -> Iterator[str]:
        """Yield a sentence for each thing that does not fit the lab or the rows."""
        for name in self.conditions:
            there = lab.sizes(lab.conditions[name])
            for size in self.frame_sizes:
                if size not in there:
                    listed = ", ".join(map(str, there))
                    yield f"size {size}: a run measures {name} at {listed} bytes only (lab.yml)"
        yield from self.faults_of_rows(rows)

    def faults_of_rows(self, rows: Sequence[Published]) -> Iterable[str]:
        del rows
        return ()

    def no_counter(self, lab: Lab) -> str:
        """The counter that it names and its condition has not, as a sentence; else empty."""
        del lab
        return ""

    def from_print(self, rows: Sequence[Published]) -> Finding | None:
        """Decide by the published numbers alone; None where they cannot."""
        del rows
        return None

    def by_tables(self, results: Results, rows: Sequence[Published]) -> Question | None:
        """Make the question of MikroTik's own tables; None where they lack its conditions."""
        del results, rows
        return None

    @abstractmethod
    def question(self, record: Any, rows: Sequence[Published]) -> Question:
        """Make the question of one record; NoDataError where it has no such trials.

        Every ratio of costs is at least as wide as the A/A ratio of the run.
        """


def same(ratio: Interval, sentence: str, width: Width = Width.NOISE) -> Band:
    """The band in which two costs count as the same, by agreement.SAME."""
    most = agreement.SAME
    sentence = f"{sentence}: within a factor of {most:g}"
    return Band(ratio, 1 / most, most, sentence, of_ratio=True, width=width)


def _ratio(record: Record, above: Place, below: Place) -> Interval:
    """A ratio of costs, at least as wide as the A/A ratio of its run."""
    (numerator, size), (denominator, other) = above, below
    noise = max(costs.noise_factor(record, one) for one in {size, other})
    if size == other:
        return costs.ratio(record, numerator, denominator, size).as_wide_as(noise)
    return costs.size_ratio(record, numerator, size, other).as_wide_as(noise)


class Compared(Judge):
    """Costs that are compared with one another, in a record or in MikroTik's tables."""

    measures: ClassVar[tuple[Evidence, ...]] = (TIMED, COUNTED)

    @abstractmethod
    def compare(self, ratio: Ratios, rows: Sequence[Published], width: Width) -> Question: ...

    def question(self, record: Record, rows: Sequence[Published]) -> Question:
        """Make the question of one record of `ppslab run`."""
        return self.compare(partial(_ratio, record), rows, Width.NOISE)

    def by_tables(self, results: Results, rows: Sequence[Published]) -> Question | None:
        """Make the question of MikroTik's own tables."""
        return costs.or_none(self.compare, results.known_ratio, rows, Width.ROUTERS)


class OfOneSize(Judge):
    """A judge of frames of one size."""

    size: FrameSize

    @property
    def frame_sizes(self) -> tuple[int, ...]:
        return (self.size,)


class Order(OfOneSize, Compared):
    """Each condition costs the router more than the one before it."""

    conditions: tuple[Name, ...] = Field(min_length=2, description="the cheapest first")

    @property
    def pairs(self) -> tuple[tuple[str, str, int], ...]:
        return tuple((dear, cheap, self.size) for cheap, dear in pairwise(self.conditions))

    def faults_of_rows(self, rows: Sequence[Published]) -> Iterator[str]:
        """Rows of another size."""
        return of_size(self.size, rows)

    def compare(self, ratio: Ratios, rows: Sequence[Published], width: Width) -> Steps:
        """Every step must be dearer by more than the noise; one that is cheaper contradicts."""
        del rows
        steps = []
        for dear, cheap, size in self.pairs:
            times = ratio((dear, size), (cheap, size))
            steps.append((times, f"{dear} costs {{}} times as much as {cheap}"))
        return Steps(tuple(steps), rising=True, width=width)


class OfTwoRows(Judge):
    """A judge of the published ratio of two rows; the row of the numerator stands first."""

    bound: Bound = None

    @property
    def makes_ratio(self) -> bool:
        return True

    def published_ratio(self, rows: Sequence[Published]) -> Value:
        """The source's ratio; one side of it for a bound."""
        ratio = ratio_of_costs(rows)
        return Value(ratio.low, inf) if self.bound else ratio

    def published(self, rows: Sequence[Published]) -> str:
        """The ratio, or what the rows say where they make none."""
        if self.makes_ratio:
            return str(self.published_ratio(rows))
        return super().published(rows)

    def fits(self, rows: Sequence[Published]) -> bool:
        """True if the rows make a ratio."""
        return len(rows) == 2

    def faults_of_rows(self, rows: Sequence[Published]) -> Iterator[str]:
        """Too few rows, rows of others or upside down, bounds that leave nothing to judge."""
        if not self.fits(rows):
            yield (
                "a ratio needs two published rows: the one above and the one below; "
                "or one that is a factor (unit times)"
            )
            return
        yield from self.upside_down(rows) if len(rows) == 2 else ()
        ratio = ratio_of_costs(rows)
        if ratio.says_nothing:
            yield "the rows are bounds whose ratio can be anything: judge it as not_testable"
        elif self.bound and ratio.low == 0:
            yield f"the rows give {ratio}: at_least needs a lower bound"
        elif self._holds_anyway(self.published_ratio(rows)):
            yield (
                f"{self.published_ratio(rows)} holds without any difference too: judge the ratio "
                "without a bound, or put its row under `repeated`"
            )

    @staticmethod
    def _holds_anyway(ratio: Value) -> bool:
        """True for "up to 5": a bound that two equal conditions meet, and a loss for a gain."""
        return (ratio.at_least or ratio.at_most) and ratio.low <= 1 <= ratio.high

    def upside_down(self, rows: Sequence[Published]) -> Iterator[str]:
        """Of two rows the first is above: where it is the other's, the ratio is upside down."""
        asked = self.conditions
        if tuple(row.condition for row in rows) == asked[::-1] != asked:
            yield (
                f"the rows are of {rows[0].condition} and {rows[1].condition}, the claim of "
                f"{asked[0]} and {asked[1]}: the row of the numerator stands first"
            )


class Pair(OfOneSize):
    """Two conditions that are compared at one frame size."""

    numerator: Name = Field(
        description="the dearer or slower condition; its row of published.csv is first"
    )
    denominator: Name = Field(description="the cheaper or faster condition; its row is second")

    @property
    def conditions(self) -> tuple[str, ...]:
        return (self.numerator, self.denominator)

    @property
    def pairs(self) -> tuple[tuple[str, str, int], ...]:
        return ((self.numerator, self.denominator, self.size),)

    def of_pair(self, ratio: Ratios) -> Interval:
        return ratio((self.numerator, self.size), (self.denominator, self.size))

    def faults_of_rows(self, rows: Sequence[Published]) -> Iterator[str]:
        """The faults that the other base finds, and rows of another size."""
        yield from super().faults_of_rows(rows)
        yield from of_size(self.size, rows)


def of_size(size: int, rows: Sequence[Published]) -> Iterator[str]:
    """Rows of another frame size say nothing of this one."""
    for row in rows:
        if row.frame_size not in (None, size):
            yield (
                f"size {size}, but row {row.id} is of {row.frame_size} bytes: "
                "a claim is on rows of its own size"
            )
            return


class RatioOfPair(Pair, OfTwoRows, Compared):
    """The published ratio of two conditions, by the factor of agreement.py."""

    def compare(self, ratio: Ratios, rows: Sequence[Published], width: Width) -> Size:
        return Size(self.of_pair(ratio), self.published_ratio(rows), width)


class Ratio(RatioOfPair):
    """The published ratio of two conditions' router time per packet."""

    def fits(self, rows: Sequence[Published]) -> bool:
        """Two rows, or one that the source prints as a factor."""
        return super().fits(rows) or (len(rows) == 1 and rows[0].unit == "times")


class LittleChange(Pair, Compared):
    """A packet costs the same under two conditions, within the factor of agreement.py."""

    def compare(self, ratio: Ratios, rows: Sequence[Published], width: Width) -> Band:
        del rows
        return same(self.of_pair(ratio), "no change", width)


class RateRatio(RatioOfPair):
    """The ratio of two conditions' throughputs, by search: the faster over the slower."""

    measures = (TIMED,)
    searched = True
    interval_kind = SEARCHES

    loss: float = Field(
        default=0.001, description="the tolerated loss, 0.001 as in MikroTik's tables"
    )

    def question(self, record: Record, rows: Sequence[Published]) -> Size:
        """The throughput of the second condition over the first's, as two searches bound them.

        A search ends with a load that passed and one that did not; the throughput lies between.
        It is one search a run and no A/A: so one run says no more than these bounds.
        """
        slower, slowest = self._goal(record, self.numerator)
        faster, least = self._goal(record, self.denominator)
        if slower.tester_limited:
            raise costs.NoDataError(
                f"{self.numerator} at {self.size} bytes forwards the highest rate of the tester: "
                "the router's own limit is higher"
            )
        high = inf
        if not faster.tester_limited and faster.relevant_upper_bound:
            high = faster.relevant_upper_bound / slowest
        low = least / (slower.relevant_upper_bound or inf)
        estimate = sqrt(low * high) if high < inf else least / slowest
        return Size(Interval(estimate, low, high, 1), self.published_ratio(rows))

    def _goal(self, record: Record, condition: str) -> tuple[GoalResult, float]:
        """The goal of a search and the highest load that passed; NoThroughputError for none."""
        for search in record.searches:
            if (search.condition, search.frame_size) != (condition, self.size):
                continue
            if search.failed_because:
                raise costs.NoThroughputError(condition, self.size, search.failed_because)
            for goal in search.goals:
                if goal.loss_ratio == self.loss:
                    if not goal.relevant_lower_bound:
                        why = f"at no load was at most {100 * self.loss:g} % lost"
                        raise costs.NoThroughputError(condition, self.size, why)
                    return goal, goal.relevant_lower_bound
        raise costs.NoDataError(
            f"no search of {condition} at {self.size} bytes for a loss of {100 * self.loss:g} %"
        )


class OfOneCondition(Judge):
    """A judge of one condition."""

    condition: OneCondition

    @property
    def conditions(self) -> tuple[str, ...]:
        return (self.condition,)


class SizeRatio(OfOneCondition, OfTwoRows, Compared):
    """The cost of a packet at the larger frame size over that at the smaller.

    The published ratio, within the factor of agreement.py; the row of the larger size comes first.
    """

    larger: int = Field(description="frame size in bytes; its row of published.csv is first")
    smaller: int = Field(description="frame size in bytes; its row is second")
    same: bool = Field(default=False, description="whether both sizes cost the same")

    @model_validator(mode="after")
    def _larger_is_larger(self) -> SizeRatio:
        if self.larger <= self.smaller:
            raise ValueError("`larger` is the larger frame size, `smaller` the smaller")
        return self

    @property
    def frame_sizes(self) -> tuple[int, ...]:
        return (self.larger, self.smaller)

    @property
    def makes_ratio(self) -> bool:
        """Unless both cost the same."""
        return not self.same

    def faults_of_rows(self, rows: Sequence[Published]) -> Iterator[str]:
        """As of every ratio; no rows are needed to say that two costs are the same."""
        return super().faults_of_rows(rows) if self.makes_ratio else iter(())

    def upside_down(self, rows: Sequence[Published]) -> Iterator[str]:
        """The row of the larger frame is the first."""
        if any(
            row.frame_size not in (None, size)
            for row, size in zip(rows, self.frame_sizes, strict=True)
        ):
            sizes = dict.fromkeys(str(row.frame_size) for row in rows if row.frame_size)
            yield (
                f"the rows are of {' and '.join(sizes)} bytes, the claim of {self.larger} and "
                f"{self.smaller}: the row of the larger frame stands first"
            )

    def compare(self, ratio: Ratios, rows: Sequence[Published], width: Width) -> Question:
        """The size of the ratio, or whether both are the same."""
        times = ratio((self.condition, self.larger), (self.condition, self.smaller))
        if self.same:
            larger = self.larger / self.smaller
            return same(times, f"the frame is {larger:.3g} times as large", width)
        return Size(times, self.published_ratio(rows), width)

    def by_tables(self, results: Results, rows: Sequence[Published]) -> Question | None:
        """Only whether both are the same: how much more a frame costs is each router's own."""
        return super().by_tables(results, rows) if self.same else None


class Bounds(OfOneCondition):
    """A quantity of one condition, between two bounds."""

    at_least: float | None = Field(default=None, description="the lowest share, 0.5 for a half")
    at_most: float | None = Field(default=None, description="the highest share")

    @model_validator(mode="after")
    def _bounded(self) -> Bounds:
        if self.at_least is None and self.at_most is None:
            raise ValueError("it is judged by at_least, at_most or both")
        return self

    def between(self, measured: Interval, what: str, unit: str = "", how: str = "") -> Band:
        low = -inf if self.at_least is None else self.at_least
        high = inf if self.at_most is None else self.at_most
        return Band(
            measured, low, high, f"{what}: {bounded(self.at_least, self.at_most)}{unit}{how}"
        )


class Share(OfOneSize, Bounds):
    """A share of the frames of one condition's trials."""

    @property
    def by_events(self) -> bool:
        return True

    @property
    @abstractmethod
    def title(self) -> str:
        """The share in words, e.g. "fastpath packets of the offered ones"."""

    @property
    @abstractmethod
    def counted(self) -> str:
        """Names of the counts that a trial must have."""

    @abstractmethod
    def share(self, trial: Trial, counts: dict[str, Any]) -> float | None:
        """The share in one trial; None where it did not count that."""

    def question(self, record: Record, rows: Sequence[Published]) -> Band:
        """The median of the trials, between its bounds."""
        del rows
        shares = [
            share
            for trial in record.trials
            if trial.valid
            and trial.purpose in ("cost", "search")
            and trial.condition == self.condition
            and trial.frame_size == self.size
            and trial.counts
            and (share := self.share(trial, dict(trial.counts))) is not None
        ]
        if not shares:
            raise costs.NoDataError(
                f"no valid trials of {self.condition} at {self.size} bytes that count "
                f"{self.counted}"
            )
        measured = median_interval(shares, seed=record.seed)
        # What is counted is never below nothing; of the frames no more than all are lost or late.
        high = measured.high if self.by_counter else min(1.0, measured.high)
        measured = Interval(measured.estimate, max(0.0, measured.low), high, measured.count)
        return self.between(measured, self.title, how=", in the median of the trials")


def _over(part: int | None, whole: int | None) -> float | None:
    return part / whole if part is not None and whole else None


class CounterShare(Share):
    """The growth of a counter as a share of `of`: offered, received, or another counter."""

    measures = (TIMED, COUNTED)
    by_counter = True

    counter: str = Field(description="a counter of the condition, as lab.yml names it")
    of: str = Field(default="offered", description="offered, received, or another counter")

    @property
    def title(self) -> str:
        frames = {"offered": "the offered frames", "received": "the received frames"}
        return f"{self.counter} as a share of {frames.get(self.of, self.of)}"

    @property
    def counted(self) -> str:
        return self.counter

    def share(self, trial: Trial, counts: dict[str, Any]) -> float | None:
        """The counter over its whole."""
        tester = {name: counts[name] for name in ("offered", "received")}
        return _over(trial.counters.get(self.counter), {**tester, **trial.counters}.get(self.of))

    def no_counter(self, lab: Lab) -> str:
        """The counter's name, where the condition has none of it."""
        spec = lab.conditions[self.condition]
        # Those of other nodes are named after the node.
        beside = [f"{node} {name}" for node, one in spec.nodes.items() for name in one.counters]
        known = [*spec.linux.counters, *beside]
        if self.counter in known:
            return ""
        return f"no counter {self.counter!r}{did_you_mean(self.counter, known)}"


class Spread(Share):
    """The share of one of several counters in their sum: which of them handles the packets."""

    counters: tuple[str, ...] = Field(
        min_length=2, description="each packet is counted by one of them"
    )
    rank: int = Field(default=1, ge=1, description="1: the share of the busiest; 2: of the next")

    @property
    def title(self) -> str:
        *most, last = self.counters
        ordinal = {2: "second ", 3: "third "}.get(self.rank, f"{self.rank}th ")
        busiest = "busiest" if self.rank == 1 else f"{ordinal}busiest"
        whose = "least busy" if 1 < self.rank == len(self.counters) else busiest
        return f"share of the packets that went through the {whose} of {', '.join(most)} and {last}"

    @property
    def counted(self) -> str:
        return " and ".join(self.counters)

    def question(self, record: Record, rows: Sequence[Published]) -> Band:
        """The same; the second busiest has at most a half, the fourth at most a quarter."""
        return replace(super().question(record, rows), most=1 / self.rank)

    def share(self, trial: Trial, counts: dict[str, Any]) -> float | None:
        """The counter of that rank over all of them."""
        del counts
        known = [trial.counters[name] for name in self.counters if name in trial.counters]
        if not len(known) == len(self.counters) >= self.rank:
            return None
        return _over(sorted(known, reverse=True)[self.rank - 1], sum(known))


class Frames(Share):
    """A share of one condition's frames: lost or reordered.

    lost: of the offered frames.  reordered (RFC 4737 section 3.3): of the received frames.
    """

    of: Literal["lost", "reordered"] = Field(description="lost or reordered")

    @property
    def title(self) -> str:
        whole = "offered" if self.of == "lost" else "received"
        return f"share of the {whole} frames that were {self.of}"

    @property
    def counted(self) -> str:
        return "such frames"

    def share(self, trial: Trial, counts: dict[str, Any]) -> float | None:
        if self.of == "lost":
            return _over(counts["offered"] - counts["received"], counts["offered"])
        return _over(counts["reordered"], counts["received"])


class WithoutRun(Judge):
    """A judge that asks no record."""

    command = ""
    conditions: ClassVar[tuple[str, ...]] = ()

    def question(self, record: Any, rows: Sequence[Published]) -> Question:
        raise costs.NoDataError("no run is asked")


class NotTestable(WithoutRun):
    """No run here can test the claim."""

    needs: str = Field(description="what a test would need: the router model, the port, the time")

    @property
    def missing(self) -> str:
        return self.needs


class OfTcp(Judge):
    """A judge of transfers in one direction of `ppslab tcp`.

    Every ratio, and every difference, is at least as wide as the A/A one of the run.
    """

    command = "tcp"

    direction: TcpDirection = Field(default="there", description="there, back or both")

    def goodputs(self, record: TcpRecord, above: str, below: str) -> Interval:
        """The goodput of one condition over another's."""
        noise = goodput.a_a_interval(record, self.direction).noise_factor
        return goodput.ratio(record, above, below, self.direction).as_wide_as(noise)


class TcpOrder(OfTcp):
    """Each condition carries less TCP goodput than the one before it."""

    conditions: tuple[Name, ...] = Field(min_length=2, description="the fastest first")

    def question(self, record: TcpRecord, rows: Sequence[Published]) -> Question:
        """Every step must differ by more than the noise; one the other way contradicts."""
        del rows
        steps = [
            (
                self.goodputs(record, second, first),
                f"{second} carries {{}} times as much as {first}",
            )
            for first, second in pairwise(self.conditions)
        ]
        return Steps(tuple(steps), rising=False)
