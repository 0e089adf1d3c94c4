"""The published numbers of a lab: `published.csv`, one row a number, as the source printed it.

A value is a number, a bound, a range, or what the source's ports can carry.

| written | means |
|---|---|
| `1170641`, `600k`, `1.2M` | that number; k, M and G are a thousand, a million, a milliard |
| `>= 600k`, `<= 3` | a bound: so much at least, so much at most |
| `100-200k` | a range, both ends included |
| `none` | the source prints that it has no number, as N/A |
| `line`, `line 10G`, `line 2x10G` | what the ports carry of the row's frame size; the router may be able to do more, so it is a lower bound.  Without a speed: one port of the lab's `port_speed` |
"""  # noqa: E501  (a table of Markdown)

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from ppslab.core import documents
from ppslab.core.errors import UsageError, did_you_mean
from ppslab.core.text.grouping import grouped
from ppslab.core.text.numbers import regrouped, short
from ppslab.core.units import line_rate
from ppslab.model.lab.lab import Lab

PACKETS = {"pps": 1.0, "kpps": 1e3, "Mpps": 1e6}
"""Units of packets a second; `line` is counted in one of them."""

_SUFFIX = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9}
_NUMBER = r"(\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)\s*([kMG]?)"
_EXACT = re.compile(rf"(-?){_NUMBER}")
_BOUND = re.compile(rf"(>=|<=|≥|≤|>|<)\s*{_NUMBER}")
_RANGE = re.compile(rf"{_NUMBER}\s*[-\u2013]\s*{_NUMBER}")
_LINE = re.compile(rf"line(?:\s+(?:(\d+)\s*x\s*)?{_NUMBER})?")

FORMS = (
    "a number (600k), a bound (>= 600k), a range (100-200k), line, line 10G, line 2x10G, or none"
)


@dataclass(frozen=True)
class Value:
    """A published number or range, `low` to `high`; both the same where the source gives a number.

    `low` is 0 where there is only an upper bound, as no published quantity is below; `high` is
    infinite where there is only a lower one.
    """

    low: float
    high: float

    @property
    def exact(self) -> bool:
        return self.low == self.high

    @property
    def at_least(self) -> bool:
        return math.isinf(self.high)

    @property
    def at_most(self) -> bool:
        return self.low == 0 < self.high and not math.isinf(self.high)

    @property
    def says_nothing(self) -> bool:
        """True if every number lies in it: a bound divided by a bound of the same kind."""
        return self.low == 0 and math.isinf(self.high)

    @property
    def ends(self) -> tuple[float, ...]:
        """The numbers that the source gives: one of a number or a bound, two of a range."""
        if self.exact or self.at_least:
            return (self.low,)
        return (self.high,) if self.at_most else (self.low, self.high)

    def times(self, factor: float) -> Value:
        """It in another unit."""
        return Value(self.low * factor, self.high * factor)

    def over(self, other: Value) -> Value:
        """The ratio of the two: from the lowest that is possible to the highest."""
        low = 0.0 if math.isinf(other.high) else self.low / other.high
        high = math.inf if other.low == 0 else self.high / other.low
        return Value(low, high)

    def __str__(self) -> str:
        if self.says_nothing:
            return "any"
        text = " to ".join(short(end) for end in self.ends)
        return f"{text}{' or more' if self.at_least else ' or less' if self.at_most else ''}"


def parse(text: str, unit: str, frame_size: int | None, port_speed: float | None) -> Value:
    """The value that a cell of published.csv holds; ValueError says what is wrong with it.

    `frame_size` in bytes and `port_speed` in bits a second are for `line`.
    """
    if text == "none":
        return Value(0.0, math.inf)
    if found := _EXACT.fullmatch(text):
        sign, digits, suffix = found.groups()
        number = _scaled(digits, suffix, unit) * (-1.0 if sign else 1.0)
        return Value(number, number)
    if found := _BOUND.fullmatch(text):
        which, digits, suffix = found.groups()
        end = _scaled(digits, suffix, unit)
        return Value(end, math.inf) if which in (">=", "≥", ">") else Value(0.0, end)
    if found := _RANGE.fullmatch(text):
        low, first, high, second = found.groups()
        ends = _scaled(low, first or second, unit), _scaled(high, second, unit)
        if ends[0] >= ends[1]:
            raise ValueError(f"{text!r}: the lower end of a range stands first")
        return Value(*ends)
    if found := _LINE.fullmatch(text):
        return _line(found, unit, frame_size, port_speed)
    raise ValueError(f"value is {FORMS}, not {text!r}")


def _scaled(digits: str, suffix: str, unit: str) -> float:
    if suffix and unit[:1] in ("k", "M", "G"):
        raise ValueError(f"{digits}{suffix} of {unit}: leave the {suffix} out, the unit has one")
    return float(digits) * _SUFFIX[suffix]


def _line(
    match: re.Match[str], unit: str, frame_size: int | None, port_speed: float | None
) -> Value:
    ports, digits, suffix = match.groups()
    if unit not in PACKETS:
        raise ValueError(f"line is a rate of packets: its unit is {', '.join(PACKETS)}")
    if frame_size is None:
        raise ValueError("line needs a frame_size: how many frames fill a port depends on it")
    speed = float(digits) * _SUFFIX[suffix] if digits else port_speed
    if not speed:
        raise ValueError("line of which ports? Write line 2x10G, or give lab.yml a port_speed")
    rate = int(ports or 1) * line_rate(frame_size, speed) / PACKETS[unit]
    return Value(rate, math.inf)


COLUMNS = tuple(
    "id source document hardware version mode condition frame_size quantity value unit printed "
    "where note needs".split()
)
SAME_AS = "same_as"
"""A column that published.csv may have: the row whose measurement the source prints again."""


@dataclass(frozen=True)
class Published:
    """One published number.

    `condition` is the lab's condition that it belongs to, empty where there is none;
    `frame_size` in bytes with the frame check sequence, None where the source names none;
    `said` in `unit`: a number, a bound or a range; `printed` is the string exactly as the source
    prints it.  `line` says that the source prints no number: what its ports carry.  `needs`: why
    nothing here can test it, and what could, where no claim judges it.
    """

    id: str  # the number's name, by which claims and pages point to it
    source: str  # short name of the publication
    document: str  # address or title of the document
    hardware: str  # the router that was measured
    version: str  # its software's version
    mode: str  # configuration of the router, in the source's words
    condition: str
    frame_size: int | None
    quantity: str  # measured quantity, e.g. `forwarding_rate`
    said: Value
    unit: str  # the unit of `said`
    printed: str
    where: str  # the page, table or figure of the document
    note: str  # note for the reader
    needs: str = ""  # equipment without which it cannot be tested; empty where none is missing
    line: bool = False
    same_as: str = ""
    """The row of another router whose measurement this is too; empty for one of its own."""

    @property
    def value(self) -> float:
        """The number; UsageError where the source gives a bound or a range."""
        if not self.said.exact:
            raise UsageError(f"published {self.id}: {self.printed} is not one number")
        return self.said.low

    @property
    def shown(self) -> str:
        """As printed, thousands apart as everywhere, with the unit where the print has none."""
        # The k of 600k is no unit.
        has_unit = any(letter.isalpha() for letter in re.sub(r"(?<=\d)[kMG]\b", "", self.printed))
        text = self.printed if has_unit else f"{self.printed} {self.unit}"
        # MikroTik's pages print 104,3 and 88,000 side by side: one or two digits are decimals.
        text = re.sub(r"(?<![\w.,])(\d+),(\d{1,2})(?![\w,.])", r"\1.\2", text)
        return regrouped(re.sub(r"(?<![\w.,])\d{5,}", lambda digits: grouped(digits[0]), text))


def load(lab: Lab) -> dict[str, Published]:
    """The published numbers of a lab by id; FileError with the line where a row is wrong."""
    path = lab.folder / "published.csv"
    numbers: dict[str, Published] = {}
    for row in documents.read_csv(path, COLUMNS):
        texts = {column: row[column] for column in COLUMNS if column not in ("value", "frame_size")}
        try:
            size = int(row["frame_size"]) if row["frame_size"] else None
        except ValueError:
            raise row.error(f"frame_size is a number, not {row['frame_size']!r}") from None
        try:
            value = parse(row["value"], row["unit"], size, lab.spec.port_speed)
        except ValueError as error:
            raise row.error(str(error)) from None
        condition = texts["condition"]
        if condition and condition not in lab.conditions:
            near = did_you_mean(condition, lab.conditions)
            raise row.error(f"no condition {condition!r} in the lab{near}")
        if texts["id"] in numbers:
            raise row.error(f"id {texts['id']!r} appears twice")
        numbers[texts["id"]] = Published(
            **texts,
            said=value,
            frame_size=size,
            line=row["value"].startswith("line"),
            same_as=row.values.get(SAME_AS, ""),
        )
        if message := _no_copy(numbers[texts["id"]], numbers):
            raise row.error(message)
    return numbers


def _no_copy(row: Published, numbers: dict[str, Published]) -> str:
    """The fault of a row's `same_as` as a sentence; empty where the rows do agree."""
    if not row.same_as:
        return ""
    of = numbers.get(row.same_as)
    if of is None or of is row:
        near = did_you_mean(row.same_as, numbers)
        return f"same_as: no earlier row {row.same_as!r}{near}"
    if of.same_as:
        return f"same_as: row {of.id!r} is {of.same_as!r} itself: name that one"
    same = (row.condition, row.frame_size, row.quantity, row.said, row.unit)
    if same != (of.condition, of.frame_size, of.quantity, of.said, of.unit):
        return f"same_as: row {of.id!r} is of another condition, size or value"
    return ""
