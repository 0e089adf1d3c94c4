"""The tests read the kept records alone, whatever this machine has measured since."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from ppslab.model import results
from ppslab.model.lab import lab
from ppslab.model.results import TcpRecord, storing
from tests.suite.__main__ import GATE, WEEKLY, Part

pytestmark = pytest.mark.notebook

ROOT = Path(__file__).resolve().parents[3]
NOTEBOOK = "notebooks/fastpath.ipynb"

READING = """
import json
import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ppslab.cli import app
from ppslab.model import results
from ppslab.model.lab import lab


def read():
    if "CLAIMS" in os.environ:
        return json.loads(CliRunner().invoke(app, ["claims", "fastpath", "--json"]).stdout)
    return {name: str(results.newest_path(name)) for name in lab.names()}


def pytest_sessionstart():
    Path("read.json").write_text(json.dumps(read()))
    pytest.exit("read", 0)


if __name__ == "__main__":
    print(json.dumps(read()))
"""
"""A plugin of pytest that writes what tests would read, and runs none; by itself, what is read.

The newest record of each lab, or what `ppslab claims` says of one.
"""


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout as `make book` leaves it: each lab has a newer record, with other figures."""
    folder = tmp_path_factory.mktemp("measured") / "checkout"
    folder.mkdir()
    for path in ROOT.iterdir():
        if not path.name.startswith(".") and path.name not in ("notebooks", "results"):
            (folder / path.name).symlink_to(path)
    (folder / "notebooks").mkdir()
    (folder / NOTEBOOK).write_bytes((ROOT / NOTEBOOK).read_bytes())
    with pytest.MonkeyPatch.context() as patch:
        kept = storing.link_kept(folder / "results")
        patch.setenv("PPSLAB_RESULTS", str(kept))
        for name in lab.names():
            for newest in (results.newest(name), results.newest_of(TcpRecord, name)):
                if newest:
                    newer = _measured_again(newest)
                    kind = type(newer)
                    place = storing.new_path(name, newer.started, newer.backend, kind)
                    results.save(newer, place)
    (folder / "reading.py").write_text(READING, encoding="utf-8")
    return folder


def _measured_again(run: Any) -> Any:
    """A run of today whose every other condition costs half as much again."""
    slower = {each.name for each in run.conditions[::2]}

    def again(trial: Any) -> Any:
        if not trial.counts or trial.condition not in slower:
            return trial
        counts = dict(trial.counts)
        for name in ("send_seconds", "send_cpu_seconds"):
            counts[name] *= 1.5
        return trial.model_copy(update={"counts": counts})

    now = datetime.now(UTC)
    times = {"started": now, "finished": now + timedelta(minutes=3)}
    return run.model_copy(update={**times, "trials": tuple(map(again, run.trials))})


def _python(
    checkout: Path, *words: str, more: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    told = {name: text for name, text in os.environ.items() if name != "PPSLAB_RESULTS"}
    return subprocess.run(
        [sys.executable, *words],
        cwd=checkout, env={**told, **(more or {})}, capture_output=True, text=True, check=False,
    )  # fmt: skip


def _read_by(part: Part, checkout: Path, **more: str) -> Any:
    words = ("-m", "pytest", "-p", "reading", *part.options)
    done = _python(checkout, *words, more={**part.environment, **more})
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return json.loads((checkout / "read.json").read_text())


def _read_by_hand(checkout: Path, **more: str) -> Any:
    return json.loads(_python(checkout, "reading.py", more=more).stdout)


@pytest.mark.parametrize("part", [*GATE, *WEEKLY], ids=lambda part: part.name)
def test_each_part_of_the_tests_reads_the_kept_records(part: Part, measured: Path) -> None:
    for name, path in _read_by(part, measured).items():
        newest = results.newest_path(name)
        assert newest and Path(path).name == newest.name


def test_a_reader_reads_what_was_measured(measured: Path) -> None:
    """Else the tests beside this would hold for any suite."""
    folders = {name: Path(path).parent.name for name, path in _read_by_hand(measured).items()}
    assert folders == dict.fromkeys(lab.names(), "local")


def test_the_verdicts_are_those_of_the_kept_records(measured: Path, tmp_path: Path) -> None:
    kept = str(storing.link_kept(tmp_path / "kept"))
    said = _read_by_hand(measured, CLAIMS="yes", PPSLAB_RESULTS=kept)
    check = next(part for part in GATE if part.name == "check")
    assert _read_by(check, measured, CLAIMS="yes") == said
    assert _read_by_hand(measured, CLAIMS="yes") != said, "what was measured says something else"


def test_the_stored_outputs_are_those_of_the_kept_records(measured: Path) -> None:
    part = next(each for each in GATE if each.name == "notebooks")
    words = [NOTEBOOK if word == "notebooks" else word for word in part.options]
    done = _python(measured, "-m", "pytest", "-q", *words, more=part.environment)
    assert done.returncode == 0, done.stdout[-2000:]
