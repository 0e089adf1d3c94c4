"""Published rates held against a need, and what follows where there is none.

A figure is compared with a need as it was published: no rate is made up for another number of
rules, another frame size or another device.  Devices of the same CPU, cores and clock are named
with their own figures.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ppslab.core.errors import UsageError
from ppslab.model import device_choice, devices
from ppslab.model.device_choice import Judgement
from ppslab.model.devices import Device, Result

SIZES = (64, 512, 1518)
"""The frame sizes of MikroTik's tables, in bytes."""

TUNNELS = ("PPPoE", "WireGuard", "IPsec", "EoIP")
"""The tunnels that somebody published a rate of."""

NAMES = device_choice.Names(devices.RULES, devices.QUEUES, devices.FAST_PATH)


@dataclass(frozen=True)
class Need:
    """Requirements on a router.

    `mbit` Mbit/s that it forwards, both ways together; None: no question, only figures.  `rules`
    and `queues` as many of each, None where nobody said; `size` frame size in bytes.  `tunnels` of
    `PPPoE`, `WireGuard`, `IPsec`, `EoIP`.  `fasttrack`: the default firewall with FastTrack.
    `one_way` Mbit/s of its faster direction, which a port carries; None: as many as `mbit`.
    """

    mbit: float | None = None
    rules: int | None = None
    queues: int | None = None
    size: int = 512
    tunnels: tuple[str, ...] = ()
    fasttrack: bool = False
    one_way: float | None = None

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
        return tuple(NAMES.asked(self._has_rules, bool(self.queues), fasttrack=False))

    @property
    def asked(self) -> tuple[str, ...]:
        """The figures that a device is judged by: with FastTrack's, and the tunnels."""
        names = NAMES.asked(self._has_rules, bool(self.queues), self.fasttrack)
        return (*names, *self.tunnels)

    @property
    def _has_rules(self) -> bool:
        return bool(self.rules) or (self.rules is None and self.queues is None)

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


def bounds(device: Device, size: int) -> tuple[Result | None, Result | None]:
    """The rates that the default firewall with FastTrack is between, as far as they are known."""
    if pair := fasttrack(device, size):
        return pair
    return routing(device, devices.RULES, size), routing(device, devices.FAST_PATH, size)


def judge(device: Device, need: Need) -> Judgement:
    """Hold a device's published rate against a need; `need.mbit` must be given."""
    wanted = need.mbit or 0.0
    parts = []
    for name in need.asked:
        if name == NAMES.fasttrack:
            rules, free = bounds(device, need.size)
            parts.append(device_choice.between(name, rules, free, wanted))
        elif name in need.tunnels:
            parts.append(device_choice.part(name, tunnel(device, name), wanted))
        else:
            parts.append(device_choice.part(name, routing(device, name, need.size), wanted))
    carried = device_choice.carry(device.port_speeds, need.one_way or wanted)
    return Judgement(device, tuple(parts), carried)


def of_class(device: Device, need: Need) -> list[tuple[Device, Result]]:
    """The devices with the same CPU, cores and clock that have a figure for the need's first part.

    The figures are theirs, not this device's.
    """
    configuration = need.configurations[0]
    found = [(each, routing(each, configuration, need.size)) for each in device.relatives]
    return [(each, result) for each, result in found if result]
