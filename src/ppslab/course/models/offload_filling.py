"""Which routes a switch chip holds, and what share of the packets is left to the CPU."""

from __future__ import annotations

from typing import Any

from ppslab.core.text.language import gettext
from ppslab.model.switch_chip.route_table import (
    BITS,
    Run,
    apart,
    decides,
    fill,
    share_of_cpu,
    sized,
)

STEPS = 20
"""The routes are added in this many steps, in the order in which they are written."""


class Chip:
    """What a chip can hold, from a row of the facts."""

    def __init__(self, row: list[Any]) -> None:
        self.name, self.models, self.room, self.takes6, self.hosts, self.ways = row[2:8]
        self.indexes: bool = len(row) > 8 and row[8]
        self.worst: int | None = row[9] if len(row) > 9 else None

    def follows(self, run: Run) -> bool:
        """Whether it forwards or drops the packets of such routes by itself."""
        return run.kind != "cpu"

    def leaves_out(self, run: Run) -> bool:
        """Whether it spreads over the first next hops only (l3hw-ecmp-first)."""
        return self.ways is not None and len(run.hops) > self.ways


def placed(runs: list[Run], chip: Chip, taken: int, ipv6: bool) -> dict[str, Any]:
    """The prefixes in the order in which they stay, with how many of each run are in hardware."""
    ordered = apart(runs)
    held, used = fill(
        [(run.family, run.count) for run in ordered], (1, chip.takes6), chip.room, taken, ipv6
    )
    total = sum([run.count for run in ordered])
    return {"runs": ordered, "held": held, "used": used, "hardware": sum(held),
            "cpu": total - sum(held)}  # fmt: skip


def share(now: dict[str, Any], chip: Chip, within: tuple[int, int, int]) -> float:
    """The CPU's share of packets that go equally to all addresses of a prefix."""
    family, start, length = within
    intervals = [
        (run.address, run.address + held * run.step, run.length, chip.follows(run))
        for run, held in zip(now["runs"], now["held"])  # noqa: B905 (MicroPython)
        if run.family == family and held
    ]
    return share_of_cpu(intervals, start, start + (1 << (BITS[family] - length)))


def lengths(now: dict[str, Any]) -> list[tuple[str, int, int]]:
    """`IPv4 /30`, how many in hardware, how many by the CPU; the longest that are left first."""
    rows: list[tuple[str, int, int]] = []
    for run, held in zip(now["runs"], now["held"]):  # noqa: B905 (MicroPython)
        name = gettext("IPv{family} /{length}").format(family=run.family, length=run.length)
        there, left = held, run.count - held
        if rows and rows[-1][0] == name:
            there, left = there + rows[-1][1], left + rows[-1][2]
            rows.pop()
        rows.append((name, there, left))
    return rows


def case(runs: list[Run], chip: Chip) -> tuple[str, int]:
    """What decides on a chip that holds indexes, and how many routes go another way; else empty."""
    if not chip.indexes:
        return "", 0
    family = 4 if any(run.family == 4 for run in runs) else 6
    return decides([(run.length, run.hops, run.count) for run in runs if run.family == family])


def at_worst(
    runs: list[Run], step: int, chip: Chip, ipv6: bool, within: tuple[int, int, int]
) -> float | None:
    """The CPU's share in the worst case that the manual shows; None where it shows none."""
    if chip.worst is None:
        return None
    room, chip.room = chip.room, chip.worst
    of_cpu = share(placed(sized(runs, step, STEPS), chip, 0, ipv6), chip, within)
    chip.room = room
    return of_cpu
