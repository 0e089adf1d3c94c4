"""Two searched throughputs compared by the trials between them.

A search has one result, which does not show how it would come out again.  Its trials do: where
one side's lower bound lies above the other's upper bound, both sides have trials at the loads
between, and if the two were of one kind those would pass and fail alike (Fisher's exact test).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ppslab.base.text.numbers import percent_text
from ppslab.base.units import human_rate
from ppslab.presentation.report.comparing.comparison import Band, Compared
from ppslab.results import Direction, Family, GoalResult, Record, SuiteRecord, Trial
from ppslab.theory.statistics import Interval
from ppslab.theory.statistics.difference import fisher_p
from ppslab.theory.validity import noisy

Searched = Record | SuiteRecord

NO_DRIFT = "the tester's own limit is not known in both runs"


def searched(
    one: Searched,
    two: Searched,
    names: tuple[str, str],
    size: int,
    family: Family,
    direction: Direction,
    subject: str,
    band: Band | None,
) -> Iterator[Compared]:
    """A row for each tolerated loss ratio that both sides searched.

    `names`: the condition on side A and on side B.  `band` None: how far the machine drifted is
    not known, so nothing is judged.
    """
    sides = [
        _Side(record, name, size, family, direction)
        for record, name in zip((one, two), names, strict=True)
    ]
    ratios = [ratio for ratio in sides[0].goals if ratio in sides[1].goals]
    for ratio in sorted(ratios):
        yield _row(sides, ratio, subject, band)


class _Side:
    """One condition of one record, at one frame size and stream type: its goals and trials."""

    def __init__(
        self, record: Searched, name: str, size: int, family: Family, direction: Direction
    ) -> None:
        self.goals = {
            goal.loss_ratio: goal for goal in _goals(record, name, size, family, direction)
        }
        self.trials = [
            trial
            for trial in record.trials
            if trial.purpose == "search"
            and (trial.condition, trial.frame_size) == (name, size)
            and (trial.family, trial.direction) == (family, direction)
            and _counted(trial)
        ]

    def between(
        self, low: float, high: float, loss_ratio: float, scale: float = 1.0
    ) -> tuple[int, int]:
        """How many trials at loads from `low` to `high`, times `scale`, passed and failed."""
        passed = failed = 0
        for trial in self.trials:
            rate = (trial.intended_load or 0.0) / scale
            if low * (1 - 1e-6) <= rate <= high * (1 + 1e-6):
                if _loss(trial) <= loss_ratio:
                    passed += 1
                else:
                    failed += 1
        return passed, failed


def _goals(
    record: Searched, name: str, size: int, family: Family, direction: Direction
) -> Sequence[GoalResult]:
    if isinstance(record, SuiteRecord):
        for result in record.throughput:
            same = (result.condition, result.frame_size) == (name, size)
            if same and (result.family, result.direction) == (family, direction):
                return result.goals
        return ()
    for search in record.searches:
        if (search.condition, search.frame_size) == (name, size):
            return search.goals
    return ()


def _counted(trial: Trial) -> bool:
    """Whether the search counted it: valid, or spoiled only by momentary noise."""
    return trial.counts is not None and noisy(trial.causes)


def _loss(trial: Trial) -> float:
    """As MLRsearch counts it: frames that were not sent are lost."""
    counts = trial.counts
    assert counts is not None, "counted trials are compared"
    wanted = max(counts["intended"], counts["offered"])
    return (wanted - counts["received"]) / wanted if wanted else 1.0


def _rate(goal: GoalResult) -> str:
    if goal.conditional_throughput is None:
        return "-"
    return human_rate(goal.conditional_throughput) + (
        " (tester-limited)" if goal.tester_limited else ""
    )


def _row(sides: Sequence[_Side], loss_ratio: float, subject: str, band: Band | None) -> Compared:
    a, b = (side.goals[loss_ratio] for side in sides)
    tolerated = f"at {percent_text(loss_ratio)} loss" if loss_ratio else "without loss"
    about = ("throughput", f"throughput {tolerated}", subject, _rate(a), _rate(b))
    if (
        a.conditional_throughput is None
        or b.conditional_throughput is None
        or not a.relevant_lower_bound
        or not b.relevant_lower_bound
    ):
        return Compared(*about, why_not="one side passed at no load")
    ratio = Interval(
        b.conditional_throughput / a.conditional_throughput,
        b.relevant_lower_bound / a.relevant_upper_bound if a.relevant_upper_bound else 0.0,
        b.relevant_upper_bound / a.relevant_lower_bound if b.relevant_upper_bound else float("inf"),
        1,
    )
    lesser = a if a.conditional_throughput <= b.conditional_throughput else b
    if lesser.tester_limited or lesser.relevant_upper_bound is None:
        return Compared(*about, ratio=ratio, bounds=True, why_not="the lower one is tester-limited")
    if band is None:
        return Compared(*about, ratio=ratio, bounds=True, why_not=NO_DRIFT)
    return Compared(
        *about, ratio=ratio, band=band, p=_chance(sides, loss_ratio, ratio, band), bounds=True
    )


def _chance(sides: Sequence[_Side], loss_ratio: float, ratio: Interval, band: Band) -> float:
    """The chance of such trials if B equalled A up to the edge of the band; loads are A's."""
    a, b = (side.goals[loss_ratio] for side in sides)
    scale = band.edge(ratio.estimate)
    if ratio.estimate < 1:
        low, high = (b.relevant_upper_bound or 0.0) / scale, a.relevant_lower_bound or 0.0
    else:
        low, high = a.relevant_upper_bound or 0.0, (b.relevant_lower_bound or 0.0) / scale
    if high <= low:
        return 1.0
    return fisher_p(
        sides[0].between(low, high, loss_ratio), sides[1].between(low, high, loss_ratio, scale)
    )
