"""What a RouterOS router counts, and what we take from it."""

from __future__ import annotations

import pytest

from ppslab.core.errors import BackendError
from ppslab.model.lab.lab import Lab
from tests.support.doubles.routeros_rest import Device
from tests.testbed.routers.conftest import Make


def grown(before: dict[str, int], after: dict[str, int]) -> dict[str, int]:
    return {name: after[name] - before[name] for name in before if after[name] != before[name]}


def test_fast_path_counters_move_by_what_was_forwarded(
    make: Make, device: Device, fastpath: Lab
) -> None:
    condition = fastpath.conditions["routing-fast-path"]
    with make() as router:
        router.apply(condition)
        device.carry("p1", "p2", 1, 64)
        before = router.counters(condition)
        device.carry("p1", "p2", 1000, 64)
        assert grown(before, router.counters(condition)) == {
            "ipv4-fast-path-packets": 1000,
            "ipv4-fast-path-bytes": 1000 * 46,
            "p1 rx-packet": 1000,
            "p1 fp-rx-packet": 1000,
            "p2 tx-packet": 1000,
            "p2 fp-tx-packet": 1000,
        }


def test_the_slow_path_moves_no_fast_path_counter(
    make: Make, device: Device, fastpath: Lab
) -> None:
    condition = fastpath.conditions["routing-plain"]
    with make() as router:
        router.apply(condition)
        device.carry("p1", "p2", 1, 64)
        before = router.counters(condition)
        device.carry("p1", "p2", 1000, 64)
        assert grown(before, router.counters(condition)) == {
            "p1 rx-packet": 1000,
            "p2 tx-packet": 1000,
        }


def test_a_version_that_lacks_a_counter_or_a_menu_still_counts(
    make: Make, device: Device, fastpath: Lab
) -> None:
    condition = fastpath.conditions["routing-plain"]
    with make() as router:
        router.apply(condition)
        device.fault("refuses", "/ipv6/settings", detail="no such command or directory (settings)")
        found = router.counters(condition)
        assert "ipv6-fast-path-packets" not in found
        assert "ipv4-fast-path-packets" in found
        device.faults.clear()


def test_a_counter_that_is_no_number(make: Make, device: Device, fastpath: Lab) -> None:
    with make() as router:
        device.tree.singles["/ip/settings"]["ipv4-fast-path-packets"] = "many"
        with pytest.raises(BackendError, match="ipv4-fast-path-packets is 'many'"):
            router.counters(fastpath.conditions["routing-plain"])


def test_connections_are_those_of_the_test_networks(
    make: Make, device: Device, fastpath: Lab
) -> None:
    def connection(source: str, fast: str) -> dict[str, str]:
        return {"src-address": source, "dst-address": "198.18.2.2:200",
                "fasttrack": fast}  # fmt: skip

    with make() as router:
        assert router.tracked_connections() == 0
        for source, fast in (
            ("192.0.2.7:50000", "false"),
            ("198.18.1.2:100", "true"),
            ("198.19.1.2:101", "false"),
        ):
            device.tree.put("/ip/firewall/connection", connection(source, fast))
        assert router.tracked_connections() == 2
        assert router.offloaded_connections() == 1


def test_what_its_cpus_do(make: Make, device: Device) -> None:
    with make() as router:
        assert router.cpu_load().keys() == {0}
        device.profile = {"firewall": "61.5", "idle": "38.5"}
        device.pace = 0.0
        found = {name: used for name, _, used in router.profile(2)}
        assert found["firewall"] == 61.5
