"""The lab queues: a queue that is not the one its condition wants is seen in the read-back.

Excerpts of records hold what a kernel answered for each condition; each answer is put in the
place of another's.
"""

from __future__ import annotations

import itertools
import re

import pytest

from ppslab.model.lab import lab
from ppslab.model.lab.conditions import Condition
from ppslab.testbed.routers.linux.deployed import Deployed
from ppslab.testbed.routers.linux.read_back import State, compare
from tests.support import excerpts

LAB = lab.find("queues")
PORTS = list(LAB.spec.ports.values())
BARE = Deployed(links={}, routes=(), neighbours=(), queues={})
RECORDS = (excerpts.record(excerpts.QUEUES), excerpts.tcp_record(excerpts.TCP_QUEUES))
"""Of packets, and of TCP for the queues that are to be full."""
ANSWERED = {
    each.name: each.read_back for record in RECORDS for each in record.conditions if each.read_back
}
QUEUED = [c for c in LAB.conditions.values() if c.linux.tc and c.name in ANSWERED]


def problems(wanted: Condition, state: State, like: Condition) -> list[str]:
    """What the read-back of `wanted` says of a router that has `like`'s rules."""
    listing = State.of(ANSWERED[like.name], PORTS).rules if like.linux.nft else []
    return list(
        compare(wanted.linux, state, ports=PORTS, deployed=BARE, listing=listing, bpf_mode="tc")
    )


def answers(condition: Condition) -> dict[str, str]:
    """What the kernel answered each of the condition's questions."""
    parts = State.of(ANSWERED[condition.name], PORTS).parts
    asked = condition.linux.expect.answers
    return {command: parts[f"answer {number}"] for number, command in enumerate(asked)}


def test_every_condition_with_a_queue_was_read_back() -> None:
    assert {each.name for each in LAB.conditions.values() if each.linux.tc} == {
        each.name for each in QUEUED
    }, "support/excerpts.py: take a newer record"


@pytest.mark.parametrize("condition", QUEUED, ids=lambda condition: condition.name)
def test_a_queue_that_did_not_load_is_seen(condition: Condition) -> None:
    state = State.of(ANSWERED[condition.name], PORTS)
    assert problems(condition, state, condition) == []
    for number in range(len(condition.linux.expect.answers)):
        parts = {**state.parts, f"answer {number}": "qdisc noqueue 0: root refcnt 2\n0\n"}
        empty = State(parts, state.merging, state.rules, state.links, state.qdiscs)
        assert len(problems(condition, empty, condition)) == 1


def test_no_kind_or_number_of_queues_is_taken_for_another() -> None:
    wrong = []
    for one, other in itertools.permutations(QUEUED, 2):
        if one.linux.tc == other.linux.tc:
            continue
        found = answers(other)
        same = {
            command: expected
            for command, expected in one.linux.expect.answers.items()
            if command in found
        }
        told = one.linux.nft != other.linux.nft or not all(
            re.search(expected, found[command], re.MULTILINE) for command, expected in same.items()
        )
        if same.keys() == one.linux.expect.answers.keys() and not told:
            wrong.append((one.name, other.name))
    assert wrong == []


def test_rules_of_another_number_of_queues_are_seen() -> None:
    one, five = LAB.condition("simple-1"), LAB.condition("simple-5")
    state = State.of(ANSWERED["simple-1"], PORTS)
    assert any("not those of" in problem for problem in problems(one, state, five))


def test_the_last_queue_is_the_streams_own() -> None:
    for condition in LAB.conditions.values():
        for file in condition.files:
            name = re.fullmatch(r".*/(simple|list|tree)-(\d+)\.(nft|tc)", file)
            if name is None or (name[1], name[3]) in {("simple", "tc"), ("tree", "tc")}:
                continue
            addresses = re.findall(
                r"(?:saddr |src |^ {8})(\d+\.\d+\.\d+\.\d+)", LAB.text(file), re.M
            )
            assert len(addresses) == len(set(addresses)) == int(name[2]), file
            assert addresses[-1] == "198.18.1.2", file
