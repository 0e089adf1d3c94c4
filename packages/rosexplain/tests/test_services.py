"""The router's own services: which of them strangers reach, and by which line."""

from __future__ import annotations

import pytest
from asked import HEAD, ask

from rosexplain import services
from rosexplain.report import Answer
from rosexplain.sentences import named
from rosexplain.summary import MOST_NOTICED, summary

SESSION = "/interface pppoe-client\nadd add-default-route=yes disabled=no interface=ether1 name=p\n"
LAN = "/ip address\nadd address=192.168.88.1/24 interface=ether2\n"
LAST = "/system identity\nset name=r\n"
ROUTER = HEAD + LAST + SESSION + LAN
FILTER = "/ip firewall filter\n"
OLD = "# jan/02/2018 10:00:00 by RouterOS {}\n" + LAST + SESSION


def names(text: str) -> list[str]:
    return services.names(ask(text).net)


def lines(text: str) -> dict[str, list[int]]:
    return {rule: [line.number for line in own] for rule, own in services.met(ask(text).net)}


def test_all_that_is_on_by_default_is_named() -> None:
    every = [label for _, label, _ in services.SERVICES][:-1]
    assert names(ROUTER) == [*every, "the bandwidth test"]
    assert lines(ROUTER) == {"services-unguarded": [6]}


def test_a_service_is_asked_for_at_its_own_port() -> None:
    rule = FILTER + "add action=drop chain=input dst-port={} protocol=tcp\n"
    moved = "/ip service\nset ssh port=2222\n"
    assert "SSH" not in names(ROUTER + rule.format(22))
    assert "SSH" in names(ROUTER + rule.format(22) + moved)
    assert "SSH" not in names(ROUTER + rule.format(2222) + moved)


def test_a_row_by_its_number_may_be_any_service() -> None:
    assert names(ROUTER + "/ip service\nset 6 disabled=yes\n") == []


def test_a_port_that_is_forwarded_is_none_of_the_routers() -> None:
    forwards = (
        "/ip firewall nat\nadd action=dst-nat chain=dstnat dst-port=80 in-interface=p protocol=tcp "
        "to-addresses=192.168.88.9\n"
    )
    assert "WebFig" not in names(ROUTER + forwards)
    assert "SSH" in names(ROUTER + forwards)


def test_a_switch_has_no_uplink() -> None:
    ports = "".join([f"add bridge=b interface=ether{number}\n" for number in (1, 2)])
    bridge = "/interface bridge\nadd name=b\n/interface bridge port\n" + ports
    client = "/ip dhcp-client\nadd interface=b\n"
    assert lines(HEAD + LAST + bridge + client) == {}


@pytest.mark.parametrize(
    ("version", "leaks"),
    [
        ("6.28", False), ("6.29", True), ("6.39.2", True), ("6.40.7", True), ("6.40.8", False),
        ("6.40.9", False), ("6.41", True), ("6.41.3", True), ("6.42", True), ("6.42.1", False),
        ("6.49.10", False), ("7.1", False),
    ],
)  # fmt: skip
def test_the_releases_whose_winbox_gives_its_users_away(version: str, leaks: bool) -> None:
    assert ("winbox-leaks" in lines(OLD.format(version))) is leaks
    off = OLD.format(version) + "/ip service\nset winbox disabled=yes\n"
    assert "winbox-leaks" not in lines(off)


def test_the_sentence_is_behind_all_else_and_never_left_out() -> None:
    plain = Answer(ask(ROUTER)).plain()
    short = summary(named(plain))
    assert short["noticed"][-1].startswith("Winbox, WebFig, SSH, Telnet, FTP and 3 more: Open to")
    (row,) = [row for row in plain["noticed"] if row["place"] == "unguarded"]
    plain["noticed"] = [{**row, "place": "", "says": f"Thing {n}."} for n in range(9)] + [row]
    short = summary(named(plain))
    assert len(short["noticed"]) == MOST_NOTICED + 1
    assert short["noticed"][-1].startswith("Winbox")
