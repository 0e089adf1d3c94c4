"""What kind of machine made a number, in the few words of a badge.

A number from an emulated CPU, one from this machine's Linux and one from a CHR look alike.  What
made them stands in the line below each figure and table; this reads that line.
"""

from __future__ import annotations

import re
from html import escape

LABELS = {
    "chr": "measured on CHR",
    "routeros": "measured on RouterOS",
    "linux": "measured on Linux",
    "emulated": "measured on Linux, CPU emulated",
    "tester": "measured on the tester alone",
    "tester-emulated": "measured on the tester alone, CPU emulated",
}
"""What a reader sees, by the kind of machine."""

_MADE = re.compile(r"(?P<what>router|tester): (?P<name>[^;]*); backend: (?P<where>[^;]*)")


def kind(provenance: str) -> str | None:
    """The kind of machine that a line of provenance names, a key of LABELS; None for no run.

    The line is that of `provenance()` of a record of ppslab.results.
    """
    made = _MADE.search(provenance)
    if made is None:
        return None
    emulated = "emulation" in made["where"]
    if made["what"] == "tester":
        return "tester-emulated" if emulated else "tester"
    name = made["name"].lower()
    if "routeros" in name:
        return "chr" if "chr" in name else "routeros"
    return "emulated" if emulated else "linux"


def classes(kind: str) -> list[str]:
    """The CSS classes of a badge."""
    return ["ppslab-origin", f"ppslab-origin-{kind}"]


def html(provenance: str) -> str:
    """The badge with a space before it, for behind a title; empty where no run made the numbers.

    Marked `data-aside`: two runs of the same page may come from two machines.
    """
    found = kind(provenance)
    if found is None:
        return ""
    names = " ".join(classes(found))
    return f' <span class="{names}" data-aside>{escape(LABELS[found])}</span>'
