"""The project's topologies: each lab's wires twice, with Linux and with CHRs, and alike."""

from __future__ import annotations

import ipaddress
import json
import os
import re
from pathlib import Path

import jsonschema
import pytest

from ppslab.core import documents, paths
from ppslab.core.errors import FileError
from ppslab.model.lab import lab, topology
from ppslab.model.lab.topology import ROUTEROS, Topology
from ppslab.testbed.routers import wires

FOLDER = paths.project_root() / "topologies"
NAMES = sorted(path.name.removesuffix(topology.SUFFIX) for path in FOLDER.glob("*.clab.yml"))
WITH_CHR = [name for name in NAMES if name.endswith("-chr")]
BIG_BUILD = ("hundred-chr", "hundred-tcp-chr")
SCHEMA = "PPSLAB_CLAB_SCHEMA"


def faults(path: Path) -> list[str]:
    """What containerlab, or vrnetlab's CHR, would not take of a file."""
    found = []
    try:
        wiring = topology.load(path, foreign=True)
    except FileError as error:
        return [error.message]
    document = documents.load_yaml(path)
    if f"{document.data['name']}{topology.SUFFIX}" != path.name:
        found.append("its name is not the file's")
    for node in wiring.nodes.values():
        if not node.image or ":" not in node.image:
            found.append(f"{node.name}: no image with a tag")
        elif node.image.endswith(":latest") and not node.image.startswith("ppslab/"):
            found.append(f"{node.name}: an image of others by no version")
        if node.kind == ROUTEROS:
            start = wires.start_file(wiring, node)
            if start is None or not start.is_file():
                found.append(f"{node.name}: no start file")
            named = [int(each[5:]) for each in wiring.interfaces(node.name)]
            if sorted(named) != list(range(2, len(named) + 2)):
                found.append(f"{node.name}: data ports are ether2 and up, without a gap")
            if node.exec:
                found.append(f"{node.name}: exec would run beside the machine, not in it")
    return found


@pytest.mark.parametrize("name", NAMES)
def test_a_file_is_what_containerlab_takes(name: str) -> None:
    assert faults(FOLDER / f"{name}{topology.SUFFIX}") == []


@pytest.mark.parametrize("name", NAMES)
def test_a_file_passes_containerlabs_schema(name: str) -> None:
    told = os.environ.get(SCHEMA)
    if not told:
        pytest.skip(f"no schema: set {SCHEMA} to schemas/clab.schema.json of containerlab 0.79")
    schema = json.loads(Path(told).read_text())
    data = documents.load_yaml(FOLDER / f"{name}{topology.SUFFIX}").data
    found = jsonschema.validators.validator_for(schema)(schema).iter_errors(data)
    assert [f"{each.json_path}: {each.message}" for each in found] == []


def test_every_lab_is_there_with_linux_and_with_chrs() -> None:
    for name in lab.names():
        words = lab.find(name).spec
        wanted = {words.topology}
        if words.tcp and words.tcp.topology:
            wanted.add(words.tcp.topology)
        for each in wanted:
            assert {each, f"{each}-chr"} <= set(NAMES)


def with_eth(name: str) -> Topology:
    return topology.find(name.removesuffix("-chr"))


@pytest.mark.parametrize("name", WITH_CHR)
def test_all_but_the_routers_is_the_same_with_chrs(name: str) -> None:
    mine, linux = topology.find(name, foreign=True), with_eth(name)
    assert set(mine.nodes) == set(linux.nodes)
    assert any(node.kind == ROUTEROS for node in mine.nodes.values())
    for node in mine.nodes.values():
        other = linux.nodes[node.name]
        if node.kind == ROUTEROS:
            assert other.image == "ppslab/linux-router:latest"
            continue
        # The switch of the build past 100 Gbit/s bundles its ports by itself here.
        assert node.exec[: len(other.exec)] == other.exec
        assert node.exec == other.exec or node.name == "switch"
        assert (node.image, node.env, node.binds) == (other.image, other.env, other.binds)
        assert node.sysctls == other.sysctls

    def as_linux(node: str, interface: str) -> tuple[str, str]:
        found = re.fullmatch(r"ether(\d+)", interface)
        return node, f"eth{int(found[1]) - 1}" if found else interface

    ends = [
        (*(as_linux(end.node, end.interface) for end in (link.a, link.b)), link.mtu)
        for link in mine.links
    ]
    theirs = [
        (*((end.node, end.interface) for end in (link.a, link.b)), link.mtu) for link in linux.links
    ]
    assert ends == theirs


# Its addresses belong to VLANs of the bond, and its MAC addresses to nothing that is configured.
@pytest.mark.parametrize("name", sorted({*WITH_CHR} - {*BIG_BUILD}))
def test_a_chr_starts_with_the_addresses_of_the_linux_router(name: str) -> None:
    """What a port of the one is called on the wire, that of the other is too."""
    mine, linux = topology.find(name, foreign=True), with_eth(name)
    compared = 0
    for wire, other in zip(wires.wires(mine), wires.wires(linux), strict=True):
        for port, twin in ((wire.a, other.a), (wire.b, other.b)):
            assert port.mac == twin.mac
            assert ipv4(port) == ipv4(twin)
            compared += bool(ipv4(twin)) and mine.nodes[port.node].kind == ROUTEROS
    assert compared >= 2


def ipv4(port: wires.Port) -> list[str]:
    return [address for address in port.addresses if ":" not in address]


@pytest.mark.parametrize("name", WITH_CHR)
def test_a_chr_starts_with_the_routes_of_the_linux_router(name: str) -> None:
    mine, linux = topology.find(name, foreign=True), with_eth(name)
    for node in mine.nodes.values():
        if node.kind != ROUTEROS:
            continue
        text = start_text(mine, node.name)
        for command in linux.nodes[node.name].exec:
            found = re.fullmatch(r"ip route add (\S+) via (\S+)", command)
            if found:
                assert f"add dst-address={found[1]} gateway={found[2]}\n" in text


def start_text(wiring: Topology, node: str) -> str:
    path = wires.start_file(wiring, wiring.nodes[node])
    assert path is not None
    return path.read_text()


@pytest.mark.parametrize("name", BIG_BUILD)
def test_the_chr_of_the_big_build_has_the_gateways_of_all_generators(name: str) -> None:
    wiring = topology.find(name, foreign=True)
    text = start_text(wiring, "chr")
    gateways = {
        command.split()[-1]
        for node in wiring.nodes.values()
        for command in node.exec
        if command.startswith("ip route replace default via ")
    }
    assert len(gateways) == 12
    assert all(f"add address={gateway}/24 interface=VLAN30" in text for gateway in gateways)


@pytest.mark.parametrize("name", NAMES)
def test_what_a_file_says_it_needs_is_what_its_nodes_take(name: str) -> None:
    wiring = topology.find(name, foreign=True)
    said = re.search(r"(?m)^# Needs: (.*)$", wiring.path.read_text())
    assert said
    containers, machines = wires.needs(wiring)
    numbers = [containers] if containers else []
    for (cpus, memory), count in sorted(machines.items()):
        numbers += [count, cpus, memory]
    first, _, _ = said[1].partition(". ")
    assert [int(each) for each in re.findall(r"\d+", first)] == numbers


@pytest.mark.parametrize("name", NAMES)
def test_addresses_are_those_kept_for_tests(name: str) -> None:
    """RFC 2544 and RFC 5180 keep them: a frame that escapes goes nowhere."""
    kept = [ipaddress.ip_network(each) for each in ("198.18.0.0/15", "2001:2::/48")]
    for wire in wires.wires(topology.find(name, foreign=True)):
        for text in (*wire.a.addresses, *wire.b.addresses):
            address = ipaddress.ip_interface(text).ip
            assert any(address.version == net.version and address in net for net in kept)


def test_a_start_file_that_is_missing_or_no_script_is_named(tmp_path: Path) -> None:
    path = tmp_path / "fastpath-chr.clab.yml"
    path.write_text((FOLDER / path.name).read_text())
    with pytest.raises(FileError, match=r"node dut: no start file .*start/fastpath-chr.dut.rsc"):
        wires.wires(topology.load(path, foreign=True))
    start = tmp_path / "start" / "fastpath-chr.dut.rsc"
    start.parent.mkdir()
    start.write_text("/ip/address\nadd address=(198.18.1.1 interface=p1\n")
    with pytest.raises(FileError) as found:
        wires.wires(topology.load(path, foreign=True))
    assert (found.value.path, found.value.line) == (start, 2)
