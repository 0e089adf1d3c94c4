# ruff: noqa: E501  (exports have long lines)
"""A remedy is typed behind the export that it is for, and the answer is what was promised."""

from __future__ import annotations

import re
from typing import Any

import pytest

from ppslab.model.packet_path import rules
from ppslab.testbed.routers.routeros.rsc import lint
from rosexplain import base, remedy
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
    assert changes or notes or name in FAST_ALREADY
    for asked, change in changes:
        then = change["then"]
        assert then["better"] and promised(change).startswith("then ")
        if not change["commands"][0].endswith("install"):
            is_ = of(after(text, change["commands"]), asked)
            assert (is_.answer, is_.ways) == (then["answer"], then["paths"])
    for note in notes:
        if note["commands"]:
            assert note["then"]["gone"], note["commands"]


def test_what_is_not_enough_alone_is_offered_with_what_else_is_needed() -> None:
    text = LAN + FASTTRACK + "/interface bridge filter\nadd action=drop chain=forward\n"
    text += "/interface bridge settings\nset use-ip-firewall=yes\n"
    (established,) = [
        c for c in Answer(ask(text)).plain()["classes"] if c["class"] == "established"
    ]
    (change,) = established["changes"]
    assert len(change["commands"]) == 2 and promised(change) == "then FastTrack (fast)"
    assert of(after(text, change["commands"]), "established").answer == "yes"


ACCEPTS = """/ip firewall filter
add action=drop chain=forward connection-state=invalid
add action=accept chain=input
add action=drop chain=forward src-address-list=blocked
add action=accept chain=forward ipsec-policy=in,ipsec
add action=accept chain=forward connection-state=established,related
add action=accept chain=forward connection-state=untracked
"""


def test_fasttrack_goes_in_front_of_the_first_accept_and_behind_the_drops() -> None:
    (change,) = [c for asked, c in offered(LAN + ACCEPTS, "rules") if asked == "established"]
    place = "[:pick [find where chain=forward action=accept !dynamic] 1]"
    assert change["commands"][0].endswith("place-before=" + place)
    found = after(LAN + ACCEPTS, change["commands"])
    order = [row.get("action") for row in found.net.rows.of("/ip/firewall/filter")]
    assert order == [
        "drop", "accept", "drop", "accept", "fasttrack-connection", "accept", "accept",
    ]  # fmt: skip


def test_a_rule_that_an_accept_stands_before_is_moved_and_no_other() -> None:
    text = LAN + ACCEPTS + FASTTRACK.splitlines()[1] + "\n"
    (change,) = [c for asked, c in offered(text, "accept-in-front") if asked == "established"]
    (command,) = change["commands"]
    assert command.startswith("/ip/firewall/filter/move [find where chain=forward action=fasttrack")
    found = after(text, [command])
    actions = [row.get("action") for row in found.net.rows.of("/ip/firewall/filter")]
    assert actions.index("fasttrack-connection") == 4


@pytest.mark.parametrize(
    ("more", "rule", "commands"),
    [
        ("/interface bridge\nset [ find name=lan0 ] dhcp-snooping=yes\nadd name=b dhcp-snooping=yes", "lan-snooping", ["/interface/bridge/set [find name=lan0] dhcp-snooping=no"]),
        ("/interface bridge filter\nadd action=drop chain=input disabled=yes\nadd action=drop chain=input", "lan-rules", ["/interface/bridge/filter/disable [:pick [find where chain=input action=drop !dynamic] 1]"]),
        ("/interface bridge nat\nadd action=accept chain=dstnat", "lan-rules", ["/interface/bridge/nat/disable [find where chain=dstnat action=accept !dynamic]"]),
    ],
)  # fmt: skip
def test_only_the_rows_that_decide_are_named(more: str, rule: str, commands: list[str]) -> None:
    (change,) = [c for asked, c in offered(LAN + FASTTRACK + more, rule) if asked == "established"]
    assert change["commands"] == commands


def test_many_rows_are_named_at_once_and_few_of_many_one_by_one() -> None:
    queues = "/queue simple\n" + "".join(
        f'add name="host \\"{n}\\"" target=192.168.77.{n}\n' for n in range(1, 81)
    )
    (change,) = [c for asked, c in offered(LAN + queues, "simple-queues") if asked == "established"]
    assert change["commands"] == ["/queue/simple/disable [find]"]
    tree = "/queue/tree\nadd name=x parent=ether1\n" + "".join(
        f"add name=t{n} parent=global\n" for n in range(80)
    )
    (change,) = [c for asked, c in offered(LAN + tree, "queue-tree") if asked == "established"]
    assert change["commands"] == ["/queue/tree/disable [find where parent=global !disabled]"]
    assert of(after(LAN + tree, change["commands"]), "established").answer == "yes"
    off = queues.replace("add ", "add disabled=yes ", 79)
    (change,) = [c for asked, c in offered(LAN + off, "simple-queues") if asked == "established"]
    assert change["commands"] == ['/queue/simple/disable [find name="host \\"80\\""]']
    assert of(after(LAN + off, change["commands"]), "established").answer == "yes"


def test_routeros_6_gets_commands_with_spaces() -> None:
    text = "# jan/02/2021 10:00:00 by RouterOS 6.48.1\n" + LAN + ACCEPTS
    (change,) = [c for asked, c in offered(text, "rules") if asked == "established"]
    assert change["commands"][0].startswith("/ip firewall filter add chain=forward")


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
    assert "203.0.113" not in shown and "/queue/simple/disable" in shown


def test_what_was_not_tried_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remedy, "MOST_TRIED", 1500)
    text = LAN + "/ip firewall filter\n" + "add action=accept chain=forward\n" * 1500
    plain = Answer(ask(text)).plain()
    assert not [change for each in plain["classes"] for change in each["changes"]]
    assert plain["untried"] and not Answer(ask(LAN)).plain()["untried"]


def test_examples_that_are_shown_promise_something() -> None:
    folder = base.FILE.parents[2] / "examples"
    plain = Answer(ask((folder / "accept-in-front.rsc").read_text(encoding="utf-8"))).plain()
    (established,) = [c for c in plain["classes"] if c["class"] == "established"]
    assert promised(established["changes"][0]) == "then FastTrack (fast)"


OLD = "# jan/02/2015 10:00:00 by RouterOS 6.27\n# model = CCR1009-8G-1S\n"


def test_before_6_29_there_is_no_fasttrack_and_the_remedy_begins_with_an_update() -> None:
    text = LAN.replace("add bridge=lan0", "#") + ACCEPTS
    (now,) = [c for asked, c in offered(text, "rules") if asked == "established"]
    (then,) = [c for asked, c in offered(OLD + text, "rules") if asked == "established"]
    assert then["commands"][0] == "/system package update install"
    assert len(then["commands"]) == len(now["commands"]) + 1
    assert promised(then) == promised(now) == "then FastTrack (fast)"
    marked = OLD + text + FASTTRACK
    assert of(ask(marked), "established").ways == ["slow"]


def test_before_6_29_a_bridge_s_ports_have_no_fast_path() -> None:
    plain = re.sub("(?s)/ip firewall.*", "", LAN)
    assert of(ask(OLD + plain), "established").ways == ["slow"]
    assert of(ask(OLD.replace("6.27", "6.30") + plain), "established").ways == ["fast-path"]
    routed = plain.replace("add bridge=lan0", "#")
    assert of(ask(OLD + routed), "established").ways == ["fast-path"]
