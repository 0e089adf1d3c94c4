# ruff: noqa: E501  (exports have long lines)
"""Which path, and by which line: the firewall's order, jumps, lists, NAT, chips, and what asks."""

from __future__ import annotations

from pathlib import Path

import pytest

from rosexplain import traffic
from rosexplain.report import Answer
from tests.theory.packet_path.asked import MARK, ask, class_of, lines, of, said, told
from tests.theory.packet_path.explain.deciding.homes import FAST, HOME, SLOW


@pytest.mark.parametrize(
    ("rules", "answer"),
    [
        (MARK, "yes"),
        ("add chain=forward connection-state=established,related\n" + MARK, "no"),
        ("add chain=forward disabled=yes\n" + MARK, "yes"),
        ("add chain=input\n" + MARK, "yes"),
        ("add chain=forward in-interface-list=WAN out-interface-list=WAN\n" + MARK, "yes"),
        # One direction of the connection is enough to mark it.
        ("add chain=forward in-interface-list=LAN\n" + MARK, "yes"),
        ("add chain=forward in-interface-list=LAN\nadd chain=forward in-interface=ether1\n" + MARK, "no"),
        ("add chain=forward in-interface=!bridge1\nadd chain=forward in-interface=bridge1\n" + MARK, "no"),
        ("add chain=forward protocol=tcp\n" + MARK, "depends"),
        ("add chain=forward protocol=icmp\n" + MARK, "yes"),
        ("add chain=forward src-address=10.9.0.0/16 dst-address=10.8.0.0/16\n" + MARK, "yes"),
        ("add chain=forward connection-state=new\n" + MARK, "yes"),
        ("add chain=forward action=log\n" + MARK, "yes"),
        ("add chain=forward action=drop\n" + MARK, "no"),
        ("add chain=forward action=jump jump-target=a\nadd chain=a\n" + MARK, "no"),
        ("add chain=forward action=jump jump-target=a\nadd chain=a action=return\nadd chain=a\n" + MARK, "yes"),
        ("add chain=forward action=jump jump-target=a\n" + MARK.replace("=forward", "=a"), "yes"),
        (MARK.replace("=forward", "=a"), "no"),
        ("add chain=forward action=jump jump-target=a protocol=udp\nadd chain=a\n" + MARK, "depends"),
        (MARK.replace("established,related", "new"), "no"),
        (MARK.replace("chain", "protocol=udp chain"), "depends"),
        ("", "no"),
    ],
)  # fmt: skip
def test_the_order_of_the_firewall(rules: str, answer: str) -> None:
    text = HOME + rules + "add chain=input action=accept\n"
    assert said(text)[0] == answer


def test_the_line_that_stands_in_front_is_named() -> None:
    text = HOME + "add chain=forward connection-state=established\n" + MARK
    first = HOME.count("\n") + 1
    assert lines(text)["accept-in-front"] == [first]


def test_nothing_configured_is_the_fast_path() -> None:
    assert said("/ip address\nadd address=10.0.0.1/24 interface=ether1\n") == ("yes", ["fast-path"])


@pytest.mark.parametrize(
    ("more", "answer"),
    [
        ("/ip settings\nset allow-fast-path=no\n", SLOW),
        ("/ip firewall connection tracking\nset enabled=no\n", SLOW),
        ("/ip firewall raw\nadd action=notrack chain=prerouting\n", SLOW),
        ("/interface bridge filter\nadd action=drop chain=forward\n", SLOW),
        ("/interface bridge settings\nset use-ip-firewall=yes\n", SLOW),
        ("/interface bridge\nset [ find name=bridge1 ] dhcp-snooping=yes\n", SLOW),
        ("/interface bridge\nadd name=other dhcp-snooping=yes\n", FAST),
        ("/queue simple\nadd target=192.168.1.0/24\n", FAST),
        ("/ip firewall nat\nadd chain=srcnat action=masquerade\n", FAST),
        ("/ip ipsec policy\nadd dst-address=10.2.0.0/16 tunnel=yes\n", FAST),
    ],
)
def test_what_stops_fasttrack_and_what_does_not(more: str, answer: tuple[str, list[str]]) -> None:
    assert said(HOME + MARK + more) == answer


def test_a_renamed_port_is_the_same_port() -> None:
    text = (
        HOME.replace("interface=ether1 list", "interface=wan list")
        + "add chain=forward in-interface=wan\nadd chain=forward out-interface=wan\n"
        + MARK
        + "/interface ethernet\nset [ find default-name=ether1 ] name=wan\n"
    )
    assert said(text)[0] == "no"


def test_several_files_are_one_router() -> None:
    found = ask(HOME + MARK, "/ip settings\nset allow-fast-path=no\n")
    (reason, *_) = of(found, "established").reasons
    assert [line.place for line in reason.lines] == ["2.rsc:2"]


def test_a_line_that_were_gone() -> None:
    text = HOME + "add chain=forward\n" + MARK
    line = HOME.count("\n") + 1
    assert said(text)[0] == "no"
    assert said(text, without=[("1.rsc", line)])[0] == "yes"


def test_a_bridge_in_a_chip_on_a_cpu_and_on_what_nobody_knows() -> None:
    bridge = (
        "/interface bridge\nadd name=b\n/interface bridge port\nadd bridge=b interface=ether2\n"
    )
    assert said("# model = CRS326-24G-2S+\n" + bridge, "bridged-b") == ("yes", ["chip"])
    off = bridge.replace("interface=ether2", "interface=ether2 hw=no")
    assert said("# model = CRS326-24G-2S+\n" + off, "bridged-b")[1] == ["bridge-fast-path"]
    assert said(bridge, "bridged-b")[1] == ["chip", "bridge-fast-path"]
    snooping = bridge.replace("name=b", "name=b dhcp-snooping=yes")
    found = of(ask(snooping), "bridged-b")
    assert (found.answer, found.asks) == ("unknown", ["/interface/bridge/port/print"])


def test_a_switch_that_routes() -> None:
    text = "# model = CRS326-24G-2S+\n/interface ethernet switch\nset 0 l3-hw-offloading=yes\n"
    assert said(text) == ("yes", ["chip"])


@pytest.mark.parametrize(
    ("tunnel", "answer"),
    [
        ("/interface eoip\nadd name=t tunnel-id=1", "yes"),
        ("/interface eoip\nadd name=t allow-fast-path=no tunnel-id=1", "no"),
        ("/interface gre\nadd name=t allow-fast-path=no ipsec-secret=x", "no"),
        ("/interface wireguard\nadd name=t", "unknown"),
    ],
)
def test_what_a_tunnel_carries(tunnel: str, answer: str) -> None:
    assert said(tunnel, "carried-t")[0] == answer


def test_what_no_export_shows_comes_with_the_command_that_tells() -> None:
    found = of(ask("/ppp profile\nadd name=home rate-limit=1M/1M\n"), "established")
    assert found.answer == "unknown"
    assert found.asks == ["/queue/simple/print count-only where dynamic"]


BRIDGE = """/interface bridge
add name=b
/interface bridge port
add bridge=b interface=ether2
add bridge=b interface=ether3
/interface bridge settings
set allow-fast-path=no
"""

V7 = """[admin@MikroTik] > /interface/bridge/port/print
Flags: I - INACTIVE; H - HW-OFFLOAD
Columns: INTERFACE, BRIDGE, HW, PVID, PRIORITY, HORIZON
#    INTERFACE  BRIDGE  HW   PVID  PRIORITY  HORIZON
;;; defconf
0 {0:2} ether2     b       yes     1  0x80      none
1 {1:2} ether3     b       yes     1  0x80      none
"""

V6 = """[admin@MikroTik] > /interface bridge port print
Flags: X - disabled, I - inactive, D - dynamic, H - hw-offload
 #     INTERFACE              BRIDGE              HW  PVID PRIORITY  PATH-COST
 0 {0:3} ether2                 b                   yes    1     0x80         10
 1 {1:3} ether3                 b                   yes    1     0x80         10
"""


@pytest.mark.parametrize("printed", [V7, V6])
@pytest.mark.parametrize(
    ("flags", "answer", "ways", "evidence"),
    [
        (("H", "H"), "yes", ["chip"], "2 of 2"),
        (("IH", "H"), "yes", ["chip"], "2 of 2"),
        (("H", ""), "depends", ["chip", "slow"], "1 of 2"),
        (("", ""), "no", ["slow"], "0 of 2"),
    ],
)
def test_the_flag_h_says_which_ports_the_chip_has(
    tmp_path: Path,
    printed: str,
    flags: tuple[str, str],
    answer: str,
    ways: list[str],
    evidence: str,
) -> None:
    assert said(BRIDGE, "bridged-b") == ("unknown", ["chip", "slow"])
    plain = told(tmp_path, BRIDGE, printed=printed.format(*flags))
    bridged = class_of(plain, "bridged-b")
    assert (bridged["answer"], bridged["paths"], bridged["asks"]) == (answer, ways, [])
    assert [each["value"] for each in plain["evidence"]] == [evidence]


@pytest.mark.parametrize(
    ("export", "printed", "answer"),
    [
        ("/ppp profile\nadd name=p rate-limit=1M/1M\n", "> /queue/simple/print count-only where dynamic\n0\n", "yes"),
        ("/ppp profile\nadd name=p rate-limit=1M/1M\n", "> /queue/simple/print count-only where dynamic\n3\n", "no"),
        ("/ppp profile\nadd name=p rate-limit=1M/1M\n", "> /ip/ipsec/policy/print count-only where dynamic\n0\n", "unknown"),
        ("/ip ipsec identity\nadd generate-policy=port-strict peer=a\n", "> /ip/ipsec/policy/print count-only where dynamic\n0\n", "yes"),
        ("/ip ipsec identity\nadd generate-policy=port-strict peer=a\n", "> /ip/ipsec/policy/print count-only where dynamic\n2\n", "no"),
        ("# model = CHR\n/ip address\nadd address=10.0.0.1/8 interface=ether1\n", "> /ip/settings/print\n ipv4-fast-path-active: yes\n", "yes"),
        ("# model = CHR\n/ip address\nadd address=10.0.0.1/8 interface=ether1\n", "> /ip/settings/print\n ipv4-fast-path-active: no\n", "unknown"),
    ],
)  # fmt: skip
def test_what_the_export_could_not_say_the_router_s_print_settles(
    tmp_path: Path, export: str, printed: str, answer: str
) -> None:
    assert said(export)[0] == "unknown"
    assert class_of(told(tmp_path, export, printed=printed))["answer"] == answer


def test_tunnels_of_which_all_is_the_same_make_one_row() -> None:
    text = "/interface/eoip\n" + "".join(
        f"add name=e{n} remote-address=198.18.0.{n} tunnel-id={n}\n" for n in range(1, 31)
    )
    found = ask(text + "set e7 allow-fast-path=no\nset e9 allow-fast-path=no\n")
    carried = [each for each in found.classes if each.traffic.kind == traffic.CARRIED]
    assert [each.traffic.title for each in carried] == [
        "carried by e1, e2, e3, e4 and 24 more (eoip)",
        "carried by e7, e9 (eoip)",
    ]
    assert [each.answer for each in carried] == ["yes", "no"]
    plain = Answer(found).plain()
    (slow,) = [each for each in plain["classes"] if each["interfaces"] == ["e7", "e9"]]
    (change,) = slow["changes"]
    assert change["commands"] == [
        "/interface/eoip/set [find name=e7] allow-fast-path=yes",
        "/interface/eoip/set [find name=e9] allow-fast-path=yes",
    ]
    # With both they are like the other 28, in whose row they are then.
    assert change["then"]["answer"] == "yes"
    assert [line["line"] for line in slow["reasons"][0]["lines"]] == [32, 33]


def test_what_the_router_is_asked_of_several_interfaces_is_one_command() -> None:
    found = ask('/interface/wireguard\nadd name=wg1\nadd name="wg office"\n')
    assert of(found, "carried-wg1").asks == [
        '/interface/print stats-detail where name=wg1 or name="wg office"'
    ]
