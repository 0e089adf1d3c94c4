"""The arithmetic of a bond's transmit hash, on bytes: the one copy of it.

Documentation/networking/bonding.rst, `xmit_hash_policy`; drivers/net/bonding/bond_main.c of Linux
6.1: `__bond_xmit_hash`, `bond_eth_hash`, `bond_ip_hash`.  ports.py has it with words and
checks, the widget shows it step by step.
"""

from __future__ import annotations

POLICIES = ("layer2", "layer2+3", "layer3+4")

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


def folded(packed: bytes) -> int:
    """An address as 32 bits: of IPv6 the exclusive or of its four words (`ipv6_addr_hash`)."""
    value = 0
    for start in range(0, len(packed), 4):
        value ^= int.from_bytes(packed[start : start + 4], "little")
    return value
