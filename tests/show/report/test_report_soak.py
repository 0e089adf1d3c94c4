"""The report of a soak: how long it went, and which legs lost frames."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from ppslab.core.text.tables import Table
from ppslab.model import results
from ppslab.show import report
from ppslab.show.report.parts import MOST_LEGS
from tests.course.models.conftest import make_soak


def written(folder: Path, record: results.SoakRecord) -> report.Source:
    """The record in a file, as a report has it."""
    results.save(record, folder / "soak.json")
    return report.load(str(folder / "soak.json"))


def tables(source: report.Source) -> dict[str, Table]:
    """The report's tables by their titles."""
    return {b.title: b for b in report.document([source]).blocks() if isinstance(b, Table)}


@pytest.fixture
def stopped(tmp_path: Path) -> report.Source:
    """A soak of 480 legs of a minute that was stopped after three, of which one is not valid."""
    made = make_soak()
    first, second = made.legs
    spoiled = first.model_copy(
        update={"number": 2, "valid": False, "invalid_because": ("CPU steal",), "received": 0}
    )
    words = {"state": "aborted", "planned": 480, "leg_seconds": 60.0}
    return written(tmp_path, made.model_copy(update={**words, "legs": (first, second, spoiled)}))


def test_it_says_how_long_it_went(stopped: report.Source) -> None:
    said = {row[0].text: row[1].text for row in tables(stopped)["The soak"].rows}
    assert said["legs run"] == "3 of 480 legs, 3 min; 1 leg not valid"
    assert said["planned"] == "8 h"
    assert said["frames lost in valid legs"] == "1"
    page = report.html(report.document([stopped]))
    assert "1 leg: CPU steal" in page


def test_a_leg_that_sent_nothing_took_no_time() -> None:
    made = make_soak()
    unsent = made.legs[1].model_copy(
        update={"valid": False, "invalid_because": ("no rules",), "intended": 0, "received": 0}
    )
    record = made.model_copy(update={"legs": (made.legs[0], unsent)})
    assert record.extent == "2 of 2 legs, 1 s; 1 leg not valid"


def test_a_leg_that_lost_frames_has_its_time(stopped: report.Source) -> None:
    (row,) = tables(stopped)["Legs that lost frames, the most first"].rows
    assert [cell.text for cell in row[:4]] == ["2", "2026-11-21 03:01:00 UTC", "1", "1000"]


def test_the_legs_that_lost_most_are_shown_and_the_rest_counted(tmp_path: Path) -> None:
    made = make_soak()
    legs = tuple(
        made.legs[1].model_copy(update={"number": number, "received": 1000 - number})
        for number in range(1, MOST_LEGS + 4)
    )
    source = written(tmp_path, made.model_copy(update={"legs": legs, "planned": len(legs)}))
    table = tables(source)["Legs that lost frames, the most first"]
    lost = [int(row[2].text) for row in table.rows]
    assert lost == sorted(lost, reverse=True)[:MOST_LEGS] and lost[0] == MOST_LEGS + 3
    assert "3" in "".join(table.notes)


def test_each_leg_is_rows_and_a_leg_that_is_not_valid_has_no_value(stopped: report.Source) -> None:
    rows = list(csv.DictReader(io.StringIO(report.csv([stopped]))))
    lost = [row for row in rows if row["quantity"] == "frames lost"]
    assert [row["value"] for row in lost] == ["0.0", "1.0", ""]
    assert lost[2]["remark"].endswith("CPU steal")
    assert {row["condition"] for row in rows} == {"routing-plain"}
