"""Reports: all that a record says, in one file that asks nobody else."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest

from ppslab.core.errors import FileError, UsageError
from ppslab.core.text.tables import Table
from ppslab.course.site.directives.frame.offline import external_addresses
from ppslab.model import results
from ppslab.show import report
from ppslab.show.figures import Figure
from ppslab.show.report.document import Document
from tests.show.report.conftest import SIZES
from tests.support.suite_factory import TESTER, make_suite

pytestmark = pytest.mark.long

VOID = {"meta", "img", "br", "link", "hr", "input"}


class _Balanced(HTMLParser):
    """Fails where an element is closed that is not the open one."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.targets: list[str] = []
        self.levels: list[int] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)
        if re.fullmatch(r"h[1-6]", tag):
            self.levels.append(int(tag[1]))
        for name, value in attrs:
            if name == "id":
                self.ids.append(value or "")
            if name == "href" and value and value.startswith("#"):
                self.targets.append(value[1:])

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.ids += [value or "" for name, value in attrs if name == "id"]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_well_formed_and_its_links_find_their_places(page: str) -> None:
    parser = _Balanced()
    parser.feed(page)
    assert parser.open == []
    assert len(parser.ids) == len(set(parser.ids))
    assert set(parser.targets) <= set(parser.ids)
    steps = zip(parser.levels, parser.levels[1:], strict=False)
    assert all(after <= before + 1 for before, after in steps), "no level of heading is left out"


def test_the_page_fetches_nothing(page: str, tmp_path: Path) -> None:
    (tmp_path / "report.html").write_text(page)
    assert external_addresses(tmp_path) == []
    assert "<script" not in page
    assert not re.search(r'(?:src|href)="(?!#|data:)', page)


def test_the_same_record_gives_the_same_page(both: list[report.Source], page: str) -> None:
    assert report.html(report.document(both)) == page


def test_every_table_has_a_caption_and_headers(page: str) -> None:
    tables = re.findall(r"<table.*?</table>", page, re.DOTALL)
    assert len(tables) > 20
    for table in tables:
        assert "<caption>" in table
        assert '<th scope="col">' in table
        assert '<th scope="row"' in table


def test_every_figure_has_its_words(page: str, both: list[report.Source]) -> None:
    drawings = re.findall(r"<svg\b.*?</svg>", page, re.DOTALL)
    figures = [b for b in report.document(both).blocks() if isinstance(b, Figure)]
    assert len(drawings) == len(figures) >= 6
    assert all("<title" in drawing and "<desc" in drawing for drawing in drawings)
    assert all(figure.alt and figure.lines for figure in figures)


def blocks(document: Document, title: str) -> Iterator[Table]:
    for block in document.blocks():
        if isinstance(block, Table) and block.title.startswith(title):
            yield block


def test_every_test_of_the_suite_has_its_section_and_its_numbers(suite: report.Source) -> None:
    document = report.document([suite])
    titles = " ".join(part.title for top in document.sections for part in top.walk())
    for number in ("26.1", "26.2", "26.3", "26.4", "26.5", "26.6"):
        assert f"section {number}" in titles
    record = suite.record
    assert isinstance(record, results.SuiteRecord)
    found = {
        (row[0].text, row[1].text): row
        for table in blocks(document, "Throughput: routing-fast-path")
        for row in table.rows
    }
    assert len(found) == len(SIZES) + 4
    # RFC 2544 appendix B: 1 488 095 frames of 64 bytes a port of 1 Gbit/s, three ports.
    assert found["64", "IPv4, all streams"][2].text == "4.46 Mpps"
    assert found["64", "IPv4, one way"][2].text == "1.49 Mpps"
    curve = next(blocks(document, "Frame loss rate: routing-25"))
    assert [row[0].text for row in curve.rows][:2] == ["100 %", "90 %"]
    assert next(row for row in curve.rows if row[0].text == "70 %")[1].text == "not valid"


def test_what_a_reader_must_know_is_said(page: str, suite: report.Source) -> None:
    record = suite.record
    assert isinstance(record, results.SuiteRecord)
    for words in (
        *record.deviations,
        *record.warnings,
        "RFC 6815",
        record.router["cannot_show"],
        record.environment["kernel"],
        suite.sha256,
        suite.path.name,
        "Not measured: bridging-plain: no bridge here.",
        "CPU steal: the hypervisor took 9% of the time",
        "800 ns",
    ):
        assert words in unescape(page)
    for condition in record.conditions:
        for name, text in condition.configuration.items():
            assert name in page
            assert text.strip().splitlines()[0] in unescape(page)


def test_an_aborted_run_is_called_so(folder: Path) -> None:
    path = folder / "aborted.json"
    results.save(make_suite(sizes=(64,)).model_copy(update={"state": "aborted"}), path)
    assert "This run was aborted" in report.html(report.document([report.load(str(path))]))


def test_a_suite_of_which_little_was_measured_has_a_report(folder: Path) -> None:
    nothing = {
        "throughput": (), "latency": (), "frame_loss": (), "back_to_back": (), "recovery": (),
        "reset": (), "trials": (), "port_speed": None, "delay_resolution_ns": None,
    }  # fmt: skip
    path = folder / "nothing.json"
    results.save(make_suite(sizes=(64,)).model_copy(update=nothing), path)
    said = report.html(report.document([report.load(str(path))]))
    assert "No throughput was searched" in said
    assert "no theoretical line" in said
    assert "how finely the delays resolve is unknown" in said


def test_what_a_tester_limits_is_said_so(folder: Path) -> None:
    record = make_suite(costs={"routing-fast-path": -420.0}, sizes=(64, 1518))
    truth = record.throughput[0].goals[0].conditional_throughput
    assert truth is not None
    assert truth > 0.9 * TESTER
    path = folder / "limited.json"
    results.save(record, path)
    page = report.html(report.document([report.load(str(path))]))
    assert "tester-limited)" in page
    assert "At least: the tester could not send more." in page


def test_text_of_a_record_cannot_become_markup(folder: Path) -> None:
    evil = '<script>alert(1)</script>"&'
    record = make_suite(sizes=(64,))
    condition = record.conditions[0].model_copy(
        update={"title": evil, "configuration": {evil: evil}, "read_back": evil}
    )
    path = folder / "evil.json"
    results.save(
        record.model_copy(
            update={
                "title": evil, "conditions": (condition, *record.conditions[1:]),
                "deviations": (evil,),
                "environment": {evil: evil}, "warnings": (evil,),
            }
        ),
        path,
    )  # fmt: skip
    said = report.html(report.document([report.load(str(path))]))
    assert "<script>" not in said
    assert "&lt;script&gt;" in said


def test_rows_are_tidy_and_complete(both: list[report.Source]) -> None:
    rows = list(csv.DictReader(io.StringIO(report.csv(both))))
    assert {row["record"] for row in rows} == {source.record.id for source in both}
    assert {row["test"] for row in rows} >= {
        "throughput", "latency", "frame-loss", "back-to-back", "recovery", "reset", "cost",
    }  # fmt: skip
    found = [
        row for row in rows
        if (row["test"], row["condition"], row["frame_size"], row["family"], row["direction"])
        == ("throughput", "routing-fast-path", "64", "ipv4", "lab")
    ]  # fmt: skip
    record = both[0].record
    assert isinstance(record, results.SuiteRecord)
    goals = record.throughput[0].goals
    assert [float(row["value"]) for row in found] == [goal.conditional_throughput for goal in goals]
    assert [float(row["loss_ratio"]) for row in found] == [goal.loss_ratio for goal in goals]
    keys = [
        tuple(row[k] for k in ("record", "test", "quantity", "condition", "frame_size", "family",
                               "direction", "share", "loss_ratio"))
        for row in rows
    ]  # fmt: skip
    assert len(keys) == len(set(keys)), "a row is one result"


def test_json_holds_the_heads_and_the_same_rows(both: list[report.Source]) -> None:
    made = json.loads(report.json(both))
    assert made["schema"] == report.SCHEMA
    assert len(made["results"]) == len(list(csv.reader(io.StringIO(report.csv(both))))) - 1
    assert made["records"][0]["deviations"] == list(both[0].record.deviations)
    assert made["records"][0]["sha256"] == both[0].sha256


def test_what_is_no_record_is_one_message(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text("{")
    for name, error, said in (
        (str(tmp_path / "bad.json"), FileError, "not JSON"),
        (str(tmp_path / "none.json"), FileError, "no such file"),
        (str(folder), FileError, "this is a folder"),
        ("rfc2544-nowhere", UsageError, "no record 'rfc2544-nowhere'"),
    ):
        with pytest.raises(error, match=said):
            report.load(name)


def test_a_recorded_run_is_found_by_its_name(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PPSLAB_RESULTS", str(folder))
    assert report.load("suite").path == folder / "suite.json"
    with pytest.raises(UsageError, match='"suite"'):
        report.load("siute")
