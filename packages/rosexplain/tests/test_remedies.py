# ruff: noqa: E501  (exports have long lines)
"""A remedy is typed behind the export that it is for, and the answer is what was promised."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import pytest
from asked import HEAD, HOME, LAN_AND_WAN, MARK, WAN, ask, of

from rosexplain import base, probes, remedy, rule_files
from rosexplain.classify import Explanation
from rosexplain.commands import commands as commands_of
from rosexplain.packet import parsed
from rosexplain.report import Answer
from rosexplain.sentences import promised, unlimited
from rosexplain.summary import to_do
from rosexplain.trace import fasttracked

LOADED = rule_files.load()
RULES = {name: rule for name, rule in LOADED.rules.items() if rule.remedy}
UPDATE = "/system/package/update/install"
LAN = """
/interface bridge
add name=lan0
/interface bridge port
add bridge=lan0 hw=no interface=ether6
add bridge=lan0 hw=no interface=ether7
/interface list
add name=LAN
add name=WAN
/interface list member
add interface=lan0 list=LAN
add interface=ether1 list=WAN
/ip address
add address=192.168.77.1/24 interface=lan0
/ipv6 address
add address=2001:db8::1/64 interface=lan0
"""
FASTTRACK = """/ip firewall filter
add action=fasttrack-connection chain=forward connection-state=established,related
"""
FAST_ALREADY = {"no-fast-forward", "bridge-hw-off", "port-queue"}
"""Their packets are fast with them too, and a little faster without."""

NO_PORTS = ("vrrp-before-6-29", "protocol-until-7-1", "ports-by-master", "vlan-filtering-for-one",
            "ip-firewall-for-nothing")  # fmt: skip
"""Rules whose example has ports of its own, or none."""

ON_PORT = "client-on-port"
NO_ADDRESS = ("vlan-untagged-only", ON_PORT)
"""Rules about a bridge without an address of its own, by which somebody may come in."""

RADIOS = ("wlan1", "wlan2", "wifi1", "wifi2")

FEATURES = {"hotspot", "ipsec", "simple-queues"}
"""Rules about what FastTrack leaves on while it makes the rest fast."""


def export_of(name: str) -> str:
    """A rule's own example in a network of its own."""
    example = RULES[name].holds.export.replace("bridge1", "lan0")
    crossed = FASTTRACK if name.startswith("lan-") or name == "route-cache" else ""
    network = re.sub("add bridge=lan0.*", "", LAN) if name in NO_PORTS else LAN
    network = network.split("/ip address")[0] if name in NO_ADDRESS else network
    # Its list guards the port, and nothing guards the bridge.
    network = network.replace("add interface=ether1 list=WAN\n", "") if name == ON_PORT else network
    for radio in RADIOS:  # one that leads nowhere carries nobody
        port = "/interface bridge port\n"
        if radio in example and radio + "\n" not in example:
            network = network.replace(port, port + "add bridge=lan0 interface=" + radio + "\n")
    return "\n".join([example, network, crossed])


def after(text: str, commands: list[str]) -> Explanation:
    found = ask(text, "\n".join(commands))
    assert [each for each in found.net.rows.unread if each.file == "2.rsc"] == [], commands
    return found


@cache
def answered(text: str) -> dict[str, Any]:
    return Answer(ask(text)).plain()


def offered(text: str, name: str) -> list[tuple[str, Any]]:
    """The changes for a rule, each with the class of packets that it is for."""
    return [
        (each["class"], change)
        for each in answered(text)["classes"]
        for change in each["changes"]
        if change["rule"] == name
    ]


@pytest.mark.parametrize("name", RULES)
def test_a_remedy_typed_behind_the_export_ends_what_the_rule_is_about(name: str) -> None:
    text = export_of(name)
    found = ask(text)
    rule = base.rules()[name]
    packet = found.main.traffic.packet if found.main else None  # none: a switch
    family = 6 if name == "rules-ipv6" else 4
    commands = commands_of(found.net, rule, found.met[name], packet, family)
    assert commands and not any("{" in command for command in commands)
    if UPDATE in commands:
        text = re.sub(r"(by RouterOS )\S+", r"\g<1>" + LOADED.base.read_for, text)
        commands = []
    met = after(text, commands).met
    if "fasttrack-connection" in rule["remedy"][0]:
        assert "fasttrack" in met or "fasttrack-ipv6" in met
    else:
        assert name not in met


@pytest.mark.parametrize("name", RULES)
def test_a_class_is_what_a_change_promises_and_better_than_it_was(name: str) -> None:
    text = export_of(name)
    changes = offered(text, name)
    if name in FEATURES:
        assert not changes  # FastTrack is enough, and gives up less
        changes = offered(text, "fasttrack")
    notes = [note for note in answered(text)["notes"] if note["rule"] == name]
    # Refused by a probe: it would take away too much.
    refused = [row for row in answered(text)["classes"] if row["refused"]]
    assert changes or notes or refused or name in FAST_ALREADY
    for asked, change in changes:
        then = change["then"]
        assert then["better"] and promised(change)
        if not change["update"]:
            is_ = of(after(text, change["commands"]), asked)
            assert (is_.answer, is_.ways) == (then["answer"], then["paths"])
    for note in notes:
        if note["commands"]:
            assert note["then"]["gone"], note["commands"]


def test_no_command_shows_a_secret() -> None:
    for name in RULES:
        export = export_of(name).replace("chain=forward", 'comment="hunter2" chain=forward')
        for _, change in offered(export, name):
            assert "hunter2" not in repr(change)


def test_what_was_not_tried_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remedy, "MOST_TRIED", 1500)
    text = LAN + "/ip firewall filter\n" + "add action=accept chain=forward\n" * 1500
    plain = Answer(ask(text)).plain()
    assert not [change for each in plain["classes"] for change in each["changes"]]
    assert plain["untried"] and not Answer(ask(LAN)).plain()["untried"]


ACCEPT = "add action=accept chain=forward connection-state=established,related\n"


def home(more: str = "", first: str = ACCEPT) -> str:
    return f"""{HEAD}{LAN_AND_WAN}/ip firewall nat
add action=masquerade chain=srcnat out-interface=ether1
/ip firewall filter
{first}{more}"""


MARKS = """/ip firewall mangle
add action=mark-connection chain=prerouting connection-state=new in-interface=ether2 new-connection-mark=wan2 src-address=198.18.1.128/25
add action=mark-routing chain=prerouting connection-mark=wan2 new-routing-mark=wan2
"""
SIMPLE = "/queue simple\nadd max-limit=10M/10M name=q1 target=198.18.1.0/24\n"
IPSEC = (
    "/ip ipsec policy\nadd dst-address=10.2.0.0/16 peer=p src-address=198.18.1.0/24 tunnel=yes\n"
)

CASES = {
    "home": home(),
    "disabled, dual WAN": home("add disabled=yes" + MARK[3:] + MARKS),
    "dual WAN": home(MARKS),
    "queue and FastTrack": home(SIMPLE, MARK + ACCEPT),
    "IPsec": home(IPSEC),
    "IPsec, dual WAN": home(IPSEC + MARKS),
    "IPsec alone": home(IPSEC, first=""),
}


def typed_behind(text: str, commands: list[str]) -> Explanation:
    """The export with the commands, as somebody who pastes them has it."""
    install = [c for c in commands if c.endswith("install")]
    version = LOADED.base.read_for if install else ""
    return ask(text, "\n".join(c for c in commands if c not in install), version=version)


def changes(name: str) -> list[list[str]]:
    """The commands of each remedy of what is established from LAN to WAN."""
    plain = Answer(ask(CASES[name])).plain()
    return [
        c["commands"] for e in plain["classes"] if e["class"] == "established" for c in e["changes"]
    ]


@pytest.mark.parametrize("name", ["dual WAN", "disabled, dual WAN", "IPsec, dual WAN"])
def test_fasttrack_leaves_out_marked_connections_from_its_first_moment(name: str) -> None:
    (commands,) = changes(name)
    for count in range(1, len(commands) + 1):
        rows = typed_behind(CASES[name], commands[:count]).net.rows.of("/ip/firewall/filter")
        marking = [row for row in rows if row.get("action") == "fasttrack-connection"]
        assert {row.get("connection-mark") for row in marking} <= {"no-mark"}
    assert marking


@pytest.mark.parametrize(
    ("protocols", "offered"),
    [
        (["", ""], False),
        (["protocol=tcp", "protocol=!tcp"], False),
        (["protocol=tcp", "protocol=udp"], False),
        (["protocol=udp", "protocol=!udp"], False),
        (["protocol=tcp"], True),
        (["protocol=tcp", "protocol=!udp"], True),
        (["protocol=icmp", "protocol=tcp"], True),
    ],
)
def test_fasttrack_is_no_help_where_every_tcp_and_udp_connection_is_shared_out(
    protocols: list[str], offered: bool
) -> None:
    marks = "/ip firewall mangle\n"
    for protocol in protocols:
        for wan in ("0", "1"):
            marks += (
                f"add action=mark-connection chain=prerouting in-interface=ether2 {protocol} "
                f"new-connection-mark=wan{wan} per-connection-classifier=src-address:2/{wan}\n"
            )
    for wan in ("0", "1"):
        marks += (
            f"add action=mark-routing chain=prerouting connection-mark=wan{wan} "
            f"new-routing-mark=wan{wan}\n"
        )
    things = to_do(Answer(ask(home(marks))).plain())
    typed = [command for thing in things for command in thing["commands"]]
    assert any("action=fasttrack-connection" in command for command in typed) is offered


@pytest.mark.parametrize(("leasing", "offered"), [("ether2", False), ("ether3", True)])
def test_a_network_that_leases_no_addresses_is_not_worth_fasttrack(
    leasing: str, offered: bool
) -> None:
    shares = "".join(
        "add action=mark-connection chain=prerouting in-interface=ether2 "
        f"new-connection-mark=wan{wan} per-connection-classifier=src-address:2/{wan}\n"
        f"add action=mark-routing chain=prerouting connection-mark=wan{wan} "
        f"new-routing-mark=wan{wan}\n"
        for wan in "01"
    )
    more = f"/ip address\nadd address=10.10.5.1/24 interface=ether3\n/ip dhcp-server\nadd interface={leasing}\n"
    things = to_do(Answer(ask(home(more + "/ip firewall mangle\n" + shares))).plain())
    typed = [command for thing in things for command in thing["commands"]]
    assert any("action=fasttrack-connection" in command for command in typed) is offered


ALL_MARKED = """/ip firewall mangle
add action=mark-connection chain=prerouting connection-mark=no-mark in-interface=ether2 new-connection-mark=out
"""


@pytest.mark.parametrize(
    ("more", "offered"),
    [
        ("", True),  # a mark for queues
        (
            "set 0 src-address=198.18.1.0/24\nadd action=mark-routing chain=prerouting connection-mark=out new-routing-mark=b\n",
            False,
        ),
        (
            "set 0 src-address=198.18.1.0/25\nadd action=mark-routing chain=prerouting connection-mark=out new-routing-mark=b\n",
            True,
        ),
        (
            "set 0 src-address-list=lan\nadd action=mark-routing chain=prerouting connection-mark=out new-routing-mark=b\n/ip firewall address-list\nadd address=198.18.0.0/16 list=lan\n",
            False,
        ),
        (
            "add action=mark-routing chain=prerouting connection-mark=out new-routing-mark=b\n",
            False,
        ),
    ],
)
def test_fasttrack_is_no_help_where_one_mark_leads_all_connections(
    more: str, offered: bool
) -> None:
    things = to_do(Answer(ask(home(ALL_MARKED + more))).plain())
    typed = [command for thing in things for command in thing["commands"]]
    assert any("action=fasttrack-connection" in command for command in typed) is offered


SITES = """/ip firewall address-list
add address={} list=sites
/ip firewall mangle
add action=mark-routing chain=prerouting dst-address-list=sites new-routing-mark=vpn
"""
FRONT = "add action=accept chain=forward {}-address-list={} connection-state=established,related\n"


@pytest.mark.parametrize("address", ["films.example", "10.9.0.0/16"])
def test_fasttrack_leaves_out_the_sites_of_a_list_that_a_mark_leads_elsewhere(address: str) -> None:
    text = home(SITES.format(address))
    plain = Answer(ask(text)).plain()
    (change,) = next(row["changes"] for row in plain["classes"] if row["class"] == "established")
    found = typed_behind(text, change["commands"])
    assert "fasttrack" in found.met and "fasttrack-and-marks" not in found.met


@pytest.mark.parametrize(
    ("front", "astray"),
    [
        (FRONT.format("dst", "sites") + FRONT.format("src", "sites"), False),
        (FRONT.format("dst", "sites"), True),
        (FRONT.format("dst", "others") + FRONT.format("src", "others"), True),
        (FRONT.format("dst", "!sites") + FRONT.format("src", "!sites"), True),
    ],
)
def test_a_list_is_kept_from_fasttrack_only_by_itself_and_both_ways(
    front: str, astray: bool
) -> None:
    text = home(SITES.format("films.example"), front + MARK + ACCEPT)
    assert ("fasttrack-and-marks" in ask(text).met) is astray


@pytest.mark.parametrize("name", ["IPsec", "IPsec, dual WAN", "IPsec alone"])
def test_what_ipsec_protects_is_accepted_before_fasttrack_and_no_policy_is_disabled(name: str) -> None:  # fmt: skip
    (commands,) = changes(name)
    assert not any("disable" in command for command in commands)
    rows = typed_behind(CASES[name], commands).net.rows.of("/ip/firewall/filter")
    order = [row.get("ipsec-policy") or row.get("action") for row in rows]
    assert order[:3] == ["in,ipsec", "out,ipsec", "fasttrack-connection"]
    for count in (1, 2):  # nor is there a moment in which FastTrack takes them
        rows = typed_behind(CASES[name], commands[:count]).net.rows.of("/ip/firewall/filter")
        assert not [row for row in rows if row.get("action") == "fasttrack-connection"]


def test_accept_rules_for_some_of_what_ipsec_protects_do_not_do_for_the_rest() -> None:
    some = "add action=accept chain=forward dst-address=10.2.9.0/24 ipsec-policy="
    text = home(IPSEC, some + "in,ipsec\n" + some + "out,ipsec\n" + ACCEPT)
    plain = Answer(ask(text)).plain()
    (change,) = next(row["changes"] for row in plain["classes"] if row["class"] == "established")
    rules = typed_behind(text, change["commands"]).net.rows.of("/ip/firewall/filter")
    actions = [row.get("action") for row in rules]
    front = rules[: actions.index("fasttrack-connection")]
    whole = [row.get("ipsec-policy") for row in front if not row.says("dst-address")]
    assert sorted(whole) == ["in,ipsec", "out,ipsec"]


@pytest.mark.parametrize(("marks", "moved"), [("", True), (MARKS, False)])
def test_fasttrack_is_not_moved_in_front_of_rules_that_keep_marked_connections(
    marks: str, moved: bool
) -> None:
    front = "add action=accept chain=forward in-interface=ether2\n"
    things = to_do(Answer(ask(home(marks, front + MARK + ACCEPT))).plain())
    typed = [command for thing in things for command in thing["commands"]]
    assert any(command.startswith("/ip/firewall/filter/move") for command in typed) is moved


@pytest.mark.parametrize(
    ("leaf", "spared", "offered"),
    [
        ("packet-mark=voip", "", True),
        ("", "", False),
        ("packet-mark=no-mark", "", False),
        ("packet-mark=voip", " connection-mark=no-mark", False),
        ("packet-mark=voip disabled=yes", "", False),
    ],
)
def test_queues_by_mark_limit_again_without_fasttrack(
    leaf: str, spared: str, offered: bool
) -> None:
    tree = f"/queue tree\nadd max-limit=10M name=up parent=ether1\nadd {leaf} name=q parent=up\n"
    tree += "/ip firewall mangle\nadd action=mark-packet chain=forward new-packet-mark=voip\n"
    text = home(tree, MARK.replace("\n", spared + "\n") + ACCEPT)
    things = to_do(Answer(ask(text)).plain())
    typed = [command for thing in things if thing["optional"] for command in thing["commands"]]
    assert any("filter/disable" in command for command in typed) is offered


def test_queues_that_limit_nobody_are_in_the_opening() -> None:
    found = ask(CASES["queue and FastTrack"])
    line = found.net.rows.of("/queue/simple")[0].first.number
    assert [said for said in unlimited(Answer(found).plain()) if f"1.rsc:{line})" in said]
    assert not unlimited(Answer(ask(CASES["home"])).plain())


PASSED = """/ip address
add address=192.168.88.1/24 interface=bridge
/interface bridge
add name=bridge
/interface list
add name=WAN
/interface list member
add interface=lte1 list=WAN
add interface=ether1 list=WAN
/ip firewall nat
add action=masquerade chain=srcnat out-interface-list=WAN
/ip firewall filter
add action=fasttrack-connection chain=forward connection-state=established,related
add action=accept chain=forward connection-state=established,related
/ip firewall mangle
add chain=postrouting """


@pytest.mark.parametrize(
    ("rule", "kept", "others"),
    [
        ("action=change-ttl new-ttl=set:65 out-interface=lte1", False, True),
        ("action=change-ttl new-ttl=set:65", False, False),
        ("action=sniff-tzsp sniff-target=192.168.88.9 src-address=192.168.88.4", True, True),
        ("action=set-priority new-priority=5 out-interface=lte1", False, True),
        ("action=set-priority new-priority=1 out-interface-list=WAN", True, True),  # of everything
        ("action=change-dscp new-dscp=46 protocol=udp dst-port=5060", True, True),
    ],
)
def test_fasttrack_spares_only_what_mangle_changes(rule: str, kept: bool, others: bool) -> None:
    notes = Answer(ask(PASSED + rule)).plain()["notes"]
    commands = [text for note in notes if note["rule"] == "mangle-passed"
                for text in note["commands"]]  # fmt: skip
    net = after(PASSED + rule, commands).net
    for out, fast in (("lte1", kept), ("ether1", others)):
        packet = parsed(f"in=bridge out={out} src=192.168.88.7 dst=1.1.1.1:443/tcp established")
        assert (fasttracked(net, packet)[0] == "yes") is fast, out


IN_VRF = f"""# 2026-01-01 10:00:00 by RouterOS 7.20
{WAN}/ip address
add address=198.18.1.2/24 interface=ether1
add address=192.168.88.1/24 interface=ether2
add address=10.1.99.1/24 interface=ether5
/ip vrf
add interfaces=ether5 name=mgmt
/ip firewall nat
add action=masquerade chain=srcnat out-interface-list=WAN
/ip firewall filter
add action=accept chain=forward connection-state=established,related
/ip route
add gateway=198.18.1.1
"""


@pytest.mark.parametrize(
    ("more", "offers"),
    [
        ("", True),
        ("add gateway=198.18.1.1@main routing-table=mgmt", True),
        ("add dst-address=10.7.0.0/16 gateway=10.1.99.9 routing-table=mgmt", False),
        ("/routing ospf instance\nadd name=o vrf=mgmt", False),
        ("/ip vrf\nset [find name=mgmt] interfaces=ether1,ether5", False),  # the WAN itself
        ("/ip vrf\nset [find name=mgmt] interfaces=ether5,ether6", False),  # who is behind ether6?
    ],
)
def test_fasttrack_is_offered_beside_a_vrf_and_never_takes_its_packets(
    more: str, offers: bool
) -> None:
    text = IN_VRF + more
    main = next(
        row for row in Answer(ask(text)).plain()["classes"] if row["class"] == "established"
    )
    assert bool(main["changes"]) is offers
    for change in main["changes"]:
        net = after(text, change["commands"]).net
        for packet, fast in (
            ("in=ether2 src=192.168.88.7 dst=1.1.1.1:443/tcp established", "yes"),
            ("in=ether5 src=10.1.99.7 dst=1.1.1.1:443/tcp established", "no"),
        ):
            assert fasttracked(net, parsed(packet))[0] == fast, packet


NETWORKS = "/ip address\n" + "\n".join(
    f"add address=10.0.{number}.1/24 interface=ether{number}" for number in range(2, 7)
) + """
add address=198.18.0.2/30 interface=ether1
/ip route
add gateway=198.18.0.1
/ip firewall nat
add action=masquerade chain=srcnat out-interface=ether1
"""  # fmt: skip


@pytest.mark.parametrize(
    ("rows", "slow"),
    [
        ("/ip hotspot\nadd disabled=no interface=ether2 name=h", "2"),
        ("/ip hotspot\nadd disabled=no interface=ether2 name=h\nadd disabled=no interface=ether3 name=i", "23"),
        ("/queue simple\nadd max-limit=5M/5M target=10.0.2.7\nadd max-limit=5M/5M target=10.0.3.7", "23"),
        ("/ip hotspot\nadd disabled=no interface=ether4 name=h\n/queue simple\nadd max-limit=5M/5M target=10.0.2.7", "24"),
        ("/ip hotspot\nadd disabled=no interface=ether2 name=h\nadd disabled=no interface=ether3 name=i\n"
         "/interface list\nadd name=not-fasttracked", "23"),
    ],
)  # fmt: skip
def test_fasttrack_leaves_out_the_few_that_have_limits_in_every_class(rows: str, slow: str) -> None:
    text = NETWORKS + rows + "\n"
    changes = [change for row in Answer(ask(text)).plain()["classes"] for change in row["changes"]]
    assert changes
    for change in changes:
        net = after(text, change["commands"]).net
        for number in "23456":
            words = (
                f"in=ether{number} out=ether1 src=10.0.{number}.7 dst=1.1.1.1:443/tcp established"
            )
            assert (fasttracked(net, parsed(words))[0] == "yes") is (number not in slow), words
        undone = after(text, change["commands"] + change["undo"]).net
        assert not undone.rows.of("/ip/firewall/filter")
        assert len(undone.rows.of("/interface/list")) == text.count("not-fasttracked")


@pytest.mark.parametrize(
    ("rows", "lost"),
    [
        ("", False),
        ("/ip firewall filter\nadd action=drop chain=forward dst-port=445 in-interface=l2tp-out1 protocol=tcp", True),
        ("/ip firewall filter\nadd action=drop chain=forward connection-state=invalid", True),
        ("/ip firewall filter\nadd action=drop chain=input", False),
        ("/ip firewall filter\nadd action=accept chain=forward", False),
        ("/ip firewall filter\nadd action=drop chain=forward in-interface=ether1 out-interface=lan0", False),
        ("/ip firewall nat\nadd action=masquerade chain=srcnat out-interface=l2tp-out1", True),
        ("/ip firewall nat\nadd action=masquerade chain=srcnat out-interface=ether1", True),
        ("/ip firewall mangle\nadd action=change-mss chain=forward new-mss=1300 protocol=tcp tcp-flags=syn", True),
        ("/queue simple\nadd max-limit=5M/5M name=a target=192.168.77.9", True),
        ("/queue tree\nadd max-limit=5M name=a parent=global", True),
        ("/ip hotspot\nadd disabled=no interface=lan0 name=h", True),
        ("/ip ipsec policy\nadd dst-address=10.9.0.0/24 peer=p src-address=192.168.77.0/24 tunnel=yes", True),
        ("/ppp profile\nset [ find name=default ] rate-limit=5M/5M", True),
    ],
)  # fmt: skip
def test_a_tunnel_gets_no_fast_path_for_which_its_packets_would_bypass_something(
    rows: str, lost: bool
) -> None:
    tunnel = "/interface l2tp-client\nadd connect-to=192.0.2.2 disabled=no name=l2tp-out1 user=u\n"
    text = HEAD + LAN + tunnel + rows + "\n"
    opening = "/interface/l2tp-client/set [find name=l2tp-out1] allow-fast-path=yes"
    plain = Answer(ask(text)).plain()
    shown = [command for thing in to_do(plain) for command in thing["commands"]]
    assert (opening not in shown) is lost
    assert all(bool(change["given_up"]) is lost for _, change in offered(text, "l2tp-slow"))


HEX = """# jan/02/2021 10:00:00 by RouterOS 6.48.1
# model = RB750Gr3
"""
SWITCHED = """/interface bridge
add name=lan0
/interface bridge port
add bridge=lan0 interface=ether2
add bridge=lan0 interface=ether3
/ip address
add address=192.168.88.1/24 interface=lan0
"""
SHARED = (
    "/ip firewall mangle\n"
    "add action=mark-connection chain=prerouting in-interface=ether2 new-connection-mark=wan1 "
    "per-connection-classifier=src-address:2/0\n"
    "add action=mark-routing chain=prerouting connection-mark=wan1 new-routing-mark=wan1\n"
)


@pytest.mark.parametrize(
    ("text", "command"),
    [
        (home("", MARK.partition(" connection-state")[0] + "\nadd action=drop chain=forward\n"),
         "connection-state=established,related"),
        (home(SHARED), "connection-state=new"),
        (HEX + SWITCHED, "protocol-mode=none"),
    ],
    ids=["FastTrack for new connections", "shared out again", "spanning tree before 7.1"],
)  # fmt: skip
def test_what_makes_no_packet_faster_or_has_a_price_is_left_to_the_reader(
    text: str, command: str
) -> None:
    things = [thing for thing in to_do(Answer(ask(text)).plain())
              if any(command in one for one in thing["commands"])]  # fmt: skip
    assert [thing["optional"] for thing in things] == [True]


HORIZON = """# model = CRS326-24G-2S+
/interface bridge
add name=b
/interface bridge port
add bridge=b interface=ether1
add bridge=b horizon=1 interface=ether2
add bridge=b horizon=1 interface=ether3
"""


@pytest.mark.parametrize(
    ("bond", "override"), [("", "ether1,switch1-cpu"), ("add bridge=b interface=bond1\n", "")]
)
def test_the_chip_keeps_ports_apart_in_a_horizon_s_place(bond: str, override: str) -> None:
    text = HORIZON + bond + "/interface bonding\nadd name=bond1 slaves=ether5,ether6\n" * bool(bond)
    typed = [one for thing in to_do(Answer(ask(text)).plain()) for one in thing["commands"]]
    isolating = [
        f'/interface ethernet switch port-isolation set {port} forwarding-override="{override}"'
        for port in ("ether2", "ether3")
    ]
    freeing = ["/interface bridge port set [find horizon=1] horizon=none"]
    assert typed == (isolating + freeing if override else [])
    done = ask(text, "\n".join(freeing))
    assert "joined" in [harm.kind for harm in probes.harms(ask(text, ""), done)]


@pytest.mark.parametrize(
    ("licence", "updated"),
    [("# system id = abcdefgh\n", True), ("# software id = AB1C-DE2F\n", False)],
)
def test_an_update_is_promised_a_chr_and_no_computer(licence: str, updated: bool) -> None:
    text = (
        f"# nov/29/2026 10:00:00 by RouterOS 6.48.6\n{licence}/interface ethernet\n"
        "set [ find default-name=ether1 ] disable-running-check=no\n"
        "/ip address\nadd address=192.168.10.1/24 interface=ether1\n"
        "add address=192.168.20.1/24 interface=ether2\n"
    )
    things = to_do(Answer(ask(text)).plain())
    assert any("Update RouterOS" in thing["gain"] for thing in things) == updated


LEFT = """# 2026-01-01 10:00:00 by RouterOS 7.16
# model = RB5009UG+S+
/interface bridge
add name=b
/interface bridge port
add bridge=b hw=no interface=ether2
add bridge=b hw=no interface=ether3
add bridge=b interface=ether4
"""
ASKED = "/interface bridge settings\nset use-ip-firewall=yes\n/ip firewall filter\n"
GUARD = "add action=drop chain=forward in-interface=ether2 out-interface=ether3\n"


@pytest.mark.parametrize(
    ("more", "typed"),
    [
        ("", True),
        ("/interface bridge settings\nset use-ip-firewall=no\n", True),
        # The chip forwards past what refuses frames on the CPU.
        (ASKED + "add action=drop chain=forward dst-address=192.168.88.9\n", False),
        (ASKED + "add action=drop chain=forward connection-state=established\n", False),
        (ASKED + "add action=drop chain=forward out-interface=ether1\n", True),
        ("/queue simple\nadd max-limit=5M/5M name=q target=192.168.88.9/32\n" + ASKED, False),
        ("/queue simple\nadd max-limit=5M/5M name=q target=192.168.88.9/32\n", True),
        ("/queue tree\nadd max-limit=5M name=q parent=ether2\n", False),
        ("/queue tree\nadd max-limit=5M name=q parent=ether1\n", True),
        ("/interface bridge filter\n" + GUARD, False),
        ("/interface bridge filter\n" + GUARD.replace("add ", "add disabled=yes "), True),
    ],
)
def test_ports_stay_with_the_cpu_where_rules_read_their_frames(more: str, typed: bool) -> None:
    things = to_do(Answer(ask(LEFT + more)).plain())
    assert any("hw=yes" in one for thing in things for one in thing["commands"]) == typed


VLAN = """/interface vlan
add interface=ether2 name=vlan10 vlan-id=10
/ip address
add address=192.168.10.1/24 interface=vlan10
"""


@pytest.mark.parametrize(
    ("instead", "moved"),
    [
        (("", ""), True),
        (("name=lan0\n/", "name=lan0 vlan-filtering=yes\n/"), False),
        (("interface=vlan10", "interface=lan0"), False),
        (("vlan-id=10\n", "vlan-id=10\nadd interface=lan0 name=v vlan-id=10\n"), False),
        (("bridge=lan0", "bridge=*F"), False),
        (
            (
                "vlan-id=10\n",
                "vlan-id=10\nadd interface=ether2 name=v vlan-id=20\n/interface bridge\nadd name=b\n/interface bridge port\nadd bridge=b interface=v\n",
            ),
            False,
        ),
    ],
    ids=[
        "used",
        "filtering",
        "unused",
        "the bridge has that VLAN",
        "the bridge is gone",
        "VLANs of it in bridges",
    ],
)
def test_a_vlan_on_a_port_moves_to_the_bridge(instead: tuple[str, str], moved: bool) -> None:
    things = to_do(Answer(ask((HEAD + SWITCHED + VLAN).replace(*instead))).plain())
    typed = [command for thing in things for command in thing["commands"]]
    moves = [one for one in typed if "/interface/vlan/set" in one]
    assert moves == ["/interface/vlan/set [find name=vlan10] interface=lan0"] * moved


@pytest.mark.parametrize(
    ("more", "met"),
    [
        ("", True),
        (
            "/ipv6 firewall filter\nadd action=drop chain=forward icmp-options=134:0-255 protocol=icmpv6\n",
            False,
        ),
        ("/ip dhcp-server lease\nadd address=192.168.88.9 rate-limit=5M/5M server=d\n", False),
        ("/ip dhcp-server lease\nadd address=192.168.88.9 server=d\n", True),
    ],
)
def test_the_firewall_of_bridged_packets_is_for_something(more: str, met: bool) -> None:
    text = "# model = CRS317-1G-16S+\n/interface bridge\nadd name=b\n/interface bridge settings\nset use-ip-firewall=yes\n"
    text += "/interface bridge port\nadd bridge=b interface=sfp-sfpplus1\nadd bridge=b interface=sfp-sfpplus2\n"
    text += "/ip dhcp-server\nadd interface=b name=d\n"
    assert ("ip-firewall-without-rule" in ask(text + more).met) == met


@pytest.mark.parametrize(("old", "new", "typed"), [("", "", False), ("mon=8h-20h ", "", True)])
def test_fasttrack_takes_nobody_from_kid_control(old: str, new: str, typed: bool) -> None:
    kid = "\n/ip firewall nat\nadd action=masquerade chain=srcnat out-interface=ether1\n/ip kid-control\nadd mon=8h-20h name=child\n/ip kid-control device\nadd name=tab user=child\n"
    things = to_do(Answer(ask(HEAD + LAN_AND_WAN + kid.replace(old, new))).plain())
    commands = [command for thing in things for command in thing["commands"]]
    assert any("fasttrack-connection" in one for one in commands) == typed


OF_CRS = "# nov/14/2017 11:27:18 by RouterOS {}\n# model = CRS125-24G-1S\n"


@pytest.mark.parametrize(("version", "updated"), [("6.40.5", True), ("6.49.2", False)])
def test_an_update_gives_the_chip_a_bridge(version: str, updated: bool) -> None:
    things = to_do(Answer(ask(OF_CRS.format(version) + SWITCHED)).plain())
    typed = [command for thing in things for command in thing["commands"]]
    assert ("/system package update install" in typed) is updated


@pytest.mark.parametrize(
    "instead",
    [("6.48.1", "7.2.1"), ("name=lan0\n/", "name=lan0 protocol-mode=none\n/"),
     ("RB750Gr3", "C52iG-5HaxD2HaxD")],
    ids=["7.2", "no protocol", "a chip that never does"],
)  # fmt: skip
def test_a_spanning_tree_protocol_stays_where_the_chip_needs_no_other(
    instead: tuple[str, str],
) -> None:
    plain = Answer(ask((HEX + SWITCHED).replace(*instead))).plain()
    assert not [one for thing in to_do(plain) for one in thing["commands"] if "protocol" in one]


MANGLE = "/ip firewall mangle\nadd action="
FILLS = "add-dst-to-address-list address-list=seen chain=prerouting layer7-protocol=video\n"
TTL = "change-ttl chain=postrouting new-ttl=set:65 out-interface=ether1\n"
OF_HOST = "change-ttl chain=postrouting new-ttl=set:65 src-address=198.18.1.{}\n"
CAPSMAN = "/caps-man datapath\nadd bridge=b name=d1\n/caps-man manager\nset enabled={}\n"


FORWARD = """/ip firewall nat
add action=dst-nat chain=dstnat dst-address={} dst-port=80 protocol=tcp to-addresses=198.18.1.9
"""
BRIDGES_OF_LIST = """/interface bridge
add name=bridge1
add name=bridge2
/interface list
add name=WAN
add name=LAN
/interface list member
add interface=bridge1 list=LAN
add interface=bridge2 list=LAN
/interface bridge port
add bridge=bridge1 interface=ether2
add bridge=bridge2 interface=ether3
/ip address
add address=192.168.88.1/24 interface=bridge1
add address={} interface={}
/ip firewall nat
add action=masquerade chain=srcnat out-interface-list=WAN
"""


@pytest.mark.parametrize(
    ("text", "command", "typed"),
    [
        (home(MANGLE + FILLS), "mangle/disable [find layer7-protocol=video]", True),
        (home(MANGLE + FILLS + "add action=accept chain=input dst-address-list=seen\n"),
         "mangle/disable [find layer7-protocol=video]", False),
        (home(MANGLE + "mark-routing chain=prerouting dst-address=198.18.8.8 new-routing-mark=b\n"),
         "mangle/add chain=output action=mark-routing dst-address=198.18.8.8", True),
        (home(MANGLE + "mark-connection chain=input in-interface=ether1 new-connection-mark=a\n"
              "add action=mark-routing chain=prerouting connection-mark=a new-routing-mark=a\n"),
         "mangle/add chain=output action=mark-routing connection-mark=a", True),
        (home(MANGLE + TTL, MARK + ACCEPT), "out-interface=!ether1 in-interface=!ether1", True),
        (home(MANGLE + OF_HOST.format(7) + "add action=" + OF_HOST.format(8), MARK + ACCEPT),
         "action=accept connection-state=established,related src-address=198.18.1.7", True),
        (home(CAPSMAN.format("yes")), "datapath/set [find name=d1] local-forwarding=yes", True),
        (home(CAPSMAN.format("no")), "local-forwarding=yes", False),
        (home("/ip traffic-flow\nset enabled=yes\n"), "action=fasttrack-connection", True),
        (home(FORWARD.format("0.0.0.0")), "!dst-address dst-address-type=local", True),
        (home(FORWARD.format("198.18.1.1")), "dst-address-type=local", False),
        (BRIDGES_OF_LIST.format("192.168.88.2/24", "bridge1"), "interface=INTERFACE", False),
        (BRIDGES_OF_LIST.format("198.18.1.2/24", "ether5"), "interface=INTERFACE", True),
    ],
    ids=["a list that nothing reads", "a list that a rule reads", "the router's own packets",
         "the router's answers", "FastTrack leaves out a line", "FastTrack leaves out two hosts",
         "a CAPsMAN", "no CAPsMAN", "FastTrack beside Traffic Flow", "a forward for no address",
         "a forward for an address", "a list of what routes nothing", "a list of a router"],
)  # fmt: skip
def test_the_commands_of_a_note(text: str, command: str, typed: bool) -> None:
    things = to_do(Answer(ask(text)).plain())
    every = [one for thing in things for one in thing["commands"]]
    assert any(command in one for one in every) is typed, every


LEAF = (
    HEAD
    + """/ip address
add address=10.10.10.2/30 interface=ether1
add address=10.20.0.1/24 interface=ether2
/ip firewall filter
add action=accept chain=forward connection-state=established,related
add action=drop chain=forward connection-state=invalid
/ip route
add dst-address=192.168.30.0/24 gateway=10.20.0.9
/routing bgp connection
add local.role=ebgp name=core remote.address=10.10.10.1 .as=64512
"""
)


@pytest.mark.parametrize(
    ("old", "new", "fasttrack"),
    [
        ("", "", True),
        ("10.10.10.2/30", "10.10.10.2/24", False),  # another router may be there
        ("remote.address=10.10.10.1", "remote.address=10.99.0.1", False),
        ("gateway=10.20.0.9", "gateway=10.20.0.9\nadd gateway=10.20.0.8", False),
        ("/routing bgp", "/routing bgp connection\nadd name=b remote.address=10.20.0.9\n/routing bgp", False),
        (
            "/routing bgp connection\nadd local.role=ebgp name=core remote.address=10.10.10.1 .as=64512",
            "/routing ospf interface-template\nadd area=backbone networks=10.10.10.0/30\nadd area=backbone networks=10.20.0.0/24 passive",
            True,
        ),
        (
            "/routing bgp connection\nadd local.role=ebgp name=core remote.address=10.10.10.1 .as=64512",
            "/routing ospf interface-template\nadd area=backbone",
            False,
        ),
    ],
)  # fmt: skip
def test_behind_a_single_neighbour_both_directions_pass_the_router(
    old: str, new: str, fasttrack: bool
) -> None:
    rows = answered(LEAF.replace(old, new) if old else LEAF)["classes"]
    offers = [change for row in rows for change in row["changes"] if "fasttrack-connection" in "".join(change["commands"])]  # fmt: skip
    assert bool(offers) is fasttrack


FRAMES = (
    HEAD
    + """/interface bridge
add name=lan
/interface bridge port
add bridge=lan interface=ether2
add bridge=lan interface=ether3
/ip address
add address=192.168.1.1/24 interface=lan
/ip dhcp-client
add interface=ether1
/ip firewall nat
add action=masquerade chain=srcnat out-interface=ether1
/interface bridge filter
add action=accept chain=forward mac-protocol=vlan vlan-id=100
"""
)


KID = "/ip kid-control\nadd mon=8h-20h name=child\n/ip kid-control device\nadd mac-address=02:00:00:00:00:01 name=tab user=child"
CHIP_IDLE = """# 2026-11-30 10:00:00 by RouterOS 7.20.8
# model = CRS326-24G-2S+
/ip address
add address=192.168.10.1/24 interface=ether2
add address=192.168.20.1/24 interface=ether3
add address=198.18.0.2/30 interface=ether1
/ip route
add gateway=198.18.0.1
"""


@pytest.mark.parametrize(
    ("more", "by_chip"),
    [
        ("", True),
        ("/ip firewall filter\nadd action=drop chain=input in-interface=ether1", True),
        ("/ip settings\nset rp-filter=strict", False),
        ("/ip settings\nset rp-filter=no", True),
        (
            "/routing rule\nadd action=drop dst-address=192.168.10.0/24 src-address=192.168.20.0/24",
            False,
        ),
        (
            "/ip ipsec policy\nadd dst-address=10.9.0.0/16 peer=p1 src-address=192.168.10.0/24 tunnel=yes",
            False,
        ),
        ("/ip ipsec policy\nset 0 disabled=yes", True),
        (KID, False),
        (KID.replace("mon=8h-20h", 'mon=""'), True),
        (KID.replace("user=child", "user=guest"), True),
    ],
)
def test_a_chip_routes_where_no_policy_rule_or_check_of_the_cpu_leads_or_guards_the_packets(
    more: str, by_chip: bool
) -> None:
    typed = [
        text
        for thing in to_do(Answer(ask(CHIP_IDLE + more + "\n")).plain())
        for text in thing["commands"]
    ]
    assert ("/interface/ethernet/switch/set 0 l3-hw-offloading=yes" in typed) == by_chip


@pytest.mark.parametrize(
    ("more", "gives_up"),
    [("", False), ("add action=drop chain=forward vlan-id=7\n", True), ("add action=log chain=forward\n", True)],
)  # fmt: skip
def test_rules_for_frames_that_only_accept_are_no_loss(more: str, gives_up: bool) -> None:
    rows = answered(FRAMES + more)["classes"]
    changes = [change for row in rows for change in row["changes"] if "/interface/bridge/filter/disable" in "".join(change["commands"])]  # fmt: skip
    assert [change for change in changes if not change["gives_up"]] == ([] if gives_up else changes)
    assert changes or gives_up


@pytest.mark.parametrize(
    ("more", "there"),
    [
        ("", False),
        ("/ipv6 address\nadd from-pool=p interface=lan\n", True),
        ("/ipv6 dhcp-client\nadd interface=ether1 request=prefix pool-name=p\n", True),
        ("/ppp profile\nset default dhcpv6-pd-pool=p\n", True),
        ("/ipv6 settings\nset accept-router-advertisements=yes\n", True),
    ],
)
def test_a_firewall_alone_gives_no_host_ipv6(more: str, there: bool) -> None:
    rules = "/ipv6 firewall filter\nadd action=drop chain=forward connection-state=invalid\n"
    rows = answered(FRAMES + rules + more)["classes"]
    assert bool([row for row in rows if row["class"] == "ipv6"]) is there


@pytest.mark.parametrize(("table", "astray"), [("", False), (" routing-mark=far", True)])
def test_a_mark_whose_table_has_no_route_leads_nothing_astray(table: str, astray: bool) -> None:
    text = (
        LAN_AND_WAN
        + FASTTRACK
        + f"""/ip route
add gateway=198.18.9.1{table}
/ip firewall mangle
add action=mark-routing chain=prerouting dst-address=10.9.0.0/16 new-routing-mark=far
"""
    )
    assert ("fasttrack-and-marks" in ask(text).met) is astray


@pytest.mark.parametrize(
    ("rule", "late"),
    [
        ("add action=reject chain=forward layer7-protocol=films", True),
        ("add action=drop chain=input layer7-protocol=films", False),
        ("add action=drop chain=forward content=films", None),  # it looks at every packet
        ("add action=drop chain=forward layer7-protocol=films time=8h-17h,mon", None),
    ],
)
def test_fasttrack_leaves_layer_7_rules_the_beginning_of_a_connection(
    rule: str, late: bool | None
) -> None:
    things = to_do(Answer(ask(home(first=rule + "\n" + ACCEPT))).plain())
    typed = [one for thing in things for one in thing["commands"] if "=fasttrack-connection" in one]
    assert [("connection-bytes=20000-0" in one) for one in typed] == (
        [] if late is None else [late]
    )


ROOMS = """# 2025-10-16 08:02:19 by RouterOS 7.19.6
/ip address
add address=10.1.0.1/24 interface=ether2
add address=10.2.0.1/24 interface=ether3
/ip dhcp-client
add interface=ether1
/ip firewall nat
add action=masquerade chain=srcnat out-interface=ether1
/ip firewall filter
"""
BETWEEN = "add action=accept chain=forward dst-address=10.2.0.0/24 src-address=10.1.0.0/24\n"
GUEST = "add action=drop chain=forward dst-address=10.9.0.0/24 src-address=10.2.0.0/24\n"


@pytest.mark.parametrize(
    ("rules", "place"),
    [
        (BETWEEN + GUEST, 0),
        (GUEST + BETWEEN, 1),
        # This one may refuse packets to the internet, which FastTrack's rule must not pass by.
        (BETWEEN + "add action=drop chain=forward time=22h-6h,mon,tue\n", 2),
    ],
)
def test_fasttrack_stands_before_what_other_networks_are_accepted_by(
    rules: str, place: int
) -> None:
    explanation = ask(ROOMS + rules)
    verdict = next(one for one in explanation.classes if one.traffic.name == "established")
    change = remedy.Changes(explanation).of_class(verdict)[0]
    again = ask(ROOMS + rules + "/ip firewall filter\n" + "\n".join(change["commands"]))
    chain = again.net.rows.where("/ip/firewall/filter", "chain", "forward")
    assert [row.get("action") for row in chain].index("fasttrack-connection") == place


QUEUE = "/queue simple add name=q target=10.1.0.9/32 max-limit=10M/10M"
OFF = "/queue simple\nadd disabled=yes " + QUEUE[18:] + "\n"
LEASES = "/ip dhcp-server\nadd interface=ether{port} name=d{port} {more}\n"


def script(port: int, text: str) -> str:
    return LEASES.format(port=port, more=f'lease-script="{text}"')


def every(text: str) -> str:
    return f'/system scheduler\nadd interval=1d name=night on-event="{text}"\n'


@pytest.mark.parametrize(
    ("more", "spared"),
    [
        (script(2, QUEUE), "in-interface=!ether2"),
        (script(2, QUEUE.replace("/queue simple", "/queue/simple/")), "in-interface=!ether2"),
        (script(2, ":log info bound"), ""),
        (LEASES.format(port=2, more="use-radius=yes"), "in-interface=!ether2"),
        (LEASES.format(port=2, more="use-radius=accounting"), ""),
        (script(2, QUEUE) + "/queue simple\n" + QUEUE[14:] + "\n", "in-interface=!ether2"),
        (script(2, QUEUE) + script(3, QUEUE), None),
        (every("/queue simple enable q") + OFF, "src-address=!10.1.0.9"),
        (every("/queue simple set q disabled=no") + OFF, "src-address=!10.1.0.9"),
        (every("/queue simple print") + OFF, ""),
        (every("/queue simple enable q; " + QUEUE) + OFF, None),
        (every("/queue simple print"), ""),
        (f'/tool netwatch\nadd host=192.0.2.1 up-script="{QUEUE}"\n', None),
        ('/tool netwatch\nadd host=192.0.2.1 up-script="/queue simple print"\n', ""),
        (f'/ppp profile\nadd name=p on-down="{QUEUE}"\n', None),
        (f'/system script\nadd name=make source="{QUEUE}"\n' + every("make"), None),
        (f'/system script\nadd name=make source="{QUEUE}"\n' + every("other"), ""),
    ],
)
def test_fasttrack_leaves_out_those_for_whom_queues_are_made_later(
    more: str, spared: str | None
) -> None:
    things = to_do(Answer(ask(ROOMS.replace("/ip firewall filter\n", more))).plain())
    rules = [one for thing in things for one in thing["commands"] if "=fasttrack-connection" in one]
    assert len(rules) == (0 if spared is None else 1)
    assert all(spared in rule if spared else "!" not in rule for rule in rules)


@pytest.mark.parametrize(
    ("rule", "lost"),
    [
        ("action=log chain=forward protocol=tcp tcp-flags=fin", True),
        ("action=log chain=forward", True),
        ("action=accept chain=forward log=yes src-address=10.1.0.7", True),
        ("action=log chain=forward protocol=tcp tcp-flags=syn", False),
        ("action=log chain=forward connection-state=new", False),
        ("action=log chain=forward limit=1,5:packet", False),
        ("action=log chain=input", False),
    ],
)
def test_fasttrack_takes_messages_away_only_as_a_choice(rule: str, lost: bool) -> None:
    things = to_do(Answer(ask(f"{ROOMS}add {rule}\n")).plain())
    changes = [thing for thing in things if "fasttrack-connection" in str(thing["commands"])]
    assert [thing["optional"] for thing in changes] == [lost]
    assert ["log messages" in thing["loses"] for thing in changes] == [lost]


LIMITED = "/queue simple\nadd max-limit=50M/50M name=lan target=192.168.1.0/24\n"
FOR_NOTHING = """/queue tree
add name=video packet-mark=video parent=ether1
/ip firewall mangle
add action=mark-packet chain=forward new-packet-mark=video dst-port=443 protocol=udp
"""


@pytest.mark.parametrize(
    ("brings", "more"),
    [
        ("content-of-each-packet", "/ip firewall filter\nadd action=add-dst-to-address-list "
         "address-list=films chain=forward content=films.example\n"),
        ("connection-mark-once", "/ip firewall mangle\nadd action=mark-connection chain=prerouting "
         "in-interface=ether2 new-connection-mark=lan\n"),
        ("mark-for-nothing", FOR_NOTHING),
    ],
)  # fmt: skip
def test_fasttrack_is_turned_off_though_the_cpu_has_more_to_do_then(brings: str, more: str) -> None:
    text = HOME + MARK + LIMITED + more
    plain = Answer(ask(text)).plain()
    (note,) = [note for note in plain["notes"] if note["rule"] == "fasttrack-and-queues"]
    assert note["commands"] and brings not in ask(text).met
    assert brings in after(text, note["commands"]).met


def test_fasttrack_is_offered_though_a_queue_without_a_limit_is_left_then() -> None:
    text = home("", "add action=accept chain=forward\n") + FOR_NOTHING
    changes = of_class(text, "established")
    assert [change for change in changes if "fasttrack-connection" in str(change["commands"])]
    again = after(text, changes[0]["commands"])
    assert "queue-limitless" in again.met and "queue-limitless" not in ask(text).met


@pytest.mark.parametrize(("more", "opens"), [("", True), ("max-limit=50M ", False)])
def test_a_firewall_that_does_nothing_goes_where_that_opens_the_fast_path(
    more: str, opens: bool
) -> None:
    text = HEAD + LAN_AND_WAN + "/ip firewall mangle\nadd action=accept chain=forward\n"
    text += f"/queue tree\nadd {more}name=all parent=global\n" if more else ""
    (note,) = [one for one in Answer(ask(text)).plain()["notes"]
               if one["rule"] == "firewall-for-nothing"]  # fmt: skip
    assert bool(note["commands"]) is opens


@pytest.mark.parametrize(("ports", "named"), [("2", False), ("234", True)])
def test_hotspots_are_a_loss_to_fasttrack_unless_it_leaves_them_out(
    ports: str, named: bool
) -> None:
    rows = "".join(f"add disabled=no interface=ether{port} name=h{port}\n" for port in ports)
    changes = of_class(NETWORKS + "/ip hotspot\n" + rows, "established")
    assert changes and all(("universal client" in one["loses"]) is named for one in changes)


DISABLED = "add action=fasttrack-connection chain=forward connection-state=established,related disabled=yes\n"
ACCEPTS = "add action=accept chain=forward connection-state=established,related\n"
TABLE = """/ip firewall mangle
add action=mark-routing chain=prerouting new-routing-mark=b src-address=192.168.1.7
/routing table
add fib name=b
/ip route
add gateway=198.18.0.9 routing-table=b
"""
POLICY = """/ip ipsec policy
add dst-address=10.9.0.0/24 peer=p src-address=192.168.1.0/24 tunnel=yes
"""


@pytest.mark.parametrize(
    ("more", "matcher"), [(TABLE, "src-address"), (TABLE, "dst-address"), (POLICY, "ipsec-policy")]
)
def test_a_disabled_fasttrack_rule_is_enabled_behind_what_it_must_leave_out(
    more: str, matcher: str
) -> None:
    text = HOME + DISABLED + ACCEPTS + more
    net = after(text, of_class(text, "established")[0]["commands"]).net
    chain = net.rows.where("/ip/firewall/filter", "chain", "forward")
    kept = [row.get("action") for row in chain if row.get(matcher)]
    assert kept and set(kept) == {"accept"}
    fasttrack = next(row.place for row in chain if row.get("action") == "fasttrack-connection")
    assert all(row.place < fasttrack for row in chain if row.get(matcher))


def of_class(text: str, name: str) -> list[dict[str, Any]]:
    """The changes that an answer offers for a class."""
    rows = answered(text)["classes"]
    return next(row["changes"] for row in rows if row["class"] == name)
