"""The command `ppslab` as a reader types it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

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
            timeout=300,
            check=False,
        )

    return run
