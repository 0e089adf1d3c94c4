"""L3 hardware offload: what the course said wrong before, and what the manual's page says.

MikroTik's manual, L3 Hardware Offloading, read on 2026-10-06.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from ppslab.model import manual
from ppslab.model.lab.conditions import SwitchChip
from ppslab.model.packet_path import export_files as export
from ppslab.model.planning.offload import limits
from ppslab.model.switch_chip import chips, offload
from ppslab.model.switch_chip.routes import Prefix, Route
from ppslab.testbed.routers.linux import bpf_maps

RULE = "/interface/ethernet/switch/rule"
BOND = "/interface/bonding add name=b\n"
CRS326 = chips.of("CRS326-24G-2S+")
NINE = tuple(f"198.18.2.{n}" for n in range(2, 11))
NETWORK = Prefix(4, 198 << 24 | 19 << 16, 16)


def ids(text: str, device: str, tmp_path: Path) -> set[str]:
    file = tmp_path / "router.rsc"
    file.write_text(text)
    return {f.limit.id for f in limits.findings(export.read(file), chips.of(device))}


def test_a_route_with_nine_next_hops_stays_in_the_chip_by_its_first_eight() -> None:
    """Footnote 3: "only the first X paths get offloaded"; it does not go to the CPU."""
    assert "only the first X paths" in manual.fact("l3hw-ecmp-first").fact.quote
    route = Route(NETWORK, "forward", NINE)
    choice = offload.choose([route], CRS326)
    assert offload.share_of_cpu(choice, NETWORK) == 0
    assert offload.ways(route, CRS326) == NINE[:8]


def test_the_stand_in_of_the_chip_spreads_over_the_first_eight() -> None:
    listed = [
        {"dst": "198.19.0.0/16", "nexthops": [{"gateway": hop, "dev": "eth2"} for hop in NINE]}
    ]
    there = [
        {"dst": hop, "dev": "eth2", "lladdr": f"02:00:00:00:00:{i:02}"}
        for i, hop in enumerate(NINE)
    ]
    links = [{"ifname": "eth2", "ifindex": 7, "mtu": 1500, "address": "02:00:00:00:00:aa"}]
    found = bpf_maps.of_kernel([listed, [], there, links, []], SwitchChip(device="CRS326-24G-2S+"))
    network = next(line for line in found.lines if "l3_ipv4 key hex 10 00" in line)
    action, ways = network.split("value hex ")[1].split()[0], network.split()[-4]
    assert (action, ways) == ("01", "08")


def test_the_planner_says_that_the_ninth_is_left_out_not_that_the_cpu_routes(
    tmp_path: Path,
) -> None:
    file = tmp_path / "router.rsc"
    file.write_text(f"/ip route\nadd dst-address=198.19.0.0/16 gateway={','.join(NINE)}\n")
    (paths,) = (f for f in limits.findings(export.read(file), CRS326) if f.limit.id == "paths")
    assert paths.effect == "note"
    assert "still routes the packets" in paths.says and "9 next hops" in paths.says


@pytest.mark.parametrize(
    ("line", "device", "wanted"),
    [
        (f"{RULE} add ports=ether1 redirect-to-cpu=yes", "CRS326-24G", "acl-cpu"),
        (f'{RULE} add ports=ether1 new-dst-ports=""', "CRS326-24G", "acl-drop"),
        (f"{RULE} add ports=ether1", "CRS317", "acl-memory"),
        ("/interface/vlan add name=v interface=ether7 vlan-id=2", "CRS326-24G", "vlan-elsewhere"),
        (f"{BOND}/interface/vlan add name=v interface=b", "CRS812", "vlan-on-bond"),
        ("/interface/vxlan add name=x", "CRS812", "vxlan"),
    ],
)  # fmt: skip
def test_the_planner_knows(line: str, device: str, wanted: str, tmp_path: Path) -> None:
    assert wanted in ids(line + "\n", device, tmp_path)


def test_a_vlan_on_a_port_is_in_hardware_on_the_newest_chips(tmp_path: Path) -> None:
    """Inter-VLAN Routing: 98DX7xxx "also support ... without a bridge"."""
    text = "/interface/vlan add name=v interface=ether7 vlan-id=2\n"
    assert not ids(text, "CRS812-8DS-2DQ-2DDQ", tmp_path) & {"vlan-elsewhere", "vlan-on-bond"}


def test_a_rule_that_accepts_is_no_drop(tmp_path: Path) -> None:
    text = "/interface/ethernet/switch/rule add ports=ether1 dst-port=22\n"
    assert not ids(text, "CRS326-24G", tmp_path) & {"acl-drop", "acl-cpu"}
