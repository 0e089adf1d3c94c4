"""The backend containerlab on doubles: what is called and refused, commands, and the end."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ppslab.core import paths, processes
from ppslab.core.errors import BackendError, CannotHereError, FileError
from ppslab.model.lab import topology
from ppslab.model.lab.machine import Machine
from ppslab.testbed.backends import Backend, Deployment, attach, open_backend, registry
from ppslab.testbed.backends.backend import Borrow
from ppslab.testbed.backends.capabilities import tools, usable
from ppslab.testbed.backends.containerlab.agent import MARK
from ppslab.testbed.backends.containerlab.steps import (
    addresses,
    all_run,
    answered_twice,
    described,
    down,
    failed_execs,
    routers,
    up,
)
from ppslab.testbed.backends.containerlab.steps import sweep as take_down_noted
from tests.support.waiting import a_long_time, running, until
from tests.testbed.backends.containerlab.conftest import HALF, LAB, Doubles, left, plain

pytestmark = pytest.mark.live


class TestDeploying:
    def test_what_is_done_is_what_the_dry_run_prints(
        self, driven: Backend, doubles: Doubles, file: Path
    ) -> None:
        wiring = topology.load(file, foreign=True)
        with driven.deploy(wiring, "small-1"):
            assert doubles.containers() == ["clab-small-1-dut", "clab-small-1-tester"]
            assert driven.facts["containerlab"] == "0.79.0"
            assert driven.facts["docker"].startswith("20.10")
            images = {"ppslab/generator:latest", "ppslab/linux-router:latest"}
            assert set(driven.facts["images"]) == images
        printed = [
            shlex.split(step.line) for step in (*up(wiring, "small-1"), *down(wiring, "small-1"))
        ]
        wanted = [words[1:] for words in printed if words[0] == "docker"]
        asked = [call for call in doubles.calls() if call[0] in ("image", "exec")]
        # What containerlab itself has run in the nodes is its own business.
        mine = [c for c in asked if c[0] == "image" or "-i" in c]
        assert [plain(call) for call in mine] == wanted
        assert left(doubles, file) == []

    def test_the_management_port_of_each_node_is_taken_down(self, file: Path) -> None:
        lines = [step.line for step in up(topology.load(file, foreign=True), "r")]
        assert [line for line in lines if "eth0" in line] == [
            f"docker exec -i clab-r-{node} ip link set dev eth0 down" for node in ("dut", "tester")
        ]

    def test_a_line_can_be_typed(self, file: Path, tmp_path: Path) -> None:
        wiring = topology.load(file, foreign=True)
        found = [*up(wiring, "typed"), *down(wiring, "typed")]
        copying = next(step for step in found if step.command[0] == "sed")
        subprocess.run(["sh", "-ec", copying.line], check=True)
        assert (tmp_path / ".typed.yml").read_text() == LAB.replace("name: small", "name: typed")
        for step in found:
            subprocess.run(["sh", "-n", "-c", step.line], check=True)

    @pytest.mark.parametrize(
        ("fault", "said"), [("exec", "ip address add nonsense"), ("deploy", "exit code 1")]
    )
    def test_a_failure_is_said_logged_and_cleaned_up(
        self, doubles: Doubles, file: Path, fault: str, said: str
    ) -> None:
        doubles.faults(fault)
        with open_backend("containerlab") as faulty, pytest.raises(BackendError) as caught:
            faulty.deploy(topology.load(file, foreign=True), "small-2")
        text = " ".join(str(caught.value).split())
        assert re.search(said, text)
        logs = Path(str(caught.value).rpartition("logs: ")[2])
        assert "containerlab deploy" in (logs / "containerlab.log").read_text()
        assert (logs / "clab-small-2-dut.log").read_text() == "the log of clab-small-2-dut\n"
        assert left(doubles, file) == []

    def test_no_image(self, doubles: Doubles, file: Path) -> None:
        doubles.faults("image")
        with open_backend("containerlab") as faulty, pytest.raises(CannotHereError) as caught:
            faulty.deploy(topology.load(file, foreign=True))
        assert caught.value.remedy == "make images"
        assert left(doubles, file) == []

    def test_what_containers_cannot_have(self, driven: Backend, file: Path) -> None:
        wiring = topology.load(file, foreign=True)
        with pytest.raises(CannotHereError, match="--backend namespaces"):
            driven.deploy(wiring, borrow=[Borrow("dut", "eth9", "eth9", 1500)])
        file.write_text(f"{{{LAB.splitlines()[0]}, topology: {{nodes: {{n: {{kind: linux}}}}}}}}")
        with pytest.raises(FileError, match='"name"'):
            driven.deploy(topology.load(file, foreign=True))

    def test_no_machine_is_built_to_order(self, doubles: Doubles) -> None:
        with pytest.raises(CannotHereError, match="sockets"):
            open_backend("containerlab", machine=Machine.model_construct())


def test_what_is_missing_is_said(doubles: Doubles) -> None:
    assert usable("containerlab").usable
    doubles.faults("down")
    tools._says.cache_clear()
    state = usable("containerlab")
    assert not state.usable and "Docker engine" in state.why
    with pytest.raises(CannotHereError, match="Docker engine"):
        open_backend("containerlab")


class TestCommands:
    def test_files(self, deployed: Deployment, tmp_path: Path) -> None:
        raw = bytes(range(256)) * 40_000  # more than one part
        (tmp_path / "raw").write_bytes(raw)
        assert deployed.node("dut").read(str(tmp_path / "raw")) == raw
        with pytest.raises(BackendError, match="/nowhere"):
            deployed.node("dut").read("/nowhere")

    def test_no_variable_of_ours_reaches_docker(self, deployed: Deployment) -> None:
        seen = deployed.node("dut").run(["env"]).stdout
        assert MARK in seen and "PPSLAB_CACHE" not in seen and "PYTEST" not in seen

    def test_a_container_that_is_gone_is_no_result(
        self, standing: tuple[Doubles, Deployment]
    ) -> None:
        doubles, lab = standing
        (doubles.state / "clab-small-1-tester").unlink()
        with pytest.raises(BackendError, match="tester"):
            lab.node("tester").run(["true"], check=False)

    def test_programs_come_from_the_image(self, deployed: Deployment) -> None:
        assert deployed.path(Path("/here/bpf"), "/there/bpf") == Path("/there/bpf")
        assert deployed.node("dut").own_files
        with pytest.raises(BackendError, match="dut"):
            deployed.address("dut")


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
    def started(
        self, file: Path, work: str, program: str = PROGRAM
    ) -> tuple[subprocess.Popen[str], int]:
        process = subprocess.Popen(
            [sys.executable, "-c", program.replace("{work}", work), str(file)],
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
        until(lambda: processes.start_time(agent) is None, "the agent's end")
        assert not running(seconds)
        registry.sweep()
        assert left(doubles, file) == []

    def test_stopped_while_it_deploys(self, doubles: Doubles, file: Path) -> None:
        doubles.faults("slow")
        code = PROGRAM.replace(
            "with backend.deploy", "print(0, flush=True)\n    with backend.deploy"
        )
        process, _ = self.started(file, "pass", code)
        until(lambda: len(doubles.containers()) == 2, "the containers")
        process.send_signal(signal.SIGINT)
        process.communicate()

        def swept() -> bool:
            # What Docker begins after one sweep, the next one takes.
            registry.sweep()
            return left(doubles, file) == []

        until(swept, "the end of the containers")

    def test_the_agent_is_killed_while_docker_is_down_and_a_later_sweep_takes_down(
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


class TestReading:
    """What containerlab's documentation shows (https://containerlab.dev/cmd/inspect/)."""

    ROW: dict[str, Any] = {  # noqa: RUF012
        "lab_name": "vlan",
        "name": "clab-vlan-client1",
        "image": "ghcr.io/srl-labs/alpine",
        "kind": "linux",
        "state": "running",
        "status": "Up 4 hours",
        "ipv4_address": "172.20.20.4/24",
        "ipv6_address": "3fff:172:20:20::4/64",
    }

    @pytest.mark.parametrize(
        ("healthy", "changed", "missing"),
        [
            (False, {}, ""),
            (True, {"status": "healthy"}, ""),
            (False, {"state": "exited"}, "node client1: exited"),
            (True, {"status": "health: starting"}, "node client1: health: starting"),
            (True, {}, "node client1: Up 4 hours"),
            (False, {"name": "another"}, "node client1: no container clab-vlan-client1"),
        ],
    )
    def test_all_run(self, healthy: bool, changed: dict[str, str], missing: str) -> None:
        said = json.dumps({"vlan": [{**self.ROW, **changed}]})
        name = "clab-vlan-client1"
        assert all_run(said, "vlan", {name: "client1"}, {name} if healthy else set()) == missing
        assert "containerlab inspect" in all_run("no JSON", "vlan", {}, set())

    def test_addresses(self) -> None:
        both = {"vlan": [self.ROW, {**self.ROW, "name": "b", "ipv4_address": "N/A"}]}
        assert addresses(json.dumps(both), "vlan") == {"clab-vlan-client1": "172.20.20.4"}

    def test_an_exec_that_failed(self) -> None:
        log = (
            "14:00:01 INFO Executed command node=a\n14:00:02 ERRO Failed to execute command rc=2\n"
        )
        assert failed_execs(log) == ["14:00:02 ERRO Failed to execute command rc=2"]

    def test_twice_in_turn(self) -> None:
        missing = answered_twice("")
        assert [bool(missing(said)) for said in ("", HALF, "[]", HALF, HALF)] == [True] * 4 + [
            False
        ]


ROS = """\
name: ros
topology:
  nodes:
    dut:
      kind: mikrotik_ros
      image: vrnetlab/mikrotik_routeros:7.20.8
      startup-config: dut.rsc
"""

START = "/ip/settings set ip-forward=yes\n/system/identity set name=ppslab-ros-dut\n"
WHOLE = '{"name": "ppslab-ros-dut"}'


class TestRouterOS:
    @pytest.fixture
    def wiring(self, tmp_path: Path) -> topology.Topology:
        (tmp_path / "dut.rsc").write_text(START)
        (tmp_path / "ros.clab.yml").write_text(ROS)
        return topology.load(tmp_path / "ros.clab.yml", foreign=True)

    def test_waits_for_the_name_at_the_end_of_its_start_file(
        self, doubles: Doubles, wiring: topology.Topology
    ) -> None:
        doubles.answers(HALF, WHOLE, "refused", WHOLE, WHOLE)
        with open_backend("containerlab") as backend, backend.deploy(wiring) as lab:
            assert lab.address("dut") == "172.20.20.2"
            assert len((doubles.state / "curls").read_text().splitlines()) == 5
            asked = (doubles.state / "curls").read_text().splitlines()[0]
            assert asked.endswith("http://172.20.20.2/rest/system/identity")

    def test_the_embedded_backends_refuse_it(
        self, wiring: topology.Topology, lone: Deployment
    ) -> None:
        with (
            open_backend("namespaces") as backend,
            pytest.raises(FileError, match="startup-config"),
        ):
            backend.deploy(wiring)
        with pytest.raises(BackendError, match="node n"):
            lone.address("n")
        assert lone.path(Path("/here"), "/there") == Path("/here")


def test_every_router_of_the_project_has_a_name_to_wait_for() -> None:
    """Without one the backend would take a router whose start file is not read yet."""
    waited = {}
    for path in (paths.project_root() / "topologies").glob(f"*{topology.SUFFIX}"):
        plain = described(topology.load(path, foreign=True))
        waited |= {(path.name, node): plain["nodes"][node]["marker"] for node in routers(plain)}
    assert waited
    assert [where for where, marker in waited.items() if not marker] == []
    assert len(set(waited.values())) == len(waited)
