"""Line rate against RFC 2544 appendix B, the meters that were measured, and between both hosts."""

from __future__ import annotations

import pytest

from tests.course.models.both import ask


@pytest.mark.parametrize(
    ("size", "frames"),
    # RFC 2544 appendix B: maximum frame rates of 10 Mbit/s Ethernet.
    [(64, 14880), (128, 8445), (256, 4528), (512, 2349), (768, 1586), (1024, 1197), (1518, 812)],
)
def test_the_rates_are_those_of_the_rfc(size: int, frames: int) -> None:
    rate = ask("line-rate", size=size, speed=10)["values"]["packets_per_second"]
    assert int(rate) == frames


def test_headers_and_meters() -> None:
    inner = [ask("line-rate", size=1560, headers=one)["values"]["inner_bytes"]
             for one in ([], ["eoip"])]  # fmt: skip
    assert inner[0] - inner[1] == 42
    problem = ask("line-rate", size=64, headers=["vxlan"])["problem"]
    assert problem["input"] == "size" and "88" in problem["says"]
    shown = {row[0]: row[3:] for row in ask("line-rate", size=64, speed=1000)["tables"][0]["rows"]}
    assert ["84", "1 Gbit/s"] in shown.values()
    assert shown["driver-rx-byte and driver-tx-byte, sniffer"][0] == "60"
