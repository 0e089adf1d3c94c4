# ruff: noqa: E501  (exports have long lines)
"""Every remedy, of whatever class, is applied to its export: better, and nothing new is warned of."""

from __future__ import annotations

import pytest

from ppslab.model.packet_path import rules
from rosexplain.classify import Explanation
from rosexplain.report import Answer, unlimited
from tests.model.packet_path.asked import ask

ACCEPT = "add action=accept chain=forward connection-state=established,related\n"
FASTTRACK = ACCEPT.replace("accept", "fasttrack-connection", 1)


def home(more: str = "", first: str = ACCEPT) -> str:
    return f"""# 2026-11-20 10:00:00 by RouterOS 7.20.8
# model = RB5009UG+S+
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
SIMPLE = "/queue simple\nadd max-limit=10M/10M name=q1 target=198.18.1.0/24\n"
IPSEC = (
    "/ip ipsec policy\nadd dst-address=10.2.0.0/16 peer=p src-address=198.18.1.0/24 tunnel=yes\n"
)

CASES = {
    "home": home(),
    "disabled, dual WAN": home("add disabled=yes" + FASTTRACK[3:] + MARKS),
    "dual WAN": home(MARKS),
    "queue and FastTrack": home(SIMPLE, FASTTRACK + ACCEPT),
    "IPsec": home(IPSEC),
    "IPsec, dual WAN": home(IPSEC + MARKS),
    "IPsec alone": home(IPSEC, first=""),
}


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
