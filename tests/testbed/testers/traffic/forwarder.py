"""A router with a known truth: forwards frames from r1 to r2, and harms some of them on purpose.

Run inside the namespace: `python forwarder.py`; prints `ready` when it listens.  It does to
the frame with sequence number n what the first matching rule says.
"""

from __future__ import annotations

import errno
import os
import socket
import struct
import sys

MAGIC = b"\x50\x50"
PAYLOAD = 42  # of UDP over IPv4 without options
LEARNING = 0x80000000
ETH_P_ALL = 3
SOL_PACKET, PACKET_IGNORE_OUTGOING = 263, 23
SO_RCVBUFFORCE = 33

DROP, DUPLICATE, CORRUPT, FOREIGN, BACK, UNRELATED, SWAP = (11, 13, 17, 19, 23, 29, 7)


def fate(n: int) -> str:
    """What happens to frame n."""
    rules = {
        "drop": DROP,
        "duplicate": DUPLICATE,
        "corrupt": CORRUPT,
        "foreign": FOREIGN,
        "back": BACK,
        "unrelated": UNRELATED,
        "swap": SWAP,
    }
    return next((name for name, every in rules.items() if n % every == every - 1), "pass")


def with_tag(frame: bytes, tag: int) -> bytes:
    """The frame with another trial's tag, and without a UDP checksum."""
    wrong = bytearray(frame)
    wrong[PAYLOAD + 2] = tag
    wrong[PAYLOAD - 2 : PAYLOAD] = b"\x00\x00"
    return bytes(wrong)


def forward(n: int, frame: bytes, held: list[bytes]) -> tuple[list[bytes], list[bytes]]:
    """What frame n makes leave at r2 and at r1; `held` keeps what is to be overtaken."""
    kind = fate(n)
    ahead: list[bytes] = []
    back: list[bytes] = []
    if kind == "swap":
        held.append(frame)
        return [], []
    if kind == "duplicate":
        ahead = [frame, frame]
    elif kind == "corrupt":
        ahead = [frame[:-1] + bytes([frame[-1] ^ 1])]
    elif kind == "foreign":
        ahead = [with_tag(frame, frame[PAYLOAD + 2] ^ 0xFF)]
    elif kind == "back":
        back = [frame]
    elif kind == "unrelated":
        ahead = [frame[:PAYLOAD] + b"\x00\x00" + frame[PAYLOAD + 2 :]]
    elif kind == "pass":
        ahead = [frame]
    if kind in {"pass", "duplicate"} and held:
        ahead.append(held.pop())
    return ahead, back


def arrivals(total: int) -> list[int]:
    """The sequence numbers that arrive at p2 whole, in order, of a trial of `total` frames."""
    held: list[bytes] = []
    arrived: list[int] = []
    for n in range(total):
        frame = bytes(PAYLOAD) + b"\x50\x50" + bytes(2) + struct.pack(">I", n) + bytes(10)
        ahead, _ = forward(n, frame, held)
        if fate(n) in {"corrupt", "foreign", "unrelated"}:
            ahead = ahead[1:]
        arrived += [struct.unpack_from(">I", one, PAYLOAD + 4)[0] for one in ahead]
    return arrived


def listen(interface: str) -> socket.socket:
    """A socket that sees what arrives at the interface, and nothing that leaves it."""
    port = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
    port.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
    port.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 1 << 24)
    port.bind((interface, ETH_P_ALL))
    return port


def send(port: socket.socket, frame: bytes) -> None:
    """Send the frame; again while the backlog, which all on this CPU share, is full."""
    while True:
        try:
            port.send(frame)
            return
        except OSError as error:
            if error.errno != errno.ENOBUFS:
                raise


def main() -> None:
    """Forward until killed."""
    near, far = listen("r1"), listen("r2")
    print("ready", flush=True)
    parent = os.getppid()
    near.settimeout(1)
    held: list[bytes] = []
    while os.getppid() == parent:
        try:
            frame = near.recv(16384)
        except TimeoutError:
            continue
        if frame[PAYLOAD : PAYLOAD + 2] != MAGIC:
            continue
        (n,) = struct.unpack_from(">I", frame, PAYLOAD + 4)
        if n >= LEARNING:
            held.clear()
            send(far, frame)
            continue
        ahead, back = forward(n, frame, held)
        for one in ahead:
            send(far, one)
        for one in back:
            send(near, one)


if __name__ == "__main__":
    sys.exit(main())
