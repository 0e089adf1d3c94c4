"""EoIP and L2TP: what a tunnel adds to a packet, where it is fragmented, its bytes on the wire."""

from __future__ import annotations

from typing import Any

from ppslab.core.text.language import N_, gettext
from ppslab.core.units import WIRE_OVERHEAD_BYTES
from ppslab.course.models.drawing import (
    WIDTH,
    Drawing,
    figure,
    fixed,
    problem,
    sentences,
    short,
    table,
    ticks,
)
from ppslab.model.tunnels import eoip_bytes
from ppslab.model.tunnels.eoip_bytes import Field
from ppslab.model.tunnels.overhead import Stack
from ppslab.model.tunnels.tunnel_layers import CHECKS, CIPHERS, FIXED, Esp


class Tunnel:
    """The stack that the inputs make."""

    def __init__(self, inputs: dict[str, Any]) -> None:
        self.mtu = int(inputs["mtu"])
        self.pppoe = bool(inputs["pppoe"])
        self.id = int(inputs["id"])
        self.l2tp = inputs["tunnel"] == "l2tp"
        self.tagged = bool(inputs["vlan"]) and not self.l2tp
        self.routed = inputs["way"] == "routed"
        self.df = bool(inputs["df"]) and self.routed
        self.esp: Esp | None = None
        if inputs["ipsec"] != "none":
            cipher, _, check = inputs["ipsec"].partition(":")
            self.esp = Esp("esp", cipher, check, False, bool(inputs["udp"]))
        self.layers = tuple(
            ([FIXED["vlan"]] if self.tagged else [])
            + [FIXED["l2tp" if self.l2tp else "eoip"]]
            + ([self.esp] if self.esp else [])
            + ([FIXED["pppoe"]] if self.pppoe else [])
        )

    def frames(self, size: int, inside: tuple[int, ...]) -> list[list[Field]]:
        """Every frame on the path of a packet that goes in as the packets `inside`."""
        frames: list[list[Field]] = []
        offset = 0
        ends = eoip_bytes.ROUTED if self.routed else eoip_bytes.BRIDGED
        esp, protocol = None, eoip_bytes.UDP if self.l2tp else eoip_bytes.GRE
        if self.esp:
            cipher = CIPHERS[self.esp.cipher]
            esp = (cipher, cipher.tag or CHECKS[self.esp.check], self.esp.udp)
            protocol = eoip_bytes.UDP if self.esp.udp else eoip_bytes.ESP
        for index, total in enumerate(inside):
            part_of = (offset, total - 20, index < len(inside) - 1)
            packet = eoip_bytes.inner_packet(size, part_of, self.df, ends)
            offset += total - 20
            if self.l2tp:
                behind = eoip_bytes.l2tp_packet(packet, self.id, esp)
            else:
                frame = eoip_bytes.inner_frame(packet, self.tagged)
                behind = eoip_bytes.eoip_packet(frame, self.id, esp)
            room = self.mtu - (8 if self.pppoe else 0)
            for outer in eoip_bytes.outer_packets(behind, protocol, room):
                frames.append(eoip_bytes.link_frame(outer, self.pppoe))
        return frames


def answer(inputs: dict[str, Any], facts: dict[str, Any]) -> dict[str, Any]:
    """Return the fragments, the bytes that each layer adds, and one frame byte by byte.

    facts: `measured` ([packet, Path MTU, IPsec, fragments counted for each]), `record`.
    """
    wrong = _wrong(inputs)
    if wrong:
        return wrong
    size, mtu = int(inputs["packet"]), int(inputs["mtu"])
    tunnel = Tunnel(inputs)
    stack = Stack(tunnel.layers, mtu)
    fits = stack.inner_mtu
    limit = size
    if tunnel.routed:
        limit = int(inputs["interface"]) or fits
        if limit < 68:
            text = N_(
                "Choose 0, or 68 bytes or more: every IPv4 link must carry packets of 68 bytes."
            )
            return problem("interface", text)
    sent = stack.send(size, limit, df=tunnel.df)
    inside, outside, frames, lost = sent.inside, sent.outside, sent.frames, sent.lost
    counted = _counted(inputs, facts)
    says = _says(size, fits, inside, outside, frames, lost, tunnel) + sentences([
        (counted is not None,
         N_("The lab's newest run ({record}) counted {counted} fragments for each such packet."),
         {"record": facts.get("record"), "counted": fixed(counted or 0.0, 2)}),
    ])  # fmt: skip
    values: dict[str, Any] = {
        "counted": counted,
        "largest": fits,
        "mss": fits - 40,
        "inside": list(inside),
        "outside": [list(each) for each in outside],
        "frames": list(frames),
        "lost": lost,
    }
    tables = [_parts(tunnel, stack, inside[0])]
    if lost:
        return {"says": says, "warns": [], "figures": [], "tables": tables, "values": values,
                "steps": 0}  # fmt: skip
    place = min(max(int(inputs["frame"]), 0), len(frames) - 1)
    drawn = tunnel.frames(size, inside)[place]
    values["shown"] = [[one.part, one.name, one.hex()] for one in drawn]
    title = gettext("Frame {place} of {frames} on the path, byte by byte").format(
        place=place + 1, frames=len(frames)
    )
    alt = "; ".join([f"{one.part}, {one.name}: {one.hex()}" for one in drawn])
    return {
        "says": says,
        "warns": _warns(inside, outside, tunnel),
        "figures": [
            figure(
                gettext("Packets, in bytes"),
                cuts(size, inside, outside, mtu, place),
                " ".join(says),
            ),
            figure(title, byte_by_byte(drawn), alt),
        ],
        "tables": tables,
        "values": values,
        "steps": len(frames) - 1,
    }


def _wrong(inputs: dict[str, Any]) -> dict[str, Any]:
    """The problem of inputs that cannot be; empty where there is none."""
    size, mtu = int(inputs["packet"]), int(inputs["mtu"])
    for name, value, low, high in (("packet", size, 28, 9000), ("mtu", mtu, 576, 9600)):
        if not low <= value <= high:
            text = N_("Choose {low} to {high} bytes, not {value}.")
            return problem(name, text, low=low, high=high, value=value)
    if not 0 <= int(inputs["id"]) <= 65535:
        return problem("id", N_("A tunnel ID has two bytes: choose 0 to 65535."))
    if inputs["tunnel"] == "l2tp" and inputs["way"] != "routed":
        text = N_(
            "L2TP carries IP packets: choose routed. The calculator does not cover bridging over "
            "L2TP."
        )
        return problem("way", text)
    return {}


def _counted(inputs: dict[str, Any], facts: dict[str, Any]) -> float | None:
    """The fragments for each packet that the lab counted with these inputs; None: it has not."""
    plain = not (inputs["vlan"] or inputs["pppoe"] or inputs["udp"])
    asked = [int(inputs["packet"]), int(inputs["mtu"]), inputs["ipsec"]]
    rows = [row for row in facts.get("measured", []) if row[:3] == asked]
    measured = plain and (inputs["way"], inputs["tunnel"]) == ("bridged", "eoip")
    return float(rows[0][3]) if rows and measured else None


def _says(
    size: int,
    fits: int,
    inside: tuple[int, ...],
    outside: tuple[tuple[int, ...], ...],
    frames: tuple[int, ...],
    lost: str,
    tunnel: Tunnel,
) -> list[str]:
    cut_inside, cut_outside = len(inside) > 1, any(len(each) > 1 for each in outside)
    where = {
        (False, False): gettext("The packet fits without fragmentation"),
        (True, False): gettext("The router fragments the inner packet before encapsulation"),
        (False, True): gettext("The router fragments the outer packet after encapsulation"),
        (True, True): gettext(
            "The router fragments the inner packet before encapsulation, and the outer packets "
            "again after it"
        ),
    }[cut_inside, cut_outside]
    wire = sum([each + WIRE_OVERHEAD_BYTES for each in frames])
    share = fixed(100 * size / wire, 1) if wire else ""
    many = f"{len(frames)} frame{'' if len(frames) == 1 else 's'}"
    return sentences([
        (lost, N_("The {size}-byte packet is {lost}."), {"size": short(size), "lost": lost}),
        (not lost, N_("{where}: {many} on the path, {wire} bytes on the link; the inner packet is "
                      "{share} % of these bytes."),
         {"where": where, "many": many, "wire": short(wire), "share": share}),
        (True, N_("The largest packet that crosses this path unfragmented has {fits} bytes; for "
                  "TCP, this is an MSS of {fits_2} bytes."),
         {"fits": short(fits), "fits_2": short(fits - 40)}),
        (not lost and cut_outside,
         N_("The router at the far end must reassemble the fragments before it can decapsulate "
            "the frame; the fast path of RouterOS cannot receive fragments."), {}),
        (not lost and cut_inside and not cut_outside,
         N_("The receiving host reassembles the packet; the routers do not."), {}),
        (not lost and tunnel.esp,
         N_("The encrypted part is shown as plain text; on the path, it is ciphertext. Dots stand "
            "for bytes that depend on a key or on chance."), {}),
    ])  # fmt: skip


def _warns(
    inside: tuple[int, ...], outside: tuple[tuple[int, ...], ...], tunnel: Tunnel
) -> list[str]:
    cut = any(len(each) > 1 for each in outside)
    return sentences([
        (cut and tunnel.esp,
         N_("The packet is encrypted first and then fragmented: the far end needs all fragments "
            "before it can decrypt the packet."), {}),
        (cut and not tunnel.esp and len(inside) > 1,
         N_("The interface MTU is larger than the path allows, so a packet of this size is "
            "fragmented twice."), {}),
    ])  # fmt: skip


def _parts(tunnel: Tunnel, stack: Stack, size: int) -> dict[str, object]:
    rows = [[gettext("inner packet"), "", str(size), ""]]
    for layer, own in stack.parts(size):
        for index, part in enumerate(own):
            # Every row names its layer: an empty heading tells a screen reader's user nothing.
            rows.append(
                [layer.title, part.name, str(part.size), layer.source if index == 0 else ""]
            )
    title = gettext("Bytes that each layer adds to a {size}-byte packet").format(size=short(size))
    return table(
        title, [gettext("layer"), gettext("part"), gettext("bytes"), gettext("source")], rows
    )


_LOOKS = {"link": "w-off", "tunnel": "w-on", "inside": "w-box"}
_SHOWN = 8


def cuts(
    size: int, inside: tuple[int, ...], outside: tuple[tuple[int, ...], ...], mtu: int, chosen: int
) -> Drawing:
    """A bar a packet: as it was sent, into the tunnel, on the path; a line at the path's MTU."""
    rows = [("sent", size, "w-3")] + [(gettext("into the tunnel"), each, "w-1") for each in inside]
    count = 0
    for packets in outside:
        for each in packets:
            rows.append((gettext("on the path"), each, "w-2" if count == chosen else "w-4"))
            count += 1
    left, each_row, right = 142, 30, 76
    drawing = Drawing(each_row * len(rows) + 76)
    high = max([size, mtu] + [row[1] for row in rows])
    wide = WIDTH - left - right
    for index, (name, bytes_of, look) in enumerate(rows):
        y = 24 + each_row * index
        drawing.text(left - 8, y + 17, name, "end", "w-strong" if look == "w-2" else "w-text")
        drawing.rect(left, y, wide * bytes_of / high, 22, look, f"{name}: {bytes_of} bytes")
        drawing.text(left + wide * bytes_of / high + 6, y + 17, short(bytes_of))
    bottom = 24 + each_row * len(rows)
    drawing.line(left, bottom, left + wide, bottom)
    x = left + wide * mtu / high
    drawing.line(x, 20, x, bottom, "w-line w-5")
    drawing.text(x, 15, gettext("path MTU {mtu}").format(mtu=short(mtu)), "end", "w-small")
    for tick in ticks(high):
        at = left + wide * tick / high
        drawing.line(at, bottom, at, bottom + 6)
        anchor = "start" if tick == 0 else "middle"
        drawing.text(
            at, bottom + 22, short(tick) + (" bytes" if tick == 0 else ""), anchor, "w-small"
        )
    return drawing


def byte_by_byte(fields: list[Field]) -> Drawing:
    """Every byte of a frame under the name of its header, but for the rest of long data."""
    groups: list[tuple[str, list[Field]]] = []
    for one in fields:
        if not groups or groups[-1][0] != one.part:
            groups.append((one.part, []))
        groups[-1][1].append(one)
    wide, high, columns = 39, 26, 16
    lines = [-(-_shown(own) // columns) for _, own in groups]
    drawing = Drawing(sum([24 + high * count + 6 for count in lines]) + 34)
    y = 0
    for (name, own), count in zip(groups, lines, strict=True):
        total = sum([len(one.values) for one in own])
        secret = gettext(", encrypted") if own[0].secret else ""
        title = gettext("{name}, {total} byte{value}{secret}").format(
            name=name, total=short(total), value="" if total == 1 else "s", secret=secret
        )
        drawing.text(8, y + 18, title, "start", "w-strong" if own[0].side == "tunnel" else "w-text")
        place = 0
        for one in own:
            look = _LOOKS[one.side]
            for value in one.values:
                if place >= _shown(own):
                    break
                x = 8 + place % columns * wide
                top = y + 24 + place // columns * high
                drawing.rect(x, top, wide - 2, high - 3, look, one.name)
                text = ".." if value is None else f"{value:02x}"
                drawing.text(x + wide / 2 - 1, top + 17, text, "middle")
                place += 1
        if total > place:
            x = 8 + place % columns * wide + 6
            drawing.text(
                x,
                y + 41,
                gettext("and {total} more").format(total=short(total - place)),
                "start",
                "w-small",
            )
        y += 24 + high * count + 6
    key = (("link", gettext("the path's")), ("tunnel", gettext("the tunnel's")),
           ("inside", gettext("the inner frame's")))  # fmt: skip
    for index, (side, name) in enumerate(key):
        x = 8 + 190 * index
        drawing.rect(x, y + 8, 16, 16, _LOOKS[side])
        drawing.text(x + 24, y + 21, name)
    return drawing


def _shown(own: list[Field]) -> int:
    """Return the number of bytes to draw of a group: of data a few, of a header all."""
    total = sum([len(one.values) for one in own])
    return total if total <= 32 else _SHOWN
