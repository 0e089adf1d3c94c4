"""The agent: it starts light, says what it cannot, survives nonsense, and is found again."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ppslab.core.errors import BackendError, CannotHereError
from ppslab.model.lab import lab, topology
from ppslab.testbed.backends import Backend, attach, namespaces, registry
from ppslab.testbed.backends.agent.client import Client
from ppslab.testbed.backends.agent.protocol import describe, encode, revive
from tests.support.waiting import PATIENCE, until

pytestmark = pytest.mark.live


AGENT = [sys.executable, "-m", "ppslab.testbed.backends.agent.agent"]

MOST_MODULES = 160
"""Beside json and what Python loads by itself: 130, of them 50 for asyncio."""


def test_starts_light() -> None:
    """What it imports, which is what a start takes its time for."""
    code = (
        "import json, sys; before = set(sys.modules)\n"
        "import ppslab.testbed.backends.agent.agent\n"
        "print(json.dumps(sorted(set(sys.modules) - before)))"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    imported = set(json.loads(done.stdout))
    assert "ppslab.testbed.backends.agent.agent" in imported
    assert not imported & {"pydantic", "numpy", "yaml", "rich", "typer"}
    assert len(imported) < MOST_MODULES, sorted(imported)


class Talk:
    """A raw conversation with an agent."""

    def __init__(self) -> None:
        self.end, theirs = socket.socketpair()
        with theirs:
            self.agent = subprocess.Popen(AGENT, stdin=theirs)
        self.answers = self.end.makefile("rb")

    def ask(self, **request: object) -> dict[str, Any]:
        self.end.sendall(encode(request))
        return dict(json.loads(self.answers.readline()))


@pytest.fixture
def talk() -> Iterator[Talk]:
    conversation = Talk()
    with conversation.end, conversation.answers:
        yield conversation
    conversation.agent.kill()
    conversation.agent.wait()


def test_what_it_cannot_do_is_answered(talk: Talk) -> None:
    for request, said in (
        ({"op": "dance"}, "knows no operation 'dance'"),
        ({"op": "run", "run": "x"}, 'nothing is deployed as "x"'),
        ({"op": "deploy", "run": "x", "topology": {"name": "x"}}, "KeyError: 'nodes'"),
    ):
        answer = talk.ask(id=1, **request)
        assert answer["id"] == 1 and said in answer["error"]["message"]
    talk.end.sendall(encode({"op": "pty-in", "pty": 7}))  # gets no reply
    answer = talk.ask(id=2, op="facts")
    assert (answer["id"], answer["result"]["kernel"]) == (2, os.uname().release)


@pytest.mark.parametrize("stopped", [True, False])
def test_a_stop_and_the_end_of_its_socket_end_it(talk: Talk, stopped: bool) -> None:
    if stopped:
        assert talk.ask(id=3, op="stop") == {"id": 3, "result": {}}
    else:
        talk.end.shutdown(socket.SHUT_RDWR)
    assert talk.agent.wait(PATIENCE) == 0


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("import sys; sys.exit('no such kernel')", "no such kernel"),
        ("import os; os.kill(os.getpid(), 9)", "exit code -9"),
        ("import time; time.sleep(600)", "it still runs"),
    ],
)
def test_why_one_does_not_start_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, program: str, said: str
) -> None:
    (tmp_path / "noagent.py").write_text(program)
    environment = {"PYTHONPATH": str(tmp_path)}
    monkeypatch.setattr(namespaces.credentials, "clean_environment", lambda: environment)
    monkeypatch.setattr(namespaces, "_START_SECONDS", 2.0 if "sleep" in program else PATIENCE)
    # What it may take to end when it is told to; this one takes no labs down.
    with pytest.raises(BackendError, match=said):
        namespaces.open_agent("namespaces", "noagent", Backend, detach=True, seconds=10 * PATIENCE)


def test_a_port_takes_one_client_after_another(tmp_path: Path) -> None:
    # A pseudo-terminal in raw mode stands for the virtio port: a device, opened read and write.
    import pty
    import tty

    master, slave = pty.openpty()
    tty.setraw(slave)
    agent = subprocess.Popen([*AGENT, "--port", os.ttyname(slave)], stdin=subprocess.DEVNULL)
    try:
        for number in range(3):
            os.write(master, encode({"id": number, "op": "list"}))
            answer = b""
            while not answer.endswith(b"\n"):
                answer += os.read(master, 4096)
            assert json.loads(answer) == {"id": number, "result": {"runs": {}}}
        os.write(master, encode({"id": 9, "op": "stop"}))
        assert agent.wait(PATIENCE) == 0
    finally:
        agent.kill()
        agent.wait()
        os.close(master)
        os.close(slave)


def test_a_client_that_does_not_read_holds_nobody(tmp_path: Path) -> None:
    path = tmp_path / "s"
    agent = subprocess.Popen([*AGENT, "--listen", str(path)])
    try:
        until(path.exists, "the agent to listen")
        with socket.socket(socket.AF_UNIX) as deaf, socket.socket(socket.AF_UNIX) as other:
            deaf.connect(str(path))
            other.connect(str(path))
            for _ in range(1000):  # some 280 replies fill a socket's buffer
                deaf.send(encode({"id": 1, "op": "list"}))
            other.send(encode({"id": 2, "op": "list"}))
            other.settimeout(PATIENCE)
            assert json.loads(other.recv(4096)) == {"id": 2, "result": {"runs": {}}}
    finally:
        agent.kill()
        agent.wait()


def test_errors_travel() -> None:
    there = revive(describe(CannotHereError("no user namespaces", "sudo sysctl x")))
    assert isinstance(there, CannotHereError)
    assert (there.reason, there.remedy) == ("no user namespaces", "sudo sysctl x")
    assert str(revive(describe(BackendError("gone")))) == "gone"
    assert "ZeroDivisionError: by" in str(revive(describe(ZeroDivisionError("by"))))


# --- what another command left running ------------------------------------------------------------


def test_a_guest_that_another_command_left_still_has_its_cards(
    runtime: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Deployed anew without them, a lab of two sockets got virtual wires in their place."""

    class Agent:
        def call(self, operation: str, **_: object) -> dict[str, object]:
            return {"cpus": 4} if operation == "facts" else {}

        def close(self) -> None:
            pass

    monkeypatch.setattr(Client, "over_socket", lambda path: Agent())
    machine = lab.find("numa").spec.machine
    assert machine is not None
    left = registry.register("vm", detached=True, machine=machine.model_dump(mode="json"))
    entry = next(each for each in registry.entries() if each.name == left.name)
    with attach(entry) as again:
        told = again._plain(topology.find("numa"), "numa")
    assert [len(link["cards"]) for link in told["links"]] == [2, 2, 2, 2]
    assert told["links"][0]["cards"][0]["cpu"] == machine.cards["numa"]["tester:eth1"].cpu
