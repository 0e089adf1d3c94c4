"""Source NAT for a part of a network: where the rest lacks it by mistake, and where on purpose."""

from __future__ import annotations

import pytest

from rosexplain import explain, read_export
from rosexplain.report import Answer

PART = """/ip address
add address=10.80.0.1/22 interface=ether2
/ip pool
add name=pool1 ranges=10.80.0.10-10.80.2.200
/ip dhcp-server
add address-pool=pool1 interface=ether2 name=home
/ip firewall nat
add action=masquerade chain=srcnat out-interface=ether1 src-address=10.80.0.0/24
"""
WITH_LISTS = "/ip firewall nat\nadd action=src-nat chain=srcnat src-address-list=a to-addresses="
OF_PART = "/ip firewall filter\nadd action=accept chain=forward src-address=10.80.0.0/24\n"


@pytest.mark.parametrize(
    ("old", "new", "more", "typed"),
    [
        ("", "", "", True),
        ("-10.80.2.200", "-10.80.0.200", "", False),  # nobody gets an address of the rest
        ("masquerade", "netmap", "", False),
        ("out-interface=ether1", "dst-address=172.16.0.0/16 out-interface=ether1", "", False),
        ("", "", f"{OF_PART}add action=drop chain=forward\n", False),
        ("", "", OF_PART, True),
        ("", "", f"{WITH_LISTS}198.18.0.3\n", False),
        ("", "", "/routing rule\nadd action=lookup src-address=10.80.1.0/24 table=other\n", False),
    ],
)
def test_a_rule_for_a_part_gets_the_whole_network_where_the_rest_leaves_untranslated(
    old: str, new: str, more: str, typed: bool
) -> None:
    export = "# by RouterOS 7.20\n" + PART.replace(old, new, 1) + more
    notes = Answer(explain([read_export(export, "export.rsc")])).plain()["notes"]
    own = [note["commands"] for note in notes if note["rule"] == "untranslated-part"]
    assert bool(own) == typed
