"""Facts of `explain`: the rule base, the stations to draw, and examples to try."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from ppslab.core import documents, paths
from ppslab.core.text.language import N_
from ppslab.course.widgets.facts import packet_path
from ppslab.show import explained
from rosexplain.base import base as rule_base

EXAMPLES = {
    N_("A home router"): "home.rsc",
    N_("An accept rule before the FastTrack rule"): "accept-in-front.rsc",
    N_("Two providers, marks and FastTrack"): "two-wans.rsc",
    N_("A switch that routes"): "switch-only/switch.rsc",
    N_("A tunnel in the bridge, with IPsec"): "tunnel.rsc",
}
FOLDER = paths.project_root() / "packages/rosexplain/examples"


def examples() -> list[list[Any]]:
    """The examples to try, each with its label: inputs of the model."""
    return [
        [
            label,
            {
                "export": {
                    "name": name.rpartition("/")[2],
                    "text": documents.read_text(FOLDER / name),
                },
                "without": "",
                "packet": "",
                "printed": None,
            },
        ]
        for label, name in EXAMPLES.items()
    ]


@lru_cache(maxsize=1)
def facts() -> dict[str, Any]:
    """The facts of the model: `base`, `costs`, `published`, `stations`, `features`, `examples`."""
    return {
        "base": rule_base(),
        "costs": explained.every_cost(),
        "published": explained.published(),
        "features": {f.name: [f.at, f.label] for f in packet_path.manual().features},
        "stations": packet_path.facts()["stations"],
        "examples": examples(),
    }
