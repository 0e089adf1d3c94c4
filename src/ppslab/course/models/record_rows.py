"""The figures of a record, made of its results: the rows that `ppslab report` writes.

A result is a row of `report.rows`, as JSON has it.  A figure is {"id", "title", "unit", "rows"}; a
row of it is [label, value, low, high, note], value None where there is none.
"""

from __future__ import annotations

from typing import Any

Row = Any  # list[Any]
Figure = Any  # dict[str, Any]

TITLES = (
    ("time", "Router time per packet", "ns"),
    ("ratio", "Cost relative to the reference", "times"),
    ("rate", "Forwarding rate at the maximum offered load", "packets per second"),
    ("throughput", "Throughput", "packets per second"),
    ("latency", "Latency, from the intended send time", "us"),
    ("loss", "Frames lost at a load", "%"),
    ("bursts", "Longest burst without loss", "frames"),
    ("recovery", "System recovery and reset", "ms"),
    ("goodput", "TCP goodput", "Mbit/s"),
    ("again", "TCP segments retransmitted", "%"),
    ("stations", "Nanoseconds by station, including the tester's part", "ns"),
    ("carried", "The tester's rate over a cable", "packets per second"),
    ("faults", "Faults injected into the instrument, and the checks that found them", ""),
    ("soak", "Frames lost in each leg of a soak", "frames"),
    ("published", "Published and measured cost ratios", "times"),
)

OF_QUANTITY = {
    ("cost", "forwarding rate"): ("rate", 1.0, ""),
    ("search", "throughput"): ("throughput", 1.0, ""),
    ("throughput", "throughput"): ("throughput", 1.0, ""),
    ("latency", "p50 delay, from intended"): ("latency", 0.001, ", p50"),
    ("latency", "p99 delay, from intended"): ("latency", 0.001, ", p99"),
    ("latency", "p99.9 delay, from intended"): ("latency", 0.001, ", p99.9"),
    ("frame-loss", "loss ratio"): ("loss", 100.0, ""),
    ("back-to-back", "longest burst"): ("bursts", 1.0, ""),
    ("recovery", "recovery time"): ("recovery", 1000.0, ", after an overload"),
    ("reset", "reset time by loss"): ("recovery", 1000.0, ", reset, by loss"),
    ("tcp", "goodput"): ("goodput", 1e-6, ""),
    ("tcp", "segments sent again"): ("again", 100.0, ""),
    ("soak", "frames lost in a leg"): ("soak", 1.0, ""),
}
"""By test and quantity: the figure, what its values are multiplied by, the end of a label."""

OF_TEST = {
    "profile": ("stations", 1.0),
    "calibration": ("carried", 1.0),
    "fault": ("faults", 1.0),
}
"""Tests whose quantities are the labels of one figure."""

DIRECTIONS = {
    "there": "one way",
    "back": "the other way",
    "both": "both ways",
    "lab": "all streams",
    "one-way": "one way",
    "both-ways": "both ways",
}


def figures_of(results: list[Any]) -> list[Figure]:
    """Every figure that results of one record make; KeyError where a row lacks a column."""
    by_id: dict[str, list[Row]] = {}
    counted = False
    # A condition's frame sizes beside each other; MicroPython's own sort would mix them up.
    conditions: list[str] = []
    for result in results:
        if result["condition"] not in conditions:
            conditions.append(result["condition"])
    results = [each for name in conditions for each in results if each["condition"] == name]
    for result in results:
        placed = _placed(result)
        if placed:
            by_id.setdefault(placed[0], []).append(placed[1])
            counted = counted or result["unit"] == "instructions"
    return [
        {"id": name, "title": title, "unit": unit, "rows": by_id[name]}
        for name, title, unit in [_counted(row) if counted else row for row in TITLES]
        if name in by_id
    ]


def _counted(row: tuple[str, str, str]) -> tuple[str, str, str]:
    if row[0] == "time":
        return ("time", "Router instructions per packet", "instructions")
    return row


def _placed(result: Any) -> tuple[str, Row] | None:
    """The figure that a result belongs to, and its row there; None where it is in none."""
    test, quantity = result["test"], result["quantity"]
    if test in OF_TEST:
        name, scale = OF_TEST[test]
        end = ", " + quantity if _label(result) else quantity
    elif (test, quantity) in OF_QUANTITY:
        name, scale, end = OF_QUANTITY[test, quantity]
    elif test == "cost":
        name, scale, end = ("ratio" if quantity.startswith("times ") else "time"), 1.0, ""
    else:
        return None
    note = result["remark"]
    if name == "ratio":
        reference = quantity[len("times ") :]
        if result["condition"] == reference:
            return None
        note = "of " + reference
    value = result["value"]
    if value is None:
        return name, [_label(result) + end, None, None, None, note]
    ends = [result["low"], result["high"]]
    if not result["interval"]:
        ends = [value, value]
    row = [None if number is None else scale * number for number in [value] + ends]
    return name, [_label(result) + end] + row + [note]


def _label(result: Any) -> str:
    test = result["test"]
    parts = [result["condition"]] if result["condition"] else []
    if result["frame_size"] is not None and test != "profile":
        parts.append(f"{result['frame_size']} bytes")
    if result["direction"] and test not in ("cost", "search"):
        parts += [result["family"]] if result["family"] else []
        parts.append(DIRECTIONS.get(result["direction"], result["direction"]))
    if result["share"] is not None:
        words = "{} % of the maximum" if test == "frame-loss" else "at {} % of the throughput"
        parts.append(words.format(f"{100 * result['share']:g}"))
    if result["loss_ratio"] is not None:
        parts.append(f"{100 * result['loss_ratio']:g} % loss")
    return ", ".join(parts)
