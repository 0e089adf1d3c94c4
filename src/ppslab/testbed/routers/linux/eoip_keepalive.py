"""EoIP's keepalives for a Linux end of a tunnel, whose kernel knows none.

    python -m ppslab.testbed.routers.linux.eoip_keepalive 198.19.1.2 198.19.2.2 --tunnel-id 100 \
        --interface eoip1

It sends one every ten seconds.  Where `--interface` is named, that interface is taken down after
ten of the other end's that did not come, and brought up again with the first that does, as
`keepalive=10s,10` of RouterOS does.  It runs until it is stopped, as root, beside
images/linux-router/bpf/eoip.bpf.c, which lets none of them into the kernel.
"""

from __future__ import annotations

import argparse
import ctypes
import select
import socket
import struct
import subprocess
import sys
import time
from dataclasses import dataclass

from ppslab.core.errors import PpslabError, UsageError
from ppslab.model.tunnels.eoip import MAGIC, MAX_TUNNEL_ID, PROTOCOL, encode

INTERVAL, RETRIES = 10.0, 10
"""RouterOS's defaults: seconds between keepalives, and how many may be missing."""

_ETH_P_IP = 0x0800
_SO_ATTACH_FILTER = 26  # asm-generic/socket.h


@dataclass
class Life:
    """True where the other end lives: the times are seconds of one clock.

    `heard`: when its last keepalive came, or when we began to listen.
    """

    interval: float
    retries: int
    heard: float
    up: bool = True

    def hear(self, now: float) -> bool:
        """A keepalive came; true where the interface has to be brought up."""
        self.heard = now
        was, self.up = self.up, True
        return not was

    def look(self, now: float) -> bool:
        """Time has passed; true where the interface has to be taken down."""
        dead = now - self.heard > self.interval * self.retries
        was, self.up = self.up, self.up and not dead
        return was and not self.up


def instructions(local: str, remote: str, tunnel_id: int) -> list[tuple[int, int, int, int]]:
    """A classic BPF program that lets nothing pass but the other end's keepalives of this tunnel.

    It sees the packet from its IP header on.  Without it every frame of the tunnel would be copied
    to this program.
    """
    (magic,) = struct.unpack(">I", MAGIC)
    (key,) = struct.unpack(">I", encode(tunnel_id)[4:8])
    ends = [struct.unpack(">I", socket.inet_aton(end))[0] for end in (remote, local)]
    load_byte, load_word, load_behind, header = 0x30, 0x20, 0x40, 0xB1
    equal, give = 0x15, 0x06
    tests = [(load_byte, 9, PROTOCOL), (load_word, 12, ends[0]), (load_word, 16, ends[1])]
    behind = [(load_behind, 0, magic), (load_behind, 4, key)]
    program: list[tuple[int, int, int, int]] = []
    total = 2 * len(tests) + 1 + 2 * len(behind) + 1
    for number, (load, at, value) in enumerate([*tests, *behind]):
        if number == len(tests):
            program.append((header, 0, 0, 0))
        program.append((load, 0, 0, at))
        program.append((equal, 0, total - len(program) - 1, value))
    return [*program, (give, 0, 0, 0xFFFF), (give, 0, 0, 0)]


def listener(local: str, remote: str, tunnel_id: int) -> socket.socket:
    """A socket that hears the keepalives ahead of the port's BPF program, which ends them."""
    made = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(_ETH_P_IP))
    packed = b"".join(struct.pack("HBBI", *each) for each in instructions(local, remote, tunnel_id))
    words = ctypes.create_string_buffer(packed)
    count = len(packed) // 8
    made.setsockopt(
        socket.SOL_SOCKET, _SO_ATTACH_FILTER, struct.pack("HL", count, ctypes.addressof(words))
    )
    return made


def run(local: str, remote: str, tunnel_id: int, interface: str | None, interval: float) -> None:
    """Send and listen until stopped; PpslabError where the kernel refuses a socket."""
    try:
        sender = socket.socket(socket.AF_INET, socket.SOCK_RAW, PROTOCOL)
        sender.bind((local, 0))
        sender.setsockopt(socket.IPPROTO_IP, socket.IP_TTL, 255)
        hears = listener(local, remote, tunnel_id)
    except OSError as error:
        raise PpslabError(f"no socket for keepalives from {local}: {error.strerror}") from None
    life = Life(interval, RETRIES, time.monotonic())
    send_at = time.monotonic()
    while True:
        now = time.monotonic()
        if now >= send_at:
            # A path that is gone for a while is what keepalives are for.
            try:
                sender.sendto(encode(tunnel_id), (remote, 0))
            except OSError as error:
                print(f"to {remote}: {error.strerror}", file=sys.stderr, flush=True)
            send_at = now + interval
        if select.select([hears], [], [], max(0.0, send_at - time.monotonic()))[0]:
            hears.recv(64)
            if life.hear(time.monotonic()):
                _set(interface, "up")
        elif life.look(time.monotonic()):
            _set(interface, "down")


def _set(interface: str | None, state: str) -> None:
    print(f"the other end is {state}", flush=True)
    if interface:
        subprocess.run(["ip", "link", "set", "dev", interface, state], check=False)


def main(arguments: list[str] | None = None) -> int:
    """Read the command line and run; 2 for a wrong one, 1 where the kernel refuses."""
    parser = argparse.ArgumentParser(description="Send and hear EoIP's keepalives.")
    parser.add_argument("local", help="IPv4 address of this end")
    parser.add_argument("remote", help="IPv4 address of the other end")
    parser.add_argument("--tunnel-id", type=int, required=True, help=f"0 to {MAX_TUNNEL_ID}")
    parser.add_argument("--interface", help="taken down while the other end is silent")
    parser.add_argument("--interval", type=float, default=INTERVAL, help="seconds; 10 by default")
    said = parser.parse_args(arguments)
    try:
        for end in (said.local, said.remote):
            socket.inet_aton(end)
        encode(said.tunnel_id)
        if said.interval <= 0:
            raise UsageError(f"--interval {said.interval:g}: must be more than 0 s")
        run(said.local, said.remote, said.tunnel_id, said.interface, said.interval)
    except OSError:
        print(f"{said.local}, {said.remote}: IPv4 addresses are wanted", file=sys.stderr)
        return 2
    except PpslabError as error:
        print(error, file=sys.stderr)
        return 2 if isinstance(error, UsageError) else 1
    except KeyboardInterrupt:
        pass
    return 0


if __name__ == "__main__":
    sys.exit(main())
