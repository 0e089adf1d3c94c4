"""`ppslab overhead` and `ppslab dissect` as a reader types them."""

from __future__ import annotations

import json
from pathlib import Path

from scapy.layers.inet import IP
from scapy.layers.l2 import GRE, Ether
from scapy.utils import wrpcap

from ppslab.model.tunnels.eoip import encode
from ppslab.model.tunnels.overhead import Stack, parse
from tests.cli.conftest import Inside


def test_overhead(inside: Inside) -> None:
    said = json.loads(inside("overhead", "eoip", "ipsec", "--json").stdout)
    assert said["largest_packet"] == Stack(parse(("eoip", "ipsec"))).inner_mtu
    assert said["bridged"]["frames"] and said["routed"]["share"] < 1
    wrong = inside("overhead", "eoip", "--mtu", "10")
    assert wrong.returncode == 2 and "68 to 65535" in wrong.stderr


def test_dissect(inside: Inside, tmp_path: Path) -> None:
    link = Ether(src="02:00:c6:12:01:01", dst="02:00:c6:12:01:02")
    ends = IP(src="198.18.0.1", dst="198.18.0.2", proto=47)
    wrpcap(str(tmp_path / "eoip.pcap"), [link / ends / encode(4242), link / ends / encode(4242)])
    done = inside("dissect", str(tmp_path / "eoip.pcap"))
    assert done.returncode == 0 and "4242" in done.stdout
    wrpcap(str(tmp_path / "gre.pcap"), [link / ends / GRE(proto=0x6558) / link])
    none = inside("dissect", str(tmp_path / "gre.pcap"))
    assert none.returncode == 1 and "1 of gretap" in none.stderr
    lost = inside("dissect", str(tmp_path / "lost.pcap"))
    assert lost.returncode == 2 and "lost.pcap" in lost.stderr
