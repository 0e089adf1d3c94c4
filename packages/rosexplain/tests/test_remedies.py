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


SITES = """/ip firewall address-list
add address={} list=sites
/ip firewall mangle
add action=mark-routing chain=prerouting dst-address-list=sites new-routing-mark=vpn
"""


@pytest.mark.parametrize("address", ["films.example", "10.9.0.0/16"])
def test_fasttrack_leaves_out_the_sites_of_a_list_that_a_mark_leads_elsewhere(address: str) -> None:
    text = home(SITES.format(address))
    plain = Answer(ask(text)).plain()
    (change,) = next(row["changes"] for row in plain["classes"] if row["class"] == "established")
    found = typed_behind(text, change["commands"])
    assert "fasttrack" in found.met and "fasttrack-and-marks" not in found.met


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


@pytest.mark.parametrize(
    ("more", "gives_up"),
    [("", False), ("add action=drop chain=forward vlan-id=7\n", True), ("add action=log chain=forward\n", True)],
)  # fmt: skip
def test_rules_for_frames_that_only_accept_are_no_loss(more: str, gives_up: bool) -> None:
    rows = answered(FRAMES + more)["classes"]
    changes = [change for row in rows for change in row["changes"] if "/interface/bridge/filter/disable" in "".join(change["commands"])]  # fmt: skip
    assert [change for change in changes if not change["gives_up"]] == ([] if gives_up else changes)
    assert changes or gives_up


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
