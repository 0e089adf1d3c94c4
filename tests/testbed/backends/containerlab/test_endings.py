"""However a program ends, no container is left, and no note of one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ppslab.core import processes
from ppslab.model.lab import topology
from ppslab.testbed.backends import attach, open_backend, registry
from ppslab.testbed.backends.containerlab.steps import sweep as take_down_noted
from tests.support.waiting import a_long_time, running
from tests.testbed.backends.conftest import eventually
from tests.testbed.backends.containerlab.doubled import Doubles, left

pytestmark = pytest.mark.live

PROGRAM = """
import sys, time
from ppslab.core import paths
from ppslab.model.lab import topology
from ppslab.testbed.backends import open_backend
with open_backend("containerlab") as backend:
    with backend.deploy(topology.load(sys.argv[1], foreign=True), "small-3") as lab:
        print(backend.entry.agent_pid, flush=True)
        {work}
"""


class TestEndings:
    def started(self, file: Path, work: str) -> tuple[subprocess.Popen[str], int]:
        process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM.replace("{work}", work), str(file)],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert process.stdout
        return process, int(process.stdout.readline())

    @pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
    def test_the_program_ends(self, doubles: Doubles, file: Path, number: int) -> None:
        seconds = a_long_time()
        process, agent = self.started(file, f'lab.node("dut").run(["sleep", "{seconds}"])')
        assert doubles.containers()
        process.send_signal(number)
        process.communicate()
        assert eventually(lambda: processes.start_time(agent) is None)
        assert not running(seconds)
        registry.sweep()
        assert left(doubles, file) == []

    def test_the_agent_is_killed_and_the_next_sweep_takes_down(
        self, doubles: Doubles, file: Path
    ) -> None:
        process, agent = self.started(file, "time.sleep(60)")
        os.kill(agent, signal.SIGKILL)
        process.kill()
        process.communicate()
        assert doubles.containers()
        registry.sweep()
        assert left(doubles, file) == []

    def test_stopped_while_it_deploys(self, doubles: Doubles, file: Path) -> None:
        doubles.faults("slow")
        code = PROGRAM.replace(
            "with backend.deploy", "print(0, flush=True)\n    with backend.deploy"
        )
        process = subprocess.Popen(
            [sys.executable, "-c", code.replace("{work}", "pass"), str(file)],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert eventually(lambda: len(doubles.containers()) == 2)
        process.send_signal(signal.SIGINT)
        process.communicate()
        registry.sweep()
        assert eventually(lambda: left(doubles, file) == [])

    def test_while_docker_is_down_the_note_stays(
        self, doubles: Doubles, file: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        process, agent = self.started(file, "time.sleep(60)")
        os.kill(agent, signal.SIGKILL)
        process.kill()
        process.communicate()
        doubles.faults("down")
        registry.sweep()
        (note,) = registry.folder().glob(f"*{registry.CONTAINERS}")
        assert doubles.containers()
        doubles.faults()
        take_down_noted(note)
        assert left(doubles, file) == []

    def test_detached_it_stays_until_it_is_taken_down(self, doubles: Doubles, file: Path) -> None:
        started = open_backend("containerlab", detach=True)
        started.deploy(topology.load(file, foreign=True), "small-4")
        started.close()
        (entry,) = [e for e in registry.live() if "small-4" in e.runs]
        registry.sweep()
        with attach(entry) as again:
            node = again.deployments()["small-4"].node("tester")
            assert node.run(["echo", "still here"]).stdout == "still here\n"
            assert node.own_files
        assert doubles.containers()
        attach(entry).stop()
        assert left(doubles, file) == []
