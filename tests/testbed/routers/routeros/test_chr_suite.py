"""The tests for a real CHR (tests/system/chr) run on the double here, so we know that they run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[4]

PARTS = ("test_client.py", "test_traffic.py", "test_checks.py")


@pytest.mark.long
def test_they_pass_on_the_double() -> None:
    environment = {**os.environ, "PPSLAB_CHR_DOUBLE": "1"}
    for name in ("PPSLAB_CHR_IMAGE", "PYTEST_ADDOPTS", "PYTEST_CURRENT_TEST"):
        environment.pop(name, None)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider",
         *(f"tests/system/chr/{part}" for part in PARTS)],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    last = done.stdout.splitlines()[-1]
    assert "passed" in last and "skipped" not in last
