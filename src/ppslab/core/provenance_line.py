"""The provenance of a table, a figure or a widget in words, built from the facts of its runs.

Two forms: `line`, a line for commands and plain text, and `sign`, the badges of a page with what
unfolds below them.  They are not in `provenance`, because the static page builds them too, for a
reader's own record, in MicroPython, which has no dataclasses.
"""

from __future__ import annotations

from typing import Any

MINUTE = "%Y-%m-%d %H:%M"
"""The format of a run's time in the facts."""

CLOCKS = {"cpu": "the sender's CPU time", "wall": "wall time"}
"""The clock that times are read from, by the word of a record."""

MEASURES = {"timed": "timed", "counted": "instructions counted"}
"""The measure of a packet's cost, by the word of a record."""

MACHINES = {
    "chr": "CHR",
    "routeros": "RouterOS",
    "linux": "Linux",
    "counted": "Linux, instructions counted",
    "emulated": "Linux, CPU emulated",
    "tester": "the tester alone",
    "tester-emulated": "the tester alone, CPU emulated",
}
"""The kind of machine, as a column of its own shows it."""

LABELS = {kind: "measured on " + machine for kind, machine in MACHINES.items()}
"""The same as a badge."""
LABELS["counted"] = "instructions counted on Linux"

INTERVAL = "95 %, in square brackets or drawn as a line"
"""The meaning of the ends of a number, where it has any."""

INTERVAL_OF_CLAIMS = "of a claim: of the kind that its row names"
"""The same in a table of claims, whose evidence differs from row to row."""

INTERVALS = (INTERVAL, INTERVAL_OF_CLAIMS)


def kind(facts: dict[str, Any]) -> str:
    """The kind of machine of one run."""
    emulated = facts["emulation"] == "tcg"
    if facts["subject"] == "tester":
        return "tester-emulated" if emulated else "tester"
    if facts["name"] == "routeros":
        return "chr" if "chr" in facts["board"].lower() else "routeros"
    if facts["measure"] == "counted":
        return "counted"
    return "emulated" if emulated else "linux"


def line(facts: dict[str, Any]) -> str:
    """The line; `facts` as Provenance.data() has them, with those of the other runs."""
    return "; ".join(
        [f"{term}: {words}" for run in [facts] + facts["others"] for term, words in _of_one(run)]
    )


def sign(
    facts: dict[str, Any], interval: str = "", more: list[list[str]] | None = None
) -> dict[str, Any]:
    """`badges` ([kind, label]), and `parts`: for each run, and at last for all, [term, words].

    interval: what the ends of the numbers are.  more: what else is to be said of all.
    """
    runs = [facts] + facts["others"]
    kinds: list[str] = []
    blind: list[str] = []
    for run in runs:
        if kind(run) not in kinds:
            kinds.append(kind(run))
        if run["cannot_show"] and run["cannot_show"] not in blind:
            blind.append(run["cannot_show"])
    of_all = [["interval", interval]] if interval else []
    of_all += [["cannot show", words] for words in blind]
    of_all += more or []
    parts = [_of_one(run) for run in runs]
    return {
        "badges": [[each, LABELS[each]] for each in kinds],
        "parts": parts + ([of_all] if of_all else []),
    }


def _of_one(facts: dict[str, Any]) -> list[list[str]]:
    name = " ".join([word for word in (facts["name"], facts["version"], facts["board"]) if word])
    how = facts["emulation"]
    emulation = "" if how == "none" else " (tcg emulation)" if how == "tcg" else f" ({how})"
    said = [
        [facts["subject"], name],
        ["backend", facts["backend"] + emulation],
        ["measure", MEASURES[facts["measure"]]],
        ["kernel", facts["kernel"]],
    ]
    if facts["subject"] == "tester":
        cpus = "unknown" if facts["cpus"] is None else str(facts["cpus"])
        said.append(["CPU", f"{facts['cpu']} x {cpus}"])
    if facts["profile"]:
        said.append(["profile", facts["profile"]])
    said.append(["measured", facts["started"] + " UTC"])
    if facts["clock"]:
        said.append(["clock", CLOCKS[facts["clock"]]])
    return said
