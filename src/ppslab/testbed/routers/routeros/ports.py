"""The router's ports that the lab has: its scripts name others, and one of them is our way in.

A lab's script says `set [find where default-name=ether2] name=p1`; a router on a bench has its
cable in another port.  The port map says which, and the statements are written for it.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from ppslab.core.errors import FileError, UsageError
from ppslab.model.lab.lab import Lab
from ppslab.testbed.routers.routeros.api import Api, Row
from ppslab.testbed.routers.routeros.rsc.script import Statement, Test

ETHERNET = "/interface/ethernet"
KEY = "default-name"

_REFERENCES = frozenset(
    "interface in-interface out-interface slaves tagged untagged gateway".split()
)
"""Arguments that name interfaces."""


@dataclass(frozen=True)
class PortMap:
    """The names that the lab's scripts use, and the router's.

    `of`: a default-name of the scripts to the router's.  `lab`: the lab's port to the router's
    default-name.  `unnamed`: those of `of` that the scripts give no name of their own.
    """

    of: dict[str, str]
    lab: dict[str, str]
    unnamed: frozenset[str] = frozenset()

    @classmethod
    def read(cls, lab: Lab, scripts: Iterable[Statement], ports: Mapping[str, str]) -> PortMap:
        """The map of a lab's scripts; `ports` empty: the scripts' own names are the router's.

        FileError with the script's line where the map has nothing for a port.
        """
        named: dict[str, str] = {}
        unnamed: dict[str, Statement] = {}
        for statement in scripts:
            for name in _default_names(statement):
                properties = dict(statement.properties)
                if "name" in properties:
                    named[name] = properties["name"]
                    if ports and properties["name"] not in ports:
                        raise _not_mapped(statement, properties["name"], ports)
                elif name not in named:
                    unnamed.setdefault(name, statement)
        # Ports that keep their own names are the lab's in its order, as the hundred's ether1 to 8.
        order = dict(zip(unnamed, lab.spec.ports, strict=False))
        for name, statement in unnamed.items():
            if ports and order.get(name) not in ports:
                raise _not_mapped(statement, order.get(name, name), ports)
        all_names = named | order
        return cls(
            of={name: ports.get(port, name) for name, port in all_names.items()},
            lab={port: ports.get(port, name) for name, port in all_names.items()},
            unnamed=frozenset(unnamed),
        )

    def apply(self, statement: Statement, names: Mapping[str, str]) -> Statement:
        """The statement for this router; `names`: what its interfaces are called now."""
        find = statement.find
        if find is not None and statement.menu == ETHERNET:
            find = tuple(
                replace(test, value=self.of.get(test.value, test.value))
                if test.key == KEY
                else test
                for test in find
            )
        own = {name: names.get(self.of[name], self.of[name]) for name in self.unnamed}
        properties = tuple(
            (key, ",".join(own.get(item, item) for item in value.split(",")))
            if key in _REFERENCES
            else (key, value)
            for key, value in statement.properties
        )
        return replace(statement, find=find, properties=properties)


def of_chr(lab: Lab) -> dict[str, str]:
    """The port map of a CHR under containerlab, whose ether1 is for management: eth1 is ether2.

    Empty where a lab has several routers: their scripts name the ports of a CHR themselves.
    """
    if lab.spec.routeros_nodes:
        return {}
    return {
        port: f"ether{int(name.removeprefix('eth')) + 1}" for port, name in lab.spec.ports.items()
    }


def check(api: Api, ports: Mapping[str, str]) -> dict[str, str]:
    """Check that the lab may have these ports; return the names of all Ethernet interfaces.

    `ports`: lab's port to default-name.  UsageError where the router has not got one, where we
    would cut the way that we came, or where the port does something else already.
    """
    names = names_of(api)
    for port, default_name in ports.items():
        if default_name not in names:
            raise UsageError(
                f"port {port} should be {default_name}, but {api.where} has {', '.join(names)}"
            )
    mine = {names[default_name]: port for port, default_name in ports.items()}
    bridges = _together(api)
    way = _way_in(api, bridges)
    for name, port in mine.items():
        if name in way:
            raise UsageError(
                f"port {port} is {ports[port]}, over which ppslab reaches the router: "
                "use another port for the lab, or for management"
            )
        if name in bridges:
            raise UsageError(
                f"port {port} is {ports[port]}, which is in {bridges[name]}: remove it first, "
                "because only the lab may use the port"
            )
    for menu in ("/ip/address", "/ipv6/address"):
        for row in api.rows_or_none(menu) or []:
            if row.get("interface") in mine and _is_in_use(row):
                port = mine[row["interface"]]
                raise UsageError(
                    f"port {port} is {ports[port]}, which has the address {row.get('address')}: "
                    "only the lab may use the port"
                )
    return names


def names_of(api: Api) -> dict[str, str]:
    """The Ethernet interfaces' present names, by default-name."""
    return {row.get(KEY, row["name"]): row["name"] for row in api.rows(ETHERNET)}


def _together(api: Api) -> dict[str, str]:
    """The interfaces that are in a bridge or in a bond, and in which."""
    ports = api.rows_or_none("/interface/bridge/port") or []
    bonds = api.rows_or_none("/interface/bonding") or []
    return {row["interface"]: row["bridge"] for row in ports if row.get("disabled") != "true"} | {
        name: row["name"] for row in bonds for name in row.get("slaves", "").split(",") if name
    }


def _is_in_use(row: Row) -> bool:
    """Return whether an address is in use, also by DHCP; every port has a link-local one."""
    own = row.get("address", "").lower().startswith("fe80:")
    return row.get("disabled") != "true" and not own


def _way_in(api: Api, bridges: Mapping[str, str]) -> set[str]:
    """The interfaces that have the address at which we reach the router, as far as it knows it.

    A bridge or a bond brings its ports, a VLAN the interface below it.
    """
    ours = _addresses(urlsplit(api.device.url).hostname or "")
    way = {
        row["interface"]
        for menu in ("/ip/address", "/ipv6/address")
        for row in api.rows_or_none(menu) or []
        if "interface" in row and _address(row.get("address", "")) in ours
    }
    below = {row["name"]: row["interface"] for row in api.rows_or_none("/interface/vlan") or []}
    while True:
        under = {below[name] for name in way if name in below}
        under |= {port for port, whole in bridges.items() if whole in way}
        if under <= way:
            return way
        way |= under


def _addresses(host: str) -> set[str]:
    try:
        found = socket.getaddrinfo(host, None)
    except OSError:
        return set()
    return {str(entry[4][0]).partition("%")[0] for entry in found}


def _address(text: str) -> str:
    try:
        return str(ipaddress.ip_interface(text).ip)
    except ValueError:
        return ""


def _default_names(statement: Statement) -> Sequence[str]:
    if statement.menu != ETHERNET or statement.find is None:
        return ()
    tests: Iterable[Test] = statement.find
    return [test.value for test in tests if test.key == KEY and test.op == "="]


def _not_mapped(statement: Statement, port: str, ports: Mapping[str, str]) -> FileError:
    known = ", ".join(ports)
    message = f"port {port} is not in the port map, which has {known}"
    return FileError(statement.file, statement.line, message)
