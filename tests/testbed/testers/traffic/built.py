"""Frames as ppstraffic builds them, parsed by scapy."""

from __future__ import annotations

import ipaddress
import json
import struct
import subprocess
from pathlib import Path
from typing import Any

from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Ether

SIGNATURE = struct.Struct(">HBBIHII")


def dump(binary: Path, *argv: object) -> list[bytes]:
    done = subprocess.run(
        [str(binary), "dump", *map(str, argv)], capture_output=True, text=True, check=True
    )
    return [bytes.fromhex(line) for line in done.stdout.split()]


def parse(binary: Path, *frames: bytes) -> list[dict[str, Any]]:
    done = subprocess.run(
        [str(binary), "parse"],
        input="".join(frame.hex() + "\n" for frame in frames),
        capture_output=True,
        text=True,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def recomputed(frame: bytes) -> bytes:
    """The frame with all its checksums and lengths computed by scapy."""
    packet = Ether(frame)
    if IP in packet:
        del packet[IP].chksum, packet[IP].len
    else:
        del packet[IPv6].plen
    if TCP in packet:
        del packet[TCP].chksum
    else:
        del packet[UDP].chksum, packet[UDP].len
    return bytes(packet)


def _last_byte(address: str) -> int:
    return ipaddress.ip_address(address).packed[-1]
