"""Which port of a bond a packet leaves by: the hash of Linux's bonding driver, in Python.

The arithmetic and its source stand in transmit_hash.  A VLAN tag takes no part in it: the
driver's frames carry it beside the frame (skb->vlan_tci), so the protocol that is hashed is that
of the packet behind the tag.  RouterOS calls the policies layer-2, layer-2-and-3, layer-3-and-4.
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from typing import Literal, get_args

from ppslab.core.errors import UsageError
from ppslab.model.bonding import transmit_hash

Policy = Literal["layer2", "layer2+3", "layer3+4"]

POLICIES: tuple[Policy, ...] = get_args(Policy)


@dataclass(frozen=True)
class Packet:
    """What the hash looks at: MAC addresses of the frame, addresses and ports of the packet.

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
        raise UsageError(f"no hash policy {policy!r}: there are {', '.join(POLICIES)}")
    source, target = _address(packet.source), _address(packet.target)
    last = [int(mac.rsplit(":", 1)[-1], 16) for mac in (packet.source_mac, packet.target_mac)]
    ends = transmit_hash.folded(source.packed) ^ transmit_hash.folded(target.packed)
    return transmit_hash.number(
        policy, (last[0], last[1]), ends, packet.ports or (0, 0), source.max_prefixlen
    )


def port_of(packet: Packet, policy: Policy, ports: int) -> int:
    """The number of the port, counted from 0 in the order in which they joined the bond.

    >>> flow = Packet("02:00:c6:12:01:01", "02:00:c6:12:00:02", "198.18.1.2", "198.18.2.2")
    >>> port_of(flow, "layer2", 8)
    3
    """
    return hash_of(packet, policy) % ports


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    try:
        return ipaddress.ip_address(text)
    except ValueError as error:
        raise UsageError(str(error)) from None
