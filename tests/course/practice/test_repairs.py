"""Repairs beside those of the files: each right one solves its exercise, no harmful one does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from ppslab.course import practice
from ppslab.course.models import cases as model
from rosexplain.base import base
from rosexplain.classify import explain, trace_packet
from rosexplain.packet import parsed as parsed_packet
from rosexplain.parse import parsed
from tests.course.practice.test_files import EVERY, failing, judged

REPAIRS = yaml.safe_load(Path(__file__).with_name("repairs.yml").read_text(encoding="utf-8"))
NAMED = "One such packet: "
OPENS = {
    "input": "/ip/firewall/filter/disable [find where chain=input action=drop]",
    "all": "/ip/firewall/filter/disable [find action=drop]",
}
"""What leaves a router open, in words of every firewall."""


def repairs(kind: str) -> list[Any]:
    return [
        pytest.param(name, typed, id=f"{name}-{number}")
        for name, texts in REPAIRS[kind].items()
        for number, typed in enumerate(texts, 1)
    ]


@pytest.mark.parametrize("kind", ["right", "wrong"])
@pytest.mark.parametrize("name", practice.names())
def test_every_case_has_both(name: str, kind: str) -> None:
    assert REPAIRS[kind].get(name), f"repairs.yml has none of {name} under `{kind}`"


def test_repairs_are_of_cases_and_drills() -> None:
    assert set(REPAIRS["right"]) | set(REPAIRS["wrong"]) <= set(EVERY)
    assert len(repairs("right")) >= 30


@pytest.mark.parametrize(("name", "typed"), repairs("right"))
def test_a_right_repair_solves_its_case(name: str, typed: str) -> None:
    result = judged(name, typed)
    assert result["refused"] == []
    assert result["solved"], result["findings"]


@pytest.mark.parametrize(("name", "typed"), repairs("wrong"))
def test_a_harmful_repair_is_no_solution(name: str, typed: str) -> None:
    result = judged(name, typed)
    assert result["refused"] == []
    assert not result["solved"], f"under `wrong` of repairs.yml, and it solves {name}: {typed}"
    assert model.HARMLESS in failing(name, typed)


@pytest.mark.long
def test_the_packet_that_a_harm_names_passes_only_with_it_or_only_without_it() -> None:
    asked = 0
    for name, one in EVERY.items():
        for mistake in one.mistakes:
            findings = judged(name, mistake.run)["findings"]
            for line in findings[-1][3].splitlines() if findings else ():
                if NAMED not in line:
                    continue
                packet = parsed_packet(line.partition(NAMED)[2])
                router = parsed(one.export, "export")
                ends = [
                    trace_packet(explain(exports, base()), packet.copied())["path"]
                    for exports in ([router], [router, parsed(mistake.run, "typed")])
                ]
                dropped = ["dropped" in ways for ways in ends]
                assert dropped == ["would pass" in line, "would pass" not in line], (
                    name,
                    line,
                    ends,
                )
                asked += 1
    assert asked > 5


@pytest.mark.parametrize(
    ("name", "opens"),
    [
        pytest.param(name, opens, id=f"{name}-{chain}")
        for name, one in EVERY.items()
        for chain, opens in OPENS.items()
        if "action=drop" in one.export and (chain == "all" or f"chain={chain}" in one.export)
    ],
)
def test_a_solution_that_leaves_the_router_open_is_none(name: str, opens: str) -> None:
    typed = EVERY[name].solutions[0].rstrip() + "\n" + opens
    assert judged(name, typed)["refused"] == []
    assert model.HARMLESS in failing(name, typed)
