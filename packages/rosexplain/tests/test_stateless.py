"""Tracking is called needless only where nothing reads a state, and no guard goes with it."""

from __future__ import annotations

import pytest
from asked import HEAD, ask

from rosexplain import probes
from rosexplain.report import Answer

TRANSIT = """
/ip address
add address=198.18.1.1/24 interface=ether1
add address=198.18.2.1/24 interface=ether2
/routing ospf interface-template
add area=backbone interfaces=ether1
/ip firewall filter
add action=drop chain=forward dst-port=25,445 protocol=tcp
add action=drop chain=input dst-port=22 in-interface=ether1 protocol=tcp
"""
OFF = "/ip/firewall/connection/tracking/set enabled=no"
NAT = "/ip firewall nat\nadd action=masquerade chain=srcnat out-interface=ether1"


def note(text: str, name: str) -> list[str]:
    """The commands of a note; empty where it is not there."""
    notes = Answer(ask(HEAD + text)).plain()["notes"]
    return [command for one in notes if one["rule"] == name for command in one["commands"]]


@pytest.mark.parametrize(
    "other",
    [
        "",
        "/ip firewall mangle\nadd action=change-mss chain=forward new-mss=1300 protocol=tcp",
        "/ip firewall raw\nadd action=drop chain=prerouting src-address=198.18.9.0/24",
        NAT.replace("add ", "add disabled=yes "),
    ],
)
def test_tracking_that_nothing_reads_goes_and_every_drop_rule_still_drops(other: str) -> None:
    text = TRANSIT + other + "\n"
    assert note(text, "tracked-for-nothing") == [OFF]
    harms = probes.harms(ask(HEAD + text), ask(HEAD + text, OFF))
    assert [harm.kind for harm in harms] == []


MSS = """/ip firewall filter
remove [find]
/ip firewall mangle
add action=change-mss chain=forward new-mss=1300 protocol=tcp tcp-flags=syn
"""
ON_A_STICK = """/interface bridge
add name=bridge1
/interface bridge port
add bridge=bridge1 interface=ether1
add bridge=bridge1 interface=ether2
/ip address
set [find] interface=bridge1
"""


def test_change_mss_alone_needs_no_tracking_where_packets_cross_the_router() -> None:
    assert note(TRANSIT + MSS, "tracked-for-nothing") == [OFF]
    assert note(TRANSIT + MSS + NAT, "tracked-for-nothing") == []
    assert note(TRANSIT + MSS + ON_A_STICK, "tracked-for-nothing") == []


def test_a_router_without_a_routing_protocol_keeps_its_tracking() -> None:
    text = TRANSIT.replace("ospf interface-template", "rule").replace(
        "add area=backbone interfaces=ether1", "add table=main"
    )
    assert note(text, "tracked-for-nothing") == []


@pytest.mark.parametrize(
    ("peers", "own"),
    [
        (["10.9.0.2/24", "10.9.0.3/24"], ["10.9.0.2/32", "10.9.0.3/32"]),
        (["10.9.0.2/24,10.8.0.0/24", "10.9.0.3/24"], ["10.9.0.2/32,10.8.0.0/24", "10.9.0.3/32"]),
        (["2001:db8:9::2/64", "2001:db8:9::3/64"], ["2001:db8:9::2/128", "2001:db8:9::3/128"]),
        (["10.9.0.2/24", "10.9.0.0/24"], ["10.9.0.2/32"]),
        (["10.9.0.0/24", "10.9.0.0/24"], []),
        (["10.9.0.2/32", "10.9.0.0/24"], []),
        (["10.9.0.2/32", "10.9.0.3/32"], []),
    ],
)
def test_peers_that_share_a_network_get_their_own_addresses(
    peers: list[str], own: list[str]
) -> None:
    lines = [f"add allowed-address={one} interface=wg1 public-key={one[:8]}" for one in peers]
    text = TRANSIT + "/interface wireguard\nadd name=wg1\n/interface wireguard peers\n"
    commands = note(text + "\n".join(lines) + "\n", "wireguard-overlap")
    assert [command.rpartition("allowed-address=")[2].strip('"') for command in commands] == own


def test_an_accept_for_replies_does_not_hide_the_rule_before_which_the_next_one_goes() -> None:
    pairs = [("192.168.10.9", "192.168.20.9"), ("192.168.30.0/24", "192.168.10.9")]
    text = "".join(
        f"add action=accept chain=forward dst-address={there} src-address={here}\n"
        for here, there in pairs
    )
    firewall = "/ip firewall filter\n" + text + "add action=drop chain=forward\n"
    after = ask(HEAD + firewall, "\n".join(note(firewall, "replies-dropped")))
    rows = [[row.get("action"), row.get("src-address"), row.get("dst-address")]
            for row in after.net.rows.of("/ip/firewall/filter")]  # fmt: skip
    (a, b), (c, d) = pairs
    ends = [[b, a], [a, b], [d, c], [c, d]]
    assert rows == [["accept", *pair] for pair in ends] + [["drop", "", ""]]
