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
DROP = "add action=drop chain=input\n"
OLD = "# jan/02/2018 10:00:00 by RouterOS {}\n" + LAST + SESSION


def names(text: str) -> list[str]:
    return services.names(ask(text).net)


def lines(text: str) -> dict[str, list[int]]:
    return {rule: [line.number for line in own] for rule, own in services.met(ask(text).net)}


def test_all_that_is_on_by_default_is_named() -> None:
    every = [label for _, label, _ in services.SERVICES][:-1]
    assert names(ROUTER) == [*every, "the bandwidth test"]
    assert lines(ROUTER) == {"services-unguarded": [6]}


@pytest.mark.parametrize(
    ("setting", "gone"),
    [
        ("/ip service\nset winbox disabled=yes\n", ["Winbox"]),
        ("/ip service\nset telnet,ftp disabled=yes\n", ["Telnet", "FTP"]),
        ("/ip service\nset ssh address=192.168.88.0/24\n", ["SSH"]),
        ("/ip service\nset www vrf=office\n", ["WebFig"]),
        ("/tool bandwidth-server\nset enabled=no\n", ["the bandwidth test"]),
    ],
)
def test_what_is_off_or_for_some_addresses_is_not(setting: str, gone: list[str]) -> None:
    every = names(ROUTER)
    assert names(ROUTER + setting) == [name for name in every if name not in gone]


@pytest.mark.parametrize(
    ("setting", "new"),
    [
        ("/ip service\nset www-ssl disabled=no\n", "WebFig by HTTPS"),
        ("/tool bandwidth-server\nset authenticate=no\n", "the bandwidth test without a password"),
        ("/ip smb\nset enabled=yes\n", "SMB"),
    ],
)
def test_what_is_switched_on_is_named_too(setting: str, new: str) -> None:
    assert new in names(ROUTER + setting)
    assert new not in names(ROUTER)


def test_a_service_is_asked_for_at_its_own_port() -> None:
    rule = FILTER + "add action=drop chain=input dst-port={} protocol=tcp\n"
    moved = "/ip service\nset ssh port=2222\n"
    assert "SSH" not in names(ROUTER + rule.format(22))
    assert "SSH" in names(ROUTER + rule.format(22) + moved)
    assert "SSH" not in names(ROUTER + rule.format(2222) + moved)


def test_a_row_by_its_number_may_be_any_service() -> None:
    assert names(ROUTER + "/ip service\nset 6 disabled=yes\n") == []


@pytest.mark.parametrize(
    ("rules", "met"),
    [
        (DROP, {}),
        ("add action=drop chain=input in-interface=!ether2\n", {}),
        ("add action=drop chain=input in-interface=ether1\n", {"services-open": [6]}),
        ("add disabled=yes action=drop chain=input\n", {"services-unguarded": [6]}),
        ("add action=accept chain=input dst-port=8291 protocol=tcp\n" + DROP,
         {"services-accepted": [10]}),
        ("add action=accept chain=input dst-port=8291 protocol=tcp src-address=203.0.113.77\n"
         + DROP, {}),
        ("add action=accept chain=input src-address-list=known\n" + DROP, {}),
        ("add action=accept chain=input connection-state=established,related\n" + DROP, {}),
        # A list that rules fill has nobody's first packet; one of names may have anybody's.
        ("add action=drop chain=input src-address-list=caught\n"
         "add action=add-src-to-address-list address-list=caught chain=input dst-port=22 "
         "protocol=tcp\n", {"services-open": [6]}),
    ],
)  # fmt: skip
def test_the_line_is_the_uplinks_or_the_accepting_rule(
    rules: str, met: dict[str, list[int]]
) -> None:
    assert lines(ROUTER + FILTER + rules) == met


def test_a_port_that_is_forwarded_is_none_of_the_routers() -> None:
    forwards = (
        "/ip firewall nat\nadd action=dst-nat chain=dstnat dst-port=80 in-interface=p protocol=tcp "
        "to-addresses=192.168.88.9\n"
    )
    assert "WebFig" not in names(ROUTER + forwards)
    assert "SSH" in names(ROUTER + forwards)


NAT = "/ip firewall nat\nadd action=masquerade chain=srcnat\n"


CLIENT = HEAD + LAST + LAN + NAT + "/ip dhcp-client\nadd interface={}\n"


@pytest.mark.parametrize(
    ("text", "met"),
    [
        (HEAD + LAST + "/ip dhcp-client\nadd interface=ether1\n" + LAN + NAT, True),
        (HEAD + LAST + LAN + "add address=198.18.0.2/24 interface=ether1\n/ip route\n"
         "add gateway=198.18.0.1\n", True),
        # Behind another router.
        (HEAD + LAST + LAN + "add address=10.0.0.2/24 interface=ether1\n/ip route\n"
         "add gateway=10.0.0.1\n" + NAT, False),
        (HEAD + LAST + SESSION.replace("disabled=no", "disabled=yes") + LAN, False),
        # Other defaults, or parts of a router's configuration.
        (ROUTER.replace("7.20.8", "5.26"), False),
        (ROUTER.partition("\n")[2], False),
        (ROUTER.replace(LAST, ""), False),
        (CLIENT.format("ether1"), True),
        # In a bridge of the LAN, by a radio, of a network that it serves, beside a private address.
        (CLIENT.format("bridge") + "/interface bridge\nadd name=bridge\n/interface bridge port\n"
         "add bridge=bridge interface=ether3\nadd bridge=bridge interface=ether4\n", False),
        (CLIENT.format("wlan1") + "/interface wireless\nset [ find default-name=wlan1 ] ssid=a\n",
         False),
        (CLIENT.format("ether1") + "/ip dhcp-server\nadd disabled=no interface=ether1 name=d\n",
         False),
        (CLIENT.format("ether2"), False),
        (CLIENT.format("ether1") + "/ip route\nadd gateway=10.0.0.1 routing-table=b\n", False),
        (CLIENT.format("ether1 add-default-route=no"), False),
        (ROUTER + '#error exporting "/ip/firewall/filter" (timeout)\n', False),
        (ROUTER + "/ip vrf\nadd interfaces=p name=office\n", False),
    ],
)  # fmt: skip
def test_uplinks_of_whole_exports_only(text: str, met: bool) -> None:
    assert bool(lines(text)) is met


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
