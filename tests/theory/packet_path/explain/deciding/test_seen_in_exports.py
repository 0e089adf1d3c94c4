"""What public exports showed: an address on a bridge's port, a rule out of reach, a client off."""

from __future__ import annotations

import pytest

from tests.theory.packet_path.asked import HEAD, LAN_AND_WAN, MARK, ask, of

ON_A_PORT = HEAD + """/interface bridge
add name=aa
/interface pppoe-client
add add-default-route=yes disabled=no interface=ether1 name=isp user=u
/interface bridge port
add bridge=aa interface=ether2
add bridge=aa interface=ether3
/ip address
add address=198.18.1.1/24 interface={}
/ip firewall filter
add action=fasttrack-connection chain=forward connection-state=established in-interface=aa
add action=accept chain=forward connection-state=established
add action=accept chain=forward in-interface=aa
add action=drop chain=forward
"""  # fmt: skip


@pytest.mark.parametrize("interface", ["aa", "ether2"])
def test_the_address_of_a_bridge_may_stand_on_its_port(interface: str) -> None:
    """The IP firewall sees the bridge, wherever the address is."""
    found = ask(ON_A_PORT.format(interface))
    assert found.net.lan == ["aa"]
    established, new = of(found, "established"), of(found, "new")
    assert (established.answer, established.ways) == ("yes", ["fasttrack"])
    assert new.ways == ["slow"]


def test_what_fasttrack_goes_around_is_said_where_packets_are_fast_tracked() -> None:
    """A rule in the chain input fast-tracks nothing that is forwarded: it goes around no queue."""
    text = HEAD + LAN_AND_WAN + "/queue simple\nadd max-limit=1M/1M name=q target=198.18.1.9/32\n"
    for chain, noted in (("forward", True), ("input", False)):
        rule = MARK.replace("chain=forward", f"chain={chain}")
        met = ask(text + "/ip firewall filter\n" + rule).met
        assert ("fasttrack-and-queues" in met) == noted


def test_an_l2tp_client_that_is_off_has_no_policy() -> None:
    """Off is how a client is added, and what a compact export leaves out."""
    client = "/interface l2tp-client\nadd connect-to=192.0.2.1 name=l2tp1 use-ipsec=yes user=u{}\n"
    for words, closed in ((" disabled=no", True), ("", False), (" disabled=yes", False)):
        met = ask(HEAD + LAN_AND_WAN + client.format(words)).met
        assert ("l2tp-ipsec" in met) == closed


@pytest.mark.parametrize(
    ("address", "ports", "several"),
    [
        ("10.255.0.1", "", False),
        ("10.255.0.1/32", "", False),
        ("10.255.0.1/24", "", True),
        ("10.255.0.1/32", "/interface bridge port\nadd bridge=loop interface=ether5\n", True),
    ],
)
def test_a_loopback_of_a_bridge_is_no_network_of_the_lan(
    address: str, ports: str, several: bool
) -> None:
    text = HEAD + "/interface bridge\nadd name=loop\n" + ports + LAN_AND_WAN
    classes = ask(text + f"add address={address} interface=loop\n").classes
    assert ("lan-to-lan" in [each.traffic.name for each in classes]) == several
