"""A router that is not what its condition wants is seen in the read-back, in every lab.

Excerpts of records hold what a kernel answered for each condition.  Each answer is spoilt as
spoilt.yml says, and is put in the place of another condition's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from pathlib import Path

import pytest
import yaml

from ppslab.model.lab import lab
from ppslab.model.lab.conditions import LinuxSpec
from ppslab.testbed.routers.linux import steering
from ppslab.testbed.routers.linux.deployed import Deployed
from ppslab.testbed.routers.linux.read_back import State, compare
from tests.support import excerpts

SPOILT = yaml.safe_load(Path(__file__).with_name("spoilt.yml").read_text(encoding="utf-8"))
EACH = "each answer"
# A network card has queues by itself, a virtual wire none.
DEPLOYED = Deployed({}, (), (), {"eth4": frozenset({"mq", "fq_codel"})})


@dataclass(frozen=True)
class Answered:
    """What the nodes of one name answered in a record, by condition."""

    excerpt: excerpts.Excerpt
    node: str = ""

    @cached_property
    def lab(self) -> lab.Lab:
        return lab.find(self.excerpt.name.removeprefix("tcp-").partition("-")[0])

    @cached_property
    def ports(self) -> list[str]:
        return [] if self.node else list(self.lab.spec.ports.values())

    @cached_property
    def states(self) -> dict[str, State]:
        read = excerpts.tcp_record if self.excerpt.name.startswith("tcp-") else excerpts.record
        conditions = read(self.excerpt).conditions
        texts = {each.name: each.read_back for each in conditions if each.read_back}
        if self.node:
            texts = {
                name: text.partition(f"# node {self.node}\n")[2] for name, text in texts.items()
            }
        return {name: State.of(text, self.ports) for name, text in texts.items()}

    def spec(self, name: str) -> LinuxSpec:
        condition = self.lab.condition(name)
        return condition.nodes[self.node] if self.node else condition.linux

    def problems(self, name: str, parts: dict[str, str], of: str = "") -> list[str]:
        """What the read-back of a condition says to these answers; `of`: whose rules are loaded."""
        return list(
            compare(
                self.spec(name),
                replace(self.states[of or name], parts=parts),
                ports=self.ports,
                deployed=DEPLOYED,
                listing=self.states[name].rules,
                bpf_mode="tc",
            )
        )


RECORDS = {
    "cores": Answered(excerpts.CORES),
    "eoip": Answered(excerpts.TUNNELS),
    "eoip's core": Answered(excerpts.FAR_TUNNELS, "core"),
    "hundred": Answered(excerpts.BOND_PACKETS),
    "hundred, TCP": Answered(excerpts.BONDS),
    "queues": Answered(excerpts.QUEUES),
    "queues, TCP": Answered(excerpts.TCP_QUEUES),
}


@pytest.mark.parametrize("name", RECORDS)
def test_a_kernel_answered_as_the_condition_wants(name: str) -> None:
    for condition, state in RECORDS[name].states.items():
        assert RECORDS[name].problems(condition, state.parts) == [], condition


def spoilt(name: str) -> Iterator[tuple[str, str, dict[str, str]]]:
    """Condition, what is wrong with its answers, and these."""
    record, words = RECORDS[name], SPOILT.get(name, {})
    for condition, state in record.states.items():
        for what, (good, bad) in words.get(condition, {}).items():
            parts = {
                key: re.sub(good, bad, part)
                if key.startswith("answer ") or key == steering.HEADING
                else part
                for key, part in state.parts.items()
            }
            yield condition, what, parts
        for number in range(len(record.spec(condition).expect.answers)):
            key = f"answer {number}"
            for what, (good, bad) in words.get(EACH, {}).items():
                text = re.sub(good, bad, state.parts[key], count=1, flags=re.MULTILINE)
                if text != state.parts[key]:
                    yield condition, f"{what}, {key}", {**state.parts, key: text}


@pytest.mark.parametrize("name", [name for name in RECORDS if name in SPOILT])
def test_a_spoilt_answer_is_seen(name: str) -> None:
    cases = list(spoilt(name))
    assert cases
    for condition, what, parts in cases:
        said = RECORDS[name].states[condition].parts
        assert parts != said, f"{condition}: the kernel does not answer the pattern of {what}"
        assert RECORDS[name].problems(condition, parts), (condition, what)


@pytest.mark.parametrize("name", RECORDS)
def test_another_conditions_answers_are_seen(name: str) -> None:
    """Wherever all that this one asks for was asked of the other, and is to be another."""
    record = RECORDS[name]
    for condition, (other, state) in product(record.states, record.states.items()):
        mine, theirs = record.spec(condition), record.spec(other)
        questions = list(theirs.expect.answers)
        if not (set(mine.expect.answers) <= set(questions)
                and mine.port_queues.keys() <= theirs.port_queues.keys()):  # fmt: skip
            continue
        parts = {key: part for key, part in state.parts.items() if not key.startswith("answer ")}
        for number, question in enumerate(mine.expect.answers):
            parts[f"answer {number}"] = state.parts[f"answer {questions.index(question)}"]
        lines = parts.get(steering.HEADING, "").splitlines(keepends=True)
        parts[steering.HEADING] = "".join(x for x in lines if x.split()[0] in mine.port_queues)
        differ = (mine.nft, mine.tc) != (theirs.nft, theirs.tc) or any(
            own[key] != its[key]
            for own, its in (
                (mine.expect.answers, theirs.expect.answers),
                (mine.port_queues, theirs.port_queues),
            )
            for key in own
        )
        assert record.problems(condition, parts, of=other) or not differ, (condition, other)


@pytest.mark.parametrize(("name", "number"), [("simple-1", 5), ("simple-5", 1)])
def test_rules_of_another_number_of_queues_are_seen(name: str, number: int) -> None:
    record = RECORDS["queues"]
    parts = record.states[name].parts
    problems = record.problems(name, parts, of=f"simple-{number}")
    assert any("not those of" in problem for problem in problems)
