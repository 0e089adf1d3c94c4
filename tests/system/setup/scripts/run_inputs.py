"""A lab with its inputs, all old, and a whole record that is newer."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

LAB = """title: Demo
topology: wires
router: dut
tester: tester
ports: {}
frame_sizes: [64, 1518]
flows: {one: []}
reference: plain
conditions:
- {name: plain, title: Plain, flows: one}
- {name: fast, title: Fast, flows: one}
"""

TCP = """- {name: tcp-only, title: TCP}
rfc2544: [plain]
tcp:
  topology: wires
  pairs: {all: [[{host: a, address: 192.0.2.1}, {host: b, address: 192.0.2.2}]]}
"""

MACHINE = "machine: {cpus: {sender: 0, router: 1, reader: 2}}\n"
TRIAL = "from ppslab.measure.trial import trial\n"

WORKS = """from typing import TYPE_CHECKING
if TYPE_CHECKING:
    from ppslab.show import figures
def begin():
    from ppslab.model.lab.lab import find
"""

OLD, NEW = 1_000_000_000, 2_000_000_000
CALIBRATION = "results/local/calibration-ppstraffic-20260101T000000Z-namespaces.json"
RECORD = "results/local/demo-20260101T000000Z-vm.json"


def put(path: Path, text: str, when: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    os.utime(path, (when, when))


def record(root: Path, name: str = RECORD, when: int = OLD + 1, **more: Any) -> None:
    data = {
        "lab": "demo",
        "state": "completed",
        "conditions": [{"name": "plain"}],
        "frame_sizes": [64, 1518],
        "skipped": [{"condition": "fast", "reason": "no BPF"}],
        "measure": "timed" if "calibration-" in name else "counted",
    }
    put(root / name, json.dumps(data | more), when)
