"""`ppslab explain` as a reader types it: its exit code, evidence, costs, and no secret."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from asked import HOME, MARK
from click.testing import Result
from planted import FORMS, planted
from planted import MARK as SECRET
from typer.testing import CliRunner

from ppslab.cli import app
from ppslab.core.errors import UsageError
from ppslab.course.models import explain as page
from ppslab.model.lab import lab as labs
from ppslab.model.results import Record
from ppslab.show import explained, record_tables
from rosexplain import decide, explain, report
from rosexplain.base import base as rule_base
from rosexplain.parse import parsed
from rosexplain.report import Answer
from tests.course.models.both import begins_with, known
from tests.support import excerpts


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
    assert SECRET not in json.dumps(page.answer(inputs, known("explain")))


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
