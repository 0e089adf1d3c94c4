"""VLANs of a bridge as commands of a switch chip, against the manual's own examples."""

from __future__ import annotations

import pytest
from asked import ask

from rosexplain.chip_vlans import ChipVlans, chip_vlans
from rosexplain.noticed import filtered_by_cpu
from rosexplain.parse import parsed
from rosexplain.report import Answer

VERSION = "# 2026-01-01 10:00:00 by RouterOS 7.20.8\n"
MANAGED = """/interface vlan
add interface=bridge1 name=mgmt vlan-id=99
/ip address
add address=192.168.99.1/24 interface=mgmt
"""
TRUNK = """/interface bridge
add frame-types=admit-only-vlan-tagged name=bridge1 vlan-filtering=yes
/interface bridge port
add bridge=bridge1 frame-types=admit-only-vlan-tagged interface=ether2
add bridge=bridge1 interface=ether3 pvid=200
add bridge=bridge1 interface=ether4 pvid=300
/interface bridge vlan
add bridge=bridge1 tagged=ether2 vlan-ids=200,300
add bridge=bridge1 tagged=bridge1,ether2 vlan-ids=99
"""


def of(model: str, text: str) -> ChipVlans:
    net = ask(VERSION + f"# model = {model}\n" + text).net
    rows = chip_vlans(net, filtered_by_cpu(net))
    assert len(rows) == 1
    return rows[0]


def rows_of(texts: list[str]) -> set[tuple[str, tuple[tuple[str, str], ...]]]:
    """What commands set: menu and words, of which the order of ports does not count."""
    commands = parsed("\n".join(texts) + "\n", "typed").commands
    return {
        (command.menu, tuple(sorted((name, ",".join(sorted(value.split(","))))
                                    for name, value in command.properties.items())))
        for command in commands
    }  # fmt: skip


# The manual's rows: switch-chip-features, VLAN Example 1 and Management access configuration,
# Tagged; CRS1xx/2xx series switch examples, Example 1 and Tagged (both read 2026-10-06), with
# sa-learning=yes, which is not the default (CRS1xx/2xx series switches, VLAN Translation).
SMALL = """/interface/ethernet/switch/vlan
add ports=ether2,ether3 switch=switch1 vlan-id=200
add ports=ether2,ether4 switch=switch1 vlan-id=300
add ports=ether2,switch1-cpu switch=switch1 vlan-id=99
/interface/ethernet/switch/port
set ether2 vlan-mode=secure vlan-header=add-if-missing
set ether3 vlan-mode=secure vlan-header=always-strip default-vlan-id=200
set ether4 vlan-mode=secure vlan-header=always-strip default-vlan-id=300
set switch1-cpu vlan-mode=secure
"""
SERIES = """/interface/ethernet/switch/ingress-vlan-translation
add ports=ether3 customer-vid=0 new-customer-vid=200 sa-learning=yes
add ports=ether4 customer-vid=0 new-customer-vid=300 sa-learning=yes
/interface/ethernet/switch/egress-vlan-tag
add tagged-ports=ether2 vlan-id=200
add tagged-ports=ether2 vlan-id=300
add tagged-ports=ether2,switch1-cpu vlan-id=99
/interface/ethernet/switch/vlan
add ports=ether2,ether3 vlan-id=200
add ports=ether2,ether4 vlan-id=300
add ports=ether2,switch1-cpu vlan-id=99
/interface/ethernet/switch
set drop-if-invalid-or-src-port-not-member-of-vlan-on-ports=ether2,ether3,ether4
"""


@pytest.mark.parametrize(
    ("model", "manual"),
    [
        ("RB750r2", SMALL),
        ("RB750", SMALL),
        ("RB750Gr2", SMALL.replace(" vlan-header=add-if-missing", "").replace(
            " vlan-header=always-strip", "")),
        ("CRS112-8P-4S", SERIES),
    ],
)  # fmt: skip
def test_the_commands_are_those_of_the_manuals_examples(model: str, manual: str) -> None:
    row = of(model, TRUNK + MANAGED)
    assert not row.why
    off = "/interface/bridge/set [find name=bridge1] vlan-filtering=no"
    assert row.commands.count(off) == 1 and off.replace("=no", "=yes") in row.undo
    assert rows_of([text for text in row.commands if text != off]) == rows_of(manual.split("\n"))
    assert "VLAN 99 on ether2" in row.gains


@pytest.mark.parametrize("model", ["RB750Gr2", "CRS112-8P-4S"])
def test_what_drops_comes_after_the_tables(model: str) -> None:
    texts = of(model, TRUNK + MANAGED).commands
    strict = [n for n, text in enumerate(texts) if "secure" in text or "drop-if" in text]
    assert strict and min(strict) > max(n for n, text in enumerate(texts) if "/add " in text)
    assert min(strict) > next(n for n, text in enumerate(texts) if "vlan-filtering=no" in text)


def test_an_address_on_the_bridge_is_reached_without_a_tag() -> None:
    address = "/ip address\nadd address=192.168.88.1/24 interface=bridge1\n"
    bridge = TRUNK.replace("frame-types=admit-only-vlan-tagged ", "")
    texts = " ".join(of("CRS112-8P-4S", bridge + address).commands)
    assert 'vlan-id=0 ports="ether2,switch1-cpu"' in texts
    texts = " ".join(of("RB750Gr2", bridge + address).commands)
    assert 'vlan-id=1 ports="ether2,switch1-cpu"' in texts
    assert "switch1-cpu default-vlan-id=1 vlan-mode=secure" in texts


UNTAGGED = TRUNK.replace("frame-types=admit-only-vlan-tagged ", "")


@pytest.mark.parametrize("model", ["CRS112-8P-4S", "RB750Gr2"])
def test_an_address_on_a_port_of_the_bridges_own_vlan_moves_to_the_bridge(model: str) -> None:
    row = of(model, UNTAGGED + "/ip address\nadd address=192.168.88.1/24 interface=ether2\n")
    moving = "/ip/address/set [find address=192.168.88.1/24] interface="
    assert row.commands[0] == moving + "bridge1" and row.undo[-1] == moving + "ether2"
    assert "VLAN 1 on ether2" in row.gains


def test_the_cpus_port_gives_a_vlan_that_is_tagged_elsewhere() -> None:
    text = UNTAGGED.replace("name=bridge1", "name=bridge1 pvid=200").replace(
        "interface=ether2", "interface=ether2 pvid=200")  # fmt: skip
    row = of("CRS112-8P-4S", text + "/ip dhcp-client\nadd interface=bridge1\n")
    texts = " ".join(row.commands)
    assert 'new-customer-vid=200 sa-learning=yes ports="ether3,ether2,switch1-cpu"' in texts
    assert 'vlan-id=200 ports="ether3,ether2,switch1-cpu"' in texts
    assert "egress-vlan-tag/add vlan-id=200 tagged-ports=ether2 " in texts


# The manual's ACL rule: Bridge Hardware Offloading, the notes of the table (read 2026-11-30).
GUARDED = UNTAGGED.replace("name=bridge1", "dhcp-snooping=yes name=bridge1").replace(
    "interface=ether2", "interface=ether2 trusted=yes"
)
ONE_VLAN = GUARDED.replace("pvid=300", "pvid=200")
OTHERS = (
    ONE_VLAN
    + """/interface bridge port
add bridge=bridge1 interface=ether5 pvid=400
add bridge=bridge1 interface=ether6 pvid=400
"""
)
MIXED = OTHERS + "/interface bridge vlan\nadd bridge=bridge1 tagged=ether3 vlan-ids=400\n"


@pytest.mark.parametrize(
    ("model", "bridge", "rules", "word"),
    [
        ("CRS112-8P-4S", ONE_VLAN, ["new-customer-vid=200"], ""),
        ("CRS112-8P-4S", OTHERS, ["action=drop", "new-customer-vid=200"], ""),
        ("CRS112-8P-4S", GUARDED, [], "one VLAN"),
        ("CRS112-8P-4S", MIXED, [], "one VLAN"),
        ("CRS112-8P-4S", ONE_VLAN.replace("dhcp", "igmp"), [], "IGMP snooping"),
        ("RB750Gr2", ONE_VLAN, [], "DHCP snooping"),
    ],
)
def test_dhcp_stays_snooped_in_one_vlan_or_the_answer_says_so(
    model: str, bridge: str, rules: list[str], word: str
) -> None:
    row = of(model, bridge + MANAGED)
    added = [text for text in row.commands if "/acl/add " in text]
    assert [text.rpartition(" ")[2] for text in added] == rules
    assert word in " ".join([row.why, *row.given_up]) and bool(word) == bool(
        row.why or row.given_up
    )
    if rules:
        messages = " src-ports=switch1-cpu mac-protocol=ip ip-protocol=udp dst-l3-port=67-68"
        assert messages in added[-1]
        off = next(n for n, text in enumerate(row.commands) if "vlan-filtering=no" in text)
        assert all(row.commands.index(text) < off for text in added)


def test_the_slow_ports_of_a_device_have_the_chip_that_tags_by_header() -> None:
    bridge = TRUNK
    for number, other in ((2, 6), (3, 7), (4, 8)):
        bridge = bridge.replace(f"ether{number}", f"ether{other}")
    texts = " ".join(of("RB2011UiAS", bridge + MANAGED).commands)
    assert "ether6 vlan-mode=secure vlan-header=add-if-missing" in texts
    assert "default-vlan-id=200 vlan-header=always-strip" in texts
    guarded = bridge.replace("name=bridge1", "dhcp-snooping=yes name=bridge1")
    assert "dhcp-snooping" in of("RB2011UiAS", guarded + MANAGED).why
    other = "/interface bridge\nadd name=bridge2\n/interface bridge port\n"
    other += "add bridge=bridge2 interface=ether2\n"
    assert of("RB2011UiAS", bridge + other + MANAGED).commands  # of the other chip


def test_the_rule_that_snoops_dhcp_tags_with_a_vlan_of_the_table() -> None:
    untagged = GUARDED.replace(" pvid=200", "").replace(" pvid=300", "")
    address = "/ip address\nadd address=192.168.88.1/24 interface=bridge1\n"
    texts = of("CRS112-8P-4S", untagged + address).commands
    assert any("new-customer-vid=1" in text and "/acl/" in text for text in texts)
    tables = [text for text in texts if "/vlan/add" in text]
    assert any("vlan-id=1 " in text and "switch1-cpu" in text for text in tables)
    assert not any("vlan-id=0 " in text for text in tables)


ON_BRIDGE = "/ip address\nadd address=192.168.88.1/24 interface=bridge1\n"
TAGGED_1 = UNTAGGED + "/interface bridge vlan\nadd bridge=bridge1 tagged=ether3 vlan-ids=1\n"


@pytest.mark.parametrize(
    "text",
    [
        TRUNK + MANAGED,
        UNTAGGED + MANAGED,
        UNTAGGED + ON_BRIDGE,
        TAGGED_1 + ON_BRIDGE,
        ONE_VLAN + MANAGED,
        GUARDED.replace(" pvid=200", "").replace(" pvid=300", "") + ON_BRIDGE,
    ],
)
def test_each_vlan_that_a_port_gives_has_its_members_and_its_tags(text: str) -> None:
    # Where the table of tags lacks a VLAN, frames leave with the tag that a port gave them.
    rows = [
        (command.menu.rpartition("/")[2], command.properties)
        for command in parsed("\n".join(of("CRS112-8P-4S", text).commands), "typed").commands
    ]
    given = {row["new-customer-vid"]: set(row["ports"].split(",")) for menu, row in rows
             if menu == "ingress-vlan-translation"}  # fmt: skip
    tagged = {row["vlan-id"] for menu, row in rows if menu == "egress-vlan-tag"}
    members = {row["vlan-id"]: set(row["ports"].split(",")) for menu, row in rows
               if menu == "vlan"}  # fmt: skip
    assert set(given) <= tagged and tagged | {"0"} >= set(members)
    assert all(ports <= members[number] for number, ports in given.items())


def test_a_port_that_is_off_is_the_chips_too() -> None:
    off = "/interface ethernet\nset [ find default-name=ether3 ] disabled=yes name=desk\n"
    assert of(
        "RB750Gr2", off + TRUNK.replace("interface=ether3", "interface=desk") + MANAGED
    ).commands


def test_several_chips_are_named_each_with_its_ports() -> None:
    ports = "".join(f"add bridge=bridge1 interface=ether{n} pvid=200\n" for n in (6, 7))
    row = of("RB3011UiAS", TRUNK + "/interface bridge port\n" + ports + MANAGED)
    assert row.choice and not row.commands and "(ether2, ether3, ether4; ether6, ether7)" in row.why


@pytest.mark.parametrize(("vlan", "restored"), [("", "1"), (" vlan-id=30", "30")])
def test_a_radio_tags_its_packets_itself_behind_the_cpus_port(vlan: str, restored: str) -> None:
    radio = TRUNK.replace("interface=ether3 pvid=200", "interface=wlan1 pvid=200")
    radio += "/interface bridge port\nadd bridge=bridge1 interface=ether5 pvid=300\n"
    own = f"/interface wireless\nset [ find ] name=wlan1{vlan}\n"
    row = of("RB750Gr2", radio + MANAGED + own)
    assert row.commands[0].endswith("vlan-mode=use-tag vlan-id=200")
    assert row.undo[-1].endswith(f"vlan-mode=no-tag vlan-id={restored}")
    assert any('vlan-id=200 ports="ether2,switch1-cpu"' in text for text in row.commands)


def test_a_device_without_an_address_is_reached_in_its_vlans() -> None:
    assert "VLAN 99 on ether2" in of("RB750Gr2", TRUNK + MANAGED.partition("/ip")[0]).gains
    closed = TRUNK.replace("tagged=bridge1,ether2 vlan-ids=99", "tagged=ether2 vlan-ids=99")
    assert "reached" in of("RB750Gr2", closed).why


OLD_TABLE = """/interface ethernet switch port
set ether2 default-vlan-id=7 vlan-mode=secure
/interface ethernet switch vlan
add ports=ether2,switch1-cpu switch=switch1 vlan-id=7
"""


def table_of(text: str) -> list[list[str]]:
    rows = ask(VERSION + "# model = RB750Gr2\n" + text).net.rows
    return [[f"{name}={row.get(name)}" for name in ("ports", "vlan-id", "vlan-mode",
             "default-vlan-id") if row.get(name) not in ("", "disabled", "auto")]
            for menu in ("vlan", "port") for row in rows.of("/interface/ethernet/switch/" + menu)
            ]  # fmt: skip


def test_a_table_that_is_there_is_replaced_and_comes_back() -> None:
    text = TRUNK + MANAGED + OLD_TABLE
    row = of("RB750Gr2", text)
    after = "\n".join([text, *row.commands, ""])
    plain = of("RB750Gr2", TRUNK + MANAGED)
    assert row.commands[-len(plain.commands) :] == plain.commands
    assert "vlan-id=7" not in str(table_of(after)) and "vlan-id=99" in str(table_of(after))
    undone = [one for one in table_of(after + "\n".join([*row.undo, ""])) if one]
    assert sorted(undone) == sorted(one for one in table_of(text) if one)


ROUTED = """/interface vlan
add interface=bridge1 name=guests vlan-id=200
/ip address
add address=192.168.200.1/24 interface=guests
add address=198.18.1.2/24 interface=ether1
/ip route
add gateway=198.18.1.1
/ip firewall nat
add action=masquerade chain=srcnat out-interface=ether1
"""
MARKED = """/routing table
add fib name=b
/ip firewall mangle
add action=mark-routing chain=prerouting new-routing-mark=b protocol=tcp
/ip route
add gateway=198.18.1.9 routing-mark=b
"""
FASTTRACK = """/ip firewall filter
add action=fasttrack-connection chain=forward connection-state=established,related
"""


@pytest.mark.parametrize(
    ("version", "rest", "typed"),
    [
        ("6.48.6", "", True),  # a switch
        ("7.20.8", ROUTED, False),  # the CPU routes, with or without the table
        ("7.20.8", ROUTED + FASTTRACK, False),
        ("6.48.6", ROUTED + FASTTRACK, True),  # the bridge's filter keeps packets from FastTrack
        ("6.48.6", ROUTED, True),
        ("6.48.6", ROUTED + MARKED, False),  # and so do marks
    ],
)
def test_a_router_filters_by_its_bridge_unless_that_decides_its_path(
    version: str, rest: str, typed: bool
) -> None:
    head = VERSION.replace("7.20.8", version) + "# model = RB750Gr2\n"
    rows = Answer(ask(head + TRUNK + MANAGED + rest)).plain()["chip_vlans"]
    assert [bool(row["commands"]) for row in rows] == [typed]


LEASED = """/interface vlan
add interface=bridge1 name=office vlan-id=99
add interface=bridge1 name=cameras vlan-id=200
/ip dhcp-client
add interface=office
add add-default-route=no interface=cameras
"""


@pytest.mark.parametrize(
    ("rest", "typed"),
    [
        ("", True),
        ("/ip firewall nat\nadd action=masquerade chain=srcnat out-interface=office\n", False),
        ("/ip dhcp-server\nadd interface=cameras name=cameras\n", False),
    ],
)
def test_a_device_that_has_leases_alone_routes_for_nobody(rest: str, typed: bool) -> None:
    head = VERSION + "# model = RB750Gr2\n"
    rows = Answer(ask(head + TRUNK + LEASED + rest)).plain()["chip_vlans"]
    assert [bool(row["commands"]) for row in rows] == [typed]


def test_a_chip_that_filters_by_the_bridges_table_needs_no_commands() -> None:
    explanation = ask(VERSION + "# model = RB5009UG+S+\n" + TRUNK + MANAGED)
    assert Answer(explanation).plain()["chip_vlans"] == []


@pytest.mark.parametrize(("model", "most"), [("RB750Gr2", 24), ("RB952Ui-5ac2nD", 24)])
def test_as_many_vlans_as_the_commands_are_read_for(model: str, most: int) -> None:
    """The VLANs of the trunk are 1 by the uplink's pvid, 99, 200, 300, and those added here."""
    for more in (most - 3, most - 2):
        rows = "".join([f"add bridge=bridge1 tagged=ether2 vlan-ids={400 + number}\n"
                        for number in range(more)])  # fmt: skip
        answer = of(model, TRUNK + rows + MANAGED)
        assert bool(answer.commands) == (more == most - 3), answer
