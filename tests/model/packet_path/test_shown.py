"""What terminal and site show of an answer: all of its parts, and the same without a line."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from asked import HEAD, HOME, LAN_AND_WAN, MARK
from click.testing import Result
from planted import FORMS, planted
from planted import MARK as SECRET
from typer.testing import CliRunner

from ppslab.cli import app
from ppslab.core.errors import UsageError
from ppslab.course.models import explain as on_page
from ppslab.model.lab import lab as labs
from ppslab.model.results import Record
from ppslab.show import explained, record_tables
from rosexplain import decide, explain, report, sentences
from rosexplain.base import base as rule_base
from rosexplain.parse import parsed
from rosexplain.report import Answer
from tests.course.models.both import ask, begins_with, known
from tests.support import excerpts

SWITCH = """# 2026-11-20 10:00:00 by RouterOS 7.20.8
# model = CRS326-24G-2S+
/interface bridge
add name=bridge1
add name=second
/interface ethernet switch
set 0 l3-hw-offloading=yes
/interface list
add name=WAN
/interface list member
add interface=ether1 list=WAN
/interface vlan
add interface=ether5 name=vlan5 vlan-id=5
/ip address
add address=192.168.1.1/24 interface=bridge1
/ip firewall filter
add action=accept chain=forward connection-state=established,related
add action=fasttrack-connection chain=forward connection-state=established,related
:put unread
"""
PRINTED = """[admin@MikroTik] > /ip/settings/print
 ipv4-fast-path-active: no
 ipv4-fasttrack-packets: 48 211 934
[admin@MikroTik] > /ip/vrf/print
 0 x
"""
PACKET = "in=bridge1 dst=1.1.1.1:443/tcp established"


@pytest.fixture
def shown(tmp_path: Path) -> tuple[str, dict[str, Any]]:
    """The text, and the answer as data."""
    (tmp_path / "r.rsc").write_text(SWITCH)
    (tmp_path / "p.txt").write_text(PRINTED)
    command = ["explain", str(tmp_path / "r.rsc"), "--print", str(tmp_path / "p.txt")]
    command += ["--packet", PACKET]
    text = CliRunner().invoke(app, [*command, "--all"]).stdout
    return text, json.loads(CliRunner().invoke(app, [*command, "--json"]).stdout)


def test_the_text_has_each_part(shown: tuple[str, dict[str, Any]]) -> None:
    text, plain = shown
    rows = plain["defaults"]
    words = [f"{row['menu']} {row['property']}={row['value']}" for row in rows]
    words += [row["source"] for row in rows]
    words += [part for row in plain["offload"] for part in (row["says"], row["cited"])]
    words += sentences.evidence(plain)
    assert rows and plain["offload"] and plain["evidence"]
    for one in words:
        assert without_spaces(one) in without_spaces(text)


def without_spaces(text: str) -> str:
    """Words as they are wherever a line ends; sources begin with a capital in the text."""
    return re.sub(r"\s+", "", text).casefold()


def test_the_text_has_what_contradicts_and_what_was_not_read(
    shown: tuple[str, dict[str, Any]],
) -> None:
    text, plain = shown
    assert plain["contradicted"] and len(plain["unread"]) > 1
    contradicting = [line for line in plain["summary"]["warnings"] if "contradicts" in line]
    assert contradicting
    for line in [*contradicting, *map(sentences.unread, sentences.named(plain)["unread"])]:
        assert without_spaces(line) in without_spaces(text), line


# --- lines taken as gone: the command's `--without` and the page's switches, alike ----------------

EXPORT = f"""{HEAD}{LAN_AND_WAN}/ip firewall filter
add action=accept chain=forward \\
    connection-state=established,related
add action=fasttrack-connection chain=forward connection-state=established,related
/ip firewall nat
add action=masquerade chain=srcnat out-interface-list=WAN
"""
ACCEPT, FASTTRACK = 10, 12
MAIN = "LAN to WAN, established TCP and UDP, translated"
SAID = f"{MAIN}: FastTrack (fast); with all lines: slow path (not fast)."


def page(**inputs: Any) -> dict[str, Any]:
    return ask("explain", export={"name": "x", "text": EXPORT}, **inputs)


@pytest.fixture
def export(tmp_path: Path) -> Path:
    path = tmp_path / "r.rsc"
    path.write_text(EXPORT)
    return path


@pytest.mark.parametrize("line", [ACCEPT, ACCEPT + 1])
def test_both_say_what_is_different_without_a_line(export: Path, line: int) -> None:
    answer = page(without=str(line))
    assert answer["switches"]["says"] == [f"Without line {ACCEPT}, {SAID}"]
    assert answer["switches"]["says"][0] in answer["warnings"]
    marks = {number: mark for number, _, mark in answer["listing"]}
    assert marks[ACCEPT] == "gone"
    command = ["explain", str(export), "--without", str(line)]
    said = " ".join(CliRunner().invoke(app, command).stdout.split())
    assert f"Without line {ACCEPT}, {SAID}" in said
    plain = json.loads(CliRunner().invoke(app, [*command, "--json"]).stdout)
    assert plain["without"] == [{"file": str(export), "line": ACCEPT}]
    assert [each["title"] for each in plain["changed"]] == [MAIN]


def test_packets_that_are_there_no_more_are_named() -> None:
    """Two networks make a class of their own; without one of them there is none."""
    other = "/ip address\nadd address=198.18.2.1/24 interface=ether3\n"
    answer = ask("explain", export={"name": "x", "text": EXPORT + other}, without="16")
    assert any("between LAN networks, established" in each for each in answer["switches"]["says"])


@pytest.mark.parametrize("without", ["3", "99", "x", "²", "1" * 40])
def test_a_line_that_cannot_be_gone_is_refused(without: str) -> None:
    assert page(without=without)["problem"]["input"] == "without"


# --- `ppslab explain` as a reader types it --------------------------------------------------------


def run(folder: Path, export: str, *words: str) -> Result:
    """`ppslab explain` of an export."""
    (folder / "r.rsc").write_text(export, encoding="utf-8")
    return CliRunner().invoke(app, ["explain", str(folder / "r.rsc"), *words])


def class_of(plain: dict[str, Any], name: str = "established") -> dict[str, Any]:
    (row,) = [row for row in plain["classes"] if row["class"] == name]
    return dict(row)


def test_the_command_says_it_and_its_exit_code_too(tmp_path: Path) -> None:
    assert run(tmp_path, HOME + MARK).exit_code == 0
    shown = run(tmp_path, HOME + "add chain=forward\n" + MARK, "--json")
    assert shown.exit_code == 1
    established = class_of(json.loads(shown.stdout))
    assert established["reasons"][0]["rule"] == "accept-in-front"
    assert established["changes"][0]["commands"] and established["changes"][0]["loses"]
    for text, words in (
        ("# nothing\n", ()),
        (HOME, ("--packet", "dst=300.1.1.1")),
        (HOME, ("--without", "x")),
    ):
        wrong = run(tmp_path, text, *words).exception
        assert isinstance(wrong, UsageError) and wrong.exit_code == 2


@pytest.mark.long
@pytest.mark.parametrize("form", FORMS)
def test_no_secret_is_shown(form: str, tmp_path: Path) -> None:
    text, _ = planted(form)
    inputs = begins_with("explain")
    inputs |= {"export": {"name": "r.rsc", "text": text}, "example": "", "packet": ""}
    assert SECRET not in run(tmp_path, text).output
    assert SECRET not in json.dumps(on_page.answer(inputs, known("explain")))


@pytest.fixture
def excerpt_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Record:
    """An excerpt of a record of FastTrack, and no record besides."""
    folder = tmp_path / "results"
    folder.mkdir()
    shutil.copy(excerpts.RULES.path, folder)
    monkeypatch.setenv("PPSLAB_RESULTS", str(folder))
    return excerpts.record(excerpts.RULES)


def test_a_path_costs_what_its_condition_cost_in_the_newest_record(
    tmp_path: Path, excerpt_alone: Record
) -> None:
    established = class_of(
        json.loads(run(tmp_path, HOME + "add chain=forward\n" + MARK, "--json").stdout)
    )
    record, size = excerpt_alone, min(excerpt_alone.frame_sizes)
    for costs, name in ((established["costs"], "rules"),
                        (established["changes"][0]["then"]["costs"], "fasttrack")):  # fmt: skip
        (cost,) = costs
        assert cost["cost"] == f"on the Linux stand-in {record_tables.cost(record, name, size)}"
        assert cost["of"].startswith(f"fasttrack: {name}, {size} bytes; router: ")


def test_every_cost_is_of_a_lab_and_a_condition_that_there_are() -> None:
    base = rule_base()
    every = [*base["paths"], *(rule["cost"] for rule in base["rules"] if rule["cost"])]
    for each in every:
        lab = labs.find(each["lab"])
        names = [each["condition"], each.get("against") or each["condition"]]
        assert set(names) <= set(lab.conditions), each
    ways = {row["path"] for row in base["paths"]}
    assert ways <= set(decide.NAMES)


@pytest.mark.usefixtures("excerpt_alone")
def test_the_page_s_costs_are_those_of_the_command() -> None:
    known = explained.every_cost()
    exports = [parsed(HOME + "add chain=forward\n" + MARK, "x")]
    plain = Answer(explain(exports)).plain()
    here = report.with_costs(json.loads(json.dumps(plain)), known)
    assert here == explained.with_costs(plain)
    assert known
    assert all("instructions" in cost["cost"] or "times" in cost["cost"] for cost in known.values())
