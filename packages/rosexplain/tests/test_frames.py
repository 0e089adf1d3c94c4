"""The rules, queues and services that use-ip-firewall=yes is for; without one it is turned off."""

from __future__ import annotations

from asked import ask

from rosexplain import frames
from rosexplain.report import Answer

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
FORWARD = FILTER + "add action=drop chain=forward "


def test_matchers_of_ports_need_the_setting() -> None:
    rule = FILTER + "add action=accept chain=input in-bridge-port=ether2"
    assert not frames.is_idle(ask(HOME + rule).net)
    assert frames.purposes(ask(HOME.replace("firewall=yes", "firewall=no") + rule).net) == []


def test_the_line_that_needs_the_setting_is_named() -> None:
    plain = Answer(ask(HOME + FORWARD + "dst-address=192.168.88.9")).plain()
    refused = [words for row in plain["classes"] for words in row["refused"]]
    lost = [words for row in plain["classes"] for one in row["changes"]
            for words in one["given_up"]]  # fmt: skip
    assert "use-ip-firewall=yes, which a rule for bridged packets needs (line 16)" in refused + lost


def test_all_addresses_but_the_routers_own() -> None:
    """Also where its own are the first and the last of a network."""
    net = ask(HOME + "/ip address\nadd address=192.168.90.0/31 interface=ether4\n"
              "add address=192.168.90.9/32 interface=ether5").net  # fmt: skip
    near = (192 << 24) + (168 << 16) + (90 << 8)
    assert frames.not_own(net, (near, near + 9)) == [(near + 1, near + 8)]
    assert frames.not_own(net, (near + 1, near + 10)) == [(near + 1, near + 8), (near + 10,) * 2]
