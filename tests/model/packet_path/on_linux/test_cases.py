"""Cases of cases.yml: a command, and what Linux is told, what is printed, or why it is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from ppslab.model.packet_path.on_linux.in_page import Talk

CASES = yaml.safe_load(Path(__file__).with_name("cases.yml").read_text(encoding="utf-8"))
WIRED = [("ether2", "eth1"), ("ether3", "eth2"), ("p1", "eth1"), ("p2", "eth2")]


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_a_command_does_what_the_case_says(case: dict[str, Any]) -> None:
    talk = Talk(json.dumps(WIRED))
    *before, last = case["typed"]
    for line in before:
        assert json.loads(talk.take(line))["refused"] == [], line
    took = json.loads(talk.take(last))
    why = " ".join(sentence for _, sentence in took["refused"])
    assert case["refuses"] in why if "refuses" in case else why == ""
    for note in case.get("notes", []):
        assert note in " ".join(took["notes"])
    if "runs" in case:
        assert case["runs"].strip() in "\n".join(took["script"])
    if "asks" in case:
        assert took["asks"] == case["asks"]
    if "prints" in case:
        shown = talk.shown(case["answers"]) if "answers" in case else "\n".join(took["printed"])
        assert shown.strip() == case["prints"].strip()
        assert took["script"] == []
