"""The RouterOS double keeps to what is recorded of RouterOS's REST interface."""

from __future__ import annotations

import time
from collections.abc import Iterator

import httpx
import pytest

from tests.support.doubles.routeros_rest import Device, Server
from tests.support.doubles.routeros_words import duration
from tests.support.waiting import PATIENCE


@pytest.fixture
def device() -> Device:
    return Device(password="horse", pace=0.0)


@pytest.fixture
def rest(device: Device) -> Iterator[httpx.Client]:
    with (
        Server(device) as server,
        httpx.Client(
            base_url=f"{server.url}/rest",
            auth=("admin", "horse"),
            verify=False,  # http: no certificates are read
            trust_env=False,
            timeout=PATIENCE,
        ) as client,
    ):
        yield client


def test_the_matrix_of_verbs_that_was_recorded(rest: httpx.Client) -> None:
    """Rows of transport-rest-q8.v7.24rc2.json in github.com/tikoci/centrs."""
    assert isinstance(rest.get("/ip/address").json(), list)
    assert rest.get("/system/resource").json()["board-name"] == "CHR"
    made = rest.put("/ip/firewall/address-list", json={"list": "q8", "address": "192.0.2.7"})
    assert (made.status_code, made.json()[".id"]) == (201, "*1")
    assert rest.get("/ip/firewall/address-list/*1").json()["address"] == "192.0.2.7"
    changed = rest.patch("/ip/firewall/address-list/*1", json={"comment": "q8-updated"})
    assert (changed.status_code, changed.json()["comment"]) == (200, "q8-updated")
    body = {".proplist": "address,list"}
    assert rest.post("/ip/firewall/address-list/print", json=body).json() == [
        {"address": "192.0.2.7", "list": "q8"}
    ]
    asked = rest.post("/ip/firewall/address-list/print", json={".query": ["list=other"]})
    assert asked.json() == []
    removed = rest.delete("/ip/firewall/address-list/*1")
    assert (removed.status_code, removed.content) == (204, b"")
    assert rest.get("/ip/firewall/address-list/*1").status_code == 404


def test_a_single_menu_is_set_by_a_command_and_answers_nothing(rest: httpx.Client) -> None:
    answer = rest.post("/ip/settings/set", json={"allow-fast-path": "no"})
    assert (answer.status_code, answer.json()) == (200, [])
    settings = rest.get("/ip/settings").json()
    assert settings["allow-fast-path"] == "false"
    assert settings["ipv4-fast-path-active"] == "false"


@pytest.mark.parametrize(
    ("menu", "words", "said"),
    [
        ("/ip/address", {"address": "198.18.1.1/24", "vrf": "x"}, "unknown parameter vrf"),
        ("/ip/address", {"address": "198.18.1.1/24"}, "missing =interface="),
        (
            "/ip/address",
            {"address": "198.18.1.1/24", "interface": "ether9"},
            "input does not match any value of interface",
        ),
        (
            "/interface/bridge",
            {"protocol-mode": "ospf"},
            "input does not match any value of protocol-mode",
        ),
        ("/ip/nothing", {}, "no such command or directory (nothing)"),
    ],
)
def test_wrong_words_are_refused_in_the_recorded_words(
    rest: httpx.Client, menu: str, words: dict[str, str], said: str
) -> None:
    answer = rest.put(menu, json=words)
    assert answer.status_code == 400
    assert answer.json() == {"error": 400, "message": "Bad Request", "detail": said}


def test_hw_offload_went_with_7_21_on_a_chr() -> None:
    rule = {"chain": "forward", "action": "fasttrack-connection", "hw-offload": "yes"}
    for version, hardware, status in (
        ("7.20.8 (long-term)", False, 201),
        ("7.21.4 (stable)", False, 400),
        ("7.21.4 (stable)", True, 201),
    ):
        device = Device(version=version, hardware=hardware)
        with Server(device) as server:
            url = f"{server.url}/rest/ip/firewall/filter"
            answer = httpx.put(url, json=rule, auth=("admin", ""), timeout=PATIENCE)
            assert answer.status_code == status, version


def test_an_interface_that_is_renamed_takes_what_names_it_along(rest: httpx.Client) -> None:
    rest.put("/ip/address", json={"address": "198.18.1.1/24", "interface": "ether2"})
    (port,) = rest.get("/interface/ethernet", params={"default-name": "ether2"}).json()
    rest.patch(f"/interface/ethernet/{port['.id']}", json={"name": "p1"})
    (address,) = rest.get("/ip/address").json()
    assert (address["interface"], address["network"]) == ("p1", "198.18.1.0")
    assert "p1" in {each["name"] for each in rest.get("/interface").json()}
    assert "p1" in {each["interface"] for each in rest.get("/queue/interface").json()}
    (route,) = rest.get("/ip/route").json()
    assert (route["dst-address"], route["dynamic"]) == ("198.18.1.0/24", "true")


def test_rules_stand_in_the_order_of_the_list(rest: httpx.Client) -> None:
    first = rest.put("/ip/firewall/filter", json={"chain": "input", "action": "drop"}).json()
    rule = {"chain": "input", "action": "accept", "place-before": first[".id"]}
    assert "place-before" not in rest.put("/ip/firewall/filter", json=rule).json()
    assert [each["action"] for each in rest.get("/ip/firewall/filter").json()] == ["accept", "drop"]


def test_once_answers_one_row_and_duration_one_a_second(rest: httpx.Client) -> None:
    once = rest.post("/interface/monitor-traffic", json={"interface": "ether1", "once": ""})
    assert [".section" in row for row in once.json()] == [False]
    timed = rest.post("/interface/monitor-traffic", json={"interface": "ether1", "duration": "3s"})
    assert [row[".section"] for row in timed.json()] == ["0", "1", "2"]
    endless = rest.post("/interface/monitor-traffic", json={"interface": "ether1"})
    assert endless.json()["detail"] == "Session closed"


def test_a_licence_error_comes_inside_of_an_answer_that_is_well(
    device: Device, rest: httpx.Client
) -> None:
    device.licence_error = "Unauthorized"
    asked = {"account": "a@example.com", "password": "x", "level": "p1"}
    answer = rest.post("/system/license/renew", json=asked)
    assert answer.status_code == 200
    assert answer.json()[-1]["status"] == "ERROR: Unauthorized"
    assert rest.get("/system/license").json()["level"] == "free"
    device.licence_error = ""
    assert rest.post("/system/license/renew", json=asked).json()[-1]["status"] == "done"
    assert rest.get("/system/license").json()["level"] == "p1"


def test_device_mode_waits_for_a_reset(device: Device, rest: httpx.Client) -> None:
    device.allowed = False
    asked = {"traffic-gen": "true", "activation-timeout": "30s"}
    answer = rest.post("/system/device-mode/update", json=asked)
    assert answer.json() == {"detail": "update canceled", "error": 400, "message": "Bad Request"}
    assert rest.get("/system/device-mode").json()["attempt-count"] == "1"
    assert rest.post("/system/device-mode/print", json={}).status_code == 500


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("unauthorized", 401), ("refuses", 400), ("time-limit", 400), ("device-mode", 400),
        ("half-booted", 200), ("no-json", 200),
    ],
)  # fmt: skip
def test_each_fault_happens_when_it_is_told(
    device: Device, rest: httpx.Client, name: str, expected: int
) -> None:
    fault = device.fault(name, "/ip/arp", after=1, times=1, detail="failure: told so")
    answers = [rest.get("/ip/arp") for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, expected, 200]
    assert [answer.content == b"[]" for answer in answers] == [True, False, True]
    assert fault.times is not None and fault.times <= 0


def test_a_connection_that_breaks_off_may_have_done_its_work(
    device: Device, rest: httpx.Client
) -> None:
    rule = {"chain": "forward", "action": "accept"}
    for name, there in (("hangs-up", 0), ("lost-answer", 1)):
        device.fault(name, "/ip/firewall/filter", method="PUT", times=1)
        with pytest.raises(httpx.RemoteProtocolError):
            rest.put("/ip/firewall/filter", json=rule)
        assert len(rest.get("/ip/firewall/filter").json()) == there


def test_what_is_not_kept_is_answered_well(device: Device, rest: httpx.Client) -> None:
    device.fault("keeps-not", "/ip/settings", method="POST")
    assert rest.post("/ip/settings/set", json={"allow-fast-path": "no"}).json() == []
    assert rest.get("/ip/settings").json()["allow-fast-path"] == "true"


def test_packets_move_the_counters_of_the_path_that_they_take(
    device: Device, rest: httpx.Client
) -> None:
    device.carry("ether2", "ether3", 1000, 64)
    assert rest.get("/ip/settings").json()["ipv4-fast-path-packets"] == "1000"
    rest.put("/ip/firewall/filter", json={"chain": "forward", "action": "accept"})
    device.carry("ether2", "ether3", 500, 64)
    assert rest.get("/ip/settings").json()["ipv4-fast-path-packets"] == "1000"
    (port,) = [each for each in rest.get("/interface").json() if each["name"] == "ether2"]
    assert int(port["fp-rx-packet"]) == 1000
    assert rest.get("/ip/firewall/filter").json()[0]["packets"] == "500"


def test_times_are_answered_in_the_recorded_form() -> None:
    said = ("00:10:00", "600s", "1d00:00:00", "5s", "100ms", "auto", "90m")
    assert [duration(each) for each in said] == ["10m", "10m", "1d", "5s", "100ms", "auto", "1h30m"]


@pytest.mark.long
def test_a_call_that_lasts_too_long_is_broken_off() -> None:
    device = Device(pace=0.01)
    with Server(device) as server:
        begun = time.monotonic()
        words = {"interface": "ether1", "duration": "61s"}
        url = f"{server.url}/rest/interface/monitor-traffic"
        answer = httpx.post(url, json=words, auth=("admin", ""), timeout=PATIENCE)
    assert answer.json()["detail"] == "Session closed"
    assert time.monotonic() - begun >= 0.6


def test_a_port_counts_on_from_what_it_shows(device: Device, rest: httpx.Client) -> None:
    def shown() -> int:
        return int(rest.get("/interface/ether2").json()["rx-packet"])

    before = shown()
    device.carry("ether2", "ether3", 10, 64)
    assert shown() == before + 10
