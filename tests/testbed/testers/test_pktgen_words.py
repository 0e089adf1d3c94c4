"""The kernel's packet generator: what it is told, and what its words mean; nothing here sends."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from ppslab.core.errors import UsageError
from ppslab.testbed.testers.pktgen import tester as pktgen
from ppslab.testbed.testers.pktgen.tester import counters, delays_of, script
from tests.support.flow_factory import make_flow, steps
from tests.testbed.testers.loads import BACK, FLOW, LOAD, V6, Nowhere


def test_pktgen_counts_each_flow_at_its_port_and_the_rest_as_misdelivered() -> None:
    flows = (make_flow(src=steps("198.18.1.2", 3), dst_port=steps(200, 8)), BACK, V6)
    text = counters(replace(LOAD, flows=flows))
    here, there = text.split("chain port_eth2")
    step = "198.18.1.2-198.18.1.4 . 198.18.2.2 . 100 . 200-207"
    assert f"{step} : goto misdelivered" in here and f"{step} : goto f0" in there
    assert "198.18.2.2 . 198.18.1.2 . 100 . 200 : goto f1" in here
    assert "ip6 saddr" in there and "2001:2:0:1::2 . 2001:2:0:2::2 . 100 . 200 : goto f2" in there


def test_pktgen_is_told_frames_without_the_checksum_and_whole_nanoseconds() -> None:
    text = script(replace(LOAD, flows=(make_flow(src_port=steps(100, 4)), BACK), tx_cpu=1))
    assert "pg kpktgend_1 'add_device eth1@0'" in text
    for words in (
        "pkt_size 60",
        "count 250",
        "delay 400000",
        "udp_src_max 104",
        "src_max 198.18.1.2",
    ):
        assert f"pg eth1@0 '{words}'" in text
    assert "pg eth2@1 'count 750'" in text and "pg eth2@1 'delay 133333'" in text
    assert delays_of(replace(LOAD, rate=None)) == [200, 67]


SAID = """BEFORE
eth1/statistics/rx_dropped:3
eth2/statistics/rx_dropped:0
carrier eth1 1
carrier eth2 1
cpu0 1 0 1 1 0 0 0 {steal} 0 0
cpu1 1 0 1 1 0 0 0 4 0 0
{counted}
AFTER
eth1/statistics/rx_dropped:5
eth2/statistics/rx_dropped:0
carrier eth1 1
carrier eth2 {carrier}
cpu0 1 0 1 1 0 0 0 7 0 0
cpu1 1 0 1 1 0 0 0 4 0 0
{counted_after}
SENT
DEVICE 0
Params: count 250
Current:
     pkts-sofar: {sent}  errors: {errors}
     started: 1000000us  stopped: {stopped}us idle: 0us
DEVICE 1
Current:
     pkts-sofar: 750  errors: 0
     started: 1000001us  stopped: 1100000us idle: 0us
"""


def counted(*packets: int) -> str:
    names = ("f0", "f1", "misdelivered")
    items = [{"name": n, "packets": p} for n, p in zip(names, packets, strict=True)]
    return json.dumps({"nftables": [{"metainfo": {}}, *({"counter": item} for item in items)]})


def said(**changes: object) -> str:
    words = {
        "steal": 2, "carrier": 1, "sent": 250, "errors": 0, "stopped": 1_100_000,
        "counted": counted(10, 20, 0), "counted_after": counted(258, 770, 1),
    }  # fmt: skip
    return SAID.format(**words | changes)


def test_pktgen_on_time_is_read_as_it_was_asked() -> None:
    found = pktgen.read(LOAD, said(), 0.4)
    assert [(f.intended, f.offered, f.received) for f in found.flows] == [
        (250, 250, 248),
        (750, 750, 750),
    ]
    assert (found.misdelivered, found.kernel_drops) == (1, 2)
    assert found.steal_ticks == {"0": 5, "1": 0}
    assert found.steal_window_seconds == LOAD.seconds + LOAD.drain_seconds
    assert found.send_seconds == pytest.approx(0.1)
    assert found.duplicates is None and found.delay_ns.count == 0


def test_pktgen_that_goes_on_after_its_time_was_to_send_until_then() -> None:
    found = pktgen.read(LOAD, said(stopped=1_140_000, sent=200), 0.4)
    assert found.flows[0].intended == 350
    refused = pktgen.read(LOAD, said(errors=30), 0.4)
    assert (refused.flows[0].intended, refused.flows[0].offered, refused.refused) == (280, 250, 30)


def test_pktgen_with_a_port_down() -> None:
    assert pktgen.read(LOAD, said(carrier=""), 0.4).reason == "port p2 went down"
    before = pktgen.read(LOAD, "PORT DOWN eth2\n", 0.4)
    assert (before.aborted, before.intended, before.offered) == (True, 1000, 0)


def test_pktgen_cannot_tell_equal_flows_apart() -> None:
    with pytest.raises(UsageError, match="tell them apart"):
        pktgen.Tester(Nowhere()).trial(replace(LOAD, flows=(FLOW, make_flow(name="other"))))
