"""Costs out of a record's trials: nanoseconds per packet, ratios, and their noise.

The router's cost of a condition in one round is the time per packet of its trial, less that of a
baseline of the same round and frame size: what the tester costs alone.  Of the two baselines,
`cable` (the tester's ports joined by a wire) holds the receiver's part too and leaves what the
router adds; `drop` (the router drops at its ingress) holds the sender's part only, so the
receiver's stays in every condition and draws all ratios towards 1.

A router that is a device of its own works in nobody else's time.  Its record's baseline is `none`,
and a packet's cost is the time from one forwarded packet to the next at the maximum offered load:
1 over the forwarding rate (RFC 2285 section 3.6.2).  Where that comes near to what the tester
can send, it is the tester's cost, and none of the router's.

Where the router's work is in nobody else's time, the forwarding rate itself is compared: what came
through when the tester sent as fast as it could.  Rates of one round are paired.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from math import inf
from typing import ParamSpec, TypeVar

from ppslab.core.text.quantities import Content, Quantity, Sentence, quantity
from ppslab.core.text.tables import Table, cells
from ppslab.model.results import TESTER_SHARE, Record, Run, Trial
from ppslab.model.statistics import (
    Interval,
    median_interval,
    rate_interval,
    ratio_interval,
    ratio_of_estimates,
)

Rounds = dict[int, float]
"""A value by round; of costs, nanoseconds per packet."""


class NoDataError(Exception):
    """The record has no valid trials for the question; the message says which."""


class NoThroughputError(NoDataError):
    """The search of a condition at a frame size found no load that passed; `why`: what it says."""

    def __init__(self, condition: str, size: int, why: str) -> None:
        super().__init__(f"no throughput found of {condition} at {size} bytes: {why}")
        self.condition, self.size, self.why = condition, size, why


Asked = ParamSpec("Asked")
Found = TypeVar("Found")


def or_none(ask: Callable[Asked, Found], *args: Asked.args, **kwargs: Asked.kwargs) -> Found | None:
    """Call `ask` and return its answer, or None where it raises NoDataError."""
    try:
        return ask(*args, **kwargs)
    except NoDataError:
        return None


SENDERS_SHARE = 0.97
"""A sender that did this part of its and the kernel threads' work did all of its router's: 0.98 and
more of it is left where nothing is queued for a thread, and 0.96 at most where ciphers are."""


def trials(record: Run, condition: str | None, size: int, purpose: str) -> dict[int, Trial]:
    """The valid trials by round; of repeated ones the last, which was kept."""
    return _by_round(_Trials(record.trials)).get((condition, size, purpose), {})


class _Trials:
    """A record's trials, which are equal to themselves alone: nobody compares thousands of them."""

    def __init__(self, trials: tuple[Trial, ...]) -> None:
        self.trials = trials

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Trials) and self.trials is other.trials

    def __hash__(self) -> int:
        return id(self.trials)


# Each cost, ratio and claim asks for two rounds or four of one record, which has thousands.
@lru_cache(maxsize=32)
def _by_round(of: _Trials) -> dict[tuple[str | None, int, str], dict[int, Trial]]:
    """Those that are valid, by condition, frame size and purpose, in the order of their rounds."""
    kept: dict[tuple[str | None, int, str], dict[int, Trial]] = {}
    for trial in of.trials:
        if trial.valid and trial.round is not None:
            rounds = kept.setdefault((trial.condition, trial.frame_size, trial.purpose), {})
            rounds[trial.round] = trial
    return {asked: dict(sorted(rounds.items())) for asked, rounds in kept.items()}


def raw_costs(record: Record, condition: str | None, size: int, purpose: str = "cost") -> Rounds:
    """Cost of a packet in tester and router together, by round; `condition` None: tester alone.

    Nanoseconds, or instructions where they were counted.
    """
    threads = record.clock == "cpu" and works_in_threads(record, condition)
    return {
        number: record.in_its_unit(trial.nanoseconds_each(record.clock, threads=threads))
        for number, trial in trials(record, condition, size, purpose).items()
    }


def works_in_threads(record: Record, condition: str | None) -> bool:
    """True if threads of the kernel work on a condition's packets, at some frame size.

    What else those threads do is small, and not the router's: a condition that leaves its work in
    the sender's time is read from that alone.
    """
    return _works_in_threads(_Trials(record.trials), condition)


@lru_cache(maxsize=128)
def _works_in_threads(of: _Trials, condition: str | None) -> bool:
    best: dict[int, float] = {}
    for trial in of.trials:
        if trial.valid and trial.condition == condition and trial.intended_load is None:
            share = trial.sender_share
            if share is not None:
                best[trial.frame_size] = max(share, best.get(trial.frame_size, 0.0))
    return bool(best) and min(best.values()) < SENDERS_SHARE


def forwarding_rates(record: Record, condition: str, size: int, purpose: str = "cost") -> Rounds:
    """Frames per second at the maximum offered load by round (RFC 2285 section 3.6.2)."""
    return {
        number: trial.forwarding_rate
        for number, trial in trials(record, condition, size, purpose).items()
        if trial.intended_load is None
    }


def router_costs(
    record: Record,
    condition: str,
    size: int,
    *,
    purpose: str = "cost",
    baseline: str | None = None,
) -> Rounds:
    """Cost of a packet in the router alone, by round, in the record's unit.

    `baseline`: "cable" or "drop"; without it the record's own, and "drop" where the router
    delivers nothing: no frame then costs the tester's receiver anything.  Where the record's is
    "none", the time from one forwarded packet to the next, in the rounds in which the tester was
    not the limit; NoDataError where it was in every round.
    """
    if record.baseline == "none":
        return _times_between_packets(record, condition, size, purpose)
    if baseline is None:
        dropping = [one.name for one in record.conditions if one.delivers == "none"]
        baseline = "drop" if condition in dropping else record.baseline
    raw = raw_costs(record, condition, size, purpose)
    alone = raw_costs(record, None, size, baseline)
    return {number: raw[number] - alone[number] for number in raw if number in alone}


def _times_between_packets(record: Record, condition: str, size: int, purpose: str) -> Rounds:
    rates = forwarding_rates(record, condition, size, purpose)
    limit = TESTER_SHARE * (record.tester.limit(size) or inf)
    if rates and all(rate >= limit for rate in rates.values()):
        raise NoDataError(
            f"{condition} at {size} bytes forwards the highest rate of the tester: "
            "the router's own limit is higher"
        )
    return {number: 1e9 / rate for number, rate in rates.items() if 0 < rate < limit}


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
    """Router time of a packet under `numerator` over that under `denominator`."""
    return paired_ratio(
        record,
        router_costs(record, numerator, size, baseline=baseline),
        router_costs(record, denominator, size, baseline=baseline),
        f"{numerator} against {denominator} at {size} bytes",
    )


def paired_ratio(record: Run, above: Rounds, below: Rounds, what: str) -> Interval:
    """Ratio of the values `above` to those `below`, in the rounds that both have.

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
    """Router time of a packet of `larger` bytes over that of one of `smaller`.

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


def noise_factor(record: Record, size: int) -> float:
    """The factor by which the reference may differ from itself.

    Where this size has no A/A trial, the noisiest size that has one; NoDataError without any.
    """
    sizes = {t.frame_size for t in record.trials if t.purpose == "a-a" and t.valid}
    if not sizes:
        raise NoDataError(f"no A/A trial of {record.reference}: the noise of this run is unknown")
    return max(a_a_interval(record, each).noise_factor for each in {size} & sizes or sizes)


def measured_conditions(record: Record) -> list[str]:
    """Conditions with at least one valid cost trial, in the lab's order."""
    have = {t.condition for t in record.trials if t.purpose == "cost" and t.valid}
    return [c.name for c in record.conditions if c.name in have]


def invalid_trials(record: Record) -> Iterable[Trial]:
    """The trials that were measured in vain."""
    return (trial for trial in record.trials if not trial.valid)


def forwarding_rate(record: Record, condition: str, size: int) -> Interval:
    """Frames a second, median over the rounds with its interval; NoDataError without rounds."""
    rates = forwarding_rates(record, condition, size)
    if not rates:
        raise NoDataError(f"no valid rounds of {condition} at {size} bytes")
    return rate_interval(list(rates.values()), seed=record.seed)


def forwarding_ratio(record: Record, condition: str, size: int, purpose: str = "cost") -> Interval:
    """Forwarding rate over that of the reference, in the same rounds."""
    return paired_ratio(
        record,
        forwarding_rates(record, condition, size, purpose),
        forwarding_rates(record, record.reference, size),
        f"{condition} at {size} bytes",
    )


def forwarding_table(record: Record) -> Table:
    """Every condition's forwarding rate and its ratio to the reference, at the smallest frame size.

    The ratio is an aside: where emulated CPUs share the host's, it differs from run to run.
    """
    size = min(record.frame_sizes)
    times_reference = Sentence(("relative to ", record.named(record.reference)))
    rows = []
    for condition in record.conditions:
        try:
            interval = forwarding_rate(record, condition.name, size)
            times = forwarding_ratio(record, condition.name, size)
        except NoDataError:
            continue
        kpps = Quantity.of(interval, "kpps", scale=1e-3)
        rows.append(cells(record.named(condition.name), kpps, Quantity.of(times)))
    return Table(
        title=f"Forwarded at the highest load, {size} bytes, median and 95 % interval",
        header=("condition", "forwarded", times_reference),
        rows=tuple(rows),
        notes=_forwarding_noise(record, size),
        provenance=record.provenance(),
        asides=frozenset({times_reference}),
    )


def _forwarding_noise(record: Record, size: int) -> tuple[Content, ...]:
    null = or_none(forwarding_ratio, record, record.reference, size, "a-a")
    if null is None:
        return ()
    end = ". Ratios nearer to 1 are noise."
    return (Sentence(("A/A ratio of the reference: ", Quantity.of(null), end)),)


def counter_shares(record: Record, condition: str, size: int) -> dict[str, Interval]:
    """Each counter's growth over the frames offered, median over the cost trials of a size."""
    trials = [
        trial
        for trial in record.trials
        if trial.valid and trial.purpose == "cost" and trial.counters and trial.counts
        if (trial.condition, trial.frame_size) == (condition, size)
    ]
    names = dict.fromkeys(name for trial in trials for name in trial.counters)
    return {
        name: median_interval(
            [
                trial.counters[name] / trial.counts["offered"]
                for trial in trials
                if trial.counts and name in trial.counters
            ],
            seed=record.seed,
        )
        for name in names
    }


def counters_table(record: Record) -> Table:
    """Every counter of every condition, at each frame size."""
    rows = []
    for condition in record.conditions:
        by_size = {
            size: counter_shares(record, condition.name, size) for size in record.frame_sizes
        }
        names = dict.fromkeys(name for each in by_size.values() for name in each)
        rows += [
            cells(
                record.named(condition.name),
                name,
                *(quantity(by_size[s].get(name)) for s in record.frame_sizes),
            )
            for name in names
        ]
    return Table(
        title="Counters per offered frame, median and 95 % interval",
        header=("condition", "counter", *(f"{size} bytes" for size in record.frame_sizes)),
        rows=tuple(rows),
        provenance=record.provenance(),
    )
