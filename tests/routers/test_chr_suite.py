"""The tests for a real CHR (tests/chr) run on the double here, so that they are known to run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

PARTS = ("test_client.py", "test_traffic.py", "test_checks.py")


def test_they_pass_on_the_double() -> None:
    environment = {**os.environ, "PPSLAB_CHR_DOUBLE": "1"}
    for name in ("PPSLAB_CHR_IMAGE", "PYTEST_ADDOPTS", "PYTEST_CURRENT_TEST"):
        environment.pop(name, None)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider",
         *(f"tests/chr/{part}" for part in PARTS)],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "passed, 1 skipped" in done.stdout.splitlines()[-1]
