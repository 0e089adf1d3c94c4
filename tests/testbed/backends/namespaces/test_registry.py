"""What is noted of deployments that outlive their command, and of those that did not."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ppslab.core import documents, processes
from ppslab.core.documents import disk
from ppslab.core.errors import BackendError, CannotHereError, UsageError
from ppslab.testbed.backends import Backend, attach, open_backend, registry
from tests.support.waiting import PATIENCE, until
from tests.testbed.backends.conftest import LONE, Hold, Write, namespaces_in_use, namespaces_of
from tests.testbed.backends.namespaces.conftest import all_gone, started

pytestmark = pytest.mark.live


class TestDetached:
    @pytest.fixture
    def left(self, write: Write) -> Iterator[Backend]:
        backend = open_backend("namespaces", detach=True)
        backend.deploy(write(LONE), "lone-1")
        backend.close()
        yield backend
        for entry in registry.live():
            if entry.name == backend.entry.name:
                entry.kill()
        registry.sweep()

    def test_another_command_finds_it(self, left: Backend, held: Hold) -> None:
        registry.sweep()
        entry = next(e for e in registry.live() if e.name == left.entry.name)
        assert (entry.backend, entry.runs) == ("namespaces", {"lone-1": "lone"})
        assert entry.detached
        data = json.loads(entry.path.read_text())
        assert data["pid"] == entry.agent_pid and data["runs"] == {"lone-1": "lone"}
        for _ in range(2):  # one after another
            again = attach(entry)
            node = again.deployments()["lone-1"].node("n")
            assert node.run(["hostname"]).stdout == "n\n"
            again.close()
        first, second = attach(entry), attach(entry)  # and together
        for one in (first, second):
            assert one.deployments()["lone-1"].node("n").run(["true"]).returncode == 0
        names = held(namespaces_of(first.deployments()["lone-1"]))
        second.close()
        first.stop()
        assert not names & namespaces_in_use()
        assert left.entry.name not in {e.name for e in registry.entries()}
        assert list(registry.folder().glob(f"{left.entry.name}*")) == []

    def test_killed_it_is_swept(self, left: Backend) -> None:
        entry = left.entry
        assert entry.agent_pid and entry.socket
        os.kill(entry.agent_pid, signal.SIGKILL)
        until(lambda: not entry.alive(), "the agent's end")
        assert Path(entry.socket).exists()
        assert entry.name in {e.name for e in registry.sweep()}
        assert list(registry.folder().glob(f"{entry.name}*")) == []
        with pytest.raises(BackendError, match="nobody answers at"):
            attach(entry)

    def test_its_run_is_removed_by_another(self, left: Backend) -> None:
        entry = next(e for e in registry.live() if e.name == left.entry.name)
        with attach(entry) as again:
            again.deployments()["lone-1"].remove()
            assert again.deployments() == {}
        assert next(e for e in registry.live() if e.name == entry.name).runs == {}


class TestRegistry:
    @pytest.mark.parametrize("change", [{"boot": "another"}, {"started": 1}])
    def test_another_boot_or_a_number_given_again_is_not_the_owner(
        self, change: dict[str, Any]
    ) -> None:
        entry = registry.register("namespaces")
        assert entry.alive()
        vars(entry).update(change)
        entry.save()
        assert not entry.alive()
        assert entry.name in {e.name for e in registry.sweep()}

    @pytest.mark.parametrize(("owner", "name"), [(documents, "write_json"), (Path, "replace")])
    def test_ctrl_c_while_it_is_written_leaves_no_file(
        self, monkeypatch: pytest.MonkeyPatch, owner: Any, name: str
    ) -> None:
        write = getattr(owner, name)

        def struck(*words: Any) -> None:
            if owner is documents:
                write(*words)
            raise KeyboardInterrupt

        before = set(registry.folder().iterdir())
        monkeypatch.setattr(owner, name, struck)
        with pytest.raises(KeyboardInterrupt):
            registry.register("namespaces")
        assert set(registry.folder().iterdir()) == before

    def test_only_the_very_process_is_killed(self) -> None:
        victim = subprocess.Popen(["sleep", "4730"])
        try:
            started = processes.start_time(victim.pid)
            assert started is not None
            registry.kill(victim.pid, started - 1)
            assert victim.poll() is None
            registry.kill(victim.pid, started)
            assert victim.wait(PATIENCE) == -signal.SIGTERM
        finally:
            victim.kill()
            victim.wait()

    def test_what_a_dead_owner_left_is_killed(self, tmp_path: Path) -> None:
        owner = subprocess.Popen(["sleep", "4731"])
        # Deaf to SIGTERM, and of a name that is hard to read in /proc/PID/stat.
        program = tmp_path / "a) (b"
        program.symlink_to("/bin/sh")
        code = "trap '' TERM; echo x; while :; do sleep 1; done"
        qemu = subprocess.Popen([str(program), "-c", code], stdout=subprocess.PIPE)
        file = tmp_path / "overlay"
        file.touch()
        assert qemu.stdout and qemu.stdout.read(1)
        entry = registry.register(
            "vm",
            pid=owner.pid,
            qemu_pid=qemu.pid,
            qemu_started=processes.start_time(qemu.pid),
            files=[str(file)],
        )
        registry.sweep()
        assert entry.path.exists() and qemu.poll() is None
        owner.kill()
        owner.wait()
        registry.sweep()
        assert not entry.path.exists() and not file.exists()
        assert qemu.wait(PATIENCE) == -signal.SIGKILL
        qemu.stdout.close()

    def test_what_a_killed_program_had_begun_beside_the_entries_is_removed(self) -> None:
        ended = subprocess.Popen(["true"])
        ended.wait()
        ours = disk.name_for(registry.folder() / "durations-0.json")
        left = ours.with_name(f".durations-0.json.{ended.pid}-0123abcd")
        for path in (ours, left):
            path.touch()
        registry.sweep()
        assert ours.exists() and not left.exists()
        ours.unlink()

    @pytest.mark.skipif(os.geteuid() != 0, reason="only root makes a PID namespace")
    def test_what_an_agent_had_begun_is_removed_when_it_has_ended(self) -> None:
        """An agent is process 1 of its PID namespace, and process 1 outside never ends."""
        code = (
            "import os, pathlib, sys; from ppslab.core.documents import disk\n"
            "half = disk.name_for(pathlib.Path(sys.argv[1])); half.touch()\n"
            "print(os.getpid(), half.name, flush=True); sys.stdin.read()"
        )
        agent = subprocess.Popen(
            ["unshare", "--pid", "--fork", "--kill-child", sys.executable, "-c", code,
             str(registry.folder() / "run.borrowed.json")],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        with agent:
            assert agent.stdin is not None and agent.stdout is not None
            number, name = agent.stdout.readline().split()
            assert number == "1"
            registry.sweep()
            assert (registry.folder() / name).exists()
            agent.stdin.close()
        registry.sweep()
        assert not (registry.folder() / name).exists()

    @pytest.mark.parametrize("text", ["", "{", "5", '{"backend": 1}', '{"name": "../x"}'])
    def test_a_broken_file_is_removed(self, text: str) -> None:
        path = registry.folder() / "broken.agent.json"
        path.write_text(text)
        registry.sweep()
        assert not path.exists()


# --- the runtime folder, and one command a lab at a time ------------------------------------------


def test_one_command_at_a_time_changes_a_lab(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PPSLAB_RUNTIME", str(tmp_path))
    with registry.changing("fastpath"):
        with pytest.raises(UsageError, match="fastpath"), registry.changing("fastpath"):
            pass
        with registry.changing("eoip"):
            pass
        child = os.fork()
        if child == 0:
            time.sleep(PATIENCE)
            os._exit(0)
    try:
        with registry.changing("fastpath"):
            pass  # what the first one left goes on
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def test_a_runtime_folder_that_is_no_use_is_one_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PPSLAB_RUNTIME", str(tmp_path / ("deep" * 30)))
    with pytest.raises(UsageError, match="PPSLAB_RUNTIME"):
        open_backend("namespaces", detach=True)
    assert registry.entries() == []
    monkeypatch.setattr(os, "geteuid", lambda: 4711)
    with pytest.raises(UsageError, match="is another user's; set PPSLAB_RUNTIME"):
        registry.folder()


@pytest.mark.parametrize("below", ["file", "/proc"])
def test_a_runtime_folder_that_cannot_be_made_is_one_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, below: str
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("PPSLAB_RUNTIME", str(tmp_path / below / "runtime"))
    with pytest.raises(CannotHereError, match="PPSLAB_RUNTIME"):
        registry.folder()


# --- whatever ends, and however: nothing is left --------------------------------------------------


@pytest.mark.parametrize(
    ("work", "number"),
    [
        ("idle", signal.SIGKILL),
        ("idle", signal.SIGTERM),
        ("in a command", signal.SIGKILL),
        ("in a command", signal.SIGTERM),
        ("in a command", signal.SIGINT),
        ("failing", None),
    ],
)
def test_the_program_ends(
    program: list[str], work: str, number: signal.Signals | None, held: Hold
) -> None:
    process, agent, names = started(program, work, held)
    if number:
        assert names <= namespaces_in_use()
        # To the whole foreground group, as a terminal sends Ctrl-C: the agent is not in it.
        os.killpg(process.pid, number)
    process.wait(PATIENCE)
    until(lambda: all_gone(names, agent), "the end of all that stood")
    if number in (signal.SIGKILL, signal.SIGTERM):  # it could not put in order what it had noted
        registry.sweep()
    assert agent not in {entry.agent_pid for entry in registry.entries()}


@pytest.mark.parametrize("child", [False, True])
def test_the_agent_is_killed(write: Write, held: Hold, child: bool) -> None:
    """The process that was started, or the agent proper, which is its child."""
    with open_backend("namespaces") as backend:
        lab = backend.deploy(write(LONE))
        names = held(namespaces_of(lab))
        agent = backend.entry.agent_pid
        assert agent
        children = Path(f"/proc/{agent}/task/{agent}/children").read_text().split()
        os.kill(int(children[0]) if child else agent, signal.SIGKILL)
        with pytest.raises(BackendError, match="agent"):
            lab.node("n").run(["sleep", "5"])
        until(lambda: not names & namespaces_in_use(), "the end of all that stood")
        with pytest.raises(BackendError, match="agent"):
            backend.deploy(write(LONE))
        with lab:
            pass  # its end is no second error
    assert backend.entry not in registry.entries()


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
