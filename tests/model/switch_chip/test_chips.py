"""The limits of each device with L3 hardware offload, as MikroTik's manual prints them."""

from __future__ import annotations

import pytest

from ppslab.model.switch_chip import chips, offload, route_table
from ppslab.model.switch_chip.routes import Prefix, Route

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
