"""Whatever ends, and however: nothing is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ppslab.core import processes
from ppslab.core.errors import BackendError, UsageError
from ppslab.testbed.backends import open_backend, registry
from tests.support.waiting import PATIENCE, a_long_time, running, until
from tests.testbed.backends.conftest import (
    LONE,
    Hold,
    Write,
    namespaces_in_use,
    namespaces_of,
)
from tests.testbed.backends.namespaces.conftest import all_gone, started

pytestmark = pytest.mark.live


@pytest.mark.parametrize("work", ["idle", "in a command"])
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_the_program_ends(
    program: list[str], work: str, number: signal.Signals, held: Hold
) -> None:
    process, agent, names = started(program, work, held)
    assert names <= namespaces_in_use()
    process.send_signal(number)
    process.wait(PATIENCE)
    until(lambda: all_gone(names, agent), "the end of all that stood")
    registry.sweep()
    assert list(registry.folder().glob(f"*{agent}*")) == []
    assert agent not in {entry.agent_pid for entry in registry.entries()}


def test_the_program_fails(program: list[str], held: Hold) -> None:
    process, agent, names = started(program, "failing", held)
    process.wait(PATIENCE)
    until(lambda: all_gone(names, agent), "the end of all that stood")
    assert agent not in {entry.agent_pid for entry in registry.entries()}, "in order, by itself"


def test_the_agent_is_killed(write: Write, held: Hold) -> None:
    with open_backend("namespaces") as backend:
        lab = backend.deploy(write(LONE))
        names = held(namespaces_of(lab))
        agent = backend.entry.agent_pid
        assert agent
        os.kill(agent, signal.SIGKILL)
        with pytest.raises(BackendError, match="agent"):
            lab.node("n").run(["sleep", "5"])
        until(lambda: all_gone(names, agent), "the end of all that stood")
        with pytest.raises(BackendError, match="agent"):
            backend.deploy(write(LONE))
        with lab:
            pass  # its end is no second error
    assert backend.entry not in registry.entries()


def test_the_agents_child_is_killed(write: Write, held: Hold) -> None:
    # The agent proper is the child of the process that was started.
    with open_backend("namespaces") as backend:
        lab = backend.deploy(write(LONE))
        names = held(namespaces_of(lab))
        agent = backend.entry.agent_pid
        assert agent
        children = Path(f"/proc/{agent}/task/{agent}/children").read_text().split()
        os.kill(int(children[0]), signal.SIGKILL)
        until(
            lambda: all_gone(names, agent) or not names & namespaces_in_use(),
            "the end of all that stood",
        )
        with pytest.raises(BackendError, match="agent"):
            lab.node("n").run(["true"])


def test_ctrl_c_in_a_terminal_ends_in_order(program: list[str], held: Hold) -> None:
    """SIGINT to the whole foreground group, as a terminal sends it: the agent is not in it."""
    process, agent, names = started(program, "in a command", held)
    assert os.getpgid(agent) != os.getpgid(process.pid)
    os.killpg(process.pid, signal.SIGINT)
    assert process.wait(PATIENCE) != 0
    until(lambda: all_gone(names, agent), "the end of all that stood")
    assert agent not in {entry.agent_pid for entry in registry.entries()}


def test_a_hanging_exec_does_not_outlive_its_program(tmp_path: Path) -> None:
    path = tmp_path / "t.clab.yml"
    seconds = a_long_time()
    path.write_text(LONE.replace("kind: linux", f"kind: linux, exec: [sleep {seconds}]"))
    code = (
        "import sys\nfrom ppslab.model.lab import topology\n"
        "from ppslab.testbed.backends import open_backend\n"
        'b = open_backend("namespaces")\nprint(b.entry.agent_pid, flush=True)\n'
        "b.deploy(topology.load(sys.argv[1]))\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout
    agent = int(process.stdout.readline())
    until(lambda: running("sleep", seconds), "the program")
    process.kill()
    process.communicate()
    until(lambda: processes.start_time(agent) is None, "the agent's end")


def test_an_agent_that_hangs_is_killed(
    write: Write, monkeypatch: pytest.MonkeyPatch, held: Hold
) -> None:
    monkeypatch.setattr("ppslab.testbed.backends.namespaces._END_SECONDS", 0.2)
    monkeypatch.setattr("ppslab.testbed.backends.backend._STOP_SECONDS", 0.2)
    backend = open_backend("namespaces")
    lab = backend.deploy(write(LONE))
    names, agent = held(namespaces_of(lab)), backend.entry.agent_pid
    assert agent
    children = Path(f"/proc/{agent}/task/{agent}/children").read_text().split()
    os.kill(int(children[0]), signal.SIGSTOP)
    backend.close()
    until(lambda: all_gone(names, agent), "the end of all that stood")


def test_a_runtime_folder_too_deep_for_a_socket(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PPSLAB_RUNTIME", str(tmp_path / ("deep" * 30)))
    with pytest.raises(UsageError, match="PPSLAB_RUNTIME"):
        open_backend("namespaces", detach=True)
    assert registry.entries() == []


def test_ctrl_c_while_an_agent_starts_leaves_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from ppslab.testbed.backends import namespaces

    monkeypatch.setenv("PPSLAB_RUNTIME", str(tmp_path))
    started: list[int] = []

    def stopped(*_: object) -> None:
        started.extend(entry.agent_pid or 0 for entry in registry.entries())
        raise KeyboardInterrupt

    monkeypatch.setattr(namespaces, "Client", stopped)
    with pytest.raises(KeyboardInterrupt):
        namespaces.open_namespaces()
    assert len(started) == 1
    assert processes.start_time(started[0]) is None
    assert registry.entries() == []
