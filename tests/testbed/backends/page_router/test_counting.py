"""The scripts that count a packet in the page: whom they go through, and what stops them."""

from __future__ import annotations

from pathlib import Path

import pytest

from ppslab.core.errors import FileError
from ppslab.model.lab import topology
from ppslab.testbed.backends import page_router

HOSTS = """name: hosts
topology:
  nodes:
    r1: {kind: linux}
    r2: {kind: linux}
    a: {kind: linux, exec: [ip address add 198.18.1.2/24 dev eth7]}
    b: {kind: linux, exec: [ip address add 198.18.2.2/24 dev eth1]}
    c: {kind: linux}
    d: {kind: linux, exec: [ip address add 198.18.4.2/24 dev eth1]}
  links:
    - endpoints: ["r1:eth3", "a:eth7"]
    - endpoints: ["b:eth1", "r1:eth4"]
    - endpoints: ["c:eth1", "r1:eth5"]
    - endpoints: ["d:eth1", "r2:eth1"]
"""


@pytest.fixture
def hosts(tmp_path: Path) -> topology.Topology:
    file = tmp_path / "hosts.clab.yml"
    file.write_text(HOSTS, encoding="utf-8")
    return topology.load(file)


def test_ports_and_addresses_are_the_topologys(hosts: topology.Topology) -> None:
    made = page_router.count(hosts, "a", "b")
    assert '"dst 198.18.2.2"' in made.up and '"src_min 198.18.1.2"' in made.up
    assert "a dash /tmp/.pktgen $(r1 cat /sys/class/net/eth3/address)" in made.up
    assert "b cat /sys/class/net/eth1/statistics/rx_packets" in made.round
    assert "r1 nft delete table" in made.round
    assert made.flow == "from a through r1 to b"


@pytest.mark.parametrize(
    ("receiver", "said"),
    [
        ("c", "node c has no IPv4 address on eth1"),
        ("d", "a hangs on r1, but d on r2"),
        ("e", 'no link of a node "e"'),
    ],
)
def test_what_cannot_be_counted_is_said(hosts: topology.Topology, receiver: str, said: str) -> None:
    with pytest.raises(FileError, match=said):
        page_router.count(hosts, "a", receiver)
