"""scripts/records/run-each: which labs it runs, and what its end says of them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from ppslab.model.lab import lab
from tests.system.setup.conftest import Run

pytestmark = pytest.mark.long

MINE = [name for name in lab.names() if lab.find(name).spec.machine is None]

# Ends as `ppslab run` would for the labs that are named after its exit codes.
PPSLAB = """#!/bin/sh
echo "$*" >>"{log}"
case "$2" in {cases} esac
"""


class Each:
    """The script, with a ppslab that answers as it is told."""

    def __init__(self, folder: Path, root: Path, run: Run) -> None:
        self._bin, self._log, self._run = folder / "bin", folder / "log", run
        self._script = root / "scripts/records/run-each"
        self._bin.mkdir()
        # The script looks for ppslab beside its Python: here, beside a link to it.
        (self._bin / "python").symlink_to(sys.executable)
        self._env = {"PYTHONPATH": ":".join(each for each in sys.path if each)}

    def __call__(self, *words: str, env: dict[str, str] | None = None, **codes: int) -> Any:
        cases = " ".join(f"{name}) exit {code} ;;" for name, code in codes.items())
        (self._bin / "ppslab").write_text(PPSLAB.format(log=self._log, cases=cases))
        (self._bin / "ppslab").chmod(0o755)
        python = self._bin / "python"
        return self._run(python, self._script, *words, env={**self._env, **(env or {})})

    @property
    def asked(self) -> list[str]:
        return self._log.read_text().splitlines()


@pytest.fixture
def each(tmp_path: Path, root: Path, run: Run) -> Each:
    return Each(tmp_path, root, run)


def test_one_that_fails_stops_none_and_fails_the_whole(each: Each) -> None:
    done = each(fasttrack=1, pppoe=3, env={"GITHUB_ACTIONS": "true"})
    assert done.returncode == 1
    assert len(each.asked) == len(MINE)
    assert "::error::fasttrack failed" in done.stdout
    assert "::warning::pppoe cannot be measured here" in done.stdout
    assert done.stdout.endswith("failed: fasttrack\n")


def test_where_none_can_be_run_nothing_was_tested(each: Each) -> None:
    done = each(**dict.fromkeys(MINE, 3))
    assert done.returncode == 1
    assert "measured: none; failed: none" in done.stdout
