"""What a record's trials say: nanoseconds per packet, ratios, and how much of it is noise.

The router's cost of a condition in one round is the time per packet of its trial, less that of a
baseline of the same round and frame size: what the tester costs alone.  Of the two baselines,
`cable` (the tester's ports joined by a wire) holds the receiver's part too and leaves what the
router adds; `drop` (the router drops at its ingress) holds the sender's part only, so the
receiver's stays in every condition and draws all ratios towards 1.

A router that is a device of its own works in nobody else's time.  Its record's baseline is `none`,
and a packet's cost is the time from one forwarded packet to the next at the maximum offered load:
1 over the forwarding rate (RFC 2285 section 3.6.2).  Where that comes near to what the tester
can send, it is the tester's cost, and none of the router's.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from ppslab import recorded
from ppslab.calibration.use import TESTER_SHARE
from ppslab.results import Record, Run, Trial
from ppslab.statistics import Interval, median_interval, ratio_interval

Rounds = dict[int, float]
"""A value by round; of costs, nanoseconds per packet."""


class NoDataError(Exception):
    """The record has no valid trials for the question; the message says which."""


def raw_costs(record: Record, condition: str | None, size: int, purpose: str = "cost") -> Rounds:
    """Time per packet of tester and router together, by round; `condition` None: tester alone."""
    found: dict[int, list[Trial]] = defaultdict(list)
    for trial in record.trials:
        wanted = trial.purpose == purpose and trial.condition == condition
        if wanted and trial.valid and trial.frame_size == size and trial.round is not None:
            found[trial.round].append(trial)
    # The last attempt is the one that was kept when noisy ones were repeated.
    return {
        number: trials[-1].nanoseconds_each(record.clock)
        for number, trials in sorted(found.items())
    }


def forwarding_rates(record: Record, condition: str, size: int, purpose: str = "cost") -> Rounds:
    """Frames per second at the maximum offered load by round (RFC 2285 section 3.6.2)."""
    return {
        trial.round: trial.forwarding_rate
        for trial in record.trials
        if trial.valid
        and trial.purpose == purpose
        and (trial.condition, trial.frame_size) == (condition, size)
        and trial.intended_rate is None
        and trial.round is not None
    }


def router_costs(
    record: Record,
    condition: str,
    size: int,
    *,
    purpose: str = "cost",
    baseline: str | None = None,
) -> Rounds:
    """The router's own time per packet by round, in nanoseconds.

    `baseline`: "cable" or "drop"; without it the record's own, and "drop" where the router
    delivers nothing: no frame then costs the tester's receiver anything.
    """
    if record.baseline == "none":
        return _forwarding_times(record, condition, size, purpose)
    alone = raw_costs(record, None, size, baseline or _baseline(record, condition))
    raw = raw_costs(record, condition, size, purpose)
    return recorded.less(raw, alone)


def _forwarding_times(record: Record, condition: str, size: int, purpose: str) -> Rounds:
    """Nanoseconds from one forwarded packet to the next, at the maximum offered load.

    NoDataError where the tester was the limit in every round.
    """
    rates = forwarding_rates(record, condition, size, purpose)
    limit = record.tester.limit(size)
    if rates and limit and all(rate >= TESTER_SHARE * limit for rate in rates.values()):
        raise NoDataError(
            f"{condition} at {size} bytes forwards all that the tester can send: "
            "the router's own limit lies above"
        )
    return recorded.times_of_rates(rates, limit, TESTER_SHARE)


def _baseline(record: Record, condition: str) -> str:
    dropping = {c.name for c in record.conditions if c.delivers == "none"}
    return "drop" if condition in dropping else record.baseline


def cost(record: Record, condition: str, size: int, baseline: str | None = None) -> Interval:
    """The router's nanoseconds per packet: median over the rounds with its 95 % interval."""
    rounds = router_costs(record, condition, size, baseline=baseline)
    if not rounds:
        raise NoDataError(f"no valid rounds of {condition} at {size} bytes")
    return median_interval(list(rounds.values()), seed=record.seed)


def tester_cost(record: Record, size: int, baseline: str) -> Interval:
    """The tester's own nanoseconds per packet, by the baseline "cable" or "drop"."""
    rounds = raw_costs(record, None, size, baseline)
    if not rounds:
        raise NoDataError(f"no valid rounds of the baseline {baseline} at {size} bytes")
    return median_interval(list(rounds.values()), seed=record.seed)


def ratio(
    record: Record, numerator: str, denominator: str, size: int, baseline: str | None = None
) -> Interval:
    """How many times the router time of `denominator` a packet costs under `numerator`."""
    return paired_ratio(
        record,
        router_costs(record, numerator, size, baseline=baseline),
        router_costs(record, denominator, size, baseline=baseline),
        f"{numerator} against {denominator} at {size} bytes",
    )


def paired_ratio(record: Run, above: Rounds, below: Rounds, what: str) -> Interval:
    """How many times `below` the values `above` are, in the rounds that both have.

    NoDataError, with `what` was asked, where no round has both.
    """
    common = [number for number in above if number in below]
    try:
        return ratio_interval(
            [above[number] for number in common],
            [below[number] for number in common],
            seed=record.seed,
        )
    except ValueError:
        raise NoDataError(f"no valid rounds of {what}") from None


def size_ratio(record: Record, condition: str, larger: int, smaller: int) -> Interval:
    """How much more a packet of `larger` bytes costs than one of `smaller`, router time.

    The two sizes were measured in rounds of their own, so nothing is paired: the ratio of the
    medians, with the widest interval that the two intervals allow.
    """
    top, bottom = cost(record, condition, larger), cost(record, condition, smaller)
    if bottom.low <= 0:
        raise NoDataError(f"{condition} at {smaller} bytes costs no more than the baseline")
    return Interval(
        top.estimate / bottom.estimate,
        top.low / bottom.high,
        top.high / bottom.low,
        min(top.count, bottom.count),
    )


def null_interval(record: Record, size: int) -> Interval:
    """The A/A interval: the reference condition against itself, measured twice a round."""
    return paired_ratio(
        record,
        router_costs(record, record.reference, size, purpose="null"),
        router_costs(record, record.reference, size),
        f"the reference condition against itself at {size} bytes",
    )


def noise(record: Record, size: int) -> float:
    """Half the width of the A/A interval around 1: a smaller difference means nothing."""
    null = null_interval(record, size)
    return max(abs(null.low - 1), abs(null.high - 1))


def measured_conditions(record: Record) -> list[str]:
    """Conditions with at least one valid cost trial, in the lab's order."""
    have = {t.condition for t in record.trials if t.purpose == "cost" and t.valid}
    return [c.name for c in record.conditions if c.name in have]


def invalid_trials(record: Record) -> Iterable[Trial]:
    """The trials that were measured in vain."""
    return (trial for trial in record.trials if not trial.valid)
