"""Ports that belong together, warnings, and the guest's place."""

from __future__ import annotations

import doctest
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ppslab.core.errors import CannotHereError, UsageError
from ppslab.model.planning.nics import grouping, lstopo, placement
from ppslab.model.planning.nics.grouping import plan
from ppslab.model.planning.nics.machine import Card, Core, Machine, Node, Port
from ppslab.model.planning.nics.pcie import Link
from ppslab.model.planning.nics.placement import memory_for, place
from ppslab.show import nic_tables

FOLDER = Path(__file__).resolve().parents[3] / "book" / "numa" / "inventories"


@pytest.fixture(scope="module")
def r730() -> Machine:
    return lstopo.read(FOLDER / "r730.xml")


LEAST = memory_for(2, 3)
"""MiB of a guest with two CPUs, two ports and one for management."""
ROOM = 4096


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
    ("root", "narrow"), [(Link(1, 8), True), (Link(3, 4), True), (Link(3, 8), False)]
)
def test_cards_behind_one_narrow_root_port_are_named(root: Link, narrow: bool) -> None:
    """Two chips of two 10 Gbit/s ports behind a switch in one slot: eight lanes for both."""
    above = {"root": "0000:00:02.0", "root_links": (root,)}
    warnings = plan(machine(card(4, **above), card(5, **above))).warnings
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
    with pytest.raises(CannotHereError, match="does not contain the NUMA node"):
        place(plan(machine(card(4, node=None), nodes=2)))
    with pytest.raises(CannotHereError, match="--speed"):
        place(plan(lstopo.read(FOLDER / "cloud-machine.xml")))


# ---- Tables --------------------------------------------------------------------------------------


def test_what_nobody_says_is_not_made_up() -> None:
    unknown: Card = plan(lstopo.read(FOLDER / "cloud-machine.xml")).machine.cards[0]
    assert grouping.budget(unknown) is None
    assert grouping.shares(unknown, 64) is None
    (_, links) = nic_tables.tables(plan(lstopo.read(FOLDER / "cloud-machine.xml")))
    assert links.rows[0][4].text == nic_tables.UNKNOWN


@pytest.mark.parametrize(
    ("words", "taken"),
    [
        ({"host_cores": 1}, True),
        ({"host_cores": 0}, True),
        ({"host_cores": 2}, False),
        ({"host_cores": -1}, False),
        ({"memory": LEAST}, True),
        ({"memory": LEAST - 1}, False),
        ({"memory": ROOM}, True),
        ({"memory": ROOM + 1}, False),
    ],
)
def test_a_guest_fits_its_node(words: dict[str, int], taken: bool) -> None:
    """Two cores, of which the guest needs one; MiB of memory from what RouterOS needs on."""
    made = machine(card(4))
    node = replace(made.nodes[0], memory=ROOM * 2**20)
    planned = plan(replace(made, nodes=(node,)))
    if taken:
        assert place(planned, **words).node == 0
    else:
        with pytest.raises(UsageError):
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
