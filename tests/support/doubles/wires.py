"""The wires of the RouterOS double's ports: a frame that goes in comes out where its address is."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence

from tests.support.doubles.routeros_rest import Device

FCS = 4


class DoubleWires:
    """Frames of IPv4 go out of the port in whose network their destination is; others nowhere."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._out: dict[str, list[bytes]] = {}

    def send(self, port: str, frames: Sequence[bytes], pause: float = 0.0) -> None:
        """Put frames (without FCS) on a port's wire; ports by their default-names."""
        for frame in frames:
            out = self._towards(frame)
            if out:
                left, right = self._name(port), self._name(out)
                self._device.carry(left, right, 1, len(frame) + FCS)
                self._out.setdefault(out, []).append(frame)

    def heard(self, port: str, seconds: float = 0.0) -> list[bytes]:
        """Frames that came out of a port."""
        return self._out.pop(port, [])

    def _towards(self, frame: bytes) -> str | None:
        if frame[12:14] != b"\x08\x00":
            return None
        wanted = ipaddress.IPv4Address(frame[30:34])
        for item in self._device.tree.items("/ip/address").values():
            if wanted in ipaddress.IPv4Interface(item["address"]).network:
                port = self._device.tree.named(item["interface"])
                return port["default-name"] if port else None
        return None

    def _name(self, port: str) -> str:
        items = self._device.tree.items("/interface/ethernet").values()
        return next(item["name"] for item in items if item["default-name"] == port)
