"""PPP over Ethernet, and its encryption."""

from __future__ import annotations

import ctypes
import fcntl
import os
import shutil
import socket
import struct
import tempfile
from pathlib import Path

from ppslab.backends.prober.absence import failed, no_program


def pppoe() -> None:
    """The programs of both ends, and sessions whose frames the kernel carries."""
    for program in ("pppd", "pppoe-server"):
        if shutil.which(program) is None:
            raise no_program(program)
    try:
        socket.socket(24, socket.SOCK_STREAM, 0).close()  # AF_PPPOX, PX_PROTO_OE; loads the module
    except OSError as error:
        raise failed("a PPPoE socket", error.errno) from error
    os.close(_ppp())


def mppe() -> None:
    """An interface of PPP that encrypts: ppp_mppe.c, mppe_alloc() takes type, length, bits, key."""
    handle = _ppp()
    try:
        fcntl.ioctl(handle, 0xC004743E, struct.pack("i", -1))  # PPPIOCNEWUNIT
        option = ctypes.create_string_buffer(struct.pack("BB4s16s", 18, 6, b"\1\0\0\x40", b""))
        # PPPIOCSCOMPRESS: struct ppp_option_data {ptr, length, transmit}; it needs no peer.
        data = struct.pack("PIi", ctypes.addressof(option), 22, 1)
        fcntl.ioctl(handle, 0x4010744D, data)
    except OSError as error:
        raise failed("ppp_mppe", error.errno) from error
    finally:
        os.close(handle)


def _ppp() -> int:
    """/dev/ppp, or a node like it: nothing makes it where there is no udev."""
    path = Path("/dev/ppp")
    if not path.exists():
        path = Path(tempfile.gettempdir()) / "ppslab-probe-ppp"
        if not path.exists():
            os.mknod(path, 0o600 | 0o020000, os.makedev(108, 0))
    try:
        return os.open(path, os.O_RDWR)
    except OSError as error:
        raise failed("/dev/ppp", error.errno) from error
