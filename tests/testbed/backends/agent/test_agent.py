"""The agent: it starts light, says what it cannot, survives nonsense, and is found again."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppslab.core.errors import BackendError, CannotHereError
from ppslab.model.lab import lab, topology
from ppslab.testbed.backends import attach, registry
from ppslab.testbed.backends.agent.client import Client
from ppslab.testbed.backends.agent.protocol import Lines, describe, encode, revive
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

    def __init__(self, arguments: list[str]) -> None:
        self.agent = subprocess.Popen(
            [*AGENT, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        )

    def say(self, line: bytes) -> None:
        assert self.agent.stdin
        self.agent.stdin.write(line + b"\n")

    def hear(self) -> dict[str, object]:
        assert self.agent.stdout
        answer: dict[str, object] = json.loads(self.agent.stdout.readline())
        return answer


@pytest.fixture
def talk() -> Iterator[Talk]:
    conversation = Talk([])
    yield conversation
    conversation.agent.kill()
    conversation.agent.communicate()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b'{"id": 1, "op": "dance"}', "knows no operation 'dance'"),
        (b'{"id": 1}', "knows no operation None"),
        (b'{"id": 1, "op": "run"}', "cannot read run: KeyError('run')"),
        (b'{"id": 1, "op": "run", "run": "x"}', 'nothing is deployed as "x"'),
        (b'{"id": 1, "op": "deploy", "run": "x", "topology": 5}', "cannot read deploy: TypeError"),
        (b'{"id": 1, "op": "deploy", "run": "x", "topology": {"name": "x"}}', "KeyError('nodes')"),
        (b'{"op": "pty-in", "pty": 7}', None),
    ],
)
def test_nonsense_is_answered(talk: Talk, line: bytes, said: str | None) -> None:
    talk.say(line)
    if said:
        answer = talk.hear()
        assert answer["id"] == 1
        assert said in str(answer["error"])
    talk.say(b'{"id": 2, "op": "facts"}')
    answer = talk.hear()
    assert answer["id"] == 2
    assert answer["result"]["kernel"] == os.uname().release  # type: ignore[index]


def test_not_the_protocol_ends_it(talk: Talk) -> None:
    talk.say(b"GET / HTTP/1.1")
    assert "error" in talk.hear()
    assert talk.agent.wait(PATIENCE) == 0


@pytest.mark.parametrize("stopped", [True, False])
def test_a_stop_and_the_end_of_stdin_end_it(talk: Talk, stopped: bool) -> None:
    assert talk.agent.stdin
    if stopped:
        talk.say(b'{"id": 3, "op": "stop"}')
        assert talk.hear() == {"id": 3, "result": {}}
    else:
        talk.agent.stdin.close()
        talk.agent.stdin = None
    assert talk.agent.wait(PATIENCE) == 0


def test_a_listener_that_nobody_wants_ends(tmp_path: Path) -> None:
    code = "import sys; from ppslab.testbed.backends.agent import agent, server\n"
    code += "server._LONELY_SECONDS = 0.2\n"
    code += "agent.main(['--listen', sys.argv[1]])"
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "s")], check=False, timeout=PATIENCE
    )
    assert done.returncode == 0


def test_wrong_arguments() -> None:
    done = subprocess.run([*AGENT, "--prot", "x"], check=False, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.startswith("usage: ")


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


class TestProtocol:
    @given(
        st.lists(st.dictionaries(st.text(), st.text() | st.integers()), max_size=5),
        st.integers(1, 50),
    )
    def test_lines_are_cut_anywhere(self, messages: list[dict[str, object]], step: int) -> None:
        raw = b"".join(encode(message) for message in messages)
        lines = Lines()
        seen = [
            message
            for at in range(0, len(raw), step)
            for message in lines.feed(raw[at : at + step])
        ]
        assert seen == messages

    @given(st.binary(max_size=100))
    def test_noise_is_a_value_error(self, raw: bytes) -> None:
        try:
            for message in Lines().feed(raw):
                assert isinstance(message, dict)
        except ValueError:
            return

    def test_errors_travel(self) -> None:
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
    left = registry.register("vm", detached=True, socket="unused")
    left.machine = machine.model_dump(mode="json")
    left.save()
    entry = next(each for each in registry.entries() if each.name == left.name)
    with attach(entry) as again:
        told = again._plain(topology.find("numa"), "numa")
    assert [len(link["cards"]) for link in told["links"]] == [2, 2, 2, 2]
    assert told["links"][0]["cards"][0]["cpu"] == machine.cards["numa"]["tester:eth1"].cpu
