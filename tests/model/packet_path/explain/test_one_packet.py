# ruff: noqa: E501  (exports have long lines)
"""One packet: what the firewall sees of it, whither it goes, and how it ends."""

from __future__ import annotations

from typing import Any

import pytest
from typer.testing import CliRunner

from ppslab.cli import app
from ppslab.core.errors import UsageError
from rosexplain import firewall, trace
from rosexplain.trace import NoInterfaceError
from tests.course.models.both import both
from tests.model.packet_path.asked import ask, of
from tests.model.packet_path.explain.one_asked import EXAMPLE, FORWARD, HOME, TO_SERVER, walked


def test_a_port_of_a_bridge_is_the_bridge_for_the_ip_firewall() -> None:
    packet = walked(HOME, "in=ether2 dst=192.168.88.1:53/udp new")
    assert (packet["chain"], packet["in"], packet["ended"]) == ("input", ["bridge"], "accept")
    (said,) = packet["says"]
    assert "ether2" in said and "bridge" in said
    assert walked(HOME, "in=bridge dst=192.168.88.1:53/udp new")["says"] == []
    packet = walked(HOME, "in=ether1 out=ether3 dst=192.168.88.5/tcp established")
    assert packet["out"] == ["bridge"] and "ether3" in packet["says"][0]


def test_an_address_on_a_port_is_one_of_the_bridge() -> None:
    text = HOME.replace("192.168.88.1/24 interface=bridge", "192.168.88.1/24 interface=ether2")
    packet = walked(text, "in=ether1 dst=192.168.88.5:80/tcp established")
    assert packet["out"] == ["bridge"]
    assert "ether2" in packet["says"][0]


def test_a_bond_and_a_list_may_be_ports_too() -> None:
    text = (
        HOME + "/interface bonding\nadd name=bond1 slaves=ether6,ether7\n/interface bridge port\n"
    )
    text += "add bridge=bridge interface=bond1\nadd bridge=bridge interface=MORE\n"
    text += "/interface list member\nadd interface=ether8 list=MORE\n"
    for port in ("ether6", "ether8"):
        assert walked(text, f"in={port} dst=1.1.1.1:443/tcp new")["in"] == ["bridge"]


def test_a_bridge_with_vlans_leaves_open_which_one_it_is() -> None:
    text = HOME + "/interface vlan\nadd interface=bridge name=guests vlan-id=10\n"
    text += "/ip address\nadd address=10.10.0.1/24 interface=guests\n"
    asked = "in=ether2 dst=192.168.88.1:53/udp new"
    packet = walked(text, asked)
    assert (packet["in"], packet["end"]) == (["bridge", "guests"], "accept")
    assert packet["ended"] == "accept, unless line 22 drops it"
    # Its source says which network it is in.
    assert walked(text, asked + " src=192.168.88.5")["ended"] == "accept"
    assert walked(text, asked + " src=10.10.0.5")["ended"] == "drop"


def test_what_a_bridge_forwards_by_itself_meets_no_rule() -> None:
    asked = "in=ether2 dst=192.168.88.5:80/tcp new"
    packet = walked(HOME, asked)
    assert (packet["chain"], packet["ended"], packet["steps"]) == ("bridged", "bridged", [])
    assert packet["ports"] == ["ether2"]
    # A bridge towards the provider does not hold what is behind the provider.
    wan = HOME.replace("interface=ether1", "interface=outside")
    wan += "/interface bridge\nadd name=outside\n/interface bridge port\nadd bridge=outside interface=ether1\n"
    assert walked(wan, "in=ether1 dst=1.1.1.1:80/tcp new")["chain"] == "input"
    packet = walked(HOME + "/interface bridge settings\nset use-ip-firewall=yes\n", asked)
    assert packet["chain"] == "forward" and packet["steps"]
    assert "use-ip-firewall=yes" in packet["says"][1]


@pytest.mark.parametrize(
    "closes",
    [
        "/ip settings\nset allow-fast-path=no\n",
        "/interface bridge\nset [ find name=bridge ] dhcp-snooping=yes\n",
        "/interface bridge settings\nset use-ip-firewall=yes\n",
        "/interface bridge filter\nadd action=drop chain=forward\n",
        "/interface mesh\nadd name=mesh1\n",
        "/ip firewall connection tracking\nset enabled=no\n",
        "/ip firewall raw\nadd action=notrack chain=prerouting\n",
    ],
)
def test_what_closes_fasttrack_for_a_class_closes_it_for_a_packet(closes: str) -> None:
    asked = "in=bridge src=192.168.88.5:50000 dst=1.1.1.1:443/tcp established"
    assert walked(HOME, asked)["fasttrack"] == "yes"
    packet = walked(HOME + closes, asked)
    assert of(ask(HOME + closes), "established").ways == ["slow"]
    assert packet["fasttrack"] == "no"
    (why,) = [said for said in packet["says"] if said.startswith("Not fast-tracked: ")]
    assert f"(line {len((HOME + closes).splitlines())})" in why


def test_a_bridge_that_it_does_not_cross_closes_nothing() -> None:
    text = HOME + "/interface bridge\nadd dhcp-snooping=yes name=other\n"
    assert walked(text, "in=bridge dst=1.1.1.1:443/tcp established")["fasttrack"] == "yes"


def test_the_answers_are_enough_to_mark_a_connection() -> None:
    rule = "add action=accept chain=forward dst-port=443 protocol=tcp\n"
    text = HOME.replace("add action=fasttrack", rule + "add action=fasttrack")
    packet = walked(text, "in=bridge dst=1.1.1.1:443/tcp src=192.168.88.5:50000 established")
    assert packet["fasttrack"] == "yes"
    (said,) = packet["says"]
    assert "(line 24)" in said


@pytest.mark.parametrize(
    ("rules", "ended"),
    [
        ("add chain=forward action=drop src-address=10.0.0.0/8", "accept, unless line 33 drops it"),
        ("add chain=forward src-address=10.0.0.0/8\nadd chain=forward action=drop", "drop, unless line 33 accepts it"),
        ("add chain=forward action=drop src-address=10.0.0.0/8\nadd chain=forward action=reject", "reject"),
        ("add chain=forward action=jump jump-target=a src-address=10.0.0.0/8\nadd chain=a action=drop", "accept, unless line 34 drops it"),
        ("add chain=forward action=jump jump-target=a\nadd chain=a action=return src-address=10.0.0.0/8\nadd chain=a action=drop", "drop, unless line 34 returns"),
        ("add chain=forward action=drop src-address=10.0.0.0/8\nadd chain=forward action=reject dst-port=1-99", "accept, unless line 33 drops it, or line 34 rejects it"),
        ("/ip firewall raw\nadd chain=prerouting action=drop src-address=10.0.0.0/8", "accept, unless line 34 drops it"),
        ("/ip firewall raw\nadd chain=prerouting action=drop src-address=10.0.0.0/8\n/ip firewall filter\nadd chain=forward action=drop", "drop"),
        ("add chain=forward action=jump jump-target=forward", "not known: more than 20000 rules were followed"),
    ],
)  # fmt: skip
def test_what_stays_open_is_said_with_its_line(rules: str, ended: str) -> None:
    text = HOME + "/ip firewall filter\n" + rules + "\n"
    assert walked(text, "in=bridge dst=1.1.1.1 tcp new")["ended"] == ended


def test_with_several_exports_a_line_has_its_file() -> None:
    more = "/ip firewall filter\nadd chain=forward action=drop src-address=10.0.0.0/8\n"
    found = ask(HOME, more)
    packet = trace.walked(found.net, firewall.parsed("in=bridge dst=1.1.1.1 tcp new"))
    assert packet["ended"] == "accept, unless 2.rsc:2 drops it"


@pytest.mark.parametrize(
    ("to", "ended", "source"),
    [
        ("[fe80::1]:80/tcp", "not forwarded; if the address is the router's own: accept", "RFC 4291, 2.5.6"),
        ("[::1]:80/tcp", "not forwarded", "RFC 4291, 2.5.3"),
        ("127.0.0.1:80/tcp", "not forwarded", "RFC 1122, 3.2.1.3"),
        ("169.254.7.7:80/tcp", "not forwarded; if the address is the router's own: accept", "RFC 3927, 2.7"),
    ],
)  # fmt: skip
def test_a_destination_that_is_never_forwarded(to: str, ended: str, source: str) -> None:
    packet = walked(HOME, f"in=bridge dst={to} established")
    assert (packet["ended"], packet["fasttrack"], packet["out"]) == (ended, "no", [])
    assert source in packet["says"][0]


def run(*words: str) -> Any:
    return CliRunner().invoke(app, ["explain", *words])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--packet", "in=brdige dst=1.1.1.1"), '(did you mean "bridge"?)'),
        (("--packet", "in=bridge out=nosuch"), "'nosuch'"),
        (("--without", "999"), "line 999 of "),
        (("--without", "3"), "line 3 of "),
        (("--without", "other.rsc:5"), "other.rsc"),
    ],
)  # fmt: skip
def test_what_is_not_there_is_a_wrong_argument(words: tuple[str, str], said: str) -> None:
    wrong = run(str(EXAMPLE), *words).exception
    assert isinstance(wrong, UsageError) and wrong.exit_code == 2
    assert said in str(wrong) and "\n" not in str(wrong)


def test_a_port_that_a_compact_export_leaves_out_is_taken() -> None:
    packet = walked(HOME, "in=ether7 dst=1.1.1.1:443/tcp new")
    assert packet["in"] == ["ether7"]
    assert "ether7" in packet["says"][0]
    with pytest.raises(NoInterfaceError, match=r"'LAN'.*\(bridge\)"):
        walked(HOME, "in=LAN dst=1.1.1.1")
    assert walked(HOME + "/interface ethernet\nset ether7 mtu=1492\n", "in=ether7")["says"] == []
    renamed = HOME + "/interface ethernet\nset [ find default-name=ether5 ] name=dmz\n"
    with pytest.raises(NoInterfaceError, match=r"'ether5'.*'dmz'"):
        walked(renamed, "in=ether5 dst=1.1.1.1:443/tcp new")


def test_any_line_of_a_command_takes_it_out() -> None:
    for line in ("23", "24", f"{EXAMPLE}:24"):
        assert run(str(EXAMPLE), "--without", line, "--json").exit_code == 1
    assert run(str(EXAMPLE), "--without", "21", "--json").exit_code == 0


@pytest.mark.parametrize("verb", ["set numbers=1 disabled=yes", "disable numbers=1"])
def test_a_line_with_numbers_is_told_and_makes_no_rule(verb: str) -> None:
    rows = ask(HOME + "/ip firewall filter\n" + verb + "\n").net.rows
    assert [row.first.number for row in rows.all_of("/ip/firewall/filter")] == [
        20,
        21,
        22,
        23,
        25,
        27,
        28,
    ]
    (unread,) = rows.unread
    assert (unread.number, unread.why.partition(":")[0]) == (33, "not applied")


@pytest.mark.long
def test_the_page_says_the_same() -> None:
    asked = ["in=ether2 dst=192.168.88.1:53/udp new", TO_SERVER + "new", "in=nosuch dst=1.1.1.1",
             "in=ether1 dst=192.168.88.5:80/tcp new", "dst=[fe80::1]:80/tcp", "dst=127.0.0.1",
             "in=ether2 dst=192.168.88.5/tcp", TO_SERVER + "established"]  # fmt: skip
    text = FORWARD.replace("dst-port=443", "dst-port=443 src-address=198.51.100.0/24")
    given = [{"export": {"name": "x", "text": text}, "packet": packet} for packet in asked]
    answers = both("explain", given)
    problems = [answer["problem"]["says"] for answer in answers if "problem" in answer]
    (problem,) = problems
    assert "'nosuch'" in problem
