"""The widget that explains an export: both hosts say the same, and no secret is in an answer."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ppslab.course.widgets.facts.explain import examples
from tests.models.both import ask, both

EXAMPLES: dict[str, dict[str, Any]] = dict(examples())


def export(text: str, **more: Any) -> dict[str, Any]:
    return {"export": {"name": "x", "text": text}, **more}


@pytest.mark.long
def test_both_hosts_say_the_same() -> None:
    every: list[dict[str, Any]] = [{}, *EXAMPLES.values()]
    for inputs in EXAMPLES.values():
        every.append({**inputs, "packet": "dst=1.1.1.1:443/tcp established", "without": "25 26 27"})
    every += [
        export("nothing"),
        export("/ip settings\nset allow-fast-path=no\n", packet="dst=nowhere"),
        export("/ip address\nadd address=8.8.8.8/24 interface=ether1\n", hide=True),
        export("/ip address\nadd address=1.1.1.1/24\n",
               printed={"name": "p", "text": "> /tool/sniffer/print\nrunning: yes\n"}),
        export('/interface wireguard\nadd name=w private-key="a\\"b" \\\n  mtu=1\n:put x\n{\n'),
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


def test_a_line_that_were_gone_changes_the_answer() -> None:
    inputs = EXAMPLES["An accept in front of FastTrack"]
    text = inputs["export"]["text"]
    rules = enumerate(text.split("\n"), start=1)
    line = next(n for n, each in rules if each.startswith("add action=accept chain=forward"))
    ways = {}
    for without in ("", str(line)):
        answer = ask("explain", **{**inputs, "without": without})
        ways[without] = {name: way for name, way, _ in answer["values"]["answers"]}["established"]
    assert ways == {"": "no", str(line): "yes"}
    assert [number for number, _, mark in answer["listing"] if mark == "gone"] == [line]


def test_no_secret_is_in_the_answer() -> None:
    answer = ask("explain", **EXAMPLES["A tunnel in the bridge, with IPsec"])
    assert "a secret of" in EXAMPLES["A tunnel in the bridge, with IPsec"]["export"]["text"]
    assert "a secret of" not in json.dumps(answer)
