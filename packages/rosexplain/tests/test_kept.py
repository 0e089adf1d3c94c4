"""What is named to be left as it is does something, and is what its name says."""

from __future__ import annotations

import pytest

from rosexplain import explain, read_export
from rosexplain.report import Answer

HEAD = """# 2026-01-01 10:00:00 by RouterOS 7.16.1
# model = RB5009UG+S+
/interface bridge
add name=bridge1
/interface bridge port
add bridge=bridge1 interface=ether2
add bridge=bridge1 interface=ether3
"""
ROUTER = (
    HEAD
    + """/ip address
add address=192.168.88.1/24 interface=bridge1
add address=198.18.0.2/24 interface=ether1
/ip route
add gateway=198.18.0.1
"""
)
SWITCH = HEAD + "/ip address\nadd address=192.168.88.2/24 interface=bridge1\n"
NAT = "/ip firewall nat\nadd action=masquerade chain=srcnat out-interface=ether1 "
FORWARD = "/ip firewall filter\nadd action=drop chain=forward "
PEER = "/ip ipsec peer\nadd address=198.18.9.9 name=a {}\n/ip ipsec identity\nadd peer=a\n"
TUNNEL = "/interface gre\nadd name=g remote-address=198.18.9.9 "
SERVER = "/interface l2tp-server server\nset enabled={} use-ipsec=required\n"


@pytest.mark.parametrize(
    ("export", "names"),
    [
        (ROUTER + NAT + "src-address-list=paid", ["nat-of-list"]),
        (ROUTER + NAT + "src-address-list=!own", ["nat"]),
        (ROUTER + NAT + "src-address-list=paid\nadd action=masquerade chain=srcnat "
         "out-interface=ether1", ["nat"]),
        (ROUTER + NAT + "src-address-list=paid\nadd action=masquerade chain=srcnat "
         "dst-address=192.168.88.9", ["nat-of-list", "nat"]),
        (ROUTER + FORWARD + "in-interface=ether1", ["guards"]),
        (ROUTER + FORWARD + "in-interface=*F00004", []),
        (ROUTER + FORWARD + "in-interface=ether2", []),
        (ROUTER + FORWARD.replace("drop", "accept") + "\nadd action=drop chain=forward", []),
        (ROUTER + FORWARD.replace("drop", "jump") + "jump-target=a\nadd action=drop chain=a "
         "dst-port=25 protocol=tcp", ["guards"]),
        (ROUTER + FORWARD.replace("forward", "b") + "src-address=198.18.7.7", []),
        (SWITCH + FORWARD + "in-interface=ether9", []),
        (SWITCH + "add address=198.18.0.2/24 interface=ether9\n" + FORWARD, ["guards"]),
        (ROUTER + PEER.format(""), ["ipsec"]),
        (ROUTER + PEER.format("disabled=yes"), []),
        (ROUTER + TUNNEL + "ipsec-secret=x", ["ipsec"]),
        (ROUTER + TUNNEL, []),
        (ROUTER + SERVER.format("yes"), ["ipsec"]),
        (ROUTER + SERVER.format("no"), []),
        (ROUTER + SERVER.replace("enabled={} ", ""), []),
    ],
    ids=["of a list", "of all but a list", "a list chooses an address",
         "a host is reached from inside",
         "a guard", "of a gone interface", "of a bridge's port", "behind all", "by a jump",
         "a chain that nothing leads to", "of a switch",
         "a switch that drops all", "ipsec", "a peer that is off", "a tunnel's secret",
         "a plain tunnel",
         "a server's", "a server that is off", "a server that nobody switched on"],
)  # fmt: skip
def test_only_what_does_something_is_to_be_left_as_it_is(export: str, names: list[str]) -> None:
    plain = Answer(explain([read_export(export + "\n", "export.rsc")])).plain()
    assert [row["kept"] for row in plain["kept"]] == names
