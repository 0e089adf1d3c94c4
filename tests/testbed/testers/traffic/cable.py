"""A cable in a network namespace, and trials over it."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.waiting import PATIENCE

LATE = ("--drain", "1000")
"""Where frames are lost on purpose, those that are only late must not be among them."""


@dataclass
class Namespace:
    """A network namespace held by one process; it vanishes with that process."""

    holder: subprocess.Popen[str]

    def argv(self, argv: Sequence[str | Path]) -> list[str]:
        """The command that runs `argv` in the namespace."""
        into = ["nsenter", "--target", str(self.holder.pid), "--net"]
        if os.geteuid() != 0:
            into += ["--user", "--preserve-credentials"]
        return [*into, "--", *map(str, argv)]

    def run(self, *argv: str | Path, timeout: float = PATIENCE) -> subprocess.CompletedProcess[str]:
        """Run a command to its end, whatever its exit code."""
        return subprocess.run(
            self.argv(argv), capture_output=True, text=True, timeout=timeout, check=False
        )

    def sh(self, script: str) -> str:
        """Run a shell script that must succeed; what it printed."""
        done = self.run("sh", "-ec", script)
        assert done.returncode == 0, done.stderr
        return done.stdout


def flow(**changes: object) -> str:
    """A `--flow` argument: from p1 to p2 over IPv4, with changes (`sport_count=8`)."""
    words: dict[str, object] = {
        "name": "f",
        "tx": "p1",
        "rx": "p2",
        "src-mac": "02:00:c6:12:01:02",
        "dst-mac": "02:00:c6:12:02:02",
        "src": "198.18.1.2",
        "dst": "198.18.2.2",
        "sport": 49184,
        "dport": 7,
    }
    words |= {key.replace("_", "-"): value for key, value in changes.items()}
    return ",".join(f"{key}={value}" for key, value in words.items())


V6 = {"src": "2001:2:0:1::2", "dst": "2001:2:0:2::2"}


def trial_argv(binary: Path, *more: object, flows: Sequence[str] = ()) -> list[str]:
    """The command of a trial over the cable; `more` overrides and adds flags."""
    argv = [str(binary), "run", "--port", "p1=t1", "--port", "p2=t2", "--drain", "100"]
    for one in flows or [flow()]:
        argv += ["--flow", one]
    return [*argv, *map(str, more)]


def counts(done: subprocess.CompletedProcess[str], code: int = 0) -> dict[str, Any]:
    """The JSON of a trial that ended with `code`."""
    assert done.returncode == code, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def replay(binary: Path, file: Path) -> list[dict[str, str]]:
    """The rows of a frames file, as `ppstraffic replay` prints them."""
    done = subprocess.run(
        [str(binary), "replay", str(file)], capture_output=True, text=True, check=True
    )
    return list(csv.DictReader(io.StringIO(done.stdout)))


def counts_once(
    namespace: Namespace, argv: Sequence[object], fine: Callable[[dict[str, Any]], object]
) -> dict[str, Any]:
    """The first trial that is `fine`, or the last of twenty."""
    for _ in range(20):
        found = counts(namespace.run(*map(str, argv)))
        if fine(found):
            break
    return found


def quiet_counts(
    namespace: Namespace, argv: Sequence[object], *, lossy: bool = False
) -> dict[str, Any]:
    """A trial whose every frame was sent, and arrived, unless the way is `lossy` on purpose.

    A sender that has to wait for its CPU at the end of a trial rightly leaves frames unsent, and a
    frame that waits for the CPU longer than the trial is rightly none that arrived.
    """

    def fine(found: dict[str, Any]) -> bool:
        sent = found["offered"] == found["intended"]
        return sent and (lossy or found["received"] == found["offered"])

    return counts_once(namespace, argv, fine)


WATCH = """
import select, socket, sys
# Of any interface: in the order in which they arrive.
seen = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
seen.setsockopt(263, 23, 1)  # SOL_PACKET, PACKET_IGNORE_OUTGOING
print("ready", flush=True)
while True:
    ready, _, _ = select.select([seen, sys.stdin], [], [])
    if seen in ready:
        print(seen.recv(16384).hex())
    else:
        sys.exit()
"""


@contextmanager
def watching(namespace: Namespace) -> Iterator[Callable[[], list[bytes]]]:
    """What arrives at any interface, in order; to be asked for once, after the last frame."""
    watcher = subprocess.Popen(
        namespace.argv([sys.executable, "-c", WATCH]),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )

    def frames() -> list[bytes]:
        said, _ = watcher.communicate(timeout=PATIENCE)
        return [bytes.fromhex(line) for line in said.split()]

    try:
        assert watcher.stdout
        assert watcher.stdout.readline() == "ready\n"
        yield frames
    finally:
        watcher.kill()
        watcher.communicate()
