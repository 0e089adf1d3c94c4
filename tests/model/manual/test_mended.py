"""What the manual says, in the planner, the chip's stand-in and the pages."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ppslab.cli import app
from ppslab.model.lab.conditions import SwitchChip
from ppslab.model.packet_path import export_files as export
from ppslab.model.planning import limits
from ppslab.model.switch_chip import bounds, chips, offload, route_table
from ppslab.model.switch_chip.routes import Prefix, Route
from ppslab.testbed.routers.linux import steering

CCR2216 = chips.of("CCR2216-1G-12XS-2XQ")
DEFAULT = Route(Prefix(4, 0, 0), "forward", ("198.18.2.2",))


@cache
def many(count: int, hop: str = "198.18.2.2") -> list[Route]:
    return [Route(Prefix(4, (11 << 24) + 4 * i, 30), "forward", (hop,)) for i in range(count)]


def figures(routes: list[Route], chip: chips.Chip = CCR2216) -> list[tuple[str, int, int]]:
    found = bounds.of(routes, chip)
    return [(case.name, len(case.choice.hardware), len(case.choice.cpu)) for case in found]


@pytest.mark.long
def test_under_a_default_route_by_the_same_next_hop_all_fit() -> None:
    assert figures([DEFAULT, *many(200_000)]) == [("joined", 200_001, 0)]


@pytest.mark.long
def test_without_it_best_and_worst_are_said() -> None:
    routes = many(200_000)
    assert figures(routes) == [("best", 120_000, 80_000), ("worst", 37_729, 162_271)]


def test_one_other_next_hop_decides_too() -> None:
    found = bounds.of([DEFAULT, *many(3), *many(2, "198.18.1.2")[1:]], CCR2216)
    assert [case.name for case in found] == ["best", "worst"]


def test_of_other_chips_no_worst_case_is_made_up() -> None:
    assert [name for name, _, _ in figures(many(10), chips.of("CRS317-1G-16S+"))] == ["best"]


def test_a_chip_that_holds_prefixes_has_one_figure() -> None:
    found = figures([DEFAULT, *many(20_000)], chips.of("CRS326-24G-2S+"))
    assert found == [("table", 13_312, 6_689)]


@pytest.mark.parametrize(
    ("routes", "wanted"),
    [
        ([(30, ("a",), 5)], ("no-default", 5)),
        ([(0, ("a",), 1), (30, ("a",), 5)], ("joined", 0)),
        ([(0, ("b", "a"), 1), (30, ("a", "b"), 5)], ("joined", 0)),
        ([(0, ("a",), 1), (30, ("a", "b"), 5)], ("other-ways", 5)),
        ([(0, (), 1), (30, (), 5)], ("no-default", 6)),
    ],
)
def test_what_decides(
    routes: list[tuple[int, tuple[str, ...], int]], wanted: tuple[str, int]
) -> None:
    assert route_table.decides(routes) == wanted


@pytest.mark.long
def test_the_command_says_both_figures(tmp_path: Path) -> None:
    file = tmp_path / "r.txt"
    file.write_text("11.0.0.0/30 x200000 via 198.18.2.2\n")
    words = ["plan", "offload", str(file), "--device", "CCR2216", "--towards", "11.0.0.0/16"]
    shown = CliRunner().invoke(app, words)
    assert shown.exit_code == 0
    said = " ".join(shown.stdout.split())
    assert "At best" in said and "At worst 37729." in said and "worst case" in said
    assert "Room for 120000 IPv4" in said and "Room for 37729 IPv4" in said


RULE = "/interface/ethernet/switch/rule"
BOND = "/interface/bonding add name=b\n"
CRS326 = chips.of("CRS326-24G-2S+")
NINE = tuple(f"198.18.2.{n}" for n in range(2, 11))
NETWORK = Prefix(4, 198 << 24 | 19 << 16, 16)


def ids(text: str, device: str, tmp_path: Path) -> set[str]:
    file = tmp_path / "router.rsc"
    file.write_text(text)
    return {f.limit.id for f in limits.findings(export.export_of(file), chips.of(device))}


def test_a_route_with_nine_next_hops_stays_in_the_chip_by_its_first_eight() -> None:
    """Footnote 3: "only the first X paths get offloaded"; it does not go to the CPU."""
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
    found = steering.of_kernel([listed, [], there, links, []], SwitchChip(device="CRS326-24G-2S+"))
    network = next(line for line in found.lines if "l3_ipv4 key hex 10 00" in line)
    action, ways = network.split("value hex ")[1].split()[0], network.split()[-4]
    assert (action, ways) == ("01", "08")


def test_the_planner_says_that_the_ninth_is_left_out_not_that_the_cpu_routes(
    tmp_path: Path,
) -> None:
    file = tmp_path / "router.rsc"
    file.write_text(f"/ip route\nadd dst-address=198.19.0.0/16 gateway={','.join(NINE)}\n")
    (paths,) = (f for f in limits.findings(export.export_of(file), CRS326) if f.limit.id == "paths")
    assert paths.effect == "note"
    assert "9" in paths.says


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
