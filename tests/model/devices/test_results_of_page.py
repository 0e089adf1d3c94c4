"""scripts/records/results_of_page.py adds a pasted table's rows to the devices' files."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ppslab.core import documents
from ppslab.model import devices
from tests.course.models.test_results_table import TABS
from tests.support.waiting import PATIENCE

pytestmark = pytest.mark.long

SCRIPT = Path(__file__).resolve().parents[3] / "scripts/records/results_of_page.py"

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The devices' files, to write into."""
    return Path(shutil.copytree(devices.FOLDER, tmp_path / "devices"))


@pytest.fixture
def run(folder: Path, tmp_path: Path) -> Run:
    def run(text: str, *words: str, code: str = "RB1100Dx4") -> subprocess.CompletedProcess[str]:
        table = tmp_path / "table.txt"
        table.write_text(text, encoding="utf-8")
        argv = [sys.executable, str(SCRIPT), str(table), "--code", code, "--date", "2026-11-27"]
        return subprocess.run(
            [*argv, "--folder", str(folder), *words],
            capture_output=True, text=True, timeout=PATIENCE, check=False,
        )  # fmt: skip

    return run


def test_a_table_becomes_rows_with_a_source(run: Run, folder: Path) -> None:
    before = documents.read_csv(folder / "results.csv")
    dry = run(TABS, "--dry-run")
    assert documents.read_csv(folder / "results.csv") == before
    done = run(TABS)
    assert (done.returncode, done.stdout) == (0, dry.stdout), done.stderr
    rows = documents.read_csv(folder / "results.csv")[len(before) :]
    figures = [(row["code"], row["frame_bytes"], row["kpps"], row["mbps"]) for row in rows]
    assert ("RB1100Dx4", "512", "410", "1679.4") in figures and len(figures) == 14
    (source,) = [
        row for row in documents.read_csv(folder / "sources.csv") if row["id"] == rows[0]["source"]
    ]
    address = devices.find("RB1100Dx4").product_page
    assert (source["year"], source["address"]) == ("2026", address)
    again = run(TABS)
    assert again.returncode == 2 and "already" in again.stderr


@pytest.mark.parametrize(
    ("text", "code", "says"),
    [
        (TABS, "RB9999", "RB9999"),
        (TABS, "RB750Gr3", "RB1100Dx4"),
        (TABS.replace("1679.4", "9"), "RB1100Dx4", "table.txt:7"),
    ],
)
def test_a_refusal_writes_nothing(run: Run, folder: Path, text: str, code: str, says: str) -> None:
    before = {path.name: path.read_bytes() for path in folder.glob("*.csv")}
    done = run(text, code=code)
    assert done.returncode == 2 and says in done.stderr
    assert {path.name: path.read_bytes() for path in folder.glob("*.csv")} == before


def issue(path: Path, table: str, code: str = "RB1100Dx4", day: str = "2026-11-29") -> Path:
    """GitHub's event of an issue that the form of Test results opened."""
    table = f"```text\n{table}\n```"
    body = f"### Product code\n\n{code}\n\n### Day\n\n{day}\n\n### Test results\n\n{table}"
    path.write_text(json.dumps({"issue": {"body": body}}), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("table", "code", "day", "exit_code", "says"),
    [
        (TABS, "RB1100Dx4", "2026-11-29", 0, "RB1100Dx4,Routing,25 ip filter rules,512,410,"),
        (TABS.replace("1679.4", "9"), "RB1100Dx4", "2026-11-29", 10, "Line 7 of the table: Rout"),
        (TABS, "RB750Gr3", "2026-11-29", 10, "the results of the RB1100AHx4"),
        (TABS, "@everyone", "2026-11-29", 10, "No device of ours"),
        (TABS, "RB1100Dx4", "today", 10, "a day as"),
        ("<script>", "RB1100Dx4", "2026-11-29", 10, "select the table"),
    ],
)
def test_the_table_of_an_issue_is_answered(
    table: str, code: str, day: str, exit_code: int, says: str, tmp_path: Path
) -> None:
    before = documents.read_text(devices.FOLDER / "results.csv")
    event = issue(tmp_path / "event.json", table, code, day)
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "--issue", str(event)],
        capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (exit_code, "")
    assert says in done.stdout and done.stdout.count("```") == 2
    assert documents.read_text(devices.FOLDER / "results.csv") == before
