"""A program that stands a topology up and waits to be ended; and frames between nodes."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from ppslab.core import processes
from ppslab.testbed.backends import Deployment, registry
from tests.support.waiting import PATIENCE
from tests.testbed.backends.conftest import LONE, Hold, namespaces_in_use

# A program with a lab: says which namespaces its nodes have, then works until something ends it.
PROGRAM = """
import sys, time
from ppslab.model.lab import topology
from ppslab.testbed.backends import open_backend
from tests.testbed.backends.conftest import namespaces_of
with open_backend("namespaces") as backend, backend.deploy(topology.load(sys.argv[1])) as lab:
    node = lab.node("n")
    node.run(["sh", "-c", "setsid sleep 4720 > /dev/null 2>&1 &"])
    print(backend.entry.agent_pid, *namespaces_of(lab), flush=True)
    {work}
"""


@pytest.fixture
def program(tmp_path: Path) -> Iterator[list[str]]:
    path = tmp_path / "t.clab.yml"
    path.write_text(LONE)
    yield [sys.executable, "-c", PROGRAM, str(path)]
    registry.sweep()


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


# Sends to the address in argv and prints what comes back; tries again until the other end is up.
ASK = """
import socket, sys, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setsockopt(socket.IPPROTO_IP, 10, 2)  # IP_MTU_DISCOVER, IP_PMTUDISC_DO: no fragments
s.settimeout(0.1)
until = time.monotonic() + float(sys.argv[3])
while time.monotonic() < until:
    try:
        s.sendto(b"x" * int(sys.argv[2]), (sys.argv[1], 9))
        print(len(s.recv(65536)))
        break
    except (TimeoutError, ConnectionRefusedError):
        time.sleep(0.02)
    except OSError as error:
        sys.exit(error.strerror)
"""

ANSWER = """
import socket, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("", 9))
s.settimeout(float(sys.argv[1]))
data, who = s.recvfrom(65536)
s.sendto(data, who)
"""


def exchange(lab: Deployment, size: int, address: str) -> str:
    """Have the tester send a datagram to the dut, which sends it back; what the tester said."""
    answering = [sys.executable, "-c", ANSWER, str(PATIENCE)]
    answer = threading.Thread(target=lambda: lab.node("dut").run(answering, check=False))
    answer.start()
    asking = [sys.executable, "-c", ASK]
    done = lab.node("tester").run([*asking, address, str(size), str(PATIENCE)], check=False)
    if done.returncode:
        # Nothing was sent: let the answerer go.
        lab.node("dut").run([*asking, "127.0.0.1", "1", str(PATIENCE)])
    answer.join()
    return (done.stdout + done.stderr).strip()
