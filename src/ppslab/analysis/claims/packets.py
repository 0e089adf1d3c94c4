"""Claims on what a packet costs the router, on its rates, and on which frames came and how."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from math import exp, inf, log, sqrt
from typing import Any

from ppslab.analysis import costs
from ppslab.analysis.claims import agreement
from ppslab.analysis.claims.deciding import Band, Question, Size, Steps
from ppslab.analysis.claims.schema import (
    AtLeast,
    AtMost,
    CounterShare,
    LittleChange,
    Lost,
    Order,
    OverloadDelay,
    RateRatio,
    Share,
    SizeIndependent,
    SizeRatio,
    Spread,
    Uneven,
)
from ppslab.analysis.claims.verdicts import bounded, ratio_of_costs
from ppslab.lab.published import Published
from ppslab.lab.published_value import Value
from ppslab.results import GoalResult, Record, Trial
from ppslab.theory.statistics import Interval, median_interval


def question(word: Any, rows: Sequence[Published], record: Record) -> Question:
    """What one record of `ppslab run` says to a claim; NoDataError where it has no such trials.

    Every ratio of costs is at least as wide as the A/A ratio of the run.
    """
    if isinstance(word, Order):
        return _order(word, record)
    if isinstance(word, OverloadDelay):
        return _overload_delay(word, record)
    if isinstance(word, Share):
        return _share(word, record)
    if isinstance(word, SizeIndependent):
        larger, smaller = max(word.sizes), min(word.sizes)
        difference = _of_sizes(record, word.condition, larger, smaller)
        return same(difference, f"the frame is {larger / smaller:.3g} times as large")
    if isinstance(word, LittleChange):
        return same(_ratio(record, word.numerator, word.denominator, word.size), "no change")
    return Size(published_ratio(word, rows), _measured(word, record))


def published_ratio(word: Any, rows: Sequence[Published]) -> Value:
    """What the source says of a ratio of costs or rates; one side of it for a bound."""
    value = ratio_of_costs(rows)
    if isinstance(word, AtLeast) or (isinstance(word, RateRatio) and word.at_least):
        return Value(value.low, inf)
    return Value(0.0, value.high) if isinstance(word, AtMost) else value


def _measured(word: Any, record: Record) -> Interval:
    if isinstance(word, RateRatio):
        return _rates(word, record)
    if isinstance(word, SizeRatio):
        return _of_sizes(record, word.condition, word.larger, word.smaller)
    return _ratio(record, word.numerator, word.denominator, word.size)


def same(ratio: Interval, sentence: str) -> Band:
    """Whether two costs are the same, as agreement.yml says it."""
    same = agreement.load().same
    return Band(ratio, 1 / same, same, f"{sentence}: within a factor of {same:g}", of_ratio=True)


def _ratio(record: Record, above: str, below: str, size: int) -> Interval:
    return costs.ratio(record, above, below, size).as_wide_as(costs.noise_factor(record, size))


def _of_sizes(record: Record, condition: str, larger: int, smaller: int) -> Interval:
    noise = max(costs.noise_factor(record, size) for size in (larger, smaller))
    return costs.size_ratio(record, condition, larger, smaller).as_wide_as(noise)


def _order(word: Order, record: Record) -> Steps:
    """Every step must be dearer by more than the noise; one that is cheaper contradicts."""
    steps = []
    for cheaper, dearer in pairwise(word.conditions):
        ratio = _ratio(record, dearer, cheaper, word.size)
        steps.append((ratio, f"{dearer} costs {ratio} times {cheaper}"))
    return Steps(tuple(steps), rising=True)


def _rates(word: RateRatio, record: Record) -> Interval:
    """The throughput of the second condition over the first's, as two searches bound them.

    A search ends with a load that passed and one that did not; the throughput lies between.  It
    is one search a run and no A/A: so one run says no more than these bounds.
    """
    slower, slowest = _goal(record, word.numerator, word)
    faster, least = _goal(record, word.denominator, word)
    if slower.tester_limited:
        raise costs.NoDataError(
            f"{word.numerator} at {word.size} bytes forwards all that the tester can send: "
            "the router's own limit lies above"
        )
    high = inf
    if not faster.tester_limited and faster.relevant_upper_bound:
        high = faster.relevant_upper_bound / slowest
    low = least / (slower.relevant_upper_bound or inf)
    estimate = sqrt(low * high) if high < inf else least / slowest
    return Interval(estimate, low, high, 1)


def _goal(record: Record, condition: str, word: RateRatio) -> tuple[GoalResult, float]:
    """What the search found, and the highest load that passed; NoThroughputError where none did."""
    for search in record.searches:
        if (search.condition, search.frame_size) != (condition, word.size):
            continue
        if search.failed_because:
            raise costs.NoThroughputError(condition, word.size, search.failed_because)
        for goal in search.goals:
            if goal.loss_ratio == word.loss:
                if not goal.relevant_lower_bound:
                    why = f"at no load was at most {100 * word.loss:g} % lost"
                    raise costs.NoThroughputError(condition, word.size, why)
                return goal, goal.relevant_lower_bound
    raise costs.NoDataError(
        f"no search of {condition} at {word.size} bytes for a loss of {100 * word.loss:g} %"
    )


def _share(word: Share, record: Record) -> Band:
    trials = [
        trial
        for trial in record.trials
        if trial.valid
        and trial.purpose in ("cost", "search")
        and trial.condition == word.condition
        and trial.frame_size == word.size
        and trial.counts
    ]
    value = _unevenness if isinstance(word, Uneven) else _value_of(word)
    shares = [share for trial in trials if (share := value(trial)) is not None]
    if not shares:
        what = getattr(word, "counter", "such frames")
        if isinstance(word, Spread):
            what = " and ".join(word.counters)
        if isinstance(word, Uneven):
            what = f"several streams and lost {100 * OVERLOAD:g} % of their frames"
        raise costs.NoDataError(
            f"no valid trials of {word.condition} at {word.size} bytes that count {what}"
        )
    low = -inf if word.at_least is None else word.at_least
    high = inf if word.at_most is None else word.at_most
    bounds = bounded(word.at_least, word.at_most)
    sentence = f"{_named(word)}: {bounds}, in the median of the trials"
    found = median_interval(shares, seed=record.seed)
    # What is counted is never below nothing; of the frames no more than all are lost or late.
    most = found.high if isinstance(word, CounterShare) else min(1.0, found.high)
    return Band(replace(found, low=max(0.0, found.low), high=most), low, high, sentence)


def _named(word: Share) -> str:
    if isinstance(word, CounterShare):
        return f"{word.counter} as a share of {word.of}"
    if isinstance(word, Spread):
        *most, last = word.counters
        whose = f"the {_ranked(word.rank, len(word.counters))} of {', '.join(most)} and {last}"
        return f"share of the packets that went through {whose}"
    if isinstance(word, Uneven):
        return "what the worst-served stream gets of what the best-served one does"
    return "lost of offered frames" if isinstance(word, Lost) else "reordered of received frames"


def _ranked(rank: int, of: int) -> str:
    if rank in (1, of):
        return "busiest" if rank == 1 else "least busy"
    word = {2: "second", 3: "third"}.get(rank, f"{rank}th")
    return f"{word} busiest"


OVERLOAD = 0.05
"""A trial that lost this share of its frames, or more, had a load that was too high."""


def _unevenness(trial: Trial) -> float | None:
    """What the worst-served stream gets over what the best-served one does, of what each sent."""
    if trial.counts is None or len(trial.counts["flows"]) < 2:
        return None
    sent = [flow["intended"] for flow in trial.counts["flows"]]
    got = [flow["received"] for flow in trial.counts["flows"]]
    if not all(sent) or sum(got) > (1 - OVERLOAD) * sum(sent) or not any(got):
        return None
    shares = [mine / all_of_it for mine, all_of_it in zip(got, sent, strict=True)]
    return min(shares) / max(shares)


def _overload_delay(word: OverloadDelay, record: Record) -> Steps:
    """The two kinds of trials are not paired: each has its interval, which meet in the worst way.

    Of a delay there is no A/A; a search tries each load again, and how far those lie apart is in
    the intervals.  A delay is from the time at which the frame was sent, not from when it was due.
    """
    delays: dict[bool, list[float]] = {True: [], False: []}
    for trial in record.trials:
        if not (trial.valid and trial.purpose == "search" and trial.counts):
            continue
        if (trial.condition, trial.frame_size) != (word.condition, word.size):
            continue
        lost = trial.counts["intended"] - trial.counts["received"]
        delay = trial.counts["delay_actual_ns"][word.of]
        if delay is None or delay <= 0:
            continue
        if lost == 0 or lost >= OVERLOAD * trial.counts["intended"]:
            delays[lost > 0].append(log(delay))
    if min(map(len, delays.values())) < 2:
        raise costs.NoDataError(
            f"no searches of {word.condition} at {word.size} bytes with two trials that lost "
            f"{100 * OVERLOAD:g} % and two that lost nothing"
        )
    full, calm = (median_interval(delays[lost], seed=record.seed) for lost in (True, False))
    ratio = Interval(
        exp(full.estimate - calm.estimate),
        exp(full.low - calm.high),
        exp(full.high - calm.low),
        min(full.count, calm.count),
    )
    which = "the quickest frame" if word.of == "min" else "a frame in the median"
    return Steps(((ratio, f"under overload {which} takes {ratio} times as long"),), rising=True)


def _value_of(word: Share) -> Callable[[Trial], float | None]:
    def value(trial: Trial) -> float | None:
        counts = trial.counts
        if counts is None:
            return None
        above: int | None
        below: int | None
        offered, received = counts["offered"], counts["received"]
        if isinstance(word, CounterShare):
            whole = {"offered": offered, "received": received, **trial.counters}
            above, below = trial.counters.get(word.counter), whole.get(word.of)
        elif isinstance(word, Spread):
            mine = [trial.counters.get(name) for name in word.counters]
            each = sorted((count for count in mine if count is not None), reverse=True)
            complete = len(each) == len(mine) >= word.rank
            above, below = (each[word.rank - 1], sum(each)) if complete else (None, None)
        elif isinstance(word, Lost):
            above, below = offered - received, offered
        else:
            above, below = counts["reordered"], received
        return above / below if above is not None and below else None

    return value
