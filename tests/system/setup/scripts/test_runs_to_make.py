"""scripts/records/runs-to-make: make book measures what changed, and nothing else."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.system.setup.conftest import Run
from tests.system.setup.scripts.run_inputs import (
    CALIBRATION,
    LAB,
    MACHINE,
    NEW,
    OLD,
    RECORD,
    TCP,
    TRIAL,
    WORKS,
    put,
    record,
)

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
        "src/ppslab/measure/faults/breaking.py": TRIAL,
        "src/ppslab/measure/rfc2544/suite.py": TRIAL,
        "src/ppslab/measure/run.py": TRIAL,
        "src/ppslab/measure/tcp.py": TRIAL,
        "src/ppslab/measure/trial/trial.py": WORKS,
        "src/ppslab/show/figures.py": "",
        "src/ppslab/model/packet_path/__init__.py": "",
        "packages/rosexplain/examples/home.rsc": "",
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
        done = run(sys.executable, root / "scripts/records/runs-to-make", "--root", checkout)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip(), done.stderr.strip()

    return stale


def test_a_record_that_is_newer_than_everything_is_enough(stale: Any) -> None:
    assert stale() == ("", "")


def test_without_a_record(stale: Any, checkout: Path) -> None:
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


def test_a_tester_that_changed_is_calibrated_again(stale: Any, checkout: Path) -> None:
    os.utime(checkout / "traffic/src/main.c", (NEW, NEW))
    assert "calibrate" in stale()[0].splitlines()
    (checkout / CALIBRATION).unlink()
    assert "calibrate: " in stale()[1]


@pytest.mark.parametrize(
    "changed",
    [
        "labs/demo/lab.yml",
        "labs/demo/linux/rules.nft",
        "topologies/wires.clab.yml",
        "src/ppslab/measure/run.py",
        "src/ppslab/measure/trial/trial.py",
        "src/ppslab/model/lab/lab.py",
        "src/ppslab/model/lab/profiles.yml",
        "traffic/src/main.c",
        "images/linux-router/bpf/fib.bpf.c",
    ],
)
def test_what_a_measurement_is_made_from(stale: Any, checkout: Path, changed: str) -> None:
    os.utime(checkout / changed, (NEW, NEW))
    made, why = stale()
    assert "run demo counted" in made.splitlines()
    assert f"run demo counted: {changed} changed after {Path(RECORD).name}" in why.splitlines()


@pytest.mark.parametrize(
    "changed",
    [
        "labs/demo/claims.yml",
        "labs/_template/lab.yml",
        "src/ppslab/measure/tcp.py",
        "src/ppslab/show/figures.py",
        "packages/rosexplain/examples/home.rsc",
        "packages/rosexplain/src/rosexplain/parse.py",
        "src/ppslab/__pycache__/trial.cpython-311.pyc",
        "traffic/fuzz/frame.c",
    ],
)
def test_what_no_run_is_made_from(stale: Any, checkout: Path, changed: str) -> None:
    os.utime(checkout / changed, (NEW, NEW))
    assert stale() == ("", "")


def test_a_run_of_one_condition_is_not_enough(stale: Any, checkout: Path) -> None:
    record(checkout, skipped=[])
    assert stale() == (
        "run demo counted",
        "run demo counted: demo-20260101T000000Z-vm.json has no fast",
    )


def test_a_run_of_one_frame_size_is_not_enough(stale: Any, checkout: Path) -> None:
    record(checkout, frame_sizes=[64])
    assert "1518" in stale()[1]


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


@pytest.mark.parametrize("broken", ["aborted", "half a file", "another lab's"])
def test_what_is_no_record_is_passed_over(stale: Any, checkout: Path, broken: str) -> None:
    later = RECORD.replace("0101", "0102")
    if broken == "half a file":
        put(checkout / later, '{"lab": "demo", ', NEW)
    else:
        record(
            checkout, later, NEW, **({"state": "aborted"} if broken == "aborted" else {"lab": "x"})
        )
    assert stale() == ("", "")
    os.utime(checkout / "labs/demo/lab.yml", (OLD + 2, OLD + 2))
    assert stale()[0] == "run demo counted"


def test_a_lab_that_does_not_exist(run: Run, root: Path, checkout: Path) -> None:
    done = run(sys.executable, root / "scripts/records/runs-to-make", "--root", checkout, "nosuch")
    assert done.returncode == 2
    assert "labs/nosuch/lab.yml: " in done.stderr


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


def test_a_source_that_is_gone(stale: Any, checkout: Path) -> None:
    (checkout / "topologies/wires.clab.yml").unlink()
    why = "run demo counted: topologies/wires.clab.yml is not there"
    assert stale() == ("run demo counted", why)


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


def test_the_book_needs_runs_alone(
    run: Run, root: Path, checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PPSLAB_RESULTS", raising=False)
    put(checkout / "labs/demo/lab.yml", LAB + TCP + "timed_too: true\n", NEW)
    (checkout / CALIBRATION).unlink()
    done = run(sys.executable, root / "scripts/records/runs-to-make", "--book", "--root", checkout)
    assert done.stdout.split("\n") == ["run demo counted", "run demo timed", ""]


def test_where_nobody_can_count_a_run_takes_time(
    stale: Any, checkout: Path, can_count: Path
) -> None:
    """Else `make book` would wait for a counted record for ever, and measure again each time."""
    can_count.write_text("#!/bin/sh\nexit 1\n")
    assert stale()[0] == "run demo timed"
    record(checkout, RECORD.replace("0101", "0102"), measure="timed")
    assert stale() == ("", "")
