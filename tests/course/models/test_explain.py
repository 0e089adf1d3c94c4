"""The widget that explains an export: both hosts say the same, in any order."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ppslab.course.models import explain as model
from ppslab.course.widgets.facts import sources
from rosexplain.parse import Export, parsed
from tests.course.models.both import ask, both

EXAMPLES: dict[str, dict[str, Any]] = dict(sources.explain()["examples"])

MANY = """# 2026-11-20 10:00:00 by RouterOS 7.20.8
# model = CRS504-4XQ
/interface bridge
add name=bridge1 vlan-filtering=yes
add name=bridge2
add name=bridge3
/interface pppoe-client
add disabled=no interface=qsfp28-2-1 name=pppoe-out1 user=u
add interface=qsfp28-2-2 name=pppoe-out2 user=u
/interface bridge port
add bridge=bridge1 interface=ether1
add bridge=bridge1 interface=qsfp28-1-1
add bridge=bridge2 interface=eoip1
add bridge=bridge3 interface=eoip2
/interface eoip
add name=eoip1 remote-address=192.0.2.2 tunnel-id=1
add name=eoip2 remote-address=192.0.2.3 tunnel-id=2
/interface bridge filter
add action=drop chain=forward
/ip address
add address=198.18.1.1/24 interface=bridge1
set 7 interface=ether9
/ip firewall filter
add action=fasttrack-connection chain=forward connection-state=established,related
/ip firewall nat
add action=masquerade chain=srcnat out-interface=pppoe-out1
:put x
"""
"""Bridges and tunnels that are alike, ports of which no source says whose they are, a client that
may be off, and lines that are not read."""
GIVEN_UP = """# 2026-11-20 10:00:00 by RouterOS 6.49.18
# model = CRS112-8P-4S
/interface bridge
add name=bridge1 vlan-filtering=yes
/interface bridge settings
set use-ip-firewall=yes
/interface bridge port
add bridge=bridge1 interface=ether3
add bridge=bridge1 interface=ether4 pvid=20
/interface bridge vlan
add bridge=bridge1 tagged=ether3 vlan-ids=20
/queue simple
add max-limit=10M/10M name=q1 target=192.168.88.0/24
add max-limit=10M/10M name=q2 target=192.168.89.0/24
add max-limit=20M/20M name=q3 target=192.168.88.7
/ip address
add address=192.168.88.1/24 interface=bridge1
add address=192.168.89.1/24 interface=ether5
/ip firewall filter
add action=drop chain=input dst-port=53 protocol=tcp
/ip firewall mangle
add action=change-dscp chain=prerouting dst-address=192.168.88.0/24 new-dscp=46
/ip traffic-flow
set enabled=yes
"""
"""Several things that a faster path gives up, and VLANs that the chip could filter."""
TEXTS = [each["export"]["text"] for each in EXAMPLES.values()] + [MANY]
PRINTED = "> /ip/settings/print\nipv4-fast-path-active: no\n"


def export(text: str, **more: Any) -> dict[str, Any]:
    return {"export": {"name": "x", "text": text}, **more}


@pytest.mark.long
def test_both_hosts_say_the_same() -> None:
    every: list[dict[str, Any]] = [{}, *EXAMPLES.values()]
    for inputs in EXAMPLES.values():
        every.append({**inputs, "packet": "dst=1.1.1.1:443/tcp established", "without": "25 26 27"})
    every += [
        export("nothing"),
        export(GIVEN_UP),
        export("\ufeff# \u043f\ufffd\n/ip settings\nset allow-fast-path=no\n\ufffd \\\n \u00bb\n"),
        export("/ip settings\nset allow-fast-path=no\n", packet="dst=nowhere"),
        export("/ip address\nadd address=8.8.8.8/24 interface=ether1\n", replace=True),
        export("/interface bridge\nadd name=pasel\n/interface bridge port\n"
               "add bridge=pasel interface=ether2\n/queue simple\nadd name=\"K. & Sohn\" "
               "target=8.8.4.4/32 max-limit=1M/x\n/ip address\nadd address=8.8.8.8/24 "
               "interface=pasel\n", replace=True, packet="in=pasel dst=9.9.9.9:443/tcp"),
        export("/ip address\nadd address=1.1.1.1/24\n",
               printed={"name": "p", "text": "> /tool/sniffer/print\nrunning: yes\n"}),
        export('/interface wireguard\nadd name=w private-key="a\\"b" \\\n  mtu=1\n:put x\n{\n'),
        {**EXAMPLES["A home router"],
         "change": "/ip firewall connection tracking set enabled=no; /ip firewall filter remove 0"},
        {**EXAMPLES["A home router"], "change": "/queue simple add target=192.168.88.2 "
         "max-limit=5M/5M\n/ip firewall filter disable [find action=fasttrack-connection]",
         "replace": True},
        {**EXAMPLES["A home router"], "change": "/ip firewal filter add\n{\nprint"},
        export("/interface ethernet\nset [ find default-name=a ] name=wan .a=1\nset [find] b=2"),
    ]  # fmt: skip
    answers = both("explain", every)
    ways = [[each[1] for each in answer.get("values", {}).get("answers", [])] for answer in answers]
    assert ways[1] and ways[1] != ways[2]


@pytest.mark.parametrize("label", EXAMPLES)
def test_an_example_is_answered_with_its_deciding_lines_marked(label: str) -> None:
    answer = ask("explain", **EXAMPLES[label])
    assert answer["values"]["answers"]
    assert "decides" in {mark for _, _, mark in answer["listing"]}


def test_a_change_is_tried_and_its_answer_is_under_its_box() -> None:
    inputs = EXAMPLES["A home router"]
    answer = ask("explain", **inputs, change="/ip firewall connection tracking set enabled=no")
    parts = [row[0] for table in answer["tables"] if table["below"] == "change"
             for row in table["rows"]]  # fmt: skip
    assert parts.count("Slower") == 1 and "Lost" in parts and "Faster" not in parts
    assert "tables" not in ask("explain", **inputs, change="/ip settings set")["problem"]
    assert ask("explain", **inputs, change=" \n")["tables"] == ask("explain", **inputs)["tables"]


@pytest.mark.parametrize(
    ("change", "folded"),
    [("/ipv6 settings set disable-ipv6=yes", [False]),
     ("/ip firewall connection tracking set enabled=no", [False, True])],
    ids=["all the same", "some the same"],
)  # fmt: skip
def test_what_a_change_leaves_is_folded_beside_what_it_changes(
    change: str, folded: list[bool]
) -> None:
    answer = ask("explain", **EXAMPLES["A home router"], change=change)
    tables = [table for table in answer["tables"] if table["below"] == "change"]
    same = ["The same" in {row[0] for row in table["rows"]} for table in tables]
    assert [table.get("folds", False) for table in tables] == folded
    assert same in (folded, [True])


def test_a_line_that_were_gone_changes_the_answer() -> None:
    inputs = EXAMPLES["An accept rule before the FastTrack rule"]
    text = inputs["export"]["text"]
    rules = enumerate(text.split("\n"), start=1)
    line = next(n for n, each in rules if each.startswith("add action=accept chain=forward"))
    ways = {}
    for without in ("", str(line)):
        answer = ask("explain", **{**inputs, "without": without})
        ways[without] = {name: way for name, way, _ in answer["values"]["answers"]}["established"]
    assert ways == {"": "no", str(line): "yes"}
    assert [number for number, _, mark in answer["listing"] if mark == "gone"] == [line]


def every_word(of: Export) -> str:
    """All that an export holds, as text that changes with any of it."""
    commands = [[vars(each) for each in one] for one in (of.commands, of.asked, of.unread)]
    return repr([vars(of) | {"commands": commands[0], "asked": commands[1], "unread": commands[2]}])


@st.composite
def questions(draw: st.DrawFn) -> dict[str, Any]:
    """An export of few, and what is asked of it: lines gone, a packet, what its router printed."""
    text = draw(st.sampled_from(TEXTS))
    numbers = sorted({each.number for each in parsed(text, "r").commands})
    gone = draw(st.lists(st.sampled_from(numbers), max_size=3, unique=True))
    packet = draw(st.sampled_from(["", "dst=1.1.1.1:443/tcp established", "dst=nowhere"]))
    printed = draw(st.sampled_from([None, {"name": "p", "text": PRINTED}]))
    without = " ".join(str(number) for number in gone)
    return export(
        text, without=without, packet=packet, printed=printed, replace=draw(st.booleans())
    )


def alone(asked: dict[str, Any]) -> str:
    """The answer to a question that is the first of all."""
    model._KEPT.clear()
    return json.dumps(ask("explain", **asked))


@pytest.mark.long
@settings(max_examples=25, deadline=None)
@given(st.lists(questions(), min_size=1, max_size=3), st.randoms(use_true_random=False))
def test_answers_in_any_order_are_the_same_and_change_no_export(
    asked: list[dict[str, Any]], random: Any
) -> None:
    wanted = [alone(each) for each in asked]
    order = [*range(len(asked)), *range(len(asked))]
    random.shuffle(order)
    model._KEPT.clear()
    for number in order:
        assert json.dumps(ask("explain", **asked[number])) == wanted[number]
        (((name, text), kept),) = model._KEPT.items()
        assert text == asked[number]["export"]["text"]
        assert every_word(kept) == every_word(parsed(text, name))
