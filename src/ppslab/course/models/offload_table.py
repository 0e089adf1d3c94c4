"""Offload table: which routes a switch chip holds, which fall to the CPU, and what that costs."""

from __future__ import annotations

from typing import Any

from ppslab.core.text.language import N_, gettext
from ppslab.course.models.drawing import (
    WIDTH,
    Drawing,
    figure,
    fixed,
    problem,
    sentences,
    short,
    table,
    ticks,
)
from ppslab.model.switch_chip.route_table import (
    BITS,
    JOINED,
    NO_DEFAULT,
    Run,
    apart,
    decides,
    fill,
    prefix,
    run_of,
    share_of_cpu,
    sized,
)

MOST = 1_000_000
STEPS = 20
"""The routes are added in this many steps, in the order in which they are written."""


class Chip:
    """A chip's capacity, from a row of the facts."""

    def __init__(self, row: list[Any]) -> None:
        self.name, self.models, self.room, self.takes6, self.hosts, self.ways = row[2:8]
        self.indexes: bool = len(row) > 8 and row[8]
        self.worst: int | None = row[9] if len(row) > 9 else None

    def follows(self, run: Run) -> bool:
        """Return True if it forwards or drops the packets of such routes by itself."""
        return run.kind != "cpu"

    def leaves_out(self, run: Run) -> bool:
        """Return True if it spreads over the first next hops only (l3hw-ecmp-first)."""
        return self.ways is not None and len(run.hops) > self.ways


def _placed(runs: list[Run], chip: Chip, taken: int, ipv6: bool) -> dict[str, Any]:
    """The prefixes in the order in which they stay, with how many of each run are in hardware."""
    ordered = apart(runs)
    held, used = fill(
        [(run.family, run.count) for run in ordered], (1, chip.takes6), chip.room, taken, ipv6
    )
    total = sum([run.count for run in ordered])
    return {"runs": ordered, "held": held, "used": used, "hardware": sum(held),
            "cpu": total - sum(held)}  # fmt: skip


def _share(now: dict[str, Any], chip: Chip, within: tuple[int, int, int]) -> float:
    """The CPU's share of packets that go equally to all addresses of a prefix."""
    family, start, length = within
    intervals = [
        (run.address, run.address + held * run.step, run.length, chip.follows(run))
        for run, held in zip(now["runs"], now["held"], strict=True)
        if run.family == family and held
    ]
    return share_of_cpu(intervals, start, start + (1 << (BITS[family] - length)))


def _lengths(now: dict[str, Any]) -> list[tuple[str, int, int]]:
    """`IPv4 /30`, how many in hardware, how many by the CPU; the longest that are left first."""
    rows: list[tuple[str, int, int]] = []
    for run, held in zip(now["runs"], now["held"], strict=True):
        name = gettext("IPv{family} /{length}").format(family=run.family, length=run.length)
        there, left = held, run.count - held
        if rows and rows[-1][0] == name:
            there, left = there + rows[-1][1], left + rows[-1][2]
            rows.pop()
        rows.append((name, there, left))
    return rows


def _case(runs: list[Run], chip: Chip) -> tuple[str, int]:
    """Return the deciding case of a chip with indexes, and the routes of another next hop."""
    if not chip.indexes:
        return "", 0
    family = 4 if any(run.family == 4 for run in runs) else 6
    return decides([(run.length, run.hops, run.count) for run in runs if run.family == family])


def _at_worst(
    runs: list[Run], step: int, chip: Chip, ipv6: bool, within: tuple[int, int, int]
) -> float | None:
    """The CPU's share in the worst case that the manual shows; None where it shows none."""
    if chip.worst is None:
        return None
    room, chip.room = chip.room, chip.worst
    of_cpu = _share(_placed(sized(runs, step, STEPS), chip, 0, ipv6), chip, within)
    chip.room = room
    return of_cpu


def answer(inputs: dict[str, Any], facts: dict[str, Any]) -> dict[str, Any]:
    """Return the table's contents by prefix length, and the CPU's share.

    facts: `chips` ([name, label, name, models, room in IPv4 prefixes, the room that one of IPv6
    takes, size of its table of hosts, most next hops or None, whether it holds indexes, the fewest
    routes that the manual shows in one such chip or None]), `examples` (presets), `source`.
    """
    chip = Chip([row for row in facts["chips"] if row[0] == inputs["chip"]][0])  # noqa: RUF015
    try:
        within = prefix(inputs["towards"].strip())
    except ValueError as error:
        return problem("towards", N_("{error}; write one as 198.19.0.0/16."), error=error)
    written: list[Run] = []
    for number, line in enumerate(inputs["routes"].split("\n")):
        try:
            run = run_of(line, MOST - sum([one.count for one in written]))
        except ValueError as error:
            return problem("routes", N_("Line {number}: {error}."), number=number + 1, error=error)
        if run:
            written.append(run)
    if not written:
        text = N_("There is no route here: write one route per line, as ip route prints them.")
        return problem("routes", text)
    case, other = _case(written, chip)
    if case == JOINED:
        chip.room = chip.room + MOST * chip.takes6
    step = min(max(int(inputs["filled"]), 0), STEPS)
    taken = 0 if chip.hosts else min(int(inputs["hosts"]), chip.room)
    ipv6 = bool(inputs["ipv6"])
    now = _placed(sized(written, step, STEPS), chip, taken, ipv6)
    share = _share(now, chip, within)
    lengths = _lengths(now)
    says = _says(now, chip, taken, share, inputs["towards"].strip(), case == JOINED)
    if case and case != JOINED:
        at_worst = _at_worst(written, step, chip, ipv6, within)
        says += _two_figures(chip, case, other, at_worst, inputs["towards"].strip())
    alt = "; ".join(
        [
            gettext("{name}: {there} prefixes routed in hardware, {left} by the CPU").format(
                name=name, there=there, left=left
            )
            for name, there, left in lengths
        ]
    )
    return {
        "says": says,
        "warns": _warns(now, chip, ipv6),
        "figures": [
            figure(gettext("Routes in hardware and on the CPU, the longest prefixes first"),
                   by_length(lengths, now["used"], taken, chip.room),
                   alt or gettext("no routes yet")),
        ],
        "tables": [_monitor(now)],
        "values": {
            "hardware": now["hardware"],
            "cpu": now["cpu"],
            "used": now["used"],
            "room": chip.room,
            "share": share,
            "lengths": lengths,
        },
        "steps": STEPS,
    }  # fmt: skip


def _two_figures(
    chip: Chip, case: str, other: int, at_worst: float | None, towards: str
) -> list[str]:
    why = (
        gettext("there is no default route via the same next hop")
        if case == NO_DEFAULT
        else gettext(
            "the next hop of {other} prefixes differs from that of the default route"
        ).format(other=short(other))
    )
    known = at_worst is not None and chip.worst is not None
    return sentences([
        (True, N_("This is the chip's best case: the chip stores indexes of the address range, "
                  "not prefixes, and {why}."), {"why": why}),
        (not known, N_("MikroTik gives no worst case for this chip; for a CCR2216, it was 37,729 "
                       "routes."), {}),
        (known, N_("In the worst case, the chip held {worst} routes; the CPU would then route "
                   "{at_worst} % of the packets to {towards}."),
         {"worst": short(chip.worst or 0), "at_worst": fixed(100 * (at_worst or 0.0), 1),
          "towards": towards}),
    ])  # fmt: skip


def _says(
    now: dict[str, Any], chip: Chip, taken: int, share: float, towards: str, joined: bool
) -> list[str]:
    total = now["hardware"] + now["cpu"]
    room = (
        gettext(
            "all routes have the next hop of the default route, and a chip that stores indexes "
            "holds any number of such routes."
        )
        if joined
        else gettext("{used} of its {room} IPv4 entries are used.").format(
            room=short(chip.room), used=short(now["used"])
        )
    )
    return sentences([
        (True, N_("{total} prefixes configured: {hardware} in the chip's table, {cpu} left to "
                  "the CPU; {room}"),
         {"total": short(total), "hardware": short(now["hardware"]), "cpu": short(now["cpu"]),
          "room": room}),
        (True, N_("Devices with the chip {name}: {models}."),
         {"name": chip.name, "models": ", ".join(chip.models)}),
        (taken, N_("Neighbours take {taken} of these entries, because this chip has no separate "
                   "table for neighbours."), {"taken": short(taken)}),
        (True, N_("The CPU routes {share} % of the packets to {towards}."),
         {"share": fixed(100 * share, 1), "towards": towards}),
    ])  # fmt: skip


def _warns(now: dict[str, Any], chip: Chip, ipv6: bool) -> list[str]:
    left = [
        run for run, held in zip(now["runs"], now["held"], strict=True)
        if held < run.count and (ipv6 or run.family == 4)
    ]  # fmt: skip
    many = [run.count for run in now["runs"] if not chip.follows(run)]
    spread = [run.count for run in now["runs"] if chip.leaves_out(run)]
    with6 = any(run.family == 6 for run in now["runs"])
    return sentences([
        (left, N_("The table is full, so the CPU routes the shorter prefixes. In the chip, a "
                  "shorter prefix would also match packets for longer prefixes that are missing "
                  "there."), {}),
        (any(run.length == 0 for run in left),
         N_("The default route is the shortest prefix, so it is the first to leave the chip."), {}),
        (with6 and not ipv6,
         N_("The CPU routes IPv6, because the default of RouterOS is ipv6-hw=no."), {}),
        (many, N_("Packets for {count} of the prefixes go to the CPU in any case, because these "
                  "prefixes are kept out of hardware or are unreachable."),
         {"count": short(sum(many))}),
        (spread, N_("{count} of the prefixes have more than {ways} next hops: the chip spreads "
                    "packets over the first {ways} and ignores the others."),
         {"count": short(sum(spread)), "ways": chip.ways}),
        (any(run.family == 6 for run in left) or (ipv6 and left and with6),
         N_("MikroTik does not say whether IPv4 or IPv6 prefixes leave the chip first; in this "
            "model, the shorter prefix leaves first."), {}),
    ])  # fmt: skip


def _monitor(now: dict[str, Any]) -> dict[str, object]:
    """The properties of /interface/ethernet/switch/l3hw-settings/monitor."""
    rows: list[list[str]] = []
    for family in (4, 6):
        own = [
            (run, held) for run, held in zip(now["runs"], now["held"], strict=True)
            if run.family == family
        ]  # fmt: skip
        if not own and family == 6:
            continue
        total = sum([run.count for run, _ in own])
        there = sum([held for _, held in own])
        lengths = [run.length for run, held in own if held]
        rows += [
            [f"ipv{family}-routes-total", str(total)],
            [f"ipv{family}-routes-hw", str(there)],
            [f"ipv{family}-routes-cpu", str(total - there)],
            [f"ipv{family}-shortest-hw-prefix", str(min(lengths)) if lengths else "-"],
        ]
    title = gettext("Output expected from l3hw-settings/monitor; no switch has confirmed it yet")
    return table(title, [gettext("property"), gettext("value")], rows)


def by_length(lengths: list[tuple[str, int, int]], used: int, hosts: int, room: int) -> Drawing:
    """The room as a bar, and below it a bar a prefix length: in hardware, then by the CPU."""
    left, each, top = 92, 30, 88
    drawing = Drawing(top + each * len(lengths) + 62)
    # The counts stand behind the bars: one route beside thousands has no width.
    wide = WIDTH - left - 8 - 150
    drawing.text(
        left,
        18,
        gettext("{used} of {room} IPv4 prefixes used").format(room=short(room), used=short(used)),
    )
    drawing.rect(left, 26, wide, 18, "w-track")
    drawing.rect(left, 26, wide * used / room, 18, "w-1", f"{used} used")
    if hosts:
        drawing.rect(left, 26, wide * hosts / room, 18, "w-6", f"{hosts} neighbours")
    drawing.text(left - 8, 41, "table", "end", "w-strong")
    high = max([there + out for _, there, out in lengths] + [1])
    for index, (name, there, out) in enumerate(lengths):
        y = top + each * index
        drawing.text(left - 8, y + 16, name, "end")
        drawing.rect(left, y, wide * there / high, 20, "w-1", f"{name}: {there} in hardware")
        drawing.rect(
            left + wide * there / high, y, wide * out / high, 20, "w-2", f"{name}: {out} by the CPU"
        )
        drawing.text(WIDTH - 8, y + 16, f"{short(there)} + {short(out)}", "end")
    drawing.text(
        left,
        top - 12,
        gettext("prefixes by length: routed in hardware, and routed by the CPU"),
        "start",
    )
    bottom = top + each * len(lengths) + 2
    drawing.line(left, bottom, left + wide, bottom)
    for tick in ticks(high):
        x = left + wide * tick / high
        drawing.line(x, bottom, x, bottom + 6)
        drawing.text(x, bottom + 22, short(tick), "start" if tick == 0 else "middle", "w-small")
    drawing.rect(left, bottom + 34, 14, 14, "w-1")
    drawing.text(left + 20, bottom + 46, gettext("in hardware"), "start", "w-small")
    drawing.rect(left + 130, bottom + 34, 14, 14, "w-2")
    drawing.text(left + 150, bottom + 46, gettext("by the CPU"), "start", "w-small")
    return drawing
