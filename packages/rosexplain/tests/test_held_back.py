"""A sentence is held back where the same lines make it false, and comes where they do not."""

from __future__ import annotations

import pytest

from rosexplain import explain, read_export
from rosexplain.report import Answer

OF_6 = "# jan/01/2020 10:00:00 by RouterOS 6.48.6\n# model = RB750Gr3\n"
OF_7 = "# 2026-01-01 10:00:00 by RouterOS 7.16.1\n# model = RB750Gr3\n"
GUESTS = OF_7 + (
    "/ip hotspot\nadd interface=ether2 name=h1 profile=hp\n/ip hotspot profile\nadd name=hp {}\n"
    "/ip hotspot user profile\nset [ find default=yes ] rate-limit=2M/2M\nadd name=staff\n"
)
VPLS = OF_6 + "/interface vpls\nadd {} name=v1 remote-peer=10.255.0.1 vpls-id=1:2\n"
MPLS = "/mpls interface\nset [ find default=yes ] {}\n"
RADIO = (
    OF_6 + "/interface wireless\nset [ find default-name=wlan1 ] {} mode=station ssid=a\n"
    "/ip dhcp-client\nadd disabled=no interface=ether1\nadd disabled=no interface=wlan1\n"
)
OFF = OF_7 + (
    "/ip address\nadd address=198.18.1.2/24 interface=ether1\n"
    "add address=192.168.88.1/24 interface=ether2\n/ip route\nadd disabled=yes {}\n"
)
SESSION = OF_6 + (
    "/interface pppoe-client\nadd add-default-route=yes {} interface=ether1 name=pppoe-out1\n"
    "/ip dhcp-client\nadd default-route-distance=2 disabled=no interface=ether2\n"
    "/ip address\nadd address=192.168.88.1/24 interface=ether3\n"
)
FRAMES = """# model = CCR2216-1G-12XS-2XQ
/interface bridge
add name=b
/interface bridge port
add bridge=b interface=sfp28-1
add bridge=b interface=sfp28-2
/interface bridge settings
set use-ip-firewall=yes
"""
LEASE = "/ip dhcp-server lease\nadd address=192.168.88.20 mac-address=00:00:00:00:00:01 "
MODEM = OF_7 + (
    "/interface lte apn\nset [ find default=yes ] {} ip-type=ipv4\n/interface lte\n"
    "set [ find default-name=lte1 ] allow-roaming=no\n/ip dhcp-client\nadd interface=ether1\n"
    "/ip address\nadd address=192.168.88.1/24 interface=ether2\n"
)
CAPS = OF_6 + (
    "/caps-man manager\nset enabled=yes\n/caps-man datapath\n"
    "add bridge=bridge1 local-forwarding=yes name=d1\n/caps-man configuration\n"
    "add datapath=d1 name=c1 ssid=a\n{}/queue simple\nadd max-limit=10M/10M name=q1 target=cap1\n"
)
TIGHT = OF_6 + (
    "/ip hotspot\nadd disabled=no interface=ether2 name=h\n/ip hotspot user profile\n"
    "add name=staff rate-limit={}\nadd name=pupils rate-limit={}\n"
)
WIDE = OF_6 + (
    "/interface wireless\nset [ find default-name=wlan1 ] band=2ghz-b/g/n "
    "channel-width=20/40mhz-{} disabled=no mode=ap-bridge ssid=a{}\n"
)
HOTSPOT = OF_7 + (
    "/ip hotspot\nadd disabled={} interface={} name=h\n"
    "/ip address\nadd address=192.168.88.1/24 interface=ether2\n/ip dns\n"
    "set allow-remote-requests=yes\n/ip dhcp-server network\nadd address=192.168.88.0/24 "
    "dns-server=192.168.88.1 gateway=192.168.88.1\n/ip firewall filter\n"
    "{}add action=drop chain=input\n"
)
FEW = "add action=accept chain=input dst-port=53 limit=10,15:packet protocol=udp\n"
ASIDE = OF_7 + (
    "/interface bridge\nadd name=b\n/interface bridge port\nadd bridge=b interface=ether2\n"
    "add bridge=b interface=ether3\n/ip address\nadd address=192.168.88.5/24 interface=b\n"
    "{}/ip dhcp-server network\nadd address=192.168.88.0/24 gateway=192.168.88.1\n"
)


@pytest.mark.parametrize(
    ("export", "rule", "named"),
    [
        (GUESTS.format(""), "guests-unlimited", True),
        (GUESTS.format("rate-limit=20M/20M"), "guests-unlimited", False),
        (GUESTS.format("") + "/ip hotspot user\nadd name=a\n", "guests-unlimited", False),
        (GUESTS.format("") + "/ip hotspot user\nadd name=a profile=staff\n", "guests-unlimited",
         True),
        (GUESTS.format("trial-user-profile=staff") + "/ip hotspot user\nadd name=a\n",
         "guests-unlimited", True),
        (VPLS.format("disabled=no"), "vpls-fragments", True),
        (VPLS.format(""), "vpls-fragments", False),
        (VPLS.format("disabled=no") + MPLS.format("disabled=yes"), "vpls-fragments", False),
        (VPLS.format("disabled=no") + MPLS.format("mpls-mtu=1526"), "vpls-fragments", False),
        (VPLS.format("disabled=no") + MPLS.format("mpls-mtu=1522"), "vpls-fragments", False),
        (VPLS.format("disabled=no") + MPLS.format("mpls-mtu=1520"), "vpls-fragments", True),
        (RADIO.format("disabled=no"), "uplink-radio-alike", True),
        (RADIO.format(""), "uplink-radio-alike", False),
        (RADIO.format("disabled=no") + "/interface bridge\nadd name=b\n/interface bridge port\n"
         "add bridge=b interface=wlan1\n", "uplink-radio-alike", False),
        (OFF.format("gateway=198.18.1.1"), "default-route-missing", True),
        (OFF.format("blackhole dst-address=0.0.0.0/0"), "default-route-missing", False),
        (OFF.format("gateway=198.18.1.1") + "/zerotier interface\nadd name=z network=1\n",
         "default-route-missing", False),
        (SESSION.format("disabled=no"), "uplinks-standing-by", True),
        (SESSION.format(""), "uplinks-standing-by", False),
        (FRAMES, "ip-firewall-without-rule", True),
        (FRAMES + LEASE, "ip-firewall-without-rule", True),
        (FRAMES + LEASE + "rate-limit=5M/5M", "ip-firewall-without-rule", False),
        (FRAMES + "/ip dhcp-server\nadd interface=b name=d use-radius=yes",
         "ip-firewall-without-rule", False),
        (FRAMES + "/ipv6 firewall filter\nadd action=drop chain=forward",
         "ip-firewall-without-rule", False),
        (FRAMES + "/ip traffic-flow\nset enabled=yes", "ip-firewall-without-rule", False),
        (FRAMES + "/ip traffic-flow\nset enabled=no", "ip-firewall-without-rule", True),
        (MODEM.format(""), "uplinks-standing-by", True),
        (MODEM.format("passthrough-interface=ether5"), "uplinks-standing-by", False),
        (CAPS.format(""), "queue-of-cap", True),
        (CAPS.format("add name=c2 ssid=guests\n"), "queue-of-cap", False),
        (CAPS.format("/caps-man interface\nadd configuration=c1 name=cap1\n"), "queue-of-cap",
         True),
        (TIGHT.format("512k", "1M/1M"), "guests-tight", True),
        (TIGHT.format("512k", "1M/2M"), "guests-tight", False),
        (TIGHT.format("512k", '"128k/256k 1M/1M"'), "guests-tight", True),
        (TIGHT.format("512k", '""'), "guests-tight", False),
        (TIGHT.format("512k", "1M/1M").replace("disabled=no", "disabled=yes"), "guests-tight",
         False),
        (WIDE.format("Ce", ""), "radio-channel-wide", True),
        (WIDE.format("eC", " frequency=auto"), "radio-channel-wide", True),
        (WIDE.format("Ce", " frequency=2412"), "radio-channel-wide", False),
        (WIDE.format("XX", ""), "radio-channel-wide", False),
        (WIDE.format("Ce", " wireless-protocol=nstreme"), "radio-channel-wide", False),
        (WIDE.format("Ce", "").replace("2ghz-b/g/n", "5ghz-a/n"), "radio-channel-wide", False),
        (WIDE.format("Ce", "").replace("ap-bridge", "station"), "radio-channel-wide", False),
        (WIDE.format("Ce", "\nset [ find default-name=wlan2 ] band=5ghz-a/n disabled=no "
                           "mode=ap-bridge"), "radio-channel-wide", False),
        (HOTSPOT.format("yes", "ether2", ""), "dns-refused", True),
        (HOTSPOT.format("no", "ether2", ""), "dns-refused", False),
        (HOTSPOT.format("no", "ether3", ""), "dns-refused", True),
        (HOTSPOT.format("yes", "ether2", FEW), "dns-limited", True),
        (HOTSPOT.format("no", "ether2", FEW), "dns-limited", False),
    ],
)  # fmt: skip
def test_a_sentence_is_said_where_it_is_so(export: str, rule: str, named: bool) -> None:
    plain = Answer(explain([read_export(export, "export.rsc")])).plain()
    assert (rule in [row["rule"] for row in plain["notes"] + plain["noticed"]]) is named


@pytest.mark.parametrize(
    ("address", "aside"),
    [
        ("", True),
        ("add address=10.9.0.1/24 interface=ether4\n", False),
        ("add address=198.18.0.2/24 interface=ether1\n/ip route\nadd gateway=198.18.0.1\n", True),
    ],
    ids=["one network", "another network's gateway", "a provider's"],
)
def test_a_gateway_of_another_network_does_not_stand_aside(address: str, aside: bool) -> None:
    net = explain([read_export(ASIDE.format(address), "export.rsc")]).net
    assert net.stands_aside is aside


ROUTER = OF_7 + (
    "/routing ospf interface-template\nadd area=backbone interfaces=ether2\n/ip address\n"
    "add address=10.1.0.1/24 interface=ether2\nadd address=10.2.0.1/24 interface=ether3\n"
    "/ip firewall filter\nadd action=drop chain=forward src-address=10.9.0.0/16\n"
)
POLICY = "/ip ipsec policy\nadd dst-address=10.3.0.0/24 peer=p src-address=10.2.0.0/24 tunnel=yes\n"
CHANGE = "/ip firewall mangle\nadd action={} chain={}\n"


@pytest.mark.parametrize(
    ("rows", "helps"),
    [
        ("", True),
        (POLICY, False),
        (POLICY.replace("add dst", "add disabled=yes dst"), True),
        (CHANGE.format("change-dscp", "prerouting new-dscp=46"), False),
        (CHANGE.format("change-dscp", "output new-dscp=46"), True),
        (CHANGE.format("change-mss", "forward new-mss=1400 protocol=tcp tcp-flags=syn"), True),
    ],
)
def test_fasttrack_is_no_help_for_what_it_takes_away(rows: str, helps: bool) -> None:
    barred = Answer(explain([read_export(ROUTER + rows, "export.rsc")])).plain()["barred"]
    assert [bool(row["helps"]) for row in barred] == [helps]


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("", "", True),
        ("tunnel=yes", "tunnel=no", False),
        ("tunnel=yes", "action=none tunnel=yes", False),
        ("/ip ipsec policy", "/ip ipsec peer\nadd disabled=yes name=p\n/ip ipsec policy", False),
        ("/ip ipsec policy", "/ip ipsec peer\nadd disabled=no name=p\n/ip ipsec policy", True),
    ],
)
def test_a_policy_that_is_a_tunnel_is_as_fast_as_its_encryption(
    old: str, new: str, named: bool
) -> None:
    export = OF_7 + POLICY.replace(old, new, 1)
    noticed = Answer(explain([read_export(export, "export.rsc")])).plain()["noticed"]
    assert ("tunnel-encrypted" in [row["rule"] for row in noticed]) is named
