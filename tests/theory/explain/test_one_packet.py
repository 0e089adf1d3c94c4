# ruff: noqa: E501  (exports have long lines)
"""One packet: what the firewall sees of it, whither it goes, and how it ends."""

from __future__ import annotations

from typing import Any

import pytest
from typer.testing import CliRunner

from ppslab.base.errors import UsageError
from ppslab.base.paths import project_root
from ppslab.cli import app
from ppslab.theory.packet_path.explain import one_packet, packets
from ppslab.theory.packet_path.explain.one_packet.interfaces import NoInterfaceError
from tests.course.models.both import both
from tests.theory.explain.asked import ask, of

EXAMPLE = project_root() / "src/ppslab/theory/packet_path/examples/home.rsc"
HOME = EXAMPLE.read_text()
"""Line 22 drops what is for the router and not from the LAN, line 28 what is new and not dstnat."""

FIXED = HOME + "/ip address\nadd address=203.0.113.2/24 interface=ether1\n"
FORWARD = FIXED + "/ip firewall nat\n" + (
    "add action=dst-nat chain=dstnat dst-port=443 in-interface-list=WAN protocol=tcp "
    "to-addresses=192.168.88.10 to-ports=8443\n"
)  # fmt: skip
TO_SERVER = "in=ether1 dst=203.0.113.2:443/tcp "


def walked(text: str, asked: str) -> dict[str, Any]:
    return one_packet.walked(ask(text).net, packets.parsed(asked))


def line_of(text: str, words: str) -> int:
    (found,) = [n for n, line in enumerate(text.split("\n"), 1) if words in line]
    return found


def test_a_port_of_a_bridge_is_the_bridge_for_the_ip_firewall() -> None:
    packet = walked(HOME, "in=ether2 dst=192.168.88.1:53/udp new")
    assert (packet["chain"], packet["in"], packet["ended"]) == ("input", ["bridge"], "accept")
    assert packet["says"] == [
        "It comes in by ether2, a port of bridge: the IP firewall sees bridge."
    ]
    assert walked(HOME, "in=bridge dst=192.168.88.1:53/udp new")["says"] == []
    packet = walked(HOME, "in=ether1 out=ether3 dst=192.168.88.5/tcp established")
    assert packet["out"] == ["bridge"] and "ether3" in packet["says"][0]


def test_an_address_on_a_port_is_one_of_the_bridge() -> None:
    text = HOME.replace("192.168.88.1/24 interface=bridge", "192.168.88.1/24 interface=ether2")
    packet = walked(text, "in=ether1 dst=192.168.88.5:80/tcp established")
    assert packet["out"] == ["bridge"]
    assert "It leaves by ether2, a port of bridge" in packet["says"][0]


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
    assert packet["says"] == [
        "The packets that answer it mark the connection, for both directions (line 24)."
    ]


def test_a_forwarded_port_goes_to_the_server() -> None:
    line = line_of(FORWARD, "dst-nat")
    packet = walked(FORWARD, TO_SERVER + "new")
    assert (packet["chain"], packet["out"], packet["ended"]) == ("forward", ["bridge"], "accept")
    assert packet["says"] == [
        f"The destination is translated to 192.168.88.10, port 8443 (line {line})."
    ]
    nat = [step for step in packet["steps"] if step["table"] == "nat"]
    assert [(s["action"], s["verdict"]) for s in nat] == [("dst-nat", "yes"), ("masquerade", "no")]
    # Without the rule it is for the router itself; another port is too.
    for text, asked in ((FIXED, TO_SERVER), (FORWARD, TO_SERVER.replace("443", "80"))):
        packet = walked(text, asked + "new")
        assert (packet["chain"], packet["ended"]) == ("input", "drop")
    packet = walked(FORWARD, TO_SERVER + "established")
    assert (packet["chain"], packet["fasttrack"]) == ("forward", "yes")
    assert "as that of the first packet of its connection was (line 35)" in packet["says"][0]


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
        ("action=redirect to-ports=8080", "input", [], "the router itself, port 8080"),
        ("action=dst-nat to-ports=8080", "input", [], "the same address, port 8080"),
        ("action=dst-nat to-addresses=8.8.8.8", "forward", ["ether1"], "the address that it names"),
        ("action=netmap dst-address=203.0.113.0/24 to-addresses=192.168.88.0/24", "forward", ["bridge"], "192.168.88.0/24"),
    ],
)  # fmt: skip
def test_what_a_rule_of_dstnat_makes_of_a_destination(
    rule: str, chain: str, out: list[str], to: str
) -> None:
    text = FIXED + f"/ip firewall nat\nadd chain=dstnat protocol=tcp {rule}\n"
    packet = walked(text, TO_SERVER + "new")
    assert (packet["chain"], packet["out"]) == (chain, out)
    assert packet["says"][0] == f"The destination is translated to {to} (line 35)."


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
    assert packet["says"][0] == "The destination is translated to 192.168.88.20 (line 36)."
    (other,) = packet["others"]
    assert other["if"] == "line 35 translates it to 192.168.88.10, port 8443"
    nat = [(s["verdict"], s["sure"]) for s in packet["steps"] if s["chain"] == "dstnat"]
    assert nat == [("perhaps", True), ("yes", False)]


def test_the_answer_of_a_translated_connection_is_not_for_the_router() -> None:
    packet = walked(FIXED, "in=ether1 dst=203.0.113.2:50000/tcp established")
    assert packet["chain"] == "input" and "ask again" in packet["says"][0]
    assert not walked(FIXED, "in=bridge dst=203.0.113.2:50000/tcp established")["says"]


def test_an_address_that_the_provider_gives_may_be_the_router_s() -> None:
    packet = walked(HOME, "in=ether1 dst=203.0.113.2:443/tcp new")
    assert (packet["chain"], packet["ended"]) == ("input", "drop")
    assert [other["chain"] for other in packet["others"]] == ["forward"]
    assert "ether1 has one that no export shows" in packet["says"][0]


def test_the_source_s_translation_is_told() -> None:
    packet = walked(HOME, "in=ether2 dst=1.1.1.1:443/tcp new")
    assert packet["says"][1:] == ["The source is translated: masquerade (line 31)."]


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
    packet = one_packet.walked(found.net, packets.parsed("in=bridge dst=1.1.1.1 tcp new"))
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
        (("--packet", "in=brdige dst=1.1.1.1"), 'no interface \'brdige\': it names bridge, ether2, ether3, ether4, ether1 (did you mean "bridge"?)'),
        (("--packet", "in=bridge out=nosuch"), "no interface 'nosuch'"),
        (("--without", "999"), "line 999 of "),
        (("--without", "3"), "line 3 of "),
        (("--without", "other.rsc:5"), "other.rsc is none of the exports"),
    ],
)  # fmt: skip
def test_what_is_not_there_is_a_wrong_argument(words: tuple[str, str], said: str) -> None:
    wrong = run(str(EXAMPLE), *words).exception
    assert isinstance(wrong, UsageError) and wrong.exit_code == 2
    assert said in str(wrong) and "\n" not in str(wrong)


def test_a_port_that_a_compact_export_leaves_out_is_taken() -> None:
    packet = walked(HOME, "in=ether7 dst=1.1.1.1:443/tcp new")
    assert packet["in"] == ["ether7"]
    assert packet["says"][0].startswith("The export does not name ether7")
    with pytest.raises(NoInterfaceError, match=r"'LAN' is a list of interfaces: .*\(bridge\)"):
        walked(HOME, "in=LAN dst=1.1.1.1")
    assert walked(HOME + "/interface ethernet\nset ether7 mtu=1492\n", "in=ether7")["says"] == []
    renamed = HOME + "/interface ethernet\nset [ find default-name=ether5 ] name=dmz\n"
    with pytest.raises(NoInterfaceError, match="'ether5' is called 'dmz' in the export"):
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
    assert problems == [
        "the export has no interface 'nosuch': it names bridge, ether2, ether3, ether4, ether1."
    ]


IN_CHIP = """# 2026-11-20 10:00:00 by RouterOS 7.20.8
# model = CRS326-24G-2S+
/interface ethernet switch
set 0 l3-hw-offloading=yes
/ip address
add address=198.18.1.1/24 interface=ether2
add address=198.18.2.1/24 interface=ether3
/ip firewall filter
add action=fasttrack-connection chain=forward connection-state=established
add action=drop chain=forward
"""
BY_CHIP = "routed by the switch chip, and no rule sees it"
PORT_OFF = "/interface ethernet switch port\nset ether3 l3-hw-offloading=no\n"


@pytest.mark.parametrize(
    ("more", "words", "ended", "fasttrack"),
    [
        ("", "in=ether2 dst=198.18.2.9:443/tcp new", BY_CHIP, "no"),
        ("", "in=ether2 dst=198.18.2.9:443/tcp established", BY_CHIP, "no"),
        ("", "in=ether2 dst=198.18.1.1:443/tcp new", "accept", "no"),
        (PORT_OFF, "in=ether2 dst=198.18.2.9:443/tcp new", "drop", "no"),
        (PORT_OFF, "in=ether2 dst=198.18.2.9 new", "drop", "no"),
        ("/ip vrf\nadd interfaces=ether3 name=v\n", "in=ether2 dst=198.18.2.9:443/tcp new",
         "drop", "no"),
    ],
)  # fmt: skip
def test_what_the_switch_chip_routes_no_rule_ends(
    more: str, words: str, ended: str, fasttrack: str
) -> None:
    found = walked(IN_CHIP + more, words)
    assert (found["ended"], found["fasttrack"]) == (ended, fasttrack)


def test_a_port_that_may_be_the_cpu_s_leaves_both_ends_open() -> None:
    text = IN_CHIP.replace("CRS326-24G-2S+", "CRS504-4XQ").replace("ether2", "ether1")
    text = text.replace("ether3", "qsfp28-1-1")
    found = walked(text, "in=ether1 dst=198.18.2.9:443/tcp new")
    assert found["ended"] == "drop; or " + BY_CHIP
