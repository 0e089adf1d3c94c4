"""`ppslab overhead` and `ppslab dissect`: what a tunnel costs, and what a capture of it shows."""

from __future__ import annotations

import json
from pathlib import Path

import typer

from ppslab.cli.printing import console
from ppslab.core.errors import PpslabError
from ppslab.core.text.terminal import echo
from ppslab.model.tunnels.overhead import Stack, parse
from ppslab.model.tunnels.tunnel_layers import IPV4_HEADER, IPV6_HEADER
from ppslab.show import tunnel_tables


def overhead(
    layers: list[str] = typer.Argument(
        None,
        metavar="[LAYER]...",
        help="Layers, innermost first, such as eoip ipsec vlan; default: list all layers.",
    ),
    mtu: int = typer.Option(1500, help="The MTU of the link, in bytes."),
    packet: int = typer.Option(1500, help="The size of an IP packet to send, in bytes."),
    interface_mtu: int | None = typer.Option(
        None, help="The MTU of the tunnel interface; default: the largest that fits."
    ),
    ipv6: bool = typer.Option(False, "--ipv6", help="The inner packet is IPv6."),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
) -> None:
    """Show the overhead of a tunnel, its MTU and MSS, and the place of fragmentation."""
    if not layers:
        console.print(tunnel_tables.words_table())
        return
    stack = Stack(parse(tuple(layers)), mtu, IPV6_HEADER if ipv6 else IPV4_HEADER)
    if as_json:
        echo(json.dumps(tunnel_tables.plain(stack, packet, interface_mtu), indent=1))
        return
    console.print(tunnel_tables.parts_table(stack))
    console.print(tunnel_tables.limits_table(stack))
    console.print(tunnel_tables.ways_table(stack, packet, interface_mtu))


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
