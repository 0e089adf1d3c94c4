"""Network interfaces of the machine itself: lent to a node, and put back as they were.

What a physical interface loses with its namespace is told by network_namespaces(7): the kernel
gives it back to the first network namespace, down and under the name that it had last.  So what it
was stands in a file before it moves (`path`), and who finds that file later puts the rest right.

Runs in the agent; `sweep` in whoever finds what a killed agent left.
"""

from __future__ import annotations

import array
import errno
import fcntl
import json
import socket
import struct
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from ppslab.core.errors import FileError
from ppslab.testbed.backends.agent.process import NodeError
from ppslab.testbed.backends.nodes import kernel, veth

# linux/sockios.h, linux/if.h
_SIOCGIFFLAGS, _SIOCSIFFLAGS = 0x8913, 0x8914
_SIOCGIFMTU, _SIOCGIFHWADDR = 0x8921, 0x8927
_IFF_UP, _IFF_PROMISC = 0x1, 0x100
_COMES_BACK_SECONDS = 60.0
"""Within which the kernel gives back what a killed agent had: namespaces are taken down later."""


Inside = Callable[[], AbstractContextManager[None]]


@dataclass(frozen=True)
class Lent:
    """An interface's former state; `features` were on and can be switched (ethtool -k)."""

    name: str
    mac: str
    mtu: int
    up: bool
    features: Sequence[str]


class Borrowed:
    """The interfaces that one deployment has borrowed.

    `home`: a file of the network namespace that they are from.  `path`: the file in which it
    stands what they were, while they are away.
    """

    def __init__(self, home: int, path: Path) -> None:
        self._home = home
        self._path = path
        self._away: list[tuple[Lent, str, Inside]] = []

    def take(
        self,
        interface: str,
        node: int,
        inside: Inside,
        name: str,
        mtu: int,
    ) -> None:
        """Move an interface into a node, as `name` with at least `mtu`.

        `node`: a pid in the node; `inside` enters it.  Raises OSError: there is no
        such interface, this user may not, or it does not take the MTU.
        """
        with kernel.in_network(self._home), veth.ioctls() as control:
            lent = _read(control, interface)
            self._away.append((lent, name, inside))
            try:
                self._save()
                with veth.opened() as netlink:
                    index = socket.if_nametoindex(interface)
                    veth.change(netlink, index, (veth.NS_PID, node), (veth.IFNAME, name))
            except OSError:
                self._away.pop()
                self._save()
                raise
        with inside(), veth.opened() as netlink:
            index = socket.if_nametoindex(name)
            veth.change(netlink, index, (veth.MTU, max(mtu, lent.mtu)))

    def give_back(self) -> None:
        """Put every interface back as it was; OSError, after all were tried, where one failed."""
        failed: OSError | None = None
        for lent, name, inside in reversed(self._away[:]):
            try:
                with inside():
                    _send_home(lent, name, self._home)
                with kernel.in_network(self._home):
                    _raise(lent)
                self._away.remove((lent, name, inside))
            except OSError as error:
                failed = error
            except NodeError:  # the node is gone: the kernel has the interface
                failed = OSError(errno.ENODEV, "its namespace is gone", lent.name)
        self._save()
        if failed:
            raise failed

    def _save(self) -> None:
        if not self._away:
            self._path.unlink(missing_ok=True)
            return
        said = {"boot": _boot(), "interfaces": [asdict(lent) for lent, _, _ in self._away]}
        # An agent starts without what documents need, and few agents borrow.
        from ppslab.core import documents  # noqa: PLC0415

        try:
            documents.write_json(self._path, said)
        except FileError as error:
            raise OSError(errno.EIO, str(error)) from error


def sweep(path: Path) -> None:
    """Put back what a killed agent had borrowed, as far as the kernel has given it back by now.

    The file goes when all of it is back, or when what is missing will not come any more: an
    interface without hardware ends with its namespace.
    """
    try:
        said = json.loads(path.read_text())
        lent = [
            Lent(**{**each, "features": tuple(each["features"])}) for each in said["interfaces"]
        ]
        waiting = time.time() - path.stat().st_mtime < _COMES_BACK_SECONDS
    except (OSError, ValueError, KeyError, TypeError):
        path.unlink(missing_ok=True)
        return
    if said.get("boot") != _boot():  # after a boot they are as the machine set them up
        path.unlink(missing_ok=True)
        return
    missing = False
    with veth.ioctls() as control:
        there = {_mac(control, name): name for _, name in socket.if_nameindex()}
    for each in lent:
        name = there.get(each.mac)
        if name is None:
            missing = True
            continue
        with suppress(OSError), veth.opened() as netlink:
            _down(name)
            index = socket.if_nametoindex(name)
            veth.change(netlink, index, (veth.IFNAME, each.name), (veth.MTU, each.mtu))
            veth.turn_features(each.name, each.features)
            _raise(each)
    if not (missing and waiting):
        path.unlink(missing_ok=True)


def _send_home(lent: Lent, name: str, home: int) -> None:
    """In the node: restore the interface, and move it out."""
    _down(name)
    veth.turn_features(name, lent.features)
    with veth.opened() as netlink:
        index = socket.if_nametoindex(name)
        veth.change(
            netlink,
            index,
            (veth.MTU, lent.mtu),
            (veth.NS_FD, home),
            (veth.IFNAME, lent.name),
        )


def _raise(lent: Lent) -> None:
    if lent.up:
        veth.up(lent.name)


def _down(name: str) -> None:
    with veth.ioctls() as control:
        flags = _flags(control, name) & ~(_IFF_UP | _IFF_PROMISC)
        fcntl.ioctl(control, _SIOCSIFFLAGS, struct.pack("16sH14x", name.encode(), flags))


def _read(control: socket.socket, name: str) -> Lent:
    mtu = struct.unpack_from("16si", _ask(control, _SIOCGIFMTU, name))[1]
    return Lent(
        name=name,
        mac=_mac(control, name),
        mtu=mtu,
        up=bool(_flags(control, name) & _IFF_UP),
        features=veth.features_on(control, name),
    )


def _mac(control: socket.socket, name: str) -> str:
    return _ask(control, _SIOCGIFHWADDR, name)[18:24].hex(":")


def _flags(control: socket.socket, name: str) -> int:
    return int(struct.unpack_from("16sH", _ask(control, _SIOCGIFFLAGS, name))[1])


def _ask(control: socket.socket, request: int, name: str) -> bytes:
    memory = array.array("B", struct.pack("16s24x", name.encode()))
    try:
        fcntl.ioctl(control, request, memory, True)
    except OSError as error:
        raise OSError(error.errno, error.strerror, name) from None
    return memory.tobytes()


def _boot() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
