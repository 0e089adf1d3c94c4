"""The figures of a record as rows, from its JSON: what a page reads of a reader's own run.

A figure is {"id", "title", "unit", "rows"}; a row is [label, value, low, high, note], value None
where there is none.  Intervals of medians are those of `recorded.around_median`.
"""

from __future__ import annotations

from typing import Any

from ppslab import recorded

Row = Any  # list[Any]
Figure = Any  # dict[str, Any]

TITLES = (
    ("time", "Router time per packet", "ns"),
    ("ratio", "Times the reference", "times"),
    ("rate", "Forwarding rate at the maximum offered load", "packets per second"),
    ("throughput", "Throughput", "packets per second"),
    ("latency", "Latency, from when a frame was due", "us"),
    ("loss", "Frames lost at a load", "%"),
    ("bursts", "Longest burst without loss", "frames"),
    ("recovery", "System recovery and reset", "ms"),
    ("goodput", "TCP goodput", "Mbit/s"),
    ("again", "TCP segments sent again", "%"),
    ("stations", "Nanoseconds by station, the tester's part with it", "ns"),
    ("carried", "What the tester carries over a cable", "packets per second"),
    ("faults", "Faults of the instrument, and who noticed", ""),
    ("published", "Published beside measured: times as dear", "times"),
)

DIRECTIONS = (
    ("there", "one way"),
    ("back", "the other way"),
    ("both", "both ways"),
    ("lab", "all streams"),
    ("one-way", "one way"),
    ("both-ways", "both ways"),
)
PERCENTILES = (0.5, 0.99, 0.999)

TESTER_SHARE = 0.9
"""As ppslab.calibration.use has it: a rate this near to the tester's limit is the tester's."""


def figures_of(record: Any) -> list[Figure]:
    """Every figure that a record has; ValueError for a kind of record that this does not know.

    KeyError, TypeError and the like where the JSON is no whole record.
    """
    kind = record["schema"]
    if kind not in READ:
        raise ValueError("a record of " + str(kind) + " has no figures here")
    found: dict[str, list[Row]] = {}
    for name, row in READ[kind](record):
        found.setdefault(name, []).append(row)
    return [
        {"id": name, "title": title, "unit": unit, "rows": found[name]}
        for name, title, unit in TITLES
        if name in found
    ]


def provenance_of(record: Any) -> str:
    """What made a record's numbers, in a line."""
    facts = record["environment"]
    router = record.get("router", {"name": "none"})["name"]
    profile = record.get("profile", {"name": "-"})["name"]
    when = record["started"][:16].replace("T", " ")
    return recorded.provenance(
        router,
        record["backend"],
        facts.get("emulation", "none"),
        facts.get("kernel", "unknown"),
        profile,
        when,
    )


def costs_of(record: Any, condition: str, size: int) -> dict[int, float]:
    """The router's time per packet by round, as ppslab.analysis.router_costs has it."""
    if record["baseline"] == "none":
        rates = rates_of(record, condition, size)
        return recorded.times_of_rates(rates, _limit(record, size), TESTER_SHARE)
    dropping = [c["name"] for c in record["conditions"] if c.get("delivers") == "none"]
    baseline = "drop" if condition in dropping else record["baseline"]
    clock = record["clock"]
    raw = {
        number: recorded.nanoseconds_each(trial["counts"], clock)
        for number, trial in _rounds(record, condition, size, "cost")
    }
    alone = {
        number: recorded.nanoseconds_each(trial["counts"], clock)
        for number, trial in _rounds(record, None, size, baseline)
    }
    return recorded.less(raw, alone)


def rates_of(record: Any, condition: str, size: int) -> dict[int, float]:
    """Frames per second that came through at the maximum offered load, by round."""
    return {
        number: recorded.forwarding_rate(trial["counts"])
        for number, trial in _rounds(record, condition, size, "cost")
        if trial["intended_rate"] is None
    }


def ratio_of(record: Any, above: str, below: str, size: int) -> Row | None:
    """Median of the paired ratios with its interval; None where no round has both."""
    dear, cheap = costs_of(record, above, size), costs_of(record, below, size)
    ratios = [dear[n] / cheap[n] for n in dear if cheap.get(n, 0) > 0]
    return recorded.around_median(ratios) if ratios else None


def _limit(record: Any, size: int) -> float | None:
    tester = record["tester"]
    seen = [
        tester[name][str(size)]
        for name in ("back_to_back", "into_the_router")
        if str(size) in tester.get(name, {})
    ]
    return max(seen) if seen else None


def _rounds(record: Any, condition: str | None, size: int, purpose: str) -> list[Any]:
    """(round, trial), the last attempt of each round."""
    found = {}
    for trial in record["trials"]:
        if (
            trial["valid"]
            and trial["purpose"] == purpose
            and trial["condition"] == condition
            and trial["frame_size"] == size
            and trial["round"] is not None
        ):
            found[trial["round"]] = trial
    return [(number, found[number]) for number in sorted(found)]


def _cost(record: Any) -> list[Any]:
    made = []
    for condition in record["conditions"]:
        name = condition["name"]
        for size in record["frame_sizes"]:
            label = name + f", {size} bytes"
            times = costs_of(record, name, size)
            if times:
                made.append(("time", _row(label, times.values())))
            rates = rates_of(record, name, size)
            if rates:
                made.append(("rate", _row(label, rates.values())))
            ratio = ratio_of(record, name, record["reference"], size)
            if ratio and name != record["reference"]:
                made.append(("ratio", [label] + ratio + ["of " + record["reference"]]))
    return made + _searches(record["searches"], "")


def _searches(searches: Any, more: str) -> list[Any]:
    made = []
    for search in searches:
        label = search["condition"] + f", {search['frame_size']} bytes" + more
        if "family" in search:
            label += ", " + search["family"] + ", " + _direction(search["direction"])
        for goal in search["goals"]:
            note = "tester-limited" if goal["tester_limited"] else ""
            ends = [goal["throughput"], goal["lower_bound"], goal["upper_bound"]]
            row = [label + f", {100 * goal['loss_ratio']:g} % loss"] + ends + [note]
            made.append(("throughput", row))
        if search["failed_because"]:
            made.append(("throughput", [label, None, None, None, search["failed_because"]]))
    return made


def _suite(record: Any) -> list[Any]:
    made = _searches(record["throughput"], "")
    for each in record["latency"]:
        label = _subject(each) + f", at {100 * each['share']:g} % of the throughput"
        for point in each["from_intended"]["percentiles"]:
            if point["share"] in PERCENTILES:
                value = point["ns"] / 1000
                row = [label + f", p{100 * point['share']:g}", value, value, value, ""]
                made.append(("latency", row))
    for each in record["frame_loss"]:
        value = None if each["loss_ratio"] is None else 100 * each["loss_ratio"]
        note = "; ".join(each["invalid_because"])
        label = _subject(each) + f", {100 * each['share']:g} % of the maximum"
        made.append(("loss", [label, value, value, value, note]))
    for each in record["back_to_back"]:
        made.append(("bursts", _range(_subject(each), each["bursts"], each["why_none"], 1)))
    for each in record["recovery"]:
        label = _subject(each) + ", after an overload"
        made.append(("recovery", _range(label, each["seconds"], each["why_none"], 1000)))
    for each in record["reset"]:
        label = _subject(each) + ", reset, by loss"
        made.append(("recovery", _range(label, each["by_loss_seconds"], each["why_none"], 1000)))
    return made


def _tcp(record: Any) -> list[Any]:
    made = []
    for direction, words in DIRECTIONS[:3]:
        for condition in record["conditions"]:
            found = {}
            for each in record["transfers"]:
                if (
                    each["valid"]
                    and each["purpose"] == "transfer"
                    and each["condition"] == condition["name"]
                    and each["direction"] == direction
                ):
                    found[each["round"]] = each
            kept = [found[number]["ways"] for number in sorted(found)]
            if not kept:
                continue
            label = condition["name"] + ", " + words
            rates = [
                sum([recorded.goodput(way["received_bytes"], way["seconds"]) for way in ways]) / 1e6
                for ways in kept
            ]
            made.append(("goodput", _row(label, rates)))
            made.append(("again", _row(label, [_again(record, ways) for ways in kept])))
    return made


def _again(record: Any, ways: Any) -> float:
    """Segments sent again, per cent of the full segments that the received bytes took."""
    again = sum([sum(way["retransmits"]) for way in ways])
    segments = sum(
        [
            sum(way["received_bytes"]) / (way.get("segment_size") or record["segment_size"])
            for way in ways
        ]
    )
    return 100 * again / segments if segments else 0.0


def _profile(record: Any) -> list[Any]:
    made = []
    for profile in record["profiles"]:
        for station in profile["stations"]:
            value, reach = station["nanoseconds"], 2 * station["error"]
            label = profile["condition"] + ", " + station["title"]
            made.append(("stations", [label, value, value - reach, value + reach, ""]))
    return made


def _calibration(record: Any) -> list[Any]:
    return [
        (
            "carried",
            [
                f"{each['frame_size']} bytes, " + each["arrangement"],
                each["rate"],
                each["lowest"],
                each["highest"],
                "",
            ],
        )
        for each in record["carried"]
    ]


def _faults(record: Any) -> list[Any]:
    return [
        ("faults", [each["title"], None, None, None, each["outcome"]]) for each in record["faults"]
    ]


READ = {
    "ppslab/record/1": _cost,
    "ppslab/rfc2544/1": _suite,
    "ppslab/tcp/1": _tcp,
    "ppslab/profile/1": _profile,
    "ppslab/calibration/1": _calibration,
    "ppslab/faults/1": _faults,
}


def _row(label: str, values: Any) -> Row:
    return [label] + recorded.around_median(list(values)) + [""]


def _range(label: str, values: Any, why_none: str | None, scale: float) -> Row:
    """Median, least and most of a few repeats."""
    if not values:
        return [label, None, None, None, why_none or "none"]
    scaled = [scale * value for value in values]
    return [label, recorded.median(scaled), min(scaled), max(scaled), ""]


def _subject(each: Any) -> str:
    label: str = each["condition"] + f", {each['frame_size']} bytes, " + each["family"]
    return label + ", " + _direction(each["direction"])


def _direction(name: str) -> str:
    words = [words for known, words in DIRECTIONS if known == name]
    return words[0] if words else name
