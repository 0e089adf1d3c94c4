"""The placement widget against the planner, and between both hosts."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ppslab.core import paths
from ppslab.course.models.numa_placement import CARDS, OUT, placed
from ppslab.course.widgets.facts.numa_placement import IDS
from ppslab.model.planning.nics import cards, grouping, servers
from ppslab.model.planning.nics.inventories import lstopo
from ppslab.model.planning.nics.machine import Card, Machine, Node, Port
from ppslab.model.planning.nics.pcie import Link
from tests.course.models.both import ask, both

SLOTS = {str(slot.slot): slot for slot in servers.chassis("r730")}


def machine(where: dict[str, str]) -> Machine:
    """The same server for the planner, whose node 0 is CPU1."""
    made = []
    for slot, of in SLOTS.items():
        for name in (name for name, place in where.items() if place == slot):
            chip = cards.load()[IDS[name.partition("-")[0]]]
            assert chip.link
            ports = tuple(Port(f"0000:0{slot}:00.{n}", "") for n in range(chip.ports))
            runs = chip.link.both(Link(3, of.lanes))
            made.append(
                Card(f"0000:0{slot}:00", chip.id, chip.card, of.cpu - 1, slot, ports, chip.gbits,
                     (runs,) if runs else (), chip.link)
            )  # fmt: skip
    return Machine("a test", (Node(0, None, ()), Node(1, None, ())), tuple(made), ())


def same(found: dict[str, Any], plan: grouping.Plan, size: int) -> None:
    assert [tuple(bond) for bond in found["bonds"]] == [
        ((bond.node or 0) + 1, bond.gbits, len(bond.ports)) for bond in plan.bonds
    ]
    assert found["side"] == (None if plan.chosen is None else (plan.chosen.node or 0) + 1)
    assert (found["crossing"] is None) == (plan.crossing is None)
    if plan.crossing:
        for word in ("share", "touching", "gbits"):
            assert found["crossing"][word] == pytest.approx(getattr(plan.crossing, word))
    for slot, generation, width, gigabits, worst, best in found["links"]:
        card = next(card for card in plan.machine.cards if card.slot == slot)
        assert card.link == Link(generation, width)
        assert gigabits == card.link.gigabits
        assert (worst, best) == pytest.approx(grouping.shares(card, size))
    for side in (1, 2):
        assert found["lanes"][side - 1] == grouping.lanes(plan.machine, side - 1)[0]


@settings(max_examples=60, deadline=None)
@given(
    order=st.permutations([*SLOTS, *[OUT] * 5]),
    size=st.integers(64, 1518),
    serves=st.sampled_from([None, 0, 1]),
)
def test_any_placement_is_what_the_planner_says(
    order: list[str], size: int, serves: int | None
) -> None:
    where = dict(zip(CARDS, order, strict=False))
    built = machine(where)
    said = "most" if serves is None else str(serves + 1)
    answer = ask("numa-placement", cards=where, size=size, serves=said)
    if serves is not None and all(card.node != serves for card in built.cards):
        if built.cards:
            assert answer["problem"]["input"] == "serves"
        return
    same(answer["values"], grouping.plan(built, node=serves), size)


def test_the_article_is_the_inventory_of_the_chapter() -> None:
    read = lstopo.read(paths.project_root() / "book/whitebox/inventories/r730.xml")
    plan = grouping.plan(read)
    found = ask("numa-placement")["values"]
    assert plan.chosen
    assert plan.crossing
    assert found["bonds"][0] == [(plan.chosen.node or 0) + 1, 10.0, len(plan.chosen.ports)]
    assert found["crossing"]["share"] == pytest.approx(plan.crossing.share)
    assert found["crossing"]["touching"] == pytest.approx(plan.crossing.touching)


def test_ten_ports_on_one_side_as_the_exercise_has_it() -> None:
    cards_of = placed("x520-1:1 x520-2:2 x520-3:3 x710:4")
    answer = ask("numa-placement", cards=cards_of)
    assert answer["values"]["bonds"] == [[2, 10.0, 10]]
    assert answer["values"]["crossing"] is None


def test_what_cannot_be_is_told() -> None:
    two = ask("numa-placement", cards=placed("x520-1:3 x710:3"))
    assert two["problem"]["input"] == "cards"
    assert ask("numa-placement", cards=placed("x520-1:1"), serves="1")["problem"]
    assert ask("numa-placement", size=63)["problem"]["input"] == "size"
    large = ask("numa-placement", cards=placed("e810:5"))
    assert any("PCIe 4.0 x16" in said for said in large["warns"])


@pytest.mark.long
def test_both_hosts_say_the_same() -> None:
    asked: list[dict[str, Any]] = [
        {"cards": placed(words), "size": size, "serves": serves, "cpu": cpu}
        for words in ("", "x520-1:7", "x520-1:1 x520-2:2 xl710:4 e810:5 x710:6")
        for size, serves, cpu in ((64, "most", "E5-2650 v4"), (1518, "1", "E5-2630 v3"))
    ]
    asked += [{}, {"cards": placed("x520-1:1 x520-2:1")}]
    assert len(both("numa-placement", asked)) == len(asked)
