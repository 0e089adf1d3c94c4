"""The commands that plan and calculate, as a reader types them."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from ppslab.model.tunnels.overhead import Stack, parse
from tests.cli.conftest import Inside


def test_overhead(inside: Inside) -> None:
    says = inside("overhead", "eoip", "ipsec").stdout
    assert f"interface MTU {Stack(parse(('eoip', 'ipsec'))).inner_mtu}" in " ".join(says.split())
    wrong = inside("overhead", "eoip", "--mtu", "10")
    assert wrong.returncode == 2 and "68 to 65535" in wrong.stderr


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
