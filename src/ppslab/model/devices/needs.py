"""Published rates held against a need, and what follows where there is none.

A figure is compared with a need as it was published: no rate is made up for another number of
rules, another frame size or another device.  Devices of the same CPU, cores and clock are named
with their own figures.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ppslab.core.errors import UsageError
from ppslab.model import devices
from ppslab.model.devices import Device, Result

SIZES = (64, 512, 1518)
"""The frame sizes of MikroTik's tables, in bytes."""

ENOUGH = "enough"
TOO_SLOW = "too slow"
UNPUBLISHED = "not in our copies"
ANSWERS = (ENOUGH, TOO_SLOW, UNPUBLISHED)


@dataclass(frozen=True)
class Need:
    """Requirements on a router.

    `mbit` Mbit/s that it forwards, both ways together; None: no question, only figures.  `rules`
    and `queues` as many of each, None where nobody said; `size` frame size in bytes.  `tunnels` of
    `PPPoE`, `WireGuard`, `IPsec`, `EoIP`.
    """

    mbit: float | None = None
    rules: int | None = None
    queues: int | None = None
    size: int = 512
    tunnels: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.size not in SIZES:
            known = ", ".join(map(str, SIZES))
            raise UsageError(f"frame size {self.size}: MikroTik publishes {known} bytes")
        if self.mbit is not None and not 0 < self.mbit < 1e7:
            raise UsageError(f"{self.mbit:g} Mbit/s is out of range: 1 to 9999999")
        for name, number in (("rules", self.rules), ("queues", self.queues)):
            if number is not None and number < 0:
                raise UsageError(f"{number} {name}: a number from 0 on")

    @property
    def configurations(self) -> tuple[str, ...]:
        """The configurations of MikroTik's tables that stand for it; 25 rules where none is said.

        No table has rules and queues at once: then both count, and the router is no faster than
        with the slower of them.
        """
        if self.rules is None and self.queues is None:
            return (devices.RULES,)
        chosen = ((self.rules, devices.RULES), (self.queues, devices.QUEUES))
        return tuple(name for number, name in chosen if number) or (devices.FAST_PATH,)

    @property
    def caveats(self) -> Iterator[str]:
        """Yield a sentence for each part of the need that the tables do not answer."""
        for number, name in ((self.rules, "filter rules"), (self.queues, "simple queues")):
            if number not in (None, 0, 25):
                yield (
                    f"MikroTik publishes figures for 25 {name} and no other number: for {number}, "
                    "the figures for 25 are shown. How the cost grows with the number is not "
                    "published."
                )
        if self.rules and self.queues:
            yield (
                "No table combines rules and queues: with both, the router is no faster than "
                "with whichever of them is slower."
            )
        if "PPPoE" in self.tunnels:
            yield "MikroTik's tables do not cover PPPoE; any figures for it are users' reports."
        if "WireGuard" in self.tunnels:
            yield "MikroTik's tables do not cover WireGuard; any figures for it are users' reports."
        if "EoIP" in self.tunnels:
            yield "MikroTik's tables do not cover EoIP; any figures for it were measured by others."


@dataclass(frozen=True)
class Part:
    """One thing that a need asks of a device: the figure, and whether it is enough.

    `enough` None where nothing is published, or where a figure is only a lower bound.
    """

    name: str
    result: Result | None
    enough: bool | None


@dataclass(frozen=True)
class Judgement:
    """A device's published rate, held against a need."""

    device: Device
    parts: tuple[Part, ...]
    ports: bool | None
    """True if the ports carry it; None where they are not known."""

    @property
    def answer(self) -> str:
        """One of `ANSWERS`: enough only where every part is."""
        verdicts = [self.ports is not False, *(part.enough for part in self.parts)]
        if False in verdicts:
            return TOO_SLOW
        return UNPUBLISHED if None in verdicts else ENOUGH

    @property
    def least(self) -> float:
        """The smallest of its published rates, in Mbit/s; 0 without."""
        rates = [part.result.mbps or 0 for part in self.parts if part.result]
        return min(rates, default=0)

    @property
    def year(self) -> int:
        """The year of the first of its rates; 0 without."""
        return next((part.result.year or 0 for part in self.parts if part.result), 0)


def routing(device: Device, configuration: str, size: int) -> Result | None:
    """The newest published rate of routing with a configuration; None without."""
    rows = device.results("Routing", configuration)
    return next((row for row in rows if row.frame_bytes == size), None)


def fasttrack(device: Device, size: int) -> tuple[Result, Result] | None:
    """The rates with 25 rules and on the fast path of the newest source with both; None without.

    A default firewall with FastTrack is between them, and MikroTik publishes no test of it.
    """
    free = {row.source: row for row in device.results("Routing", devices.FAST_PATH)
            if row.frame_bytes == size}  # fmt: skip
    for row in device.results("Routing", devices.RULES):
        if row.frame_bytes == size and row.source in free:
            return row, free[row.source]
    return None


def tunnel(device: Device, name: str) -> Result | None:
    """The rate of a tunnel: of IPsec with one tunnel and large packets, newest first; else None."""
    if name == "IPsec":
        rows = [row for row in device.ipsec if not row.mode.startswith("256")]
        return max(rows, key=lambda row: (row.year or 0, row.mbps or 0), default=None)
    rows = [row for row in device.measurements if row.mode == name and row.mbps]
    return max(rows, key=lambda row: row.mbps or 0, default=None)


def judge(device: Device, need: Need) -> Judgement:
    """Hold a device's published rate against a need; `need.mbit` must be given."""
    wanted = need.mbit or 0.0
    results = [(name, routing(device, name, need.size)) for name in need.configurations]
    results += [(name, tunnel(device, name)) for name in need.tunnels]
    parts = tuple(Part(name, result, _enough(result, wanted)) for name, result in results)
    return Judgement(device, parts, _carry(device.port_speeds, wanted))


def choose(need: Need) -> dict[str, list[Judgement]]:
    """Every device by its answer.

    The newest year first, since rates of two years are in no ranking.  Of a year, those that are
    enough: the slowest first, as the least that is needed; those that are too slow: the fastest
    first; the others by their class.
    """
    judged = [judge(device, need) for device in devices.load()]
    chosen = {answer: [each for each in judged if each.answer == answer] for answer in ANSWERS}
    chosen[ENOUGH].sort(key=lambda each: (-each.year, each.least))
    chosen[TOO_SLOW].sort(key=lambda each: (-each.year, -each.least))
    return chosen


def of_class(device: Device, need: Need) -> list[tuple[Device, Result]]:
    """The devices with the same CPU, cores and clock that have a figure for the need's first part.

    The figures are theirs, not this device's.
    """
    configuration = need.configurations[0]
    found = [(each, routing(each, configuration, need.size)) for each in device.relatives]
    return [(each, result) for each, result in found if result]


def _enough(result: Result | None, wanted: float) -> bool | None:
    if result is None or result.mbps is None:
        return None
    if result.mbps >= wanted:
        return True
    return None if result.at_least else False


def _carry(speeds: tuple[int, ...], wanted: float) -> bool | None:
    """True if the fastest port carries it, and the others together; None without known ports."""
    if not speeds:
        return None
    return speeds[0] >= wanted and (len(speeds) == 1 or sum(speeds[1:]) >= wanted)
