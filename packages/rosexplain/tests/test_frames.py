"""The rules, queues and services that use-ip-firewall=yes is for; without one it is turned off."""

from __future__ import annotations

import pytest
from asked import ask

from rosexplain import frames
from rosexplain.report import Answer
from rosexplain.summary import to_do

OFF = "/interface/bridge/settings/set use-ip-firewall=no"
HOME = """# 2026-11-20 10:00:00 by RouterOS 7.20.8
# model = CCR2004-1G-12S+2XS
/interface bridge
add name=bridge1
/interface bridge port
add bridge=bridge1 interface=ether2
add bridge=bridge1 interface=ether3
/interface bridge settings
set use-ip-firewall=yes
/ip address
add address=192.168.88.1/24 interface=bridge1
add address=192.168.89.1/24 interface=bridge1
/ip dhcp-client
add interface=ether1
"""
FILTER, RAW = "/ip firewall filter\n", "/ip firewall raw\n"
NAT, MANGLE = "/ip firewall nat\n", "/ip firewall mangle\n"
FORWARD = FILTER + "add action=drop chain=forward "
PREROUTING = RAW + "add action=drop chain=prerouting "
LED = NAT + "add action=dst-nat chain=dstnat dst-port=53 protocol=udp to-addresses=192.168.88.9 "
STRANGERS = PREROUTING + "src-address-list=strangers\n" + FILTER + (
    "add action=add-src-to-address-list address-list=strangers chain=input dst-port=23 "
    "protocol=tcp "
)  # fmt: skip
MARKED = MANGLE + (
    "add action=mark-connection chain=prerouting dst-port=443 new-connection-mark=web "
    "protocol=tcp\nadd action=mark-packet chain=prerouting connection-mark=web "
    "new-packet-mark=web\n/queue tree\nadd max-limit=5M name=q packet-mark=web parent="
)
QUEUE = "/queue simple\nadd max-limit=5M/5M name=q target="
LEASE = "/ip dhcp-server lease\nadd address=192.168.88.9 rate-limit=5M/5M"


@pytest.mark.parametrize(
    "rules",
    [
        "",
        FILTER + "add action=accept chain=forward in-interface=bridge1\n",
        FORWARD + "connection-state=invalid",
        FORWARD + "in-interface=ether1",
        FORWARD + "in-interface=bridge1 out-interface=!bridge1",
        FORWARD + "dst-address=192.168.99.0/24",
        FORWARD + "dst-address=192.168.89.0/24 src-address=192.168.88.0/24",
        FORWARD + "content=video",
        FORWARD + "tls-host=*.example src-address=192.168.88.0/24",
        FORWARD + "connection-mark=web",
        FILTER + "add action=drop chain=input",
        FILTER + "add action=accept chain=forward\nadd action=drop chain=forward\n",
        PREROUTING + "tcp-flags=fin,syn protocol=tcp",
        PREROUTING + "port=0 protocol=udp",
        PREROUTING + "protocol=icmp",
        STRANGERS + "in-interface=ether1",
        NAT + "add action=masquerade chain=srcnat",
        NAT + "add action=redirect chain=dstnat dst-port=53 protocol=udp",
        LED + "in-interface=ether1",
        LED + "dst-address=192.168.88.1",
        LED.replace("dst-port=53", "dst-port=8443"),
        MANGLE + "add action=mark-connection chain=prerouting new-connection-mark=a",
        MARKED + "global",
        QUEUE + "192.168.88.0/24",
        QUEUE + "bridge1",
        QUEUE + "192.168.88.9/32 dst=ether1",
        QUEUE.replace("max-limit=5M/5M ", "") + "192.168.88.9/32",
        LEASE.replace("88.9", "99.9"),
        "/ipv6 firewall filter\nadd action=drop chain=forward in-interface=ether1",
        "/ipv6 firewall filter\nadd action=drop chain=forward hop-limit=equal:1 protocol=icmpv6",
        "/ipv6 firewall filter\nadd action=drop chain=forward src-address=2001:db8::/32",
        "/ipv6 firewall address-list\nadd address=fe80::/10 list=near\n/ipv6 firewall filter\n"
        "add action=drop chain=forward src-address-list=near",
        "/ip hotspot\nadd interface=ether4 name=h",
    ],
)
def test_no_rule_is_for_bridged_packets(rules: str) -> None:
    net = ask(HOME + rules).net
    assert frames.purposes(net) == []
    assert frames.is_idle(net)


@pytest.mark.parametrize(
    "rules",
    [
        FORWARD,
        FORWARD + "dst-port=445 protocol=tcp",
        FORWARD + "in-interface=bridge1 out-interface=bridge1",
        FORWARD + "in-interface=bridge1 out-interface=bridge1 protocol=icmp",
        FORWARD + "dst-address=192.168.88.0/24 src-address=192.168.88.0/24",
        FORWARD + "dst-address=224.0.0.251",
        FORWARD + "dst-address=192.168.88.9 protocol=icmp",
        PREROUTING + "dst-address=192.168.88.9",
        STRANGERS,
        STRANGERS + "in-interface=bridge1",
        LED,
        MARKED + "ether3",
        MANGLE + "add action=change-dscp chain=postrouting new-dscp=46",
        QUEUE + "192.168.88.9/32",
        QUEUE + "ether3",
        LEASE,
        "/ipv6 firewall filter\nadd action=drop chain=forward",
        "/ip hotspot\nadd interface=bridge1 name=h",
        "/ip traffic-flow\nset enabled=yes interfaces=bridge1",
    ],
)
def test_a_rule_is_for_bridged_packets(rules: str) -> None:
    net = ask(HOME + rules).net
    assert len(frames.purposes(net)) == 1
    assert not frames.is_idle(net)


def test_matchers_of_ports_need_the_setting() -> None:
    rule = FILTER + "add action=accept chain=input in-bridge-port=ether2"
    assert not frames.is_idle(ask(HOME + rule).net)
    assert frames.purposes(ask(HOME.replace("firewall=yes", "firewall=no") + rule).net) == []


@pytest.mark.parametrize(
    ("old", "new", "idle"),
    [
        ("name=bridge1", "name=bridge1 vlan-filtering=yes", True),
        ("firewall=yes", "firewall=yes use-ip-firewall-for-vlan=yes", False),
        ("add bridge=bridge1 interface=ether3\n", "", True),
        ("add interface=ether1", "add interface=bridge1", False),
        ("/ip dhcp-client", "/ip route\nadd gateway=192.168.88.2\n/ip dhcp-client", False),
        ("/ip address", "/ip firewall filter\nadd action=accept chain=forward\n/ip address", True),
    ],
    ids=["VLANs", "no VLANs", "one port", "uplink", "another gateway", "all accepted"],
)
def test_a_bridge_that_the_firewall_sees(old: str, new: str, idle: bool) -> None:
    assert frames.is_idle(ask(HOME.replace(old, new) + FORWARD).net) is idle


@pytest.mark.parametrize(
    "more",
    [
        '/system script\nadd name=a source="/ip firewall filter enable [find]"\n',
        "/ip dhcp-server\nadd interface=bridge1 name=d use-radius=yes\n",
    ],
)
def test_what_may_add_a_rule_keeps_the_setting(more: str) -> None:
    assert not frames.is_idle(ask(HOME + more).net)


def typed(text: str) -> list[str]:
    return [one for thing in to_do(Answer(ask(text)).plain()) for one in thing["commands"]]


@pytest.mark.parametrize(
    ("more", "offered"),
    [
        ("", True),
        (FORWARD + "connection-state=invalid", True),
        (FORWARD + "dst-address=192.168.88.9", False),
        (QUEUE + "192.168.88.9/32", False),
        ("/interface bridge filter\nadd action=drop chain=forward mac-protocol=ip\n", True),
        ("/interface bridge\nset [find] dhcp-snooping=yes\n", True),
    ],
)
def test_the_setting_is_turned_off_where_no_rule_needs_it(more: str, offered: bool) -> None:
    assert (OFF in typed(HOME + more)) is offered


def test_the_line_that_needs_the_setting_is_named() -> None:
    plain = Answer(ask(HOME + FORWARD + "dst-address=192.168.88.9")).plain()
    refused = [words for row in plain["classes"] for words in row["refused"]]
    lost = [words for row in plain["classes"] for one in row["changes"]
            for words in one["given_up"]]  # fmt: skip
    assert "use-ip-firewall=yes, which a rule for bridged packets needs (line 16)" in refused + lost
