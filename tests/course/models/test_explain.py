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
from tests.course.models.both import ask
from tests.course.models.test_hosts import ASKED

EXAMPLES: dict[str, dict[str, Any]] = dict(sources.explain()["examples"])

TEXTS = [each["export"]["text"] for each in EXAMPLES.values()] + [ASKED["explain"][-1]["export"]]
PRINTED = "> /ip/settings/print\nipv4-fast-path-active: no\n"


def export(text: str, **more: Any) -> dict[str, Any]:
    return {"export": {"name": "x", "text": text}, **more}


def test_an_example_is_answered_with_its_deciding_lines_marked() -> None:
    for label, inputs in EXAMPLES.items():
        answer = ask("explain", **inputs)
        assert answer["values"]["answers"], label
        assert "decides" in {mark for _, _, mark in answer["listing"]}, label


@pytest.mark.parametrize(
    ("change", "folded", "kinds"),
    [("/ipv6 settings set disable-ipv6=yes", [False], {"The same"}),
     ("/ip firewall connection tracking set enabled=no", [False, True],
      {"Slower", "Lost", "The same"})],
)  # fmt: skip
def test_a_change_is_tried_under_its_box_and_what_it_leaves_is_folded(
    change: str, folded: list[bool], kinds: set[str]
) -> None:
    answer = ask("explain", **EXAMPLES["A home router"], change=change)
    tables = [table for table in answer["tables"] if table["below"] == "change"]
    rows = [[row[0] for row in table["rows"]] for table in tables]
    assert [table.get("folds", False) for table in tables] == folded
    assert kinds <= {each for one in rows for each in one} and "Faster" not in rows[0]
    assert ["The same" in one for one in rows] in (folded, [True])


def test_a_change_that_cannot_be_is_a_problem_and_none_is_none() -> None:
    inputs = EXAMPLES["A home router"]
    assert "tables" not in ask("explain", **inputs, change="/ip settings set")["problem"]
    assert ask("explain", **inputs, change=" \n")["tables"] == ask("explain", **inputs)["tables"]


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
