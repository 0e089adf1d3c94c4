"""The private world: an earlier run is not seen in it, and nothing is left of a killed one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.waiting import a_long_time, running, until

WORLD = Path(__file__).resolve().parents[2] / "suite/world"
OUTSIDE = {name: value for name, value in os.environ.items() if name != "PPSLAB_TESTS_WORLD"}
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="this wants root")

pytestmark = pytest.mark.live


def world(script: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a shell's script in a world of its own."""
    return subprocess.run(
        [WORLD, "sh", "-c", script], capture_output=True, text=True, check=False,
        stdin=subprocess.DEVNULL, env={**OUTSIDE, **environment},
    )  # fmt: skip


@pytest.fixture(autouse=True, scope="module")
def _possible() -> None:
    why = world("true").stderr
    if why:
        pytest.skip(why)


@as_root
def test_what_an_earlier_run_left_is_not_seen_nor_what_this_one_makes() -> None:
    seconds = a_long_time()
    name, made = f"ppslab-t-{seconds}", f"ppslab-u-{seconds}"
    subprocess.run(["ip", "netns", "add", name], check=True)
    try:
        with subprocess.Popen(["sleep", seconds]) as left:
            done = world(
                f"ip netns list; ps -eo args=; ls -A /run/ppslab /run/netns; ip netns add {made}"
            )
            left.kill()
        listed = subprocess.run(["ip", "netns"], capture_output=True, text=True, check=True)
    finally:
        subprocess.run(["ip", "netns", "del", name], check=True)
    assert done.returncode == 0, done.stderr
    assert name not in done.stdout and f"sleep {seconds}" not in done.stdout
    assert made not in listed.stdout


def test_the_whole_is_killed_with_whoever_started_it() -> None:
    """Though it is in a session of its own and nobody told it."""
    seconds = a_long_time()
    command = [str(WORLD), "sh", "-c", f"setsid sleep {seconds} & sleep {seconds}"]
    starter = [sys.executable, "-c", "import subprocess, sys; subprocess.run(sys.argv[1:])"]
    with subprocess.Popen([*starter, *command], env=OUTSIDE) as started:
        until(lambda: len(running("sleep", seconds)) == 2, "two sleeping processes")
        started.send_signal(signal.SIGKILL)
    until(lambda: not running("sleep", seconds), "the end of what was started")


def test_its_temporary_files_go_with_it_and_those_of_a_killed_one_with_the_next(
    tmp_path: Path,
) -> None:
    dead, alive = tmp_path / "ppslab-tests.dead", tmp_path / "ppslab-tests.alive"
    for folder in (dead, alive):
        folder.mkdir()
    seconds = a_long_time()
    with subprocess.Popen(["flock", "--no-fork", alive, "sleep", seconds]) as held:
        until(lambda: running("sleep", seconds), "the lock")
        done = world('echo "$TMPDIR"; touch "$TMPDIR/left"', TMPDIR=str(tmp_path))
        held.kill()
    assert Path(done.stdout.strip()).parent == tmp_path
    assert list(tmp_path.iterdir()) == [alive]
