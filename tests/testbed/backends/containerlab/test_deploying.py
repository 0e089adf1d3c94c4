"""Deploying by containerlab: what is called, what is refused, what is left where it fails."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import pytest

from ppslab.core.errors import BackendError, CannotHereError, FileError
from ppslab.model.lab import topology
from ppslab.model.lab.machine import Machine
from ppslab.testbed.backends import Backend, open_backend
from ppslab.testbed.backends.backend import Borrow
from ppslab.testbed.backends.capabilities import tools, usable
from ppslab.testbed.backends.containerlab.backend import steps
from tests.testbed.backends.containerlab.doubled import LAB, Doubles, left, plain

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
        printed = [shlex.split(step.line) for step in steps(wiring, "small-1")]
        wanted = [words[1:] for words in printed if words[0] == "docker"]
        asked = [call for call in doubles.calls() if call[0] in ("image", "exec")]
        # What containerlab itself has run in the nodes is its own business.
        mine = [c for c in asked if c[0] == "image" or "-i" in c]
        assert [plain(call) for call in mine] == wanted
        assert left(doubles, file) == []

    def test_sysctls_once_more_ports_without_offloads_no_management(self, file: Path) -> None:
        lines = [step.line for step in steps(topology.load(file, foreign=True), "r")]
        inside = [line for line in lines if line.startswith("docker exec")]
        assert [line for line in inside if "sysctl" in line] == [
            "docker exec -i clab-r-dut sysctl -q -w net.ipv4.ip_forward=1"
        ]
        assert [line.split()[3] for line in inside if "ethtool" in line] == [
            "clab-r-dut",
            "clab-r-tester",
        ]
        assert [line for line in inside if "eth0" in line] == [
            "docker exec -i clab-r-dut ip link set dev eth0 down"
        ]

    def test_a_line_can_be_typed(self, file: Path, tmp_path: Path) -> None:
        found = steps(topology.load(file, foreign=True), "typed")
        copying = next(step for step in found if step.output_file)
        subprocess.run(["sh", "-ec", copying.line], check=True)
        assert (tmp_path / ".typed.yml").read_text() == LAB.replace("name: small", "name: typed")
        for step in found:
            subprocess.run(["sh", "-n", "-c", step.line], check=True)

    @pytest.mark.parametrize(
        ("fault", "said"),
        [
            ("exec", "ip address add nonsense"),
            ("deploy", "exit code 1"),
        ],
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
    tools.containerlab_tools.cache_clear()
    state = usable("containerlab")
    assert not state.usable and "Docker engine" in state.why
    with pytest.raises(CannotHereError, match="Docker engine"):
        open_backend("containerlab")
