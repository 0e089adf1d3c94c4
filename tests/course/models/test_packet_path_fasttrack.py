"""What FastTrack takes, what stops it and what goes around it, as the manual has it."""

from __future__ import annotations

import pytest

from tests.course.models.both import ask
from tests.course.models.path_asked import rules, way


@pytest.mark.parametrize("feature", ["lan-rules", "lan-ip-firewall", "lan-snooping", "lan-allow"])
def test_a_closed_bridge_closes_fasttrack_and_the_fast_path(feature: str) -> None:
    """Packet Flow in RouterOS, FastTrack, Requirements; and what follows from half-fastpath."""
    assert way(fasttrack=True, features=[feature]) == "slow"
    assert rules(fasttrack=True, features=[feature])[0] == "fasttrack-bridge"
    assert way(features=[feature]) == "slow"
    assert rules(features=[feature]) == ["fast-path-over-bridge"]


def test_an_accept_rule_in_front_keeps_a_connection_out_of_fasttrack() -> None:
    assert way(fasttrack=True, accepted=True) == "slow"
    assert rules(fasttrack=True, accepted=True)[0] == "fasttrack-accept-in-front"


def test_fasttrack_looks_up_the_main_table() -> None:
    """Packet Flow in RouterOS, FastTrack: "it works only with the main routing table"."""
    answer = ask("packet-path", fasttrack=True)
    assert "fasttrack-main-table" in answer["values"]["rules"]


def test_tracking_counts_only_where_it_is_active() -> None:
    assert way(tracking="yes") == "slow"
    assert rules(tracking="yes") == ["fast-path-tracking"]
    assert rules(features=["rules"]) == ["fast-path-firewall", "fast-path-tracking"]
    assert rules(features=["rules"], tracking="no") == ["fast-path-firewall"]
    assert (
        "tracking" not in ask("packet-path", features=["rules"], tracking="no")["values"]["works"]
    )


def test_fasttrack_takes_tcp_and_udp_that_was_answered() -> None:
    assert way(fasttrack=True) == "fasttrack"
    assert rules(fasttrack=True, packet="other")[0] == "fasttrack-tcp-udp"
    assert rules(fasttrack=True, packet="first")[0] == "fasttrack-established"
    assert rules(fasttrack=True, packet="fragment") == ["fast-path-fragments"]


@pytest.mark.parametrize("feature", ["sniffer", "torch", "generator", "scan", "mesh"])
def test_what_stops_fasttrack(feature: str) -> None:
    assert way(fasttrack=True, features=[feature]) == "slow"
    assert rules(fasttrack=True, features=[feature])[0].startswith("fasttrack-")


@pytest.mark.parametrize(
    "feature", ["rules", "simple-queues", "queue-tree", "ipsec", "hotspot", "vrf"]
)
def test_what_fasttrack_goes_around(feature: str) -> None:
    answer = ask("packet-path", fasttrack=True, features=[feature])
    assert answer["values"]["way"] == "fasttrack"
    assert any("bypasses" in said for said in answer["warns"])
    assert {"tracking", "nat", "routing"} <= set(answer["values"]["works"])


def test_fasttrack_without_tracking_is_told() -> None:
    problem = ask("packet-path", fasttrack=True, tracking="no")["problem"]
    assert problem["input"] == "tracking"
