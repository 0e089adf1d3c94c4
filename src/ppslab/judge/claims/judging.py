"""The verdict of the newest runs on each claim of a lab, and what they leave undecided."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Literal, get_args

from ppslab.core.errors import PpslabError, place_of
from ppslab.core.measures import Measure
from ppslab.judge import agreement, costs, kernels
from ppslab.judge.claims.claim import Claim, load
from ppslab.judge.claims.deciding import (
    FULL,
    Question,
    Steps,
    as_it_repeats,
    decide,
    times_more,
    together,
)
from ppslab.judge.claims.judges import Judge
from ppslab.judge.claims.runs import Runs
from ppslab.judge.claims.vendor import Results
from ppslab.judge.claims.verdicts import (
    ANOTHER_STAND_IN,
    ARITHMETIC,
    BY_CONSTRUCTION,
    CANNOT_TELL,
    COUNTED,
    DOCUMENTED,
    EMULATED,
    EVENTS,
    MEASURED,
    NOT_TESTABLE,
    PUBLISHED,
    ROUTEROS,
    TIMED,
    Comparison,
    Evidence,
    Finding,
    Judged,
    Other,
    Verdict,
    least_to_greatest,
    repeatability,
    verdict_of,
)
from ppslab.model import manual
from ppslab.model.lab import published
from ppslab.model.lab.lab import Lab
from ppslab.model.lab.published import Published
from ppslab.model.results import Record, Run, TcpRecord
from ppslab.model.statistics import Interval

ROUTEROS_ROUTER = "routeros"
FREE = "free"
LICENCE = (
    "needs a paid licence or the trial of 60 days (/system/license/renew): with the free licence, "
    "a CHR sends at most 1 Mbit/s out of an interface, so rates show only the licence's limit"
)


@dataclass(frozen=True)
class _Ruling:
    """The judgement of a claim by one kind of evidence; `evidence` None: there is none yet."""

    finding: Finding
    evidence: Evidence | None = None
    runs: int = 0
    times_more: float | None = None
    repeatability: tuple[float, float] | None = None
    others: tuple[Other, ...] = ()
    testable: bool = True
    interval_kind: str = ""

    @property
    def verdict(self) -> Verdict:
        """The evidence's word for the comparison."""
        if self.evidence:
            return verdict_of(self.evidence, self.finding.comparison)
        return CANNOT_TELL if self.testable else NOT_TESTABLE

    @property
    def rank(self) -> int:
        """Its place among the kinds of evidence, the strongest first; behind all where none."""
        order: tuple[Evidence, ...] = get_args(Evidence)
        return order.index(self.evidence) if self.evidence else len(order)

    @property
    def other(self) -> Other | None:
        """It beside a stronger kind's; None where there is no evidence."""
        if self.evidence is None:
            return None
        interval = self.finding.interval
        if interval is None:
            return Other(self.evidence, self.verdict, None, None)
        ends = (interval.low, interval.high)
        return Other(self.evidence, self.verdict, interval.estimate, ends, self.interval_kind)


def judge_all(lab: Lab, runs: Runs | None = None) -> list[Judged]:
    """The verdict on every claim of `lab`; where runs are missing nothing measured is conclusive.

    Each claim's word says which kind of run it needs, and its `measure` which measure.
    FileError for files of the lab that are wrong; JudgeError where judging itself fails.
    """
    numbers = published.load(lab)
    results = Results(numbers.values())
    judged = []
    for claim in load(lab):
        try:
            judged.append(_judged(lab, claim, numbers, results, runs or Runs()))
        except PpslabError:
            raise
        except Exception as error:  # whatever it is, it is this lab's alone (`judge.outcome`)
            raise JudgeError(lab.name, claim.id, runs or Runs(), error) from error
    return judged


def judge_run(lab: Lab, record: Record | TcpRecord) -> list[Judged]:
    """The claims that one run can speak of: of its own command, and on nothing that it left out."""
    measured = {condition.name for condition in record.conditions}
    judges = {claim.id: claim.word(record) for claim in load(lab)}
    return [
        judged
        for judged in judge_all(lab, Runs.of(record))
        if (judges[judged.id].command == "tcp") == isinstance(record, TcpRecord)
        and measured.issuperset(judges[judged.id].conditions)
    ]


class JudgeError(PpslabError):
    """Judging a claim failed at a place where it must not: a fault of ppslab's, not the reader's.

    It says which claim, which runs and where, for who mends it.
    """

    def __init__(self, lab: str, claim: str, runs: Runs, error: Exception) -> None:
        by = ", ".join(run.id for run in runs.all) or "no run"
        super().__init__(f"claim {claim}, by {by}: {place_of(error)}")
        self.lab, self.claim = lab, claim


def _judged(
    lab: Lab,
    claim: Claim,
    numbers: dict[str, Published],
    results: Results,
    runs: Runs,
) -> Judged:
    rows = [numbers[name] for name in claim.published]
    mine: Sequence[Run] = runs.tcp if claim.judge.word.command == "tcp" else runs.packets
    judge = claim.word(mine[0] if mine else None)
    kinds = (
        _by_run(lab, claim, judge, rows, mine),
        _by_mikrotik(claim, judge, rows, results),
        _by_manual(claim),
        _by_others(claim, judge, rows),
    )
    # The strongest evidence decides; the others stand beside it.
    ruling, *weaker = sorted((kind for kind in kinds if kind), key=lambda kind: kind.rank)
    interval = ruling.finding.interval
    return Judged(
        id=claim.id,
        lab=lab.name,
        source=claim.source,
        statement=claim.statement,
        where=claim.where,
        published=judge.published(rows),
        measured=interval.estimate if interval else None,
        interval=(interval.low, interval.high) if interval else None,
        verdict=ruling.verdict,
        evidence=ruling.evidence,
        reason=ruling.finding.reason,
        conditions=tuple(judge.conditions),
        runs=ruling.runs,
        others=(*ruling.others, *(one for one in (each.other for each in weaker) if one)),
        settled_by=claim.settled_by,
        interval_kind=ruling.interval_kind,
        repeatability=ruling.repeatability,
        times_more=ruling.times_more,
    )


def _by_mikrotik(
    claim: Claim, judge: Judge, rows: Sequence[Published], results: Results
) -> _Ruling | None:
    asked: Question | None
    if claim.tables:
        asked = results.named(claim.tables, judge, rows)
    else:
        asked = None if results.have(rows) else judge.by_tables(results, rows)
    if asked is None:
        return None
    finding = decide(asked)
    routers = results.routers_of(claim.tables, judge.frame_sizes)
    kind = least_to_greatest(finding.interval.count) if finding.interval else ""
    reason = f"{finding.reason} ({kind}: MikroTik's own tables of {routers})"
    if claim.tables:
        reason += f"; {claim.tables.because}"
    # Lower bounds are open upwards where they decide, and shown as the tables have them.
    shown = results.between(claim.tables) if claim.tables else finding.interval
    return _Ruling(
        Finding(finding.comparison, reason, shown),
        PUBLISHED,
        interval_kind=kind,
    )


def _by_others(claim: Claim, judge: Judge, rows: Sequence[Published]) -> _Ruling | None:
    """Judge by what others measured on RouterOS, with their method; None for a claim without."""
    if claim.measured is None:
        return None
    asked = claim.measured.question(judge, rows)
    finding = decide(asked)
    kind = least_to_greatest(len(claim.measured.dearer))
    reason = f"{finding.reason} ({kind}: {claim.measured.cited}); {claim.measured.because}"
    return _Ruling(
        Finding(finding.comparison, reason, finding.interval),
        MEASURED,
        interval_kind=kind,
    )


_HELD: dict[bool | Literal["open"], Comparison] = {
    True: Comparison.SIZE,
    False: Comparison.AGAINST,
    "open": Comparison.OPEN,
}


def _by_manual(claim: Claim) -> _Ruling | None:
    """Judge by the manual's facts, with their pages and dates; None for a claim without any."""
    if claim.documented is None:
        return None
    facts = [manual.fact(name) for name in claim.documented.facts]
    words = "; ".join(f"{fact.says} {fact.cited}" for fact in facts)
    reason = f"{words}; {claim.documented.because}" if claim.documented.because else words
    return _Ruling(Finding(_HELD[claim.documented.holds], reason), DOCUMENTED)


def _by_run(
    lab: Lab, claim: Claim, judge: Judge, rows: Sequence[Published], runs: Sequence[Run]
) -> _Ruling:
    if judge.missing:
        return _Ruling(Finding(Comparison.OPEN, f"needs {judge.missing}"), testable=False)
    if printed := judge.from_print(rows):
        return _Ruling(printed, ARITHMETIC)
    if not runs:
        return _Ruling(Finding(Comparison.OPEN, f"no run yet: ppslab {judge.command} {lab.name}"))
    if runs[0].licence_level == FREE and not judge.by_counter:
        return _Ruling(Finding(Comparison.OPEN, LICENCE), testable=False)
    by_measure = [
        _measured(lab, claim, judge, rows, by_it)
        for measure in measures_of(claim, judge)
        if (by_it := [run for run in runs if run.measure == measure])
    ]
    if not by_measure:
        wanted = " or ".join(measures_of(claim, judge))
        return _Ruling(Finding(Comparison.OPEN, f"no {wanted} run yet"))
    # The stronger evidence decides, also where it cannot tell: to let the weaker decide then would
    # be to choose the evidence by what it says.  Of equals it is the claim's own measure.
    first = min(by_measure, key=lambda each: each.rank)
    others = (each.other for each in by_measure if each is not first)
    return replace(first, others=tuple(each for each in others if each))


def measures_of(claim: Claim, judge: Judge) -> tuple[str, ...]:
    """The measures that can judge a claim, the one that decides first."""
    if claim.measure:
        return (claim.measure, TIMED if claim.measure == COUNTED else COUNTED)
    return judge.measures


def _measured(
    lab: Lab, claim: Claim, judge: Judge, rows: Sequence[Published], runs: Sequence[Run]
) -> _Ruling:
    """Judge by the runs of one measure together; with the newest one's reason where none tells."""
    asked: list[Question] = []
    first_problem = ""
    for run in runs:
        if len(asked) == FULL:
            break
        try:
            asked.append(judge.question(run, rows))
        except costs.NoDataError as error:
            first_problem = first_problem or str(error)
    if not asked:
        return _left_out(claim, judge, runs[0]) or _Ruling(Finding(Comparison.OPEN, first_problem))
    evidence = _evidence(claim, judge, runs[0])
    repeats = agreement.REPEATS if runs[0].measure == COUNTED else 1.0
    same_again = as_it_repeats(together(asked), repeats)
    whole = another_says(lab, judge, evidence, same_again)
    finding = decide(whole)
    reason = finding.reason
    if claim.by_construction:
        reason += f"; by construction: {claim.by_construction}"
    if evidence == EMULATED:
        reason += "; the clock of an emulated CPU does not measure rates"
    verdict = verdict_of(evidence, finding.comparison)
    more = None
    if verdict == CANNOT_TELL and evidence != EMULATED:
        # Rounds narrow an interval; what it does not reach, or lies beside, it never will.
        more = inf
        if finding.comparison == Comparison.OPEN:
            exact = as_it_repeats(without_noise(together(asked)), repeats)
            more = times_more(whole, another_says(lab, judge, evidence, exact))
        reason += f"; {_more(more, len(asked))}"
    if len(asked) < FULL:
        counted = "one run" if len(asked) == 1 else f"{len(asked)} runs"
        reason += f" ({counted} of {FULL})"
    again = decide(same_again).interval
    return _Ruling(
        Finding(finding.comparison, reason, finding.interval),
        evidence,
        len(asked),
        more,
        (again.low, again.high) if again else None,
        interval_kind=_interval_kind(judge, evidence, len(asked), widened=whole is not same_again),
    )


def _interval_kind(judge: Judge, evidence: Evidence, runs: int, *, widened: bool) -> str:
    if widened:
        return ANOTHER_STAND_IN
    return judge.interval_kind if evidence in (ROUTEROS, TIMED) else repeatability(runs)


MOST_ROUNDS = 1000.0
"""More times the rounds than this nobody measures."""


def _more(times: float, runs: int) -> str:
    if times > MOST_ROUNDS:
        return "no reasonable number of rounds would decide the claim"
    if runs == 2:
        # Two runs show their spread with one degree of freedom: a third narrows the interval far
        # more than longer runs would.
        return "a third run may decide the claim"
    return f"about {max(times, 1.1):.2g} times as many rounds would decide the claim"


def _evidence(claim: Claim, judge: Judge, run: Run) -> Evidence:
    if claim.by_construction:
        return BY_CONSTRUCTION
    if run.router["name"] == ROUTEROS_ROUTER:
        return ROUTEROS
    if judge.by_events:
        return EVENTS
    if run.measure == COUNTED:
        return COUNTED
    return EMULATED if run.emulated else TIMED


def _left_out(claim: Claim, judge: Judge, run: Run) -> _Ruling | None:
    """Give this machine's reason for leaving a condition of the claim out; None for none."""
    for each in run.skipped:
        if each.condition in judge.conditions:
            needs = f"needs {claim.settled_by}: " if claim.settled_by else ""
            reason = f"{needs}the run left out {each.condition}: {each.reason}"
            return _Ruling(Finding(Comparison.OPEN, reason), testable=False)
    return None


# The interval of a stand-in's ratio is what another stand-in would say, not the same one again.
# Two things are added to how well a run repeats.  Another kernel: how far counts of several kernels
# spread (`judge.kernels`).  And the bias of counting against a real CPU, which goes both ways: a
# timed ratio is the counted one over its bias, so the interval reaches down by the bias's upper end
# and up by its lower one, and 1 is no wall to it.  How far is known of a pair that is kept by both
# measures; of any other it is as far as 95 in 100 of such pairs reach (agreement.py).

Pair = tuple[str, str, int]
"""Numerator, denominator, frame size."""


def another_says(lab: Lab, judge: Judge, evidence: Evidence, question: Question) -> Question:
    """The question with each ratio's interval as another stand-in could say it.

    Only of what a packet costs, or of a rate: a share of events is no ratio of two costs.
    """
    if evidence not in (COUNTED, TIMED) or not question.ratios:
        return question
    pairs = judge.pairs or (() if isinstance(question, Steps) else (None,))
    if len(pairs) != len(question.intervals):
        return question
    return question.with_intervals(
        [
            _reaching(lab, ratio, pair, evidence)
            for ratio, pair in zip(question.intervals, pairs, strict=True)
        ]
    )


def without_noise(question: Question) -> Question:
    """The question as endless rounds would ask it: each interval is its estimate alone."""
    return question.with_intervals(
        [replace(one, low=one.estimate, high=one.estimate) for one in question.intervals]
    )


def _reaching(lab: Lab, ratio: Interval, pair: Pair | None, evidence: Evidence) -> Interval:
    otherwise = agreement.KERNELS
    if pair and evidence == COUNTED:
        wide = kernels.across_kernels(lab.name, *pair, ratio, otherwise)
    else:
        spread = kernels.spread(lab.name, *pair) if pair else None
        wide = ratio.as_wide_as(spread or otherwise)
    if evidence != COUNTED:
        return wide
    most = agreement.COUNTING
    own = kernels.bias(lab.name, *pair) if pair else None
    least, most = (own.low, own.high) if own else (1 / most, most)
    high = wide.high / min(1.0, least) if least > 0 else inf
    return replace(wide, low=wide.low / max(1.0, most), high=high)


@dataclass(frozen=True)
class Undecided:
    """A claim that `ppslab run` can decide and has not: its conditions, sizes, and why.

    `measures`: those that can judge it.  `times_more`: how many times as many rounds would decide
    it, infinite where none would, None where no round has spoken of it.
    """

    claim: str
    conditions: tuple[str, ...]
    sizes: tuple[int, ...]
    searched: bool
    reason: str
    measures: tuple[str, ...]
    times_more: float | None

    def decided_by(self, measure: Measure) -> bool:
        """True if a reasonable number of further rounds of this measure would decide it."""
        return measure in self.measures and (self.times_more or 0.0) <= MOST_ROUNDS


def undecided(lab: Lab, runs: Runs) -> list[Undecided]:
    """The claims of `lab` that more runs of `ppslab run` could decide, in the file's order."""
    open_ones = {each.id: each for each in judge_all(lab, runs) if _rounds_could_tell(each)}
    newest = runs.packets[0] if runs.packets else None
    found = []
    for claim in load(lab):
        judge = claim.word(newest)
        if claim.id in open_ones and judge.command == "run":
            judged = open_ones[claim.id]
            found.append(
                Undecided(
                    claim.id,
                    judge.conditions,
                    judge.frame_sizes,
                    judge.searched,
                    judged.reason,
                    measures_of(claim, judge),
                    judged.times_more,
                )
            )
    return found


def _rounds_could_tell(judged: Judged) -> bool:
    """True for an open claim that further rounds of the stand-in could decide."""
    elsewhere = judged.evidence in (PUBLISHED, DOCUMENTED, MEASURED, EMULATED)
    return judged.verdict == CANNOT_TELL and not elsewhere


def to_measure(lab: Lab, left: Iterable[Undecided]) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The conditions and frame sizes that decide them, with the reference for the noise."""
    left = list(left)
    named = {lab.spec.reference, *(name for each in left for name in each.conditions)}
    sizes = sorted({size for each in left for size in each.sizes})
    return tuple(name for name in lab.conditions if name in named), tuple(sizes)
