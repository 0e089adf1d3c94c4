"""Ports that belong together, warnings, and the guest's place."""

from __future__ import annotations

import doctest
import shutil
import subprocess
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppslab.core.errors import CannotHereError, UsageError
from ppslab.model.planning.nics import grouping, lstopo, pcie, placement
from ppslab.model.planning.nics.grouping import plan
from ppslab.model.planning.nics.machine import Card, Core, Machine, Node, Port
from ppslab.model.planning.nics.pcie import SPEEDS, WIDTHS, Link
from ppslab.model.planning.nics.placement import Guest, memory_for, place
from ppslab.show import nic_tables
from ppslab.show.nic_tables import libvirt_domain
from tests.course.site.small_site import Site

FOLDER = Path(__file__).resolve().parents[3] / "book" / "numa" / "inventories"


@pytest.fixture(scope="module")
def r730() -> Machine:
    return lstopo.read(FOLDER / "r730.xml")


LEAST = memory_for(2, 3)
"""MiB of a guest with two CPUs, two ports and one for management."""


def card(bus: int, node: int | None = 0, **more: Any) -> Card:
    """An X520 on a bus of its own."""
    ports = tuple(Port(f"0000:{bus:02x}:00.{port}", "") for port in (0, 1))
    words: dict[str, Any] = {
        "id": "8086:10fb", "slot": "", "gbits": 10.0, "links": (Link(2, 8),), "capable": Link(2, 8),
        **more,
    }  # fmt: skip
    return Card(address=f"0000:{bus:02x}:00", name="X520", node=node, ports=ports, **words)


def machine(*cards: Card, nodes: int = 1) -> Machine:
    made = (Node(n, None, tuple(Core(n, (2 * n + c,)) for c in (0, 1))) for n in range(nodes))
    return Machine("test", tuple(made), cards)


def test_the_articles_eight_ports_are_those_of_one_processor(r730: Machine) -> None:
    """The article's bond has eight ports, of twelve: as many as the four cards on CPU2 have."""
    made = plan(r730)
    assert made.chosen is not None
    assert (made.chosen.node, len(made.chosen.ports), made.chosen.total) == (1, 8, 80)
    assert [each.slot for each in made.chosen.cards] == ["1", "2", "3", "4"]
    second = plan(r730, node=0).chosen
    assert second is not None
    assert (second.node, len(second.ports), second.total) == (0, 4, 40)


def test_the_ports_of_the_other_node_are_those_that_would_cross(r730: Machine) -> None:
    text = nic_tables.crossing_text(plan(r730))
    assert "all 12 ports" in text and "up to 40 Gbit/s" in text and "node 1" in text
    assert "153.6 Gbit/s" in text and "time, not bandwidth" in text
    assert not nic_tables.crossing_text(plan(machine(card(4), card(5))))
    # A port of another speed could not be in the bond.
    other = machine(card(4), card(5, node=1, gbits=1.0), nodes=2)
    assert not nic_tables.crossing_text(plan(other))


def test_a_port_that_stays_with_the_host_is_in_no_bond(r730: Machine) -> None:
    made = plan(r730, keep=["p1p1", "0000:85:00.1", "82:00.1"])
    assert made.chosen is not None
    left = {port.address for port in made.chosen.ports}
    assert len(left) == 5
    assert not left & {"0000:82:00.0", "0000:82:00.1", "0000:85:00.1"}
    assert set(place(made).addresses) == left


@pytest.mark.parametrize(
    ("root", "cards", "narrow"),
    [
        (Link(1, 8), 2, True),
        (Link(3, 4), 2, True),
        (Link(3, 8), 2, False),
        (Link(1, 4), 1, False),  # nothing is shared
    ],
)
def test_cards_behind_one_narrow_root_port_are_named(root: Link, cards: int, narrow: bool) -> None:
    """Two chips of two 10 Gbit/s ports behind a switch in one slot: eight lanes for both."""
    above = {"root": "0000:00:02.0", "root_links": (root,)}
    warnings = plan(machine(*(card(4 + number, **above) for number in range(cards)))).warnings
    assert any("share the root port 0000:00:02.0" in each for each in warnings) is narrow


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"links": (Link(2, 4),)}, "the slot has fewer lanes"),
        ({"links": (Link(1, 8),)}, "an older slot"),
        ({"links": (Link(2, 4),), "capable": Link(2, 4)}, "carries 71% of its ports"),
        ({"id": "dead:beef", "gbits": None}, "--speed dead:beef=GBITS"),
    ],
)
def test_what_is_wrong_with_a_card_is_said(more: dict[str, Any], said: str) -> None:
    warnings = plan(machine(card(4, **more))).warnings
    assert any(said in each for each in warnings), warnings


# ---- The guest -----------------------------------------------------------------------------------


def test_the_examples_in_the_modules_are_right() -> None:
    assert doctest.testmod(placement).failed == 0


@pytest.mark.parametrize(
    ("cpus", "interfaces", "mebibytes"),
    [
        (1, 1, 1024),
        (4, 8, 1024),
        (8, 9, 1024),
        (8, 10, 2048),
        (22, 9, 2048),
        (64, 17, 9216),
        (64, 2, 1024),
    ],
)
def test_memory_by_mikrotiks_formula(cpus: int, interfaces: int, mebibytes: int) -> None:
    assert memory_for(cpus, interfaces) == mebibytes
    assert mebibytes >= 512 + 8 * cpus * (interfaces - 1)


def test_no_more_cpus_than_routeros_has_room_for(r730: Machine) -> None:
    many = tuple(Core(1, (n, n + 100)) for n in range(40))
    big = replace(r730, nodes=(r730.nodes[0], Node(1, None, many)))
    assert len(place(plan(big), host_cores=2).cpus) == 64


def test_a_core_with_one_thread_less_makes_all_of_them_single(r730: Machine) -> None:
    uneven = (Core(1, (0,)), Core(1, (1, 2)), Core(1, (3,)))
    guest = place(plan(replace(r730, nodes=(r730.nodes[0], Node(1, None, uneven)))))
    assert (guest.cores, guest.host) == (((1,), (3,)), (0, 2))


def test_no_placement_without_cpus_or_ports() -> None:
    with pytest.raises(CannotHereError, match="does not contain the NUMA node"):
        place(plan(machine(card(4, node=None), nodes=2)))
    with pytest.raises(CannotHereError, match="--speed"):
        place(plan(lstopo.read(FOLDER / "cloud-machine.xml")))


# ---- Tables --------------------------------------------------------------------------------------


def test_what_nobody_says_is_not_made_up() -> None:
    unknown: Card = plan(lstopo.read(FOLDER / "cloud-machine.xml")).machine.cards[0]
    assert grouping.shares(unknown, 64) is None
    (_, links) = nic_tables.tables(plan(lstopo.read(FOLDER / "cloud-machine.xml")))
    assert links.rows[0][4].text == nic_tables.UNKNOWN


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"host_cores": 1}, ""),
        ({"host_cores": 0}, ""),
        ({"host_cores": 2}, "node 0 has 2 cores"),
        ({"host_cores": -1}, "node 0 has 2 cores"),
        ({"room": LEAST}, ""),
        ({"room": LEAST - 1}, f"NUMA node 0 has {LEAST - 1}"),
    ],
)
def test_a_guest_fits_its_node(words: dict[str, int], said: str) -> None:
    """Two cores, of which the guest needs one; MiB of memory from what RouterOS needs on."""
    made = machine(card(4))
    node = replace(made.nodes[0], memory=words.pop("room", LEAST) * 2**20)
    planned = plan(replace(made, nodes=(node,)))
    if not said:
        assert place(planned, **words).node == 0
        return
    with pytest.raises(UsageError, match=said):
        place(planned, **words)


@pytest.mark.parametrize(("nodes", "warned"), [(1, False), (2, True)])
def test_a_card_of_no_node_is_told_where_there_are_several(nodes: int, warned: bool) -> None:
    planned = plan(machine(card(4), card(5, None), nodes=nodes))
    assert (len(list(planned.warnings)) > len(list(plan(machine(card(4))).warnings))) is warned


@pytest.mark.parametrize(("share", "warned"), [(0.99, True), (1.0, False), (1.01, False)])
def test_a_link_that_carries_all_of_its_ports_is_no_warning(
    share: float, warned: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grouping, "shares", lambda *_: (share, share))
    assert any("line rate" in text for text in plan(machine(card(4))).warnings) is warned


# --- the planner on a page: its tables and numbers are the planner's, bad words are warnings ------

PAGE = """# Front

```{ppslab-plan-nics} r730 nodes
```
```{ppslab-plan-nics} r730 bonds
:node: 0
```
```{ppslab-plan-nics} r730 libvirt
```

{ppslab-plan-nics}`r730 bond`, {ppslab-plan-nics}`link 2 8`, {ppslab-plan-nics}`socket E5-2650 v4`.
"""


@pytest.mark.long
def test_a_page_shows_the_plan(tmp_path: Path) -> None:
    page, warnings, _ = Site(tmp_path).build(PAGE)
    assert warnings == ""
    for said in (">80 Gbit/s</a>", ">32 Gbit/s</a>", ">153.6 Gbit/s</a>"):
        assert said in page
    assert "8 x 10 = 80 Gbit/s" in page
    assert "cputune" in page


# --- what a PCIe link carries, against the numbers that everybody can look up ---------------------


def test_the_examples_in_the_module_are_right() -> None:
    assert doctest.testmod(pcie).failed == 0


@pytest.mark.parametrize(
    ("generation", "width", "gigabytes"),
    [
        # PCI-SIG's table of effective rates, GB/s in one direction.
        (1, 1, 0.25),
        (1, 16, 4.0),
        (2, 4, 2.0),
        (3, 1, 0.985),
        (3, 8, 7.877),
        (4, 16, 31.508),
        (5, 16, 63.015),
    ],
)
def test_what_a_link_carries(generation: int, width: int, gigabytes: float) -> None:
    assert Link(generation, width).gigabits / 8 == pytest.approx(gigabytes, abs=5e-4)


@pytest.mark.parametrize(
    ("size", "descriptors", "taken"),
    [
        # A write is cut into packets of 256 bytes, 24 around each; a read of 512 asks with 24.
        (64, 0, 60 + 24 + 24),
        (260, 0, 256 + 24 + 24),
        (261, 0, 257 + 2 * 24 + 24),
        (1518, 0, 1514 + 6 * 24 + 3 * 24),
        # Two descriptors of 16: asked for, and written back.
        (64, 1, 60 + 24 + 24 + 2 * (24 + 16 + 24)),
    ],
)
def test_the_bytes_of_a_link_that_a_frame_takes(size: int, descriptors: int, taken: int) -> None:
    assert Link(2, 8).frames(size, descriptors) == pytest.approx(32e9 / 8 / taken)


@given(
    st.sampled_from(list(SPEEDS)), st.sampled_from(WIDTHS), st.integers(64, 9216), st.integers(0, 2)
)
def test_no_link_carries_more_bits_of_frames_than_it_has(
    generation: int, width: int, size: int, descriptors: int
) -> None:
    link = Link(generation, width)
    assert 0 < link.frames(size, descriptors) * (size - 4) * 8 < link.gigabits * 1e9
    assert link.frames(size, descriptors + 1) < link.frames(size, descriptors)


def test_4_gigabytes_are_two_links_and_0_is_none() -> None:
    assert set(pcie.from_gigabytes(4.0)) == {Link(2, 8), Link(1, 16)}
    assert pcie.from_gigabytes(0.0) == ()
    assert pcie.from_gigabytes(3.3) == ()


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Link(6, 8), "generation 6"),
        (lambda: Link(3, 3), "width x3"),
        (lambda: Link(3, 8).frames(63, 0), "64 to 9216"),
    ],
)
def test_what_there_is_not(make, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        make()


# --- the guest's domain, as libvirt's schema and its own parser behind the test driver take it ----


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
