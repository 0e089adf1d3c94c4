"""Wires between network cards of which one has several queues: taps, and a bridge a wire.

    python -m ppslab.testbed.backends.vm.taps SOCKET '[[1, 4]]'

makes them in a network namespace of its own, and sends the taps' open files over the socket.
QEMU's own sockets carry one queue.  A tap has as many as it is opened times
(Linux: Documentation/networking/tuntap.rst, IFF_MULTI_QUEUE).

Nothing has to be cleaned up.  No tap is made to persist, so each goes with the last of its open
files, which only QEMU keeps, however that ends.  The namespace has neither a name nor a process:
it lives as long as one of these files, and takes the bridges along.

Which queue of a card a frame comes in by is the host's choice, not the card's: the tap driver
takes the queue by which the guest sent last in that stream, and if it sent nothing, one by a hash
of addresses, protocol and ports (drivers/net/tun.c, tun_automq_select_queue()).
"""

from __future__ import annotations

import fcntl
import json
import os
import socket
import struct
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from ppslab.core.errors import CannotHereError
from ppslab.testbed.backends.nodes import isolation, veth

TUN = Path("/dev/net/tun")
# linux/if_tun.h
_TUNSETIFF = 0x400454CA
_IFF_TAP, _IFF_MULTI_QUEUE, _IFF_NO_PI, _IFF_VNET_HDR = 0x2, 0x100, 0x1000, 0x4000
# The largest that a tap takes (tun_net_initialize()): how long a frame may be is the cards' affair.
_MTU = 65521
_FRAMES = 32768
"""That wait in each queue for a guest that is emulated; of a thousand, its sender fills them, and a
ninth of a trial's frames was lost on the wire."""
# At most as many files as the kernel passes on in one message (SCM_MAX_FD in net/scm.h).
_MOST_FILES = 253

_SETTINGS = {
    # No address, so no frame of the host's own on the wires.
    "ipv6/conf/all/disable_ipv6": "1",
    "ipv6/conf/default/disable_ipv6": "1",
    # With br_netfilter a bridge looks into the packets, and drops what IP would.
    "bridge/bridge-nf-call-iptables": "0",
    "bridge/bridge-nf-call-ip6tables": "0",
    "bridge/bridge-nf-call-arptables": "0",
}
"""Below /proc/sys/net, as far as the kernel has them."""

Wire = tuple[int, int]
"""The numbers of queues of the two cards."""
Files = list[int]
"""A card's open files, one for each queue."""


def opened(wires: Sequence[Wire]) -> list[tuple[Files, Files]]:
    """The open files of both cards of each wire; close them once QEMU has them.

    CannotHereError where this user can have neither taps nor a namespace for them.
    """
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            maker = subprocess.Popen(
                [sys.executable, "-P", "-m", __name__, str(theirs.fileno()), json.dumps(wires)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                pass_fds=[theirs.fileno()],
                text=True,
            )
        _, files, _, _ = socket.recv_fds(ours, 1, _MOST_FILES)
        said = maker.communicate()[1].strip().splitlines()
    if not files:
        why = said[-1] if said else f"the maker ended with {maker.returncode}"
        raise CannotHereError(
            f"network cards with several queues need taps, and there are none: {why}",
            isolation.remedy(),
        )
    left = iter(files)
    return [([next(left) for _ in range(a)], [next(left) for _ in range(b)]) for a, b in wires]


def make(wires: Sequence[Wire]) -> list[tuple[Files, Files]]:
    """Make the taps and bridges of all wires in this process's network namespace.

    Raises OSError: no tun device, no right to it, or a kernel without bridges.
    """
    for key, value in _SETTINGS.items():
        setting = Path("/proc/sys/net", key)
        if setting.exists():
            setting.write_text(value)
    made = []
    with veth.opened() as netlink:
        for number, (a, b) in enumerate(wires):
            bridge = f"w{number}"
            veth.make_bridge(netlink, bridge)
            veth.set_flags(bridge, on=veth.UP)
            made.append(
                (_tap(netlink, f"{bridge}a", bridge, a), _tap(netlink, f"{bridge}b", bridge, b))
            )
    return made


def _tap(netlink: socket.socket, name: str, bridge: str, queues: int) -> Files:
    """A tap in a bridge, open once for each queue."""
    files = [_queue(name, several=queues > 1) for _ in range(queues)]
    index = socket.if_nametoindex(name)
    veth.change(netlink, index, (veth.MTU, _MTU))
    veth.set_flags(name, on=veth.UP)
    # First: pfifo_fast would have three bands of that length for each of 256 queues.
    veth.without_queue(netlink, index)
    veth.change(netlink, index, (veth.QUEUE_LENGTH, _FRAMES))
    # Last: a port that is up when it comes into a bridge that is up forwards at once.
    veth.change(netlink, index, (veth.MASTER, socket.if_nametoindex(bridge)))
    return files


def _queue(name: str, *, several: bool) -> int:
    """A queue of the tap `name`, which the first one makes."""
    handle = os.open(TUN, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        flags = _IFF_TAP | _IFF_NO_PI | _IFF_VNET_HDR | (_IFF_MULTI_QUEUE if several else 0)
        fcntl.ioctl(handle, _TUNSETIFF, struct.pack("16sH22x", name.encode(), flags))
    except OSError:
        os.close(handle)
        raise
    return handle


def main(arguments: Sequence[str]) -> int:
    """Run as the module's docstring says; exit code 1 with the reason on stderr."""
    handle, wires = int(arguments[0]), json.loads(arguments[1])
    try:
        isolation.enter_network()
        made = make(wires)
    except (OSError, CannotHereError) as error:
        print(error, file=sys.stderr)
        return 1
    with socket.socket(fileno=handle) as out:
        socket.send_fds(out, [b"\0"], [each for ends in made for end in ends for each in end])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
