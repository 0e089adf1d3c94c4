"""The search: halving and MLRsearch on one router whose noise the reader sets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ppslab.core.text.language import gettext
from ppslab.core.units import human_rate, line_rate
from ppslab.course.models.drawn.drawing import fixed, short, table
from ppslab.course.models.drawn.search import drawn_searches
from ppslab.model.searching.binary_search import halving, tolerated
from ppslab.model.searching.noisy_router import NoisyRouter

TITLE = "The search"

CAPACITY = 1_000_000.0
SPIKE = 0.0008
"""What a spike takes of its second's frames."""
LOWEST = 9_001.0
HIGHEST = line_rate(64, 10e9)
WIDTH_OF_BOUNDS = 0.005
CLOSE = 0.01

DEVIATIONS = (0.0, 1.0, 3.0)
CHANCES = (0.0, 2.0, 10.0, 30.0)
SEEDS = 4

ALL = 1000
"""A step past the last trial: all of them are shown."""

CONTROLS: list[dict[str, Any]] = [
    {
        "kind": "preset",
        "name": "router",
        "label": "A router",
        "choices": [
            ["with steady capacity", {"deviation": 0.0, "spikes": 0.0}],
            ["with spikes, as in the text", {"deviation": 1.0, "spikes": 10.0, "seed": 1}],
            ["with a noisy neighbour", {"deviation": 3.0, "spikes": 30.0}],
        ],
    },
    {
        "kind": "choice",
        "name": "deviation",
        "label": "Variation of its capacity from second to second",
        "value": 1.0,
        "choices": [[value, f"{value:g} %"] for value in DEVIATIONS],
        "help": "One standard deviation; the mean is a million packets per second.",
    },
    {
        "kind": "choice",
        "name": "spikes",
        "label": "Seconds with a spike",
        "value": 10.0,
        "choices": [[value, f"{value:g} %"] for value in CHANCES],
        "help": "In a second with a spike, 0.08 % of the frames are lost, whatever the load.",
    },
    {
        "kind": "number",
        "name": "seed",
        "label": "Random seed",
        "value": 1,
        "low": 1,
        "high": SEEDS,
        "step": 1,
        "unit": "",
    },
    {
        "kind": "choice",
        "name": "tolerated",
        "label": "Loss tolerated in a trial",
        "value": 0.0,
        "choices": [[0.0, "none (NDR)"], [0.1, "0.1 % (PDR, as in MikroTik's tables)"]],
    },
    {
        "kind": "choice",
        "name": "seconds",
        "label": "Duration of a trial of the binary search",
        "value": 60,
        "choices": [[1, "1 s"], [10, "10 s"], [60, "60 s, as in RFC 2544"]],
    },
    {
        "kind": "switch",
        "name": "verified",
        "label": (
            "The search tries a load a second time before it rejects the load (loss verification)"
        ),
        "value": False,
    },
    {"kind": "step", "name": "at", "label": "Number of trials shown", "value": ALL},
]

live: Callable[[float, float, int], dict[str, Any]] | None = None
"""Runs MLRsearch's library where there is one: deviation and spikes in percent, seed.

`course.widgets.facts.search` sets it.  In a page the facts hold the traces that the
build made with the library, for every router that the controls can make.
"""


def answer(inputs: dict[str, Any], facts: dict[str, Any]) -> dict[str, Any]:
    """Both searches on the router of these inputs, up to trial `at`.

    facts["loads"]: frames per second; facts["traces"][key(...)]: `at` (indices of loads, a trial
    each), `seconds` (of each trial) and `bounds` ([loss ratio, lower, upper, throughput]).
    """
    deviation, spikes = float(inputs["deviation"]), float(inputs["spikes"])
    seed, goal = int(inputs["seed"]), float(inputs["tolerated"]) / 100
    seconds = float(inputs["seconds"])
    if not (0 <= deviation <= 20 and 0 <= spikes < 100):
        return _problem(
            "deviation",
            gettext("Choose 0 to 20 % of the capacity, and spikes in 0 to 99 % of the seconds."),
        )
    if seed < 1:
        return _problem("seed", gettext("A seed is a whole number, 1 or more."))
    trace = facts["traces"].get(key(deviation, spikes, seed))
    loads = facts["loads"]
    if trace is None:
        if live is None:
            return _problem(
                "seed",
                gettext(
                    "The MLRsearch library is not part of this page, which contains "
                    "precalculated searches for the values of the controls only. Choose one of "
                    "these values, or run the search in Python."
                ),
            )
        trace = live(deviation, spikes, seed)
        loads = trace["loads"]
    truth = router(deviation, spikes, seed).truth(goal)
    binary = halve(deviation, spikes, seed, goal, seconds, bool(inputs["verified"]))
    mlr = _replayed(router(deviation, spikes, seed), trace, loads, goal)
    # RFC 9971's throughput is the forwarding rate at the load that the search ends at.
    mlr["truth"] = None if truth is None else truth * (1 - goal)
    binary["truth"] = truth
    both = [binary, mlr]
    steps = max([len(each["trials"]) for each in both])
    at = min(max(int(inputs["at"]), 0), steps)
    return {
        "says": _says(both, goal) + ([_now(both, at)] if at < steps else []),
        "figures": [drawn_searches(both, at, truth, goal)],
        "tables": [_table(both)],
        "steps": steps,
        "values": {
            "truth": truth,
            "binary": {"throughput": binary["throughput"], "trials": len(binary["trials"]),
                       "traffic_seconds": binary["traffic"]},
            "mlrsearch": {"throughput": mlr["throughput"], "trials": len(mlr["trials"]),
                          "traffic_seconds": mlr["traffic"]},
        },
    }  # fmt: skip


def key(deviation: float, spikes: float, seed: int) -> str:
    """The name of a router in the facts."""
    return f"{deviation:g} {spikes:g} {seed}"


def router(deviation: float, spikes: float, seed: int) -> NoisyRouter:
    """The router of these inputs, in per cent."""
    return NoisyRouter(CAPACITY, deviation / 100, spikes / 100, SPIKE, seed)


def halve(
    deviation: float, spikes: float, seed: int, goal: float, seconds: float, verified: bool
) -> dict[str, Any]:
    """The binary search: its trials ([load, seconds, loss ratio, passed]) and what it found."""
    subject = router(deviation, spikes, seed)
    trials: list[list[Any]] = []

    def loss(load: float) -> float:
        due, forwarded = subject.measure(seconds, load)
        ratio = (due - forwarded) / due
        trials.append([load, seconds, ratio, ratio <= goal])
        return ratio

    throughput, _ = halving(
        lambda load: tolerated(lambda: loss(load), goal, 2 if verified else 1),
        LOWEST,
        HIGHEST,
        WIDTH_OF_BOUNDS,
    )
    name = gettext("Binary search, trials of {seconds} s{value}").format(
        seconds=f"{seconds:g}", value=gettext(", tried twice") if verified else ""
    )
    traffic = seconds * len(trials)
    return {"name": name, "trials": trials, "throughput": throughput, "traffic": traffic}


def _replayed(
    subject: NoisyRouter, trace: dict[str, Any], loads: list[float], goal: float
) -> dict[str, Any]:
    """MLRsearch's trials; the same router loses the same frames at the same loads."""
    trials = []
    for index, seconds in zip(trace["at"], trace["seconds"]):  # noqa: B905 (MicroPython)
        due, forwarded = subject.measure(seconds, loads[index])
        ratio = (due - forwarded) / due
        trials.append([loads[index], seconds, ratio, ratio <= goal])
    bounds = [bound for bound in trace["bounds"] if bound[0] == goal]
    return {
        "name": gettext("MLRsearch, trials of 1 s"),
        "trials": trials,
        "throughput": bounds[0][3] if bounds else None,
        "traffic": sum(trace["seconds"]),
    }


def _says(both: list[dict[str, Any]], goal: float) -> list[str]:
    truth = both[0]["truth"]
    sentences = [
        gettext(
            "There is no load at which half of the one-second trials pass, so this router has no "
            "such throughput."
        )
        if truth is None
        else gettext(
            "Half of all one-second trials pass at {truth}: this is the true throughput that a "
            "search should find."
        ).format(truth=human_rate(truth))
    ]
    for each in both:
        count = gettext("{trials} trials and {traffic} s of traffic").format(
            trials=len(each["trials"]), traffic=short(each["traffic"])
        )
        if each["throughput"] is None:
            sentences.append(
                gettext("{name}: no load passed, after {count}.").format(
                    name=each["name"], count=count
                )
            )
        else:
            sentences.append(
                gettext("{name}: {throughput}{each}, after {count}.").format(
                    name=each["name"],
                    throughput=human_rate(each["throughput"]),
                    each=_share(each),
                    count=count,
                )
            )
    if goal > 0:
        sentences.append(
            gettext("MLRsearch reports the forwarding rate at the load that it finds (RFC 9971).")
        )
    return sentences


def _share(each: dict[str, Any]) -> str:
    if each["truth"] is None:
        return ""
    share = each["throughput"] / each["truth"]
    verdict = (
        gettext("within 1 % of the true throughput")
        if abs(share - 1) <= CLOSE
        else gettext("more than 1 % off")
    )
    return f", {short(100 * share)} % of it, {verdict}"


def _now(both: list[dict[str, Any]], at: int) -> str:
    if at == 0:
        return gettext("No trial yet: press Play, or move the slider.")
    parts = []
    for each in both:
        if at <= len(each["trials"]):
            load, _, ratio, passed = each["trials"][at - 1]
            lost = (
                gettext("nothing lost")
                if ratio == 0
                else gettext("{ratio} % lost").format(ratio=short(100 * ratio))
            )
            verdict = "passed" if passed else "failed"
            parts.append(f"{each['name'].split(',')[0]} at {human_rate(load)}, {lost}: {verdict}")
        else:
            parts.append(gettext("{value} has ended").format(value=each["name"].split(",")[0]))
    return gettext("Trial {at}. {parts}.").format(at=at, parts="; ".join(parts))


def _table(both: list[dict[str, Any]]) -> dict[str, object]:
    rows = []
    for each in both:
        rate, truth = each["throughput"], each["truth"]
        share = "-" if rate is None or truth is None else f"{fixed(100 * rate / truth, 1)} %"
        failed = len([trial for trial in each["trials"] if not trial[3]])
        rows.append(
            [
                each["name"],
                "none" if rate is None else human_rate(rate),
                share,
                str(len(each["trials"])),
                str(failed),
                f"{fixed(each['traffic'], 0)} s",
            ]
        )
    header = [
        gettext("search"),
        gettext("throughput found"),
        gettext("share of the true throughput"),
        gettext("trials"),
        gettext("failed"),
        gettext("traffic"),
    ]
    return table(gettext("Result and cost of each search"), header, rows)


def _problem(control: str, says: str) -> dict[str, Any]:
    return {"problem": {"input": control, "says": says}}
