"""Interfaces of RouterOS, and the Linux devices that stand for them."""

from __future__ import annotations

from ppslab.model.packet_path.on_linux import values
from rosexplain.rows import Rows

ETHERNET = "/interface/ethernet"


class Ports:
    """The devices of the router's interfaces by name, e.g. `{"ether2": "eth1"}`."""

    def __init__(self, devices: dict[str, str]) -> None:
        self._devices = devices

    def renamed(self, rows: Rows) -> Ports:
        """The same with the names that `/interface/ethernet set ... name=` gives."""
        names = {
            row.name: self._devices[port]
            for row in rows.all_of(ETHERNET)
            if (port := row.get("default-name") or row.key) in self._devices and row.name
        }
        return Ports(names | self._devices)

    def device(self, name: str) -> str:
        """The device of an interface; RefusedError where it has none."""
        if name not in self._devices:
            known = ", ".join(self._devices)
            raise values.refuse(f"no interface '{values.shown(name)}' here: there are {known}")
        return self._devices[name]

    def devices(self) -> list[str]:
        """The devices of the ports, each once."""
        return list(dict.fromkeys(self._devices.values()))
