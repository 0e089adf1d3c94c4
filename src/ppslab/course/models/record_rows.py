"""The figures of a record as rows: what a page reads of a reader's own run.

A record is its JSON.

A figure is {"id", "title", "unit", "rows"}; a row is [label, value, low, high, note], value None
where there is none.  Intervals of medians are those of `recorded.around_median`.
"""

from __future__ import annotations

from typing import Any

from ppslab.base import measures
from ppslab.theory import recorded, rounds
from ppslab.theory.rounds import Plain

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
    ("carried", "What the tester carries over a cable", "packets per second"),
    ("faults", "Faults put into the instrument, and what noticed them", ""),
    ("soak", "Frames lost in each leg of a soak", "frames"),
    ("published", "Published and measured cost ratios", "times"),
)

BOUNDS = ("conditional_throughput", "relevant_lower_bound", "relevant_upper_bound")

DIRECTIONS = (
    ("there", "one way"),
    ("back", "the other way"),
    ("both", "both ways"),
    ("lab", "all streams"),
    ("one-way", "one way"),
    ("both-ways", "both ways"),
)
PERCENTILES = (0.5, 0.99, 0.999)


def figures_of(record: Any) -> list[Figure]:
    """Every figure of a record; ValueError for a kind of record that is unknown here.

    KeyError, TypeError and the like where the JSON is not a complete record.
    """
    kind = record["schema"]
    if kind not in READ:
        raise ValueError("a record of " + str(kind) + " has no figures here")
    by_id: dict[str, list[Row]] = {}
    for name, row in READ[kind](record):
        by_id.setdefault(name, []).append(row)
    titles = [_counted_title(row) if record.get("measure") == "counted" else row for row in TITLES]
    return [
        {"id": name, "title": title, "unit": unit, "rows": by_id[name]}
        for name, title, unit in titles
        if name in by_id
    ]


def _counted_title(row: tuple[str, str, str]) -> tuple[str, str, str]:
    if row[0] == "time":
        return ("time", "Router instructions per packet", measures.unit("counted"))
    return row


def provenance_of(record: Any) -> Any:
    """A record's provenance, in the form of base.provenance's data."""
    facts = record["environment"]
    device = facts.get("routeros", {})
    alone = "router" not in record
    return {
        "started": record["started"][:16].replace("T", " "),
        "subject": "tester" if alone else "router",
        "name": record["tester" if alone else "router"]["name"],
        "version": record["tester"]["version"] if alone else device.get("version", ""),
        "board": "" if alone else device.get("board-name", ""),
        "measure": record.get("measure", "timed"),
        "backend": record["backend"],
        "emulation": facts.get("emulation") or "none",
        "kernel": facts.get("kernel", "unknown"),
        "cpu": facts.get("cpu", "unknown"),
        "cpus": facts.get("cpus"),
        "profile": "" if alone else record["profile"]["name"],
        "clock": "",
        "cannot_show": "" if alone else record["router"].get("cannot_show", ""),
        "others": [],
    }


def ratio_of(record: Any, above: str, below: str, size: int) -> Row | None:
    """Median of the paired ratios with its interval; None where no round has both."""
    return _paired(Plain(record), above, below, size)


def _paired(record: Plain, above: str, below: str, size: int) -> Row | None:
    ratios = rounds.paired(
        rounds.router_costs(record, above, size, "cost"),
        rounds.router_costs(record, below, size, "cost"),
    )
    middle = rounds.middle(ratios)
    if middle is None:
        return None
    _, low, high = recorded.around_median(ratios)
    # JSON has no infinity: None is no bound.
    return [middle, low, high if high < rounds.INFINITE else None]


def _cost(record: Any) -> list[Any]:
    rows = []
    read = Plain(record)
    for condition in record["conditions"]:
        name = condition["name"]
        for size in record["frame_sizes"]:
            label = name + f", {size} bytes"
            times = rounds.router_costs(read, name, size, "cost")
            if times:
                rows.append(("time", _row(label, times.values())))
            rates = rounds.forwarding_rates(read, name, size, "cost")
            if rates:
                rows.append(("rate", _row(label, rates.values())))
            ratio = _paired(read, name, record["reference"], size)
            if ratio and name != record["reference"]:
                rows.append(("ratio", [label] + ratio + ["of " + record["reference"]]))
    return rows + _searches(record["searches"], "")


def _searches(searches: Any, more: str) -> list[Any]:
    rows = []
    for search in searches:
        label = search["condition"] + f", {search['frame_size']} bytes" + more
        if "family" in search:
            label += ", " + search["family"] + ", " + _direction(search["direction"])
        for goal in search["goals"]:
            note = "tester-limited" if goal["tester_limited"] else ""
            ends = [goal[key] for key in BOUNDS]
            row = [label + f", {100 * goal['loss_ratio']:g} % loss"] + ends + [note]
            rows.append(("throughput", row))
        if search["failed_because"]:
            rows.append(("throughput", [label, None, None, None, search["failed_because"]]))
    return rows


def _suite(record: Any) -> list[Any]:
    rows = _searches(record["throughput"], "")
    for each in record["latency"]:
        label = _subject(each) + f", at {100 * each['share']:g} % of the throughput"
        for point in each["from_intended"]["percentiles"]:
            if point["share"] in PERCENTILES:
                value = point["ns"] / 1000
                row = [label + f", p{100 * point['share']:g}", value, value, value, ""]
                rows.append(("latency", row))
    for each in record["frame_loss"]:
        value = None if each["loss_ratio"] is None else 100 * each["loss_ratio"]
        note = "; ".join(each["invalid_because"])
        label = _subject(each) + f", {100 * each['share']:g} % of the maximum"
        rows.append(("loss", [label, value, value, value, note]))
    for each in record["back_to_back"]:
        rows.append(("bursts", _range(_subject(each), each["bursts"], each["why_none"], 1)))
    for each in record["recovery"]:
        label = _subject(each) + ", after an overload"
        rows.append(("recovery", _range(label, each["seconds"], each["why_none"], 1000)))
    for each in record["reset"]:
        label = _subject(each) + ", reset, by loss"
        rows.append(("recovery", _range(label, each["by_loss_seconds"], each["why_none"], 1000)))
    return rows


def _tcp(record: Any) -> list[Any]:
    rows = []
    read = Plain(record)
    for direction, words in DIRECTIONS[:3]:
        for condition in record["conditions"]:
            transfers = rounds.transfers(read, condition["name"], direction, "transfer")
            kept = [transfers[number].ways for number in sorted(transfers)]
            if not kept:
                continue
            label = condition["name"] + ", " + words
            rates = [
                sum([recorded.goodput(way.received_bytes, way.seconds) for way in ways]) / 1e6
                for ways in kept
            ]
            again = [100 * rounds.retransmitted(read, ways) for ways in kept]
            rows.append(("goodput", _row(label, rates)))
            rows.append(("again", _row(label, again)))
    return rows


def _profile(record: Any) -> list[Any]:
    rows = []
    for profile in record["profiles"]:
        for station in profile["stations"]:
            value, reach = station["nanoseconds"], 2 * station["error"]
            label = profile["condition"] + ", " + station["title"]
            rows.append(("stations", [label, value, value - reach, value + reach, ""]))
    return rows


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


def _soak(record: Any) -> list[Any]:
    lost = [leg["intended"] - leg["received"] for leg in record["legs"] if leg["valid"]]
    label = f"{record['condition']}, {record['frame_size']} bytes"
    return [("soak", _row(label, lost))] if lost else []


READ = {
    "ppslab/record/2": _cost,
    "ppslab/rfc2544/2": _suite,
    "ppslab/tcp/2": _tcp,
    "ppslab/profile/2": _profile,
    "ppslab/calibration/2": _calibration,
    "ppslab/faults/2": _faults,
    "ppslab/soak/1": _soak,
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
