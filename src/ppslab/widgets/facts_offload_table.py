"""Facts of the offload table: the chips of MikroTik's manual, and the lab's tables of routes."""

from __future__ import annotations

from typing import Any

from ppslab import lab as labs
from ppslab.planning import chips

LAB = "l3offload"

_EXAMPLES = (
    ("the lab: as many as fit", "linux/12288-routes.routes", ""),
    ("the lab: 1024 too many", "linux/14336-routes.routes", ""),
    ("the same with a default route", "linux/14336-routes.routes", "0.0.0.0/0 via 198.18.1.2"),
    ("eight next hops", "linux/ecmp-8.routes", ""),
)


def facts() -> dict[str, Any]:
    """What ppslab.models.offload_table wants."""
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
                f"{chip.name}: {chip.room:,} prefixes",
                chip.name,
                list(chip.devices),
                chip.room,
                chip.takes(6),
                chip.ipv4_hosts,
                chip.ecmp_ways,
            ]
            for chip in chips.load()
        ],
    }


def _lines(text: str, more: str) -> str:
    """The file's routes without what it says of itself."""
    kept = [line for line in text.splitlines() if line and not line.startswith("#")]
    return "\n".join([more, *kept] if more else kept)
