"""What a browser's ppslab reads, as `make lite` makes it from this checkout; once for all tests."""

from __future__ import annotations

import fcntl
import os
import subprocess
from pathlib import Path

import pytest

from ppslab.core import paths

ROOT = Path(__file__).resolve().parents[4]
NOTEBOOKS = ROOT / "notebooks"


@pytest.fixture(scope="session")
def documents() -> Path:
    """The folder of the documents of the kept records, of which nothing is made twice."""
    # What make says to its children is not for this one.
    told = {
        name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MF"))
    }
    (ROOT / "_build").mkdir(exist_ok=True)
    # The browser's tests wait for the same lock: both make the site's parts.
    with (ROOT / "_build/browser-tests.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = subprocess.run(
            ["make", "--no-print-directory", "lite", "KEPT=yes"],
            cwd=ROOT, env=told, capture_output=True, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return paths.site_build(ROOT, paths.kept_results(ROOT)) / "lite-parts/recorded"
