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
from ppslab.model.device_choice import FASTTRACK, Judgement
from ppslab.model.devices import Device, Result

SIZES = (64, 512, 1518)
"""The frame sizes of MikroTik's tables, in bytes."""

TUNNELS = ("PPPoE", "WireGuard", "IPsec", "EoIP")
"""The tunnels that somebody published a rate of."""

_NOT_MIKROTIKS = {
    "PPPoE": "are users' reports",
    "WireGuard": "are users' reports",
    "EoIP": "were measured by others",
}


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
    def configurations(self) -> list[str]:
        """The configurations of MikroTik's tables that stand for it; 25 rules where none is given.

        No table has rules and queues at once: then both count, and the router is no faster than
        with the slower of them.
        """
        return self._figures(fasttrack=False)

    @property
    def asked(self) -> list[str]:
        """The figures that a device is judged by: with FastTrack's, and the tunnels."""
        return [*self._figures(self.fasttrack), *self.tunnels]

    def _figures(self, fasttrack: bool) -> list[str]:
        rules = bool(self.rules) or (self.rules is None and self.queues is None)
        return device_choice.asked(rules, bool(self.queues), fasttrack)

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
        for tunnel, origin in _NOT_MIKROTIKS.items():
            if tunnel in self.tunnels:
                yield f"MikroTik's tables do not cover {tunnel}; any figures for it {origin}."


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


def figures(device: Device, name: str, size: int) -> tuple[Result | None, Result | None]:
    """The figure of a configuration or tunnel, and None; with FastTrack the two it is between."""
    if name == FASTTRACK:
        pair = fasttrack(device, size)
        return pair or (
            routing(device, devices.RULES, size),
            routing(device, devices.FAST_PATH, size),
        )
    return tunnel(device, name) if name in TUNNELS else routing(device, name, size), None


def judge(device: Device, need: Need) -> Judgement:
    """Hold a device's published rate against a need; `need.mbit` must be given."""
    wanted = need.mbit or 0.0
    parts = [
        device_choice.part(name, wanted, *figures(device, name, need.size)) for name in need.asked
    ]
    return Judgement(
        device, tuple(parts), device_choice.carry(device.port_speeds, need.one_way or wanted)
    )


def of_class(device: Device, need: Need) -> list[tuple[Device, Result]]:
    """The devices with the same CPU, cores and clock that have a figure for the need's first part.

    The figures are theirs, not this device's.
    """
    configuration = need.configurations[0]
    found = [(each, routing(each, configuration, need.size)) for each in device.relatives]
    return [(each, result) for each, result in found if result]
