"""Every case and drill, as its file says: what solves it, what does not, and what harms."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from ppslab.core import paths
from ppslab.course import practice
from ppslab.course.lab_rules import DRILLS
from ppslab.course.models import cases as model
from ppslab.course.models.cases import checks, remedy
from ppslab.course.practice.properties import properties
from ppslab.testbed.routers.routeros.rsc import lint
from rosexplain.base import base
from rosexplain.classify import explain, trace_packet
from rosexplain.packet import parsed as parsed_packet
from rosexplain.parse import parsed

NAMES = practice.names()
EVERY: dict[str, practice.Exercise] = practice.cases() | practice.drills()


@cache
def plain(name: str) -> dict[str, Any]:
    return practice.plain(EVERY[name])


@cache
def judged(name: str, typed: str) -> dict[str, Any]:
    return model.judge(plain(name), typed, base(), properties())


@cache
def begun(name: str) -> list[list[str]]:
    """The findings before a command is typed, which `judge` does not tell."""
    case = plain(name)
    return checks.findings_of(case, remedy.applied(case, "", properties()), base())


def numbered(name: str, number: int, value: object, *, quick: bool = False) -> Any:
    """One of an exercise's texts: `make check` asks the first, and the others where `quick`."""
    marks = [pytest.mark.long] if number > 1 and not quick else []
    return pytest.param(name, value, id=f"{name}-{number}", marks=marks)


def failing(name: str, typed: str) -> list[str]:
    findings = judged(name, typed)["findings"] or begun(name)
    return [says for says, state, *_ in findings if state == "fail"]


def test_cases_are_numbered_without_a_gap() -> None:
    numbers = [int(name.partition("-")[0]) for name in NAMES]
    assert numbers == list(range(1, len(NAMES) + 1))


def test_the_length_of_a_cause_does_not_give_it_away() -> None:
    for length in (max, min):
        lengths = {
            name: length(len(cause.text) for cause in case.causes)
            for name, case in practice.cases().items()
        }
        right = [n for n, size in lengths.items() if len(practice.case(n).cause.text) == size]
        assert 3 * len(right) <= len(NAMES), f"the right cause is the {length.__name__} of {right}"


def test_a_drill_takes_a_few_commands() -> None:
    assert [name for name, drill in practice.drills().items() if drill.par > 4] == []


def test_a_chapter_without_a_lab_has_drills_too() -> None:
    assert len(practice.drills("wans-")) >= DRILLS


# By name, so that `-k NAME` asks everything of one file.
@pytest.mark.parametrize("name", EVERY)
def test_it_is_unsolved_as_it_begins(name: str) -> None:
    assert failing(name, "") != []


@pytest.mark.parametrize(
    ("name", "typed"),
    [
        numbered(name, number, typed)
        for name, one in EVERY.items()
        for number, typed in enumerate(one.solutions, 1)
    ],
)
def test_every_solution_solves_it(name: str, typed: str) -> None:
    result = judged(name, typed)
    assert result["solved"], result
    assert result["refused"] == []
    assert result["counts"]


@pytest.mark.parametrize(
    ("name", "mistake"),
    [
        # What an exercise allows of packets of one state is told apart by its mistakes.
        numbered(name, number, mistake, quick=any(may.state for may in one.may))
        for name, one in EVERY.items()
        for number, mistake in enumerate(one.mistakes, 1)
    ],
)
def test_every_mistake_fails_its_own_check_alone(name: str, mistake: practice.Mistake) -> None:
    result = judged(name, mistake.run)
    assert result["refused"] == []
    fails = failing(name, mistake.run)
    # What fails a check may do harm as well, as the probes of every case say.
    assert {mistake.fails} <= set(fails) <= {mistake.fails, model.HARMLESS}, (
        f"must fail {mistake.fails!r}, and fails {fails}:\n{mistake.run}"
    )


@pytest.mark.long
@pytest.mark.parametrize("name", EVERY)
def test_every_check_can_fail(name: str) -> None:
    one = EVERY[name]
    fails = set(failing(name, "")).union(mistake.fails for mistake in one.mistakes)
    assert {check.says for check in one.check} == fails - {model.HARMLESS}


@pytest.mark.parametrize("name", EVERY)
def test_the_export_is_whole_and_text_and_hints_paste_no_solution(name: str) -> None:
    one = EVERY[name]
    export = parsed(one.export, name)
    assert export.unread == [] and export.header["version"][0]
    assert (paths.project_root() / "book" / f"{one.chapter}.md").is_file(), (
        f"{one.chapter}: no page"
    )
    text = " ".join(" ".join((one.text, *one.hints)).split())
    for line in "\n".join(one.solutions).splitlines():
        assert len(line.split()) < 2 or " ".join(line.split()) not in text


@pytest.mark.parametrize("name", NAMES)
def test_file_title_and_comments_give_nothing_away(name: str) -> None:
    case = practice.case(name)
    words = {word for word in case.cause.name.split("-") if len(word) > 6}
    comments = [each.properties.get("comment", "") for each in parsed(case.export, name).commands]
    for text in map(str.lower, [*comments, name, case.title]):
        assert case.cause.name not in text, f"the name of its right cause is in {text!r}"
        assert len([word for word in words if word in text]) < 2, text


@pytest.mark.parametrize("name", NAMES)
def test_a_command_is_answered_however_it_is_spelled(name: str) -> None:
    case = plain(name)
    for command in model.recorded(case):
        whole = model.ask(case, command)
        assert whole["command"] == command
        first, *rest = command.split(" ")
        spaced = " ".join(["/" + first[1:].replace("/", " "), *rest])
        bare = spaced[1:] if command[0] == "/" else command
        prompted = f"[admin@MikroTik] > {command}"
        for spelling in (spaced, bare, prompted, command + " without-paging"):
            assert model.ask(case, spelling) == whole, spelling


# --- RouterOS knows every command -----------------------------------------------------------------


SMALL_CHIPS = ("'vlan' is not a menu", "'default-vlan-id'", "'vlan-mode'", "'vlan-header'")
"""The VLAN table of small switch chips: no command tree has it, and MikroTik's manual does."""


def texts(one: practice.Exercise) -> Iterator[str]:
    yield one.export
    # `once` is a word of every monitor; where a tree does not have it, it is not asked about.
    yield "\n".join(each.command.removesuffix(" once") for each in one.outputs)
    yield from one.solutions
    yield from (mistake.run for mistake in one.mistakes)


@pytest.mark.long
@pytest.mark.parametrize("name", EVERY)
def test_routeros_knows_the_commands(name: str) -> None:
    version = parsed(EVERY[name].export, name).header["version"][0]
    wanted = [".".join(version.split(".")[:2])]
    strange = [
        finding
        for text in texts(EVERY[name])
        for finding in lint.check(name, f"/\n{text}\n", hardware=True, wanted=wanted,
                                  in_passing=True)
        if not str(finding.message).startswith(SMALL_CHIPS)
    ]  # fmt: skip
    assert strange == []


# --- repairs beside those of the files ------------------------------------------------------------


REPAIRS = yaml.safe_load(Path(__file__).with_name("repairs.yml").read_text(encoding="utf-8"))
NAMED = "One such packet: "
OPENS = {
    "input": "/ip/firewall/filter/disable [find where chain=input action=drop]",
    "all": "/ip/firewall/filter/disable [find action=drop]",
}
"""What leaves a router open, in words of every firewall."""


def repairs(kind: str) -> list[Any]:
    return [
        # What an exercise allows is told apart by repairs that do some other harm.
        numbered(name, number, typed, quick=kind == "wrong" and bool(EVERY[name].may))
        for name, texts in REPAIRS[kind].items()
        for number, typed in enumerate(texts, 1)
    ]


@pytest.mark.parametrize("name", NAMES)
def test_every_case_has_repairs_of_both_kinds(name: str) -> None:
    none = [kind for kind in REPAIRS if not REPAIRS[kind].get(name)]
    assert none == [], f"repairs.yml has none of {name} there"


def test_every_repair_is_of_a_file() -> None:
    assert {name for texts in REPAIRS.values() for name in texts} <= set(EVERY)


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
    judged_ = [
        (one, mistake, judged(name, mistake.run)["findings"])
        for name, one in EVERY.items()
        for mistake in one.mistakes
    ]
    named = [
        (one, mistake, line)
        for one, mistake, findings in judged_
        for line in (findings[-1][3].splitlines() if findings else ())
        if NAMED in line
    ]
    for one, mistake, line in named:
        packet = parsed_packet(line.partition(NAMED)[2])
        router = parsed(one.export, "export")
        routers = ([router], [router, parsed(mistake.run, "typed")])
        ends = [trace_packet(explain(each, base()), packet.copied())["path"] for each in routers]
        dropped = ["dropped" in ways for ways in ends]
        assert dropped == ["would pass" in line, "would pass" not in line], (line, ends)
    assert len(named) > 5


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
