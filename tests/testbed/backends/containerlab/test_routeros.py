"""RouterOS nodes of containerlab: they are waited for until their start file is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from ppslab.core import paths
from ppslab.core.errors import BackendError, FileError
from ppslab.model.lab import topology
from ppslab.testbed.backends import Deployment, open_backend
from ppslab.testbed.backends.containerlab.steps import described, routers
from tests.testbed.backends.containerlab.doubled import HALF, Doubles

pytestmark = pytest.mark.live

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
            pytest.raises(FileError, match='"startup-config" works in the containerlab backend'),
        ):
            backend.deploy(wiring)
        with pytest.raises(BackendError, match="node n has no management address"):
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
