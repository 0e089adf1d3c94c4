"""Twenty searches of each kind on one simulated router whose throughput is known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import median

from ppslab.core.errors import UsageError
from ppslab.core.text.tables import Table, cells
from ppslab.core.units import human_rate, line_rate
from ppslab.measure.search import SearchFailedError, Step, Trace, search
from ppslab.model.binary_search import binary_search
from ppslab.model.lab import profiles
from ppslab.model.simulated import Router
from ppslab.model.statistics import coefficient_of_variation
from ppslab.show.figures import Figure
from ppslab.show.figures.teaching import goals_figure, spread_figure, trace_figure

SEARCHES = 20
LOWEST = 9_001.0
"""MLRsearch's own lowest load."""
HIGHEST = line_rate(64, 10e9)
CLOSE = 0.01

PDR = 0.001
"""Loss ratio that MikroTik's tables tolerate."""

Method = Callable[[Trace], float | None]
"""Searches through a trace, and says the throughput; None where it found none."""


def _binary(seconds: float, tries: int = 1) -> Method:
    def run(trace: Trace) -> float | None:
        found = binary_search(trace, LOWEST, HIGHEST, trial_seconds=seconds, tries=tries)
        return found.throughput

    return run


@lru_cache(maxsize=1)
def _words() -> profiles.Search:
    # Reading the profiles takes as long as a search, and would double the time of a hundred.
    return profiles.load("standard").search


def _mlrsearch(loss_ratio: float) -> Method:
    def run(trace: Trace) -> float | None:
        try:
            found = search(trace, _words(), LOWEST, HIGHEST)
        except SearchFailedError:
            return None
        return next(each.conditional_throughput for each in found if each.loss_ratio == loss_ratio)

    return run


METHODS: Mapping[str, tuple[float, Method]] = {
    "binary search, trials of 60 s": (0.0, _binary(60.0)),
    "the same with loss verification": (0.0, _binary(60.0, tries=2)),
    "binary search, trials of 1 s": (0.0, _binary(1.0)),
    "MLRsearch, no loss (NDR)": (0.0, _mlrsearch(0.0)),
    "MLRsearch, 0.1 % (PDR)": (PDR, _mlrsearch(PDR)),
}
"""Name to tolerated loss ratio and search."""


@dataclass(frozen=True)
class Found:
    """The results of all searches of one kind; None where a search found no throughput."""

    method: str
    throughputs: tuple[float | None, ...]
    traffic_seconds: float
    """Of one search, median."""
    truth: float

    @property
    def shares(self) -> list[float]:
        """Throughput over truth; 0 for a search that found none."""
        return [(value or 0.0) / self.truth for value in self.throughputs]

    @property
    def close(self) -> int:
        """Number of searches that ended within 1 % of the truth."""
        return sum(abs(share - 1) <= CLOSE for share in self.shares)


@dataclass(frozen=True)
class Comparison:
    """The searches of every kind on one kind of router."""

    title: str
    found: tuple[Found, ...]

    def table(self, guess: Mapping[str, int] | None = None) -> Table:
        """Table of the searches' errors and costs, with the reader's guess where there is one.

        `guess`: for a method, how many of its searches end within 1 % of the truth.
        """
        header = ["search", "within 1 %", "lowest", "median", "highest", "variation", "traffic"]
        rows = []
        for each in self.found:
            shares = each.shares
            row = [each.method, f"{each.close} of {len(shares)}"]
            row += [f"{value:.3f}" for value in (min(shares), median(shares), max(shares))]
            row += [_percent(coefficient_of_variation(shares)), f"{each.traffic_seconds:.0f} s"]
            if guess is not None:
                row.insert(2, str(guess.get(each.method, "-")))
            rows.append(cells(*row))
        if guess is not None:
            header.insert(2, "your guess")
        return Table(
            f"{len(self.found[0].throughputs)} searches of each kind: {self.title}",
            tuple(header),
            tuple(rows),
            notes=(
                "Lowest, median and highest: throughput found, as a share of the true "
                "throughput. Traffic: duration of one search, without waiting times.",
            ),
        )

    def figure(self) -> Figure:
        """Every search as a mark, beside the truth."""
        spread = {each.method: each.shares for each in self.found}
        return spread_figure(f"Results of the searches: {self.title}", spread)

    def __repr__(self) -> str:
        return repr(self.table())

    def _repr_html_(self) -> str:
        return self.table().html()


def compare(
    router: Callable[[int], Router],
    *,
    title: str = "a router with loss spikes",
    searches: int = SEARCHES,
    methods: Sequence[str] = tuple(METHODS),
) -> Comparison:
    """Search `searches` routers, made by `router` from seeds 1, 2, ..., by each of the methods.

    The truth is the load at which half of all trials of a second pass (RFC 9971 with an exceed
    ratio of 50 %).
    UsageError for a router that has none.
    """
    found = []
    for name in methods:
        loss_ratio, method = METHODS[name]
        traces = [Trace(router(seed).measure, (loss_ratio,)) for seed in range(1, searches + 1)]
        throughputs = tuple(method(trace) for trace in traces)
        truth = router(1).throughput(loss_ratio)
        if truth is None:
            raise UsageError(
                f"{title}: this router has no throughput at {100 * loss_ratio:g} % loss, so no "
                "search can come close to it; measuring.watch shows what one tries"
            )
        # RFC 9971's throughput is the forwarding rate at that load.
        truth *= 1 - loss_ratio
        seconds = median(trace.traffic_seconds for trace in traces)
        found.append(Found(name, throughputs, seconds, truth))
    return Comparison(title, tuple(found))


@dataclass(frozen=True)
class Watched:
    """Single searches, trial by trial."""

    steps: Mapping[str, tuple[Step, ...]]
    truth: float | None
    """None: the router loses frames at any rate."""

    def figure(self) -> Figure:
        """Load by trial, passed and failed."""
        shown = {
            name: [(step.load, step.passed[METHODS[name][0]]) for step in steps]
            for name, steps in self.steps.items()
        }
        return trace_figure("One search, trial by trial", shown, self.truth)

    def table(self) -> Table:
        """Each trial with its load and its loss."""
        rows = tuple(
            cells(
                name,
                str(step.number),
                f"{step.seconds:g} s",
                human_rate(step.load),
                f"{100 * step.loss_ratio:.4f} %",
                "passed" if step.passed[METHODS[name][0]] else "failed",
            )
            for name, steps in self.steps.items()
            for step in steps
        )
        header = ("search", "trial", "seconds", "load", "lost", "")
        return Table("One search, trial by trial", header, rows)

    def __repr__(self) -> str:
        return repr(self.table())

    def _repr_html_(self) -> str:
        return self.figure().html()


def watch(
    router: Callable[[int], Router],
    *,
    seed: int = 1,
    methods: Sequence[str] = ("binary search, trials of 60 s", "MLRsearch, no loss (NDR)"),
) -> Watched:
    """One search by each method, on routers of the same seed."""
    steps = {}
    for name in methods:
        loss_ratio, method = METHODS[name]
        trace = Trace(router(seed).measure, (loss_ratio,))
        method(trace)
        steps[name] = tuple(trace.steps)
    return Watched(steps, router(seed).throughput(0.0))


def loss_curve(router: Callable[[int], Router], *, seed: int = 1, trials: int = 120) -> Figure:
    """Loss of single trials of a second, at loads up to a tenth above the capacity.

    UsageError for a router that has none.
    """
    simulated = router(seed)
    goals = (0.0, PDR, 0.005)
    truths = {goal: simulated.throughput(goal) for goal in goals}
    known = [truth for truth in truths.values() if truth is not None]
    if not known:
        raise UsageError("this router has a throughput for none of the goals: try measuring.watch")
    top = 1.1 * max(known)
    loads = [top * (number + 1) / trials for number in range(trials)]
    points = [(load, simulated.measure(1.0, load).loss_ratio) for load in loads]
    return goals_figure("Loss of single trials, and the throughput for each goal", points, truths)


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
