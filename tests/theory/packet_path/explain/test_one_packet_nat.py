# ruff: noqa: E501  (exports have long lines)
"""One packet and NAT: which destination it gets, and whose rules are asked of it then."""

from __future__ import annotations

import pytest

from tests.theory.packet_path.explain.one_asked import (
    FIXED,
    FORWARD,
    HOME,
    TO_SERVER,
    line_of,
    walked,
)


def test_a_forwarded_port_goes_to_the_server() -> None:
    line = line_of(FORWARD, "dst-nat")
    packet = walked(FORWARD, TO_SERVER + "new")
    assert (packet["chain"], packet["out"], packet["ended"]) == ("forward", ["bridge"], "accept")
    (said,) = packet["says"]
    assert "192.168.88.10, port 8443" in said and f"(line {line})" in said
    nat = [step for step in packet["steps"] if step["table"] == "nat"]
    assert [(s["action"], s["verdict"]) for s in nat] == [("dst-nat", "yes"), ("masquerade", "no")]
    # Without the rule it is for the router itself; another port is too.
    for text, asked in ((FIXED, TO_SERVER), (FORWARD, TO_SERVER.replace("443", "80"))):
        packet = walked(text, asked + "new")
        assert (packet["chain"], packet["ended"]) == ("input", "drop")
    packet = walked(FORWARD, TO_SERVER + "established")
    assert (packet["chain"], packet["fasttrack"]) == ("forward", "yes")
    assert "(line 35)" in packet["says"][0]


def test_the_rules_behind_a_translation_are_not_asked() -> None:
    text = FORWARD + "add action=dst-nat chain=dstnat to-addresses=192.168.88.99\n"
    packet = walked(text, TO_SERVER + "new")
    assert "192.168.88.10," in packet["says"][0]
    assert next(s["action"] for s in packet["steps"] if s["table"] == "nat") == "dst-nat"
    assert len([s for s in packet["steps"] if s["chain"] == "dstnat"]) == 1
    # An accept in front of it keeps the destination as it is.
    first = "add action=accept chain=dstnat dst-port=443 protocol=tcp\nadd action=dst-nat"
    packet = walked(FORWARD.replace("add action=dst-nat", first), TO_SERVER + "new")
    assert packet["chain"] == "input"


@pytest.mark.parametrize(
    ("rule", "chain", "out", "to"),
    [
        ("action=redirect to-ports=8080", "input", [], "port 8080"),
        ("action=dst-nat to-ports=8080", "input", [], "port 8080"),
        ("action=dst-nat to-addresses=8.8.8.8", "forward", ["ether1"], ""),
        ("action=netmap dst-address=203.0.113.0/24 to-addresses=192.168.88.0/24", "forward", ["bridge"], "192.168.88.0/24"),
    ],
)  # fmt: skip
def test_what_a_rule_of_dstnat_makes_of_a_destination(
    rule: str, chain: str, out: list[str], to: str
) -> None:
    text = FIXED + f"/ip firewall nat\nadd chain=dstnat protocol=tcp {rule}\n"
    packet = walked(text, TO_SERVER + "new")
    assert (packet["chain"], packet["out"]) == (chain, out)
    assert to in packet["says"][0] and "(line 35)" in packet["says"][0]


def test_a_rule_that_perhaps_translates_makes_two_cases() -> None:
    text = FORWARD.replace("dst-port=443", "dst-port=443 src-address-list=friends")
    text += "/ip firewall address-list\nadd address=198.51.100.0/24 list=friends\n"
    packet = walked(text, TO_SERVER + "new")
    assert (
        packet["ended"] == "drop; or accept, if line 35 translates it to 192.168.88.10, port 8443"
    )
    assert [(o["chain"], o["ended"]) for o in packet["others"]] == [("forward", "accept")]
    assert walked(text, TO_SERVER + "src=198.51.100.7 new")["ended"] == "accept"
    assert walked(text, TO_SERVER + "src=198.18.0.7 new")["ended"] == "drop"


def test_a_rule_behind_one_that_perhaps_translates() -> None:
    text = FORWARD.replace("add action=dst-nat", "add action=dst-nat src-address=10.0.0.0/8")
    text += "add action=dst-nat chain=dstnat protocol=tcp to-addresses=192.168.88.20\n"
    packet = walked(text, TO_SERVER + "new")
    assert "192.168.88.20 (line 36)" in packet["says"][0]
    (other,) = packet["others"]
    assert other["if"] == "line 35 translates it to 192.168.88.10, port 8443"
    nat = [(s["verdict"], s["sure"]) for s in packet["steps"] if s["chain"] == "dstnat"]
    assert nat == [("perhaps", True), ("yes", False)]


def test_the_answer_of_a_translated_connection_is_not_for_the_router() -> None:
    packet = walked(FIXED, "in=ether1 dst=203.0.113.2:50000/tcp established")
    assert packet["chain"] == "input" and packet["says"]
    assert not walked(FIXED, "in=bridge dst=203.0.113.2:50000/tcp established")["says"]


def test_an_address_that_the_provider_gives_may_be_the_router_s() -> None:
    packet = walked(HOME, "in=ether1 dst=203.0.113.2:443/tcp new")
    assert (packet["chain"], packet["ended"]) == ("input", "drop")
    assert [other["chain"] for other in packet["others"]] == ["forward"]
    assert "ether1" in packet["says"][0]


def test_the_source_s_translation_is_told() -> None:
    packet = walked(HOME, "in=ether2 dst=1.1.1.1:443/tcp new")
    (said,) = packet["says"][1:]
    assert "masquerade (line 31)" in said


@pytest.mark.parametrize("maker", ["upnp", "nat-pmp"])
def test_no_rule_translated_it_so_the_default_drops_it(maker: str) -> None:
    asked = "in=ether1 dst=192.168.88.5:80/tcp new"
    packet = walked(HOME, asked)
    assert (packet["ended"], packet["end"], packet["unless"]) == ("drop", "drop", [])
    # These make rules that no export shows.
    packet = walked(HOME + f"/ip {maker}\nset enabled=yes\n", asked)
    assert packet["ended"] == "accept, unless line 28 drops it"
    assert [each["line"] for each in packet["unless"]] == [28]
    assert "/ip/firewall/nat/print where dynamic" in packet["says"][0]
