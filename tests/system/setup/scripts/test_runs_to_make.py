"""runs_to_make: make book measures what changed, and knows all that a run reads."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scripts.records import runs_to_make
from tests.system.setup.conftest import Run

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


pytestmark = [pytest.mark.long, pytest.mark.usefixtures("can_count")]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A lab with its inputs, all old, and a whole record that is newer."""
    for name, text in {
        "labs/demo/lab.yml": LAB,
        "labs/demo/linux/rules.nft": "",
        "labs/demo/claims.yml": "",
        "labs/_template/lab.yml": LAB,
        "topologies/wires.clab.yml": "",
        "src/ppslab/__init__.py": "",
        "src/ppslab/model/lab/__init__.py": "",
        "src/ppslab/model/lab/lab.py": "",
        "src/ppslab/model/lab/profiles.yml": "",
        "src/ppslab/measure/calibration/experiment.py": TRIAL,
        "src/ppslab/measure/faults.py": TRIAL,
        "src/ppslab/measure/rfc2544/suite.py": TRIAL,
        "src/ppslab/measure/run.py": TRIAL,
        "src/ppslab/measure/tcp.py": TRIAL,
        "src/ppslab/measure/trial/trial.py": WORKS,
        "src/ppslab/show/figures.py": "",
        "src/ppslab/model/packet_path/__init__.py": "",
        "packages/rosexplain/src/rosexplain/parse.py": "",
        "src/ppslab/__pycache__/trial.cpython-311.pyc": "",
        "traffic/src/main.c": "",
        "traffic/fuzz/frame.c": "",
        "images/linux-router/bpf/fib.bpf.c": "",
    }.items():
        put(tmp_path / name, text, OLD)
    record(tmp_path)
    record(tmp_path, CALIBRATION, lab="ppstraffic")
    return tmp_path


@pytest.fixture
def stale(
    run: Run, root: Path, checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[], tuple[str, str]]:
    def stale() -> tuple[str, str]:
        monkeypatch.delenv("PPSLAB_RESULTS", raising=False)
        done = run(sys.executable, root / "scripts/records/runs_to_make.py", "--root", checkout)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip(), done.stderr.strip()

    return stale


def test_a_record_that_is_newer_than_everything_is_enough(stale: Any, checkout: Path) -> None:
    assert stale() == ("", "")
    (checkout / RECORD).unlink()
    assert stale()[0] == "run demo counted"


def test_the_suite_and_tcp_are_for_labs_that_have_the_words(stale: Any, checkout: Path) -> None:
    put(checkout / "labs/demo/lab.yml", LAB + TCP, OLD)
    assert stale()[0].splitlines() == ["rfc2544 demo", "tcp demo", "break demo"]
    for kind in ("rfc2544", "tcp", "faults"):
        record(checkout, RECORD.replace("/demo", f"/{kind}-demo"), measure="timed")
    assert stale() == ("", "")
    os.utime(checkout / "labs/demo/linux/rules.nft", (NEW, NEW))
    assert stale()[0].splitlines() == [
        "run demo counted",
        "rfc2544 demo",
        "tcp demo",
        "break demo",
    ]


@pytest.mark.parametrize(
    ("changed", "again"),
    [
        ("labs/demo/lab.yml", True),
        ("labs/demo/linux/rules.nft", True),
        ("topologies/wires.clab.yml", True),
        ("src/ppslab/measure/run.py", True),
        ("src/ppslab/measure/trial/trial.py", True),
        ("src/ppslab/model/lab/lab.py", True),
        ("src/ppslab/model/lab/profiles.yml", True),
        ("traffic/src/main.c", True),
        ("images/linux-router/bpf/fib.bpf.c", True),
        ("labs/demo/claims.yml", False),
        ("labs/_template/lab.yml", False),
        ("src/ppslab/measure/tcp.py", False),
        ("src/ppslab/show/figures.py", False),
        ("packages/rosexplain/src/rosexplain/parse.py", False),
        ("src/ppslab/__pycache__/trial.cpython-311.pyc", False),
        ("traffic/fuzz/frame.c", False),
    ],
)
def test_what_a_measurement_is_made_from(
    stale: Any, checkout: Path, changed: str, again: bool
) -> None:
    os.utime(checkout / changed, (NEW, NEW))
    made, why = stale()
    assert ("run demo counted" in made.splitlines()) is again
    said = f"run demo counted: {changed} changed after {Path(RECORD).name}"
    assert (said in why.splitlines()) is again
    assert again or not made


def test_a_run_of_one_condition_is_not_enough(stale: Any, checkout: Path) -> None:
    record(checkout, skipped=[])
    assert stale() == (
        "run demo counted",
        "run demo counted: demo-20260101T000000Z-vm.json has no fast",
    )


@pytest.mark.parametrize("part", [{"skipped": []}, {"frame_sizes": [64]}])
def test_a_later_run_of_a_part_takes_nothing_from_the_whole(
    stale: Any, checkout: Path, part: dict[str, Any]
) -> None:
    """`make book` makes such runs itself, for claims that are open (--until-decided)."""
    record(checkout, RECORD.replace("0101", "0102"), **part)
    assert stale() == ("", "")
    put(checkout / "labs/demo/linux/rules.nft", "", OLD + 2)
    why = "run demo counted: labs/demo/linux/rules.nft changed after demo-20260101T000000Z-vm.json"
    assert stale() == ("run demo counted", why)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("conditions: [\n", "lab.yml:2: "),
        ("- a list\n", "lab.yml:1: "),
        (LAB.replace("title: Demo", "titel: Demo"), '"title"'),
        (LAB.replace("title: Plain", "title: Plain, routeros: [gone.rsc]"), "gone.rsc"),
    ],
)
def test_a_lab_of_which_a_file_is_wrong_is_left_out(
    stale: Any, checkout: Path, text: str, why: str
) -> None:
    put(checkout / "labs/broken/lab.yml", text, NEW)
    made, said = stale()
    assert made == ""
    assert said.startswith("broken ") and why in said
    (checkout / RECORD).unlink()
    assert stale()[0] == "run demo counted"


def test_each_measure_wants_a_record_of_its_own(stale: Any, checkout: Path) -> None:
    put(checkout / "labs/demo/lab.yml", LAB + "timed_too: true\n", OLD)
    assert stale()[0] == "run demo timed"
    record(checkout, RECORD.replace("0101", "0102"), measure="timed")
    assert stale() == ("", "")
    needs = LAB.replace("flows: one}", "flows: one, needs: [numa]}")
    put(checkout / "labs/demo/lab.yml", needs + MACHINE, OLD)
    assert stale() == ("", "")
    (checkout / RECORD.replace("0101", "0102")).unlink()
    assert stale()[0] == "run demo timed"


def test_where_nobody_can_count_a_run_takes_time(
    stale: Any, checkout: Path, can_count: Path
) -> None:
    """Else `make book` would wait for a counted record for ever, and measure again each time."""
    can_count.write_text("#!/bin/sh\nexit 1\n")
    assert stale()[0] == "run demo timed"
    record(checkout, RECORD.replace("0101", "0102"), measure="timed")
    assert stale() == ("", "")


# --- the inputs of this checkout -------------------------------------------------------------


@pytest.fixture(scope="module")
def inputs(root: Path) -> Callable[[str], set[str]]:
    """The files of this checkout's package that a command's measurement is made from."""
    package = root / "src/ppslab"
    return lambda command: {
        path.relative_to(package).as_posix() for path in runs_to_make.of_ppslab(root, command)
    }


REHEARSED = """
import sys
read = set()
sys.addaudithook(lambda event, of: event == "open" and read.add(str(of[0])))
from ppslab.model.lab import lab
from ppslab.measure.run import Options, rehearse
for name in ("fastpath", "l3offload"):
    assert list(rehearse(lab.find(name), Options(backend="vm")))
print(*(each.__file__ for name, each in sys.modules.items() if name.startswith("ppslab")))
print(*read)
"""


def test_a_run_reads_nothing_else(run: Run, root: Path, inputs: Any) -> None:
    """A file that is left out, and that a run reads, would leave an old record standing."""
    done = run(sys.executable, "-c", REHEARSED)
    assert done.returncode == 0, done.stderr
    modules, read = done.stdout.splitlines()
    package = f"{root}/src/ppslab/"
    assert f"{package}measure/trial/trial.py" in modules.split()
    assert f"{package}model/lab/profiles.yml" in read.split()
    files = {each.removeprefix(package) for each in f"{modules} {read}".split()
             if each.startswith(package) and "__pycache__" not in each}  # fmt: skip
    assert files - inputs("run") == set()
