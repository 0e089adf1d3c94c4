"""The command `ppslab` as a reader types it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from ppslab import cli
from tests.support.waiting import PATIENCE

ROOT = Path(__file__).resolve().parents[2]
PPSLAB = Path(sys.executable).with_name("ppslab")

Run = Callable[..., subprocess.CompletedProcess[str]]


def environment(runtime: Path, **more: str) -> dict[str, str]:
    """This environment, with a runtime folder of the test's own."""
    wide = {"COLUMNS": "200", "TERM": "dumb", "PPSLAB_RUNTIME": str(runtime)}
    return {**os.environ, **wide, **more}


@pytest.fixture
def runtime(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of the test's own for what is alive: sockets have short paths."""
    return tmp_path_factory.mktemp("r")


@pytest.fixture
def ppslab(runtime: Path) -> Run:
    """Run ppslab to its end."""

    def run(*argv: str, **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(PPSLAB), *argv],
            cwd=ROOT,
            env=environment(runtime, **more),
            capture_output=True,
            text=True,
            timeout=5 * PATIENCE,
            check=False,
        )

    return run


@dataclass(frozen=True)
class Done:
    """What a command said."""

    returncode: int
    stdout: str
    stderr: str


Inside = Callable[..., Done]


@pytest.fixture
def inside(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], runtime: Path
) -> Inside:
    """The command's own entry, in this process: to start Python anew takes a second each time."""
    monkeypatch.chdir(ROOT)
    for name, value in {"PPSLAB_RUNTIME": str(runtime), "COLUMNS": "200", "TERM": "dumb"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("signal.signal", lambda *_: None)  # what ends pytest is pytest's affair

    def run(*argv: str, **more: str) -> Done:
        for name, value in more.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(sys, "argv", ["ppslab", *argv])
        try:
            cli.main()
            code: object = 0
        except SystemExit as end:
            code = end.code
        said = capsys.readouterr()
        return Done(int(str(code or 0)), said.out, said.err)

    return run
