"""MikroTik's tables of test results, as pasted from a browser.

A table has a header of frame sizes above `kpps` and `Mbps`, beside `Mode` and `Configuration`;
which column is where differs from page to page, and so does the sign before the decimals
(`5,092.3`, `5.092,3`, `5092,3`).  Each pair of kpps and Mbps is held against the frame size:
`kpps x bytes x 8 / 1000` is the Mbit/s, within 1 %.  Where a number can be read in two ways, the
one that fits is taken; where none or both fit, the table is refused.

The page's MicroPython runs this module too.
"""

from __future__ import annotations

from dataclasses import dataclass

from ppslab.core.units import WIRE_OVERHEAD_BYTES

TOLERANCE = 0.01
"""The share by which kpps and Mbps of a row may differ: they are printed rounded."""

UNITS = {"kpps": "kpps", "mbps": "mbps", "mbit/s": "mbps"}
SPACES = " \t\u00a0\u202f'"
NONE = ("", "-", "\u2013")
"""How a page prints that there is no figure."""

MODES = ("bridging", "routing", "switching", "passthrough", "single tunnel")
"""The first words of a row, in MikroTik's tables; and `256 tunnels`."""
MOST_WORDS = 12
"""Words of a configuration, and more."""
LACKING = (
    'no table of test results with "Mode", "Configuration", frame sizes and figures: select the '
    "table together with its header, and copy it"
)


class TableError(ValueError):
    """A table that cannot be trusted.  `line` of the text, None where it is about the whole."""

    def __init__(self, line: int | None, message: str) -> None:
        super().__init__(message)
        self.line = line
        self.message = message


@dataclass(frozen=True)
class Row:
    """One pair of figures.  `line` of the text; `code` the table's product code."""

    code: str
    mode: str
    configuration: str
    frame_bytes: int
    kpps: float
    mbps: float
    line: int


def pasted(text: str) -> list[Row]:
    """The figures of a text that was copied from a browser; TableError where it is not trusted.

    Cells are apart by tabs; or there are only spaces between them, or each has a line of its own.
    """
    lines = [_spaced(line) for line in text.replace("\r", "").split("\n")]
    words = [
        _Word(word, number, not place)
        for number, line in enumerate(lines, 1)
        for place, word in enumerate(line.split())
    ]
    rows: list[Row] = []
    at = 0
    while at + 1 < len(words):
        if {words[at].low, words[at + 1].low} == {"mode", "configuration"}:
            at = _table(lines, words, at, rows)
        else:
            at += 1
    if not rows:
        raise TableError(None, LACKING)
    return rows


def numbers(text: str) -> tuple[float, ...]:
    """The values that a printed number may have: two where its only sign may be of thousands.

    >>> numbers("5,092.3"), numbers("5.092,3"), numbers("104,3"), numbers("1,736"), numbers("12")
    ((5092.3,), (5092.3,), (104.3,), (1736.0, 1.736), (12.0,))
    """
    digits = "".join([sign for sign in text if sign not in SPACES])
    if digits.strip("0123456789.,") or not digits or digits[0] in ".," or digits[-1] in ".,":
        return ()
    signs = [sign for sign in digits if sign in ".,"]
    if not signs:
        return (float(digits),)
    at = digits.rfind(signs[-1])
    whole, decimals = _digits(digits[:at]), digits[at + 1 :]
    if len(signs) > 1 and signs == [signs[0]] * len(signs):
        return (float(whole + decimals),)
    as_decimals = float(whole + "." + decimals)
    if len(signs) == 1 and len(decimals) == 3 and len(whole) <= 3 and whole[0] != "0":
        return (float(whole + decimals), as_decimals)
    return (as_decimals,)


def _digits(text: str) -> str:
    return text.replace(".", "").replace(",", "")


# -- a pasted text as tables -------------------------------------------------------------------


def _spaced(line: str) -> str:
    """A line with spaces between its cells: a number is one word, an empty cell `-`.

    Above the figures an empty cell is only a gap, which some browsers copy and others do not.
    """
    cells = [cell.strip() for cell in line.split("\t")]
    if len(cells) == 1:
        return line
    if any(cell.lower() in UNITS or cell.lower().split()[1:] in (["byte"], ["bytes"])
           for cell in cells):  # fmt: skip
        return " ".join(cells)
    return " ".join(["".join(cell.split()) if numbers(cell) else cell or "-" for cell in cells])


class _Word:
    """A word of a text: what it is, on which line, and whether that begins with it."""

    def __init__(self, text: str, line: int, first: bool) -> None:
        self.text = text
        self.low = text.lower()
        self.line = line
        self.first = first

    @property
    def is_figure(self) -> bool:
        return self.text in NONE or bool(numbers(self.text))


def _table(lines: list[str], words: list[_Word], at: int, rows: list[Row]) -> int:
    """Add the figures of the table whose header begins at a word; the place behind it.

    A cell may be of several words.
    """
    head = words[at].line
    code, by_mode = _code_above(lines, head), words[at].low == "mode"
    at += 2
    sizes, units = [], []
    while at + 1 < len(words) and words[at].text.isdigit() and words[at + 1].low[:4] == "byte":
        sizes.append(int(words[at].text))
        at += 2
    while at < len(words) and words[at].low in UNITS:
        units.append(UNITS[words[at].low])
        at += 1
    places = _places(sizes, units, head) if sizes else {}
    while at < len(words) and words[at].low not in ("mode", "configuration"):
        row, at = _row(words, at, len(units), by_mode)
        for size in sorted(places) if row else []:
            figures = _figures(code, row, by_mode, size, places[size])
            rows += [figures] if figures else []
    return at


def _code_above(lines: list[str], head: int) -> str:
    """The product code above a header: of the line before it, or alone on the one before that."""
    above = [line.split() for line in lines[: head - 1] if line.strip()][-2:]
    if len(above) == 2 and len(above[0]) == 1:
        return above[0][0]
    return above[-1][0] if above else ""


def _row(words: list[_Word], at: int, columns: int, by_mode: bool) -> tuple[list[_Word], int]:
    """A row that begins with a line, and the place behind it; empty where the line begins none."""
    after = at + 1
    while after < len(words) and not words[after].first:
        after += 1
    begin = end = at + (_mode(words, at) if by_mode else 0)
    if by_mode and begin == at:
        return [], after
    while end < len(words) and end - begin < MOST_WORDS and not _begins_figures(words, end):
        end += 1
    if end == begin or end - begin == MOST_WORDS or end == len(words):
        return [], after
    if not by_mode:
        lengths = [n for n in (1, 2) if n < end - at and _mode(words, end - n) == n]
        if not lengths:
            return [], after
        begin = end - lengths[0]
    parts = [" ".join([word.text for word in part]) for part in (words[at:begin], words[begin:end])]
    row = [_Word(part, words[at].line, False) for part in parts]
    while end < len(words) and words[end].is_figure and len(row) < columns + 2:
        if words[end].first and _mode(words, end):
            break
        row.append(words[end])
        end += 1
    if end == len(words) or (words[end].first and not words[end - 1].first):
        return row, end
    what = row[0].text + ", " + row[1].text
    if len(row) < columns + 2 and not _mode(words, end) and words[end].low != "mode":
        raise TableError(words[end].line, f"{what}: '{words[end].text}' is no number")
    if words[end].is_figure and not words[end].first:
        raise TableError(
            words[end].line, f"{what}: more figures than the {columns} columns of the header"
        )
    return row, end


def _mode(words: list[_Word], at: int) -> int:
    """The number of words of the mode that begins there; 0 for none."""
    if words[at].low in MODES:
        return 1
    two = words[at].low + " " + (words[at + 1].low if at + 1 < len(words) else "")
    return 2 if two in MODES or (words[at].low.isdigit() and two[-8:] == " tunnels") else 0


def _begins_figures(words: list[_Word], at: int) -> bool:
    """True for two figures one after the other; `25 simple queues` begins with one alone."""
    return words[at].is_figure and (at + 1 == len(words) or words[at + 1].is_figure)


# -- the table as figures ----------------------------------------------------------------------


def _places(sizes: list[int], units: list[str], line: int) -> dict[int, tuple[int, int]]:
    """The columns of kpps and of Mbps behind the configuration, by frame size."""
    places: dict[int, tuple[int, int]] = {}
    for number, size in enumerate(sizes):
        pair = units[2 * number : 2 * number + 2]
        if size in places or (len(pair) == 2 and pair[0] == pair[1]):
            raise TableError(line, f"two columns of {pair[0]} at {size} bytes")
        if len(pair) < 2:
            what = f"the line below the frame sizes says kpps and Mbps of {size} bytes"
            raise TableError(line, what)
        kpps = 2 * number + pair.index("kpps")
        places[size] = (kpps, 4 * number + 1 - kpps)
    return places


def _figures(
    code: str, row: list[_Word], by_mode: bool, size: int, places: tuple[int, int]
) -> Row | None:
    """The figures of one size in a row; None where the page prints none."""
    mode, configuration = (row[0].text, row[1].text) if by_mode else (row[1].text, row[0].text)
    cells = [row[2 + at] if 2 + at < len(row) else None for at in places]
    texts = [cell.text if cell else "" for cell in cells]
    if texts[0] in NONE and texts[1] in NONE:
        return None
    place = (cells[0] or cells[1] or row[0]).line
    what = f"{mode}, {configuration}, {size} bytes"
    kpps, mbps = numbers(texts[0]), numbers(texts[1])
    if not kpps or not mbps:
        wrong = texts[1] if kpps else texts[0]
        raise TableError(place, f"{what}: '{wrong}' is no number; both kpps and Mbps are needed")
    # Layer 1 is what the wire carries, with preamble and gap.
    counted = size + (WIRE_OVERHEAD_BYTES if "layer 1" in configuration.lower() else 0)
    fits = [
        (rate, bit_rate)
        for rate in kpps
        for bit_rate in mbps
        if abs(rate * counted * 8 / 1000 - bit_rate) <= TOLERANCE * bit_rate + 0.05
    ]
    if len(fits) == 1:
        return Row(code, mode, configuration, size, fits[0][0], fits[0][1], place)
    printed = f"{texts[0]} kpps and {texts[1]} Mbps"
    if fits:
        raise TableError(
            place,
            f"{what}: {printed} can be read as thousands or as decimals; "
            "write both without a thousands separator",
        )
    expected = kpps[0] * counted * 8 / 1000
    raise TableError(
        place,
        f"{what}: {printed} differ by more than {100 * TOLERANCE:g} %, as {kpps[0]:g} kpps are "
        f"{expected:.1f} Mbit/s; check the page, and omit the row if the values are these",
    )
