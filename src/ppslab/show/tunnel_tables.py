"""Answers of the calculator, as tables and as plain data."""

from __future__ import annotations

from ppslab.core.text.numbers import percent_text
from ppslab.core.text.tables import Table, cells
from ppslab.model.tunnels.overhead import Sent, Stack, parse
from ppslab.model.tunnels.tunnel_layers import CHECKS, CIPHERS, FIXED, IPV6_HEADER


def title(stack: Stack) -> str:
    """The stack in words, innermost first."""
    return ", then ".join(layer.title for layer in stack.layers)


def parts_table(stack: Stack) -> Table:
    """Table of the parts that each layer puts around the largest packet that fits."""
    rows = [cells("the packet inside", "", str(stack.inner_mtu), "")]
    for layer, parts in stack.parts(stack.inner_mtu):
        for first, part in zip((True, *[False] * len(parts)), parts, strict=False):
            heading = (layer.title, layer.source) if first else ("", "")
            rows.append(cells(heading[0], part.name, str(part.size), heading[1]))
    carried = stack.wrapped(stack.inner_mtu).link_payload
    rows.append(cells("on the link", "", str(carried), ""))
    return Table(
        title=f"The largest packet over a link of MTU {stack.mtu}: {title(stack)}",
        header=("layer", "part", "bytes", "described in"),
        rows=tuple(rows),
        notes=("An Ethernet header and VLAN tags of the link itself do not count towards its MTU.",)
        if stack.wrapped(stack.inner_mtu).is_frame
        else (),
    )


def limits_table(stack: Stack) -> Table:
    """The numbers that a configuration needs."""
    sent = stack.send(stack.inner_mtu)
    return Table(
        title="What fits",
        header=("what", "value"),
        rows=(
            cells("largest inner packet without fragmentation", f"{stack.inner_mtu} bytes"),
            cells("bytes that the layers add", f"{stack.overhead()} bytes"),
            cells("TCP segment over IPv4 (MSS)", f"{stack.segment()} bytes"),
            cells("TCP segment over IPv6 (MSS)", f"{stack.segment(IPV6_HEADER)} bytes"),
            cells("its Ethernet frame on the link", f"{sent.frames[0]} bytes"),
            cells("share of the bytes on the wire that is the packet", percent_text(sent.share)),
        ),
    )


def ways_table(stack: Stack, size: int) -> Table:
    """One packet sent in each way: routed, with DF, and bridged.

    Bridged: no interface cuts it, as in RouterOS where the tunnel's `mtu` is the packet's.
    """
    ways = {
        f"routed, interface MTU {stack.inner_mtu}": stack.send(size),
        "routed, with DF set": stack.send(size, df=True),
        "bridged": stack.send(size, size),
    }
    return Table(
        title=f"One packet of {size} bytes over a link of MTU {stack.mtu}: {title(stack)}",
        header=("how", "inside", "on the link", "frames", "bytes on the wire", "packet's share"),
        rows=tuple(cells(how, *_sent(sent)) for how, sent in ways.items()),
        notes=(
            "Inside: IP packets that enter the tunnel. On the link: their sizes there, as bytes of "
            "its MTU; each pair of brackets holds the fragments of one packet.",
            "Bytes on the wire: each frame with its frame check sequence, preamble and gap.",
        ),
    )


def _sent(sent: Sent) -> tuple[str, ...]:
    if sent.lost:
        return (sent.lost, "-", "-", "-", "-")
    return (
        " + ".join(map(str, sent.inside)),
        " ".join(f"({' + '.join(map(str, each))})" for each in sent.outside),
        str(len(sent.frames)),
        str(sent.wire),
        percent_text(sent.share),
    )


def compared_table(stacks: list[tuple[str, ...]], mtus: tuple[int, ...], size: int) -> Table:
    """Stacks beside each other: overhead and largest packet by MTU, and frames for one packet."""
    rows = []
    for words in stacks:
        layers = parse(words)
        by_mtu = [Stack(layers, mtu) for mtu in mtus]
        last = by_mtu[0].send(size, size)
        rows.append(
            cells(
                " ".join(words),
                ", then ".join(layer.title for layer in layers),
                str(by_mtu[0].overhead()),
                *(str(stack.inner_mtu) for stack in by_mtu),
                "-" if last.lost else str(len(last.frames)),
            )
        )
    return Table(
        title="Bytes that tunnels add",
        header=(
            "words",
            "layers, innermost first",
            f"bytes added, MTU {mtus[0]}",
            *(f"largest packet, MTU {mtu}" for mtu in mtus),
            f"frames for a {size}-byte packet fragmented after encapsulation, MTU {mtus[0]}",
        ),
        rows=tuple(rows),
        notes=(
            "IPsec pads to the cipher's block, so the bytes that it adds depend on the packet's "
            "size.",
        ),
    )


def words_table() -> Table:
    """Every word that a stack can have."""
    rows = [cells(layer.word, layer.title, layer.source) for layer in FIXED.values()]
    rows += [
        cells(
            "ipsec", "what ipsec-secret makes: esp:aes-128-cbc:sha1", "manual.mikrotik.com, EoIP"
        ),
        cells(
            "esp:CIPHER[:CHECK][:udp]", "IPsec ESP, transport mode; :udp through a NAT", "RFC 4303"
        ),
        cells("esp-tunnel:CIPHER[:CHECK][:udp]", "IPsec ESP, tunnel mode", "RFC 4303"),
    ]
    return Table(
        title="Words of a stack, to be given innermost first",
        header=("word", "layer", "described in"),
        rows=tuple(rows),
        notes=(f"CIPHER: {', '.join(CIPHERS)}.", f"CHECK: {', '.join(CHECKS)}."),
    )
