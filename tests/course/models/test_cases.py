"""What the router of a case answers to whatever is typed, and what a move is."""

from __future__ import annotations

import re
from itertools import cycle
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


def test_a_comment_that_asks_is_a_comment() -> None:
    rule = "/ip/firewall/filter/set [find comment=fasttrack] comment="
    assert judged(rule + "why?")["refused"] == judged(rule + "help")["refused"] == []


def test_a_menu_s_export_has_its_lines_alone() -> None:
    text = model.ask(ONE, "/ip/firewall/nat/export")["text"]
    assert text.splitlines()[0] == "/ip firewall nat"
    assert "masquerade" in text
    assert "fasttrack" not in text


def test_a_cause_is_right_or_has_what_speaks_against_it() -> None:
    assert model.cause(ONE, "accept-before-fasttrack")["right"]
    wrong = model.cause(ONE, "cable")
    assert not wrong["right"]
    assert "rx-fcs-error" in wrong["says"]
    with pytest.raises(ValueError, match="cable"):
        model.cause(ONE, "magic")


def test_a_cause_is_named_by_its_number_too() -> None:
    for at, one in enumerate(model.causes(ONE), 1):
        assert model.cause(ONE, str(at)) == model.cause(ONE, one["name"])
        assert model.cause(ONE, str(at))["name"] == one["name"]
    for number in ("0", str(len(ONE["causes"]) + 1), "-1"):
        with pytest.raises(ValueError, match="choose 1 to"):
            model.cause(ONE, number)


@pytest.mark.parametrize("typed", TYPED["refused"])
def test_what_a_terminal_would_not_take_is_refused_with_its_reason(typed: str) -> None:
    result = judged(typed)
    assert not result["solved"]
    assert all(reason for _, reason in result["refused"]) and result["refused"]
    assert result["findings"] == []
    assert not result["counts"]


@pytest.mark.parametrize("name", CASES)
def test_a_remedy_with_a_line_that_is_not_taken_is_not_judged(name: str) -> None:
    for bad in ("/ip/firewall/filter/add chian=x", "make it fast", "/ip/nat/remove 0"):
        result = judged(CASES[name]["solutions"][0] + "\n" + bad, CASES[name])
        assert [line for line, _ in result["refused"]] == [bad]
        assert (result["findings"], result["solved"], result["counts"]) == ([], False, False)


@pytest.mark.parametrize(
    ("extra", "refused"),
    [
        ("/ip/firewall/address-list/remove [find dynamic]", False),
        ("/ip firewall address-list\nremove [find where list=scanners]", False),
        ("/ip/firewall/address-list/add list=own address=192.0.2.1\nremove [find list=x]", True),
        ("/ip/firewall/raw/remove [find comment=x]", True),
    ],
)
def test_only_dynamic_addresses_may_go_unseen(extra: str, refused: bool) -> None:
    case = CASES["19-guest-house"]
    result = judged(case["solutions"][0].rstrip() + "\n" + extra, case)
    assert bool(result["refused"]) == refused
    assert result["solved"] != refused


BEGIN = [
    "/ip/firewall/connection/remove [find]",
    "/ip firewall connection remove [find where connection-mark=B_conn]",
    "/ip firewall connection\nremove [find fasttrack]",
]


@pytest.mark.parametrize(("name", "begin"), [*zip(CASES, cycle(BEGIN), strict=False)])
def test_connections_may_be_made_to_begin_anew_in_every_case(name: str, begin: str) -> None:
    alone = judged(begin, CASES[name])
    assert alone["refused"] == []
    assert not alone["counts"]
    assert any("start again" in why for _, why in alone["notes"])
    both_ = judged(CASES[name]["solutions"][0].rstrip() + "\n" + begin, CASES[name])
    assert both_["solved"]
    assert both_["refused"] == []


def test_what_is_so_already_is_said_and_hinders_nothing() -> None:
    idle = '/ip/firewall/filter/set [find comment="staff"] action=accept'
    alone = judged(idle)
    assert (alone["refused"], alone["counts"]) == ([], False)
    assert "already" in alone["notes"][0][1]
    result = judged(idle + "\n" + ONE["solutions"][0])
    assert (len(result["notes"]), result["solved"]) == (1, True)


def test_nothing_typed_is_no_move() -> None:
    assert not judged("")["counts"]
    assert not judged("nonsense")["counts"]
    assert not judged('/ip/firewall/filter/disable [find comment="typo"]')["counts"]
    assert judged("/ip/firewall/filter/disable 8")["counts"]


@pytest.mark.parametrize("typed", TYPED["solved"])
def test_items_are_numbered_as_the_router_printed_them(typed: str) -> None:
    result = judged(typed)
    assert result["refused"] == []
    assert result["solved"]


def test_a_drill_with_fasttrack_numbers_its_rules_as_a_case_does() -> None:
    before = "/ip/firewall/filter/add chain=forward action=accept protocol=udp place-before="
    for exercise in (ONE, practice.plain(practice.drill("fasttrack-keep-one-out"))):
        [[_, why]] = judged(before + "0", exercise)["refused"]
        assert "item 0 is dynamic" in why
        assert judged(before + "1", exercise)["refused"] == []


@pytest.mark.parametrize("which", TYPED["selected"])
def test_a_selection_means_the_router_s_own_ports(which: str) -> None:
    lines = "/queue/type/add name=line kind=fq-codel\n/queue/interface/set " + which
    result = judged(lines + " queue=line", CASES["12-ten-to-one"])
    assert result["refused"] == []
    assert result["solved"]


def test_a_port_that_no_print_names_is_there_by_its_name() -> None:
    typed = "/interface/ethernet/set [find default-name=ether1] disabled=yes"
    assert judged(typed, CASES["12-ten-to-one"])["counts"]


def test_without_a_print_items_are_numbered_as_in_the_export() -> None:
    assert judged("/ip/firewall/nat/disable 0")["counts"]
    refused = judged("/ip/route/disable 0", CASES["04-two-lines"])["refused"]
    assert "last print" in refused[0][1], "of some routes only, whose numbers are others"


def test_a_number_stays_its_item_s_among_others_that_look_alike() -> None:
    export = "/ip firewall filter\n" + "add action=drop chain=input\n" * 3
    check = {"says": "x", "menu": "/ip/firewall/filter", "where": {"log": "yes"}, "rows": 1}
    case = {"export": export, "outputs": [], "check": [{**check, "pass": "p", "fail": "f"}]}
    result = judged("/ip/firewall/filter\nremove 0\nset 1 log=yes\nmove 2 destination=1", case)
    assert result["refused"] == []
    assert result["solved"]
    result = judged("/ip/firewall/filter\nremove 0,1\nset 0 log=yes", case)
    assert result["refused"][0][0] == "set 0 log=yes"


def test_a_number_stays_its_item_s_whatever_was_moved() -> None:
    result = judged("/ip/firewall/filter\nmove 7 destination=5\ndisable 7")
    assert result["refused"] == []
    assert not result["solved"], "what was moved is what is disabled"


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
    asked += [("01-call-centre", "judge", "/ip/firewall/fliter/add"), ("none", "ask", "/export")]
    asked += [
        ("01-call-centre", "ask", typed) for typed in ("/log/print", "x", "/ip/nat", "/int/eth")
    ]
    asked.append(("01-call-centre", "cause", "magic"))
    menu = "/ip/firewall/filter/"
    asked += [("01-call-centre", "judge", menu + typed) for typed in (
        'move [find action~"fast.*n$"] destination=[find comment~"^(staff|x)$" or comment="y"]',
        'disable [find (comment~"staff$" chain!=input) and !disabled]',
        "add chain=forward action=accept place-before=[:pick [find where chain=forward] 0]",
        "set [find place<3] log=yes", 'remove [find comment~"("]', 'remove [find comment~"a{2}"]',
    )]  # fmt: skip
    asked += [("12-ten-to-one", "judge", '/queue/interface/set [find name~"^sfp"] queue=x')]
    asked += [("12-ten-to-one", "judge", '/queue/interface/set [find name~"^sfp"] queue=default')]
    asked += [("12-ten-to-one", "ask", "/tool/profile duration=5s"), ("04-two-lines", "judge",
              "/ip/firewall/connection/remove [find]")]  # fmt: skip
    asked += [
        ("01-call-centre", "cause", "2"),
        ("01-call-centre", "judge", ":foreach i in=x do={}"),
    ]
    answers = both("cases", [{"case": name, "do": do, "text": text} for name, do, text in asked])
    assert any(answer.get("solved") for answer in answers)


@pytest.mark.parametrize(
    ("typed", "kind"),
    [
        ("/queue/tree/add name=up parent=ether1 queue=ethernet-default", "pfifo"),
        ("/queue/type/add name=fair kind=fq-codel\n/queue/tree/add name=up queue=fair", "fq-codel"),
    ],
)
def test_a_queue_is_what_its_type_says(typed: str, kind: str) -> None:
    look = {"menu": "/queue/tree", "where": {"name": "up", "queue.kind": kind}, "rows": 1}
    check = {"says": "the kind", "pass": "yes", "fail": "no", **look}
    assert judged(typed, {**ONE, "check": [check], "touches": {}})["solved"]


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
"""


@pytest.mark.parametrize(
    ("typed", "good"),
    [
        (MARKS.replace("MARK", "lan"), True),
        (MARKS.replace("MARK", "other,lan"), True),
        (MARKS.replace("MARK", "other"), False),
        (MARKS.replace("MARK", "lan").replace("pcq-upload", "pcq-download"), False),
        (MARKS.replace("MARK", "lan").replace("parent=ether1", "parent=bridge"), False),
        (MARKS.replace("MARK", "lan").replace("mark-packet", "log"), False),
        ("/queue/tree/add name=up parent=ether1 queue=pcq-upload-default", False),
    ],
)
def test_a_queue_takes_a_packet_by_its_mark(typed: str, good: bool) -> None:
    check = {
        "packet": "in=bridge src=192.168.88.20:50000 dst=203.0.113.5:443/tcp established",
        "queue": {"parent": "ether1", "queue.pcq-classifier": "src-address"},
        **{"says": "the mark", "pass": "yes", "fail": "no"},
    }
    result = judged(typed, {**ONE, "check": [check], "touches": {}})
    assert result["refused"] == []
    assert result["solved"] is good
    assert "mark" in result["findings"][0][3]


@pytest.mark.parametrize("typed", ["", "# nothing", "/ip/firewall/connection/remove [find]"])
@pytest.mark.parametrize("name", ["01-call-centre", "16-fibre"])
def test_what_changes_nothing_is_told_no_check(name: str, typed: str) -> None:
    result = judged(typed, CASES[name])
    assert (result["findings"], result["counts"], result["solved"]) == ([], False, False)


def test_an_address_without_its_length_is_the_same_queue() -> None:
    drill = practice.plain(practice.drill("fasttrack-keep-one-out"))
    solved = judged(drill["solutions"][0], drill)["findings"]
    queue = "/queue/simple/set host target="
    for target, same in (("198.18.1.3", True), ("198.18.1.3/31", False)):
        findings = judged(drill["solutions"][0] + "\n" + queue + target, drill)["findings"]
        assert (findings == solved) is same, findings


MARKED = "/ip/firewall/mangle/add chain=prerouting action=mark-routing new-routing-mark="


@pytest.mark.parametrize(
    ("typed", "refused"),
    [
        (MARKED + "to-B", True),
        (MARKED + "main", False),
        ("/routing/table/add name=to-B fib\n" + MARKED + "to-B", False),
        ("/ip/route/add gateway=198.18.20.1 routing-table=to-B", True),
        ("/routing/rule/add action=lookup interface=guests table=to-B", True),
    ],
)
def test_a_routing_table_is_there_before_a_line_names_it(typed: str, refused: bool) -> None:
    result = judged(typed, CASES["20-weekend"])
    assert bool(result["refused"]) is refused
    six = {
        **CASES["20-weekend"],
        "export": "# by RouterOS 6.49.19\n/interface bridge\nadd name=guests\n",
    }
    if "/routing/" not in typed:
        assert judged(typed, six)["refused"] == []
