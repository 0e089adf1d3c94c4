# ruff: noqa: E501  (exports have long lines)
"""Every remedy, of whatever class, is applied to its export: better, and nothing new is warned of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from ppslab.model.packet_path import rules
from rosexplain import base
from rosexplain.classify import NOTES, Explanation
from rosexplain.remedy import limits
from rosexplain.report import Answer, unlimited
from tests.model.packet_path.asked import ask, of

ANSWERS = ["no", "unknown", "depends", "yes"]
FILES = sorted((base.FILE.parents[2] / "examples").rglob("*.rsc"))
ACCEPT = "add action=accept chain=forward connection-state=established,related\n"
FASTTRACK = ACCEPT.replace("accept", "fasttrack-connection", 1)


def home(more: str = "", first: str = ACCEPT, model: str = "# model = RB5009UG+S+") -> str:
    return f"""# 2026-11-20 10:00:00 by RouterOS 7.20.8
{model}
/interface list
add name=WAN
/interface list member
add interface=ether1 list=WAN
/ip address
add address=198.18.1.1/24 interface=ether2
/ip firewall nat
add action=masquerade chain=srcnat out-interface=ether1
/ip firewall filter
{first}{more}"""


MARKS = """/ip firewall mangle
add action=mark-connection chain=prerouting connection-state=new in-interface=ether2 new-connection-mark=wan2 src-address=198.18.1.128/25
add action=mark-routing chain=prerouting connection-mark=wan2 new-routing-mark=wan2
"""
DIRECT = "/ip firewall mangle\nadd action=mark-routing chain=prerouting new-routing-mark=wan2 src-address=198.18.1.128/25\n"
SIMPLE = "/queue simple\nadd max-limit=10M/10M name=q1 target=198.18.1.0/24\n"
TREE = "/queue tree\nadd max-limit=10M name=q1 parent=global\n"
IPSEC = (
    "/ip ipsec policy\nadd dst-address=10.2.0.0/16 peer=p src-address=198.18.1.0/24 tunnel=yes\n"
)
VLANS = """# 2026-11-20 10:00:00 by RouterOS 7.20.8
# model = MODEL
/interface bridge
add name=bridge vlan-filtering=yes
/interface vlan
add interface=bridge name=vlan10 vlan-id=10
add interface=bridge name=vlan20 vlan-id=20
/interface bridge port
add bridge=bridge interface=sfp-sfpplus1 pvid=10
add bridge=bridge interface=sfp-sfpplus2 pvid=20
/interface bridge vlan
add bridge=bridge tagged=bridge vlan-ids=10
add bridge=bridge tagged=bridge vlan-ids=20
/ip address
add address=198.18.10.1/24 interface=vlan10
add address=198.18.20.1/24 interface=vlan20
"""
DROPS = f"/ip firewall filter\n{ACCEPT}add action=drop chain=forward src-address=198.18.20.0/24\n"
ON_PORTS = """# 2026-11-20 10:00:00 by RouterOS 7.20.8
# model = CRS326-24G-2S+
/interface vlan
add interface=ether1 name=vlan10 vlan-id=10
add interface=ether2 name=vlan20 vlan-id=20
/ip address
add address=198.18.10.1/24 interface=vlan10
add address=198.18.20.1/24 interface=vlan20
"""

CASES = {
    "home": home(),
    "tracking": home("/ip firewall connection tracking\nset enabled=yes\n"),
    "untracked": home("/ip firewall connection tracking\nset enabled=no\n"),
    "disabled rule": home(first=FASTTRACK.replace("add ", "add disabled=yes ") + ACCEPT),
    "disabled, dual WAN": home("add disabled=yes" + FASTTRACK[3:] + MARKS),
    "dual WAN": home(MARKS),
    "marked directly": home(DIRECT),
    "simple queue": home(SIMPLE),
    "queue tree": home(TREE),
    "queue and FastTrack": home(SIMPLE, FASTTRACK + ACCEPT),
    "PPP limits": home("/ppp profile\nadd name=p rate-limit=10M/10M\n"),
    "IPsec": home(IPSEC),
    "IPsec and FastTrack": home(IPSEC, FASTTRACK + ACCEPT),
    "IPsec, dual WAN": home(IPSEC + MARKS),
    "IPsec alone": home(IPSEC, first=""),
    "hotspot": home("/ip hotspot\nadd disabled=no interface=ether2 name=h\n"),
    "VRF": home("/ip vrf\nadd interfaces=ether5 name=guests\n"),
    "WireGuard notrack": home("/interface wireguard\nadd name=wg1\n/ip firewall raw\nadd action=notrack chain=prerouting in-interface=wg1\n"),
    "snooping": home("/interface bridge\nadd dhcp-snooping=yes name=b\n/interface bridge port\nadd bridge=b interface=ether2\n/interface bridge settings\nset use-ip-firewall=yes\n" + IPSEC),
    "CHR": home("/ip settings\nset allow-fast-path=no\n", model="# system id = abc"),
    "EoIP with IPsec": home("/interface eoip\nadd allow-fast-path=no ipsec-secret=x name=e remote-address=192.0.2.2 tunnel-id=1\n"),
    "v6": home().replace("7.20.8", "6.27"),
    "CRS317": VLANS.replace("MODEL", "CRS317-1G-16S+"),
    "CRS317, drops": VLANS.replace("MODEL", "CRS317-1G-16S+") + DROPS,
    "CCR2216": VLANS.replace("MODEL", "CCR2216-1G-12XS-2XQ").replace("sfp-sfpplus", "sfp28-") + DROPS,
    "CRS326, VLANs on ports": ON_PORTS,
}  # fmt: skip


def texts() -> Iterator[tuple[str, str]]:
    yield from CASES.items()
    for file in FILES:
        yield file.name, file.read_text(encoding="utf-8")


def warnings(found: Explanation) -> set[str]:
    return {name for name in NOTES if name in found.met} | set(limits(found))


def typed_behind(text: str, commands: list[str]) -> Explanation:
    """The export with the commands, as somebody who pastes them has it."""
    install = [c for c in commands if c.endswith("install")]
    version = rules.load().base.read_for if install else ""
    return ask(text, "\n".join(c for c in commands if c not in install), version=version)


def changes(name: str) -> list[list[str]]:
    """The commands of each remedy of what is established from LAN to WAN."""
    plain = Answer(ask(CASES[name])).plain()
    return [
        c["commands"] for e in plain["classes"] if e["class"] == "established" for c in e["changes"]
    ]


@pytest.mark.parametrize(("name", "text"), list(texts()), ids=lambda value: value[:24])
def test_a_remedy_makes_it_better_and_warns_of_nothing_new(name: str, text: str) -> None:
    found = ask(text)
    plain = Answer(found).plain()
    offered: list[tuple[dict[str, Any] | None, list[str]]] = []
    for each in plain["classes"]:
        offered += [(each, change["commands"]) for change in each["changes"]]
    offered += [(None, note["commands"]) for note in plain["notes"] if note["commands"]]
    for each, commands in offered:
        again = typed_behind(text, commands)
        assert not [row for row in again.net.rows.unread if row.file == "2.rsc"], commands
        assert warnings(again) <= warnings(found), commands
        if each is None:
            assert warnings(again) < warnings(found), commands
            continue
        then = of(again, each["class"])
        assert then.answer != "no", commands
        better = ANSWERS.index(then.answer) - ANSWERS.index(each["answer"])
        assert better > 0 or (better == 0 and then.ways != each["paths"]), commands


@pytest.mark.parametrize("name", ["dual WAN", "disabled, dual WAN", "IPsec, dual WAN"])
def test_fasttrack_leaves_out_marked_connections_from_its_first_moment(name: str) -> None:
    (commands,) = changes(name)
    for count in range(1, len(commands) + 1):
        rows = typed_behind(CASES[name], commands[:count]).net.rows.of("/ip/firewall/filter")
        marking = [row for row in rows if row.get("action") == "fasttrack-connection"]
        assert {row.get("connection-mark") for row in marking} <= {"no-mark"}
    assert marking


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


def test_queues_that_limit_nobody_are_in_the_opening() -> None:
    found = ask(CASES["queue and FastTrack"])
    line = found.net.rows.of("/queue/simple")[0].first.number
    assert [said for said in unlimited(Answer(found).plain()) if f"1.rsc:{line}." in said]
    assert not unlimited(Answer(ask(CASES["home"])).plain())
