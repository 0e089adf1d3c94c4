"""A lab around a CHR that containerlab has started: the CHR is a double, its packets take the way
through a Linux router, and containerlab's part is done by the namespaces backend.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from ppslab.core import paths
from ppslab.measure.testbed.routeros import Using, beside_the_router, stand_chr
from ppslab.measure.trial.spec import TrialSpec
from ppslab.model.lab import lab, profiles, topology
from ppslab.model.lab.topology import Topology
from ppslab.model.validity import PASSING
from ppslab.testbed.backends import Backend, Deployment, capabilities, open_backend
from ppslab.testbed.routers.devices import RouterOS
from ppslab.testbed.routers.routeros.api import Api
from ppslab.testbed.routers.routeros.changes import Configurator
from ppslab.testbed.routers.routeros.journal import Journal
from ppslab.testbed.routers.routeros.rsc import script
from ppslab.testbed.testers.testers import PPSTRAFFIC
from tests.support.doubles.routeros_rest import Device, Server
from tests.testbed.routers.conftest import configuration

pytestmark = [
    pytest.mark.live,
    pytest.mark.skipif(
        not capabilities.usable("namespaces").usable, reason="no namespaces here: ppslab doctor"
    ),
]


class Containerlab:
    """A backend that stands `fastpath` up where `fastpath-chr` is wanted."""

    name = "containerlab"

    def __init__(self, backend: Backend, address: str) -> None:
        self.backend = backend
        self.facts = backend.facts
        self.told = address
        self.wanted: list[str] = []

    def deploy(self, wiring: Topology) -> Deployment:
        self.wanted.append(wiring.name)
        found = self.backend.deploy(topology.find(wiring.name.removesuffix("-chr")))
        found.address = lambda node: self.told  # type: ignore[method-assign]
        return found


@pytest.fixture
def device() -> Device:
    return Device(
        password="admin",
        version="7.20.8 (long-term)",
        level="free",
        interfaces=("ether1", "ether2", "ether3", "ether4"),
    )


@pytest.fixture
def stood(device: Device, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    said: list[str] = []
    with Server(device) as server, open_backend("namespaces") as backend, ExitStack() as stack:
        # The CHR imports its start file, as containerlab lets it.
        asked = Api(RouterOS(url=server.url, password=SecretStr("admin")))
        begun = Journal.open(tmp_path / "start.journal", "the double")
        start = paths.project_root() / "topologies/start/fastpath-chr.dut.rsc"
        for statement in script.read(start):
            Configurator(asked, begun).make(statement)
        begun.close()
        asked.close()
        doubled = Containerlab(backend, server.url.removeprefix("http://"))
        testbed, notes = stand_chr(
            stack,
            doubled,  # type: ignore[arg-type]
            lab.find("fastpath"),
            profiles.load("quick"),
            Using(PPSTRAFFIC, lambda trial: None, said.append),
        )
        yield testbed, notes, said, doubled


def test_a_chr_is_configured_and_packets_flow(stood: Any, device: Device) -> None:
    testbed, notes, said, backend = stood
    assert backend.wanted == ["fastpath-chr", "back-to-back"]
    before = configuration(device)
    trial = testbed.trial(
        TrialSpec("cost", testbed.lab.condition("routing-plain"), 64, 0.1, arrangement="separate")
    )
    # At full rate beside a busy neighbour: what passes by itself is no fault of the router's.
    assert PASSING.issuperset(trial.causes), trial.invalid_because
    assert trial.counts and trial.counts["received"] > 0
    assert configuration(device) != before
    assert device.tree.singles["/ip/settings"]["allow-fast-path"] == "false"
    assert any("licence" in note for note in notes), "a free CHR sends 1 Mbit/s: the record says so"
    assert any("remedy" in line for line in said)
    assert testbed.cpus.is_external and not testbed.cpus.coupled


def test_labs_that_have_several_routers() -> None:
    assert beside_the_router(lab.find("fastpath")) == ()
    assert "r2" in beside_the_router(lab.find("eoip"))
    assert "client" in beside_the_router(lab.find("pppoe"))
    for name in ("eoip", "pppoe"):
        found = lab.find(name)
        wiring = topology.find(f"{found.spec.topology}-chr", foreign=True)
        for node in (found.spec.router, *beside_the_router(found)):
            assert wiring.nodes[node].kind == "mikrotik_ros"
            assert "startup-config" in wiring.nodes[node].foreign
