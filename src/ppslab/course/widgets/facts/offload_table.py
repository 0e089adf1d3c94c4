"""Facts of the offload table: the chips of MikroTik's manual, and the lab's tables of routes."""

from __future__ import annotations

from typing import Any

from ppslab.core.text.grouping import count_text
from ppslab.model.lab import lab as labs
from ppslab.model.switch_chip import chips

LAB = "l3offload"

_EXAMPLES = (
    ("the lab: as many as fit", "linux/routes/12288.routes", ""),
    ("the lab: 1024 too many", "linux/routes/14336.routes", ""),
    ("the same with a default route", "linux/routes/14336.routes", "0.0.0.0/0 via 198.18.1.2"),
    ("eight next hops", "linux/routes/ecmp-8.routes", ""),
)


def facts() -> dict[str, Any]:
    """The facts of ppslab.course.models.offload_table."""
    lab = labs.find(LAB)
    examples = [
        [label, {"routes": _lines(lab.text(file), more), "filled": 20, "ipv6": False}]
        for label, file, more in _EXAMPLES
    ]
    together = "2001:2:0:100::/64 x3000 via 2001:2:0:1::2\n198.19.0.0/24 x256 via 198.18.2.2\n"
    together += "198.18.0.0/28 x4096 via 198.18.1.2\n198.19.0.0/26 x1024 via 198.18.2.2"
    examples.append(["IPv6 beside IPv4", {"routes": together, "filled": 20, "ipv6": True}])
    return {
        "source": chips.SOURCE,
        "examples": examples,
        "chips": [
            [
                chip.name,
                f"{chip.name}: {count_text(chip.room)} prefixes",
                chip.name,
                list(chip.devices),
                chip.room,
                chip.takes(6),
                chip.ipv4_hosts,
                chip.ecmp_ways,
                chip.indexes,
                chip.shown_worst,
            ]
            for chip in chips.load()
        ],
    }


def _lines(text: str, more: str) -> str:
    """The file's routes without its comments."""
    kept = [line for line in text.splitlines() if line and not line.startswith("#")]
    return "\n".join([more, *kept] if more else kept)
