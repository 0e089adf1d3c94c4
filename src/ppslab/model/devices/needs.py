"""Published rates held against a need, and what follows where there is none.

A figure is compared with a need as it was published: no rate is made up for another number of
rules, another frame size or another device.  Devices of the same CPU, cores and clock are named
with their own figures.
"""

from __future__ import annotations

from collections.abc import Sequence

from ppslab.model import device_choice, devices
from ppslab.model.device_choice import FASTTRACK, Judgement
from ppslab.model.devices import Device, Result

SIZES = (64, 512, 1518)
"""The frame sizes of MikroTik's tables, in bytes."""
SIZE = 512
"""The frame size by which a device is judged."""

TUNNELS = ("PPPoE", "WireGuard", "IPsec", "EoIP")
"""The tunnels that somebody published a rate of."""

NOT_MIKROTIKS = {
    "PPPoE": "are users' reports",
    "WireGuard": "are users' reports",
    "EoIP": "were measured by others",
}
"""Where the figures of a tunnel are from that no table of MikroTik's covers."""


def routing(device: Device, configuration: str, size: int = SIZE) -> Result | None:
    """The newest published rate of routing with a configuration; None without."""
    rows = device.results("Routing", configuration)
    return next((row for row in rows if row.frame_bytes == size), None)


def fasttrack(device: Device) -> tuple[Result, Result] | None:
    """The rates with 25 rules and on the fast path of the newest source with both; None without.

    A default firewall with FastTrack is between them, and MikroTik publishes no test of it.
    """
    free = {row.source: row for row in device.results("Routing", devices.FAST_PATH)
            if row.frame_bytes == SIZE}  # fmt: skip
    for row in device.results("Routing", devices.RULES):
        if row.frame_bytes == SIZE and row.source in free:
            return row, free[row.source]
    return None


def tunnel(device: Device, name: str) -> Result | None:
    """The rate of a tunnel: of IPsec with one tunnel and large packets, newest first; else None."""
    if name == "IPsec":
        rows = [row for row in device.ipsec if not row.mode.startswith("256")]
        return max(rows, key=lambda row: (row.year or 0, row.mbps or 0), default=None)
    rows = [row for row in device.measurements if row.mode == name and row.mbps]
    return max(rows, key=lambda row: row.mbps or 0, default=None)


def figures(device: Device, name: str) -> tuple[Result | None, Result | None]:
    """The figure of a configuration or tunnel, and None; with FastTrack the two it is between."""
    if name == FASTTRACK:
        pair = fasttrack(device)
        return pair or (routing(device, devices.RULES), routing(device, devices.FAST_PATH))
    return tunnel(device, name) if name in TUNNELS else routing(device, name), None


def judge(
    device: Device, names: Sequence[str], mbit: float, one_way: float | None = None
) -> Judgement:
    """Hold the figures of configurations and tunnels against a need, both ways together in Mbit/s.

    `one_way` is the faster direction, which a port carries; None: all of it.
    """
    parts = [device_choice.part(name, mbit, *figures(device, name)) for name in names]
    carried = device_choice.carry(device.port_speeds, one_way or mbit)
    return Judgement(device, tuple(parts), carried)


def of_class(device: Device) -> list[tuple[Device, Result]]:
    """The devices with the same CPU, cores and clock that have a figure with 25 filter rules.

    The figures are theirs, not this device's.
    """
    pairs = [(each, routing(each, devices.RULES)) for each in device.relatives]
    return [(each, result) for each, result in pairs if result]
