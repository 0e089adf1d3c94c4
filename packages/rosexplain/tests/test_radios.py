"""Radios: which provisioning rules reach none, and what gives one its configuration."""

from __future__ import annotations

import pytest
from asked import HEAD, HOME, ask

from rosexplain import channels, radios
from rosexplain.noticed import noticed
from rosexplain.report import Answer
from rosexplain.summary import summary, to_do

PROVISION = "/interface wifi capsman\nset enabled=yes\n/interface wifi provisioning\n"
RULE = "add action=create-dynamic-enabled"
PROFILES = """/interface wifi channel
add band=5ghz-ax name=ch5
/interface wifi configuration
add channel.band=2ghz-ax name=two ssid=home
add channel=ch5 name=five ssid=home
"""
ONLY = "/interface wifi configuration\nadd channel.band=5ghz-ax name=five ssid=home\n"
ONE = "/caps-man configuration\nadd name=one ssid=home\n/caps-man manager\nset enabled=yes\n"


@pytest.mark.parametrize(
    ("first", "second", "reached"),
    [
        ("", " supported-bands=2ghz-ax", False),
        (" supported-bands=2ghz-ax", "", True),
        (" supported-bands=2ghz-ax", " supported-bands=5ghz-ax", True),
        (" supported-bands=2ghz-ax", " identity-regexp=hall supported-bands=2ghz-ax", False),
        (" supported-bands=2ghz-n", " supported-bands=2ghz-n,2ghz-ax", False),
        (" supported-bands=2ghz-n,2ghz-ax", " supported-bands=2ghz-n", True),
        (" radio-mac=00:00:00:00:00:00", " identity-regexp=hall", False),
        (" disabled=yes", " supported-bands=2ghz-ax", True),
    ],
)
def test_the_first_provisioning_rule_that_matches_a_radio_decides(
    first: str, second: str, reached: bool
) -> None:
    rules = RULE + first + " master-configuration=a\n" + RULE + second + " master-configuration=b\n"
    lines = dict(noticed(ask(PROVISION + rules))).get("provisioning-unreached", [])
    assert [line.properties["master-configuration"] for line in lines] == ([] if reached else ["b"])


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        (PROFILES + PROVISION + RULE + "\n",
         ["supported-bands=2ghz-ax master-configuration=two",
          "supported-bands=5ghz-ax master-configuration=five"]),
        (PROFILES.replace("2ghz", "5ghz") + PROVISION + RULE + "\n", []),  # which of the two?
        (PROFILES + PROVISION + RULE + " identity-regexp=hall\n", []),
        (PROFILES + PROVISION.replace("yes", "no") + RULE + "\n", []),
        (ONE + "/caps-man provisioning\n" + RULE + "\n", ["master-configuration=one"]),
        (ONE + "/caps-man provisioning\nadd action=none\n", []),
        (ONLY + PROVISION + RULE + " supported-bands=2ghz-ax\n", []),
        (ONLY + PROVISION + RULE + " supported-bands=5ghz-ac\n", ["master-configuration=five"]),
    ],
    ids=["two bands", "one band", "some access points", "no manager", "one profile", "no action",
         "its other band", "its band"],
)  # fmt: skip
def test_a_provisioning_rule_gets_the_configuration_of_each_band(
    text: str, typed: list[str]
) -> None:
    things = to_do(Answer(ask(HOME + text)).plain())
    every = [one for thing in things for one in thing["commands"] if "/provisioning/" in one]
    assert len(every) == len(typed)
    assert all(one.endswith(words) for one, words in zip(every, typed, strict=True)), every


CAP = "/interface wifi cap\nset enabled=yes\n/interface wifi\n"
ASKING = "/interface wifi configuration\nadd manager=capsman name=asking\n"
OWN = "/interface wifi configuration\nadd name=bus ssid=bus\n"
RADIO = "set [ find default-name=wifi{}"


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


RADIO_WAN = """/interface wifi
set [ find default-name=wifi1 ] configuration.mode=ap .ssid=inn disabled=no
/interface lte
set [ find default-name=lte1 ] disabled={off}
/interface list
add name=WAN
/interface list member
add interface=wifi1 list=WAN
add interface=lte1 list=WAN
/ip address
add address=192.168.88.1/24 interface=ether2
"""


@pytest.mark.parametrize(
    ("off", "rest", "shown", "typed"),
    [
        ("no", "", False, False),  # the modem is the way out
        ("yes", "", True, True),
        ("no", "/ip dhcp-client\nadd interface=wifi1\n", True, False),
        ("yes", "/ip dhcp-client\nadd interface=wifi1\n", True, True),
        ("yes", "/interface bridge port\nadd bridge=bridge1 interface=wifi1\n", False, False),
    ],
)
def test_an_access_point_is_no_uplink_beside_another(
    off: str, rest: str, shown: bool, typed: bool
) -> None:
    explanation = ask(RADIO_WAN.format(off=off) + rest)
    assert ("uplink-by-access-point" in dict(noticed(explanation))) == shown
    assert ("uplink-by-access-point" in dict(radios.mended(explanation.net))) == typed


N, AC = "2ghz-b/g/n", "5ghz-a/n/ac channel-width=20/40/80mhz-XXXX"


@pytest.mark.parametrize(
    ("model", "radio", "typed"),
    [
        ("RB951G-2HnD", "wlan1", f"band={N}"),
        ("RouterBOARD 952Ui-5ac2nD", "wlan1", f"band={N}"),
        ("RouterBOARD 952Ui-5ac2nD", "wlan2", f"band={AC}"),
        ("RBwAPG-5HacT2HnD", "wlan2", f"band={AC}"),
        ("RBLHG-5nD", "wlan1", "band=5ghz-a/n"),
        ("RB4011iGS+5HacQ2HnD", "wlan1", ""),  # its radios have their numbers the other way round
        ("RB4011iGS+5HacQ2HnD", "wlan1 frequency=5180", f"band={AC}"),
        ("RB4011iGS+5HacQ2HnD", "wlan2 frequency=2437", f"band={N}"),
        ("RBM33G", "wlan1", ""),  # a card that somebody put in
        ("RBM33G", "wlan1 band=5ghz-a/n/ac", "channel-width=20/40/80mhz-XXXX"),
        ("RBM33G", "wlan1 band=5ghz-a/n", ""),
        ("RouterBOARD 952Ui-5ac2nD", "wlan2 band=5ghz-a/n", f"band={AC}"),
        ("RouterBOARD 952Ui-5ac2nD", "wlan1 band=2ghz-g/n", ""),
        ("RB951G-2HnD", "wlan1 master-interface=wlan2", ""),
        ("RBMetalG-52SHPacn", "wlan1", ""),  # one radio, for either band
        ("RBMetalG-52SHPacn", "wlan1 frequency=5180", f"band={AC}"),
        ("RBGrooveA-52HPn", "wlan1 frequency=2437", f"band={N}"),
    ],
)  # fmt: skip
def test_a_radio_as_it_came_is_given_the_band_that_its_model_has(
    model: str, radio: str, typed: str
) -> None:
    name, _, words = radio.partition(" ")
    text = f"# model = {model}\n{BRIDGED}/interface wireless\n"
    text += f"set [ find default-name={name} ] disabled=no mode=ap-bridge {words}\n"
    things = to_do(Answer(ask(text.replace("wlan1\n", name + "\n"))).plain())
    assert all(thing["optional"] == ("band=" in words) for thing in things)
    every = [one.partition(name + " ")[2] for thing in things for one in thing["commands"]]
    assert every == ([typed] if typed else [])


WIFI = "/interface wifi\nset [ find default-name=wifi1 ] configuration.mode=ap disabled=no {}\n"
NARROW = "/interface wifi channel\nadd band=5ghz-ax name=c width=20/40mhz\n"
OLD = NARROW.replace("5ghz-ax", "5ghz-n").replace("/40mhz", "/40/80mhz")
NAMING = "/interface wifi configuration\nadd {} name=f\n"
ASKED = PROVISION + RULE + " master-configuration=f\n"
BY_CHANNEL = "/interface/wifi/channel/set [find name=c] "


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        (NARROW + WIFI.format("channel=c"), [BY_CHANNEL + "width=20/40/80mhz"]),
        (NARROW + NAMING.format("channel=c") + WIFI.format("configuration=f"),
         [BY_CHANNEL + "width=20/40/80mhz"]),
        (NARROW + NAMING.format("channel=c channel.width=20mhz") + WIFI.format("configuration=f"),
         ["/interface/wifi/configuration/set [find name=f] channel.width=20/40/80mhz"]),
        (WIFI.format("channel.band=5ghz-ax .width=20/40mhz-Ce"),
         ["/interface/wifi/set wifi1 channel.width=20/40/80mhz"]),
        (WIFI.format("channel.frequency=5180 .width=20mhz"), []),  # of 802.11n, perhaps
        (NARROW.replace("5ghz-ax", "2ghz-ax") + WIFI.format("channel=c"), []),
        (NARROW + WIFI.format("channel=c channel.width=20/40/80mhz"), []),
        (NARROW + WIFI.format("channel=c").replace("=no", "=yes"), []),
        (NARROW + NAMING.format("channel=c") + ASKED, [BY_CHANNEL + "width=20/40/80mhz"]),
        (OLD + WIFI.format("channel=c"), [BY_CHANNEL + "band=5ghz-ax"]),
        (OLD + NAMING.format("channel=c") + WIFI.format("configuration=f") + ASKED, []),
        (WIFI.format("channel.band=2ghz-g"), ["/interface/wifi/set wifi1 channel.band=2ghz-ax"]),
        (WIFI.format("channel.band=5ghz-n .width=20mhz"),
         ["/interface/wifi/set wifi1 channel.band=5ghz-ax channel.width=20/40/80mhz"]),
        (WIFI.format("channel.band=5ghz-ax"), []),
    ],
    ids=["a channel", "a configuration's channel", "a configuration", "the radio", "no standard",
         "2.4 GHz", "wider at the radio", "off", "provisioned", "an old band",
         "a band that others get too", "a radio's old band", "and its width", "the newest"],
)  # fmt: skip
def test_a_channel_is_widened_where_the_export_says_its_width(text: str, typed: list[str]) -> None:
    explanation = ask(HOME.replace("RB5009UG+S+", "C52iG-5HaxD2HaxD") + text)
    things = to_do(Answer(explanation).plain())
    changes = [thing for thing in things if "wifi" in thing["commands"][0]]
    assert [command for thing in changes for command in thing["commands"]] == typed
    assert all(thing["optional"] for thing in changes)


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


OPEN_POINT = """/interface wireless
set [ find default-name=wlan1 ] disabled=no mode=ap-bridge ssid=hill{}
/interface wireless security-profiles
set [ find default=yes ] supplicant-identity=MikroTik{}
"""


@pytest.mark.parametrize(
    ("radio", "profile", "more", "is_open"),
    [
        ("", "", "", True),
        (" nv2-security=disabled", " radius-mac-authentication=no", "", True),
        (" nv2-preshared-key=abcdefgh nv2-security=enabled wireless-protocol=nv2", "", "", False),
        (" wireless-protocol=nv2", " mode=dynamic-keys", "", True),
        (" wireless-protocol=nv2-nstreme-802.11", " mode=dynamic-keys", "", False),
        (" default-authentication=no", "", "", False),  # an access list lets hosts in
        ("", " radius-mac-authentication=yes", "", False),
        ("", "", "/interface wireless cap\nset enabled=yes interfaces=wlan1\n", False),
        ("", "", "/interface wireless cap\nset interfaces=wlan1\n", True),
        ("", "", "/interface pppoe-server server\nadd disabled=no interface=wlan1\n", False),
        ("", "", "/ip hotspot\nadd disabled=no interface=wlan1 name=h\n", False),
    ],
)
def test_a_network_is_open_where_nothing_asks_who_a_host_is(
    radio: str, profile: str, more: str, is_open: bool
) -> None:
    rules = dict(noticed(ask(OPEN_POINT.format(radio, profile) + more)))
    assert ("radio-open" in rules or "radio-open-nv2" in rules) == is_open


VIRTUAL = "/interface wireless\nset [ find default-name=wlan1 ] {} security-profile=home\n"
VIRTUAL += "add {} master-interface=wlan1 name=guests ssid=guests\n"
KEYED = "/interface wireless security-profiles\nset [ find default=yes ] "
KEYED += "authentication-types=wpa2-psk\nadd mode=dynamic-keys name=home\n"


@pytest.mark.parametrize(
    ("radio", "virtual", "named"),
    [
        ("disabled=no mode=ap-bridge", "disabled=no", ["guests"]),
        ("disabled=no mode=ap-bridge", "disabled=yes", []),
        ("mode=ap-bridge", "disabled=no", []),
        ("disabled=no mode=ap-bridge", "disabled=no mode=station", []),
        ("disabled=no mode=ap-bridge", "disabled=no security-profile=home", []),
    ],
    ids=["open", "off", "the radio is off", "a station", "with a key"],
)
def test_a_network_beside_another_on_its_radio_is_open_by_itself(
    radio: str, virtual: str, named: list[str]
) -> None:
    lines = dict(noticed(ask(KEYED + VIRTUAL.format(radio, virtual)))).get("radio-open", [])
    assert [line.properties["name"] for line in lines] == named


ITSELF = """/caps-man datapath
add bridge=bridge1 name=home{}
/caps-man configuration
add datapath=home name=home ssid=home
/caps-man manager
set enabled=yes
/interface bridge
add name=bridge1
add name=guests
/interface bridge port
add bridge=bridge1 interface=ether2
/interface wireless cap
set caps-man-addresses=127.0.0.1 enabled=yes interfaces=wlan1
"""
FORWARDS = "/caps-man/datapath/set [find name=home] local-forwarding=yes"
BRIDGES = "/interface/wireless/cap/set bridge=bridge1"


@pytest.mark.parametrize(
    ("datapath", "more", "typed"),
    [
        ("", "", [BRIDGES, FORWARDS]),
        ("", "/interface wireless cap\nset bridge=none\n", [BRIDGES, FORWARDS]),
        ("", "/interface wireless cap\nset bridge=bridge1\n", [FORWARDS]),
        # Elsewhere a guest would be in the network of those at home.
        ("", "/interface wireless cap\nset bridge=guests\n", []),
        ("\nadd bridge=guests name=guest", "", []),
        ("", "/caps-man configuration\nadd datapath.bridge=guests name=guest ssid=guest\n", []),
        (" bridge-horizon=1", "", []),
        (" vlan-id=10 vlan-mode=use-tag", "", []),
        ("", "/caps-man interface\nadd name=hall\n/interface bridge filter\n"
         "add action=drop chain=forward in-interface=hall out-interface=ether2\n", []),
    ],
)  # fmt: skip
def test_a_cap_bridges_itself_where_all_radios_go_into_its_one_bridge(
    datapath: str, more: str, typed: list[str]
) -> None:
    notes = Answer(ask(HOME + ITSELF.format(datapath) + more)).plain()["notes"]
    rules = ("cap-of-itself", "capsman-datapath")
    assert [one for note in notes if note["rule"] in rules for one in note["commands"]] == typed


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


@pytest.mark.parametrize(
    ("comment", "satellite"),
    [("VSAT", True), ("fibre to the satellite office", False), ("VSAT (cancelled)", False)],
)
def test_a_line_is_what_its_comment_says_and_not_what_it_was(comment: str, satellite: bool) -> None:
    named = f'/interface ethernet\nset [ find default-name=ether1 ] comment="{comment}"\n'
    assert ("line-by-satellite" in dict(noticed(ask(named + HOME)))) == satellite


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


GIVEN = """/caps-man configuration
add name=one {}
/caps-man manager
set enabled=yes
/caps-man provisioning
add action=create-dynamic-enabled master-configuration=one
"""


@pytest.mark.parametrize(
    ("words", "lines", "typed"),
    [
        ("datapath.bridge=b", 1, 1),
        ("", 1, 0),  # which bridge is meant?
        ("datapath.bridge=b datapath.local-forwarding=yes", 0, 0),
        ("datapath.local-forwarding=yes", 0, 0),
    ],
)
def test_a_configuration_forwards_as_a_datapath_does(words: str, lines: int, typed: int) -> None:
    notes = [note for note in Answer(ask(HOME + GIVEN.format(words))).plain()["notes"]
             if note["rule"] == "capsman-datapath"]  # fmt: skip
    assert [len(note["lines"]) for note in notes] == [1] * lines
    assert sum(len(note["commands"]) for note in notes) == typed


BEHIND = """/interface wireless
set [ find default-name=wlan1 ] {} disabled=no mode=station ssid=house
set [ find default-name=wlan2 ] band=5ghz-a/n/ac disabled=no mode=ap-bridge ssid=room
/ip dhcp-client
add interface=wlan1
/ip address
add address=192.168.1.1/24 interface=wlan2
/ip firewall nat
add action=masquerade chain=srcnat out-interface=wlan1
"""


@pytest.mark.parametrize(
    ("uplink", "wider"),
    [
        ("band=2ghz-b/g/n channel-width=20/40mhz-eC", False),
        ("band=5ghz-a/n/ac channel-width=20/40mhz-Ce", False),
        ("band=5ghz-a/n/ac channel-width=20/40/80mhz-Ceee", True),
    ],
)
def test_a_channel_is_no_wider_than_the_uplink_behind_it(uplink: str, wider: bool) -> None:
    text = "# model = RBD52G-5HacD2HnD\n" + BEHIND.format(uplink)
    assert ("radio-channel-narrow" in dict(radios.met(ask(text).net))) == wider


@pytest.mark.parametrize(
    ("words", "typed"),
    [
        ("mode=ap-bridge", True),
        ("mode=ap-bridge wireless-protocol=802.11", True),
        ("mode=ap-bridge wireless-protocol=nv2-nstreme-802.11", False),
        ("mode=bridge", False),
        ("mode=station-bridge", False),
    ],
)
def test_at_one_end_of_a_link_no_band_is_typed(words: str, typed: bool) -> None:
    radio = f"set [ find default-name=wlan2 ] band=5ghz-a/n disabled=no {words}\n"
    text = (
        f"{MODEL}/interface wireless\n{radio}/ip address\nadd address=10.0.0.1/24 interface=wlan2\n"
    )
    rules = dict(radios.met(ask(text).net))
    assert ("radio-band-outdated" in rules, "link-band" in rules) == (typed, not typed)


MODEL = "# model = RB952Ui-5ac2nD\n"
SLAVE = """/interface wifi
# managed by CAPsMAN 02:00:00:00:00:01%ether1, traffic processing on {}
# mode: AP, SSID: home, channel: 5680/ax/eCee/D
set [ find default-name=wifi1 ] configuration.manager=capsman .mode=ap disabled=no
add disabled=no master-interface=wifi1 name=wifi3
/interface bridge port
add bridge=b interface={}
/interface wifi cap
set enabled=yes
"""


@pytest.mark.parametrize(
    ("where", "port", "names"),
    [
        ("CAP", "ether1", ["wifi1", "wifi3"]),
        ("CAP", "wifi1", []),
        ("CAPsMAN", "ether1", []),
    ],
)
def test_a_cap_whose_radios_are_in_no_bridge(where: str, port: str, names: list[str]) -> None:
    net = ask(HEAD.replace("7.20.8", "7.21.1") + SLAVE.format(where, port)).net
    lines = dict(radios.met(net)).get("cap-nowhere", [])
    assert len(lines) == len(names)


def test_a_virtual_network_without_security_is_told_beside_a_keyed_one() -> None:
    text = """/interface wifi
set [ find default-name=wifi1 ] configuration.mode=ap disabled=no \\
    security.authentication-types=wpa2-psk
add configuration.ssid=503 disabled=no master-interface=wifi1 name=wifi3
"""
    lines = dict(radios.met(ask(text).net))["radio-unsecured"]
    assert [line.properties["name"] for line in lines] == ["wifi3"]
