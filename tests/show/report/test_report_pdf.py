"""A report on paper: each page numbered, nothing cut, and the words of its figures."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from ppslab.core.text.tables import Table
from ppslab.show import report
from ppslab.show.report import page as report_page
from ppslab.show.report.document import Document
from tests.support.suite_factory import make_suite

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def pdf(both: list[report.Source], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pdf") / "report.pdf"
    path.write_bytes(report.pdf(report.document(both)))
    return path


def told(*argv: str) -> str:
    return subprocess.run(argv, capture_output=True, text=True, check=True).stdout


def test_every_page_of_the_pdf_has_its_number(pdf: Path) -> None:
    pages = int(re.findall(r"Pages:\s+(\d+)", told("pdfinfo", str(pdf)))[0])
    texts = told("pdftotext", "-layout", str(pdf), "-").split("\f")[:pages]
    for number, text in enumerate(texts, start=1):
        assert f"page {number} of {pages}" in text


def test_nothing_on_a_page_is_cut(pdf: Path) -> None:
    boxes = told("pdftotext", "-bbox", str(pdf), "-")
    width = float(re.findall(r'<page width="([\d.]+)"', boxes)[0])
    right = [float(x) for x in re.findall(r'xMax="([\d.]+)"', boxes)]
    left = [float(x) for x in re.findall(r'xMin="([\d.]+)"', boxes)]
    margin = 14 / 25.4 * 72
    assert max(right) <= width - margin + 2
    assert min(left) >= margin - 2


def test_the_pdf_says_what_the_tables_say(pdf: Path, both: list[report.Source]) -> None:
    text = re.sub(r"\s+", "", told("pdftotext", str(pdf), "-"))
    tables = [b for b in report.document(both).blocks() if isinstance(b, Table)]
    for table in tables:
        for row in table.rows:
            for place, cell in enumerate(row):
                # A long word is broken at its hyphens, and pdftotext leaves those out.
                words = re.sub(r"[\s-]+", "", table.words(place, cell))
                assert words in text.replace("-", ""), (table.title, cell.text)


def test_what_a_router_said_is_on_the_screen_and_left_out_of_the_paper(
    pdf: Path, page: str
) -> None:
    assert "<summary><code>what the router said of itself before the first trial" in page
    text = told("pdftotext", str(pdf), "-")
    assert "Not printed: what the router said of itself" in re.sub(r"\s+", " ", text)


def test_the_pdf_is_tagged_and_its_figures_have_words(pdf: Path) -> None:
    assert re.search(r"Tagged:\s+yes", told("pdfinfo", str(pdf)))
    assert 'alt="Throughput against frame size' in _paper(pdf)


def _paper(pdf: Path) -> str:
    del pdf
    from ppslab.show.figures.rfc2544 import throughput_figure

    figure = throughput_figure(make_suite(sizes=(64, 128, 512)), ("ipv4", "lab"))
    return report_page.html(Document("T", (figure,), ()), printed=True)


def test_a_short_table_is_not_cut_across_pages(pdf: Path, both: list[report.Source]) -> None:
    pages = [re.sub(r"[\s-]+", "", page) for page in told("pdftotext", str(pdf), "-").split("\f")]
    for block in report.document(both).blocks():
        if isinstance(block, Table) and 1 < len(block.rows) < 15:
            first, last = ("".join(c.text for c in block.rows[i]) for i in (0, -1))
            on = [
                {n for n, page in enumerate(pages) if re.sub(r"[\s-]+", "", text) in page}
                for text in (first, last)
            ]
            assert not on[0] or not on[1] or on[0] & on[1], block.title
