"""Where packets are taken, and on which CPU a port is served."""

from __future__ import annotations

import ctypes
import fcntl
import os
import socket
import struct
import tempfile
from pathlib import Path

from ppslab.backends.prober.absence import failed


def tpacket_v3() -> None:
    """The ring from which the receiver reads."""
    version, ring = 10, 5  # PACKET_VERSION, PACKET_RX_RING of <linux/if_packet.h>
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0) as packets:
        packets.setsockopt(263, version, 2)  # SOL_PACKET, TPACKET_V3
        packets.setsockopt(263, ring, struct.pack("7I", 65536, 2, 2048, 64, 1, 0, 0))


def _own_sys() -> Path:
    """A /sys that shows this network namespace; sysfs shows that of whoever mounted it."""
    folder = Path(tempfile.gettempdir()) / "ppslab-probe-sys"
    if not os.path.ismount(folder):
        folder.mkdir(exist_ok=True)
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.mount(b"sys", os.fsencode(folder), b"sysfs", 0, None):
            raise failed("/sys of the namespace", ctypes.get_errno())
    return folder / "class/net/v0"


def rps() -> None:
    """A CPU chosen for what comes in."""
    (_own_sys() / "queues/rx-0/rps_cpus").write_text("1")


def threaded_napi() -> None:
    """A thread of its own for a port."""
    # veth has a NAPI context only with GRO (or native XDP); ethtool(8) may not be installed.
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        gro_on = ctypes.create_string_buffer(struct.pack("II", 0x2C, 1))  # ETHTOOL_SGRO
        request = struct.pack("16sP", b"v0", ctypes.addressof(gro_on)).ljust(40, b"\0")
        fcntl.ioctl(control, 0x8946, request)  # SIOCETHTOOL
    (_own_sys() / "threaded").write_text("1")
