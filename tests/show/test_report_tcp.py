"""Reports and comparisons of TCP records."""

from __future__ import annotations

from pathlib import Path

import pytest

from ppslab.core.text.tables import Table
from ppslab.model import results
from ppslab.show import report
from ppslab.show.report import rows
from ppslab.show.report.comparing import comparing, quantities
from tests.support.tcp_factory import GOODPUT, make_tcp_record


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("records")
    results.save(make_tcp_record(seed=1), made / "a.json")
    results.save(make_tcp_record(seed=2), made / "b.json")
    slower = {**GOODPUT, "routing-25-ip-filter-rules": 1.0e9}
    results.save(make_tcp_record(slower, seed=3), made / "slower.json")
    twice = {name: 2 * rate for name, rate in GOODPUT.items()}
    results.save(make_tcp_record(twice, seed=4), made / "twice.json")
    without = make_tcp_record(seed=5, without=("routing-fast-path",))
    results.save(without, made / "without.json")
    return made


def test_the_report_has_every_condition_and_direction(folder: Path) -> None:
    source = report.load(f"{folder}/a.json")
    tables = {b.title: b for b in report.document([source]).blocks() if isinstance(b, Table)}
    for name in ("one way", "the other way", "both ways at once"):
        assert len(tables[f"TCP {name}"].rows) == len(GOODPUT)
    found = {row.condition: row for row in rows.of(source)
             if row.quantity == "goodput" and row.direction == "there"}  # fmt: skip
    for condition, truth in GOODPUT.items():
        assert found[condition].value == pytest.approx(truth, rel=0.02)
        assert found[condition].sha256 == source.sha256


def test_transfers_that_were_not_valid_are_counted_with_their_reason(folder: Path) -> None:
    page = report.html(report.document([report.load(f"{folder}/without.json")]))
    assert "24 transfers: router state not as configured: no rules" in page


def test_two_runs_of_the_same_do_not_differ(folder: Path) -> None:
    assert comparing.compare(f"{folder}/a.json", f"{folder}/b.json").sentences() == ()


def test_a_machine_of_twice_the_speed_is_no_difference(folder: Path) -> None:
    found = comparing.compare(f"{folder}/a.json", f"{folder}/twice.json")
    assert found.sentences() == ()
    assert quantities.ABSOLUTE in found.notes


def test_a_condition_that_is_slower_is_told_and_no_other(folder: Path) -> None:
    said = comparing.compare(f"{folder}/a.json", f"{folder}/slower.json").sentences()
    assert len(said) == 3
    assert all(s.startswith("routing-25-ip-filter-rules") and "% lower" in s for s in said)


def test_two_conditions_of_one_run(folder: Path) -> None:
    found = comparing.compare(
        f"{folder}/a.json:routing-plain", f"{folder}/a.json:routing-fast-path"
    )
    assert len(found.differences()) == 3
    ratio = found.differences()[0].ratio
    assert ratio is not None
    assert not ratio.excludes(4 / 3)
    gone = comparing.compare(
        f"{folder}/without.json:routing-plain",
        f"{folder}/without.json:routing-25-ip-filter-rules",
    )
    assert all(
        row.ratio and row.ratio.estimate == pytest.approx(0.5, rel=0.02) for row in gone.rows
    )
