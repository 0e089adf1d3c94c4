"""`ppslab report` and `ppslab compare` as a reader types them."""

from __future__ import annotations

import csv
import io
import json
import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ppslab.cli import app
from ppslab.core.errors import UsageError
from ppslab.model import results
from tests.cli.conftest import Inside
from tests.support.factory import make_record
from tests.support.suite_factory import make_suite


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("records")
    results.save(make_suite(sizes=(64, 1518)), made / "suite.json")
    results.save(make_record(seed=1), made / "a.json")
    results.save(make_record(seed=2, costs={"routing-3-rules": 560.0}), made / "b.json")
    return made


@pytest.mark.long
def test_a_report_of_several_records_is_one_file(
    inside: Inside, folder: Path, tmp_path: Path
) -> None:
    out = tmp_path / "both.html"
    done = inside("report", f"{folder}/suite.json", f"{folder}/a.json", "--out", str(out))
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == str(out)
    text = out.read_text()
    assert text.startswith("<!DOCTYPE html>")
    assert "suite.json" in text and "a.json" in text
    assert [path.name for path in tmp_path.iterdir()] == ["both.html"]


@pytest.mark.parametrize("form", ["html", "json"])
def test_a_name_that_is_no_text_is_shown_with_a_mark_in_its_place(
    folder: Path, runtime: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    monkeypatch.setenv("PPSLAB_RUNTIME", str(runtime))
    odd = tmp_path / os.fsdecode(b"a\xff.json")
    odd.write_bytes((folder / "a.json").read_bytes())
    out = tmp_path / f"out.{form}"
    done = CliRunner().invoke(app, ["report", str(odd), "--out", str(out)])
    assert done.exit_code == 0, done.output
    assert "a\ufffd.json" in out.read_text()


# Without a process each: it takes a second to start one.


@pytest.mark.long
@pytest.mark.parametrize(
    ("argv", "said"),
    [
        ("report nowhere", "'nowhere'"),
        ("report {bad}", "bad.json"),
        ("report {a} --csv --pdf", "--csv"),
        ("report {a} --out {folder}", "folder"),
        ("report {a} --out {folder}/x.docx", ".html"),
        ("report {a} --out /proc/nowhere/x.html", "/proc/nowhere"),
        ("compare {a} {a}", "conditions"),
        ("compare {a} {suite}", "kinds"),
    ],
)
def test_wrong_usage_is_one_message(
    folder: Path, runtime: Path, monkeypatch: pytest.MonkeyPatch, argv: str, said: str
) -> None:
    monkeypatch.setenv("PPSLAB_RUNTIME", str(runtime))
    (folder / "bad.json").write_text('{"schema": "ppslab/record/2"}')
    names = {name: str(folder / f"{name}.json") for name in ("a", "suite", "bad")}
    words = [word.format(folder=folder, **names) for word in argv.split()]
    caught = CliRunner().invoke(app, words).exception
    assert isinstance(caught, UsageError)
    assert said in str(caught)
    assert caught.exit_code == 2


@pytest.mark.long
def test_rows_are_printed_and_nothing_else(
    folder: Path, runtime: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PPSLAB_RUNTIME", str(runtime))

    def printed(*words: str) -> str:
        done = CliRunner().invoke(app, list(words))
        assert done.exit_code == 0, done.output
        return done.stdout

    rows = list(csv.DictReader(io.StringIO(printed("report", f"{folder}/a.json", "--csv"))))
    assert {row["lab"] for row in rows} == {"fastpath"}
    made = json.loads(printed("report", f"{folder}/a.json", "--json"))
    assert len(made["results"]) == len(rows)
    compared = printed("compare", f"{folder}/a.json", f"{folder}/b.json")
    assert "\nrouting-3-rules, " in compared and "\nrouting-plain, " not in compared
