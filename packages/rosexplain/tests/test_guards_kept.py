# ruff: noqa: E501  (exports have long lines)
"""What somebody set up to guard or to steer packets stays as it is beside a faster path."""

from __future__ import annotations

from typing import Any

import pytest
from asked import ask

from rosexplain.cut_off import leaving
from rosexplain.radios import mended
from rosexplain.report import Answer
from rosexplain.summary import to_do

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


def typed(text: str) -> list[str]:
    return [one for thing in to_do(Answer(ask(text)).plain()) for one in thing["commands"]]


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


@pytest.mark.parametrize(
    ("old", "new", "offered"),
    [
        ("", "", False),
        ("use-ip-firewall=yes", "use-ip-firewall=no", True),
        ("action=drop", "action=accept", True),
        ("chain=forward dst", "chain=input dst", True),
        (
            "/ip firewall filter",
            "/tool sniffer\nset filter-interface=ether2 streaming-enabled=yes\n/ip firewall filter",
            False,
        ),
    ],
)
def test_the_chip_gets_no_frame_that_the_firewall_looks_at(
    old: str, new: str, offered: bool
) -> None:
    text = WIRE.replace(old, new) if old else WIRE
    assert any("hw=yes" in one for one in typed(text)) == offered


def test_the_firewall_of_bridged_frames_is_named_as_what_makes_a_bridge_slow() -> None:
    reasons = Answer(ask(WIRE)).plain()["classes"][0]["reasons"]
    rules = [reason["rule"] for reason in reasons]
    assert rules.index("use-ip-firewall") < rules.index("bridge-hw-off")


RADIO = """# jun/16/2021 21:07:39 by RouterOS 6.48.3
# model = RB951Ui-2HnD
/interface wireless channels
add band=2ghz-b/g/n frequency=2412 name=1 width=20
add frequency=2437 name=6
/interface wireless
set [ find default-name=wlan1 ] disabled=no frequency=1 mode=ap-bridge ssid=a
"""
BRIDGED = "/interface bridge port\nadd bridge=b interface="


@pytest.mark.parametrize(
    ("old", "new", "unset"),
    [
        ("", "", False),
        ("frequency=1 ", "frequency=6 ", True),
        ("frequency=1 ", "frequency=2412 ", True),
        ("frequency=1 ", "band=2ghz-b/g/n frequency=6 ", False),
    ],
)
def test_a_radio_has_the_band_of_the_channel_that_it_names(old: str, new: str, unset: bool) -> None:
    net = ask(RADIO.replace(old, new) if old else RADIO).net
    assert ("radio-band-unset" in dict(mended(net))) == unset


@pytest.mark.parametrize(("port", "unset"), [("wlan1", True), ("ether2", False)])
def test_a_radio_that_leads_nowhere_gets_no_band(port: str, unset: bool) -> None:
    net = ask(RADIO.replace("frequency=1 ", "") + BRIDGED + port + "\n").net
    assert ("radio-band-unset" in dict(mended(net))) == unset


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


@pytest.mark.parametrize(
    ("rules", "matchers"),
    [
        (REJECT, ["in-interface=!ether4", "out-interface=!ether4"]),
        (REJECT.replace(" in-i", " connection-state=new in-i"), []),
        (REJECT.replace("action=reject", "action=accept"), []),
        (REJECT.replace("filter\n", "filter\nadd action=accept chain=forward connection-state=established,related\n"), []),
        ("/ip firewall filter\nadd action=drop chain=forward dst-address=192.168.4.0/24 src-address=192.168.5.0/24\n",
         ["src-address=!192.168.5.0/24", "dst-address=!192.168.5.0/24"]),
    ],
)  # fmt: skip
def test_fasttrack_leaves_out_what_a_rule_without_state_refuses(
    rules: str, matchers: list[str]
) -> None:
    assert [word for word in rule_of(HOME + rules).split() if "=!" in word] == matchers


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


@pytest.mark.parametrize(("chain", "guarded"), [("prerouting", True), ("output", False)])
def test_only_marks_of_what_is_routed_are_left_out_of_fasttrack(chain: str, guarded: bool) -> None:
    rules = (
        MANGLE
        + "add action=mark-connection chain=input in-interface=ether1 new-connection-mark=one\n"
    )
    rules += f"add action=mark-routing chain={chain} connection-mark=one new-routing-mark=one\n"
    rules += "/ip route\nadd gateway=198.18.0.1 routing-mark=one\n"
    text = HOME.replace("7.20.6", "6.49.7")
    assert ("connection-mark=no-mark" in rule_of(text + rules)) == guarded


FORWARDED = """/interface wireguard
add listen-port=13231 name=wg1
/ip address
add address=10.100.0.2/24 interface=wg1
add address=192.168.18.12/24 interface=ether1
/ip firewall nat
add action=dst-nat chain=dstnat dst-port=25 protocol=tcp src-address=192.168.18.13 to-addresses=10.100.0.1
/ip firewall filter
add action=accept chain=forward dst-address=10.100.0.0/24 src-address=192.168.18.0/24
add action=drop chain=forward
"""


@pytest.mark.parametrize(
    ("old", "new", "dropped"),
    [
        ("", "", False),
        ("add action=accept chain=forward", "add action=accept chain=forward disabled=yes", True),
        ("src-address=192.168.18.0/24", "src-address=192.168.19.0/24", True),
    ],
)
def test_a_forwarded_port_goes_where_its_rule_leads_it(old: str, new: str, dropped: bool) -> None:
    text = HOME + (FORWARDED.replace(old, new) if old else FORWARDED)
    (row,) = [row for row in Answer(ask(text)).plain()["classes"] if row["class"] == "port-forward"]
    assert (row["paths"] == ["dropped"]) == dropped


LINES = """/ip address
add address=192.168.10.1/24 interface=ether2
add address=198.18.0.2/24 interface=ether1
/ip dhcp-server
add interface=ether2 name=home
/ip route
add distance=3 gateway=198.18.0.1
/ip dhcp-client
add interface=ether7
/interface list
add name=WAN
/interface list member
add interface=ether1 list=WAN
/ip firewall nat
add action=masquerade chain=srcnat out-interface-list=WAN
"""


@pytest.mark.parametrize(
    ("old", "new", "outs"),
    [
        ("", "", []),
        ("interface=ether7", "default-route-distance=9 interface=ether7", ["ether7"]),
        ("distance=3", "distance=1", ["ether7"]),
    ],
)
def test_a_client_that_would_take_all_from_the_lines_is_no_line(
    old: str, new: str, outs: list[str]
) -> None:
    text = LINES.replace(old, new) if old else LINES
    assert [one.out for one in leaving(ask(text).net)] == outs
