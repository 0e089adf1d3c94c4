"""Choosing a tester, its inventory, and what the testers' own words mean; nothing here sends."""

from __future__ import annotations

import json
import socket
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest

from ppslab.base.errors import BackendError, CannotHereError, FileError, UsageError
from ppslab.instruments import otg, testers
from ppslab.instruments.contract import Ability, Load
from ppslab.instruments.inventory import CONFIG, PASSWORD
from ppslab.instruments.pktgen import tester as pktgen
from ppslab.instruments.pktgen.script import counters, delays_of, script
from ppslab.instruments.routeros import tester as routeros
from ppslab.instruments.routeros.rows import TOTAL, read
from ppslab.routers import rest
from tests.doubles.otg_server import Generator, strictly
from tests.doubles.otg_server import Server as OtgServer
from tests.doubles.routeros_rest import Device, bad
from tests.doubles.routeros_rest import Server as RouterOSServer
from tests.flow_factory import make_flow, steps

FLOW = make_flow()
BACKWARDS = {"name": "r21", "src": "198.18.2.2", "dst": "198.18.1.2"}
BACK = make_flow(**BACKWARDS, tx_name="p2", rx_name="p1")
WEIGHTS = {"r21": 3, "v6": 3}
V6 = make_flow(name="v6", src="2001:2:0:1::2", dst="2001:2:0:2::2")
LOAD = Load(
    flows=(FLOW, BACK), ports={"p1": "eth1", "p2": "eth2"}, size=64, seconds=0.1, rate=10_000.0,
    settle_seconds=0.0, drain_seconds=0.0, weights=WEIGHTS,
)  # fmt: skip


class Nowhere:
    """A node on which nothing runs."""

    def run(self, argv, **_):
        raise AssertionError(argv)

    read = run


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (CONFIG, PASSWORD):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def inventory(tmp_path: Path) -> Path:
    return tmp_path / "testers.yml"


# --- choosing --------------------------------------------------------------------------------


def test_a_misspelt_tester_has_a_near_one() -> None:
    with pytest.raises(UsageError, match=r'no tester \'pktgem\' \(did you mean "pktgen"\?\)'):
        testers.chosen("pktgem")


@pytest.mark.parametrize("name", ["routeros", "otg"])
def test_a_device_without_an_inventory_says_what_is_wanted(name: str) -> None:
    with pytest.raises(UsageError, match="--tester-config FILE"):
        testers.chosen(name)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("otg: {url: 'http://a', ports: {}}\n", "no routeros in it"),
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


def test_an_inventory_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no such file"):
        testers.chosen("otg", tmp_path / "none.yml")


def test_the_environment_names_the_inventory(
    inventory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inventory.write_text("otg: {url: 'http://127.0.0.1:9', ports: {p1: a, p2: b}}\n")
    monkeypatch.setenv(CONFIG, str(inventory))
    assert testers.chosen("otg").make(Nowhere()).name == "otg"


def test_what_a_device_cannot_reach_is_told_and_what_a_program_needs(inventory: Path) -> None:
    inventory.write_text(
        "otg: {url: 'http://127.0.0.1:9', ports: {p1: a, p2: b}}\n"
        "routeros: {url: 'http://127.0.0.1:9', ports: {p1: a, p2: b}}\n"
    )
    chosen = {name: testers.chosen(name, inventory) for name in testers.NAMES}
    for backend in ("namespaces", "vm"):
        with pytest.raises(CannotHereError, match="no wire"):
            chosen["routeros"].must_reach(backend)
        chosen["pktgen"].must_reach(backend)
    chosen["otg"].must_reach("containerlab")
    assert chosen["pktgen"].needs == {"pktgen", "nft-netdev"}
    assert chosen["ppstraffic"].needs == frozenset()
    with pytest.raises(UsageError, match="at a set rate only"):
        chosen["routeros"].must_go_without_a_rate()


@pytest.mark.parametrize("name", ["routeros", "otg"])
def test_where_no_device_answers_it_says_so(name: str, inventory: Path) -> None:
    inventory.write_text(f"{name}: {{url: 'http://127.0.0.1:9', ports: {{p1: a, p2: b}}}}\n")
    tester = testers.chosen(name, inventory).make(Nowhere())
    with pytest.raises(CannotHereError) as told:
        tester.version()
    assert "http://127.0.0.1:9 answers" in told.value.reason
    assert str(inventory) in told.value.remedy


# --- shares of a load --------------------------------------------------------------------------


def test_shares_leave_no_frame_over() -> None:
    assert LOAD.shares(1000) == [250, 750]
    assert replace(LOAD, flows=(FLOW, FLOW, FLOW)).shares(7) == [2, 2, 3]
    assert LOAD.whole_rates() == [2500, 7500]
    assert replace(LOAD, rate=0.5).whole_rates() == [1, 1]


# --- pktgen ------------------------------------------------------------------------------------


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


# --- RouterOS ----------------------------------------------------------------------------------


def row(seq: object, key: object, sent: object, received: object, **more: str) -> dict[str, str]:
    return {
        "seq": str(seq), "id": str(key), "tx-packet": str(sent), "rx-packet": str(received),
        "rx-ooo": "1", **more,
    }  # fmt: skip


def test_rows_of_totals_are_taken_and_rows_of_seconds_say_how_long_it_sent() -> None:
    latency = {"lat-min": "16us", "lat-avg": "23.2us", "lat-max": "3.22ms"}
    rows = [
        row(0, 1, 100, 100), row(0, 2, 100, 90), row(0, "TOT", 200, 190),
        row(1, 1, "1 000", 100), row(1, 2, 0, 0), row(1, "TOT", 0, 0), row(2, 1, 0, 5),
        row("TOT", 1, "1 100", 205), row("TOT", 2, 100, 90),
        row("TOT", "TOT", "1 200", 295, **latency),
    ]  # fmt: skip
    found = read(rows, [1, 2])
    assert (found.streams[1].sent, found.streams[1].received) == (1100, 205)
    total = found.streams[TOTAL]
    assert (total.sent, total.received, total.reordered) == (1200, 295, 1)
    assert (total.least_ns, total.mean_ns, total.most_ns) == (16_000, 23_200.0, 3_220_000)
    assert found.seconds_sent == 2


def test_rows_without_totals_of_streams_are_added_up() -> None:
    rows = [row(0, 1, 10, 9), row(0, 2, 10, 10), row(1, 1, 10, 9), row("TOT", "TOT", 30, 28)]
    assert read(rows, [1, 2]).streams[1].received == 18


def test_one_stream_needs_no_rows_but_the_total() -> None:
    rows = [row(36, 1, 10, 10), row("TOT", "TOT", 400, 390)]
    assert read(rows, [1]).streams[1].sent == 400


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ({"ret": "x"}, "answers with no rows"),
        ([{"seq": "TOT"}], "rows of another form"),
        ([row(0, 1, 10, 10), row("TOT", "TOT", 30, 30), row(0, 2, 10, 10)], "rows were left out"),
        ([row("TOT", 1, 10, 10), row("TOT", 2, 10, 10)], "no total"),
        ([row("TOT", "TOT", "many", 10)], "rows of another form"),
    ],
)
def test_rows_that_cannot_be_right_are_told(rows: object, message: str) -> None:
    with pytest.raises(BackendError, match=message):
        read(rows, [1, 2])


@pytest.mark.parametrize(
    ("text", "nanoseconds"),
    [("232", None), ("10.6us", 10_600.0), ("1s500ms", 1.5e9), ("00:00:00.000016", 16_000.0)],
)
def test_times_as_routeros_writes_them(text: str, nanoseconds: float | None) -> None:
    rows = [row("TOT", "TOT", 1, 1, **{"lat-avg": text})]
    if nanoseconds is None:
        with pytest.raises(BackendError, match="is no time"):
            read(rows, [1])
        return
    assert read(rows, [1]).streams[TOTAL].mean_ns == pytest.approx(nanoseconds)


@pytest.fixture
def device() -> Device:
    return Device(user="lab", password="horse", pace=0.0)


@pytest.fixture
def remote(device: Device, inventory: Path):
    with RouterOSServer(device) as server:
        inventory.write_text(
            f"routeros: {{url: '{server.url}', user: lab, password: horse, "
            "ports: {p1: ether2, p2: ether3}}\n"
        )
        yield testers.chosen("routeros", inventory).make(Nowhere())


def test_routeros_is_told_streams_with_an_id_of_their_own(device: Device, remote) -> None:
    device.menus["stream"]["*9"] = {"name": "ppslab-9", "id": "1"}  # of a run that was killed
    remote.trial(replace(LOAD, flows=(FLOW, V6), size=128))
    put = [(path.rpartition("/")[2], words) for way, path, words in device.requests if way == "PUT"]
    assert put[:2] == [
        ("port", {"name": "ppslab-p1", "interface": "ether2"}),
        ("port", {"name": "ppslab-p2", "interface": "ether3"}),
    ]
    assert put[2][1] == {
        "name": "ppslab-1", "header-stack": "mac,ip,udp", "mac-src": "02:00:C6:12:01:02",
        "mac-dst": "02:00:C6:12:01:01", "ip-src": "198.18.1.2/32", "ip-dst": "198.18.2.2/32",
        "udp-src-port": "100", "udp-dst-port": "200",
    }  # fmt: skip
    assert put[4][1]["ipv6-src"] == "2001:2:0:1::2/128"
    streams = [words for menu, words in put if menu == "stream"]
    assert [(s["id"], s["packet-size"], s["port"]) for s in streams] == [
        ("1", "124", "ppslab-p1"),
        ("2", "124", "ppslab-p1"),
    ]
    set_to = [words for way, _, words in device.requests if way == "PATCH"]
    assert set_to == [
        {"packet-count": "250", "pps": "2500"},
        {"packet-count": "750", "pps": "7500"},
    ]
    (quick,) = [words for _, path, words in device.requests if path.endswith("/quick")]
    assert quick == {
        "stream": "ppslab-1,ppslab-2", "measure-out-of-order": "yes", "duration": "1s",
        "entries-to-show": "255",
    }  # fmt: skip


def test_routeros_sends_longer_than_rest_waits_in_the_background(
    device: Device, remote, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept: list[float] = []
    monkeypatch.setattr(routeros.time, "sleep", slept.append)
    counts = remote.trial(replace(LOAD, seconds=60.0, drain_seconds=2.0)).counts
    assert (counts.intended, counts.received) == (600_000, 600_000)
    assert slept == [0.0, 62]
    assert [
        path for _, path, _ in device.requests if path.endswith(("/start", "/stop", "/quick"))
    ] == [
        "/rest/tool/traffic-generator/start",
        "/rest/tool/traffic-generator/stop",
    ]


def test_routeros_in_its_device_mode(device: Device, remote) -> None:
    device.allowed = False
    with pytest.raises(CannotHereError, match="does not allow") as told:
        remote.trial(LOAD)
    assert "device-mode/update traffic-gen=yes" in told.value.remedy


def test_routeros_refuses_a_password(device: Device, remote) -> None:
    device.password = "another"
    with pytest.raises(UsageError, match=r"refuses this user or password \(401\)"):
        remote.version()


def test_the_environments_password_goes_before_the_files(
    device: Device, inventory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(PASSWORD, "horse")
    with RouterOSServer(device) as server:
        inventory.write_text(
            f"routeros: {{url: '{server.url}', user: lab, password: x, ports: {{}}}}\n"
        )
        tester = testers.chosen("routeros", inventory).make(Nowhere())
        assert tester.version() == "7.19.4 (stable) on CHR"


def test_what_routeros_says_of_a_failure_is_told_and_nothing_is_left(
    device: Device, remote
) -> None:
    device.menus["port"]["*7"] = {"name": "theirs", "interface": "ether2"}
    device.interfaces = ("ether2",)
    with pytest.raises(UsageError, match="no interface ether3, it has ether2"):
        remote.trial(LOAD)
    device.interfaces = ("ether2", "ether3")
    device.menus["packet-template"]["*8"] = {"name": "ppslab", "x": "kept: not ours"}

    def refuse(*_: object) -> None:
        raise bad("failure: not allowed by device-mode")

    device._rows = refuse  # type: ignore[assignment]
    with pytest.raises(BackendError, match="quick: 400: failure: not allowed by device-mode"):
        remote.trial(LOAD)
    left = {menu: [item["name"] for item in items.values()] for menu, items in device.menus.items()}
    assert left == {"port": ["theirs"], "packet-template": ["ppslab"], "stream": []}


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
    with pytest.raises(ValueError, match=r"unknown: Config\.ports\[0\]\.sped"):
        strictly("Config", '{"ports": [{"name": "p1", "sped": 1}]}')
    with pytest.raises(TypeError, match="expected min 1"):
        strictly("Config", '{"flows": [{"name": "x", "rate": {"choice": "pps", "pps": 0}}]}')


def test_what_an_otg_server_says_of_a_failure_is_told(inventory: Path) -> None:
    with OtgServer(Generator(locations=("eth1",))) as server:
        inventory.write_text(f"otg: {{url: '{server.url}', ports: {{p1: eth1, p2: eth9}}}}\n")
        tester = testers.chosen("otg", inventory).make(Nowhere())
        assert tester.version() == "double (OTG 1.62.0)"
        with pytest.raises(BackendError, match="POST /config: 400: no port at eth9"):
            tester.trial(LOAD)
        with pytest.raises(UsageError, match="no port left under ports, it has p1, p2"):
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


def test_the_page_says_of_every_ability_who_has_it() -> None:
    from ppslab.course.site.directives.content.testers import table

    shown = table()
    assert shown.header == ("ability", "ppstraffic", "pktgen", "routeros", "otg")
    assert [row[0].text for row in shown.rows] == list(get_args(Ability))
    by_name = {row[0].text: [cell.text for cell in row[1:]] for row in shown.rows}
    assert by_name["reordering"] == ["yes", "no", "yes", "no"]
    assert {row[0] for row in by_name.values()} == {"yes"}


# --- endings -----------------------------------------------------------------------------------


def test_a_routeros_trial_that_is_broken_off_leaves_nothing_on_the_device(
    device: Device, remote, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: object) -> None:
        device.running = True
        raise KeyboardInterrupt

    monkeypatch.setattr(remote, "_run", stop)
    with pytest.raises(KeyboardInterrupt):
        remote.trial(LOAD)
    assert not any(device.menus.values())
    assert not device.running


def test_a_ca_file_that_is_not_there(inventory: Path) -> None:
    inventory.write_text("otg: {url: 'https://127.0.0.1:9', verify: /none.pem, ports: {p1: a}}\n")
    with pytest.raises(FileError, match=r"/none\.pem: no CA file"):
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
    with pytest.raises(BackendError, match=r"GET /capabilities/version: no answer within 0\.2 s"):
        tester.version()


def test_a_server_of_something_else(silent) -> None:
    listening, tester = silent

    def answer() -> None:
        came, _ = listening.accept()
        with came:
            came.recv(4096)
            came.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 14\r\n\r\n<html>hi</html>")

    with ThreadPoolExecutor() as threads:
        done = threads.submit(answer)
        with pytest.raises(BackendError, match="no JSON, but '<html>hi</html'"):
            tester.version()
        done.result()


def test_an_answer_that_the_models_do_not_know(silent, monkeypatch: pytest.MonkeyPatch) -> None:
    _, tester = silent
    monkeypatch.setattr(
        tester._service, "ask", lambda *_: {"choice": "flow_metrics", "flow_metrics": 3}
    )
    with pytest.raises(BackendError, match="with what is no MetricsResponse"):
        tester._metrics("flow", {})
