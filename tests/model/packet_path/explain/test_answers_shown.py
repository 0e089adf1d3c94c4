"""`ppslab explain` as a reader types it: its exit code, evidence, costs, and no secret."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from ppslab.core.errors import UsageError
from ppslab.model.lab import lab as labs
from ppslab.model.packet_path import rules
from ppslab.model.results import Record
from ppslab.show import explained, record_tables
from rosexplain import decide, report
from rosexplain.classify import explain
from rosexplain.parse import parsed
from rosexplain.report import Answer
from tests.model.packet_path.asked import MARK, class_of, run, told
from tests.model.packet_path.explain.homes import HOME
from tests.support import excerpts


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


def test_no_secret_is_in_any_output(tmp_path: Path) -> None:
    text = HOME + MARK.replace("chain", 'comment="hunter2" chain')
    text += "/interface wireguard\nadd name=wg private-key=hunter2\n:put hunter2\n"
    html = tmp_path / "o.html"
    for words in (("--json",), (), ("--html", str(html)), ("--packet", "dst=1.1.1.1:80/tcp")):
        assert "hunter2" not in run(tmp_path, text, *words).output
    page = html.read_text()
    assert "hunter2" not in page and "<mark>" in page and "<script" not in page


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
    established = class_of(told(tmp_path, HOME + "add chain=forward\n" + MARK))
    record, size = excerpt_alone, min(excerpt_alone.frame_sizes)
    for costs, name in ((established["costs"], "rules"),
                        (established["changes"][0]["then"]["costs"], "fasttrack")):  # fmt: skip
        (cost,) = costs
        assert cost["cost"] == f"on the Linux stand-in {record_tables.cost(record, name, size)}"
        assert cost["of"].startswith(f"fasttrack: {name}, {size} bytes; router: ")


def test_every_cost_is_of_a_lab_and_a_condition_that_there_are() -> None:
    base = rules.plain()
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
    plain = Answer(explain(exports, rules.plain())).plain()
    here = report.with_costs(json.loads(json.dumps(plain)), known)
    assert here == explained.with_costs(plain)
    assert known
    assert all("instructions" in cost["cost"] or "times" in cost["cost"] for cost in known.values())
