"""Which routes a switch chip takes: files of routes, and RouterOS's rule on made-up tables."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppslab.core.errors import FileError
from ppslab.model.lab.conditions import SwitchChip
from ppslab.model.switch_chip import chips, offload, route_table, routes
from ppslab.model.switch_chip.chips import Chip
from ppslab.model.switch_chip.routes import Prefix, Route
from ppslab.testbed.routers.linux import steering


def small(room: int, ipv6: int | None = None) -> Chip:
    """A chip with room for so many prefixes."""
    return Chip("small", ("S",), room, ipv6 or room, 0, None, 8, 0, 0, False, "")


def lookup(table: list[Route], address: int) -> Route | None:
    """The longest prefix's route, by looking at all."""
    fitting = [r for r in table if r.prefix.holds(Prefix(4, address, 32))]
    return max(fitting, key=lambda route: route.prefix.length, default=None)


# --- files of routes -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "prefix", "kind", "hops"),
    [
        ("198.19.0.0/16 via 198.18.2.2 dev eth2 proto static", "198.19.0.0/16", "forward", 1),
        ("198.19.0.1 via 198.18.2.2", "198.19.0.1/32", "forward", 1),
        ("default via 198.18.1.2", "0.0.0.0/0", "forward", 1),
        ("default via 2001:2::1 dev eth1", "::/0", "forward", 1),
        ("2001:2:0:2::/64 via 2001:2::1", "2001:2:0:2::/64", "forward", 1),
        ("198.19.0.0/16 nexthop via 198.18.2.2 nexthop via 198.18.2.3", None, "forward", 2),
        ("blackhole 198.19.0.0/16", None, "blackhole", 0),
        ("unreachable 198.19.0.0/16", None, "cpu", 0),
        (
            "/ip route add dst-address=198.19.0.0/16 gateway=198.18.2.2,198.18.2.3",
            None,
            "forward",
            2,
        ),
        ("add dst-address=198.19.0.0/16 blackhole", None, "blackhole", 0),
        (
            "add dst-address=198.19.0.0/16 gateway=198.18.2.2 suppress-hw-offload=yes",
            None,
            "cpu",
            0,
        ),
        ("2  AsH 198.19.0.0/16  198.18.2.2  main  1", None, "forward", 1),
    ],
)
def test_a_line_of_any_kind(
    tmp_path: Path, line: str, prefix: str | None, kind: str, hops: int
) -> None:
    file = tmp_path / "routes.txt"
    file.write_text(f"# a comment\n\n/ip/route\n{line}\n")
    (route,) = routes.read(file)
    assert str(route.prefix) == (prefix or "198.19.0.0/16")
    assert (route.kind, len(route.hops)) == (kind, hops)


FULL = r"""# 2026-01-01 00:00:00 by RouterOS 7.18.2
/interface bridge
add admin-mac=02:00:C6:12:01:01 auto-mac=no name=bridge
/ip address
add address=198.18.1.1/24 interface=bridge
/ip route
add comment="to # the lab" dst-address=198.19.0.0/16 gateway=\
    198.18.1.2
add blackhole dst-address=198.19.8.0/24
add disabled=yes dst-address=198.19.9.0/24 gateway=198.18.1.2
add gateway=198.18.1.3
/ipv6 route
add dst-address=2001:2:1::/48 gateway=2001:2::1
/system identity
set name=r1
"""


def test_a_whole_export_gives_its_routes_that_are_on(tmp_path: Path) -> None:
    file = tmp_path / "router.rsc"
    file.write_text(FULL)
    assert [(str(r.prefix), r.kind, r.hops) for r in routes.read(file)] == [
        ("198.19.0.0/16", "forward", ("198.18.1.2",)),
        ("198.19.8.0/24", "blackhole", ()),
        ("0.0.0.0/0", "forward", ("198.18.1.3",)),
        ("2001:2:1::/48", "forward", ("2001:2::1",)),
    ]
    file.write_text(FULL.replace("/ip route", "/ip firewall").replace("/ipv6 route", "/ipv6 nd"))
    with pytest.raises(FileError, match="/ip/route/print file=routes"):
        routes.read(file)


@pytest.mark.parametrize(
    "line",
    [
        "add dst-address=198.19.9.0/24 gateway=198.18.1.2 disabled=yes",
        "1  Xs  198.19.9.0/24  198.18.1.2  main  1",
        "1  DIb 198.19.9.0/24  198.18.1.2  main  20",
    ],
)
def test_a_route_that_is_off_is_none(tmp_path: Path, line: str) -> None:
    file = tmp_path / "routes.txt"
    file.write_text(f"/ip/route\n198.19.0.0/16 via 198.18.2.2\n{line}\n")
    assert [str(route.prefix) for route in routes.read(file)] == ["198.19.0.0/16"]


# --- the rule --------------------------------------------------------------------------------

PREFIXES = st.integers(16, 32).flatmap(
    lambda length: st.integers(0, 2 ** (length - 16) - 1).map(
        lambda part: Prefix(4, 198 << 24 | 19 << 16 | part << (32 - length), length)
    )
)
KINDS = st.sampled_from(["forward", "forward", "forward", "blackhole", "cpu"])
TABLES = st.lists(
    st.builds(Route, PREFIXES, KINDS, st.sampled_from([("a",), ("b",), tuple("abcdefghi")])),
    max_size=60,
    unique_by=lambda route: route.prefix,
)


@pytest.mark.long
@given(
    table=TABLES, room=st.integers(0, 40), addresses=st.lists(st.integers(0, 65535), max_size=20)
)
def test_what_the_chip_answers_is_what_the_whole_table_would(
    table: list[Route], room: int, addresses: list[int]
) -> None:
    """The reason why the shorter prefixes leave: no packet goes the wrong way."""
    choice = offload.choose(table, small(room))
    assert len(choice.hardware) == min(room, len(table)) == choice.used
    assert sorted([*choice.hardware, *choice.cpu], key=str) == sorted(table, key=str)
    for part in addresses:
        address = 198 << 24 | 19 << 16 | part
        by_chip = lookup(list(choice.hardware), address)
        if by_chip is not None:
            assert by_chip == lookup(table, address)


@pytest.mark.long
@given(table=TABLES, room=st.integers(0, 40))
def test_the_share_of_the_cpu_is_counted_exactly(table: list[Route], room: int) -> None:
    choice = offload.choose(table, small(room))
    within = Prefix(4, 198 << 24 | 19 << 16 | 0x1200, 24)
    by_cpu = 0
    for address in range(within.address, within.address + 256):
        route = lookup(list(choice.hardware), address)
        by_cpu += route is None or not offload.followed(route)
    assert offload.share_of_cpu(choice, within) == pytest.approx(by_cpu / 256)


# --- the tables of the BPF program -----------------------------------------------------------


def test_tables_from_what_ip_lists() -> None:
    listed = [
        {"dst": "198.18.1.0/24", "dev": "eth1", "protocol": "kernel", "scope": "link"},
        {"dst": "default", "gateway": "198.18.1.2", "dev": "eth1"},
        {"dst": "198.19.0.0/16", "gateway": "198.18.1.9", "dev": "eth1"},
        {"type": "blackhole", "dst": "198.19.1.0/24", "dev": "lo"},
        {"dst": "2001:2::/48", "gateway": "2001:2::2", "dev": "eth1"},
    ]
    neighbours = [{"dst": "198.18.1.2", "dev": "eth1", "lladdr": "02:00:00:00:00:02"}]
    links = [{"ifname": "eth1", "ifindex": 7, "mtu": 1500, "address": "02:00:00:00:00:01"}]
    chip = SwitchChip(device="CRS326-24G-2S+", icmp_reply_on_error=False)
    found = steering.of_kernel([listed, [], neighbours, links, []], chip)
    assert (found.ipv4, found.ipv6) == (5, 0)
    pins = "map update pinned /sys/fs/bpf/tc/globals/"
    cpu, forward, blackhole = "00 00 00 00", "01 00 00 00", "02 00 00 00"
    tails = [line.removeprefix(pins) for line in found.lines]
    assert tails[0].startswith(f"l3_ipv4 key hex 20 00 00 00 c6 12 01 02 value hex {forward}")
    assert tails[1].startswith(f"l3_ipv4 key hex 18 00 00 00 c6 12 01 00 value hex {cpu}")
    assert tails[2].startswith(f"l3_ipv4 key hex 18 00 00 00 c6 13 01 00 value hex {blackhole}")
    # A next hop that is not known yet: the CPU asks for it.
    assert tails[3].startswith(f"l3_ipv4 key hex 10 00 00 00 c6 13 00 00 value hex {cpu}")
    assert tails[4].startswith(f"l3_ipv4 key hex 00 00 00 00 00 00 00 00 value hex {forward}")
    assert tails[5].startswith("l3_hops key hex 00 00 00 00 value hex 07 00 00 00 dc 05 00 00 02")
    assert tails[6] == "l3_settings key hex 00 00 00 00 value hex 00 00 00 00"


def test_routes_of_both_families_are_counted_apart() -> None:
    far = [{"dst": f"2001:2:{n}::/48", "gateway": "2001:2::2", "dev": "eth1"} for n in (1, 2)]
    near = [{"dst": "198.19.0.0/16", "gateway": "198.18.1.9", "dev": "eth1"}]
    links = [{"ifname": "eth1", "ifindex": 7, "mtu": 1500, "address": "02:00:00:00:00:01"}]
    chip = SwitchChip(device="CRS326-24G-2S+", ipv6_hw=True)
    found = steering.of_kernel([near, far, [], links, []], chip)
    assert (found.ipv4, found.ipv6) == (1, 2)
    assert (found.shortest(4), found.shortest(6)) == (16, 48)


# --- the limits of each device --------------------------------------------------------------------


SMALL = (13312, 3328, 0, 4096, 8, 0, 0)
K8 = 8192

# L3 Hardware Offloading, L3HW Device Support (copy of 2026-08-10): IPv4 and IPv6 routes, IPv4
# hosts, next hops, paths of ECMP, FastTrack connections, NAT entries.
MANUAL = {
    **dict.fromkeys(
        ("CRS305-1G-4S+IN", "CRS310-8G+2S+IN", "CRS318-16P-2S+OUT", "CRS320-8P-8B-4S+RM",
         "CRS326-24G-2S+RM", "CRS328-24P-4S+RM", "CRS418-8P-8G-2S+RM", "CRS304-4XG-IN"), SMALL
    ),
    "CRS309-1G-8S+IN": (36_000, 6_000, 16_000, K8, None, 4500, 3900),
    "CRS312-4C+8XG-RM": (36_000, 6_000, 16_000, K8, None, 2250, 2250),
    "CRS317-1G-16S+RM": (240_000, 40_000, 64_000, K8, None, 4500, 4000),
    **dict.fromkeys(
        ("CRS326-24S+2Q+RM", "CRS326-4C+20G+2Q+RM", "CRS354-48G-4S+2Q+RM", "CCR2116-12G-4S+"),
        (36_000, 6_000, 16_000, K8, None, 2250, 2250),
    ),
    **dict.fromkeys(
        ("CRS504-4XQ-IN", "CRS510-8XS-2XQ-IN", "RDS2216-2XG-4S+4XS-2XQ", "CCR2216-1G-12XS-2XQ",
         "CRS518-16XS-2XQ-RM"), (120_000, 20_000, 64_000, K8, None, 4500, 4000),
    ),
    "CRS520-4XS-16XQ-RM": (240_000, 40_000, 64_000, K8, None, 4500, 4000),
    "CRS812-8DS-2DQ-2DDQ-RM": (240_000, 40_000, 64_000, 2 * K8, None, 0, 0),
    "CRS804-4DDQ-hRM": (240_000, 40_000, 64_000, 2 * K8, None, 0, 0),
}  # fmt: skip


@pytest.mark.parametrize(("device", "limits"), MANUAL.items())
def test_the_limits_of_the_manual(device: str, limits: tuple[int | None, ...]) -> None:
    chip = chips.of(device)
    assert limits == (
        chip.ipv4_routes, chip.ipv6_routes, chip.ipv4_hosts, chip.next_hops, chip.ecmp_ways,
        chip.fasttrack, chip.nat,
    )  # fmt: skip


def test_what_the_manual_shows_a_ccr2216_to_hold() -> None:
    chip = chips.of("CCR2216-1G-12XS-2XQ")
    assert (chip.shown_best, chip.shown_worst) == (942_326, 37_729)


def test_an_ipv6_prefix_that_takes_part_of_an_entry_takes_all_of_it() -> None:
    chip = chips.Chip("odd", ("S",), 10, 4, 0, None, 8, 0, 0, False, "")
    assert (chip.takes(4), chip.takes(6)) == (1, 3)
    six = Route(Prefix(6, 0x2001 << 112, 48), "forward", ("a",))
    assert [offload.choose([six] * times, chip).used for times in (0, 1)] == [0, 3]
    assert [chips.of(name).takes(6) for name in ("CRS305", "CRS309", "CRS504")] == [4, 6, 6]


def test_what_leaves_a_full_table_and_what_stays() -> None:
    """Four entries, longest first: a /48 of IPv6 for 3, then a /32 for 1, and no more."""
    assert route_table.fill([(6, 2), (4, 5)], (1, 3), 4, 0, True) == ([1, 0], 3)
    assert route_table.fill([(4, 1), (6, 1), (4, 5)], (1, 3), 4, 0, True) == ([1, 1, 0], 4)
    assert route_table.fill([(6, 2), (4, 5)], (1, 3), 4, 0, False) == ([0, 4], 4)
    chip = chips.Chip("four", ("S",), 4, 4, 0, None, 2, 0, 0, False, "")
    routes = [
        Route(Prefix(4, 198 << 24 | 1 << 23 >> n, 8 + n), "forward", ("a",)) for n in range(6)
    ]
    kept = offload.choose(routes, chip)
    assert [route.prefix.length for route in kept.hardware] == [13, 12, 11, 10]
    # Hosts take room among the routes where they have no table of their own.
    assert len(offload.choose(routes, chip, hosts=3).hardware) == 1
    assert offload.ways(Route(routes[0].prefix, "forward", ("a", "b", "c")), chip) == ("a", "b")
