"""Two devices side by side: a ratio only where two figures are of one year, method and test."""

from __future__ import annotations

from typing import Any

from ppslab.core.text.language import gettext
from ppslab.course.models.drawing import fixed, problem, table
from ppslab.course.models.results_table import bits, packets

RULES = "25 ip filter rules"
ALIKE = 0.03
"""Two rates that differ by less are called the same."""


def answer(inputs: dict[str, Any], facts: dict[str, Any]) -> dict[str, Any]:
    """The devices `one` and `other`, named by their slugs: a sentence and the tables.

    `rest` is a table of the figures that have no counterpart.
    """
    known = facts["devices"]
    for name in ("one", "other"):
        if inputs[name] not in known:
            return problem(name, gettext("We have no figure of this device: choose another."))
    one, other = known[inputs["one"]], known[inputs["other"]]
    pairs = _pairs(one["rows"], other["rows"])
    both = [pair for pair in pairs if _ratio(pair[1], pair[2])]
    words = facts["words"]
    hardware = [
        [gettext("CPU, cores, clock"), one["cpu"] or "-", other["cpu"] or "-"],
        [gettext("ports"), one["ports"] or "-", other["ports"] or "-"],
        [gettext("fastest port"), _port(one["fastest"]), _port(other["fastest"])],
    ]
    rates, lone = [], []
    for key, a, b in pairs:
        row = [_words(key, words), _rate(a), _rate(b)]
        ratio = _ratio(a, b)
        if ratio:
            rates.append(row + [fixed(ratio, 2)])
        else:
            lone.append(row)
    names = [gettext("test"), one["name"], other["name"]]
    tables = [table(gettext("CPU and ports"), ["", one["name"], other["name"]], hardware)]
    if both:
        tables.insert(0, table(gettext("The same test"), names + [gettext("ratio")], rates))
    return {
        "says": [_conclusion(one, other, both, words)],
        "tables": tables,
        "rest": table(gettext("Figures in no ratio"), names, lone),
        "values": {"ratios": [[key, round(_ratio(a, b) or 0.0, 3)] for key, a, b in both]},
    }


def _pairs(one: list[list[Any]], other: list[list[Any]]) -> list[list[Any]]:
    """Every test with the row of each device, None where it has none, in the order of the rows."""
    pairs: list[list[Any]] = []
    for place, rows in ((1, one), (2, other)):
        for row in rows:
            key = row[:3] + row[5:]
            pair = next((each for each in pairs if each[0] == key), None)
            if pair is None:
                pair = [key, None, None]
                pairs.append(pair)
            pair[place] = pair[place] or row
    return pairs


def _ratio(one: list[Any] | None, other: list[Any] | None) -> float | None:
    if not one or not other:
        return None
    for place in (3, 4):  # kpps, Mbit/s
        if one[place] and other[place]:
            return float(one[place] / other[place])
    return None


def _words(key: list[Any], words: dict[str, str]) -> str:
    mode, configuration, size, when, _ = key
    size_text = gettext(", {size} bytes").format(size=size) if size else ""
    what = str(words.get(configuration, configuration))
    test = what if mode in what else str(mode) + ", " + what
    return test + size_text + " (" + str(when) + ")"


def _rate(row: list[Any] | None) -> str:
    if not row:
        return "-"
    texts = [bits(row[4])] if row[4] else []
    if row[3]:
        texts.append(gettext("{rate} packets/s").format(rate=packets(row[3])))
    return ", ".join(texts)


def _port(mbit: int) -> str:
    return bits(mbit) if mbit else "-"


def _conclusion(
    one: dict[str, Any], other: dict[str, Any], both: list[list[Any]], words: dict[str, str]
) -> str:
    if not both:
        if one["cpu"] and one["cpu"] == other["cpu"]:
            text = gettext("{one} and {other} have the same CPU, cores and clock; see the ports.")
            return text.format(one=one["name"], other=other["name"])
        text = gettext(
            "No test of {one} and {other} has the same year, method and configuration, so nothing "
            "here says how many times as fast one is."
        )
        return text.format(one=one["name"], other=other["name"])
    with_rules = [each for each in both if each[0][1] == RULES]
    typical = [each for each in with_rules if each[0][2] == 512] or with_rules or both
    key, a, b = typical[0]
    ratio = _ratio(a, b) or 1.0
    first, second = (one, other) if ratio >= 1 else (other, one)
    ratio = ratio if ratio >= 1 else 1 / ratio
    if ratio < 1 + ALIKE:
        text = gettext("{one} and {other} forward the same, within 3 %: {test}.")
        return text.format(one=one["name"], other=other["name"], test=_words(key, words))
    text = gettext("{one} forwards {ratio} times as many packets as {other}: {test}.")
    return text.format(
        one=first["name"], other=second["name"], ratio=fixed(ratio, 2), test=_words(key, words)
    )
