"""Facts of the search: what MLRsearch's own library did on every router that the controls make."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from ppslab.course.models import search as model
from ppslab.measure.search import SearchFailedError, Trace, search
from ppslab.model.lab import profiles
from ppslab.model.simulated import LossSpikes

PROFILE = "standard"


@lru_cache(maxsize=1)
def facts() -> dict[str, Any]:
    """`loads` and `traces` as ppslab.course.models.search takes them."""
    traces: dict[str, Any] = {}
    loads: list[float] = []
    for deviation in model.DEVIATIONS:
        for spikes in model.CHANCES:
            for seed in range(1, model.SEEDS + 1):
                name = model.key(deviation, spikes, seed)
                traces[name] = _searched(deviation, spikes, seed, loads)
    return {"loads": loads, "traces": traces}


def live(deviation: float, spikes: float, seed: int) -> dict[str, Any]:
    """A trace with its own loads, of any router."""
    loads: list[float] = []
    return {**_searched(deviation, spikes, seed, loads), "loads": loads}


def _searched(deviation: float, spikes: float, seed: int, loads: list[float]) -> dict[str, Any]:
    words = profiles.load(PROFILE).search
    router = LossSpikes(model.CAPACITY, spikes / 100, model.SPIKE, deviation / 100, seed=seed)
    trace = Trace(router.measure, words.loss_ratios)
    try:
        bounds = search(trace, words, model.LOWEST, model.HIGHEST)
    except SearchFailedError:
        bounds = []
    at = []
    for step in trace.steps:
        if step.load not in loads:
            loads.append(step.load)
        at.append(loads.index(step.load))
    return {
        "at": at,
        "seconds": [step.seconds for step in trace.steps],
        "bounds": [
            [
                each.loss_ratio,
                each.relevant_lower_bound,
                each.relevant_upper_bound,
                each.conditional_throughput,
            ]
            for each in bounds
        ],
    }


model.live = live
