"""`ppslab fast`: what is published of a MikroTik's speed."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import Any

import typer

from ppslab.cli.printing import console
from ppslab.core.errors import UsageError
from ppslab.core.text.terminal import echo
from ppslab.model import devices
from ppslab.model.devices import Device, product_page
from ppslab.model.devices.needs import Need
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
    rules: int | None = typer.Option(None, help="The number of filter rules; default: 25."),
    queues: int | None = typer.Option(None, help="The number of simple queues."),
    mbit: float | None = typer.Option(None, help="Check whether DEVICE forwards this many Mbit/s."),
    size: int = typer.Option(512, help="Frame size in bytes: 64, 512 or 1518."),
    tunnel: list[Tunnel] = typer.Option([], help="Add this tunnel; may be repeated."),
    results: Path | None = typer.Option(
        None, help="Use the Test results in this file: a saved product page, or a pasted table."
    ),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
) -> None:
    """Show published rates of a MikroTik router or switch, each with its year and source.

    Without DEVICE: list the devices.
    """
    tunnels = tuple(dict.fromkeys(each.name for each in tunnel))
    name = " ".join(device or ())
    if results and not name:
        raise UsageError("--results needs the DEVICE that the file is about")
    if not name and mbit is not None:
        raise UsageError("--mbit needs a DEVICE")
    need = Need(mbit, rules, queues, size, tunnels)
    near = devices.matching(name) if name else devices.load()
    if results:
        near = (product_page.with_results(devices.find(name), results),)
    if as_json:
        found = [device_tables.plain(device, need) for device in near]
        echo(json.dumps(found[0] if len(found) == 1 else {"devices": found}, indent=1))
    elif not name:
        console.print(device_tables.all_devices())
    elif len(near) > 1:
        notes = device_tables.Notes()
        _print_tables([device_tables.variants(name, near, need, notes)], notes)
    else:
        _device(near[0], need)


def _device(device: Device, need: Need) -> None:
    notes = device_tables.Notes()
    tables = device_tables.of_device(device, need, notes)
    for line in (*device_tables.headline(device, need), *device_tables.limits(device, need.size)):
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
