"""`ppslab fast`: what is published of a MikroTik's speed."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Any

import typer

from ppslab.cli.printing import console
from ppslab.core.errors import UsageError
from ppslab.model import devices
from ppslab.model.devices import pasted
from ppslab.show import device_tables


class Tunnel(StrEnum):
    """The tunnels that somebody published a rate of."""

    IPsec = "ipsec"
    WireGuard = "wireguard"
    EoIP = "eoip"
    PPPoE = "pppoe"


def fast(
    device: list[str] = typer.Argument(
        None, metavar="DEVICE", help="A name or product code, such as hEX or RB750Gr3."
    ),
    mbit: float | None = typer.Option(None, help="Check whether DEVICE forwards this many Mbit/s."),
    tunnel: list[Tunnel] = typer.Option([], help="Add this tunnel; may be repeated."),
    results: Path | None = typer.Option(
        None, help="Use the Test results in this file, as you copied them from the product page."
    ),
) -> None:
    """Show published rates of a MikroTik router or switch, each with its year and source.

    Without DEVICE: list the devices.
    """
    tunnels = tuple(dict.fromkeys(each.name for each in tunnel))
    name = " ".join(device or ())
    if not name:
        if results or mbit is not None:
            raise UsageError("--results and --mbit need the DEVICE that they are about")
        console.print(device_tables.all_devices())
        return
    if mbit is not None and not 0 < mbit < 1e7:
        raise UsageError(f"{mbit:g} Mbit/s is out of range: 1 to 9999999")
    near = (
        (pasted.with_results(devices.find(name), results),) if results else devices.matching(name)
    )
    notes = device_tables.Notes()
    if len(near) > 1:
        _print_tables([device_tables.variants(name, near, notes)], notes)
        return
    tables = device_tables.of_device(near[0], notes)
    for line in (*device_tables.headline(near[0], mbit, tunnels), *device_tables.limits(near[0])):
        console.print(line, markup=False, highlight=False)
    _print_tables(tables, notes)


def _print_tables(tables: list[Any], notes: device_tables.Notes) -> None:
    for table in tables:
        console.print()
        console.print(table)
    if not notes.sources:
        return
    console.print()
    for line in (*notes.lines, device_tables.COUNTS, device_tables.measured_again()):
        console.print(line, markup=False, highlight=False, soft_wrap=True)
