"""The commands that plan and calculate, as a reader types them."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from scapy.layers.inet import IP
from scapy.layers.l2 import GRE, Ether
from scapy.utils import wrpcap

from ppslab.model.tunnels.overhead import Stack, parse
from tests.cli.conftest import Inside
from tests.model.tunnels.eoip_codec import encode


def test_overhead(inside: Inside) -> None:
    says = inside("overhead", "eoip", "ipsec").stdout
    assert f"interface MTU {Stack(parse(('eoip', 'ipsec'))).inner_mtu}" in " ".join(says.split())
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


FOLDER = Path("book/numa/inventories")


R730 = str(FOLDER / "r730.xml")
CLOUD = str(FOLDER / "cloud-machine.xml")


def test_a_placement_alone_can_be_piped_on(inside: Inside) -> None:
    done = inside("plan", "nics", R730, "--libvirt")
    assert ET.fromstring(done.stdout).findtext("name") == "chr"


@pytest.mark.parametrize(
    ("argv", "code", "said"),
    [
        ([], 2, ""),
        (["nowhere.xml"], 2, "nowhere.xml"),
        (["README.md"], 2, "lstopo --of xml"),
        (["topologies/fastpath.clab.yml"], 2, "lstopo"),
        ([R730, "--node", "3"], 2, "0, 1"),
        ([R730, "--keep", "eth0"], 2, "eth0"),
        ([R730, "--speed", "x520=10"], 2, "8086:10fb=10"),
        ([R730, "--host-cores", "12"], 2, "12 cores"),
        ([CLOUD, "--libvirt"], 3, "--speed VENDOR:DEVICE"),
    ],
)
def test_wrong_usage_of_the_planner(inside: Inside, argv: list[str], code: int, said: str) -> None:
    done = inside("plan", "nics", *argv)
    assert done.returncode == code, done.stderr
    assert said in done.stderr.replace("\n", " ")
    assert "Traceback" not in done.stdout + done.stderr
