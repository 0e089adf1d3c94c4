"""Offload table: which routes a switch chip holds, which fall to the CPU, and what that costs."""

from __future__ import annotations

from typing import Any

from ppslab.models.drawing import figure, fixed, short, table
from ppslab.models.offload_figure import by_length, filling
from ppslab.models.route_runs import apart, sized
from ppslab.planning.route_lines import BITS, Run, prefix, run_of
from ppslab.planning.route_table import fill, share_of_cpu

TITLE = "Offload table"

STEPS = 20
"""In so many parts the routes come, one after the other as they are written."""

MOST = 1_000_000

CONTROLS: list[dict[str, Any]] = [
    {
        "kind": "preset",
        "name": "example",
        "label": "Begin with",
        "choices_from": "examples",
    },
    {
        "kind": "choice",
        "name": "chip",
        "label": "Switch chip",
        "value": "98DX3236 family",
        "choices_from": "chips",
    },
    {
        "kind": "text",
        "name": "routes",
        "label": "Routes, one a line",
        "rows": 6,
        "value": (
            "0.0.0.0/0 via 198.18.1.2\n"
            "198.18.0.0/16 via 198.18.1.2\n"
            "198.19.0.0/30 x12288 via 198.18.2.2\n"
            "198.19.192.0/29 x2048 via 198.18.2.2"
        ),
        "help": "As ip route or RouterOS writes them; x12288 stands for so many in a row.",
    },
    {
        "kind": "step",
        "name": "filled",
        "label": "How much of the table is configured",
        "value": STEPS,
    },
    {
        "kind": "number",
        "name": "hosts",
        "label": "Neighbours beside them",
        "value": 9,
        "low": 0,
        "high": 16000,
        "step": 1,
        "unit": "hosts",
        "help": "On small chips they stand among the routes.",
    },
    {
        "kind": "switch",
        "name": "ipv6",
        "label": "IPv6 in hardware too (ipv6-hw=yes)",
        "value": False,
    },
    {
        "kind": "text",
        "name": "towards",
        "label": "Packets go to",
        "rows": 1,
        "value": "198.19.0.0/16",
        "help": "A prefix, all of whose addresses get as many packets.",
    },
]


class Chip:
    """What a chip takes, of a row of the facts."""

    def __init__(self, row: list[Any]) -> None:
        self.name, self.models, self.room, self.takes6, self.hosts, self.ways = row[2:]

    def follows(self, run: Run) -> bool:
        """Whether it forwards or drops the packets of such routes by itself."""
        if run.kind == "cpu":
            return False
        return self.ways is None or len(run.hops) <= self.ways


def answer(inputs: dict[str, Any], facts: dict[str, Any]) -> dict[str, Any]:
    """What is where, by prefix length; the CPU's share of a network; how the table fills.

    facts: `chips` ([name, label, name, models, room in IPv4 prefixes, the room that one of IPv6
    takes, size of its table of hosts, most next hops or None]), `examples` (presets), `source`.
    """
    chip = Chip([row for row in facts["chips"] if row[0] == inputs["chip"]][0])  # noqa: RUF015
    try:
        within = prefix(inputs["towards"].strip())
    except ValueError as error:
        return _problem("towards", f"{error}; write one as 198.19.0.0/16.")
    written: list[Run] = []
    for number, line in enumerate(inputs["routes"].split("\n")):
        try:
            run = run_of(line, MOST - sum([one.count for one in written]))
        except ValueError as error:
            return _problem("routes", f"Line {number + 1}: {error}.")
        if run:
            written.append(run)
    if not written:
        return _problem("routes", "No route in it: write one a line, as ip route prints them.")
    step = min(max(int(inputs["filled"]), 0), STEPS)
    taken = 0 if chip.hosts else min(int(inputs["hosts"]), chip.room)
    ipv6 = bool(inputs["ipv6"])
    course = [_placed(sized(written, n, STEPS), chip, taken, ipv6) for n in range(STEPS + 1)]
    now = course[step]
    share = _share(now, chip, within)
    lengths = _lengths(now)
    says = _says(now, chip, taken, share, inputs["towards"].strip())
    alt = "; ".join(
        [f"{name}: {there} in hardware, {left} by the CPU" for name, there, left in lengths]
    )
    curve = [[n["hardware"] + n["cpu"], n["hardware"], n["cpu"]] for n in course]
    return {
        "says": says,
        "warns": _warns(now, chip, ipv6),
        "figures": [
            figure("Where the routes are, the longest prefixes first",
                   by_length(lengths, now["used"], taken, chip.room), alt or "no route yet"),
            figure("What happens as routes are added", filling(curve, step), says[0]),
        ],
        "tables": [_monitor(now), _lines(now)],
        "values": {
            "hardware": now["hardware"],
            "cpu": now["cpu"],
            "used": now["used"],
            "room": chip.room,
            "share": share,
            "lengths": lengths,
            "curve": curve,
        },
        "steps": STEPS,
    }  # fmt: skip


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
    family, start, length = within
    intervals = [
        (run.address, run.address + held * run.step, run.length, chip.follows(run))
        for run, held in zip(now["runs"], now["held"])  # noqa: B905 (MicroPython)
        if run.family == family and held
    ]
    return share_of_cpu(intervals, start, start + (1 << (BITS[family] - length)))


def _lengths(now: dict[str, Any]) -> list[tuple[str, int, int]]:
    """`IPv4 /30`, how many in hardware, how many by the CPU; the longest that are left first."""
    made: list[tuple[str, int, int]] = []
    for run, held in zip(now["runs"], now["held"]):  # noqa: B905 (MicroPython)
        name = f"IPv{run.family} /{run.length}"
        there, left = held, run.count - held
        if made and made[-1][0] == name:
            there, left = there + made[-1][1], left + made[-1][2]
            made.pop()
        made.append((name, there, left))
    return made


def _says(now: dict[str, Any], chip: Chip, taken: int, share: float, towards: str) -> list[str]:
    total = now["hardware"] + now["cpu"]
    says = [
        f"{short(total)} prefixes configured: {short(now['hardware'])} in the chip's table, "
        f"{short(now['cpu'])} left to the CPU; {short(now['used'])} of the room for "
        f"{short(chip.room)} IPv4 prefixes is used."
    ]
    says.append(f"The chip {chip.name} is that of {', '.join(chip.models)}.")
    if taken:
        says.append(
            f"{short(taken)} of it by neighbours: this chip has no table of its own for them."
        )
    says.append(f"Of the packets to {towards} the CPU routes {fixed(100 * share, 1)} %.")
    return says


def _warns(now: dict[str, Any], chip: Chip, ipv6: bool) -> list[str]:
    warns: list[str] = []
    left = [
        run for run, held in zip(now["runs"], now["held"])  # noqa: B905 (MicroPython)
        if held < run.count and (ipv6 or run.family == 4)
    ]  # fmt: skip
    if left:
        warns.append(
            "The table is full: shorter prefixes are left to the CPU, since one of them in the "
            "chip would answer for the longer ones that are not there."
        )
    if any(run.length == 0 for run in left):
        warns.append("The default route is the shortest prefix of all, so it is the first to go.")
    if not ipv6 and any(run.family == 6 for run in now["runs"]):
        warns.append("IPv6 is routed by the CPU: RouterOS's default is ipv6-hw=no.")
    many = [run for run in now["runs"] if not chip.follows(run)]
    if many:
        count = sum([run.count for run in many])
        warns.append(
            f"{short(count)} of the prefixes lead to the CPU from wherever they are: they are kept "
            "out of hardware, unreachable, or have more next hops than the chip has ways."
        )
    if any(run.family == 6 for run in left) or (
        ipv6 and left and any(run.family == 6 for run in now["runs"])
    ):
        warns.append(
            "Which family leaves first MikroTik does not say; here the shorter prefix does, "
            "whatever its family."
        )
    return warns


def _monitor(now: dict[str, Any]) -> dict[str, object]:
    """The words of /interface/ethernet/switch/l3hw-settings/monitor."""
    rows: list[list[str]] = []
    for family in (4, 6):
        own = [
            (run, held) for run, held in zip(now["runs"], now["held"])  # noqa: B905 (MicroPython)
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
    title = "What l3hw-settings/monitor would say of it; no switch has confirmed this yet"
    return table(title, ["property", "value"], rows)


def _lines(now: dict[str, Any]) -> dict[str, object]:
    rows = [
        [run.text(), run.kind + (f", {len(run.hops)} next hops" if len(run.hops) > 1 else ""),
         str(held), str(run.count - held)]
        for run, held in zip(now["runs"], now["held"])  # noqa: B905 (MicroPython)
    ]  # fmt: skip
    shown = rows[:40]
    title = "The prefixes in the order in which they stay"
    if len(rows) > len(shown):
        title += f", the first {len(shown)} of {len(rows)} rows"
    return table(title, ["prefixes", "kind", "in hardware", "by the CPU"], shown)


def _problem(name: str, says: str) -> dict[str, Any]:
    return {"problem": {"input": name, "says": says}}
