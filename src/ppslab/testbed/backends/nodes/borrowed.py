"""Network interfaces of the machine itself: lent to a node, and put back as they were.

What a physical interface loses with its namespace is told by network_namespaces(7): the kernel
gives it back to the first network namespace, down and under the name that it had last.  So what it
was stands in a file before it moves (`path`), and who finds that file later puts the rest right.

Runs in the agent; `sweep` in whoever finds what a killed agent left.
"""

from __future__ import annotations

import errno
import json
import socket
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from ppslab.core.errors import FileError
from ppslab.core.processes import boot_id
from ppslab.testbed.backends.agent.process import NodeError
from ppslab.testbed.backends.nodes import interfaces, kernel, veth

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

    def take(self, interface: str, node: int, inside: Inside, name: str, mtu: int) -> None:
        """Move an interface into a node, as `name` with at least `mtu`.

        `node`: a pid in the node; `inside` enters it.  Raises OSError: there is no
        such interface, this user may not, or it does not take the MTU.
        """
        with kernel.in_network(self._home):
            lent = _read(interface)
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
                back = (veth.MTU, lent.mtu), (veth.NS_FD, self._home), (veth.IFNAME, lent.name)
                with inside(), veth.opened() as netlink:
                    _down(name)
                    veth.turn_features(name, lent.features)
                    veth.change(netlink, socket.if_nametoindex(name), *back)
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
        said = {"boot": boot_id(), "interfaces": [asdict(lent) for lent, _, _ in self._away]}
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
        lent = [Lent(**interface) for interface in said["interfaces"]]
        waiting = time.time() - path.stat().st_mtime < _COMES_BACK_SECONDS
    except (OSError, ValueError, KeyError, TypeError):
        path.unlink(missing_ok=True)
        return
    if said.get("boot") != boot_id():  # after a boot they are as the machine set them up
        path.unlink(missing_ok=True)
        return
    missing = False
    there = {link.get("address"): link["ifname"] for link in interfaces.ip("link", "show")}
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


def _raise(lent: Lent) -> None:
    if lent.up:
        veth.set_flags(lent.name, on=veth.UP)


def _down(name: str) -> None:
    veth.set_flags(name, off=veth.UP | veth.PROMISC)


def _read(name: str) -> Lent:
    features = veth.features_on(name)  # before `ip`: an OSError where there is no such interface
    link = interfaces.ip("link", "show", "dev", name)[0]
    return Lent(name, link["address"], link["mtu"], "UP" in link["flags"], features)
