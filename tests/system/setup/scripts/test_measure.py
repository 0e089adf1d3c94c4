"""scripts/records/measure.py: one lab's failure ends neither the others nor the site."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ppslab.model import results
from ppslab.model.results.kinds import Failure
from tests.support.waiting import PATIENCE, until

STUB = """#!{python}
import os, pathlib, sys, time
command, *rest = sys.argv[1:]
lab = rest[0] if rest and not rest[0].startswith("-") else "ppstraffic"
here = pathlib.Path(os.environ["STUB"])
def log(what):
    with (here / "calls").open("a") as calls:
        print(what, command, lab, file=calls)
log("begin")
how = here / f"{{command}}-{{lab}}"
said = how.read_text() if how.exists() else ""
if said == "beside" and "timed" not in rest:
    for _ in range(2400):
        if (here / "calls").read_text().count("begin") == 2:
            break
        time.sleep(0.05)
elif said == "wait":
    try:  # A signal may follow the file at once.
        (here / "waiting").touch()
        time.sleep(60)
    except KeyboardInterrupt:
        (here / "tidied").touch()
        sys.exit(130)
elif said and said != "beside":
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
log("end")
"""

SOME_FAILED = 10
"""scripts/records/measure.py's own code; 1 is Python's, where the script is at fault."""

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
            [sys.executable, self.root / "scripts/records/measure.py", "--root", self.folder,
             "--ppslab", self.stub, *words],
            env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    def measure(self, *words: str) -> tuple[int, str]:
        running = self.start(*words)
        _, said = running.communicate(timeout=PATIENCE)
        return running.returncode, said

    def log(self) -> list[str]:
        """What began and ended since this was asked last."""
        file = self.folder / "calls"
        lines = file.read_text().splitlines() if file.exists() else []
        file.unlink(missing_ok=True)
        return lines

    def calls(self) -> list[str]:
        return [text.removeprefix("begin ") for text in self.log() if text.startswith("begin")]


pytestmark = [pytest.mark.long, pytest.mark.usefixtures("can_count")]


@pytest.fixture
def checkout(tmp_path: Path, root: Path) -> Checkout:
    # A name that a shell would take apart.
    return Checkout(tmp_path / "it's a größer path", root)


@pytest.mark.long
def test_one_failure_ends_nothing_and_only_it_is_made_again(checkout: Checkout) -> None:
    broken = checkout.folder / "run-one"
    broken.write_text("the \x1b[31mBPF\x1b[0m program runs in no way here")
    code, said = checkout.measure()
    assert code == SOME_FAILED
    *counted, last = checkout.calls()
    assert (sorted(counted), last) == (["run one", "run two"], "calibrate ppstraffic")
    assert "ppslab run one --measure counted" in said
    assert "ppslab run one --profile quick" in said
    (kept,) = checkout.local.glob("failed-*.json")
    failure = results.load_as(kept, Failure)
    assert (failure.command, failure.lab, failure.exit_code) == ("run", "one", 1)
    assert (failure.measure, kept.name) == ("counted", "failed-run-one-counted.json")
    assert failure.reason == "the BPF program runs in no way here"

    assert checkout.measure("--failed")[0] == SOME_FAILED
    assert checkout.calls() == []
    assert checkout.measure()[0] == SOME_FAILED
    assert checkout.calls() == ["run one"]
    broken.unlink()
    code, said = checkout.measure()
    assert code == 0, said
    assert checkout.calls() == ["run one"]
    assert not list(checkout.local.glob("failed-*.json"))
    assert checkout.measure("--failed") == (0, "")
    assert checkout.measure() == (0, "")


def test_ctrl_c_stops_all_at_once_and_tidily(checkout: Checkout) -> None:
    (checkout.folder / "run-one").write_text("wait")
    running = checkout.start()
    until((checkout.folder / "waiting").exists, "the measurement that waits")
    running.send_signal(signal.SIGINT)
    running.communicate(timeout=PATIENCE)
    assert running.returncode == 130
    assert (checkout.folder / "tidied").exists()
    # The other lab may have begun beside it; what takes time has not.
    assert "run one" in (calls := checkout.calls())
    assert {*calls} <= {"run one", "run two"}
    assert not list(checkout.local.glob("failed-*.json"))


def test_what_counts_goes_side_by_side_and_what_takes_time_goes_alone(checkout: Checkout) -> None:
    for name in ("one", "two"):
        (checkout.folder / f"run-{name}").write_text("beside")
    lab = checkout.folder / "labs" / "two" / "lab.yml"
    lab.write_text(LAB + "timed_too: true\n")
    code, said = checkout.measure("--book")
    assert code == 0, said
    *counted, begins, _ends = checkout.log()
    # Each of the two saw the other begin; the timed one began when both had ended.
    assert sorted(counted[:2]) == ["begin run one", "begin run two"]
    assert sorted(counted[2:]) == ["end run one", "end run two"]
    assert begins == "begin run two"
    assert checkout.measure("--book") == (0, "")
