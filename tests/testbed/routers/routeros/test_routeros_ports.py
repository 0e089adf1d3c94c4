"""The ports of a RouterOS router: which the lab has, and which are refused."""

from __future__ import annotations

import pytest

from ppslab.core.errors import FileError, UsageError
from ppslab.model.lab import lab as labs
from ppslab.model.lab import topology
from ppslab.model.lab.lab import Lab
from ppslab.testbed.routers.routeros.ports import of_chr
from tests.support.doubles.routeros_rest import Device
from tests.testbed.routers.conftest import Make, configuration


def test_a_port_map_says_which_ports_the_lab_has(make: Make, device: Device, fastpath: Lab) -> None:
    with make(ports={"p1": "ether6", "p2": "ether7", "p3": "ether5"}) as router:
        router.apply(fastpath.conditions["routing-fast-path"])
        assert router.read_back(fastpath.conditions["routing-fast-path"]).problems == ()
        named = {row["default-name"]: row["name"] for row in device.tree.items(
            "/interface/ethernet").values()}  # fmt: skip
        assert [named[f"ether{n}"] for n in (2, 3, 5, 6, 7)] == [
            "ether2",
            "ether3",
            "p3",
            "p1",
            "p2",
        ]
        assert router.facts()["ports"] == {"p1": "ether6", "p2": "ether7", "p3": "ether5"}


def test_a_bond_takes_the_mapped_ports_though_no_script_names_them(make: Make) -> None:
    lab = labs.find("hundred")
    ports = {f"p{number}": f"sfp28-{number}" for number in range(1, 9)}
    found = make(lab, ports=ports).statements(lab.conditions["lacp-layer2"])
    (bond,) = [s for s in found if s.menu == "/interface/bonding"]
    assert dict(bond.properties)["slaves"] == ",".join(ports.values())
    assert "/interface/ethernet/set [find where default-name=sfp28-8] mtu=1520" in map(str, found)


@pytest.mark.parametrize("name", labs.names())
def test_a_chr_of_containerlab_has_the_labs_ports_behind_its_management(name: str) -> None:
    lab = labs.find(name)
    found = of_chr(lab)
    wiring = topology.find(f"{lab.spec.topology}-chr", foreign=True)
    wired = set(wiring.interfaces(lab.spec.router))
    assert "ether1" not in found.values()
    assert set(found.values()) <= wired or not found
    assert bool(found) != bool(lab.spec.routeros_nodes)


def test_a_port_that_the_map_lacks(make: Make) -> None:
    with pytest.raises(FileError, match=r"fastpath/routeros/ports.rsc:\d+: port p3 is not in"):
        make(ports={"p1": "ether6", "p2": "ether7"}).open()


@pytest.mark.parametrize(
    ("menu", "row", "said"),
    [
        ("/ip/address", {"address": "127.0.0.1/8", "interface": "ether2"}, "the router is reached"),
        ("/ip/address", {"address": "10.1.1.1/24", "interface": "ether3"}, "has the address"),
        ("/interface/bridge/port", {"interface": "ether4", "bridge": "br"}, "which is in br"),
        ("/interface/bonding", {"name": "bond1", "slaves": "ether6,ether3"}, "which is in bond1"),
    ],
)
def test_ports_that_do_something_else_are_refused(
    make: Make, device: Device, menu: str, row: dict[str, str], said: str
) -> None:
    device.tree.items(menu)["*70"] = {**row, "disabled": "false", "dynamic": "false"}
    before = configuration(device)
    with pytest.raises(UsageError, match=said):
        make().open()
    assert configuration(device) == before
    assert not [path for method, path, _ in device.requests if method != "GET"]


def test_a_link_local_address_is_no_use_of_a_port(make: Make, device: Device) -> None:
    row = {"address": "fe80::1/64", "interface": "ether3", "dynamic": "true"}
    device.tree.items("/ipv6/address")["*70"] = row
    with make():
        pass


def test_the_way_in_may_lead_over_a_bridge(make: Make, device: Device) -> None:
    device.tree.items("/ip/address")["*70"] = {"address": "127.0.0.1/8", "interface": "br"}
    device.tree.items("/interface/bridge/port")["*71"] = {"interface": "ether2", "bridge": "br"}
    with pytest.raises(UsageError, match="port p1 is ether2, through which the router is reached"):
        make().open()


def test_the_way_in_may_lead_over_a_vlan_of_a_bond_in_a_bridge(make: Make, device: Device) -> None:
    device.tree.items("/ip/address")["*70"] = {"address": "127.0.0.1/8", "interface": "vlan9"}
    device.tree.items("/interface/vlan")["*71"] = {"name": "vlan9", "interface": "br"}
    device.tree.items("/interface/bridge/port")["*72"] = {"interface": "bond1", "bridge": "br"}
    device.tree.items("/interface/bonding")["*73"] = {"name": "bond1", "slaves": "ether6,ether2"}
    with pytest.raises(UsageError, match="port p1 is ether2, through which the router is reached"):
        make().open()


def test_a_port_that_the_device_has_not_got(make: Make) -> None:
    with pytest.raises(
        UsageError, match=r"port p1 is to be ether99, but RouterOS at .* has ether1"
    ):
        make(ports={"p1": "ether99", "p2": "ether3", "p3": "ether4"}).open()
