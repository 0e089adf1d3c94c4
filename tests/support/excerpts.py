"""Excerpts of kept records: what a test reads of one, so that it needs no record of results/.

    python -m tests.support.excerpts

makes them (tests/support/recorded/results).  A newer record of a lab is another excerpt only where
the test is to read something new: change its name here, and make them again.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ppslab.model.results import Record, TcpRecord, load_as

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / "results"
FOLDER = ROOT / "tests/support/recorded/results"

FIRST_NODE = "the router"
"""Its answers stand before those of any node that is named."""


@dataclass(frozen=True)
class Excerpt:
    """What is left of the record `name`: its head, and these parts of the rest.

    `conditions`: empty: all.  `answers`: whose read-back stays, FIRST_NODE or a node's name; ""
    for nobody's.  `rounds`: as many of the trials or transfers stay, the tester's own with them.
    `configuration`: whether the conditions' files stay.
    """

    name: str
    conditions: tuple[str, ...] = ()
    answers: str = ""
    rounds: int = 0
    configuration: bool = False

    @property
    def path(self) -> Path:
        """Where it lies."""
        return FOLDER / f"{self.name}.json"

    @property
    def source(self) -> Path:
        """The record that it is of, which may have gone."""
        return KEPT / f"{self.name}.json"

    def made(self) -> str:
        """It, as text, out of its record."""
        data = json.loads(self.source.read_text(encoding="utf-8"))
        every = [each for each in data["conditions"] if self._has(each["name"])]
        data["conditions"] = [self._condition(each) for each in every]
        data["skipped"] = [each for each in data["skipped"] if self._has(each["condition"])]
        for part in ("trials", "transfers", "searches"):
            if part in data:
                data[part] = [each for each in data[part] if self._stays(each)]
        return json.dumps(data, indent=1) + "\n"

    def _has(self, condition: str | None) -> bool:
        return not self.conditions or condition in self.conditions

    def _stays(self, each: dict[str, Any]) -> bool:
        number = each.get("round")
        if number is None or number >= self.rounds:
            return False
        return each["condition"] is None or self._has(each["condition"])

    def _condition(self, each: dict[str, Any]) -> dict[str, Any]:
        heading = f"# node {self.answers}\n"
        whole = each["read_back"]
        if self.answers == FIRST_NODE:
            whole = whole.partition("# node ")[0]
        elif self.answers:
            whole = heading + whole.partition(heading)[2].partition("# node ")[0]
        return each | {
            "read_back": whole if self.answers else "",
            "configuration": each["configuration"] if self.configuration else {},
        }


CORES = Excerpt("cores-20261126T045915Z-vm", answers=FIRST_NODE, rounds=1)
QUEUES = Excerpt("queues-20261122T181029Z-vm", answers=FIRST_NODE)
TCP_QUEUES = Excerpt("tcp-queues-20261122T185313Z-vm", answers=FIRST_NODE)
TUNNELS = Excerpt("eoip-20261126T050344Z-vm", answers=FIRST_NODE, rounds=2)
FAR_TUNNELS = Excerpt(
    "tcp-eoip-20261123T092135Z-vm",
    conditions=("eoip-fragments-20ms", "eoip-fragments-far", "eoip-fragments-lossless",
                "eoip-fragments-lossy"),
    answers="core",
)  # fmt: skip
CHIP = Excerpt(
    "l3offload-20261122T224518Z-vm",
    conditions=("offload-12288-routes", "offload-14336-routes"),
    rounds=2,
)
BONDS = Excerpt(
    "tcp-hundred-20261121T115649Z-vm",
    conditions=("lacp-layer3-4", "lacp-layer2"),
    answers=FIRST_NODE,
    rounds=1,
    configuration=True,
)
BOND_PACKETS = Excerpt("hundred-20261124T185459Z-vm", answers=FIRST_NODE)
RULES = Excerpt(
    "fasttrack-20261122T184153Z-vm",
    conditions=("rules", "fasttrack", "rules-25"),
    rounds=3,
    configuration=True,
)
ALL = (RULES, CORES, QUEUES, TCP_QUEUES, TUNNELS, FAR_TUNNELS, CHIP, BONDS, BOND_PACKETS)


def record(excerpt: Excerpt) -> Record:
    """The excerpt of a run of packets, read as a whole record would be."""
    return load_as(excerpt.path, Record)


def tcp_record(excerpt: Excerpt) -> TcpRecord:
    """The excerpt of a run of TCP, read as a whole record would be."""
    return load_as(excerpt.path, TcpRecord)


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for each in ALL:
        each.path.write_text(each.made(), encoding="utf-8")
