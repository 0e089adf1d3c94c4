"""The port of a bond that a packet leaves by, and how evenly a rule shares connections out.

The hash is that of Linux's bonding driver: Documentation/networking/bonding.rst,
`xmit_hash_policy`; drivers/net/bonding/bond_main.c of Linux 6.1: `__bond_xmit_hash`,
`bond_eth_hash`, `bond_ip_hash`.  A VLAN tag takes no part in it: the driver's frames carry it
beside the frame (skb->vlan_tci), so the protocol that is hashed is that of the packet behind the
tag.  RouterOS calls the policies layer-2, layer-2-and-3, layer-3-and-4.

A bond that a switch chip has taken over hashes as the chip does.  MikroTik's manual names the
fields: MAC addresses, IP addresses and ports together on Marvell Prestera chips, MAC addresses
alone on 88E6393X, 88E6191X and 88E6190.  How the chip makes a number of them, nobody has
published.  CRC-32 stands for it here: as even as a hash of these bytes can be expected to be, and
not the chip's own choice of port.
"""

from __future__ import annotations

import binascii
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, cast

from ppslab.core.errors import UsageError
from rosexplain.addresses import packed

Policy = Literal["layer2", "layer2+3", "layer3+4"]

POLICIES: Final[tuple[Policy, ...]] = ("layer2", "layer2+3", "layer3+4")
CHIP: Final = "chip: layers 2, 3 and 4"
CHIP_LAYER2: Final = "chip: layer 2"
RULES: Final[tuple[str, ...]] = (*POLICIES, CHIP, CHIP_LAYER2)
"""The policies of a bond of the CPU, and the two kinds of chips."""

# linux/if_ether.h
PROTOCOLS: Final = {4: 0x0800, 16: 0x86DD}
"""The protocol number in a frame, by the bytes of the packet's addresses."""


@dataclass(frozen=True)
class Packet:
    """The fields that the hash reads: a frame's MAC addresses, its packet's addresses and ports.

    `ports`: source, destination; None for a fragment, or a protocol that has none.
    """

    source_mac: str
    target_mac: str
    source: str
    target: str
    ports: tuple[int, int] | None = None


def hash_of(packet: Packet, policy: Policy) -> int:
    """The 32-bit hash of a packet, as the driver has it on a little-endian machine.

    UsageError for a policy or an address that is none.
    """
    if policy not in POLICIES:
        raise UsageError(f"no hash policy '{policy}': there are {', '.join(POLICIES)}")
    try:
        source, target = packed(packet.source), packed(packet.target)
    except ValueError as error:
        raise UsageError(str(error)) from None
    if policy == "layer3+4":
        # The driver reads the four bytes of the two ports, as they stand in the packet, as one
        # number of its own byte order.
        both = b"".join(port.to_bytes(2, "big") for port in packet.ports or (0, 0))
        value = int.from_bytes(both, "little")
    else:
        value = PROTOCOLS[len(source)]
        for mac in (packet.source_mac, packet.target_mac):
            value ^= int(mac.rsplit(":", 1)[-1], 16)
        if policy == "layer2":
            return value
    value ^= _folded(source + target)
    value ^= value >> 16
    value ^= value >> 8
    # Clients count their ports up in steps of two, so the lowest bit is always the same.
    return value >> 1 if policy == "layer3+4" else value


def _folded(addresses: bytes) -> int:
    """Addresses as 32 bits: the exclusive or of their words (of IPv6 as `ipv6_addr_hash`)."""
    value = 0
    for start in range(0, len(addresses), 4):
        value ^= int.from_bytes(addresses[start : start + 4], "little")
    return value


def port_of(packet: Packet, policy: Policy, ports: int) -> int:
    """The number of the port, counted from 0 in the order in which they joined the bond.

    >>> flow = Packet("02:00:c6:12:01:01", "02:00:c6:12:00:02", "198.18.1.2", "198.18.2.2")
    >>> port_of(flow, "layer2", 8)
    3
    """
    return hash_of(packet, policy) % ports


def loads(flows: Iterable[tuple[Packet, float]], rule: str, links: int) -> list[float]:
    """The bytes that each of `links` links carries; a flow: a packet, and all its bytes.

    UsageError for no rule.
    """
    carried = [0.0] * links
    for packet, size in flows:
        carried[_number(packet, rule) % links] += size
    return carried


def _number(packet: Packet, rule: str) -> int:
    if rule not in (CHIP, CHIP_LAYER2):
        return hash_of(packet, cast(Policy, rule))
    words = [str(int(mac.rsplit(":", 1)[-1], 16)) for mac in (packet.source_mac, packet.target_mac)]
    if rule == CHIP:
        words += [packet.source, packet.target, *(str(port) for port in packet.ports or ())]
    return binascii.crc32(" ".join(words).encode())


def evenness(carried: Sequence[float]) -> float:
    """Traffic of all links when the busiest is full, as a share of their capacity: 1/n to 1."""
    busiest = max(carried, default=0.0)
    return sum(carried) / (len(carried) * busiest) if busiest else 0.0


def connections(
    pairs: Iterable[tuple[str, str]],
    macs: Mapping[str, str],
    router: str,
    streams: int,
    *,
    greedy: bool = False,
) -> list[tuple[Packet, float]]:
    """The packets of the article's connections as the router sends them on, each with its traffic.

    Its unit is the data of a plain connection: an acknowledgement's traffic is a small fraction.

    Each host of a pair opens `streams` connections to the other; `macs`: of each host, by address;
    `greedy`: every tenth connection carries 20 times as much.
    """
    flows: list[tuple[Packet, float]] = []
    count = 0
    for one, other in pairs:
        for client, server in ((one, other), (other, one)):
            for number in range(streams):
                count += 1
                size = 20.0 if greedy and count % 10 == 0 else 1.0
                # Linux counts a client's ports up in steps of two, beginning anywhere; the
                # article's servers listen on three ports.
                ports = 32768 + (count * 7919) % 9000 * 2, 5101 + number % 3
                flows.append((Packet(router, macs[server], client, server, ports), size))
                # An acknowledgement of 66 bytes for two frames of 1514.
                back = Packet(router, macs[client], server, client, (ports[1], ports[0]))
                flows.append((back, size * 66 / 2 / 1514))
    return flows
