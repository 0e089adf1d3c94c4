"""Run on a node: set tunnels up, send packets into them, and print what left the port, as JSON.

stdin: a list of cases, each {name, setup: [ip commands], device, mtus, sizes, neighbour}.  Every
case has the node's port eth1 towards 198.18.0.2, whose MAC address is known; nothing answers.
Standard library only, since it is started in a guest.
"""

from __future__ import annotations

import ctypes
import fcntl
import json
import os
import socket
import struct
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

PEER_MAC = "02:00:c6:12:00:02"
HOST, TARGET = "198.18.8.1", "198.18.9.2"
"""Packets come from HOST; TARGET is behind the tunnel, MARKED beside it."""
MARKED = "198.18.0.3"
PORT = "eth1"

PPPIOCGCHAN, PPPIOCATTCHAN, PPPIOCCONNECT, PPPIOCNEWUNIT = (
    0x80047437,
    0x40047438,
    0x4004743A,
    0xC004743E,
)
AF_PPPOX, PX_PROTO_OE = 24, 0
ETH_P_ALL, OUTGOING = 3, 4
SOL_PACKET, PACKET_AUXDATA, TP_STATUS_VLAN_VALID = 263, 8, 1 << 4
TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 0x0001, 0x1000
MARK = b"behind what is measured"

kept: list[Any] = []
"""Descriptors that must stay open for a PPPoE session to stay."""


def ip(*lines: str) -> None:
    """ip(8), once for all lines."""
    done = subprocess.run(
        ["ip", "-batch", "-"], input="\n".join(lines), capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"ip: {lines}: {done.stderr}")


def pppoe(device: str) -> None:
    """A session of the kernel's PPPoE without any daemon: ppp(4)'s channel, unit and connection."""
    if not Path("/dev/ppp").exists():
        subprocess.run(["modprobe", "-a", "ppp_generic", "pppoe"], check=True)
        if not Path("/dev/ppp").exists():
            os.mknod("/dev/ppp", 0o600 | 0o020000, os.makedev(108, 0))
    session = socket.socket(AF_PPPOX, socket.SOCK_STREAM, PX_PROTO_OE)
    mac = bytes.fromhex(PEER_MAC.replace(":", ""))
    address = struct.pack("=HI", AF_PPPOX, PX_PROTO_OE) + struct.pack(">H", 7)
    address += mac + device.encode().ljust(16, b"\0")
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.connect(session.fileno(), address, len(address)):
        raise SystemExit(f"connect: {os.strerror(ctypes.get_errno())}")
    number = bytearray(4)
    fcntl.ioctl(session, PPPIOCGCHAN, number)
    channel, unit = (os.open("/dev/ppp", os.O_RDWR) for _ in range(2))
    fcntl.ioctl(channel, PPPIOCATTCHAN, bytes(number))
    made = bytearray(struct.pack("=i", -1))
    fcntl.ioctl(unit, PPPIOCNEWUNIT, made)
    fcntl.ioctl(channel, PPPIOCCONNECT, bytes(made))
    kept.extend((session, channel, unit))


def let_go() -> None:
    for each in kept:
        each.close() if isinstance(each, socket.socket) else os.close(each)
    kept.clear()


def clean() -> None:
    """Leave the port and nothing else; what stands on another goes first."""
    let_go()
    names = interfaces()
    if "tun1" in names and Path("/sys/module/l2tp_eth").exists():
        # An L2TP interface goes with its tunnel, a moment later, and the tunnel's number is free
        # after that; where there is none, this fails.
        gone = ["ip", "l2tp", "del", "tunnel", "tunnel_id", "7"]
        if subprocess.run(gone, capture_output=True, check=False).returncode == 0:
            shown = ["ip", "l2tp", "show", "tunnel"]
            while "tun1" in interfaces() or subprocess.check_output(shown):
                time.sleep(0.01)
            names = interfaces()
    ours = [f"link del {name}" for name in ("port1", "tun1") if name in names]
    ip("xfrm policy flush", "xfrm state flush", f"route flush {TARGET}/32", *ours)


def interfaces() -> list[str]:
    shown = subprocess.run(["ip", "-j", "link"], capture_output=True, check=True).stdout
    return [link["ifname"] for link in json.loads(shown)]


def tunnel_device() -> int:
    """A TUN device: what is written to it, the node routes."""
    device = os.open("/dev/net/tun", os.O_RDWR)
    fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH", b"from1", IFF_TUN | IFF_NO_PI))
    ip("link set from1 up mtu 9000", f"route add {HOST}/32 dev from1")
    return device


def packet(size: int, destination: str, payload: bytes = b"") -> bytes:
    """An IPv4 packet of UDP from the host behind the node, without DF."""
    addresses = socket.inet_aton(HOST) + socket.inet_aton(destination)
    start = struct.pack(">BBHHHBBH", 0x45, 0, size, 1, 0, 64, socket.IPPROTO_UDP, 0)
    total = sum(struct.unpack(">10H", start + addresses))
    total = (total & 0xFFFF) + (total >> 16)
    check = ~((total & 0xFFFF) + (total >> 16)) & 0xFFFF
    header = start[:10] + struct.pack(">H", check) + addresses
    # A checksum of zero is none (RFC 768).
    return header + struct.pack(">HHHH", 9, 9, size - 20, 0) + payload.rjust(size - 28, b"\x5a")


def frames_of(size: int, source: int, port: socket.socket) -> list[int]:
    """The frames that left the port for one packet, in bytes, without frame check sequence."""
    os.write(source, packet(size, TARGET))
    os.write(source, packet(100, MARKED, MARK))
    frames = []
    while True:
        data, said, _, address = port.recvmsg(65536, 64)
        if address[2] != OUTGOING:
            continue
        if data.endswith(MARK):
            return frames
        # A tag that the card would put in is not yet in the frame (packet(7), PACKET_AUXDATA).
        status = struct.unpack_from("=I", said[0][2])[0]
        frames.append(len(data) + (4 if status & TP_STATUS_VLAN_VALID else 0))


def measured(
    case: dict[str, Any], source: int, port: socket.socket
) -> dict[str, dict[str, list[int]]]:
    """By MTU of the interface and by size of the packet: the frames."""
    device = case["device"]
    learnt = f"neighbour replace {TARGET} lladdr {PEER_MAC} dev {device}"
    lines = [f"link set {device} up", f"route replace {TARGET}/32 dev {device}"]
    lines += [learnt] if case["neighbour"] else []
    found = {}
    for mtu in case["mtus"]:
        ip(*lines, f"link set {device} mtu {mtu}")
        lines = []
        found[str(mtu)] = {str(size): frames_of(size, source, port) for size in case["sizes"]}
    return found


def main() -> None:
    ip(f"link set {PORT} up mtu 1500", f"neighbour replace {MARKED} lladdr {PEER_MAC} dev {PORT}")
    source = tunnel_device()
    port = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
    port.bind((PORT, ETH_P_ALL))
    port.setsockopt(SOL_PACKET, PACKET_AUXDATA, 1)
    port.settimeout(120)
    said = {}
    for case in json.load(sys.stdin):
        clean()
        if case["pppoe"]:
            pppoe(PORT)
        ip(*case["setup"])
        try:
            said[case["name"]] = measured(case, source, port)
        except TimeoutError:
            raise SystemExit(f"{case['name']}: the packet behind it never left") from None
    clean()
    json.dump(said, sys.stdout)


if __name__ == "__main__":
    main()
