"""Lines that share a LAN's connections: what stays inside, what main sends, and what is ended."""

from __future__ import annotations

import pytest
from asked import ask

from rosexplain.report import Answer

HEAD = "# 2026-01-01 10:00:00 by RouterOS 6.49.10\n"
NETWORKS = """/ip pool
add name=one ranges=192.168.1.10-192.168.1.99
add name=two ranges=192.168.2.10-192.168.2.99
/ip dhcp-server
add address-pool=one disabled=no interface=ether3 name=one
add address-pool=two disabled=no interface=ether4 name=two
/ip address
add address=192.168.1.1/24 interface=ether3
add address=192.168.2.1/24 interface=ether4
add address=198.18.1.2/24 interface=ether1
add address=198.18.2.2/24 interface=ether2
/ip firewall nat
add action=masquerade chain=srcnat out-interface=ether1
add action=masquerade chain=srcnat out-interface=ether2
/ip route
add gateway=198.18.1.1 routing-mark=to-a
add gateway=198.18.2.1 routing-mark=to-b
"""
SHARE = (
    "add action=mark-connection chain=prerouting {of}connection-mark=no-mark "
    "new-connection-mark={mark} per-connection-classifier=src-address:2/{place}\n"
    "add action=mark-routing chain=prerouting connection-mark={mark} "
    "{by}new-routing-mark=to-{mark}\n"
)
LAN = """/interface list
add name=LAN
/interface list member
add interface=ether3 list=LAN
add interface=ether4 list=LAN
"""
OF, BY = "dst-address-type=!local in-interface=ether3 ", "in-interface=ether3 "
OWN = "/ip firewall address-list\nadd address=192.168.0.0/16 list=own\n"
APART = "/ip firewall filter\nadd action=drop chain=forward in-interface={0} out-interface={1}\n"


def shares(first: str, of: str, by: str) -> str:
    """The rules of mangle that share connections over two lines; `first`: rules before them."""
    rules = [SHARE.format(of=of, by=by, mark=mark, place=place) for place, mark in enumerate("ab")]
    return "/ip firewall mangle\n" + first + "".join(rules)


@pytest.mark.parametrize(
    ("first", "of", "by", "rest", "taken"),
    [
        ("", OF, BY, "", 2),
        ("", OF, "", "", 2),
        ("add action=accept chain=prerouting dst-address=192.168.2.0/24\n", OF, BY, "", 0),
        ("add action=accept chain=prerouting dst-address=192.168.1.0/24\n", OF, BY, "", 2),
        ("add action=accept chain=prerouting dst-address-list=own\n", OF, BY, OWN, 0),
        ("add action=jump chain=prerouting jump-target=more\n", OF, BY, "", 0),
        ("", OF + "dst-address-list=!own ", BY, OWN, 0),
        ("", OF, BY + "dst-address-list=!own ", OWN, 0),
        ("", "dst-address-type=!local in-interface=ether1 ", "", "", 0),  # of a line
        ("", OF, BY, APART.format("ether3", "ether4"), 0),  # kept apart in any case
        ("", OF, BY, APART.format("ether4", "ether3"), 2),
        ("", OF, BY, "/ip route rule\nadd dst-address=192.168.0.0/16 table=main\n", 0),
        ("", OF, BY, "/ip route\nadd dst-address=192.168.2.0/24 gateway=ether4 routing-mark=to-a\n"
         "add dst-address=192.168.0.0/16 gateway=ether4 routing-mark=to-b\n", 0),
    ],
)  # fmt: skip
def test_marks_for_lines_that_take_what_stays_inside_are_named(
    first: str, of: str, by: str, rest: str, taken: int
) -> None:
    met = ask(HEAD + NETWORKS + shares(first, of, by) + rest).met
    assert len(met.get("mark-takes-local", [])) == taken


@pytest.mark.parametrize(
    ("main", "helps"),
    [
        ("add gateway=198.18.1.1\nadd distance=2 gateway=198.18.2.1\n", "one connection-mark"),
        ("add gateway=198.18.1.1\nadd gateway=198.18.2.1\n", "by connection-mark"),
        ("add gateway=198.18.1.1,198.18.2.1\n", "by connection-mark"),
    ],
)
def test_the_mark_of_mains_line_may_be_fast_tracked(main: str, helps: str) -> None:
    marking = shares("", "dst-address-type=!local in-interface-list=LAN ", "")
    plain = Answer(ask(HEAD + NETWORKS + main + LAN + marking)).plain()
    assert [helps in row["helps"] for row in plain["barred"]] == [True]
