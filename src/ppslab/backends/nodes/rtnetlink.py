"""Links over rtnetlink(7): a veth pair or a bridge made, a link changed.

Written out, as the agent starts in guests that are emulated and read each file for the first time:
pyroute2's message for links brings 47 modules, and `import pyroute2` 0.2 s here, 10 s there.
"""

from __future__ import annotations

import os
import socket
import struct
from collections.abc import Sequence

# linux/if_link.h: attributes of a link
IFNAME, MTU, MASTER, QUEUE_LENGTH, NS_PID, NS_FD = 3, 4, 10, 13, 19, 28
_LINKINFO, _INFO_KIND, _INFO_DATA = 18, 1, 2
_BR_MCAST_SNOOPING = 23
# linux/veth.h
_VETH_INFO_PEER = 1
# linux/rtnetlink.h
_RTM_NEWLINK, _RTM_SETLINK, _RTM_NEWQDISC = 16, 19, 36
_TCA_KIND, _TC_ROOT = 1, 0xFFFFFFFF
# linux/netlink.h: NLM_F_REQUEST, NLM_F_ACK; NLM_F_EXCL or NLM_F_REPLACE, NLM_F_CREATE
_ASK, _MAKE, _REPLACE = 0x1 | 0x4, 0x200 | 0x400, 0x100 | 0x400
_REPLY = 1 << 16
_DEFAULT_QUEUE_LENGTH = 1000

Attribute = tuple[int, int | str]
"""What of a link, and its value: a number of 32 bits or a name."""


def opened() -> socket.socket:
    """A socket for the links of the network namespace that this thread is in."""
    return socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE)


def change(netlink: socket.socket, index: int, *attributes: Attribute) -> None:
    """Change a link over a socket in whose namespace it is.  Raises OSError."""
    _ask(netlink, _RTM_SETLINK, 0, _link(index, _all(attributes)))


def make_bridge(netlink: socket.socket, name: str) -> None:
    """Make a bridge that sends nothing of its own.  Raises OSError: the kernel has no bridges."""
    # With snooping it joins the group of all snoopers, and says so in IGMP.
    data = _attribute(_INFO_DATA, _attribute(_BR_MCAST_SNOOPING, b"\0"))
    info = _attribute(_LINKINFO, _attribute(_INFO_KIND, b"bridge\0") + data)
    _ask(netlink, _RTM_NEWLINK, _MAKE, _link(0, _all([(IFNAME, name)]) + info))


def without_queue(netlink: socket.socket, index: int) -> None:
    """Hand what a link sends to its driver at once (noqueue).  Raises OSError."""
    body = struct.pack("BxHiIII", socket.AF_UNSPEC, 0, index, 0, _TC_ROOT, 0)
    _ask(netlink, _RTM_NEWQDISC, _REPLACE, body + _attribute(_TCA_KIND, b"noqueue\0"))


def make_pair(
    netlink: socket.socket, here: Sequence[Attribute], there: Sequence[Attribute]
) -> None:
    """Make a veth pair of two ends.  Raises OSError: a name is taken, or the kernel has no veth."""
    peer = _attribute(_VETH_INFO_PEER, _link(0, _all(there)))
    info = _attribute(_INFO_KIND, b"veth\0") + _attribute(_INFO_DATA, peer)
    _ask(netlink, _RTM_NEWLINK, _MAKE, _link(0, _all(here) + _attribute(_LINKINFO, info)))


def end(pid: int, name: str, mtu: int) -> list[Attribute]:
    """One end of a pair, in the network of a process."""
    return [(IFNAME, name), (NS_PID, pid), (MTU, mtu), (QUEUE_LENGTH, _DEFAULT_QUEUE_LENGTH)]


def _all(attributes: Sequence[Attribute]) -> bytes:
    return b"".join(
        _attribute(kind, value.encode() + b"\0" if isinstance(value, str) else _number(value))
        for kind, value in attributes
    )


def _number(value: int) -> bytes:
    return struct.pack("I", value)


def _attribute(kind: int, data: bytes) -> bytes:
    """Struct rtattr with its data, padded to four bytes."""
    return struct.pack("HH", 4 + len(data), kind) + data + bytes(-len(data) % 4)


def _link(index: int, attributes: bytes) -> bytes:
    """Struct ifinfomsg, of no family and no type, with attributes; index 0: not there yet."""
    return struct.pack("BxHiII", socket.AF_UNSPEC, 0, index, 0, 0) + attributes


def _ask(netlink: socket.socket, kind: int, flags: int, body: bytes) -> None:
    """Send struct nlmsghdr with a body, and wait for the answer."""
    netlink.send(struct.pack("IHHII", 16 + len(body), kind, _ASK | flags, 1, 0) + body)
    # struct nlmsgerr after struct nlmsghdr: 0, or minus the error
    code = -struct.unpack_from("i", netlink.recv(_REPLY), 16)[0]
    if code:
        raise OSError(code, os.strerror(code))
