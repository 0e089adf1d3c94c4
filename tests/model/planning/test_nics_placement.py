"""The guest's domain, as libvirt's schema and its own parser behind the test driver take it."""

from __future__ import annotations

import shutil
import subprocess
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import pytest

from ppslab.model.planning.nics import lstopo
from ppslab.model.planning.nics.grouping import plan
from ppslab.model.planning.nics.placement import Guest, libvirt_domain, place

FOLDER = Path(__file__).resolve().parents[3] / "book" / "numa" / "inventories"


@pytest.fixture(scope="module")
def guest() -> Guest:
    return place(plan(lstopo.read(FOLDER / "r730.xml")))


def test_an_amd_processor_shows_its_threads_only_with_topoext(guest: Guest) -> None:
    assert 'name="topoext"' in libvirt_domain(replace(guest, topoext=True))
    assert "topoext" not in libvirt_domain(guest)


@pytest.mark.parametrize("node", [0, 1])
@pytest.mark.skipif(not shutil.which("virt-xml-validate"), reason="libvirt is not installed")
def test_libvirts_schema_takes_the_domain(node: int, tmp_path: Path) -> None:
    path = tmp_path / "chr.xml"
    amd = replace(place(plan(lstopo.read(FOLDER / "r730.xml"), node=node)), topoext=True)
    path.write_text(libvirt_domain(amd))
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
    path.write_text(libvirt_domain(guest).replace('type="kvm"', 'type="test"', 1))
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
