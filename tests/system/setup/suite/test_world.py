"""The private world: an earlier run is not seen in it, and of a killed one nothing is left."""

from __future__ import annotations

import fcntl
import os
import secrets
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.suite import world
from tests.support.waiting import running, until

ROOT = Path(__file__).resolve().parents[4]
AS_ROOT = os.geteuid() == 0

pytestmark = [
    pytest.mark.live,
    pytest.mark.skipif(
        bool(world.why_not(root=AS_ROOT)), reason=f"no world here: {world.why_not(root=AS_ROOT)}"
    ),
]


def inside(script: str, **environment: str) -> list[str]:
    """The command that runs a shell's script in a world of its own."""
    words = [*world.command(root=AS_ROOT), sys.executable, "-m", "tests.suite.world"]
    kind = f"{world.INSIDE}={'root' if AS_ROOT else 'user'}"
    told = [kind, *(f"{name}={value}" for name, value in environment.items())]
    return ["env", *told, *words, "sh", "-c", script]


def run(script: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        inside(script, **environment), cwd=ROOT, capture_output=True, text=True, check=False,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip


@pytest.fixture
def word() -> str:
    """A word that no other process has in its command."""
    return f"{secrets.randbelow(10**8) + 10**8}"


@pytest.fixture
def left(word: str) -> Iterator[str]:
    """A process that an earlier run left, as root with a namespace beside it; its name."""
    name = f"ppslab-t-{word}"
    started = subprocess.Popen(["sleep", word])
    if AS_ROOT:
        subprocess.run(["ip", "netns", "add", name], check=True)
    yield name
    started.kill()
    started.wait()
    if AS_ROOT:
        subprocess.run(["ip", "netns", "del", name], check=True)


def test_what_an_earlier_run_left_is_not_seen(left: str, word: str) -> None:
    assert running(word)
    done = run("ip netns list; ps -eo args=; ls -A /run/ppslab /run/netns")
    assert done.returncode == 0, done.stderr
    assert left not in done.stdout
    assert f"sleep {word}" not in done.stdout


@pytest.mark.skipif(not AS_ROOT, reason="a named namespace wants root")
def test_a_namespace_of_the_world_ends_with_it(word: str) -> None:
    name = f"ppslab-t-{word}"
    assert name in run(f"ip netns add {name} && ip netns list").stdout
    listed = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=True)
    assert name not in listed.stdout


def test_the_network_is_its_own_and_its_loopback_is_up() -> None:
    done = run("ip -o link; ip route get 127.0.0.1")
    assert done.returncode == 0, done.stderr
    assert len([line for line in done.stdout.splitlines() if "link/" in line]) == 1
    assert "LOOPBACK,UP" in done.stdout


@pytest.mark.parametrize(("script", "code"), [("exit 0", 0), ("exit 3", 3), ("kill -9 $$", 137)])
def test_the_exit_code_is_that_of_the_command(script: str, code: int) -> None:
    assert run(script).returncode == code


def test_an_orphan_is_reaped() -> None:
    """Its parent is gone before it ends, and a zombie would look like something left behind."""
    script = (
        "(sh -c 'exit 7' & echo $!) | { read pid; while [ -d /proc/$pid ]; do :; done; echo gone; }"
    )
    assert run(script).stdout == "gone\n"


def test_what_still_runs_ends_with_the_command(word: str) -> None:
    assert run(f"setsid sleep {word} & exit 0").returncode == 0
    until(lambda: not running(word), "the end of what was started")


def test_the_whole_is_killed_with_whoever_started_it(word: str) -> None:
    """Though it is in a session of its own and nobody told it."""
    command = [*world.ENDS_WITH_PARENT, *inside(f"setsid sleep {word} & sleep {word}")]
    starter = [sys.executable, "-c", "import subprocess, sys; subprocess.run(sys.argv[1:])"]
    with subprocess.Popen([*starter, *command], cwd=ROOT) as started:
        until(lambda: len(running(word)) >= 2, "two sleeping processes")
        started.send_signal(signal.SIGKILL)
    until(lambda: not running(word), "the end of what was started")


def test_its_temporary_files_are_its_own_and_go_with_it(tmp_path: Path) -> None:
    done = run('echo "$TMPDIR"; touch "$TMPDIR/left"', TMPDIR=str(tmp_path))
    assert Path(done.stdout.strip()).parent == tmp_path
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not AS_ROOT, reason="becoming another user wants root")
def test_every_user_has_a_place_for_temporary_files(tmp_path: Path) -> None:
    tmp_path.chmod(0o1777)
    for parent in tmp_path.parents[:3]:
        parent.chmod(parent.stat().st_mode | 0o011)
    become = "setpriv --reuid=65534 --regid=65534 --clear-groups"
    done = run(f'{become} touch "$TMPDIR/mine" && ls "$TMPDIR"', TMPDIR=str(tmp_path))
    assert (done.returncode, done.stdout) == (0, "mine\n"), done.stderr


def test_temporary_files_of_a_killed_world_are_removed_and_of_a_living_one_not(
    tmp_path: Path,
) -> None:
    dead, alive = (Path(tempfile.mkdtemp(prefix=world.TEMPORARY, dir=tmp_path)) for _ in range(2))
    (dead / "left").touch()
    held = os.open(alive, os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_EX)
    assert world.sweep(tmp_path) == [dead]
    assert list(tmp_path.iterdir()) == [alive]
    os.close(held)


def test_where_there_is_none_it_is_told_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(world, "UNSHARE", ("sh", "-c", "echo no more namespaces >&2; exit 1"))
    assert world.why_not(root=True) == "no more namespaces"
    assert world.enter(["true"]) == "no more namespaces"


def test_a_user_has_one_too_and_no_capabilities_in_it() -> None:
    if not AS_ROOT:
        command = inside("grep CapEff /proc/self/status; id -u")
    else:
        user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"]
        words = [*world.command(root=False), "setpriv", "--inh-caps=-all", "--ambient-caps=-all"]
        command = [*user, *words, "sh", "-c", "grep CapEff /proc/self/status; id -u"]
    done = subprocess.run(command, cwd="/", capture_output=True, text=True, check=False)
    if done.returncode and "unshare failed" in done.stderr:
        pytest.skip(f"a user makes no namespaces here: {done.stderr.strip()}")
    assert done.returncode == 0, done.stderr
    assert "CapEff:\t0000000000000000" in done.stdout
