"""Links: veth pairs made straight into the namespaces of two nodes, with their final names.

Nothing passes through the agent's namespace, so labs side by side never meet a name of another.
"""

from __future__ import annotations

import array
import errno
import fcntl
import os
import re
import socket
import struct
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

# linux/sockios.h, linux/ethtool.h
_SIOCETHTOOL = 0x8946
_GSTRINGS, _GSSET_INFO, _GFEATURES, _SFEATURES = 0x1B, 0x37, 0x3A, 0x3B
_FEATURE_NAMES, _NAME_BYTES = 4, 32
# Features by which one buffer is many frames, or a frame's checksum is still to be made; those of
# tunnels too (tx-gre-segmentation, ...). Fixed ones cannot be turned, and are off on a veth.
_OFFLOAD = re.compile(r"tx-checksum-.*|rx-checksum|.*-segmentation|tx-gso-.*|rx-gro.*")


def ports_up(names: list[str]) -> None:
    """Turn the ports' offloads off, then set them up, in the namespace of this process.

    A veth with offloads hands over frames without a checksum, and several as one (GSO, GRO):
    packets per second would count something else. GRO also switches veth to NAPI.
    Raises OSError when an offload stays on.
    """
    for name in names:
        _turn(name, {one.name: False for one in _features(name) if _OFFLOAD.fullmatch(one.name)})
        # A card may insist on verifying what it receives: that changes no frame.
        still = [
            one.name
            for one in _features(name)
            if one.active and _OFFLOAD.fullmatch(one.name)
            and (one.name != "rx-checksum" or one.available)
        ]  # fmt: skip
        if still:
            raise OSError(errno.ENOTSUP, f"stays on: {', '.join(still)}", name)
        set_flags(name, on=UP)


def features_on(port: str) -> list[str]:
    """The features (ethtool -k) that are on and can be turned off, by the kernel's names."""
    return [one.name for one in _features(port) if one.active and not one.never_changed]


def turn_features(port: str, on: Collection[str]) -> None:
    """Turn exactly these features on, and all others off that can be turned."""
    can = [one.name for one in _features(port) if one.available and not one.never_changed]
    _turn(port, {name: name in on for name in can})


class _Feature(NamedTuple):
    """A feature's name, and its bit in each word of struct ethtool_get_features_block."""

    name: str
    available: int
    requested: int
    active: int
    never_changed: int


def _features(port: str) -> list[_Feature]:
    """The features in the order of their bits; some bits have no name."""
    ask = struct.pack("IIQI", _GSSET_INFO, 0, 1 << _FEATURE_NAMES, 0)
    count = struct.unpack("IIQI", _ethtool(port, ask))[3]
    ask = struct.pack("III", _GSTRINGS, _FEATURE_NAMES, count) + bytes(count * _NAME_BYTES)
    names = struct.iter_unpack(f"{_NAME_BYTES}s", _ethtool(port, ask)[12:])
    blocks = (count + 31) // 32
    ask = struct.pack("II", _GFEATURES, blocks) + bytes(16 * blocks)
    words = list(struct.iter_unpack("IIII", _ethtool(port, ask)[8:]))
    return [
        _Feature(name.rstrip(b"\0").decode(), *(word >> bit % 32 & 1 for word in words[bit // 32]))
        for bit, (name,) in enumerate(names)
    ]


def _turn(port: str, wanted: Mapping[str, bool]) -> None:
    """Turn these features on or off, by struct ethtool_set_features_block: valid, requested."""
    states = _features(port)
    words = [0, 0] * ((len(states) + 31) // 32)
    for bit, state in enumerate(states):
        if state.name in wanted:
            words[bit // 32 * 2] |= 1 << bit % 32
            words[bit // 32 * 2 + 1] |= wanted[state.name] << bit % 32
    _ethtool(port, struct.pack(f"{2 + len(words)}I", _SFEATURES, len(words) // 2, *words))


def _ethtool(name: str, argument: bytes) -> bytes:
    """An ioctl SIOCETHTOOL, netdevice(7): the argument, as the kernel left it."""
    memory = array.array("B", argument)
    request = struct.pack("16sP16x", name.encode(), memory.buffer_info()[0])
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        fcntl.ioctl(control, _SIOCETHTOOL, request)
    return memory.tobytes()


# linux/if.h
UP, PROMISC = 0x1, 0x100
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
"""An attribute of a link and its value: a number of 32 bits or a name."""


def opened() -> socket.socket:
    """A socket for the links of the network namespace that this thread is in."""
    return socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE)


def change(netlink: socket.socket, index: int, *attributes: Attribute) -> None:
    """Change a link over a socket in whose namespace it is.  Raises OSError."""
    _ask(netlink, _RTM_SETLINK, 0, _link(index, _all(attributes)))


def set_flags(name: str, on: int = 0, off: int = 0) -> None:
    """Set flags of a link in the namespace of this process, and clear others.  Raises OSError."""
    with opened() as netlink:
        index = socket.if_nametoindex(name)
        _ask(netlink, _RTM_SETLINK, 0, _link(index, b"", on, on | off))


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
    """Make a veth pair of two ends (`end`), straight into the nodes' namespaces.

    Raises OSError: a name is taken, or the kernel has no veth.
    """
    peer = _attribute(_VETH_INFO_PEER, _link(0, _all(there)))
    info = _attribute(_INFO_KIND, b"veth\0") + _attribute(_INFO_DATA, peer)
    _ask(netlink, _RTM_NEWLINK, _MAKE, _link(0, _all(here) + _attribute(_LINKINFO, info)))


def end(pid: int, name: str, mtu: int) -> list[Attribute]:
    """One end of a pair, in the network of a process."""
    return [(IFNAME, name), (NS_PID, pid), (MTU, mtu), (QUEUE_LENGTH, _DEFAULT_QUEUE_LENGTH)]


def _all(attributes: Sequence[Attribute]) -> bytes:
    return b"".join(
        _attribute(
            kind, value.encode() + b"\0" if isinstance(value, str) else struct.pack("I", value)
        )
        for kind, value in attributes
    )


def _attribute(kind: int, data: bytes) -> bytes:
    """Struct rtattr with its data, padded to four bytes."""
    return struct.pack("HH", 4 + len(data), kind) + data + bytes(-len(data) % 4)


def _link(index: int, attributes: bytes, flags: int = 0, changed: int = 0) -> bytes:
    """Struct ifinfomsg, of no family and no type, with attributes; index 0: not there yet."""
    return struct.pack("BxHiII", socket.AF_UNSPEC, 0, index, flags, changed) + attributes


def _ask(netlink: socket.socket, kind: int, flags: int, body: bytes) -> None:
    """Send struct nlmsghdr with a body, and wait for the answer."""
    netlink.send(struct.pack("IHHII", 16 + len(body), kind, _ASK | flags, 1, 0) + body)
    # struct nlmsgerr after struct nlmsghdr: 0, or minus the error
    code = -struct.unpack_from("i", netlink.recv(_REPLY), 16)[0]
    if code:
        raise OSError(code, os.strerror(code))
