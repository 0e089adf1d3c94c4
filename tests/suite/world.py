"""A private world for the tests: what an earlier run left is not seen, what this one leaves ends.

The tests get namespaces of their own (pid, mount, network, ipc, uts), empty folders in the place of
/run/ppslab and /run/netns, and a folder for temporary files.  The first process in there reaps what
loses its parent: with a program that does not, a zombie looks like something left behind.  When
that process ends, or whoever started it, the kernel ends all others, however they were started.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

INSIDE = "PPSLAB_TESTS_WORLD"
"""Set in the world, to its kind: `root`, or `user` where only a user's namespaces could be made."""

UNSHARE = ("unshare", "--mount", "--pid", "--net", "--ipc", "--uts", "--fork", "--kill-child",
           "--mount-proc")  # fmt: skip
"""Every namespace that a test may change, but for the users'."""
OF_A_USER = ("--user", "--map-current-user", "--keep-caps")
"""Capabilities in a user namespace, for the mounts; they are dropped before the tests begin."""
EMPTY = ("/run/ppslab", "/run/netns")
TEMPORARY = "ppslab-tests."
ENDS_WITH_PARENT = ("setpriv", "--pdeathsig", "KILL")
"""The kernel kills the command that follows as soon as the process that started it is gone."""


def command(*, root: bool) -> list[str]:
    """What makes the world and runs the words that follow in it, as its first process."""
    return [*UNSHARE, *(() if root else OF_A_USER)]


def why_not(*, root: bool) -> str:
    """Why no such world can be made here; empty where it can."""
    if shutil.which("unshare") is None:
        return "unshare is not installed"
    setup = [sys.executable, "-c", "import os; os.kill(1, 0)"]
    done = subprocess.run(
        [*command(root=root), *setup], capture_output=True, text=True, timeout=60, check=False
    )
    return "" if done.returncode == 0 else (done.stderr.strip() or f"exit code {done.returncode}")


def enter(words: Sequence[str]) -> str:
    """Become the world that runs `words`; returns only where none can be made: why."""
    root = os.geteuid() == 0
    why = why_not(root=root)
    if why:
        return why
    argv = [
        *ENDS_WITH_PARENT,
        *command(root=root),
        sys.executable,
        "-m",
        "tests.suite.world",
        *words,
    ]
    os.environ[INSIDE] = "root" if root else "user"
    sys.stdout.flush()
    os.execvp(argv[0], argv)


def main() -> int:
    """Set the world up and run a command in it, as pid 1."""
    if os.getpid() != 1:
        print("usage: python -m tests.suite (this is what it starts)", file=sys.stderr)
        return 2
    _prepare(root=os.environ[INSIDE] == "root")
    sweep(Path(tempfile.gettempdir()))
    with temporary() as folder:
        # Of every user, as /tmp is: some tests become another one.
        Path(folder).chmod(0o1777)
        return _first_process(sys.argv[1:], {**os.environ, "TMPDIR": folder})


def _prepare(*, root: bool) -> None:
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    if root:
        for folder in EMPTY:
            Path(folder).mkdir(parents=True, exist_ok=True)
            subprocess.run(["mount", "-t", "tmpfs", "tmpfs", folder], check=True)


def temporary() -> tempfile.TemporaryDirectory[str]:
    """A folder that is locked, to this process's end, so that no other world sweeps it away."""
    while True:
        made = tempfile.TemporaryDirectory(prefix=TEMPORARY, ignore_cleanup_errors=True)
        # Before it is locked, another's sweep may take it for that of a killed world.
        with suppress(FileNotFoundError):
            fcntl.flock(os.open(made.name, os.O_RDONLY), fcntl.LOCK_EX)
            if Path(made.name).exists():
                return made
        made.cleanup()


def sweep(folder: Path) -> list[Path]:
    """Remove the temporary folders of worlds that were killed; those in use are locked."""
    gone = []
    for left in folder.glob(f"{TEMPORARY}*"):
        try:
            held = os.open(left, os.O_RDONLY)
        except OSError:  # another has swept it, or it is another user's
            continue
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            continue
        else:
            shutil.rmtree(left, ignore_errors=True)
            gone.append(left)
        finally:
            os.close(held)
    return gone


def _first_process(words: Sequence[str], environment: dict[str, str]) -> int:
    """Run the command, and reap it and all that comes to this process for its parent's end."""
    if environment[INSIDE] == "user":
        words = ["setpriv", "--inh-caps=-all", "--ambient-caps=-all", *words]
    child = os.posix_spawnp(words[0], list(words), environment, setsigmask=[])
    # Ctrl-C reaches the command by itself; what is sent to the world is passed on.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: os.kill(child, signal.SIGTERM))
    while True:
        pid, status = os.wait()
        if pid == child:
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main())
