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
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager

# linux/sockios.h, linux/if.h
_SIOCGIFFLAGS = 0x8913
_SIOCSIFFLAGS = 0x8914
_SIOCETHTOOL = 0x8946
_IFF_UP = 0x1
# linux/ethtool.h
_GSTRINGS, _GSSET_INFO, _GFEATURES, _SFEATURES = 0x1B, 0x37, 0x3A, 0x3B
_FEATURE_NAMES, _NAME_BYTES = 4, 32
# Features by which one buffer is many frames, or a frame's checksum is still to be made; those of
# tunnels too (tx-gre-segmentation, ...). Fixed ones cannot be turned, and are off on a veth.
_OFFLOAD = re.compile(r"tx-checksum-.*|rx-checksum|.*-segmentation|tx-gso-.*|rx-gro.*")


def loopback_up() -> None:
    """Set `lo` up in the namespace of this process."""
    with ioctls() as control:
        _up(control, "lo")


def ports_up(names: list[str]) -> None:
    """Turn the ports' offloads off, then set them up, in the namespace of this process.

    A veth with offloads hands over frames without a checksum, and several as one (GSO, GRO):
    packets per second would count something else. GRO also switches veth to NAPI.
    Raises OSError when an offload stays on.
    """
    with ioctls() as control:
        for name in names:
            _offloads_off(control, name)
            _up(control, name)


def up(name: str) -> None:
    with ioctls() as control:
        _up(control, name)


def features_on(control: socket.socket, port: str) -> list[str]:
    """The features (ethtool -k) that are on and can be turned off, by the kernel's names."""
    names = _feature_names(control, port)
    blocks = _features(control, port, len(names))
    return [
        name
        for bit, name in enumerate(names)
        for _, _, active, never_changed in [blocks[bit // 32]]
        if (active & ~never_changed) >> bit % 32 & 1
    ]


def turn_features(port: str, on: Collection[str]) -> None:
    """Turn exactly these features on, and all others off that can be turned."""
    with ioctls() as control:
        names = _feature_names(control, port)
        blocks = _features(control, port, len(names))
        wanted = b""
        for number, (available, _, _, never_changed) in enumerate(blocks):
            bits = {bit for bit, name in enumerate(names) if bit // 32 == number and name in on}
            requested = sum(1 << bit % 32 for bit in bits)
            wanted += struct.pack("II", available & ~never_changed, requested)
        _ethtool(control, port, struct.pack("II", _SFEATURES, len(blocks)) + wanted)


@contextmanager
def ioctls() -> Iterator[socket.socket]:
    """A socket for the ioctls of netdevice(7), in the network namespace of this process."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        yield control


def _up(control: socket.socket, name: str) -> None:
    request = struct.pack("16sH14x", name.encode(), 0)
    answer = fcntl.ioctl(control, _SIOCGIFFLAGS, request)
    flags = struct.unpack("16sH14x", answer)[1]
    fcntl.ioctl(control, _SIOCSIFFLAGS, struct.pack("16sH14x", name.encode(), flags | _IFF_UP))


def _ethtool(control: socket.socket, name: str, argument: bytes) -> bytes:
    """An ioctl SIOCETHTOOL: the argument, as the kernel left it."""
    memory = array.array("B", argument)
    address, _ = memory.buffer_info()
    fcntl.ioctl(control, _SIOCETHTOOL, struct.pack("16sP16x", name.encode(), address))
    return memory.tobytes()


def _feature_names(control: socket.socket, port: str) -> list[str]:
    """The kernel's names of the features, by their bits."""
    ask = struct.pack("IIQI", _GSSET_INFO, 0, 1 << _FEATURE_NAMES, 0)
    count = struct.unpack("IIQI", _ethtool(control, port, ask))[3]
    ask = struct.pack("III", _GSTRINGS, _FEATURE_NAMES, count) + bytes(count * _NAME_BYTES)
    raw = _ethtool(control, port, ask)[12:]
    return [
        raw[at : at + _NAME_BYTES].rstrip(b"\0").decode() for at in range(0, len(raw), _NAME_BYTES)
    ]


def _features(control: socket.socket, port: str, count: int) -> list[tuple[int, ...]]:
    """The kernel's flags of the features, in blocks of 32 bits.

    struct ethtool_get_features_block: available, requested, active, never_changed.
    """
    blocks = (count + 31) // 32
    ask = struct.pack("II", _GFEATURES, blocks) + bytes(16 * blocks)
    return list(struct.iter_unpack("IIII", _ethtool(control, port, ask)[8:]))


def _offloads_off(control: socket.socket, port: str) -> None:
    names = _feature_names(control, port)
    bits = [bit for bit, name in enumerate(names) if _OFFLOAD.fullmatch(name)]
    blocks = (len(names) + 31) // 32
    masks = [sum(1 << bit % 32 for bit in bits if bit // 32 == block) for block in range(blocks)]
    # struct ethtool_set_features_block: valid, requested
    wanted = b"".join(struct.pack("II", mask, 0) for mask in masks)
    _ethtool(control, port, struct.pack("II", _SFEATURES, blocks) + wanted)
    got = _features(control, port, len(names))
    # A card may insist on verifying what it receives: that changes no frame.
    still = [
        names[bit]
        for bit in bits
        if got[bit // 32][2] >> bit % 32 & 1
        and (names[bit] != "rx-checksum" or got[bit // 32][0] >> bit % 32 & 1)
    ]
    if still:
        raise OSError(errno.ENOTSUP, f"stays on: {', '.join(still)}", port)


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
