"""The EoIP tunnels in a capture."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from statistics import median

from scapy.error import Scapy_Exception
from scapy.layers.inet import IP
from scapy.layers.l2 import GRE, Ether
from scapy.packet import Packet
from scapy.utils import PcapReader

from ppslab.core.documents import disk
from ppslab.core.errors import FileError
from ppslab.model.tunnels.dissector import EoIP
from ppslab.model.tunnels.eoip_bytes import GRE as PROTOCOL

MOST_PACKETS = 20_000
"""Of a capture: reading so many takes some seconds, and tunnels have shown what they are."""

GRETAP = 0x6558
"""GRE's protocol type of a bridged frame: Linux's gretap, which RouterOS does not understand."""


@dataclass
class Way:
    """One direction of one tunnel.

    `frames` and `keepalives` are counts; `keepalive_times` in seconds, as the capture has them.
    `inner_fragments`: frames whose own IPv4 packet is a fragment (it was routed into the tunnel).
    `outer_fragments`: IPv4 packets of the tunnel that are fragments, first ones included (the
    tunnel's own packet was too large).  `largest`: the largest IPv4 packet outside, in bytes;
    `vlan_tagged`: frames with an 802.1Q tag inside.
    """

    source: str
    destination: str
    tunnel_id: int
    frames: int = 0
    keepalives: int = 0
    keepalive_times: list[float] = field(default_factory=list)
    inner_fragments: int = 0
    outer_fragments: int = 0
    largest: int = 0
    vlan_tagged: int = 0

    @property
    def keepalive_interval(self) -> float | None:
        """The median time between keepalives in seconds; None with fewer than two."""
        gaps = [later - earlier for earlier, later in pairwise(self.keepalive_times)]
        return median(gaps) if gaps else None


@dataclass
class Seen:
    """Contents of a capture: the tunnels by direction, and the number of other packets."""

    ways: list[Way]
    packets: int
    gretap: int


def read(path: Path) -> Seen:
    """Read a pcap or pcapng file; FileError where it is none."""
    ways: dict[tuple[str, str, int], Way] = {}
    cut: dict[tuple[str, str, int], Way] = {}
    packets = gretap = 0
    for packet in _packets(path):
        packets += 1
        if not packet.haslayer(IP):
            continue
        outer = packet[IP]
        if outer.proto != PROTOCOL:
            continue
        this_packet = (outer.src, outer.dst, outer.id)
        if outer.frag:
            if this_packet in cut:
                cut[this_packet].outer_fragments += 1
            continue
        if not isinstance(outer.payload, EoIP):
            gretap += isinstance(outer.payload, GRE) and outer.payload.proto == GRETAP
            continue
        found = outer.payload
        key = (outer.src, outer.dst, found.tunnel_id)
        way = ways.setdefault(key, Way(*key))
        _count(way, outer, found, float(packet.time))
        if outer.flags.MF:
            way.outer_fragments += 1
            cut[this_packet] = way
    return Seen(list(ways.values()), packets, gretap)


def _packets(path: Path) -> Iterator[Packet]:
    # Not by its name, which scapy would open again: a file of /proc may block there for ever.
    raw = disk.read_bytes(path, disk.CAPTURE)
    try:
        # It takes a file too (scapy.utils.PcapReader_metaclass), which its types do not say.
        with PcapReader(BytesIO(raw)) as reader:  # type: ignore[arg-type]
            for number, packet in enumerate(reader):
                if number == MOST_PACKETS:
                    raise FileError(
                        path,
                        None,
                        f"more than {MOST_PACKETS} packets; take the first of them: "
                        f"tcpdump -c {MOST_PACKETS} -r CAPTURE -w PART",
                    )
                yield packet
    except OSError as error:
        raise FileError(path, None, f"cannot be read: {error.strerror or error}") from None
    except (Scapy_Exception, EOFError) as error:
        raise FileError(path, None, f"not a pcap or pcapng file: {error}") from None


def _count(way: Way, outer: IP, found: EoIP, time: float) -> None:
    way.largest = max(way.largest, outer.len or len(outer))
    if found.keepalive:
        way.keepalives += 1
        way.keepalive_times.append(time)
        return
    way.frames += 1
    frame = found.payload
    if not isinstance(frame, Ether):
        return
    way.vlan_tagged += frame.type == 0x8100
    if frame.haslayer(IP):
        inner = frame[IP]
        way.inner_fragments += bool(inner.flags.MF or inner.frag)
