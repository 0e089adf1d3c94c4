"""The dialogue "My router only does X Mbit/s": where answers lead, and what it is made of."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given as given_random
from hypothesis import strategies as st

from ppslab.core.errors import FileError
from ppslab.course.learning import slow
from ppslab.course.site.directives.slow import at_once
from ppslab.testbed.routers.routeros.rsc import lint

ROOT = Path(__file__).parents[3]
DIALOGUE = slow.load(ROOT / slow.FILE)
PATHS = Path(__file__).with_name("slow_paths.txt").read_text(encoding="utf-8").splitlines()[2:]


def given(text: str) -> dict[str, str]:
    return dict(pair.split("=") for pair in text.split())


def test_answers_lead_to_a_cause() -> None:
    led, unasked = [], []
    for path in PATHS:
        text = path.partition(":")[2].strip()
        asked, end, settled = DIALOGUE.through(given(text))
        led.append(f"{end}{'!' * settled}: {text}".rstrip())
        unasked += [(text, name) for name in {*given(text)} - {slow.FIGURE, *asked}]
    assert led == PATHS
    assert unasked == []


def test_every_cause_is_reached_by_answers_or_a_symptom() -> None:
    reached = {path.split(":")[0].rstrip("!") for path in PATHS}
    reached |= {symptom.to for symptom in DIALOGUE.symptoms}
    assert reached - {""} == {*DIALOGUE.ends}


@pytest.mark.parametrize(
    ("answers", "end", "offered"),
    [
        ({}, "", ["dns", "loop"]),
        ({}, "dns", ["loop", "marks"]),
        ({"has": "vlan,sfp"}, "", ["marks", "dns"]),
        ({"has": "sfp", "began": "change"}, "", ["loop", "dns"]),
        ({"has": "", "began": "unknown"}, "loop", ["dns", "marks"]),
        ({"names": "yes", "log": "nothing"}, "", ["loop", "marks"]),
        ({"names": "unknown"}, "", ["dns", "loop"]),
        ({"storm": "yes", "log": "unknown"}, "", ["dns", "loop"]),
        ({"storm": "yes", "log": "nothing"}, "", ["dns", "marks"]),
        ({"storm": "no", "log": "nothing"}, "", ["dns", "loop"]),
        ({"has": "vlan,queues"}, "", ["marks", "loop"]),
        ({"storm": "no", "log": "loop"}, "", ["dns", "loop"]),
    ],
)
def test_a_likely_end_offers_what_the_answers_speak_for(
    answers: dict[str, str], end: str, offered: list[str]
) -> None:
    signs = {"loop": {"prior": -12, "began.change": 8}, "marks": {"prior": -13, "has.vlan": 6},
             "dns": {"prior": -10, "has.queues": -6}}  # fmt: skip
    dialogue = DIALOGUE.model_copy(update={"signs": signs})
    assert dialogue.offers(answers, end) == offered


def test_signs_are_answers_and_causes_of_the_dialogue() -> None:
    assert {*DIALOGUE.signs} == {*DIALOGUE.ends} - {"nothing-left"}
    given = {f"{name}.{answer}" for name, question in DIALOGUE.asked.items()
             for answer in question.answers}  # fmt: skip
    named = {sign for points in DIALOGUE.signs.values() for sign in points} - {slow.PRIOR}
    assert len(named) > 100 and named <= given


ANSWERS = {name: ["", *question.answers, slow.UNKNOWN] for name, question in DIALOGUE.asked.items()}


@given_random(st.fixed_dictionaries({n: st.sampled_from(v) for n, v in ANSWERS.items()}))
def test_every_walk_ends_and_asks_nothing_twice(answers: dict[str, str]) -> None:
    asked, end, _ = DIALOGUE.through({name: value for name, value in answers.items() if value})
    assert len(asked) == len(set(asked)) and end in DIALOGUE.ends


def test_no_line_of_the_walk_is_hidden_by_those_above_it() -> None:
    chance = random.Random(1)
    never = []
    for number, line in enumerate(DIALOGUE.walk, 1):
        wanted = {name: value.split(",") for name, value in line.when.items() if value[0] != "!"}
        for _ in range(2000):
            answers = {name: chance.choice(options) for name, options in ANSWERS.items()
                       if chance.random() < 0.2}  # fmt: skip
            answers |= {name: chance.choice(options) for name, options in wanted.items()}
            if line.ask:
                answers.pop(line.ask, None)
            if DIALOGUE.line(dict.fromkeys(DIALOGUE.asked, slow.UNKNOWN) | answers) is line or (
                line.ask and DIALOGUE.line(without(line.ask, answers)) is line
            ):
                break
        else:
            never.append(number)
    assert never == []


def without(name: str, answers: dict[str, str]) -> dict[str, str]:
    """The answers, with "I don't know" for all questions but this one, which has none."""
    every = dict.fromkeys(DIALOGUE.asked, slow.UNKNOWN) | answers
    return {other: value for other, value in every.items() if other != name}


@pytest.mark.parametrize(
    ("commands", "old", "new"),
    [
        ("/a b\n", "/a b", "/a b"),
        ("# in RouterOS 6: kind=sfq\nadd kind=fq-codel name=q\nset x", "add kind=sfq name=q\nset x",
         "add kind=fq-codel name=q\nset x"),
        ("# in RouterOS 6, as often: /c d\n/a kind=b\n/e", "/c d\n/e", "/a kind=b\n/e"),
        ("# a comment\n/a", "# a comment\n/a", "# a comment\n/a"),
    ],
)  # fmt: skip
def test_commands_are_those_of_a_version(commands: str, old: str, new: str) -> None:
    cause = DIALOGUE.causes[0].model_copy(update={"commands": commands})
    assert (cause.of_version(6), cause.of_version(7)) == (old, new)


def test_every_remedy_is_of_routeros_and_leads_to_chapters() -> None:
    for cause in DIALOGUE.causes:
        assert lint.check(cause.id, cause.of_version(7), hardware=True, in_passing=True) == []
        assert cause.commands.strip() and cause.loses, cause.id
        for chapter in cause.chapters:
            assert (ROOT / "book" / chapter).is_file(), (cause.id, chapter)


def test_rps_is_never_the_answer_before_the_busy_task_is_known() -> None:
    asked, end, _ = DIALOGUE.through(given("slow=all cpu=one-core-full interrupts=no"))
    assert end == "one-interrupt" and asked.index("busy") < asked.index("interrupts")


def test_a_symptom_leaves_something_to_ask_or_is_a_cause() -> None:
    for symptom in DIALOGUE.symptoms:
        if symptom.to:
            assert not symptom.answers, symptom
        elif symptom.answers != {"slow": "wifi-only"}:
            assert DIALOGUE.follows(symptom.answers)[0] in DIALOGUE.asked, symptom


def test_commands_are_of_routeros_as_6_and_7_both_take_them() -> None:
    *before, last = once = at_once(DIALOGUE)
    questions = [question.command for question in DIALOGUE.questions]
    text = "".join(f"{line}\n" for line in questions + once)
    assert lint.check("slow.yml", text, hardware=True, in_passing=True) == []
    texts = questions + [cause.commands for cause in DIALOGUE.causes]
    lines = [line for text in texts for line in text.splitlines() if line.startswith("/")]
    assert len(lines) > 80
    assert [line for line in lines if "/" in line.split(" [")[0].split("=")[0][1:]] == []
    # The one paste waits for no key.
    assert last.startswith("/tool profile") and "duration=" in last
    assert len(before) > 15
    for line in before:
        assert "count-only" in line or "without-paging" in line or line.endswith(" once")


@pytest.mark.parametrize(
    ('old', 'new'),
    [
        ("likely: hidden-condition", "likely: hidden"),
        ("      one-core-full:\n", "      one-full:\n"),
        ("zero, to: counters-of-ports}", "zero, to: l3hw}"),
        ("{ask: streams}", "{ask: stream}"),
        ("  - {likely: nothing-left}", "  - {ask: names}"),
        ("- id: fragments", "- id: mtu"),
        ("answer: fast\n", "answer: quick\n"),
        ("[watchdog, fault]", "[watchdog, broken]"),
        ("{if: {cpu: full}, ask: tools}", "{if: {cpu: full}, ask: tools, likely: radio}"),
    ],
)  # fmt: skip
def test_a_dialogue_that_leads_nowhere_is_an_error(tmp_path: Path, old: str, new: str) -> None:
    text = (ROOT / slow.FILE).read_text(encoding="utf-8")
    assert old in text
    path = tmp_path / "slow.yml"
    path.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(FileError):
        slow.load(path)
