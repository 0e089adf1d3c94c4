"""`ppslab report` and `ppslab compare` as a reader types them."""

from __future__ import annotations

import csv
import io
import json
import os
from pathlib import Path

import pytest

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
    odd = tmp_path / os.fsdecode(b"a\xff.json")  # a name need not be text
    odd.write_bytes((folder / "a.json").read_bytes())
    assert inside("report", str(odd), "--out", str(tmp_path / "out.json")).returncode == 0
    assert "a\ufffd.json" in (tmp_path / "out.json").read_text()


@pytest.mark.long
def test_rows_are_printed_and_nothing_else(inside: Inside, folder: Path) -> None:
    def printed(*words: str) -> str:
        done = inside(*words)
        assert done.returncode == 0, done.stderr
        return done.stdout

    rows = list(csv.DictReader(io.StringIO(printed("report", f"{folder}/a.json", "--csv"))))
    assert {row["lab"] for row in rows} == {"fastpath"}
    made = json.loads(printed("report", f"{folder}/a.json", "--json"))
    assert len(made["results"]) == len(rows)
    compared = printed("compare", f"{folder}/a.json", f"{folder}/b.json")
    assert "\nrouting-3-rules, " in compared and "\nrouting-plain, " not in compared
