"""What is noted of deployments that outlive their command, and of those that did not."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ppslab.core import documents, processes
from ppslab.core.documents import half_written
from ppslab.core.errors import BackendError, UsageError
from ppslab.testbed.backends import Backend, attach, open_backend, registry
from tests.support.waiting import PATIENCE
from tests.testbed.backends.conftest import (
    LONE,
    Hold,
    Write,
    eventually,
    namespaces_in_use,
    namespaces_of,
)

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
        assert (entry.backend, entry.lab, entry.run) == ("namespaces", "lone", "lone-1")
        assert entry.detached
        data = json.loads(entry.path.read_text())
        assert data["pid"] == entry.agent_pid and data["lab"] == "lone"
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
        assert eventually(lambda: not entry.alive())
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
    def test_a_number_given_again_is_not_the_owner(self) -> None:
        entry = registry.register("namespaces")
        assert entry.alive()
        entry.started -= 1
        entry.save()
        assert entry.name in {e.name for e in registry.sweep()}

    def test_another_boot(self) -> None:
        entry = registry.register("namespaces", boot="another")
        assert not entry.alive()
        assert entry.name in {e.name for e in registry.sweep()}

    def test_ctrl_c_while_it_is_written_leaves_no_entry(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        write = documents.write_json

        def struck(path: Path, data: Any) -> None:
            write(path, data)
            raise KeyboardInterrupt

        before = {entry.name for entry in registry.entries()}
        monkeypatch.setattr(documents, "write_json", struck)
        with pytest.raises(KeyboardInterrupt):
            registry.register("namespaces")
        assert {entry.name for entry in registry.entries()} == before

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
        ours = half_written.name_for(registry.folder() / "durations-0.json")
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
            "import os, pathlib, sys; from ppslab.core.documents import half_written\n"
            "half = half_written.name_for(pathlib.Path(sys.argv[1])); half.touch()\n"
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

    def test_ctrl_c_while_it_writes_leaves_no_file(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def interrupted(*_: object) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr(Path, "replace", interrupted)
        before = set(registry.folder().iterdir())
        with pytest.raises(KeyboardInterrupt):
            registry.register("vm")
        assert set(registry.folder().iterdir()) == before

    @pytest.mark.parametrize("text", ["", "{", "5", '{"backend": 1}', '{"name": "../x"}'])
    def test_a_broken_file_is_removed(self, text: str) -> None:
        path = registry.folder() / "broken.agent.json"
        path.write_text(text)
        registry.sweep()
        assert not path.exists()

    def test_another_users_folder(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(os, "geteuid", lambda: 4711)
        with pytest.raises(UsageError, match="is another user's; set PPSLAB_RUNTIME"):
            registry.folder()
