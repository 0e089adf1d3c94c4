"""`ppslab overhead` and `ppslab dissect`: what a tunnel costs, and what a capture of it shows."""

from __future__ import annotations

from pathlib import Path

import typer

from ppslab.cli.printing import console
from ppslab.core.errors import PpslabError
from ppslab.model.tunnels.overhead import Stack, parse
from ppslab.show import tunnel_tables


def overhead(
    layers: list[str] = typer.Argument(
        None,
        metavar="[LAYER]...",
        help="Layers, innermost first, such as eoip ipsec vlan; default: list all layers.",
    ),
    mtu: int = typer.Option(1500, help="The MTU of the link, in bytes."),
    packet: int = typer.Option(1500, help="The size of an IP packet to send, in bytes."),
) -> None:
    """Show the overhead of a tunnel, its MTU and MSS, and the place of fragmentation."""
    if not layers:
        console.print(tunnel_tables.words_table())
        return
    stack = Stack(parse(tuple(layers)), mtu)
    console.print(tunnel_tables.parts_table(stack))
    console.print(tunnel_tables.limits_table(stack))
    console.print(tunnel_tables.ways_table(stack, packet))


def dissect(
    capture: Path = typer.Argument(metavar="CAPTURE", help="A pcap or pcapng file."),
) -> None:
    """List the contents of EoIP tunnels in a capture: frames, keepalives, fragments.

    The exit code is 1 if there are none.
    """
    # Imported here, since every other command would wait for scapy too.
    from ppslab.model.tunnels.capture import read  # noqa: PLC0415

    seen = read(capture)
    if not seen.ways:
        said = f"{capture}: no EoIP packet among {seen.packets} packets"
        raise PpslabError(f"{said}, {seen.gretap} of gretap" if seen.gretap else said)
    console.print(tunnel_tables.capture_table(seen))
