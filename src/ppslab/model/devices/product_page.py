"""The test results of a product page of MikroTik's that somebody saved as HTML.

A page has tables with a header of frame sizes above `kpps` and `Mbps`, beside `Mode` and
`Configuration`; which column is where differs from page to page, and so does the sign before the
decimals (`5,092.3`, `5.092,3`, `5092,3`).  Each pair of kpps and Mbps is held against the frame
size: `kpps x bytes x 8 / 1000` is the Mbit/s, within 1 %.  Where a number can be read in two ways,
the one that fits is taken; where none or both fit, the page is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path

from ppslab.core import documents
from ppslab.core.errors import FileError
from ppslab.core.units import WIRE_OVERHEAD_BYTES

TOLERANCE = 0.01
"""The share by which kpps and Mbps of a row may differ: they are printed rounded."""

_SPACES = re.compile(r"[\s\u00a0\u202f']")
_SIZE = re.compile(r"(\d+)\s*bytes?", re.IGNORECASE)
_UNITS = {"kpps": "kpps", "mbps": "mbps", "mbit/s": "mbps"}


@dataclass(frozen=True)
class Row:
    """One pair of figures.  `line` of the page."""

    code: str
    mode: str
    configuration: str
    frame_bytes: int
    kpps: float
    mbps: float
    line: int


@dataclass(frozen=True)
class Page:
    """Content of a saved page: its figures, its own address, and its list of specifications."""

    rows: tuple[Row, ...]
    address: str
    specifications: dict[str, str]


def read(path: Path) -> Page:
    """The figures of a saved page; FileError with the line where it cannot be trusted."""
    parser = _Parser()
    parser.feed(documents.read_text(path))
    parser.close()
    rows = [row for table in parser.tables for row in _figures(path, table)]
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
        source,
    )


def _megahertz(text: str) -> str:
    """A clock as devices.csv writes it: `auto (864 - 1800) MHz` is `864-1800`."""
    scale = 1000 if "GHz" in text else 1
    clocks = [f"{float(each) * scale:g}" for each in re.findall(r"\d+(?:\.\d+)?", text)]
    if text.casefold().startswith("up to"):
        return f"up to {clocks[0]}" if clocks else "auto"
    return "-".join(clocks) or "auto"


def numbers(text: str) -> tuple[float, ...]:
    """The values that a printed number may have: two where its only sign may be of thousands.

    >>> numbers("5,092.3"), numbers("5.092,3"), numbers("104,3"), numbers("1,736"), numbers("12")
    ((5092.3,), (5092.3,), (104.3,), (1736.0, 1.736), (12.0,))
    """
    digits = _SPACES.sub("", text)
    if not re.fullmatch(r"\d[\d.,]*", digits) or digits[-1] in ".,":
        return ()
    signs = [sign for sign in digits if sign in ".,"]
    if not signs:
        return (float(digits),)
    whole, _, decimals = digits.rpartition(signs[-1])
    grouped = re.sub(r"[.,]", "", digits)
    if len(set(signs)) == 1 and len(signs) > 1:
        return (float(grouped),)
    as_decimals = float(f"{re.sub(r'[.,]', '', whole)}.{decimals}")
    if len(signs) == 1 and len(decimals) == 3 and len(whole) <= 3 and not whole.startswith("0"):
        return (float(grouped), as_decimals)
    return (as_decimals,)


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
        self.tables: list[list[list[_Cell]]] = []
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
            self.tables.append(_spread(self._open.pop()))
        if tag in ("td", "th", "tr", "table"):
            self._cell = None

    def handle_data(self, data: str) -> None:
        if self._cell:
            self._cell.words.append(data)


def _span(text: str | None) -> int:
    return min(int(text), 100) if text and text.isdecimal() and int(text) else 1


def _spread(rows: list[list[_Cell]]) -> list[list[_Cell]]:
    """The rows with each cell in every column and row that it spans."""
    grid: list[list[_Cell]] = []
    hanging: dict[int, tuple[int, _Cell]] = {}
    for row in rows:
        line: list[_Cell] = []
        below: dict[int, tuple[int, _Cell]] = {}
        waiting = list(row)
        while waiting or len(line) in hanging:
            if len(line) in hanging:
                left, cell = hanging[len(line)]
                spans = 1
            else:
                cell = waiting.pop(0)
                left, spans = cell.rows, cell.columns
            for _ in range(spans):
                if left > 1:
                    below[len(line)] = (left - 1, cell)
                line.append(cell)
        hanging = below
        grid.append(line)
    return grid


# -- the tables as figures --------------------------------------------------------------------


@dataclass(frozen=True)
class _Columns:
    """Columns of the figures, by a table's header."""

    mode: int
    configuration: int
    figures: dict[int, dict[str, int]]
    """By frame size: the columns of `kpps` and `mbps`."""


def _figures(path: Path, table: list[list[_Cell]]) -> Iterator[Row]:
    head = next((n for n, line in enumerate(table) if _is_head(line)), None)
    if head is None:
        return
    columns = _columns(path, table, head)
    code = table[0][0].text if head and table[0] else ""
    for line in table[head + 2 :]:
        if max(columns.mode, columns.configuration) >= len(line):
            continue
        for size, places in columns.figures.items():
            found = [line[places[unit]] if places[unit] < len(line) else None for unit in places]
            pair = dict(zip(places, found, strict=True))
            row = _pair(path, line, columns, size, pair, code)
            if row:
                yield row


def _is_head(line: list[_Cell]) -> bool:
    texts = [cell.text.casefold() for cell in line]
    return {"mode", "configuration"} <= set(texts) and any(map(_SIZE.fullmatch, texts))


def _columns(path: Path, table: list[list[_Cell]], head: int) -> _Columns:
    sizes, line = [cell.text for cell in table[head]], table[head][0].line
    units = [cell.text.casefold() for cell in table[head + 1]] if head + 1 < len(table) else []
    figures: dict[int, dict[str, int]] = {}
    size = 0
    for place, text in enumerate(sizes):
        if match := _SIZE.fullmatch(text):
            size = int(match[1])
        elif text:
            size = 0
        # A size stands above two columns: over both, or over the first with nothing beside it.
        unit = _UNITS.get(units[place]) if place < len(units) else None
        if size and unit:
            if unit in figures.setdefault(size, {}):
                raise FileError(path, line, f"two columns of {unit} at {size} bytes")
            figures[size][unit] = place
    lacking = [size for size, found in figures.items() if len(found) < 2]
    if not figures or lacking:
        of = f" of {lacking[0]} bytes" if lacking else ""
        raise FileError(path, line, f"the line below the frame sizes says kpps and Mbps{of}")
    lower = [text.casefold() for text in sizes]
    return _Columns(lower.index("mode"), lower.index("configuration"), figures)


def _pair(
    path: Path,
    line: list[_Cell],
    columns: _Columns,
    size: int,
    pair: dict[str, _Cell | None],
    code: str,
) -> Row | None:
    """The figures of one size in a row; None where the page prints none."""
    mode, configuration = line[columns.mode].text, line[columns.configuration].text
    texts = {unit: cell.text if cell else "" for unit, cell in pair.items()}
    if all(text in ("", "-", "\u2013") for text in texts.values()):
        return None
    place = next(cell.line for cell in pair.values() if cell)
    what = f"{mode}, {configuration}, {size} bytes"
    kpps, mbps = numbers(texts["kpps"]), numbers(texts["mbps"])
    if not kpps or not mbps:
        wrong = texts["kpps"] if not kpps else texts["mbps"]
        raise FileError(
            path, place, f"{what}: {wrong!r} is no number; both kpps and Mbps are needed"
        )
    # Layer 1 is what the wire carries, with preamble and gap.
    counted = size + (WIRE_OVERHEAD_BYTES if "layer 1" in configuration.casefold() else 0)
    fits = [
        (packets, bits)
        for packets in kpps
        for bits in mbps
        if abs(packets * counted * 8 / 1000 - bits) <= TOLERANCE * bits + 0.05
    ]
    if len(fits) == 1:
        return Row(code, mode, configuration, size, *fits[0], place)
    printed = f"{texts['kpps']} kpps and {texts['mbps']} Mbps"
    if fits:
        raise FileError(
            path,
            place,
            f"{what}: {printed} can be read as thousands or as decimals; "
            "write both without a thousands separator in the saved page",
        )
    expected = kpps[0] * counted * 8 / 1000
    raise FileError(
        path,
        place,
        f"{what}: {printed} differ by more than {TOLERANCE:.0%}, as {kpps[0]:g} kpps are "
        f"{expected:.1f} Mbit/s; check the page, and omit the row if the values are these",
    )
