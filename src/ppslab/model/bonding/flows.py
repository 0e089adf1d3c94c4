"""Connections over a bond: made of pairs of servers, or read from a reader's lines."""

from __future__ import annotations

from typing import Any

from ppslab.model.bonding.ports import folded, steps
from rosexplain.addresses import packed


class Flow:
    """Packets with the same addresses and ports, which leave the router by its bond.

    `weight`: how many bytes they are, in any unit; `data`: False for acknowledgements.
    """

    def __init__(
        self,
        macs: tuple[int, int],
        ends: tuple[str, str],
        ports: tuple[int, int],
        weight: float,
        data: bool = True,
    ) -> None:
        self.macs = macs
        self.ends = ends
        self.ports = ports
        self.weight = weight
        self.data = data
        one, other = _read(ends[0]), _read(ends[1])
        self._folded = one[0] ^ other[0]
        self._bits = one[1]

    def steps(self, policy: str) -> tuple[int, ...]:
        """The values that its hash has one after the other."""
        return steps(policy, self.macs, self._folded, self.ports, self._bits)

    def hash(self, policy: str) -> int:
        """The 32 bits of which the remainder by the number of links is taken."""
        return self.steps(policy)[-1]

    def text(self) -> str:
        """`198.18.1.2:40000 to 198.18.2.2:5101`."""
        shown = [
            f"[{end}]:{port}" if ":" in end else f"{end}:{port}"
            for end, port in ((self.ends[0], self.ports[0]), (self.ends[1], self.ports[1]))
        ]
        return " to ".join(shown)


_known: dict[str, tuple[int, int]] = {}
"""Addresses that were read: hundreds of connections have a dozen."""


def _read(address: str) -> tuple[int, int]:
    """An address folded to 32 bits, and how many it has."""
    if address not in _known:
        found = packed(address)
        _known[address] = (folded(found), 8 * len(found))
    return _known[address]


def of_pairs(facts: dict[str, Any], rows: list[list[Any]]) -> list[Flow]:
    """Data and acknowledgements of connections, as the router sends them on.

    A row: client, server, its port, the server's port, bytes of data, bytes of acknowledgements.
    """
    own = _last(facts["router"])
    macs = {address: _last(mac) for _, address, mac in facts["servers"]}
    made: list[Flow] = []
    for client, server, here, there, data, answers in rows:
        made.append(Flow((own, macs[server]), (client, server), (here, there), data))
        back = (server, client), (there, here)
        made.append(Flow((own, macs[client]), back[0], back[1], answers, False))
    return made


def of_servers(pairs: int, streams: int, sizes: str, facts: dict[str, Any]) -> list[list[Any]]:
    """Connections as the article's commands open them: three servers of a port each."""
    made: list[list[Any]] = []
    addresses = {name: address for name, address, _ in facts["servers"]}
    count = 0
    for pair in facts["pairs"][:pairs]:
        for client, server in (pair, [pair[1], pair[0]]):
            for number in range(streams):
                count += 1
                data = 20.0 if sizes == "greedy" and count % 10 == 0 else 1.0
                # Linux counts a client's ports up in steps of two, beginning anywhere.
                port = 32768 + (count * 7919) % 9000 * 2
                # An acknowledgement of 66 bytes for two frames of 1514.
                made.append(
                    [addresses[client], addresses[server], port, 5101 + number % 3,
                     data, data * 66 / 2 / 1514]
                )  # fmt: skip
    return made


def of_lines(text: str, facts: dict[str, Any], policy: str, most: int) -> tuple[list[Flow], str]:
    """A reader's connections, and what is wrong with them; empty where nothing is wrong.

    A line: `SOURCE:PORT TARGET:PORT [mac=NEXT HOP] [weight=NUMBER]`.
    """
    known = {address: mac for _, address, mac in facts["servers"]}
    made: list[Flow] = []
    for number, line in enumerate(text.split("\n")):
        words = line.partition("#")[0].split()
        if not words:
            continue
        try:
            made.append(_flow(words, known, facts["router"], policy))
        except ValueError as error:
            return [], f"Line {number + 1}: {error}."
        if len(made) > most:
            return [], f"More than {most} connections: remove some."
    if not made:
        return (
            [],
            "There is no connection: write one per line, as 198.18.1.2:40000 198.18.2.2:5101.",
        )
    return made, ""


def _flow(words: list[str], known: dict[str, str], router: str, policy: str) -> Flow:
    if len(words) < 2:
        raise ValueError("write source and destination, such as 198.18.1.2:40000 198.18.2.2:5101")
    (source, here), (target, there) = _end(words[0]), _end(words[1])
    if len(packed(source)) != len(packed(target)):
        raise ValueError("one end is IPv4 and the other IPv6")
    mac, weight = known.get(target, ""), 1.0
    for word in words[2:]:
        name, _, value = word.partition("=")
        if name == "mac":
            mac = value
        elif name == "weight":
            weight = _weight(value)
        else:
            raise ValueError(f"'{word}' is neither mac=ADDRESS nor weight=NUMBER")
    if not mac and policy.startswith("layer2"):
        raise ValueError(f"the MAC address of {target} is unknown: add mac=02:00:c6:12:00:04")
    return Flow((_last(router), _last(mac or router)), (source, target), (here, there), weight)


def _end(word: str) -> tuple[str, int]:
    address, colon, port = word.rpartition(":")
    if address.startswith("[") and address.endswith("]"):
        address = address[1:-1]
    elif ":" in address:
        raise ValueError(f"'{word}': IPv6 is written [2001:2::2]:5101")
    if not colon or not port.isdigit() or int(port) > 65535:
        raise ValueError(f"'{word}' has no port, such as 198.18.1.2:40000")
    packed(address)
    return address, int(port)


def _weight(text: str) -> float:
    try:
        weight = float(text)
    except ValueError:
        weight = 0.0
    if not 0 < weight <= 1e9:
        raise ValueError(f"weight={text}: write a number above 0, up to 1000000000")
    return weight


def _last(mac: str) -> int:
    """The last byte of a MAC address, which is all that the hash takes of it."""
    parts = mac.split(":")
    try:
        bytes_of = [int(part, 16) for part in parts]
    except ValueError:
        bytes_of = []
    if len(bytes_of) != 6 or max(bytes_of) > 255 or min(bytes_of) < 0:
        raise ValueError(f"'{mac}' is not a MAC address, as 02:00:c6:12:00:04 is")
    return bytes_of[5]
