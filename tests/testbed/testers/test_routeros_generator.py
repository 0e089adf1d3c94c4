"""RouterOS's traffic generator: what it is told, and what its rows mean."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ppslab.core.errors import BackendError, CannotHereError, UsageError
from ppslab.testbed.testers import testers
from ppslab.testbed.testers.inventory import PASSWORD
from ppslab.testbed.testers.routeros import tester as routeros
from ppslab.testbed.testers.routeros.tester import TOTAL, read
from tests.support.doubles.routeros_rest import Device, bad
from tests.support.doubles.routeros_rest import Server as RouterOSServer
from tests.testbed.testers.conftest import FLOW, LOAD, V6, Nowhere


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


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ({"ret": "x"}, "rows"),
        ([{"seq": "TOT"}], "rows"),
        ([row(0, 1, 10, 10), row("TOT", "TOT", 30, 30), row(0, 2, 10, 10)], "rows"),
        ([row("TOT", 1, 10, 10), row("TOT", 2, 10, 10)], "total"),
        ([row("TOT", "TOT", "many", 10)], "rows"),
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
        with pytest.raises(BackendError, match="time"):
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
    with pytest.raises(CannotHereError, match="allow") as told:
        remote.trial(LOAD)
    assert "device-mode/update traffic-gen=yes" in told.value.remedy


def test_routeros_refuses_a_password(device: Device, remote) -> None:
    device.password = "another"
    with pytest.raises(UsageError, match="401"):
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
    with pytest.raises(UsageError, match=r"ether3.*ether2"):
        remote.trial(LOAD)
    device.interfaces = ("ether2", "ether3")
    device.menus["packet-template"]["*8"] = {"name": "ppslab", "x": "kept: not ours"}

    def refuse(*_: object) -> None:
        raise bad("failure: not allowed by device-mode")

    device._rows = refuse  # type: ignore[assignment]
    with pytest.raises(BackendError, match="400: failure: not allowed by device-mode"):
        remote.trial(LOAD)
    left = {menu: [item["name"] for item in items.values()] for menu, items in device.menus.items()}
    assert left == {"port": ["theirs"], "packet-template": ["ppslab"], "stream": []}


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
