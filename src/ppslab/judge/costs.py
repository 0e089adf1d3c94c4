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

from collections.abc import Iterable
from math import inf

from ppslab.model import rounds
from ppslab.model.recorded import TESTER_SHARE
from ppslab.model.results import Record, Run, Trial
from ppslab.model.statistics import Interval, median_interval, ratio_interval
from ppslab.model.statistics.difference import ratio_of_estimates

Rounds = dict[int, float]
"""A value by round; of costs, nanoseconds per packet."""


class NoDataError(Exception):
    """The record has no valid trials for the question; the message says which."""


class NoThroughputError(NoDataError):
    """The search of a condition at a frame size found no load that passed; `why`: what it says."""

    def __init__(self, condition: str, size: int, why: str) -> None:
        super().__init__(f"no throughput found of {condition} at {size} bytes: {why}")
        self.condition, self.size, self.why = condition, size, why


def raw_costs(record: Record, condition: str | None, size: int, purpose: str = "cost") -> Rounds:
    """Time per packet of tester and router together, by round; `condition` None: tester alone."""
    return rounds.raw_costs(record, condition, size, purpose)


def forwarding_rates(record: Record, condition: str, size: int, purpose: str = "cost") -> Rounds:
    """Frames per second at the maximum offered load by round (RFC 2285 section 3.6.2)."""
    return rounds.forwarding_rates(record, condition, size, purpose)


def router_costs(
    record: Record,
    condition: str,
    size: int,
    *,
    purpose: str = "cost",
    baseline: str | None = None,
) -> Rounds:
    """The router's own time per packet by round, in nanoseconds; see rounds.router_costs.

    NoDataError where the tester was the limit in every round.
    """
    limit = rounds.tester_limit(record.tester, size)
    if record.baseline == "none" and limit:
        rates = forwarding_rates(record, condition, size, purpose)
        if rates and all(rate >= TESTER_SHARE * limit for rate in rates.values()):
            raise NoDataError(
                f"{condition} at {size} bytes forwards all that the tester can send: "
                "the router's own limit lies above"
            )
    return rounds.router_costs(record, condition, size, purpose, baseline)


def cost(record: Record, condition: str, size: int, baseline: str | None = None) -> Interval:
    """The router's nanoseconds per packet: median over the rounds with its 95 % interval."""
    by_round = router_costs(record, condition, size, baseline=baseline)
    if not by_round:
        raise NoDataError(f"no valid rounds of {condition} at {size} bytes")
    return median_interval(list(by_round.values()), seed=record.seed)


def tester_cost(record: Record, size: int, baseline: str) -> Interval:
    """The tester's own nanoseconds per packet, by the baseline "cable" or "drop"."""
    by_round = raw_costs(record, None, size, baseline)
    if not by_round:
        raise NoDataError(f"no valid rounds of the baseline {baseline} at {size} bytes")
    return median_interval(list(by_round.values()), seed=record.seed)


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

    The two sizes were measured in rounds of their own, so nothing is paired.
    """
    top, bottom = cost(record, condition, larger), cost(record, condition, smaller)
    if top.estimate <= 0 or bottom.estimate <= 0:
        raise NoDataError(f"{condition} costs no more than the baseline")
    return ratio_of_estimates(top, bottom)


def a_a_interval(record: Record, size: int) -> Interval:
    """The A/A interval: the reference condition against itself, measured twice a round."""
    return paired_ratio(
        record,
        router_costs(record, record.reference, size, purpose="a-a"),
        router_costs(record, record.reference, size),
        f"the reference condition against itself at {size} bytes",
    )


def noise(record: Record, size: int) -> float:
    """Half the width of the A/A interval around 1: a smaller difference means nothing."""
    null = a_a_interval(record, size)
    return max(abs(null.low - 1), abs(null.high - 1))


def noise_factor(record: Record, size: int) -> float:
    """The factor by which the reference may differ from itself: the A/A interval's farther end.

    Where this size has no A/A trial, the noisiest size that has one; NoDataError without any.
    """
    sizes = {t.frame_size for t in record.trials if t.purpose == "a-a" and t.valid}
    factors = []
    for each in sorted({size} & sizes or sizes):
        null = a_a_interval(record, each)
        factors.append(max(null.high, 1 / null.low if null.low > 0 else inf, 1.0))
    if not factors:
        raise NoDataError(f"no A/A trial of {record.reference}: nothing tells this run's noise")
    return max(factors)


def measured_conditions(record: Record) -> list[str]:
    """Conditions with at least one valid cost trial, in the lab's order."""
    have = {t.condition for t in record.trials if t.purpose == "cost" and t.valid}
    return [c.name for c in record.conditions if c.name in have]


def invalid_trials(record: Record) -> Iterable[Trial]:
    """The trials that were measured in vain."""
    return (trial for trial in record.trials if not trial.valid)
