"""Which ports belong together, what crosses, and where the guest goes; each by counting."""

from __future__ import annotations

import doctest
import itertools
from dataclasses import replace
from pathlib import Path

import pytest

from ppslab.core.errors import CannotHereError, UsageError
from ppslab.model.planning.nics import grouping, placement
from ppslab.model.planning.nics.assembling import assemble
from ppslab.model.planning.nics.grouping import plan
from ppslab.model.planning.nics.inventories import lspci, lstopo
from ppslab.model.planning.nics.machine import Card, Core, Device, Machine, Node
from ppslab.model.planning.nics.pcie import Link
from ppslab.model.planning.nics.placement import memory_for, place
from ppslab.show import nic_tables

FOLDER = Path(__file__).resolve().parents[3] / "book" / "whitebox" / "inventories"


@pytest.fixture(scope="module")
def r730() -> Machine:
    return lstopo.read(FOLDER / "r730.xml")


def card(bus: int, node: int | None = 0, **more: object) -> list[Device]:
    """An X520 on a bus of its own."""
    words = {"id": "8086:10fb", "node": node, "link": Link(2, 8), **more}
    return [Device(f"0000:{bus:02x}:00.{port}", 0x0200, **words) for port in (0, 1)]


def machine(*devices: list[Device], nodes: int = 2) -> Machine:
    made = (Node(n, None, tuple(Core(n, (2 * n + c,)) for c in (0, 1))) for n in range(nodes))
    return assemble("test", made, itertools.chain(*devices))


def test_the_articles_eight_ports_are_those_of_one_processor(r730: Machine) -> None:
    """The article's bond has eight ports, of twelve: as many as the four cards on CPU2 have."""
    made = plan(r730)
    assert made.chosen is not None
    assert (made.chosen.node, len(made.chosen.ports), made.chosen.total) == (1, 8, 80)
    assert [each.slot for each in made.chosen.cards] == ["1", "2", "3", "4"]
    second = plan(r730, node=0).chosen
    assert second is not None
    assert (second.node, len(second.ports), second.total) == (0, 4, 40)


def test_what_crosses_by_counting_every_pair_of_ports(r730: Machine) -> None:
    made = plan(r730)
    assert made.crossing is not None
    ports = [bond.node for bond in made.bonds if bond.gbits == 10 for _ in bond.ports]
    pairs = list(itertools.product(ports, ports))
    assert len(pairs) == 144
    assert made.crossing.share == pytest.approx(sum(a != b for a, b in pairs) / 144)
    assert made.crossing.touching == pytest.approx(sum((a, b) != (1, 1) for a, b in pairs) / 144)
    assert made.crossing.gbits == 40
    assert made.crossing.ports == {0: 4, 1: 8}


def test_a_port_that_stays_with_the_host_is_in_no_bond(r730: Machine) -> None:
    made = plan(r730, keep=["p1p1", "0000:85:00.1", "82:00.1"])
    assert made.chosen is not None
    left = {port.address for port in made.chosen.ports}
    assert len(left) == 5
    assert not left & {"0000:82:00.0", "0000:82:00.1", "0000:85:00.1"}
    assert set(place(made).addresses) == left


def test_cards_behind_one_narrow_root_port_are_named() -> None:
    """Two chips behind a switch in one slot: eight lanes for both."""
    root = [Device("0000:00:02.0", 0x0604, node=0, link=Link(1, 8))]
    above = {"parent": "0000:00:02.0"}
    made = plan(machine(root, card(4, **above), card(5, **above), nodes=1))
    assert any("share the root port 0000:00:02.0" in each for each in made.warnings)
    wide = [replace(root[0], link=Link(3, 8))]
    made = plan(machine(wide, card(4, **above), card(5, **above), nodes=1))
    assert not made.warnings


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"link": Link(2, 4), "capable": Link(2, 8)}, "the slot has fewer lanes"),
        ({"link": Link(1, 8), "capable": Link(2, 8)}, "an older slot"),
        ({"link": Link(2, 4), "capable": Link(2, 4)}, "carries 71% of its ports"),
        ({"id": "dead:beef"}, "--speed dead:beef=GBITS"),
    ],
)
def test_what_is_wrong_with_a_card_is_said(more: dict[str, object], said: str) -> None:
    warnings = plan(machine(card(4, **more), nodes=1)).warnings
    assert any(said in each for each in warnings), warnings


def test_more_lanes_than_the_processor_has_are_counted(r730: Machine) -> None:
    wide = tuple(replace(each, links=(Link(3, 16),)) for each in r730.cards)
    warnings = plan(replace(r730, cards=wide)).warnings
    assert any("node 1 have 64 lanes" in each for each in warnings)


# ---- The guest -----------------------------------------------------------------------------------


def test_the_examples_in_the_modules_are_right() -> None:
    assert doctest.testmod(placement).failed == 0


@pytest.mark.parametrize(
    ("cpus", "interfaces", "mebibytes"),
    [(1, 1, 1024), (4, 8, 1024), (8, 9, 1024), (8, 10, 2048), (22, 9, 2048), (64, 17, 9216)],
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


def test_another_machine_in_the_same_iommu_group_has_to_go_with_the_port() -> None:
    disk = [Device("0000:06:00.0", 0x0106, name="SATA", iommu=7)]
    made = machine(card(4, iommu=7), disk, nodes=1)
    guest = place(plan(made))
    assert any("SATA" in each for each in placement.shared_groups(made, guest))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"host_cores": 12}, "node 1 has 12 cores"),
        ({"host_cores": -1}, "node 1 has 12 cores"),
        ({"memory": 1024}, "RouterOS needs 2048"),
        ({"memory": 70_000}, "NUMA node 1 has 65536"),
    ],
)
def test_a_guest_that_does_not_fit(r730: Machine, words: dict[str, int], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        place(plan(r730), **words)


def test_no_placement_without_cpus_or_ports() -> None:
    with pytest.raises(CannotHereError, match="--cpus FILE"):
        place(plan(lspci.read(FOLDER / "two-sockets.lspci")))
    with pytest.raises(CannotHereError, match="--speed"):
        place(plan(lstopo.read(FOLDER / "cloud-machine.xml")))


# ---- Tables --------------------------------------------------------------------------------------


def test_what_nobody_says_is_not_made_up() -> None:
    unknown: Card = plan(lstopo.read(FOLDER / "cloud-machine.xml")).machine.cards[0]
    assert grouping.budget(unknown) is None
    assert grouping.shares(unknown, 64) is None
    (_, links) = nic_tables.tables(plan(lstopo.read(FOLDER / "cloud-machine.xml")))
    assert links.rows[0][4].text == nic_tables.UNKNOWN
