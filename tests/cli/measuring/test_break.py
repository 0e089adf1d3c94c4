"""`ppslab break` as a reader types it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ppslab.testbed.backends import capabilities
from tests.cli.conftest import Inside, Run

pytestmark = pytest.mark.live


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["break", "fastpth"], 'did you mean "fastpath"'),
        (["break", "--fault", "late-testr"], 'did you mean "late-tester"'),
        (["break", "--backend", "docker"], "no backend 'docker'"),
        (["break", "--out", "results"], "this is a folder"),
    ],
)
def test_wrong_usage(inside: Inside, argv: list[str], said: str) -> None:
    done = inside(*argv)
    assert done.returncode == 2, done.stderr
    assert said in done.stderr
    assert "Traceback" not in done.stdout + done.stderr


@pytest.mark.timed(why="a fault is told from noise by a tester that keeps its schedule")
def test_one_fault_is_broken_shown_and_recorded(ppslab: Run, tmp_path: Path) -> None:
    missing = {"nft"} - capabilities.features_of("namespaces")
    if missing:
        pytest.skip(f"this kernel has no {', '.join(missing)} here: ppslab doctor")
    record = tmp_path / "faults.json"
    done = ppslab("break", "--backend", "namespaces", "--fault", "rules-gone", "--out", str(record))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "caught" in done.stdout
    assert "router state not as configured" in done.stdout
    assert ppslab("validate", str(record)).returncode == 0
