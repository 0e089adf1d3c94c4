"""The placement in the words of four hypervisors: what each of them accepts, as far as it is here.

QEMU gets the command itself; only what this machine cannot have is replaced: KVM, the host's CPU,
and the cards.  libvirt has its schema, and its own parser behind the test driver.
"""

from __future__ import annotations

import itertools
import json
import re
import shlex
import shutil
import subprocess
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ppslab.core.errors import UsageError
from ppslab.model.planning.nics.grouping import plan
from ppslab.model.planning.nics.inventories import lstopo
from ppslab.model.planning.nics.machine import Port
from ppslab.model.planning.nics.placement import Guest, esxi, libvirt, place, proxmox, qemu
from ppslab.model.planning.nics.placement.writers import WRITERS
from tests.support.waiting import PATIENCE

FOLDER = Path(__file__).resolve().parents[3] / "book" / "whitebox" / "inventories"
QEMU = shutil.which("qemu-system-x86_64")


@pytest.fixture(scope="module")
def guest() -> Guest:
    return place(plan(lstopo.read(FOLDER / "r730.xml")))


@pytest.fixture(scope="module")
def small() -> Guest:
    """On node 0, which every machine has: four ports of two cards."""
    return place(plan(lstopo.read(FOLDER / "r730.xml"), node=0))


# ---- QEMU ----------------------------------------------------------------------------------------


TREE = {"execute": "human-monitor-command", "arguments": {"command-line": "info qtree"}}


def qmp(argv: list[str], *questions: dict[str, Any]) -> list[Any]:
    """Start QEMU with its processors stopped, ask, and end it."""
    words = [{"execute": "qmp_capabilities"}, *questions, {"execute": "quit"}]
    asked = "".join(json.dumps(word) + "\n" for word in words)
    done = subprocess.run(
        [*argv, "-S", "-qmp", "stdio"],
        input=asked,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    answers = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert not [each for each in answers if "error" in each], answers
    assert done.returncode == 0, done.stderr
    return [each["return"] for each in answers if "return" in each][1:-1]


@pytest.mark.guest
@pytest.mark.skipif(not QEMU, reason="QEMU is not installed")
def test_qemu_takes_the_command_and_stands_up_what_was_planned(
    small: Guest, tmp_path: Path
) -> None:
    """Memory bound to the node, threads under cores, each card's two functions in one slot."""
    (tmp_path / "chr.img").touch()
    (tmp_path / "chr.img").write_bytes(bytes(2**20))
    replaced = {"kvm": "tcg", "host": "max", "bridge,id=management,br=br0": "user,id=management"}
    argv = [str(QEMU)]
    for word in qemu.arguments(small):
        made = re.sub(r"vfio-pci,host=[^,]+", "e1000e", replaced.get(word, word))
        # 2 GiB are not taken from a machine that tests.
        made = made.replace("chr.img", str(tmp_path / "chr.img")).replace(
            "prealloc=on", "reserve=off"
        )
        argv.append("null" if made == "mon:stdio" else made)
    names = ("query-pci", "query-memdev", "query-hotpluggable-cpus")
    pci, memory, cpus, tree = qmp(argv, *({"execute": name} for name in names), TREE)
    assert [(each["size"], each["host-nodes"], each["policy"]) for each in memory] == [
        (small.memory * 2**20, [0], "bind")
    ]
    places = {tuple(sorted(each["props"].items())) for each in cpus}
    assert len(places) == len(small.cpus) == 22
    assert {dict(each)["socket-id"] for each in places} == {0}
    assert {dict(each)["core-id"] for each in places} == set(range(11))
    assert {dict(each)["thread-id"] for each in places} == {0, 1}
    roots = [each for each in pci[0]["devices"] if each["qdev_id"].startswith("card")]
    assert len(roots) == len(small.ports) == 2
    assert {each["class_info"]["desc"] for each in roots} == {"PCI bridge"}
    # Both functions of a card are in the one slot that a root port has.
    places_of_cards = re.findall(r"dev: e1000e.*?addr = (\S+)\s", tree, re.DOTALL)
    assert sorted(places_of_cards) == ["00.0", "00.0", "00.1", "00.1"]


@pytest.mark.guest
@pytest.mark.skipif(not QEMU, reason="QEMU is not installed")
def test_qemu_takes_the_cards_words_and_then_misses_the_cards(small: Guest) -> None:
    """All that is wrong with vfio-pci here is that the card is not there."""
    argv = qemu.arguments(small)
    devices = [word for flag, word in itertools.pairwise(argv) if flag == "-device"]
    wanted = [word for word in devices if "virtio" not in word][:2]
    assert wanted[1].startswith("vfio-pci,host=0000:04:00.0")
    options = [part for word in wanted for part in ("-device", word)]
    done = subprocess.run(
        [
            str(QEMU),
            "-nodefaults",
            "-display",
            "none",
            "-machine",
            "q35",
            "-accel",
            "tcg",
            *options,
        ],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 1
    assert "no such host device" in done.stderr


def test_the_script_is_sh_and_gives_every_port_to_vfio(guest: Guest, tmp_path: Path) -> None:
    script = tmp_path / "chr.sh"
    script.write_text(qemu.script(guest))
    subprocess.run(["sh", "-n", str(script)], check=True)
    text = script.read_text()
    assert "--physcpubind=3,5,7,9" in text
    assert "--membind=1" in text
    said = shlex.split(text.partition("exec ")[2].replace("\\\n", " "))
    assert said[said.index("qemu-system-x86_64") + 1 :] == qemu.arguments(guest)
    for address in guest.addresses:
        assert text.count(address) == 2  # once to vfio-pci, once to QEMU


def test_an_amd_processor_shows_its_threads_only_with_topoext(guest: Guest) -> None:
    amd = replace(guest, topoext=True)
    assert "host,topoext=on" in qemu.arguments(amd)
    assert 'name="topoext"' in libvirt.script(amd)


# ---- libvirt -------------------------------------------------------------------------------------


@pytest.mark.parametrize("node", [0, 1])
@pytest.mark.skipif(not shutil.which("virt-xml-validate"), reason="libvirt is not installed")
def test_libvirts_schema_takes_the_domain(node: int, tmp_path: Path) -> None:
    path = tmp_path / "chr.xml"
    amd = replace(place(plan(lstopo.read(FOLDER / "r730.xml"), node=node)), topoext=True)
    path.write_text(libvirt.script(amd))
    done = subprocess.run(
        ["virt-xml-validate", str(path), "domain"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    # And the schema is no rubber stamp.
    path.write_text(path.read_text().replace("vcpupin", "vcpupine"))
    wrong = subprocess.run(
        ["virt-xml-validate", str(path), "domain"], capture_output=True, text=True, check=False
    )
    assert wrong.returncode != 0


@pytest.mark.skipif(not shutil.which("virsh"), reason="libvirt is not installed")
def test_libvirts_own_parser_keeps_all_of_the_domain(guest: Guest, tmp_path: Path) -> None:
    """Its test driver parses like any other; what it gives back is what it understood."""
    path = tmp_path / "chr.xml"
    path.write_text(libvirt.script(guest).replace('type="kvm"', 'type="test"', 1))
    done = subprocess.run(
        ["virsh", "-q", "-c", "test:///default", f"define --validate {path}; dumpxml chr"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    domain = ET.fromstring(done.stdout[done.stdout.index("<domain") :])
    pins = {int(p.get("vcpu", "")): int(p.get("cpuset", "")) for p in domain.iter("vcpupin")}
    assert [pins[number] for number in range(22)] == list(guest.cpus)
    assert domain.find("numatune/memory").attrib == {"mode": "strict", "nodeset": "1"}
    assert domain.find("cpu/topology").get("threads") == "2"
    assert domain.find("memory").text == str(guest.memory * 1024)
    assert len(domain.findall("devices/hostdev")) == 8


# ---- Proxmox and ESXi ----------------------------------------------------------------------------


def test_proxmox_lines_are_those_of_its_manual(guest: Guest) -> None:
    """qm.conf(5): one `key: value` a line; memory of the nodes is the guest's; addresses in hex."""
    lines = [line for line in proxmox.script(guest).splitlines() if not line.startswith("#")]
    found = dict(line.split(": ", 1) for line in lines)
    assert len(found) == len(lines)
    numa = dict(part.split("=") for part in found["numa0"].split(","))
    assert numa == {"cpus": "0-21", "hostnodes": "1", "memory": "2048", "policy": "bind"}
    assert (found["memory"], found["numa"], found["machine"]) == ("2048", "1", "q35")
    assert int(found["sockets"]) * int(found["cores"]) == 22
    assert found["affinity"] == "3,5,7,9,11,13,15,17,19,21,23,27,29,31,33,35,37,39,41,43,45,47"
    ports = [value for key, value in found.items() if re.fullmatch(r"hostpci\d+", key)]
    assert ports == [f"{address},pcie=1" for address in guest.addresses]


def test_esxi_addresses_are_decimal_and_its_memory_is_reserved_whole(guest: Guest) -> None:
    text = esxi.script(guest)
    found = dict(re.findall(r'^(\S+) = "([^"]*)"$', text, re.MULTILINE))
    assert found["sched.mem.min"] == found["memSize"] == "2048"
    assert found["numa.nodeAffinity"] == "1"
    assert found["numa.vcpu.preferHT"] == "TRUE"
    assert "sched.cpu.affinity" not in found  # it would end the care of the NUMA scheduler
    assert [found[f"pciPassthru{n}.id"] for n in (0, 1, 7)] == [
        "00000:130:00.0",
        "00000:130:00.1",
        "00000:133:00.1",
    ]
    assert text.count("esxcli hardware pci pcipassthru set --device-id=0000:8") == 8


@pytest.mark.parametrize("hypervisor", ["proxmox", "esxi"])
def test_more_ports_than_a_hypervisor_gives_are_refused(guest: Guest, hypervisor: str) -> None:
    many = replace(
        guest, ports=tuple((Port(f"0000:{bus:02x}:00.0", ""),) for bus in range(0x10, 0x21))
    )
    with pytest.raises(UsageError, match="17 ports"):
        WRITERS[hypervisor](many)
    WRITERS[hypervisor](replace(many, ports=many.ports[:16]))
