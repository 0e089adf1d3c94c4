# ruff: noqa: E501  (exports have long lines)
"""Exports of which one word decides a class's way."""

from __future__ import annotations

from rosexplain.decide import Verdict

PRINTS = "/interface/ethernet/print stats"
HEAD = "# 2026-11-20 10:00:00 by RouterOS {}\n# model = {}\n"

SWITCH, ROUTER = "CRS326-24G-2S+", "CCR2116-12G-4S+"
"""One whose chip translates nothing, and one whose chip takes fast-tracked connections."""

LAN = """/interface ethernet switch
set 0 l3-hw-offloading=yes
/interface list
add name=WAN
add name=LAN
/interface list member
add interface=ether2 list=LAN
add interface=ether3 list=LAN
add interface=WAN1 list=WAN
/ip address
add address=192.168.1.1/24 interface=ether2
add address=192.168.2.1/24 interface=ether3
"""

NAT = "/ip firewall nat\nadd action=masquerade chain=srcnat out-interface=WAN1\n"
FORWARD = "add action=dst-nat chain=dstnat dst-port=443 in-interface=WAN1 protocol=tcp to-addresses=192.168.1.9\n"
MARK = "/ip firewall filter\nadd action=fasttrack-connection chain=forward connection-state=established,related{}\n"
PORTS = "/interface ethernet switch port\nset {} l3-hw-offloading=no\n"


def switch(more: str, model: str = ROUTER, wan: str = "ether1", version: str = "7.20.8") -> str:
    return HEAD.format(version, model) + (LAN + more).replace("WAN1", wan)


def facts(decided: Verdict) -> list[str]:
    return [reason.fact for reason in decided.reasons]


OFF = PORTS.format("ether1,ether2,ether3")
CHIP, SLOW = ("yes", ["chip"]), ("no", ["slow"])

VLANS = """/interface bridge
add name=bridge vlan-filtering=yes
/interface vlan
add interface=bridge name=ether2 vlan-id=10
add interface=bridge name=ether3 vlan-id=20
/interface bridge port
add bridge=bridge interface=ether5 pvid=10
add bridge=bridge interface=ether6 pvid=20
add bridge=bridge interface=ether7
/interface bridge vlan
add bridge=bridge tagged=bridge,ether8 vlan-ids=10,20
add bridge=bridge tagged=bridge vlan-ids=30
"""

HOME = """# 2026-11-20 10:00:00 by RouterOS 7.20.8
# model = RB5009UG+S+
/interface bridge
add name=bridge1
/interface vlan
add interface=bridge1 name=vlan10 vlan-id=10
/interface pppoe-client
add interface=ether1 name=pppoe-out1
/interface wifi
add name=wifi1
/interface list
add name=WAN
add name=LAN
/interface list member
add interface=LAN1 list=LAN
add interface=WAN1 list=WAN
/ip address
add address=192.168.1.1/24 interface=LAN1
/ip firewall filter
"""

RULE = "add action=fasttrack-connection chain=forward connection-state=established,related\n"


def home(rules: str, lan: str = "bridge1", wan: str = "ether1") -> str:
    return (HOME + rules + RULE).replace("LAN1", lan).replace("WAN1", wan)


POLICY = "/ip ipsec policy\nadd dst-address=10.2.0.0/16 peer=b src-address=192.168.1.0/24 tunnel=yes\n"  # fmt: skip
