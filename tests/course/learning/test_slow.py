"""The dialogue "My router only does X Mbit/s": where answers lead, and what it is made of."""

from __future__ import annotations

from pathlib import Path

import pytest

from ppslab.core.errors import FileError
from ppslab.course.learning import slow
from ppslab.course.site.directives.slow import at_once
from ppslab.testbed.routers.routeros.rsc import lint

ROOT = Path(__file__).parents[3]
DIALOGUE = slow.load(ROOT / slow.FILE)

IDLE = (
    "test link fcs drops cores licence cable full streams limit waiting ipsec marks mtu mss "
    "bridge-mtu"
)
"""What is asked where nothing is wrong, in this order."""

PATHS = [
    # answers other than yes -> the cause
    ({"test": "no"}, "test-on-router"),
    ({"link": "no"}, "slow-link"),
    ({"fcs": "no"}, "bad-cable"),
    ({"drops": "no"}, "short-queue"),
    ({"licence": "no"}, "free-licence"),
    ({"cable": "no"}, "radio"),
    ({"full": "no"}, "full-link"),
    ({"streams": "no"}, "one-stream"),
    ({"limit": "no"}, "queue-limit"),
    ({"waiting": "no"}, "provider-queue"),
    ({"ipsec": "no"}, "ipsec-and-fasttrack"),
    ({"marks": "no"}, "marks-and-fasttrack"),
    ({"mtu": "no"}, "fragments"),
    ({"mss": "no"}, "fragments"),
    ({"bridge-mtu": "no"}, "low-bridge-mtu"),
    ({}, "nothing-left"),
    ({"cores": "no", "cipher": "no"}, "slow-cipher"),
    ({"cores": "no", "task": "no"}, "routing-or-mpls"),
    ({"cores": "no", "packets": "no", "container": "no"}, "vpn-in-container"),
    ({"cores": "no", "one-core": "no"}, "one-stream"),
    ({"cores": "no", "one-core": "no", "interrupts": "no"}, "one-interrupt"),
    ({"cores": "no", "reconnects": "no"}, "reconnecting"),
    ({"cores": "no", "fast-path": "no", "path": "no", "rule": "no"}, "rule-missed"),
    ({"cores": "no", "fast-path": "no", "share": "no", "rule": "no"}, "rule-missed"),
    (
        {"cores": "no", "fast-path": "no", "path": "no", "flag": "no", "tracking": "no"},
        "tracking-off",
    ),
    ({"cores": "no", "fast-path": "no", "path": "no", "flag": "no", "tools": "no"}, "running-tool"),
    (
        {"cores": "no", "fast-path": "no", "path": "no", "flag": "no", "bridge-path": "no"},
        "bridge-closed",
    ),
    ({"cores": "no", "fast-path": "no", "path": "no", "flag": "no"}, "hidden-condition"),
    ({"cores": "no", "fast-path": "no", "queues": "no"}, "simple-queues"),
    ({"cores": "no", "fast-path": "no", "path": "no", "queues": "no"}, "simple-queues"),
    ({"cores": "no", "fast-path": "no", "tree": "no"}, "global-tree"),
    ({"cores": "no", "bridge": "no", "bridges": "no"}, "second-bridge"),
    ({"cores": "no"}, "nothing-left"),
    ({"cores": "no", "bridge": "no", "chip": "no", "vlan-filtering": "no"}, "filtering-by-cpu"),
    ({"cores": "no", "bridge": "no", "chip": "no"}, "bridge-setting"),
    ({"cores": "no", "bridge": "no"}, "nothing-left"),
    ({"cores": "no", "l3hw": "no", "l3hw-switch": "no"}, "offload-off"),
    ({"cores": "no", "l3hw": "no"}, "left-to-cpu"),
    ({"cores": "unknown", "fast-path": "no", "queues": "no"}, "simple-queues"),
    ({"cores": "no", "fast-path": "no", "path": "unknown", "rule": "no"}, "rule-missed"),
    ({"link": "unknown", "drops": "no"}, "short-queue"),
]


@pytest.mark.parametrize(("answers", "cause"), PATHS)
def test_answers_lead_to_a_cause(answers: dict[str, str], cause: str) -> None:
    given = dict.fromkeys(DIALOGUE.asked, "yes") | answers
    walk = DIALOGUE.walk(given)
    assert walk[-1] == cause and set(answers) <= set(walk)


def test_every_question_and_every_cause_is_reached_by_answers_or_a_symptom() -> None:
    walked: set[str] = set()
    for answers, _ in PATHS:
        walked |= set(DIALOGUE.walk(dict.fromkeys(DIALOGUE.asked, "yes") | answers))
    walked |= {symptom.to for symptom in DIALOGUE.symptoms}
    assert walked == {*DIALOGUE.asked, *DIALOGUE.ends}


def test_whoever_knows_nothing_still_comes_to_an_end() -> None:
    walk = DIALOGUE.walk(dict.fromkeys(DIALOGUE.asked, "unknown"))
    assert walk[-1] in DIALOGUE.ends


def test_a_walk_stops_at_the_question_that_is_open() -> None:
    assert DIALOGUE.walk({"test": "yes", "link": "yes"})[-1] == "fcs"
    assert DIALOGUE.walk({}, begin="mtu") == ("mtu",)
    assert DIALOGUE.most["bridge-mtu"] == 1
    assert DIALOGUE.most["mtu"] == 3


def test_an_idle_router_is_not_asked_for_what_loads_a_busy_one() -> None:
    walk = DIALOGUE.walk(dict.fromkeys(DIALOGUE.asked, "yes"))
    assert walk == (*IDLE.split(), "nothing-left")


@pytest.mark.parametrize("cause", DIALOGUE.causes, ids=lambda cause: cause.id)
def test_every_remedy_is_of_routeros_and_leads_to_chapters(cause: slow.Cause) -> None:
    assert lint.check(cause.id, cause.commands, hardware=True, in_passing=True) == []
    assert cause.commands.strip() and cause.loses
    for chapter in cause.chapters:
        assert (ROOT / "book" / chapter).is_file(), chapter


@pytest.mark.parametrize("name", [each.asks for each in DIALOGUE.symptoms])
def test_rps_is_never_the_answer_before_the_busy_task_is_known(name: str) -> None:
    begin = next(each.to for each in DIALOGUE.symptoms if each.asks == name)
    for others in ("yes", "unknown"):
        given = dict.fromkeys(DIALOGUE.asked, others)
        given |= {"one-core": "no", "interrupts": "no"}
        walk = DIALOGUE.walk(given, begin=begin)
        assert "one-interrupt" not in walk or "task" in walk


def test_commands_are_written_as_routeros_6_and_7_both_take_them() -> None:
    texts = [q.command for q in DIALOGUE.questions] + [c.commands for c in DIALOGUE.causes]
    lines = [line for text in texts for line in text.splitlines() if line.startswith("/")]
    assert len(lines) > 80
    assert [line for line in lines if "/" in line.split(" [")[0].split("=")[0][1:]] == []


def test_every_command_is_one_of_routeros() -> None:
    lines = [question.command for question in DIALOGUE.questions] + at_once(DIALOGUE)
    text = "".join(f"{line}\n" for line in lines)
    assert lint.check("slow.yml", text, hardware=True, in_passing=True) == []


def test_the_one_paste_waits_for_no_key() -> None:
    *before, last = at_once(DIALOGUE)
    assert last.startswith("/tool profile") and "duration=" in last
    assert len(before) > 15
    for line in before:
        assert "count-only" in line or "without-paging" in line or line.endswith(" once")


@pytest.mark.parametrize(
    ('old', 'new'),
    [
        ("to: marks}", "to: markz}"),
        ("zero, to: counters-of-ports}", "zero, to: l3hw}"),
        ('"yes": {to: drops}', '"yes": {to: link}'),
        ("- id: fragments", "- id: mtu"),
    ],
)  # fmt: skip
def test_a_dialogue_that_leads_nowhere_is_an_error(tmp_path: Path, old: str, new: str) -> None:
    text = (ROOT / slow.FILE).read_text(encoding="utf-8")
    assert old in text
    path = tmp_path / "slow.yml"
    path.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(FileError):
        slow.load(path)
