"""A program that has stood something up, and whether all of it is gone."""

from __future__ import annotations

import subprocess
from pathlib import Path

from ppslab.core import processes
from tests.testbed.backends.conftest import Hold, namespaces_in_use

WORKING = {
    "idle": "time.sleep(60)",
    "in a command": 'node.run(["sleep", "4721"])',
    "failing": 'raise SystemExit("failed as the test wants")',
}


def started(
    program: list[str], work: str, held: Hold
) -> tuple[subprocess.Popen[str], int, set[str]]:
    """The program at work, its agent's pid, its nodes' namespaces."""
    program = [*program]
    program[2] = program[2].replace("{work}", WORKING[work])
    process = subprocess.Popen(
        program,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=Path(__file__).parents[4],
        start_new_session=True,
    )
    assert process.stdout
    agent, *names = process.stdout.readline().split()
    assert len(names) == 4
    process.stdout.close()
    return process, int(agent), held(set(names))


def all_gone(names: set[str], agent: int) -> bool:
    return not names & namespaces_in_use() and processes.start_time(agent) is None
