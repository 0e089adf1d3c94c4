# ruff: noqa: E501  (exports have long lines)
"""What somebody set up to guard or to steer packets stays as it is beside a faster path."""

from __future__ import annotations

from typing import Any

import pytest
from asked import ask

from rosexplain.report import Answer

WIRE = """# 2026-01-01 10:00:00 by RouterOS 7.20.6
# model = CCR2116-12G-4S+
/interface bridge
add name=wire
/interface bridge port
add bridge=wire hw=no interface=sfp-sfpplus1
add bridge=wire hw=no interface=ether2
/interface bridge settings
set allow-fast-path=no use-ip-firewall=yes
/ip firewall filter
add action=drop chain=forward dst-address=198.18.0.9
"""
HOME = """# 2026-01-01 10:00:00 by RouterOS 7.20.6
# model = RB750Gr3
/ip address
add address=192.168.4.1/24 interface=ether4
add address=192.168.5.1/24 interface=ether5
/ip dhcp-server
add interface=ether4 name=four
add interface=ether5 name=five
/ip dhcp-client
add interface=ether1
/ip firewall nat
add action=masquerade chain=srcnat out-interface=ether1
"""
GRE = "/interface gre\nadd ipsec-secret=x name=branch remote-address=198.18.0.9\n"
L2TP = "/interface l2tp-server server\nset enabled=yes use-ipsec=yes\n"
MANGLE = "/ip firewall mangle\n"


def fasttrack(text: str) -> dict[str, Any]:
    """The change of the class established that brings FastTrack; empty where none does."""
    rows = Answer(ask(text)).plain()["classes"]
    changes = next(row["changes"] for row in rows if row["class"] == "established")
    own = [
        one for one in changes if any("fasttrack-connection" in text for text in one["commands"])
    ]
    return own[0] if own else {}


def rule_of(text: str) -> str:
    return next(one for one in fasttrack(text)["commands"] if "fasttrack-connection" in one)


def test_the_firewall_of_bridged_frames_is_named_as_what_makes_a_bridge_slow() -> None:
    reasons = Answer(ask(WIRE)).plain()["classes"][0]["reasons"]
    rules = [reason["rule"] for reason in reasons]
    assert rules.index("use-ip-firewall") < rules.index("bridge-hw-off")


@pytest.mark.parametrize(
    ("more", "scoped"),
    [
        (GRE, "fasttracked"),
        (GRE.replace("ipsec-secret=x ", ""), ""),
        (L2TP, "!dynamic"),
        (L2TP + "/interface l2tp-server\nadd name=one user=one\n", "fasttracked"),
        (L2TP.replace("enabled=yes ", ""), ""),
        (L2TP + "/queue simple\nadd max-limit=1M/1M name=q target=192.168.88.9/32\n", "!dynamic"),
    ],
)
def test_fasttrack_takes_only_what_lan_and_wan_exchange_beside_tunnels_in_ipsec(
    more: str, scoped: str
) -> None:
    words = [word for word in rule_of(HOME + more).split() if "-interface-list=" in word]
    lists = [side + "-interface-list=" + scoped for side in ("in", "out")]
    assert words == (lists if scoped else [])
    assert "IPsec for fast-tracked" not in fasttrack(HOME + more)["loses"]


REJECT = "/ip firewall filter\nadd action=reject chain=forward in-interface=ether4 out-interface=ether1\n"


def test_fasttrack_leaves_out_guests_rather_than_the_lan() -> None:
    lists = "/interface list\nadd name=LAN\nadd name=WAN\n/interface list member\n"
    lists += "add interface=ether4 list=LAN\nadd interface=ether1 list=WAN\n"
    rules = REJECT.replace("out-interface=ether1", "out-interface=ether5")
    words = [word for word in rule_of(HOME + lists + rules).split() if "=!" in word]
    assert words == ["in-interface=!ether5", "out-interface=!ether5"]


@pytest.mark.parametrize(("ports", "offered"), [("45", False), ("4", True)])
def test_fasttrack_is_none_where_each_network_has_a_mark_for_its_line(
    ports: str, offered: bool
) -> None:
    rules = "".join(
        f"add action=mark-connection chain=prerouting in-interface=ether{port} new-connection-mark=c{port}\nadd action=mark-routing chain=prerouting connection-mark=c{port} new-routing-mark=r{port}\n"
        for port in ports
    )
    routes = "".join(f"add gateway=198.18.0.{port} routing-mark=r{port}\n" for port in ports)
    text = HOME.replace("7.20.6", "6.49.7") + MANGLE + rules + "/ip route\n" + routes
    assert bool(fasttrack(text)) == offered
    assert bool(Answer(ask(text)).plain()["barred"]) != offered
