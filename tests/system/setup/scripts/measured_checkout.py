"""A checkout whose ppslab is a stand-in: it fails, waits or dies as it is told."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.support.waiting import PATIENCE

STUB = """#!{python}
import os, pathlib, sys, time
command, *rest = sys.argv[1:]
lab = rest[0] if rest and not rest[0].startswith("-") else "ppstraffic"
here = pathlib.Path(os.environ["STUB"])
with (here / "calls").open("a") as calls:
    print(command, lab, file=calls)
(here / f"words-{{command}}-{{lab}}").write_text(" ".join(rest))
how = here / f"{{command}}-{{lab}}"
if how.exists():
    said = how.read_text()
    if said == "beside" and "timed" not in rest:
        (here / f"begun-{{lab}}").touch()
        for _ in range(2400):
            if len(list(here.glob("begun-*"))) == 2:
                with (here / "together").open("a") as together:
                    print(lab, file=together)
                break
            time.sleep(0.05)
        # The other has seen this one too, or has waited as long for it.
        for _ in range(2400):
            if len((here / "together").read_text().split()) == 2:
                break
            time.sleep(0.05)
        (here / f"begun-{{lab}}").unlink()
    elif said == "beside":
        assert not list(here.glob("begun-*"))
    if said == "wait":
        (here / "waiting").touch()
        try:
            time.sleep(60)
        except KeyboardInterrupt:
            (here / "tidied").touch()
            sys.exit(130)
    if said != "beside":
        print("ppslab: " + said, file=sys.stderr)
        sys.exit(1)
local = pathlib.Path(os.environ["PPSLAB_RESULTS"]) / "local"
local.mkdir(parents=True, exist_ok=True)
data, where = (here / "record.json").read_text().replace("LAB", lab), "namespaces"
if command == "run" and "timed" not in rest:
    data, where = data.replace('"timed"', '"counted"'), "vm"
prefix = {{"run": "", "calibrate": "calibration-", "break": "faults-"}}.get(command, command + "-")
stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
(local / f"{{prefix}}{{lab}}-{{stamp}}-{{where}}.json").write_text(data)
"""

SOME_FAILED = 10
"""scripts/records/measure's own code; 1 is Python's, where the script is at fault."""

LAB = """title: Demo
topology: wires
router: dut
tester: tester
ports: {}
frame_sizes: [64]
flows: {one: []}
reference: plain
conditions: [{name: plain, title: Plain, flows: one}]
"""

WIRES = """name: wires
topology:
  nodes: {dut: {kind: linux}, tester: {kind: linux}}
"""


class Checkout:
    """Two labs, a stub in ppslab's place that writes what runs-to-make takes for a record."""

    def __init__(self, folder: Path, root: Path) -> None:
        self.folder, self.root = folder, root
        for name in ("one", "two"):
            (folder / "labs" / name).mkdir(parents=True)
            (folder / "labs" / name / "lab.yml").write_text(LAB)
        (folder / "topologies").mkdir()
        (folder / "topologies" / "wires.clab.yml").write_text(WIRES)
        (folder / "record.json").write_text(
            json.dumps(
                {
                    "lab": "LAB",
                    "conditions": [{"name": "plain"}],
                    "frame_sizes": [64],
                    "measure": "timed",
                }
            )
        )
        self.stub = folder / "ppslab"
        self.stub.write_text(STUB.format(python=sys.executable))
        self.stub.chmod(0o755)
        self.local = folder / "results" / "local"

    def start(self, *words: str) -> subprocess.Popen[str]:
        environment = os.environ | {
            "STUB": str(self.folder),
            "PPSLAB_RESULTS": str(self.folder / "results"),
            "PPSLAB_ROOT": str(self.folder),
        }
        return subprocess.Popen(
            [sys.executable, self.root / "scripts/records/measure", "--root", self.folder,
             "--ppslab", self.stub, *words],
            env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    def measure(self, *words: str) -> tuple[int, str]:
        running = self.start(*words)
        _, said = running.communicate(timeout=PATIENCE)
        return running.returncode, said

    def calls(self) -> list[str]:
        file = self.folder / "calls"
        found = file.read_text().splitlines() if file.exists() else []
        file.unlink(missing_ok=True)
        return found
