"""Answers that were written by hand from the manual, before the tool was asked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from asked import ask, of

from rosexplain import rule_files, traffic
from rosexplain.report import Answer

BY_HAND: list[dict[str, Any]] = yaml.safe_load(
    Path(__file__).with_name("by_hand.yml").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("case", BY_HAND, ids=[case["name"] for case in BY_HAND])
def test_the_answer_is_the_one_that_was_written_by_hand(case: dict[str, Any]) -> None:
    found = ask(case["export"])
    assert not found.net.rows.unread
    said = {}
    for name in case["classes"]:
        decided = of(found, name)
        said[name] = (decided.answer, decided.ways)
    wanted = {name: (row["answer"], row["paths"]) for name, row in case["classes"].items()}
    assert said == wanted
    names = [each.traffic.name for each in found.classes]
    assert not [name for name in case.get("none", []) if name in names]
    plain = Answer(found).plain()  # and it can be shown
    assert [each["class"] for each in plain["classes"]] == names


def test_every_answer_follows_from_facts_and_every_kind_of_traffic_has_one() -> None:
    facts = rule_files.facts()
    kinds = set()
    for case in BY_HAND:
        found = ask(case["export"])
        for name, row in case["classes"].items():
            assert set(row["by"]) <= set(facts) and row["why"]
            kinds.add(of(found, name).traffic.kind)
    assert kinds == {traffic.BRIDGED, traffic.NEW, traffic.ESTABLISHED, traffic.LOCAL,
                     traffic.OTHER, traffic.CARRIED, traffic.PROTECTED}  # fmt: skip
    answers = {row["answer"] for case in BY_HAND for row in case["classes"].values()}
    assert answers == {"yes", "no", "depends", "unknown"}
