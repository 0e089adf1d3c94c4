"""`ppslab overhead` and `ppslab dissect`: what a tunnel costs, and what a capture shows of it."""

from __future__ import annotations

import json
from pathlib import Path

import typer
from rich.console import Console
from rich.table import Table as Shown

from ppslab.errors import PpslabError
from ppslab.tables import Table
from ppslab.tunnels import views
from ppslab.tunnels.layers import IPV4_HEADER, IPV6_HEADER
from ppslab.tunnels.overhead import Stack, parse

console = Console(highlight=False)


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.command("overhead")(overhead)
    app.command("dissect")(dissect)


def overhead(
    layers: list[str] = typer.Argument(
        None, metavar="[LAYER]...", help="Innermost first: eoip ipsec vlan. Without: all words."
    ),
    mtu: int = typer.Option(1500, help="What the link carries, in bytes."),
    packet: int = typer.Option(1500, help="An IP packet to send, in bytes."),
    interface_mtu: int | None = typer.Option(
        None, help="The MTU that the tunnel's interface is set to; the one that fits without it."
    ),
    ipv6: bool = typer.Option(False, "--ipv6", help="The packet inside is IPv6."),
    as_json: bool = typer.Option(False, "--json", help="One object."),
) -> None:
    """Say what a tunnel adds, which MTU and MSS fit, and what becomes of a packet."""
    if not layers:
        show(views.words_table())
        return
    stack = Stack(parse(tuple(layers)), mtu, IPV6_HEADER if ipv6 else IPV4_HEADER)
    if as_json:
        typer.echo(json.dumps(views.plain(stack, packet, interface_mtu), indent=1))
        return
    show(views.parts_table(stack))
    show(views.limits_table(stack))
    show(views.ways_table(stack, packet, interface_mtu))


def dissect(
    capture: Path = typer.Argument(metavar="CAPTURE", help="A pcap or pcapng file."),
) -> None:
    """Open a capture and say what its EoIP tunnels carry: frames, keepalives, fragments.

    Exits with 1 where it has none.
    """
    # Here, since every other command would wait for scapy too.
    from ppslab.tunnels.capture import read  # noqa: PLC0415

    seen = read(capture)
    if not seen.ways:
        said = f"{capture}: no EoIP among its {seen.packets} packets"
        raise PpslabError(f"{said}, {seen.gretap} of gretap" if seen.gretap else said)
    show(views.capture_table(seen))


def show(table: Table) -> None:
    """Print a table with its notes."""
    shown = Shown(title=table.title)
    for name in table.header:
        shown.add_column(name)
    for row in table.rows:
        shown.add_row(*(cell.text.replace("[", "\\[") for cell in row))
    console.print(shown)
    for note in table.notes:
        console.print(note, style="dim", markup=False)
