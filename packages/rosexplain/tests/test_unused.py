"""Rules that others before them cover: what is taken for the same, and what is not."""

from __future__ import annotations

from itertools import product

import pytest
from asked import HOME, WAN, ask

from rosexplain import unused
from rosexplain.noticed import noticed
from rosexplain.report import Answer

LISTS = f"{WAN}/ip firewall filter\n"


ENDS = "drop", "accept", "return", "reject", "tarpit"
GO_ON = ("passthrough", "log", "fasttrack-connection", "add-src-to-address-list address-list=a",
         "add-dst-to-address-list address-list=a", "jump jump-target=none")  # fmt: skip
MARKS = "mark-packet new-packet-mark=m"


@pytest.mark.parametrize(
    ("table", "action", "ends"),
    [("filter", action, True) for action in ENDS]
    + [("filter", action, False) for action in GO_ON]
    + [
        ("nat", "masquerade", True),
        ("nat", "dst-nat to-addresses=198.18.0.1", True),
        ("raw", "notrack", False),
        ("mangle", "accept", True),
        ("mangle", "return", True),
        ("mangle", MARKS, False),
        ("mangle", MARKS + " passthrough=yes", False),
        ("mangle", MARKS + " passthrough=no", True),
        ("mangle", "sniff-tzsp sniff-target=198.18.0.1", False),
    ],
)
def test_an_action_leaves_the_next_rule_of_its_chain_nothing(
    table: str, action: str, ends: bool
) -> None:
    pairs = (("", "protocol=tcp", "rule-unreached"),
             ("protocol=tcp", "protocol=tcp dst-port=22", "rule-covered"))  # fmt: skip
    for chain, (first, second, rule) in product(("forward", "mine"), pairs):
        export = f"/ip firewall {table}\nadd action={action} chain={chain} {first}\n"
        export += f"add action=passthrough chain={chain} {second}\n"
        export += f"add action=jump chain=forward jump-target={chain}\n" if chain == "mine" else ""
        met = dict(noticed(ask(export)))
        assert [line.number for line in met.get(rule, [])] == ([3] if ends else []), chain


def test_a_policy_of_ipsec_makes_none_a_matcher() -> None:
    rules = ("add action=accept chain=input ipsec-policy=in,none protocol=icmp\n"
             "add action=drop chain=input protocol=icmp src-address=10.0.0.1\n")  # fmt: skip
    policy = "/ip ipsec policy\nadd dst-address=10.2.0.0/16 peer=p src-address=10.1.0.0/16\n"
    assert "rule-covered" not in dict(noticed(ask(LISTS + rules + policy)))


TWO_LINES = """# 2026-11-20 10:00:00 by RouterOS 7.20.8
# model = RB5009UG+S+
/routing table
add fib name=two
/ip address
add address=192.168.1.2/24 interface=ether1
add address=192.168.2.2/24 interface=ether2
add address=192.168.88.1/24 interface=ether3
/ip route
add distance=1 gateway=192.168.1.1
add distance=2 gateway=192.168.2.1
/ip firewall nat
add action=masquerade chain=srcnat out-interface=ether1
add action=masquerade chain=srcnat out-interface=ether2
/ip firewall mangle
add action=mark-connection chain=input in-interface=ether2 new-connection-mark=of-two
add action=mark-connection chain=prerouting in-interface=ether3 new-connection-mark=of-two
add action=mark-routing chain=prerouting connection-mark=of-two new-routing-mark=two
"""
SIX = TWO_LINES.replace("7.20.8", "6.49.10").replace("/routing table\nadd fib name=two\n", "")


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        (TWO_LINES, ["/ip/route/add dst-address=0.0.0.0/0 gateway=192.168.2.1 routing-table=two"]),
        (SIX, ["/ip route add dst-address=0.0.0.0/0 gateway=192.168.2.1 routing-mark=two"]),
        (TWO_LINES.replace("add fib name=two\n", "add fib name=three\n"), []),
        (TWO_LINES.replace("chain=input in-interface=ether2", "chain=input"), []),
        (TWO_LINES.replace(" connection-mark=of-two new-r", " dst-address=10.0.0.0/8 new-r"), []),
        (TWO_LINES.replace("add distance=2 gateway=192.168.2.1\n", ""), []),
        (TWO_LINES.replace("distance=2 ", "routing-table=two "), []),
        (
            TWO_LINES + "/ip dhcp-client\nadd default-route-tables=main:2,two:1 interface=ether4\n",
            [],
        ),
    ],
)
def test_a_table_without_a_route_gets_that_of_the_line_it_is_for(
    text: str, commands: list[str]
) -> None:
    name = "routing-mark-nowhere"
    notes = {note["rule"]: note["commands"] for note in Answer(ask(text)).plain()["notes"]}
    assert notes.get(name, []) == commands
    assert name not in ask(text, "\n".join(commands)).met or not commands


BOX = TWO_LINES.replace("/ip firewall mangle", "/ip firewall filter\n"
                        "add action=fasttrack-connection chain=forward "
                        "connection-state=established,related\n/ip firewall mangle")  # fmt: skip
BOX = BOX[: BOX.index("add action=mark-connection")] + (
    "add action=mark-routing chain=prerouting dst-address=192.168.2.1 new-routing-mark=two\n"
)


IDLE = """/interface vlan
add interface=ether4 name=vlan10 vlan-id=10
/ip address
add address=10.0.0.1/24 interface=ether1
add address=10.0.1.1/24 interface=ether2
/ip firewall filter
add action=accept chain=input protocol=icmp
add action=drop chain=guests
/ip firewall nat
add action=masquerade chain=srcnat out-interface=vlan10
"""


def test_the_rules_of_a_firewall_that_does_nothing_are_disabled_beside_a_lan() -> None:
    lan = "/ip route\nadd gateway=10.0.0.2\n/ip dhcp-server\nadd interface=ether2 name=home\n"
    notes = Answer(ask(IDLE + lan)).plain()["notes"]
    own = [note["commands"] for note in notes if note["rule"] == "firewall-for-nothing"]
    assert [len(commands) for commands in own] == [3]


@pytest.mark.parametrize(
    "rule",
    [
        "/ip firewall mangle\nadd action=mark-routing chain=prerouting in-interface={} "
        "new-routing-mark=x\n",
        "/routing rule\nadd action=lookup interface={} table=x\n",
    ],
)
def test_a_rule_of_an_interface_that_is_gone_keeps_nothing_out_of_fasttrack(rule: str) -> None:
    text = HOME + "/ip firewall nat\nadd action=masquerade chain=srcnat out-interface=ether1\n"
    text += "/ip route\nadd gateway=10.0.0.1 routing-table=x\n/routing table\nadd fib name=x\n"
    typed = {}
    for interface in ("*7", "ether3"):
        changes = Answer(ask(text + rule.format(interface))).plain()["classes"]
        typed[interface] = str([one["changes"] for one in changes])
    assert "fasttrack-connection" in typed["*7"] and "interface=" not in typed["*7"]
    assert typed["*7"] != typed["ether3"]


@pytest.mark.parametrize(
    ("action", "accepts"),
    [("accept", True), ("passthrough", True), ("return", True), ("log", False), ("drop", False)],
)
def test_a_bridge_filter_that_lets_every_frame_pass(action: str, accepts: bool) -> None:
    rule = f"/interface bridge filter\nadd action={action} chain=forward\n"
    assert unused.only_accepts(ask(WAN + rule).net) is accepts
