"""What the router of a case answers to whatever is typed, and what a move is."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from ppslab.course import practice
from ppslab.course.models import cases as model
from ppslab.course.models.cases import checks
from ppslab.course.models.cases.asking import HELP
from ppslab.course.practice.properties import properties
from ppslab.model import manual
from rosexplain.base import base
from tests.course.models.both import both

CASES = {name: practice.plain(case) for name, case in practice.cases().items()}
ONE = CASES["01-call-centre"]
TYPED = yaml.safe_load(Path(__file__).with_name("typed.yml").read_text(encoding="utf-8"))


def judged(typed: str, case: dict[str, Any] = ONE) -> dict[str, Any]:
    return model.judge(case, typed, base(), properties())


@pytest.mark.parametrize(("typed", "answered"), TYPED["spelled"])
def test_a_command_is_known_by_any_spelling(typed: str, answered: str) -> None:
    assert model.ask(ONE, typed)["command"] == answered


CASE = {"export": "", "outputs": TYPED["outputs"]}


@pytest.mark.parametrize(("typed", "answered"), TYPED["recorded"])
def test_what_was_recorded_of_the_same_thing_answers(typed: str, answered: str) -> None:
    answer = model.ask(CASE, typed)
    assert answer["command"] == answered
    if not answered:
        assert not [word for word in ("k250", "secret", "1499") if word in answer["text"]]
        assert "recorded" in answer["text"]


@pytest.mark.parametrize("typed", ["/x", "/ip", "/log/print", "/ping 192.0.2.9", "/print"])
def test_what_is_not_answered_names_no_command_that_decides(typed: str) -> None:
    for name, case in CASES.items():
        text = model.ask(case, typed)["text"]
        for command in model.recorded(case):
            decides = command.partition(" where ")[2] or command.partition(" size=")[2]
            assert not decides or decides not in text, name


@pytest.mark.parametrize("typed", TYPED["unanswered"])
def test_what_has_no_answer_is_no_move_and_says_why(typed: str) -> None:
    answer = model.ask(ONE, typed)
    assert answer["command"] == "" and answer["text"]


@pytest.mark.parametrize(
    "menu", ["", "/", "/ip firewall ", "/ip/firewall/filter/", "/ip/firewall/filter/add "]
)
@pytest.mark.parametrize("word", ["help", "?"])
def test_who_asks_for_help_gets_it_where_commands_are_typed(menu: str, word: str) -> None:
    asked = model.ask(ONE, menu + word)
    assert asked["command"] == ""
    assert asked["text"].startswith(HELP)
    result = judged(menu + word)
    assert result["refused"] == [[menu + word, HELP]]
    assert not result["counts"]


def test_a_menu_s_export_has_its_lines_alone() -> None:
    text = model.ask(ONE, "/ip/firewall/nat/export")["text"]
    assert text.splitlines()[0] == "/ip firewall nat"
    assert "masquerade" in text
    assert "fasttrack" not in text


def test_a_cause_is_right_or_has_what_speaks_against_it() -> None:
    assert model.cause(ONE, "accept-before-fasttrack")["right"]
    wrong = model.cause(ONE, "cable")
    assert not wrong["right"] and "rx-fcs-error" in wrong["says"]
    for at, one in enumerate(model.causes(ONE), 1):
        assert model.cause(ONE, str(at)) == model.cause(ONE, one["name"])
        assert model.cause(ONE, str(at))["name"] == one["name"]
    for none in ("magic", "0", str(len(ONE["causes"]) + 1), "-1"):
        with pytest.raises(ValueError, match="choose 1 to"):
            model.cause(ONE, none)


@pytest.mark.parametrize("typed", TYPED["refused"])
def test_what_a_terminal_would_not_take_is_refused_with_its_reason(typed: str) -> None:
    result = judged(typed)
    assert not result["solved"]
    assert all(reason for _, reason in result["refused"]) and result["refused"]
    assert result["findings"] == []
    assert not result["counts"]


@pytest.mark.parametrize("row", TYPED["judged"], ids=lambda row: row["typed"].replace("\n", "; "))
def test_what_is_typed_is_judged(row: dict[str, Any]) -> None:
    name = row.get("case", "01-call-centre")
    case = CASES.get(name) or practice.plain(practice.drill(name))
    solution = case["solutions"][0].rstrip() + "\n" if row.get("repaired") else ""
    result = judged(solution + row["typed"], case)
    said = [why for _, why in result["refused"] + result["notes"]]
    wanted = [*row.get("refused", ()), *row.get("notes", ())]
    assert [len(result[key]) for key in ("refused", "notes")] == [
        len(row.get(key, ())) for key in ("refused", "notes")
    ]
    assert all(word in why for word, why in zip(wanted, said, strict=True)), said
    for key in row.keys() & {"solved", "counts"}:
        assert result[key] is row[key], key
    if row.get("refused") or (not row.get("counts", True) and not row.get("repaired")):
        assert (result["findings"], result["solved"]) == ([], False)


@pytest.mark.parametrize("typed", TYPED["solved"])
def test_items_are_numbered_as_the_router_printed_them(typed: str) -> None:
    result = judged(typed)
    assert result["refused"] == []
    assert result["solved"]


@pytest.mark.parametrize("which", TYPED["selected"])
def test_a_selection_means_the_router_s_own_ports(which: str) -> None:
    lines = "/queue/type/add name=line kind=fq-codel\n/queue/interface/set " + which
    result = judged(lines + " queue=line", CASES["12-ten-to-one"])
    assert result["refused"] == []
    assert result["solved"]


def test_a_number_stays_its_item_s_among_others_that_look_alike() -> None:
    export = "/ip firewall filter\n" + "add action=drop chain=input\n" * 3
    check = {"says": "x", "menu": "/ip/firewall/filter", "where": {"log": "yes"}, "rows": 1}
    case = {"export": export, "outputs": [], "check": [{**check, "pass": "p", "fail": "f"}]}
    result = judged("/ip/firewall/filter\nremove 0\nset 1 log=yes\nmove 2 destination=1", case)
    assert result["refused"] == []
    assert result["solved"]
    result = judged("/ip/firewall/filter\nremove 0,1\nset 0 log=yes", case)
    assert result["refused"][0][0] == "set 0 log=yes"


def test_the_score_counts_each_move() -> None:
    score = model.score(ONE, 3, 0, 0)
    assert (score["moves"], score["aided"]) == (3, False)
    score = model.score(ONE, 4, 1, 2)
    assert (score["moves"], score["aided"]) == (7, True)
    for number in (7, ONE["par"], 1, len(ONE["hints"])):
        assert str(number) in score["so_far"]


@pytest.mark.long
def test_the_page_s_python_answers_the_same() -> None:
    """Further solutions went through no line of the models that these do not go through."""
    asked = []
    for name, drill in practice.drills().items():
        asked.append((name, "judge", drill.solutions[0]))
        asked.append((name, "judge", drill.mistakes[0].run))
    for name, case in CASES.items():
        asked += [(name, "ask", command) for command in model.recorded(case)[:3]]
        asked.append((name, "cause", case["causes"][0]["name"]))
        asked += [(name, "judge", typed) for typed in case["solutions"][:5]]
        asked.append((name, "judge", case["mistakes"][0]["run"]))
    for name, does in TYPED["hosts"].items():
        asked += [(name, do, text) for do, texts in does.items() for text in texts]
    answers = both("cases", [{"case": name, "do": do, "text": text} for name, do, text in asked])
    assert any(answer.get("solved") for answer in answers)


def test_the_queue_types_of_every_router_are_those_of_the_manual() -> None:
    listed = manual.fact("queue-types-of-every-router").says
    for name, one in checks.TYPES.items():
        assert re.search(rf"\b{name}\b", listed), name
        assert f"({one['kind']})" in listed


MARKS = """/ip/firewall/mangle
add chain=prerouting action=mark-connection connection-mark=no-mark src-address=192.168.88.0/24 \
new-connection-mark=lan
add chain=prerouting action=mark-packet connection-mark=lan new-packet-mark=lan passthrough=no
/queue/tree/add name=up parent=ether1 packet-mark=MARK queue=pcq-upload-default
""".replace("MARK", "lan")
MARKED = {
    "packet": "in=bridge src=192.168.88.20:50000 dst=203.0.113.5:443/tcp established",
    "queue": {"parent": "ether1", "queue.pcq-classifier": "src-address"},
}


def of_kind(kind: str) -> dict[str, Any]:
    return {"menu": "/queue/tree", "where": {"name": "up", "queue.kind": kind}, "rows": 1}


@pytest.mark.parametrize(
    ("typed", "look", "good"),
    [
        ("/queue/tree/add name=up parent=ether1 queue=ethernet-default", of_kind("pfifo"), True),
        ("/queue/type/add name=fair kind=fq-codel\n/queue/tree/add name=up queue=fair",
         of_kind("fq-codel"), True),
        *((MARKS.replace(*change), MARKED, good) for change, good in [
            (("", ""), True), (("=lan queue", "=other,lan queue"), True),
            (("=lan queue", "=other queue"), False), (("pcq-upload", "pcq-download"), False),
            (("parent=ether1", "parent=bridge"), False), (("mark-packet", "log"), False),
            (("packet-mark=lan queue", "queue"), False)]),
    ],
)  # fmt: skip
def test_a_queue_is_what_its_type_says_and_takes_a_packet_by_its_mark(
    typed: str, look: dict[str, Any], good: bool
) -> None:
    check = {"says": "the queue", "pass": "yes", "fail": "no", **look}
    result = judged(typed, {**ONE, "check": [check], "touches": {}})
    assert (result["refused"], result["solved"]) == ([], good)
    assert look is not MARKED or "mark" in result["findings"][0][3]


def test_an_address_without_its_length_is_the_same_queue() -> None:
    drill = practice.plain(practice.drill("fasttrack-keep-one-out"))
    solved = judged(drill["solutions"][0], drill)["findings"]
    queue = "/queue/simple/set host target="
    for target, same in (("198.18.1.3", True), ("198.18.1.3/31", False)):
        findings = judged(drill["solutions"][0] + "\n" + queue + target, drill)["findings"]
        assert (findings == solved) is same, findings


def test_routeros_6_makes_a_routing_table_where_a_line_names_it() -> None:
    export = "# by RouterOS 6.49.19\n/interface bridge\nadd name=guests\n"
    for row in TYPED["judged"]:
        if row.get("case") == "20-weekend" and "/routing/" not in row["typed"]:
            assert judged(row["typed"], {**CASES["20-weekend"], "export": export})["refused"] == []
