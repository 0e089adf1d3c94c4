"""What the dry run's nodes answer, against what nodes answer that really stand."""

from __future__ import annotations

import pytest

from ppslab.measure.preview.pretending import PretendedBackend
from ppslab.model.lab import lab, topology
from ppslab.model.lab.conditions import SwitchChip
from ppslab.testbed.backends import Backend, capabilities, open_backend
from ppslab.testbed.routers.linux import bpf_maps
from ppslab.testbed.routers.linux.deployed import Deployed

pytestmark = [
    pytest.mark.live,
    pytest.mark.skipif(
        not capabilities.usable("namespaces").usable, reason="no namespaces here: ppslab doctor"
    ),
]


def restored(backend: Backend, name: str) -> dict[str, set[str]]:
    """The lines that put each node back, by node."""
    with backend.deploy(topology.find(name)) as deployed:
        return {
            node: set(Deployed.read(deployed.node(node)).restore().splitlines())
            for node in deployed.nodes
        }


@pytest.mark.parametrize("name", ["fastpath", "l3offload", "eoip", "hundred"])
def test_a_node_as_it_was_deployed(name: str) -> None:
    with open_backend("namespaces") as real, PretendedBackend("namespaces", {}) as pretended:
        wanted, found = restored(real, name), restored(pretended, name)
    for node, lines in wanted.items():
        # The kernel gives an interface an address of its own where the topology names none.
        known = {line for line in lines if "keep" not in line and ") ;;" not in line}
        told = {line for line in found[node] if ") ;;" not in line}
        assert told == known, node


@pytest.mark.parametrize("file", ["1000", "ecmp-8", "blackhole", "ipv6"])
def test_what_goes_into_a_chip_s_tables(file: str) -> None:
    chip = SwitchChip(device="CRS326-24G-2S+", ipv6_hw=True)
    batch = bpf_maps.routes_of(lab.find("l3offload").folder / f"linux/routes/{file}.routes")
    made = []
    with open_backend("namespaces") as real, PretendedBackend("namespaces", {}) as pretended:
        for backend in (real, pretended):
            with backend.deploy(topology.find("l3offload")) as deployed:
                node = deployed.node("dut")
                node.run(["sh", "-e"], input=f"ip -batch - <<'PPSLAB'\n{batch}\nPPSLAB\n")
                made.append(bpf_maps.tables(node, chip))
    wanted, found = made
    assert (found.ipv4, found.ipv6) == (wanted.ipv4, wanted.ipv6)
    held, kept = ({(e.prefix, e.kind, e.hops) for e in each.hardware} for each in made)
    assert held == kept
