"""Nanoseconds: each feature's cost, stacked, and the cores that a load takes."""

from __future__ import annotations

from typing import Any, TypeAlias

from ppslab.core import measures
from ppslab.core.provenance import INTERVAL, Provenance
from ppslab.core.text.language import N_, gettext
from ppslab.core.units import human_rate
from ppslab.course.models.drawing import figure, fixed, problem, sentences, short, stack, table

Piece: TypeAlias = tuple[str, list[float], str]  # words, cost with its interval, conditions


def answer(inputs: dict[str, Any], facts: dict[str, Any]) -> dict[str, Any]:
    """A packet's pieces, their sum, and what a load makes of it (facts: widgets.facts.nanoseconds).

    Where a condition has just these pieces, their sum is the record's cost of that condition.
    """
    named = [ladder for ladder in facts["ladders"] if ladder["name"] == inputs["ladder"]]
    if not named:
        text = N_("This lab has no recorded run here. To record one, use ppslab run.")
        return problem("ladder", text)
    ladder = named[0]
    size = int(inputs["size_" + ladder["name"]])
    chosen = _closed(ladder, inputs["features_" + ladder["name"]])
    base = ladder["measured"].get(f"{ladder['base'][0]} {size}")
    if base is None:
        text = N_("{size}-byte packets were not measured: choose another size.")
        return problem("size_" + ladder["name"], text, size=size)
    called = ladder["titles"]
    pieces: list[Piece] = [(ladder["base"][1], base, called[ladder["base"][0]])]
    for name, words, condition, over in chosen:
        added = ladder["added"].get(f"{name} {size}")
        if added is None:
            text = N_(
                "{words} was not measured with {size}-byte packets: choose another size, or "
                "leave this feature out."
            )
            return problem("features_" + ladder["name"], text, words=words, size=size)
        pieces.append((words, added, f"{called[condition]} minus {called[over]}"))
    total = sum([piece[1][0] for piece in pieces])
    together = _together(ladder, chosen)
    measured = ladder["measured"].get(f"{together} {size}") if together else None
    load, cores = float(inputs["load"]) * 1000, int(inputs["cores"])
    if total <= 0:
        text = N_("The costs add up to zero or less, so all of them are noise.")
        return problem("features_" + ladder["name"], text)
    unit = ladder["unit"]
    ns = total * ladder["each_ns"] if ladder["each_ns"] else None
    busy = load * ns / 1e9 if ns else None
    most = cores * 1e9 / ns if ns else None
    words = "; ".join([f"{piece[0]} {short(piece[1][0])} {unit}" for piece in pieces])
    drawn = figure(
        gettext("One {size}-byte packet, part by part").format(size=size),
        stack(
            [(piece[0], piece[1][0]) for piece in pieces], total, gettext("the router's part"), unit
        ),
        gettext("{words}; together {total} {unit}.").format(
            words=words, total=short(total), unit=unit
        ),
    )
    provenance = Provenance.of(ladder["provenance"])
    return {
        "says": _says(pieces, total, measured, load, cores, size, ladder),
        "warns": _warns(ladder, pieces, chosen, measured),
        "figures": [drawn],
        "tables": [_table(pieces, total, measured, load, ladder)],
        "made": [provenance.sign(interval=INTERVAL, more=SUBTRACTED)],
        "values": {
            "cost": total,
            "unit": unit,
            "nanoseconds": ns,
            "measured": measured,
            "pieces": [[piece[0], piece[1][0]] for piece in pieces],
            "busy_cores": busy,
            "most_packets_per_second": most,
            "forwarded": min(load, most) if most else None,
        },
    }


SUBTRACTED = [["subtracted", "the tester's own part"]]


def _closed(ladder: dict[str, Any], chosen: list[str]) -> list[list[str]]:
    """The chosen features and those that they were measured over, in their order."""
    needed = [feature[2] for feature in ladder["features"] if feature[0] in chosen]
    for feature in reversed(ladder["features"]):
        if feature[2] in needed:
            needed.append(feature[3])
    return [feature for feature in ladder["features"] if feature[2] in needed]


def _together(ladder: dict[str, Any], chosen: list[list[str]]) -> str | None:
    """The condition that has just these features; None where nobody measured them together."""
    at: str = ladder["base"][0]
    for feature in chosen:
        if feature[3] != at:
            return None
        at = feature[2]
    return at


def _says(
    pieces: list[Piece],
    total: float,
    measured: list[float] | None,
    load: float,
    cores: int,
    size: int,
    ladder: dict[str, Any],
) -> list[str]:
    value = gettext(", the sum of the separate costs.")
    if measured:
        text = gettext("95 % interval {measured} to {measured_2}")
        value = (
            " (" + text.format(measured=short(measured[1]), measured_2=short(measured[2])) + ")."
        )
    dearest = max(pieces[1:] or pieces, key=lambda piece: piece[1][0])
    each = ladder["each_ns"]
    says = sentences([
        (True, N_("A {size}-byte packet costs this router {total} {unit}{value}"),
         {"size": size, "total": short(total), "unit": ladder["unit"], "value": value}),
    ])  # fmt: skip
    says += [_on_cores(total * each, load, cores)] if each else []
    return says + sentences([
        (len(pieces) > 1, N_("The most expensive feature is {dearest}: {share} % of the total."),
         {"dearest": dearest[0], "share": short(100 * dearest[1][0] / total)}),
        (cores > 1, N_("The calculation assumes many flows, spread evenly over the cores: one flow "
                       "stays on one core. It does not include contention between cores."), {}),
    ])  # fmt: skip


def _on_cores(ns: float, load: float, cores: int) -> str:
    """Return the load of so many cores in words, at `ns` a packet."""
    busy, most = load * ns / 1e9, cores * 1e9 / ns
    words = {"load": human_rate(load), "busy": short(busy), "busy_2": short(100 * busy / cores),
             "cores": cores, "kinds": "core" if cores == 1 else "cores", "most": human_rate(most),
             "most_2": short(100 * (1 - most / load)) if load else ""}  # fmt: skip
    return sentences([
        (busy <= cores, N_("{load} keeps {busy} cores busy, {busy_2} % of {cores} {kinds}; these "
                           "can forward at most {most}."), words),
        (busy > cores, N_("{load} would need {busy} cores: {cores} {kinds} can forward {most}, so "
                          "{most_2} % of the packets are lost."), words),
    ])[0]  # fmt: skip


def _warns(
    ladder: dict[str, Any],
    pieces: list[Piece],
    chosen: list[list[str]],
    measured: list[float] | None,
) -> list[str]:
    noisy = [piece[0] for piece in pieces if piece[1][1] <= 0]
    counted, each = ladder["unit"] == "instructions", ladder["each_ns"]
    return sentences([
        (ladder["emulated"],
         N_("Measured on an emulated CPU: you can trust the order of the costs, but not the "
            "nanoseconds."), {}),
        (counted, measures.BLIND, {}),
        (counted and each,
         N_("The load of the cores assumes {each_ns} ns per instruction, the median of the "
            "conditions of Fast Path, which were also timed."), {"each_ns": short(each or 0.0)}),
        (noisy, N_("The cost of these features is within the noise of this run: {noisy}."),
         {"noisy": "; ".join(noisy)}),
        (measured is None and chosen,
         N_("These features were not measured together, so their separate costs are added up; two "
            "features may share work or slow each other down."), {}),
    ])  # fmt: skip


def _table(
    pieces: list[Piece],
    total: float,
    measured: list[float] | None,
    load: float,
    ladder: dict[str, Any],
) -> dict[str, object]:
    each = ladder["each_ns"]

    def of_a_core(cost: float) -> str:
        return f"{fixed(100 * load * cost * each / 1e9, 1)} %" if each else "-"

    rows = []
    for words, (middle, low, high), source in pieces:
        span = f"{short(low)} to {short(high)}"
        rows.append([words, short(middle), span, source, of_a_core(middle)])
    rows.append(["together", short(total), "", gettext("the sum"), of_a_core(total)])
    if measured:
        span = f"{short(measured[1])} to {short(measured[2])}"
        share = of_a_core(measured[0])
        rows.append(
            [gettext("measured together"), short(measured[0]), span, gettext("the record"), share]
        )
    header = [
        gettext("part"),
        gettext("{unit} a packet").format(unit=ladder["unit"]),
        gettext("95 % interval"),
        gettext("conditions"),
        gettext("of one core at this load"),
    ]
    return table(gettext("Cost of each part"), header, rows)
