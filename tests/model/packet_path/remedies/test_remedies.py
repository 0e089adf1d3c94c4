"""A remedy is typed behind the export that it is for, and the answer is what was promised."""

from __future__ import annotations

import re
from typing import Any

import pytest

from ppslab.model.packet_path import rules
from ppslab.testbed.routers.routeros.rsc import lint
from rosexplain import remedy
from rosexplain.classify import Explanation
from rosexplain.commands import commands as commands_of
from rosexplain.report import Answer, promised
from tests.model.packet_path.asked import ask, of

RULES = {name: kept.rule for name, kept in rules.load().rules.items() if kept.rule.remedy}
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

FEATURES = {"hotspot", "ipsec"}
"""Rules about what FastTrack leaves on while it makes the rest fast."""


def export_of(name: str) -> str:
    """A rule's own example in a network of its own."""
    example = RULES[name].holds.export.replace("bridge1", "lan0")
    crossed = FASTTRACK if name.startswith("lan-") or name == "route-cache" else ""
    network = re.sub("add bridge=lan0.*", "", LAN) if name == "vrrp-before-6-29" else LAN
    return "\n".join([example, network, crossed])


def after(text: str, commands: list[str]) -> Explanation:
    found = ask(text, "\n".join(commands))
    assert [each for each in found.net.rows.unread if each.file == "2.rsc"] == [], commands
    return found


def offered(text: str, name: str) -> list[tuple[str, Any]]:
    """The changes for a rule, each with the class of packets that it is for."""
    plain = Answer(ask(text)).plain()
    return [
        (each["class"], change)
        for each in plain["classes"]
        for change in each["changes"]
        if change["rule"] == name
    ]


@pytest.mark.parametrize("name", RULES)
def test_a_remedy_typed_behind_the_export_ends_what_the_rule_is_about(name: str) -> None:
    text = export_of(name)
    found = ask(text)
    rule = next(each for each in rules.plain()["rules"] if each["id"] == name)
    packet = of(found, "established").traffic.packet
    family = 6 if name == "rules-ipv6" else 4
    commands = commands_of(found.net, rule, found.met[name], packet, family)
    assert commands and not any("{" in command for command in commands)
    if UPDATE in commands:
        text = re.sub(r"(by RouterOS )\S+", r"\g<1>" + rules.load().base.read_for, text)
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
    notes = [note for note in Answer(ask(text)).plain()["notes"] if note["rule"] == name]
    # Refused by a probe: it would take away too much.
    refused = [row for row in Answer(ask(text)).plain()["classes"] if row["refused"]]
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


def test_every_command_is_one_of_routeros_and_shows_no_secret() -> None:
    text = ""
    for name in RULES:
        export = export_of(name).replace("chain=forward", 'comment="hunter2" chain=forward')
        for _, change in offered(export, name):
            assert "hunter2" not in repr(change)
            if name not in ("accounting", "route-cache"):  # RouterOS 6 alone has them
                text += "\n".join(change["commands"]) + "\n"
    text = text.replace("/system package update", "/system/package/update")
    assert lint.check("remedies", text, hardware=True, in_passing=True) == []


def test_hidden_addresses_are_in_no_command() -> None:
    text = LAN + "/queue simple\nadd target=203.0.113.0/24 name=203.0.113.7\n"
    shown = repr(Answer(ask(text), hide=True).plain())
    assert "203.0.113" not in shown and "/queue simple disable" in shown


def test_what_was_not_tried_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remedy, "MOST_TRIED", 1500)
    text = LAN + "/ip firewall filter\n" + "add action=accept chain=forward\n" * 1500
    plain = Answer(ask(text)).plain()
    assert not [change for each in plain["classes"] for change in each["changes"]]
    assert plain["untried"] and not Answer(ask(LAN)).plain()["untried"]
