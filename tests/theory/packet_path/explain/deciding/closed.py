# ruff: noqa: E501  (exports have long lines)
"""Exports in which one line closes a path, or leaves it open."""

from __future__ import annotations

from rosexplain.decide import Verdict

HEAD = "# 2026-11-20 10:00:00 by RouterOS {}\n# model = RB5009UG+S+\n"

BRIDGE = """/interface bridge
add name=bridge1
/interface bridge port
add bridge=bridge1 hw=no interface=ether2
add bridge=bridge1 hw=no interface=ether3
/ip address
add address=192.168.1.1/24 interface=bridge1
/ip dhcp-client
add interface=ether1
"""

MARK = "/ip firewall filter\nadd action=fasttrack-connection chain=forward connection-state=established,related\n"
ACCEPT = "add action=accept chain=forward connection-state=established,related\n"
MARK6 = MARK.replace("/ip ", "/ipv6 ")
FILTERING = "/interface bridge\nset [ find name=bridge1 ] vlan-filtering=yes\n"
SNOOPING = FILTERING.replace("vlan-filtering", "dhcp-snooping")
IP_FIREWALL = "/interface bridge settings\nset use-ip-firewall=yes\n"
NO_FAST_PATH = "/interface bridge settings\nset allow-fast-path=no\n"
BRIDGE_RULE = "/interface bridge filter\nadd action=drop chain=forward mac-protocol=ipv6\n"
SLOW, FAST, FASTTRACK = ("no", ["slow"]), ("yes", ["fast-path"]), ("yes", ["fasttrack"])


def home(more: str = "", version: str = "7.20.8") -> str:
    return HEAD.format(version) + BRIDGE + more


def by(decided: Verdict) -> list[tuple[str, str]]:
    return [(reason.rule, reason.fact) for reason in decided.reasons]


OTHER = "/ip address\nadd address=192.168.2.1/24 interface=ether7\nadd address=192.168.3.1/24 interface=ether8\n"
