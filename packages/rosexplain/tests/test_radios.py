"""Radios: which provisioning rules reach none, and what gives one its configuration."""

from __future__ import annotations

import pytest
from asked import HOME, ask

from rosexplain import channels, radios
from rosexplain.noticed import noticed
from rosexplain.report import Answer
from rosexplain.summary import summary, to_do

RULE = "add action=create-dynamic-enabled"


KEY = "/interface wireless security-profiles\nset [ find default=yes ] mode=dynamic-keys\n"
STATION = "/interface wireless\nset [ find default-name=wlan1 ] disabled=no{}\n"
ALONE = "radio-alone-station"
LEASED = "/ip dhcp-client\nadd interface=b\n"
BRIDGED = "/interface bridge\nadd name=b\n/interface bridge port\nadd bridge=b interface=wlan1\n"


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        (BRIDGED + STATION.format(""), [ALONE, "station-in-bridge"]),
        (BRIDGED + STATION.format(" mode=station-bridge"), [ALONE]),
        (BRIDGED + STATION.format("") + "/interface wireless cap\nset enabled=yes\n",
         ["radio-alone"]),
        (HOME.replace("ether1", "wlan1") + STATION.format(" mode=station"), [ALONE]),
        (HOME + STATION.format(" mode=ap-bridge"), ["radio-hosts"]),
        (HOME.replace("ether1", "wlan1") + STATION.format(" mode=ap-bridge"),
         ["radio-alone", "uplink-by-access-point"]),
        (HOME.replace("ether1", "wlan1") + STATION.format(" mode=ap-bridge")
         + "/ip address\nadd address=198.18.1.1/30 interface=wlan1\n", ["radio-alone"]),
        (HOME + STATION.format("") + "/ip dhcp-client\nadd interface=ether1\nadd interface=wlan1\n",
         ["radio-link"]),
        (HOME.replace("ether1", "line") + STATION.format(" mode=station")
         + "/interface pppoe-client\nadd disabled=no interface=wlan1 name=line\n", [ALONE]),
        (BRIDGED + HOME.replace("ether1", "b") + STATION.format(" mode=station-bridge") + LEASED,
         [ALONE]),
        (BRIDGED + "add bridge=b interface=ether3\n" + HOME.replace("ether1", "b")
         + STATION.format(" mode=station-bridge") + LEASED, ["radio-link"]),
        (HOME + STATION.format(" mode=ap-bridge") + "/interface bridge port\nadd bridge=b "
         "interface=ether3\n", ["radio-nowhere"]),
        (HOME + STATION.format(" mode=ap-bridge") + "add disabled=no master-interface=wlan1 "
         "name=guest\n/interface bridge port\nadd bridge=b interface=guest\n",
         ["radio-hosts", "radio-nowhere"]),
        (HOME + STATION.format(" mode=ap-bridge wds-default-bridge=b") + "/interface bridge port\n"
         "add bridge=b interface=ether3\n", ["radio-hosts"]),
        (HOME.replace("ether2", "wlan1") + STATION.format(" band=2ghz-b/g mode=ap-bridge"),
         ["radio-alone"]),
        (HOME.replace("ether2", "wlan1") + STATION.format(" mode=ap-bridge"), ["radio-hosts"]),
        (HOME + STATION.format(" channel-width=10mhz mode=ap-bridge wireless-protocol=nv2"),
         ["radio-alone", "radio-open-nv2"]),
        ("/interface bridge\nadd name=lo\n/ip address\nadd address=10.0.0.2 interface=lo\n"
         "add address=10.0.1.1/30 interface=ether5\nadd address=10.0.2.1/30 interface=wlan1\n"
         + STATION.format(" mode=ap-bridge"), ["radio-alone"]),
    ],
    ids=["station", "station-bridge", "a CAP", "the WAN", "beside the WAN", "an access point",
         "a router behind an access point", "a second line", "PPPoE on it", "a bridge's only port",
         "a bridge with a wire", "hosts of no network", "hosts of a virtual one", "hosts by WDS",
         "a LAN of 54 Mbit/s", "a LAN of 802.11n",
         "a sector", "a link of two routers"],
)  # fmt: skip
def test_a_radio_that_carries_everything_limits(text: str, rules: list[str]) -> None:
    text = KEY + text.replace(" disabled=no", " band=2ghz-b/g/n disabled=no")
    assert [rule for rule, lines in radios.met(ask(text).net) if lines] == rules


PAIR = """# model = C52iG-5HaxD2HaxD
/interface bridge
add name=b
/interface bridge port
add bridge=b interface=ether1
add bridge=b interface=ether2
"""


@pytest.mark.parametrize(
    ("more", "two"),
    [
        ("", True),
        ("/interface wifi cap\nset enabled=yes slaves-datapath=d\n"
         "/interface wifi datapath\nadd bridge=b name=d\n", False),
        ("/interface wireless cap\nset bridge=b enabled=yes interfaces=wlan1\n", False),
        ("/interface wireless cap\nset enabled=yes interfaces=wlan1\n", True),
    ],
)  # fmt: skip
def test_radios_that_join_a_bridge_of_two_ports_end_fast_forward(more: str, two: bool) -> None:
    (bridged,) = [one for one in ask(PAIR + more).classes if one.traffic.interface == "b"]
    assert (bridged.ways == ["fast-forward"]) == two


SWITCHED = """# oct/10/2026 10:00:00 by RouterOS 6.49.10
# model = RBD52G-5HacD2HnD
/interface bridge
add name=b
/interface bridge port
add bridge=b interface=ether1
add bridge=b interface=ether2
/interface wireless cap
set bridge=b enabled=yes interfaces=wlan1
/interface wireless
# managed by CAPsMAN
# channel: 2412/20-Ce/gn(17dBm), SSID: a, {}
set [ find default-name=wlan1 ] disabled=no ssid=a
"""
PORT = "add bridge=b interface=ether2\n"


@pytest.mark.parametrize(
    ("forwarding", "old", "ways"),
    [
        ("local forwarding", "", ["chip", "bridge-fast-path"]),
        ("local forwarding", PORT, ["bridge-fast-path"]),
        ("CAPsMAN forwarding", "", ["chip"]),
        ("local forwarding", "bridge=b enabled=yes", ["chip"]),
    ],
)
def test_what_a_caps_radios_receive_is_the_cpus_where_the_cap_bridges_it(
    forwarding: str, old: str, ways: list[str]
) -> None:
    text = SWITCHED.format(forwarding).replace(old, "enabled=yes" if "yes" in old else "")
    (bridged,) = [one for one in ask(text).classes if one.traffic.interface == "b"]
    assert bridged.ways == ways


@pytest.mark.parametrize("state", ["no", "yes"])
def test_a_radio_of_60_ghz_is_named(state: str) -> None:
    text = f"{PAIR}/interface w60g\nset [ find ] disabled={state} mode=bridge name=wlan60-1\n"
    air = summary(Answer(ask(text)).plain())["air"]
    assert ("wlan60-1 (bridge): " in air) == (state == "no")


@pytest.mark.parametrize(
    ("properties", "words"),
    [
        (" band=2ghz-b/g/n channel-width=20mhz mode=station-bridge",
         "wlan1 (2ghz-b/g/n, 20mhz, station-bridge)"),
        (" band=mine mode=bridge", "wlan1 (20mhz, bridge)"),
    ],
)  # fmt: skip
def test_the_radio_that_limits_is_named_with_its_channel(properties: str, words: str) -> None:
    text = BRIDGED + STATION.format(properties)
    says = [row["says"] for row in Answer(ask(text)).plain()["noticed"]]
    assert [one for one in says if one.startswith(words + ": ")], says


WIFI = "/interface wifi\nset [ find default-name=wifi1 ] configuration.mode=ap disabled=no {}\n"
NARROW = "/interface wifi channel\nadd band=5ghz-ax name=c width=20/40mhz\n"


@pytest.mark.parametrize(
    ("band", "interface", "first"),
    [("2ghz-b", "wlan1", "band="), ("2ghz-b/g/n", "wlan1", "fasttrack"),
     ("2ghz-b", "ether1", "fasttrack")],
)  # fmt: skip
def test_what_the_slowest_radio_carries_needs_no_fasttrack(
    band: str, interface: str, first: str
) -> None:
    text = HOME.replace("ether1", interface)
    text += f"/interface wireless\nset [ find default-name=wlan1 ] band={band} disabled=no\n"
    text += "/ip firewall nat\nadd action=masquerade chain=srcnat\n"
    plain = Answer(ask(text)).plain()
    things = to_do(plain)
    assert first in things[0]["commands"][0]
    faster = [thing for thing in things if "fasttrack" in thing["commands"][0]]
    assert [thing["optional"] for thing in faster] == [first == "band="]
    assert ("11 Mbit/s" in "".join(summary(plain)["ahead"])) == (first == "band=")


@pytest.mark.parametrize(
    ("radio", "gigahertz"),
    [
        ("wlan1 ] band=5ghz-a/n", "5"),
        ("wlan1 ] frequency=auto", "2"),
        ("wlan2 ] frequency=2437", "2"),
        ("wlan1 ] channel-width=20/40/80mhz-Ceee frequency=auto", "5"),
        ("wlan3 ] ssid=card", ""),
    ],
)
def test_a_radio_is_on_the_band_that_its_line_or_its_model_has(radio: str, gigahertz: str) -> None:
    text = f"# model = RB952Ui-5ac2nD\n/interface wireless\nset [ find default-name={radio}\n"
    net = ask(text).net
    assert [channels.gigahertz(net, row) for row in net.rows.of("/interface/wireless")] == [
        gigahertz
    ]


def test_a_network_of_another_radio_has_that_radio_s_channel() -> None:
    text = (
        "/interface wireless\nset [ find default-name=wlan1 ] band=5ghz-a/n/ac "
        "channel-width=20/40/80mhz-XXXX disabled=no mode=ap-bridge ssid=a\n"
        "add disabled=no master-interface=wlan1 mode=ap-bridge name=wlan9 ssid=b\n"
    )
    net = ask(text).net
    shown = [radios.settings(net, row) for row in net.rows.of("/interface/wireless")]
    assert shown == ["wlan1 (5ghz-a/n/ac, 20/40/80mhz-XXXX, ap-bridge)", "wlan9 (ap-bridge)"]


@pytest.mark.parametrize(
    ("comment", "shown"),
    [
        (
            "channel: 2412/20/gn(17dBm), SSID: a, CAPsMAN forwarding",
            "wlan1 (2412 MHz, 20mhz, 17 dBm)",
        ),
        (
            "channel: 2412/20-Ce/gn(14dBm), SSID: a, local forwarding",
            "wlan1 (2412 MHz, 40mhz, 14 dBm)",
        ),
        ("channel: 5240/20-eeCe/ac/P(20dBm), SSID: a", "wlan1 (5240 MHz, 80mhz, 20 dBm)"),
        ("mode: AP, SSID: a, channel: 5680/ax/eCee", "wlan1 (5680 MHz, 80mhz)"),
        ("mode: AP, SSID: a, channel: 2422/ax", "wlan1 (2422 MHz, 20mhz)"),
        ("mode: AP, SSID: channel: password", "wlan1 (20mhz, bridge)"),
        ("my radio on channel: 5240/20-eeCe/ac", "wlan1 (20mhz, bridge)"),
    ],
)
def test_the_comment_above_a_managed_radio_shows_its_channel(comment: str, shown: str) -> None:
    radio = "set [ find default-name=wlan1 ] channel-width=20mhz disabled=no mode=bridge\n"
    net = ask("/interface wireless\n# managed by CAPsMAN\n# " + comment + "\n" + radio).net
    assert [radios.settings(net, row) for row in net.rows.of("/interface/wireless")] == [shown]


@pytest.mark.parametrize("networks", [1, 2])
def test_a_satellite_line_bounds_no_traffic_between_the_networks_of_a_lan(networks: int) -> None:
    text = "/interface ethernet\nset [ find default-name=ether1 ] comment=VSAT\n" + HOME
    text += "/ip firewall nat\nadd action=masquerade chain=srcnat out-interface=ether1\n"
    if networks == 2:
        text += "/interface list member\nadd interface=ether4 list=LAN\n"
        text += "/ip address\nadd address=192.168.77.1/24 interface=ether4\n"
    things = to_do(Answer(ask(text)).plain())
    faster = [thing for thing in things if "fasttrack" in thing["commands"][0]]
    assert [thing["optional"] for thing in faster] == [networks == 1]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("/caps-man channel\nadd band=5ghz-n/ac control-channel-width=20mhz name=five\n"
         "/caps-man configuration\nadd channel=five name=one ssid=home\n/caps-man manager\n"
         "set enabled=yes\n/caps-man provisioning\n" + RULE + " master-configuration=one\n",
         "five (5ghz-n/ac, 20mhz): "),
        ("/interface wireless\nset [ find default-name=wlan1 ] disabled=no ssid=MikroTik\n"
         "/interface wireless cap\nset enabled=yes interfaces=wlan1\n", "wlan1: "),
        (WIFI.format("channel=c") + NARROW.replace("5ghz", "2ghz"),
         "wifi1 (2ghz-ax, 20/40mhz, ap): "),
        (WIFI.format("channel=c").replace("mode=ap", "mode=station"), ""),
    ],
    ids=["a manager's channel", "a CAP's radio", "a profile's channel", "a station"],
)  # fmt: skip
def test_the_air_that_hosts_share_is_named_beside_the_path(text: str, named: str) -> None:
    air = summary(Answer(ask(HOME + text)).plain())["air"]
    assert named in air and bool(air) == bool(named), air


@pytest.mark.parametrize(("band", "typed"), [("2ghz-b/g/n", 2), ("2ghz-b/g", 0), ("", 0)])
def test_only_a_radio_of_802_11n_has_40_mhz_and_a_short_interval(band: str, typed: int) -> None:
    words = f" band={band}" if band else ""
    text = f"{BRIDGED}{STATION.format(words)}".replace("mode=station", "")
    text = text.replace(" disabled", " channel-width=20/40mhz-Ce guard-interval=long disabled")
    text = text.replace("disabled=no", "disabled=no mode=ap-bridge ssid=home")
    commands = "".join([one for thing in to_do(Answer(ask(text)).plain())
                        for one in thing["commands"]])  # fmt: skip
    own = ["channel-width=20mhz" in commands, "guard-interval=any" in commands]
    assert own == [typed > 0] * 2


MANAGED = """/interface bridge
add name=bridge1
/interface bridge port
add bridge=bridge1 interface=ether1
add bridge=bridge1 interface=wifi1
/interface lte
set [ find default-name=lte1 ] allow-roaming=no
/interface wifi
set [ find default-name=wifi1 ] configuration.manager={} .mode=ap disabled=no
/interface wifi cap
set caps-man-addresses=10.33.33.1 enabled=yes
/interface vlan
add interface=bridge1 name=mgmt vlan-id=33
/ip dhcp-client
add interface=mgmt
"""


@pytest.mark.parametrize(
    ("text", "ahead"),
    [
        (MANAGED.format("capsman"), ["wifi1 (CAPsMAN 10.33.33.1)"]),
        (MANAGED.format("local"), []),
        (MANAGED.format("capsman") + "/ip address\nadd address=10.0.0.1/24 interface=bridge1\n"
         "add address=10.0.1.1/24 interface=ether2\n", []),
    ],
    ids=["managed", "by itself", "a router"],
)  # fmt: skip
def test_a_managed_radio_is_changed_where_its_manager_is(text: str, ahead: list[str]) -> None:
    short = summary(Answer(ask(text)).plain())
    assert [one.partition(":")[0] for one in short["ahead"]] == ahead


def test_a_virtual_network_without_security_is_told_beside_a_keyed_one() -> None:
    text = """/interface wifi
set [ find default-name=wifi1 ] configuration.mode=ap disabled=no \\
    security.authentication-types=wpa2-psk
add configuration.ssid=503 disabled=no master-interface=wifi1 name=wifi3
"""
    lines = dict(radios.met(ask(text).net))["radio-unsecured"]
    assert [line.properties["name"] for line in lines] == ["wifi3"]


@pytest.mark.parametrize(
    ("model", "off"), [("RBD52G-5HacD2HnD", True), ("RB941-2nD", False), ("RB750Gr3", False)]
)
def test_a_radio_for_5_ghz_that_is_off_needs_a_device_with_one(model: str, off: bool) -> None:
    text = (f"# 2026-11-20 10:00:00 by RouterOS 7.20.8\n# model = {model}\n"
            "/interface wireless\nset [find default-name=wlan1] band=2ghz-b/g/n disabled=no "
            "mode=ap-bridge ssid=a\n")  # fmt: skip
    assert ("radio-5ghz-off" in dict(noticed(ask(text)))) is off


@pytest.mark.parametrize(
    ("model", "bands"),
    [
        ("RBD52G-5HacD2HnD", [("5", "ac"), ("2", "n")]),
        ("RB952Ui-5ac2nD", [("5", "ac"), ("2", "n")]),
        ("RBGroove52HPn", [("", "n")]),  # one radio for either
        ("RB750Gr3", []),
    ],
)
def test_the_bands_of_a_model_by_its_code(model: str, bands: list[tuple[str, str]]) -> None:
    assert channels.of_model(model) == bands
