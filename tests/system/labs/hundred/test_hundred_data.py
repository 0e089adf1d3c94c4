"""The lab hundred: its packets leave by the ports that the rule names, and a bond that is not what
its condition wants is seen in the read-back.

An excerpt of a record holds what a kernel answered for each condition; each answer is spoilt.
"""

from __future__ import annotations

import re

import pytest

from ppslab.model.bonding.ports import Packet, Policy, port_of
from ppslab.model.lab import lab, published
from ppslab.model.lab.conditions import Condition
from ppslab.model.lab.packets import Flow
from ppslab.testbed.routers.linux.deployed import Deployed
from ppslab.testbed.routers.linux.read_back import State, compare
from tests.support import excerpts

LAB = lab.find("hundred")
PORTS = list(LAB.spec.ports.values())
BARE = Deployed(links={}, routes=(), neighbours=(), queues={})
ANSWERED = {each.name: each.read_back for each in excerpts.record(excerpts.BOND_PACKETS).conditions}
COUNTED = [each for each in LAB.conditions.values() if each.flows]
ASKED = [
    (condition, number, command)
    for condition in COUNTED
    for number, command in enumerate(condition.linux.expect.answers)
]
SPOILT = {
    r"balance-xor \d": "active-backup 1",
    r"layer3\+4 1": "layer2+3 2",
    r"layer2 0": "layer3+4 1",
    r"MII Status: up": "MII Status: down",
    r"^1520$": "1519",
    r"^1500$": "1520",
    r"mtu 1500": "mtu 1496",
    r"@(po0|eth\d)": "@eth8",
    r" id 300\d": " id 4094",
    r" dev \w+": " dev eth8",
    r"PERMANENT": "FAILED",
}
"""What an answer says where all is well, and where something went wrong."""


def problems(condition: Condition, state: State) -> list[str]:
    """What the read-back says of a router of which `state` was read."""
    return list(
        compare(condition.linux, state, ports=PORTS, deployed=BARE, listing=[], bpf_mode="tc")
    )


def spoilt(text: str) -> list[str]:
    """The text with one thing wrong, for all that can be."""
    found = [re.sub(good, bad, text, count=1, flags=re.MULTILINE) for good, bad in SPOILT.items()]
    return [each for each in found if each != text]


@pytest.mark.parametrize("condition", COUNTED, ids=lambda condition: condition.name)
def test_a_kernel_answered_as_the_condition_wants(condition: Condition) -> None:
    assert problems(condition, State.of(ANSWERED[condition.name], PORTS)) == []


@pytest.mark.parametrize(
    ("condition", "number", "command"), ASKED, ids=lambda each: getattr(each, "name", str(each))
)
def test_an_answer_that_is_another_is_seen(condition: Condition, number: int, command: str) -> None:
    state = State.of(ANSWERED[condition.name], PORTS)
    wrong = spoilt(state.parts[f"answer {number}"])
    assert wrong, f"nothing of SPOILT is in the answer to {command}"
    for told in wrong:
        parts = {**state.parts, f"answer {number}": told}
        other = State(parts, state.merging, state.rules, state.links, state.qdiscs)
        assert len(problems(condition, other)) == 1, (command, told)


def port_by_the_rule(flow: Flow, policy: Policy) -> str:
    """By which port the flow leaves the bond, whose address is that of its first port."""
    packet = Packet(
        "02:00:c6:12:01:01",
        "02:00:c6:12:00:04",
        str(flow.internet.src),
        str(flow.internet.dst),
        (int(str(flow.transport.src_port)), int(str(flow.transport.dst_port))),
    )
    return f"p{1 + port_of(packet, policy, 8)}"


@pytest.mark.parametrize(
    ("name", "policy", "used"),
    [("bond-vlans", "layer3+4", 8), ("bond-vlans-ipv6", "layer3+4", 8),
     ("bond-vlans-layer2", "layer2", 1)],
)  # fmt: skip
def test_each_stream_is_awaited_where_the_rule_sends_it(
    name: str, policy: Policy, used: int
) -> None:
    flows = LAB.flows(LAB.condition(name))
    assert [flow.rx_name for flow in flows] == [port_by_the_rule(flow, policy) for flow in flows]
    assert len({flow.rx_name for flow in flows}) == used
    assert {flow.ethernet.vlan for flow in flows} == {3000}


def test_the_vlans_that_the_article_prints_are_the_lab_s() -> None:
    """It has none for 3008, so 3000 to 3012 are twelve, as the row says where it is published."""
    row = published.load(LAB)["chr-vlans"]
    first, last, *left_out = (int(number) for number in re.findall(r"VLAN(\d+)", row.shown))
    made = [int(n) for n in re.findall(r"vlan-id=(\d+)", LAB.text("routeros/vlans.rsc"))]
    assert made == [number for number in range(first, last + 1) if number not in left_out]
    assert row.value == len(made)
