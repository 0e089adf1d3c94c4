"""Every rule of the rule base: its two examples, and a change of each that changes the answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from ppslab.core.errors import FileError
from ppslab.model.packet_path import rules
from ppslab.model.packet_path.rules.reading import FOLDER
from tests.model.packet_path.asked import HEAD, LAN_AND_WAN, ask, of

RULES = rules.load().rules


@pytest.mark.parametrize("name", RULES)
def test_a_rule_holds_where_it_says_so_and_nowhere_else(name: str) -> None:
    rule = RULES[name].rule
    for example, met in ((rule.holds, True), (rule.not_, False)):
        old, new = example.change.old, example.change.new
        assert old in example.export, f"{old!r} is not in the example"
        changed = example.export.replace(old, new, 1)
        for text, wanted in ((example.export, met), (changed, not met)):
            found = ask(text)
            assert (name in found.met) == wanted, f"{sorted(found.met)} of\n{text}"
            assert not found.net.rows.unread


def test_a_wrong_name_is_told_with_its_line(tmp_path: Path) -> None:
    for file in FOLDER.glob("*.yml"):
        (tmp_path / file.name).write_text(file.read_text(encoding="utf-8"))
    path = tmp_path / "queues.yml"
    text = path.read_text(encoding="utf-8")
    loses = "    loses: " + rules.rule("simple-queues").loses + "\n"
    for old, new in (
        ("closes: {ip: fast-path-queues}", "closes: {ip: fast-path-queue}"),
        ("  queue-tree:", "  allow:"),
        ("effect: blind", "effect: blink"),
        (loses, ""),
    ):
        path.write_text(text.replace(old, new, 1))
        with pytest.raises(FileError) as caught:
            rules.load(tmp_path)
        assert caught.value.line and caught.value.path.name == "queues.yml"


def test_a_class_that_nobody_named_is_told_with_its_line(tmp_path: Path) -> None:
    for file in FOLDER.glob("*.yml"):
        text = file.read_text(encoding="utf-8")
        (tmp_path / file.name).write_text(text.replace("name: sstp-server,", "name: sstp-servers,"))
    with pytest.raises(FileError) as caught:
        rules.load(tmp_path)
    assert caught.value.line and caught.value.path.name == "servers.yml"


@pytest.mark.parametrize("name", [name for name in RULES if RULES[name].rule.hides])
def test_what_a_rule_hides_leaves_an_answer_open(name: str) -> None:
    rule = RULES[name].rule
    assert of(ask(HEAD + LAN_AND_WAN), "established").answer == "yes"
    decided = of(ask(HEAD + LAN_AND_WAN + rule.holds.export), "established")
    assert decided.answer == "unknown" and set(rule.asks) <= set(decided.asks)
    old, new = rule.holds.change.old, rule.holds.change.new
    changed = rule.holds.export.replace(old, new, 1)
    assert of(ask(HEAD + LAN_AND_WAN + changed), "established").answer == "yes"
