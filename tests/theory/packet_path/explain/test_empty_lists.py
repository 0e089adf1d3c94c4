# ruff: noqa: E501  (exports have long lines)
"""Interface lists without members: rules that no packet matches, or every one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.theory.packet_path.asked import HEAD, ask, of, run, told
from tests.theory.packet_path.explain.one_asked import line_of, walked

EMPTY = HEAD + """/interface list
add name=WAN
add name=LAN
/interface list member
add interface=ether2 list=LAN
/ip address
add address=192.168.1.1/24 interface=ether2
/ip dhcp-client
add interface=ether1
/ip firewall nat
add action=masquerade chain=srcnat out-interface-list=WAN
"""  # fmt: skip
MEMBER = "/interface list member\nadd interface=ether1 list=WAN\n"
OUT = "in=ether2 src=192.168.1.5:50000 dst=1.1.1.1:443/tcp new"
LINE = line_of(EMPTY, "masquerade")


def test_a_list_without_members_translates_nothing() -> None:
    assert of(ask(EMPTY + MEMBER), "established").traffic.title.endswith(", translated")
    assert not of(ask(EMPTY), "established").traffic.title.endswith(", translated")
    for out in ("", " out=ether1"):
        says = walked(EMPTY, OUT + out)["says"]
        assert not [said for said in says if "source is" in said]
        assert f"line {LINE}; /interface/list/member/add list=WAN interface=ether1 " in says[-1]
    says = walked(EMPTY + MEMBER, OUT)["says"]
    assert len(says) == 1 and f"masquerade (line {LINE})" in says[0]


def test_the_line_is_in_the_table_and_the_change_is_tried(tmp_path: Path) -> None:
    plain = told(tmp_path, EMPTY)
    (note,) = [each for each in plain["notes"] if each["rule"] == "empty-list"]
    assert [line["line"] for line in note["lines"]] == [LINE]
    assert note["commands"] == ["/interface/list/member/add list=WAN interface=INTERFACE"]
    assert note["then"] == {"gone": True}
    said = run(tmp_path, EMPTY, "--packet", OUT).stdout
    assert "which has no members" in said.replace("\n", " ")


def test_with_a_mark_of_negation_every_packet_matches() -> None:
    text = EMPTY + "/ip firewall filter\nadd action=drop chain=input in-interface-list=!WAN\n"
    packet = walked(text, "in=ether2 dst=192.168.1.1:22/tcp new")
    line = line_of(text, "action=drop")
    assert packet["ended"] == "drop"
    (said,) = packet["says"]
    assert f"line {line}; /interface/list/member/add list=WAN interface=ether2 " in said


@pytest.mark.parametrize(
    ("more", "empty"),
    [
        ("", True),
        (MEMBER.replace("add ", "add disabled=yes "), True),
        (MEMBER, False),
        ("/interface list\nset [ find name=WAN ] include=LAN\n", False),
        ("/interface list\nset [ find name=WAN ] include=dynamic\n", False),
        ("/interface list\nset [ find name=WAN ] include=static\n", False),
        # Sessions, radios and Detect Internet add members that no line names.
        ("/ppp profile\nset *FFFFFFFE interface-list=WAN\n", False),
        ("/interface detect-internet\nset detect-interface-list=all wan-interface-list=WAN\n", False),
        ("/caps-man datapath\nadd bridge=b interface-list=WAN name=d\n", False),
        ("/interface wifi configuration\nadd datapath.interface-list=WAN name=c\n", False),
        ("/ppp profile\nset *FFFFFFFE interface-list=LTE\n/interface list\nadd name=LTE\nset [ find name=WAN ] include=LTE\n", False),
        # Where the export does not make the list, another may.
        ("/interface list\nremove [ find name=WAN ]\n", False),
    ],
)  # fmt: skip
def test_what_may_give_a_list_members(more: str, empty: bool) -> None:
    assert ("empty-list" in ask(EMPTY + more).met) == empty


def test_a_session_s_interface_may_be_added_to_a_list_and_a_port_is_not() -> None:
    profile = "/ppp profile\nset *FFFFFFFE interface-list=WAN\n"
    client = "/interface pppoe-client\nadd disabled=no interface=ether1 name=pppoe1 user=u\n"
    nat = [
        walked(EMPTY + profile + client, f"{OUT} out={out}")["steps"][-1]["verdict"]
        for out in ("pppoe1", "ether2")
    ]
    assert nat == ["perhaps", "no"]
