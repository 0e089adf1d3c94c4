"""The port of a bond that a packet leaves by: the hash of Linux's bonding driver, in Python.

Documentation/networking/bonding.rst, `xmit_hash_policy`; drivers/net/bonding/bond_main.c of Linux
6.1: `__bond_xmit_hash`, `bond_eth_hash`, `bond_ip_hash`.  A VLAN tag takes no part in it: the
driver's frames carry it beside the frame (skb->vlan_tci), so the protocol that is hashed is that
of the packet behind the tag.  RouterOS calls the policies layer-2, layer-2-and-3, layer-3-and-4.

MicroPython runs this in pages: no dataclasses.
"""

from __future__ import annotations

from typing import Literal

from ppslab.core.errors import UsageError
from rosexplain.addresses import packed

Policy = Literal["layer2", "layer2+3", "layer3+4"]

POLICIES: tuple[Policy, ...] = ("layer2", "layer2+3", "layer3+4")

# linux/if_ether.h
PROTOCOLS = {32: 0x0800, 128: 0x86DD}
"""The protocol number in a frame, by the bits of the packet's addresses."""


def number(policy: str, macs: tuple[int, int], ends: int, ports: tuple[int, int], bits: int) -> int:
    """The 32-bit hash.

    `macs`: the last bytes of the frame's source and destination; `ends`: the exclusive or of both
    addresses, `folded`; `ports`: 0, 0 for a fragment or a protocol without; `bits`: 32 or 128, what
    an address has.
    """
    return steps(policy, macs, ends, ports, bits)[-1]


def steps(
    policy: str, macs: tuple[int, int], ends: int, ports: tuple[int, int], bits: int
) -> tuple[int, ...]:
    """The values that the hash has one after the other, the last of which it is; see `number`."""
    if policy == "layer3+4":
        # The driver reads the four bytes of the two ports, as they stand in the packet, as one
        # number of its own byte order: that of a little-endian machine here.
        begun = ports[0] >> 8 | (ports[0] & 255) << 8
        begun |= (ports[1] >> 8 | (ports[1] & 255) << 8) << 16
    else:
        begun = macs[0] ^ macs[1] ^ PROTOCOLS[bits]
        if policy == "layer2":
            return (begun,)
    joined = begun ^ ends
    halved = joined ^ joined >> 16
    folded_once = halved ^ halved >> 8
    if policy == "layer3+4":
        # Clients count their ports up in steps of two, so the lowest bit is always the same.
        return begun, joined, folded_once, folded_once >> 1
    return begun, joined, folded_once


def named(policy: str) -> tuple[str, ...]:
    """What each of the `steps` takes in."""
    if policy == "layer3+4":
        return (
            "both ports",
            "and both IP addresses",
            "all bytes folded into the last one",
            "without its lowest bit",
        )
    begun = "last bytes of both MAC addresses, and the protocol"
    if policy == "layer2":
        return (begun,)
    return begun, "and both IP addresses", "all bytes folded into the last one"


def folded(address: bytes) -> int:
    """An address as 32 bits: of IPv6 the exclusive or of its four words (`ipv6_addr_hash`)."""
    value = 0
    for start in range(0, len(address), 4):
        value ^= int.from_bytes(address[start : start + 4], "little")
    return value


class Packet:
    """The fields that the hash reads: a frame's MAC addresses, its packet's addresses and ports.

    `ports`: source, destination; None for a fragment, or a protocol that has none.
    """

    def __init__(
        self,
        source_mac: str,
        target_mac: str,
        source: str,
        target: str,
        ports: tuple[int, int] | None = None,
    ) -> None:
        self.source_mac = source_mac
        self.target_mac = target_mac
        self.source = source
        self.target = target
        self.ports = ports


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
    last = [int(mac.rsplit(":", 1)[-1], 16) for mac in (packet.source_mac, packet.target_mac)]
    ends = folded(source) ^ folded(target)
    return number(policy, (last[0], last[1]), ends, packet.ports or (0, 0), 8 * len(source))


def port_of(packet: Packet, policy: Policy, ports: int) -> int:
    """The number of the port, counted from 0 in the order in which they joined the bond.

    >>> flow = Packet("02:00:c6:12:01:01", "02:00:c6:12:00:02", "198.18.1.2", "198.18.2.2")
    >>> port_of(flow, "layer2", 8)
    3
    """
    return hash_of(packet, policy) % ports
