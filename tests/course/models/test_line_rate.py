"""Line rate against RFC 2544 appendix B, the meters that were measured, and between both hosts."""

from __future__ import annotations

import pytest

from tests.course.models.both import ask, both


@pytest.mark.parametrize(
    ("size", "frames"),
    # RFC 2544 appendix B: maximum frame rates of 10 Mbit/s Ethernet.
    [(64, 14880), (128, 8445), (256, 4528), (512, 2349), (768, 1586), (1024, 1197), (1518, 812)],
)
def test_the_rates_are_those_of_the_rfc(size: int, frames: int) -> None:
    rate = ask("line-rate", size=size, speed=10)["values"]["packets_per_second"]
    assert int(rate) == frames


@pytest.mark.long
def test_both_hosts_say_the_same() -> None:
    headers = [[], ["vlan"], ["eoip"], ["vlan", "pppoe"], ["gre", "vxlan"]]
    asked = [
        {"size": size, "speed": speed, "headers": chosen}
        for size in (64, 65, 128, 1500, 1518, 9216)
        for speed in (10, 2500, 100000)
        for chosen in headers
    ]
    assert len(both("line-rate", asked)) == len(asked)


def test_eoip_takes_42_bytes() -> None:
    plain = ask("line-rate", size=1560)["values"]["inner_bytes"]
    assert plain - ask("line-rate", size=1560, headers=["eoip"])["values"]["inner_bytes"] == 42


def test_the_meters_of_routeros_show_what_they_count() -> None:
    rows = ask("line-rate", size=64, speed=1000)["tables"][0]["rows"]
    shown = {row[0]: row[3:] for row in rows}
    assert ["84", "1 Gbit/s"] in shown.values()
    assert shown["driver-rx-byte and driver-tx-byte, sniffer"][0] == "60"


def test_headers_that_do_not_fit_are_told() -> None:
    problem = ask("line-rate", size=64, headers=["vxlan"])["problem"]
    assert problem["input"] == "size"
    assert "88" in problem["says"]
