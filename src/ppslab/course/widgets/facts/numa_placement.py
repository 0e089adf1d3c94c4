"""Facts of the placement: the R730's slots, cards and processors, from the planner's files."""

from __future__ import annotations

from typing import Any

from ppslab.course.models.numa_placement import CARDS, OUT
from ppslab.model.planning.nics import cards, servers

CHASSIS = "r730"
IDS = {"x520": "8086:10fb", "x710": "8086:1572", "xl710": "8086:1583", "e810": "8086:1592"}
"""The PCI id of each kind of card."""


def facts() -> dict[str, Any]:
    """The facts of ppslab.course.models.numa_placement."""
    slots = servers.chassis(CHASSIS)
    kinds = [_kind(name) for name in CARDS]
    places = [
        [str(slot.slot), f"slot {slot.slot}, x{slot.lanes}, {slot.height} height", f"CPU{slot.cpu}"]
        for slot in slots
    ]
    places.append([OUT, "outside the server", "not plugged in"])
    return {
        "chassis": slots[0].chassis,
        "note": f"{slots[0].note[0].upper()}{slots[0].note[1:]}.",
        "kinds": kinds,
        "items": [[kind[0], _label(kind)] for kind in kinds],
        "places": places,
        "slots": [[str(slot.slot), slot.cpu, slot.lanes] for slot in slots],
        "cpus": [
            [
                cpu.cpu,
                f"2 x {cpu.cpu}, {cpu.cores} cores of {cpu.base_ghz:g} GHz",
                cpu.pcie,
                cpu.lanes,
                cpu.socket_link,
                cpu.link_gigabits,
                cpu.socket_links,
            ]
            for cpu in servers.load_cpus().values()
        ],
    }


def _kind(name: str) -> list[Any]:
    card = cards.load()[IDS[name.partition("-")[0]]]
    assert card.link is not None
    short = card.card.partition("(")[2].rstrip(")") or card.card.removeprefix("Intel ")
    number = name.partition("-")[2]
    label = f"{short} no. {number}" if number else short
    return [name, label, card.ports, card.gbits, card.link.generation, card.link.width]


def _label(kind: list[Any]) -> str:
    _, card, ports, gbits, *_ = kind
    return f"{card}: {ports} x {gbits:g}G"
