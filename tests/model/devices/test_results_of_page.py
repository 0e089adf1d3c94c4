"""scripts/records/results_of_page.py adds a saved page's rows to the devices' files."""

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
from tests.course.models.test_results_table import tabs
from tests.model.devices.pages import RB1100, page
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
    def run(text: str, *words: str, day: str = "2026-11-27") -> subprocess.CompletedProcess[str]:
        saved = tmp_path / "page.html"
        saved.write_text(text, encoding="utf-8")
        argv = [sys.executable, str(SCRIPT), str(saved), "--date", day, "--folder", str(folder)]
        return subprocess.run(
            [*argv, *words], capture_output=True, text=True, timeout=PATIENCE, check=False
        )

    return run


def test_a_page_becomes_rows_with_a_source(run: Run, folder: Path) -> None:
    before = documents.read_csv(folder / "results.csv")
    done = run(page(RB1100))
    assert done.returncode == 0, done.stderr
    rows = documents.read_csv(folder / "results.csv")[len(before) :]
    figures = [(row["code"], row["frame_bytes"], row["kpps"], row["mbps"]) for row in rows]
    assert ("RB1100Dx4", "512", "1736.4", "7112.3") in figures and len(figures) == 6
    (source,) = [
        row for row in documents.read_csv(folder / "sources.csv") if row["id"] == rows[0]["source"]
    ]
    assert (source["year"], source["address"]) == ("2026", "https://mikrotik.com/product/rb1100dx4")
    again = run(page(RB1100))
    assert again.returncode == 2 and "already" in again.stderr


@pytest.mark.parametrize(
    ("text", "words", "says"),
    [
        (page(RB1100, code="RB9999"), (), "RB9999"),
        (page(RB1100), ("--code", "RB750Gr3"), "RB1100Dx4"),
        (page(RB1100).replace("canonical", "x"), (), "--address"),
        (page([("Routing", "x", "606.5", "1", *"----")]), (), "page.html:10"),
    ],
)
def test_a_refusal_writes_nothing(
    run: Run, folder: Path, text: str, words: tuple[str, ...], says: str
) -> None:
    before = {path.name: path.read_bytes() for path in folder.glob("*.csv")}
    done = run(text, *words)
    assert done.returncode == 2 and says in done.stderr
    assert {path.name: path.read_bytes() for path in folder.glob("*.csv")} == before


SPECIFICATIONS = {
    "Architecture": "ARM 64bit",
    "CPU": "IPQ-6010",
    "CPU core count": "4",
    "CPU nominal frequency": "auto (864 - 1800) MHz",
    "10/100/1000 Ethernet ports": "4",
    "Number of 2.5G Ethernet ports": "1",
    "SFP ports": "1 (2.5G supported)",
    "Number of USB ports": "1",
}


def with_specifications(text: str, said: dict[str, str]) -> str:
    """A page with more rows in its first table."""
    more = "".join(f"<tr><td>{label}</td><td>{word}</td></tr>" for label, word in said.items())
    return text.replace("</table>", f"{more}</table>", 1)


def test_a_new_device_comes_with_its_specifications(run: Run, folder: Path) -> None:
    text = with_specifications(page(RB1100, code="C99"), SPECIFICATIONS)
    done = run(text, "--name", "hAP new")
    assert done.returncode == 0, done.stderr
    row = documents.read_csv(folder / "devices.csv")[-1]
    assert (row["name"], row["code"], row["mhz"]) == ("hAP new", "C99", "864-1800")
    assert row["ports"] == "4x1G + 1x2.5G + 1xSFP (2.5G supported)"
    lacking = {label: word for label, word in SPECIFICATIONS.items() if label != "CPU"}
    refused = run(with_specifications(page(RB1100, code="C98"), lacking), "--name", "hAP")
    assert refused.returncode == 2 and "no 'CPU'" in refused.stderr


def test_a_dry_run_writes_nothing(run: Run, folder: Path) -> None:
    before = (folder / "results.csv").read_bytes()
    done = run(page(RB1100), "--dry-run")
    assert "RB1100Dx4,Bridging,none (fast path),64,5509.7,2821,table," in done.stdout
    assert (folder / "results.csv").read_bytes() == before


def issue(path: Path, table: str, code: str = "RB1100Dx4", day: str = "2026-11-29") -> Path:
    """GitHub's event of an issue that the form of Test results opened."""
    table = f"```text\n{table}\n```"
    body = f"### Product code\n\n{code}\n\n### Day\n\n{day}\n\n### Test results\n\n{table}"
    path.write_text(json.dumps({"issue": {"body": body}}), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("table", "code", "day", "exit_code", "says"),
    [
        (tabs(), "RB1100Dx4", "2026-11-29", 0, "RB1100Dx4,Routing,25 ip filter rules,512,410,"),
        (tabs().replace("1679.4", "9"), "RB1100Dx4", "2026-11-29", 10, "Line 7 of the table: Rout"),
        (tabs(), "RB750Gr3", "2026-11-29", 10, "the tables are those of RB1100Dx4"),
        (tabs(), "@everyone", "2026-11-29", 10, "No device of ours"),
        (tabs(), "RB1100Dx4", "today", 10, "a day as"),
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
