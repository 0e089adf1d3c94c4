"""Choosing a tester, its inventory, and what the testers' own words mean; nothing here sends."""

from __future__ import annotations

import json
import socket
from dataclasses import replace
from pathlib import Path

import pytest

from ppslab.core.errors import BackendError, CannotHereError, FileError, UsageError
from ppslab.testbed.routers import rest
from ppslab.testbed.testers import otg, testers
from ppslab.testbed.testers.pktgen import tester as pktgen
from ppslab.testbed.testers.pktgen.tester import counters, delays_of, script
from tests.support.doubles.otg_server import Generator, strictly
from tests.support.doubles.otg_server import Server as OtgServer
from tests.support.flow_factory import make_flow, steps
from tests.testbed.testers.conftest import BACK, BACKWARDS, FLOW, LOAD, V6, Nowhere

# --- choosing --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("otg: {url: 'http://a', ports: {}}\n", "routeros"),
        ("routeros:\n  url: 192.0.2.1\n  ports: {}\n", ":2: routeros: url"),
        ("routeros:\n  url: http://a\n  prots: {}\n", ':3: routeros: unknown key "prots"'),
        ("routeros:\n  url: http://a/rest\n  ports: {}\n", ":2: routeros: url"),
    ],
)
def test_a_wrong_inventory_is_told_with_its_line(inventory: Path, text: str, said: str) -> None:
    inventory.write_text(text)
    with pytest.raises(FileError) as told:
        testers.chosen("routeros", inventory)
    assert said in str(told.value)


def test_what_a_device_cannot_reach_is_told_and_what_a_program_needs(inventory: Path) -> None:
    inventory.write_text(
        "otg: {url: 'http://127.0.0.1:9', ports: {p1: a, p2: b}}\n"
        "routeros: {url: 'http://127.0.0.1:9', ports: {p1: a, p2: b}}\n"
    )
    chosen = {name: testers.chosen(name, inventory) for name in testers.NAMES}
    for backend in ("namespaces", "vm"):
        with pytest.raises(CannotHereError):
            chosen["routeros"].must_reach(backend)
        chosen["pktgen"].must_reach(backend)
    chosen["otg"].must_reach("containerlab")
    assert chosen["pktgen"].needs == {"pktgen", "nft-netdev"}
    assert chosen["ppstraffic"].needs == frozenset()
    with pytest.raises(UsageError, match="routeros"):
        chosen["routeros"].must_go_without_a_rate()


# --- shares of a load --------------------------------------------------------------------------


def test_shares_leave_no_frame_over() -> None:
    assert LOAD.shares(1000) == [250, 750]
    assert replace(LOAD, flows=(FLOW, FLOW, FLOW)).shares(7) == [2, 2, 3]
    assert LOAD.whole_rates() == [2500, 7500]
    assert replace(LOAD, rate=0.5).whole_rates() == [1, 1]


# --- OTG ---------------------------------------------------------------------------------------


@pytest.mark.long
def test_an_otg_configuration_is_one_that_the_models_take() -> None:
    flows = (make_flow(src=steps("198.18.1.2", 4), src_port=steps(100, 8)), V6)
    load = replace(LOAD, flows=flows, size=128)
    names = {"p1": "10.0.0.1;1;1", "p2": "10.0.0.1;1;2"}
    made = otg.config(load, names, otg.paces_of(load))
    assert strictly("Config", json.dumps(made)) == made
    one, other = made["flows"]
    assert one["rate"] == {"choice": "pps", "pps": "2500"}
    assert one["duration"]["fixed_packets"]["packets"] == 250
    assert one["size"] == {"choice": "fixed", "fixed": 128}
    assert one["packet"][1]["ipv4"]["src"]["increment"] == {
        "start": "198.18.1.2", "step": "0.0.0.1", "count": 4,
    }  # fmt: skip
    assert other["packet"][1]["ipv6"]["dst"]["value"] == "2001:2:0:2::2"
    assert one["tx_rx"]["port"] == {"tx_name": "p1", "rx_names": ["p2"]}


@pytest.mark.long
def test_flows_of_a_port_share_its_line_rate() -> None:
    load = replace(LOAD, flows=(FLOW, make_flow(**BACKWARDS)), rate=None)
    made = otg.config(load, {"p1": "a", "p2": "b"}, otg.paces_of(load))
    assert [flow["rate"]["percentage"] for flow in made["flows"]] == [25.0, 75.0]
    assert made["flows"][0]["duration"]["fixed_seconds"]["seconds"] == 0.1


def test_a_request_that_the_models_do_not_know_is_refused() -> None:
    with pytest.raises(ValueError, match=r"Config\.ports\[0\]\.sped"):
        strictly("Config", '{"ports": [{"name": "p1", "sped": 1}]}')
    with pytest.raises(TypeError):
        strictly("Config", '{"flows": [{"name": "x", "rate": {"choice": "pps", "pps": 0}}]}')


def test_what_an_otg_server_says_of_a_failure_is_told(inventory: Path) -> None:
    with OtgServer(Generator(locations=("eth1",))) as server:
        inventory.write_text(f"otg: {{url: '{server.url}', ports: {{p1: eth1, p2: eth9}}}}\n")
        tester = testers.chosen("otg", inventory).make(Nowhere())
        assert tester.version() == "double (OTG 1.62.0)"
        with pytest.raises(BackendError, match=r"/config: 400: .*eth9"):
            tester.trial(LOAD)
        with pytest.raises(UsageError, match=r"left.*p1, p2"):
            cabled = make_flow(tx_name="left", rx_name="left")
            tester.trial(replace(LOAD, flows=(cabled,), ports={"left": "eth1"}))


def test_an_otg_sender_that_is_stopped_half_way_is_stopped_there(
    inventory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    generator = Generator()
    with OtgServer(generator) as server:
        inventory.write_text(f"otg: {{url: '{server.url}', ports: {{p1: eth1, p2: eth2}}}}\n")
        tester = testers.chosen("otg", inventory).make(Nowhere())

        def stop(_: float) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr(tester, "_wait", stop)
        with pytest.raises(KeyboardInterrupt):
            tester.trial(replace(LOAD, seconds=20.0))
    assert not generator.sending


# --- the page ----------------------------------------------------------------------------------


# --- endings -----------------------------------------------------------------------------------


def test_a_ca_file_that_is_not_there(inventory: Path) -> None:
    inventory.write_text("otg: {url: 'https://127.0.0.1:9', verify: /none.pem, ports: {p1: a}}\n")
    with pytest.raises(FileError, match=r"/none\.pem"):
        testers.chosen("otg", inventory).make(Nowhere()).version()


@pytest.fixture
def silent(inventory: Path):
    """A server that says what it is told to, or nothing at all; the tester that asks it."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        inventory.write_text(f"otg: {{url: 'http://127.0.0.1:{port}', ports: {{p1: a, p2: b}}}}\n")
        yield listening, testers.chosen("otg", inventory).make(Nowhere())


def test_a_server_that_does_not_answer(silent, monkeypatch: pytest.MonkeyPatch) -> None:
    _, tester = silent
    monkeypatch.setattr(rest.Service.ask, "__kwdefaults__", {"seconds": 0.2})
    with pytest.raises(BackendError, match=r"/capabilities/version: .*0\.2 s"):
        tester.version()


def test_an_answer_that_the_models_do_not_know(silent, monkeypatch: pytest.MonkeyPatch) -> None:
    _, tester = silent
    monkeypatch.setattr(
        tester._service, "ask", lambda *_: {"choice": "flow_metrics", "flow_metrics": 3}
    )
    with pytest.raises(BackendError, match="MetricsResponse"):
        tester._metrics("flow", {})


# --- the kernel's packet generator ----------------------------------------------------------------


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


def test_pktgen_that_goes_on_after_its_time_was_to_send_until_then() -> None:
    found = pktgen.read(LOAD, said(stopped=1_140_000, sent=200), 0.4)
    assert found.flows[0].intended == 350
    refused = pktgen.read(LOAD, said(errors=30), 0.4)
    assert (refused.flows[0].intended, refused.flows[0].offered, refused.refused) == (280, 250, 30)


def test_pktgen_cannot_tell_equal_flows_apart() -> None:
    with pytest.raises(UsageError, match="tell them apart"):
        pktgen.Tester(Nowhere()).trial(replace(LOAD, flows=(FLOW, make_flow(name="other"))))
