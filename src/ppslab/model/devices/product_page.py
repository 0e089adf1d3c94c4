"""The test results of a product page of MikroTik's: saved as HTML, or pasted as text.

`model/results_table` reads its tables, and a table that was pasted into a file as text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from html.parser import HTMLParser
from itertools import product
from pathlib import Path

from ppslab.core import documents
from ppslab.core.errors import FileError
from ppslab.model import devices, results_table
from ppslab.model.devices import Device, Result, Source
from ppslab.model.results_table import Cell, Row, TableError


@dataclass(frozen=True)
class Page:
    """Content of a saved page: its figures, its own address, and its list of specifications."""

    rows: tuple[Row, ...]
    address: str
    specifications: dict[str, str]


def read(path: Path) -> Page:
    """The figures of a saved page or a pasted table; FileError with the line that is wrong."""
    text = documents.read_text(path)
    parser = _Parser()
    try:
        if "<" not in text:
            return Page(tuple(results_table.pasted(text)), "", {})
        parser.feed(text)
        parser.close()
        rows = [row for table in parser.tables for row in results_table.figures(table)]
    except TableError as error:
        raise FileError(path, error.line, error.message) from None
    if not rows:
        raise FileError(
            path,
            None,
            "no table of test results with Mode, Configuration and frame sizes; "
            'save the product page as "Web page, HTML only", with its tab "Test results"',
        )
    specifications = {
        label.text.rstrip(":").strip(): value.text
        for table in parser.tables
        for label, value in (line for line in table if len(line) == 2)
    }
    return Page(tuple(rows), parser.address, specifications)


def with_results(device: Device, path: Path) -> Device:
    """The device with the results of a file; FileError where they are another device's."""
    page = read(path)
    known = {each.code: each.name for each in devices.load()}
    printed = page.rows[0].code
    if printed in known and printed != device.code:
        raise FileError(
            path, page.rows[0].line, f"these are the results of the {known[printed]} ({printed})"
        )
    date = datetime.fromtimestamp(path.stat().st_mtime, UTC).date()
    source = Source("given", f"{path.name}, read by you", "", str(date), date.year)
    given = tuple(
        Result(device.name, device.code, row.mode, row.configuration, row.frame_bytes,
               row.kpps, row.mbps, "", source, "table")
        for row in page.rows
    )  # fmt: skip
    return replace(device, given=given)


PORTS = {
    "10/100 Ethernet ports": "100M",
    "10/100/1000 Ethernet ports": "1G",
    "Number of 2.5G Ethernet ports": "2.5G",
    "Ethernet Combo ports": "combo",
    "SFP ports": "SFP",
    "SFP+ ports": "SFP+",
    "Number of 1G/2.5G/5G/10G Ethernet ports": "10GBASE-T",
}
"""MikroTik's names of ports in a list of specifications, and how devices.csv writes them."""


def specified(path: Path, page: Page, name: str, source: str) -> tuple[str, ...]:
    """A page's own list of specifications as a row of devices.csv; FileError for what it lacks."""
    said = page.specifications
    for label in ("Product code", "Architecture", "CPU", "CPU core count", "CPU nominal frequency"):
        if not said.get(label):
            raise FileError(
                path,
                None,
                f"the specifications have no {label!r}: add the device to devices.csv by hand",
            )
    if not said["CPU core count"].isdecimal():
        raise FileError(path, None, f"CPU core count is {said['CPU core count']!r}, no number")
    ports = [
        f"{count[0]}x{kind}{said[label][count.end() :]}"
        for label, kind in PORTS.items()
        if (count := re.match(r"[1-9]\d*", said.get(label, "")))
    ]
    return (
        name,
        said["Product code"],
        said["Architecture"],
        said["CPU"],
        said["CPU core count"],
        _megahertz(said["CPU nominal frequency"]),
        said.get("Switch chip model", ""),
        " + ".join(ports),
        "",
        "",
        page.address.rpartition("/product/")[2].partition("#")[0],
        source,
    )


def _megahertz(text: str) -> str:
    """A clock as devices.csv writes it: `auto (864 - 1800) MHz` is `864-1800`."""
    scale = 1000 if "GHz" in text else 1
    clocks = [f"{float(each) * scale:g}" for each in re.findall(r"\d+(?:\.\d+)?", text)]
    if text.casefold().startswith("up to"):
        return f"up to {clocks[0]}" if clocks else "auto"
    return "-".join(clocks) or "auto"


# -- the page as tables -----------------------------------------------------------------------


@dataclass
class _Cell:
    line: int
    columns: int = 1
    rows: int = 1
    words: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return " ".join("".join(self.words).split())


class _Parser(HTMLParser):
    """Every table as rows of cells, spans repeated; and the page's own address."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tables: list[list[list[Cell]]] = []
        self.address = ""
        self._open: list[list[list[_Cell]]] = []
        self._cell: _Cell | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "link" and given.get("rel") == "canonical":
            self.address = given.get("href", "")
        elif tag == "table":
            self._open.append([])
        elif tag == "tr" and self._open:
            self._open[-1].append([])
        elif tag in ("td", "th") and self._open and self._open[-1]:
            self._cell = _Cell(
                self.getpos()[0], _span(given.get("colspan")), _span(given.get("rowspan"))
            )
            self._open[-1][-1].append(self._cell)
        elif tag == "br" and self._cell:
            self._cell.words.append(" ")

    def handle_endtag(self, tag: str) -> None:
        if tag == "table" and self._open:
            grid = _spread(self._open.pop())
            self.tables.append([[Cell(cell.text, cell.line) for cell in row] for row in grid])
        if tag in ("td", "th", "tr", "table"):
            self._cell = None

    def handle_data(self, data: str) -> None:
        if self._cell:
            self._cell.words.append(data)


def _span(text: str | None) -> int:
    return min(int(text), 100) if text and text.isdecimal() and int(text) else 1


def _spread(rows: list[list[_Cell]]) -> list[list[_Cell]]:
    """The rows with each cell in every column and row that it spans."""
    grid: dict[tuple[int, int], _Cell] = {}
    for line, row in enumerate(rows):
        column = 0
        for cell in row:
            while (line, column) in grid:
                column += 1
            for below, beside in product(range(cell.rows), range(cell.columns)):
                grid[line + below, column + beside] = cell
    spread: list[list[_Cell]] = [[] for _ in rows]
    for line, column in sorted(grid):
        if line < len(rows):
            spread[line].append(grid[line, column])
    return spread
