"""The tunnel that the inputs of the tunnels' widget make, and its frames on the path."""

from __future__ import annotations

from typing import Any

from ppslab.model.tunnels import eoip_bytes
from ppslab.model.tunnels.eoip_bytes import Field
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
