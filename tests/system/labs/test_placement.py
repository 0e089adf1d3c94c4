"""The words of the lab numa: machines and placements that cannot be are refused, and told apart."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ppslab.core.errors import CannotHereError, FileError, UsageError
from ppslab.judge import costs, placement
from ppslab.model.lab import lab, topology
from ppslab.model.lab.machine import Machine, plain_links, plug
from ppslab.testbed.backends import open_backend
from ppslab.testbed.routers.linux import read_back
from tests.support.factory import make_record

NUMA = lab.find("numa")
WIRING = topology.find("numa")
assert NUMA.spec.machine
MACHINE = NUMA.spec.machine

# How often each packet of a condition crosses the link between the sockets.
CROSSINGS = {"one-socket": 0, "one-cpu": 0, "other-socket": 2, "two-sockets": 1, "chance": None,
             "with-the-tester": 2}  # fmt: skip


@pytest.mark.parametrize("name", NUMA.conditions)
def test_the_crossings_of_a_condition_are_those_of_its_placement(name: str) -> None:
    ways = placement.ways(NUMA, NUMA.condition(name))
    assert {way.crossings for way in ways} == {CROSSINGS[name]}


def test_two_cards_share_a_wire_and_each_has_a_slot_of_its_own() -> None:
    plugged = plug(MACHINE)
    assert len({card.port for card in plugged}) == len(plugged) == 10
    wires = [card.wire for card in plugged]
    assert all(wires.count(wire) == 2 for wire in wires)
    plain = plain_links(plugged, WIRING.plain())
    slots = {card["port"] for link in plain["links"] for card in link["cards"]}
    assert len(slots) == 8


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"cards": {"numa": {"dut:eth1": {"socket": 2}}}}, "0 to 1"),
        ({"cards": {"numa": {"dut:eth1": {"socket": 0, "cpu": 4}}}}, "0 to 3"),
        ({"cpus": {"sender": 9, "reader": 2, "router": 0}}, "sender: .*0 to 3"),
        ({"cards": {"numa": {"eth1": {"socket": 0}}}}, "NODE:INTERFACE"),
        ({"cores": 3}, "1, 2 or 4"),
    ],
)
def test_a_machine_that_cannot_be_built_is_refused(change: dict[str, object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Machine.model_validate(MACHINE.model_dump() | change)


@pytest.mark.parametrize(
    ("cards", "said"),
    [
        ({"dut:eth1": {"socket": 0}}, "tester:eth1"),
        ({"dut:eth9": {"socket": 0}}, "dut:eth9"),
    ],
)
def test_cards_that_are_no_ends_of_a_link_are_refused(
    cards: dict[str, dict[str, int]], said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        plug(Machine.model_validate(MACHINE.model_dump() | {"cards": {"numa": cards}}))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("interrupts: {eth1: 0, eth2: 1}", "interrupts: {eth1: 0, eth2: 4}", "0 to 3"),
        ("needs: [numa]", "needs: []", "needs numa"),
    ],
)
def test_a_condition_that_the_machine_cannot_have_is_found(
    tmp_path: Path, old: str, new: str, said: str
) -> None:
    text = (NUMA.folder / "lab.yml").read_text(encoding="utf-8")
    (tmp_path / "lab.yml").write_text(text.replace(old, new, 1))
    shutil.copytree(NUMA.folder / "routeros", tmp_path / "routeros")
    with pytest.raises(FileError, match=said):
        lab.load(tmp_path)


def test_namespaces_have_no_machine() -> None:
    with pytest.raises(CannotHereError):
        open_backend("namespaces", machine=MACHINE)


def test_an_interrupt_that_somebody_moved_is_named() -> None:
    answer = "eth1 46 virtio13-input.0 wanted 1 effective 1 served 0,9,0,0\n"
    chosen = {"eth1": {46: 0}}
    assert list(read_back.interrupt_problems({"eth1": 1}, answer, chosen)) == []
    assert list(read_back.interrupt_problems("chance", answer, chosen)) == [
        "port eth1: interrupt 46 is for CPU 1, not 0"
    ]
    assert (
        read_back.serve_interrupts({"eth1": 1}, chosen)
        == "echo 1 >/proc/irq/46/smp_affinity_list\n"
    )
    assert placement.served_by(f"## interrupts\n{answer}## links\n") == {"eth1": 1}


def test_the_rate_at_the_highest_load_is_paired_with_the_references() -> None:
    record = make_record()
    name, size = record.reference, min(record.frame_sizes)
    assert costs.forwarding_ratio(record, name, size).estimate == 1.0
    assert name in costs.forwarding_table(record).plain()


@pytest.mark.parametrize("key", ["sockets", "machine"])
def test_what_a_machine_said_of_itself_is_found_in_old_and_new_records(key: str) -> None:
    plain = make_record()
    facts = {"machine": "x86_64", key: {"built": {}, "shown": {"eth1 numa_node": "1\n"}}}
    record = plain.model_copy(update={"environment": {**plain.environment, **facts}})
    assert placement.answers(record) == {"eth1 numa_node": "1\n"}
    with pytest.raises(UsageError, match="machine"):
        placement.answers(plain.model_copy(update={"environment": {"machine": "x86_64"}}))
