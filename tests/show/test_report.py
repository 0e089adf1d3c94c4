"""Reports: all that a record says, in one file that asks nobody else, on screen and on paper."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
from html import unescape
from html.parser import HTMLParser
from itertools import chain
from pathlib import Path

import pytest

from ppslab.core.errors import FileError, UsageError
from ppslab.core.text.tables import Table
from ppslab.course.site.directives.frame.offline import external_addresses
from ppslab.model import results
from ppslab.show import report, rows
from ppslab.show.report import parts
from tests.support.factory import make_record
from tests.support.suite_factory import make_suite
from tests.support.tcp_factory import GOODPUT, make_tcp_record

SIZES = (64, 512, 1518)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("records")
    results.save(make_suite(sizes=SIZES), made / "suite.json")
    results.save(make_record(), made / "cost.json")
    return made


@pytest.fixture(scope="module")
def suite(folder: Path) -> report.Source:
    return report.load(str(folder / "suite.json"))


@pytest.fixture(scope="module")
def both(folder: Path, suite: report.Source) -> list[report.Source]:
    return [suite, report.load(str(folder / "cost.json"))]


@pytest.fixture(scope="module")
def page(both: list[report.Source]) -> str:
    return report.html(both)


def blocks(source: report.Source) -> list[parts.Block]:
    kind, record = report.kind_of(source), source.record
    return [*kind.summary(record), *chain.from_iterable(kind.tests(record).values())]


def tables(source: report.Source) -> dict[str, Table]:
    """The report's tables by their titles."""
    return {str(block.title): block for block in blocks(source) if isinstance(block, Table)}


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


@pytest.mark.long
def test_the_page_is_well_formed_and_its_links_find_their_places(page: str) -> None:
    parser = _Balanced()
    parser.feed(page)
    assert parser.open == []
    assert len(parser.ids) == len(set(parser.ids))
    assert set(parser.targets) <= set(parser.ids)
    drawings = re.findall(r"<svg\b.*?</svg>", page, re.DOTALL)
    assert len(drawings) >= 6
    assert all("<title" in drawing and "<desc" in drawing for drawing in drawings)
    steps = zip(parser.levels, parser.levels[1:], strict=False)
    assert all(after <= before + 1 for before, after in steps), "no level of heading is left out"


@pytest.mark.long
def test_the_page_fetches_nothing(page: str, tmp_path: Path) -> None:
    (tmp_path / "report.html").write_text(page)
    assert external_addresses(tmp_path) == []
    assert "<script" not in page
    assert not re.search(r'(?:src|href)="(?!#|data:)', page)


@pytest.mark.long
def test_every_test_of_the_suite_has_its_section_and_its_numbers(suite: report.Source) -> None:
    titles = " ".join(report.kind_of(suite).tests(suite.record))
    for number in ("26.1", "26.2", "26.3", "26.4", "26.5", "26.6"):
        assert f"section {number}" in titles
    record = suite.record
    assert isinstance(record, results.SuiteRecord)
    found = {
        (row[0].text, row[1].text): row
        for row in tables(suite)["Throughput: routing-fast-path"].rows
    }
    assert len(found) == len(SIZES) + 4
    # RFC 2544 appendix B: 1 488 095 frames of 64 bytes a port of 1 Gbit/s, three ports.
    assert found["64", "IPv4, all streams"][2].text == "4.46 Mpps"
    assert found["64", "IPv4, one way"][2].text == "1.49 Mpps"
    curve = next(
        t for name, t in tables(suite).items() if name.startswith("Frame loss rate: routing-25")
    )
    assert [row[0].text for row in curve.rows][:2] == ["100 %", "90 %"]
    assert next(row for row in curve.rows if row[0].text == "70 %")[1].text == "not valid"


@pytest.mark.long
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
        "no bridge here",
    ):
        assert words in unescape(page)
    for condition in record.conditions:
        for name, text in condition.configuration.items():
            assert name in page
            assert text.strip().splitlines()[0] in unescape(page)


@pytest.mark.parametrize(
    ("invalid", "words"),
    [
        ((), ("All 4 trials were valid.",)),
        (("lost 3 of 9",), ("1 of 4 trials (25 %) were not valid:", "1 trial: lost 3 of 9")),
        (
            ("lost 3 of 9", "lost 4.5 of 9", "late"),
            ("3 of 4 trials", "2 trials: such as lost 3 of 9", "1 trial: late"),
        ),
    ],
)
def test_reasons_that_differ_in_their_numbers_are_one(
    invalid: tuple[str, ...], words: tuple[str, ...]
) -> None:
    record = make_record()
    reasons = [(why,) for why in invalid] + [()] * (4 - len(invalid))
    trials = tuple(
        trial.model_copy(update={"invalid_because": why, "valid": not why})
        for trial, why in zip(record.trials, reasons, strict=False)
    )
    table, *text = parts.trials(record.model_copy(update={"trials": trials}))
    assert isinstance(table, Table)
    assert sum(int(row[2].text) for row in table.rows) == 4 - len(invalid)
    for each in words:
        assert each in str(text)


@pytest.mark.long
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
    said = report.html([report.load(str(path))])
    assert "<script>" not in said
    assert "&lt;script&gt;" in said


@pytest.mark.long
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
    heads = json.loads(report.json(both))
    assert len(heads["results"]) == len(rows)
    assert heads["records"][0]["deviations"] == list(both[0].record.deviations)
    assert heads["records"][0]["sha256"] == both[0].sha256


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "error", "said"),
    [
        ("{}/bad.json", FileError, "not JSON"),
        ("{}/none.json", FileError, "no such file"),
        ("{}", FileError, "this is a folder"),
        ("rfc2544-nowhere", UsageError, "no record 'rfc2544-nowhere'"),
        ("siute", UsageError, '"suite"'),
    ],
)
def test_a_recorded_run_is_found_by_its_name_and_what_is_none_is_one_message(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    error: type[Exception],
    said: str,
) -> None:
    monkeypatch.setenv("PPSLAB_RESULTS", str(folder))
    (folder / "bad.json").write_text("{")
    assert report.load("suite").path == folder / "suite.json"
    with pytest.raises(error, match=said):
        report.load(name.format(folder))


@pytest.fixture(scope="module")
def pdf(both: list[report.Source], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pdf") / "report.pdf"
    path.write_bytes(report.pdf(both))
    return path


def told(*argv: str) -> str:
    return subprocess.run(argv, capture_output=True, text=True, check=True).stdout


@pytest.mark.long
def test_nothing_on_a_page_is_cut(pdf: Path) -> None:
    boxes = told("pdftotext", "-bbox", str(pdf), "-")
    width = float(re.findall(r'<page width="([\d.]+)"', boxes)[0])
    right = [float(x) for x in re.findall(r'xMax="([\d.]+)"', boxes)]
    left = [float(x) for x in re.findall(r'xMin="([\d.]+)"', boxes)]
    margin = 14 / 25.4 * 72
    assert max(right) <= width - margin + 2
    assert min(left) >= margin - 2


def written(folder: Path, record: results.Run) -> report.Source:
    """The record in a file, as a report has it."""
    results.save(record, folder / "record.json")
    return report.load(str(folder / "record.json"))


def test_a_tcp_report_has_every_condition_and_direction(tmp_path: Path) -> None:
    source = written(tmp_path, make_tcp_record(seed=1))
    for name in ("one way", "the other way", "both ways at once"):
        assert len(tables(source)[f"TCP {name}"].rows) == len(GOODPUT)
    found = {row.condition: row for row in rows.of(source.record)
             if row.quantity == "goodput" and row.direction == "there"}  # fmt: skip
    for condition, truth in GOODPUT.items():
        assert found[condition].value == pytest.approx(truth, rel=0.02)
