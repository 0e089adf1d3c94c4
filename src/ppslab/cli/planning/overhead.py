"""`ppslab overhead`: what a tunnel costs."""

from __future__ import annotations

import typer

from ppslab.cli.printing import console
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
