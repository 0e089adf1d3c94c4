"""Shapes that public exports have, with made-up names: lines that are no menus, CHRs, odd ports."""

from __future__ import annotations

import pytest

from ppslab.model.packet_path.on_linux.session import Session
from rosexplain.parse import NoMenu, parsed
from tests.model.packet_path.asked import ask, of, said

HEAD = "# 2026-11-20 10:00:00 by RouterOS 7.20.8\n"
RB = HEAD + "# model = RB5009UG+S+\n"
SWITCH = HEAD + "# model = CRS326-24S+2Q+\n"
EDGE = """/ip address
add address=192.168.1.1/24 interface=ether2
/ip dhcp-client
add interface=ether1
"""
DROP = "add action=drop chain=forward\n"


# --- lines that are no menu -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        "/import more.rsc",
        "import more.rsc",
        "/system package update install",
        "/system/package/update/install",
        "/system reboot",
        "/tool profile",
        "/frobnicate all",
        "frobnicate all",
        "y",
    ],
)
def test_a_command_that_is_not_read_is_told_and_leaves_the_menu(line: str) -> None:
    text = RB + EDGE + "/ip firewall filter\n" + line + "\n" + DROP
    found = ask(text)
    assert [each.number for each in found.net.rows.unread] == [8]
    assert of(found, "established").ways == ["dropped"]


@pytest.mark.parametrize(
    "menu",
    ["/ip firewall filter", "/interface wifi channel", "/ip hotspot profile", "/lcd interface",
     "/interface ethernet switch l3hw-settings advanced", "/caps-man manager", "/system ntp client",
     "/routing ospf interface", "/ip", "/", "/user-manager database", "/ppp profile",
     "/tool sniffer", "/ip ssh", "/system device-mode", "/ip neighbor discovery"],
)  # fmt: skip
def test_the_menus_of_hardware_packages_and_routeros_6_are_entered(menu: str) -> None:
    export = parsed(menu + "\nset x=1\n", "r")
    assert export.unread == []
    assert export.commands[0].menu == "/" + menu[1:].replace(" ", "/")


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("# jan/02/2021 10:00:00 by RouterOS 6.48.3\n", "6.48.3"),
        ("# RouterOS 6.48.3\n# model = CCR1009\n", "6.48.3"),
        ("# RouterOS v7.15.2 (stable)\n", "7.15.2"),
        ("# RouterOS 7.x baseline\n", ""),
        ("# RouterOS hardening, by me\n", ""),
        ("/ip settings\nset rp-filter=strict\n# RouterOS 7.20 is needed from here on\n", ""),
    ],
)
def test_the_version_is_read_though_a_person_wrote_the_first_line(text: str, version: str) -> None:
    assert ask(text + "/ip settings\nset allow-fast-path=yes\n").net.version == version


def test_a_menu_of_another_version_is_entered_and_told() -> None:
    export = parsed(RB + "/ip firewall filter\n/ip newthing\nadd x=1\n", "r")
    assert [(type(each), each.number) for each in export.unread] == [(NoMenu, 4)]
    assert export.commands[0].menu == "/ip/newthing"


def test_a_terminal_refuses_what_it_does_not_read_once() -> None:
    made = Session([("p1", "eth1")])
    for line in ("/import more.rsc", "/ip firewall fliter", "frobnicate all"):
        assert len(made.take(line).refused) == 1
        assert made.menu == []


def test_what_stands_behind_the_end_of_a_quote_is_no_name() -> None:
    text = (
        RB + '/ip firewall nat\nadd action=masquerade chain=srcnat out-interface="wan A"/ip'
        " firewall filter\n" + DROP
    )
    export = parsed(text, "r")
    assert [each.number for each in export.unread] == [4]
    masquerade, drop = export.commands
    assert masquerade.properties["out-interface"] == "wan A"
    assert "firewall" not in masquerade.properties
    assert drop.menu == "/ip/firewall/filter"


def test_quotes_that_end_as_they_should_are_whole() -> None:
    line = '/ip firewall filter add chain=forward comment="a \\"b\\" c" dst-port="80","443"'
    export = parsed(line, "r")
    assert export.unread == []
    assert export.commands[0].properties["comment"] == 'a "b" c'


# --- which device ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "head",
    [
        HEAD + "# system id = aBcDeFgHiJk\n#\n",
        HEAD + "# software id = \n#\n",
        "#       version: 7.15.2 (stable)\n#    board-name: CHR\n",
        "# version: 7.15.2 (stable)\n# board-name: CHR QEMU Standard PC\n# model = D53G\n",
    ],
)
def test_a_chr_is_known_without_a_model(head: str) -> None:
    found = ask(head + EDGE)
    assert found.net.virtual is True
    assert found.net.model.startswith("CHR") and found.net.numbers >= (7, 15)
    made = of(found, "established")
    assert made.answer == "unknown"
    assert "chr-fast-path" in [reason.fact for reason in made.reasons]
    assert "/interface/ethernet/print detail" in made.asks


@pytest.mark.parametrize(
    ("head", "virtual", "answer"),
    [
        (HEAD + "# software id = ABCD-EFGH\n", None, "unknown"),
        (HEAD, None, "unknown"),
        ("", None, "yes"),  # nobody's export: lines that were typed
        (HEAD + "# software id = ABCD-EFGH\n# model = RB5009UG+S+\n", False, "yes"),
        ("# version: 7.15.2 (stable)\n# board-name: L009UiGS\n", False, "yes"),
    ],
)
def test_a_device_that_is_not_known_is_no_routerboard(
    head: str, virtual: bool | None, answer: str
) -> None:
    found = ask(head + EDGE)
    made = of(found, "established")
    assert (found.net.virtual, made.answer) == (virtual, answer)
    assert ("/system/resource/print" in made.asks) == (answer == "unknown")


# --- ports of bridges -----------------------------------------------------------------------------


def bridge(*ports: str) -> str:
    rows = "".join(f"add bridge=b {port}\n" for port in ports)
    return "/interface bridge\nadd name=b\n/interface bridge port\n" + rows


ZEROTIER = "/zerotier interface\nadd instance=zt1 name=zt9 network=0123456789abcdef\n"
OVPN = "/interface ovpn-client\nadd connect-to=198.51.100.7 disabled=no mode=ethernet name=zt9\n"
VETH = "/interface veth\nadd address=10.9.0.2/24 name=zt9\n"


@pytest.mark.parametrize("made", [ZEROTIER, OVPN, VETH])
@pytest.mark.parametrize("more", [(), ("hw=no interface=ether3",)])
def test_a_port_of_which_no_source_names_a_fast_path(made: str, more: tuple[str, ...]) -> None:
    ports = bridge("hw=no interface=ether2", *more, "interface=zt9")
    each = of(ask(RB + made + ports), "bridged-b")
    assert each.answer == "unknown"
    assert "fast-forward" not in each.ways and each.ways[-1] == "slow"
    assert each.reasons[0].fact == "fast-path-ports"
    assert "/interface/print stats-detail where name=zt9" in each.asks


VLAN = "/interface vlan\nadd interface=ether9 name=v9 vlan-id=9\n"


def test_a_vlan_is_no_port_of_a_chip() -> None:
    one = said(SWITCH + VLAN + bridge("interface=sfp1", "interface=v9"), "bridged-b")
    assert one == ("yes", ["fast-forward"])
    two = said(SWITCH + VLAN + bridge("interface=a", "interface=c", "interface=v9"), "bridged-b")
    assert two == ("yes", ["chip", "bridge-fast-path"])
    plain = said(SWITCH + bridge("interface=sfp1", "interface=sfp2"), "bridged-b")
    assert plain == ("yes", ["chip"])


def test_a_bridge_without_ports_is_no_class() -> None:
    text = RB + "/interface bridge\nadd name=lo9\nadd name=b\n"
    assert [each for each in ask(text).classes if each.traffic.kind == "bridged"] == []
    given = text + "/ppp profile\nadd bridge=b name=p\n"
    kinds = [each.traffic.interface for each in ask(given).classes if each.traffic.interface]
    assert kinds == ["b"]


# --- where the internet is ------------------------------------------------------------------------

LAN = """/interface bridge
add name=bridge
/interface bridge port
add bridge=bridge interface=ether2
/ip address
add address=192.168.88.1/24 interface=bridge
add address=192.168.89.1/24 interface=ether5
"""
NAT = "/ip firewall nat\nadd action=masquerade chain=srcnat out-interface="
HAIRPIN = "bridge src-address=192.168.88.0/24 dst-address=192.168.88.0/24\n"


@pytest.mark.parametrize("more", [HAIRPIN, "bridge\n", "bridge dst-address=192.168.88.10\n"])
def test_hairpin_nat_makes_no_wan(more: str) -> None:
    dhcp = "/ip dhcp-client\nadd interface=ether1\n"
    net = ask(RB + LAN + dhcp + NAT + "ether1\n" + NAT + more).net
    assert (net.wan, net.lan) == (["ether1"], ["bridge", "ether5"])


def test_hairpin_nat_alone_leaves_the_wan_to_the_default_route() -> None:
    assert ask(RB + LAN + "/ip dhcp-client\nadd interface=ether1\n" + NAT + HAIRPIN).net.wan == [
        "ether1"
    ]


@pytest.mark.parametrize(
    ("route", "wan"),
    [
        ("gateway=192.168.89.254", ["ether5"]),
        ("dst-address=0.0.0.0/0 gateway=192.168.89.254%ether5", ["ether5"]),
        ("gateway=bridge", ["bridge"]),
        ("gateway=203.0.113.1", []),
        ("dst-address=10.0.0.0/8 gateway=192.168.89.254", []),
    ],
)
def test_a_default_route_names_the_wan_by_its_gateway(route: str, wan: list[str]) -> None:
    assert ask(RB + LAN + "/ip route\nadd " + route + "\n").net.wan == wan


def test_a_router_behind_another_has_a_private_wan() -> None:
    route = "/ip route\nadd gateway=192.168.89.254\n"
    assert ask(RB + LAN + route + NAT + "ether5\n").net.wan == ["ether5"]


def test_a_client_that_may_be_off_is_not_silently_the_wan() -> None:
    client = "/interface pppoe-client\nadd interface=ether1 name=pppoe9 user=u{}\n"
    off, on = client.format(""), client.format(" disabled=no")
    net = ask(RB + LAN + off + "/ip dhcp-client\nadd interface=ether4\n").net
    assert net.wan == ["ether4"]
    alone = ask(RB + LAN + off).net
    told = [each["menu"] for each in alone.used if each["property"] == "disabled"]
    assert (alone.wan, told) == (["pppoe9"], ["/interface/pppoe-client"])
    sure = ask(RB + LAN + on).net
    assert sure.wan == ["pppoe9"]
    assert not [each for each in sure.used if each["property"] == "disabled"]


@pytest.mark.parametrize(("on", "answer"), [("", "unknown"), (" disabled=no", "yes")])
@pytest.mark.parametrize("kind", ["pppoe-client", "l2tp-client"])
def test_a_client_that_may_be_off_carries_perhaps_nothing(kind: str, on: str, answer: str) -> None:
    more = " allow-fast-path=yes connect-to=198.51.100.7" if kind[0] == "l" else " interface=ether1"
    text = f"/interface {kind}\nadd name=out9 user=u{more}{on}\n"
    made = of(ask(RB + LAN + text), "carried-out9")
    assert made.answer == answer
    asks = "/interface/print stats-detail where name=out9" in made.asks
    facts = [reason.fact for reason in made.reasons]
    assert asks == ("client-disabled" in facts) == (answer == "unknown")


def test_a_verbose_export_is_told_by_the_defaults_that_it_says() -> None:
    verbose = """/interface bridge
add dhcp-snooping=no fast-forward=yes name=b vlan-filtering=no
/ip settings
set allow-fast-path=yes
/ip address
add address=192.168.1.1/24 interface=ether2
add address=192.168.2.1/24 interface=ether3
"""
    assert ask(RB + verbose).net.mode == "verbose"
    assert ask(RB + LAN).net.mode == "compact"
