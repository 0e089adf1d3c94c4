"""The tests for a real CHR (tests/chr) run on the double here, so that they are known to run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

PARTS = ("test_client.py", "test_traffic.py", "test_checks.py")


def run(**more: str) -> str:
    environment = {**os.environ, **more}
    for name in ("PPSLAB_CHR_IMAGE", "PYTEST_ADDOPTS", "PYTEST_CURRENT_TEST"):
        environment.pop(name, None)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider",
         *(f"tests/chr/{part}" for part in PARTS)],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_they_pass_on_the_double() -> None:
    assert "1 skipped" in run(PPSLAB_CHR_DOUBLE="1").splitlines()[-1]


def test_without_a_chr_they_say_why_they_are_skipped() -> None:
    said = run(PPSLAB_CHR_DOUBLE="")
    assert "PPSLAB_CHR_IMAGE is not set" in said
    assert "passed" not in said.splitlines()[-1]
