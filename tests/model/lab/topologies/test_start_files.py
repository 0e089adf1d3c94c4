"""scripts/routeros/start_configs.py: a CHR's start file says what the lab's files say."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ppslab.core import paths
from ppslab.testbed.routers.routeros.rsc import script
from tests.support.waiting import PATIENCE

ROOT = paths.project_root()
FOLDER = ROOT / "topologies" / "start"


def run(root: Path, *argv: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(root / "scripts/routeros/start_configs.py"), *argv]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """What the script reads, to be changed."""
    (tmp_path / "scripts/routeros").mkdir(parents=True)
    shutil.copy(ROOT / "scripts/routeros/start_configs.py", tmp_path / "scripts/routeros")
    for folder in ("labs", "topologies"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    return tmp_path


def test_the_start_files_are_as_they_would_be_made() -> None:
    done = run(ROOT, "--check")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.long
def test_a_lab_that_changed_is_noticed_and_its_files_are_made_anew(copied: Path) -> None:
    routing = copied / "labs" / "fastpath" / "routeros" / "routing.rsc"
    routing.write_text(routing.read_text().replace("198.18.3.1/24", "198.18.3.9/24"))
    (copied / "topologies" / "start" / "gone.dut.rsc").write_text("")
    done = run(copied, "--check")
    assert done.returncode == 1
    said = [line.split()[0] for line in done.stdout.splitlines()]
    names = ["fastpath-chr.dut", "fastpath-chr-tester.dut", "fastpath-tcp-chr.dut", "gone.dut"]
    assert said == [f"topologies/start/{name}.rsc" for name in names]
    assert run(copied).returncode == 0
    assert run(copied, "--check").returncode == 0
    assert "198.18.3.9/24" in (copied / "topologies/start/fastpath-chr.dut.rsc").read_text()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("/ip/route add dst-address=$net gateway=p1", "$"),
        ("/ip/route add comment={{x}} gateway=p1", "{{"),
        (":foreach x in=1,2 do={ }", "routing.rsc:24: "),
        ("/ip/route add gateway=p1 \\", "routing.rsc:24: "),
    ],
)
def test_what_cannot_be_a_start_file_is_refused(copied: Path, line: str, said: str) -> None:
    routing = copied / "labs" / "fastpath" / "routeros" / "routing.rsc"
    count = len(routing.read_text().splitlines())
    routing.write_text(f"{routing.read_text()}{line}\n")
    done = run(copied)
    assert done.returncode == 2
    assert said.replace(":24:", f":{count + 1}:") in done.stderr
    assert "Traceback" not in done.stderr


def test_a_loop_is_unrolled_as_routeros_would_run_it() -> None:
    """containerlab would take the loop's variable for one of its own environment."""
    ours = script.read(FOLDER / "pppoe-chr.server.rsc")
    theirs = script.read(ROOT / "labs" / "pppoe" / "routeros" / "server.rsc")
    assert [str(each) for each in ours if each.menu == "/ppp/secret"] == [
        str(each) for each in theirs if each.menu == "/ppp/secret"
    ]
    assert sum(each.menu == "/ppp/secret" for each in ours) == 12
