"""The content of a cell or a sentence: words, and numbers that are still numbers.

A number keeps its interval and its unit until it is shown; its text is made from them.  So what a
notebook stored and what it measured anew are compared as numbers, and no text is read back.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf, isfinite
from typing import Any, Protocol

from ppslab.core.text.grouping import grouped
from ppslab.core.text.numbers import regrouped, short
from ppslab.core.units import human_rate

NOTHING = "-"
"""The text in the place of a number that is missing."""

PPS = "pps"
"""Packets a second: shown in kpps, Mpps or Gpps where that is shorter."""


class Estimated(Protocol):
    """An estimate with its interval, as `model.statistics.Interval` is one."""

    @property
    def estimate(self) -> float: ...

    @property
    def low(self) -> float: ...

    @property
    def high(self) -> float:
        """The upper end; infinite where the interval has none."""


@dataclass(frozen=True)
class Quantity:
    """A number, with its 95 % interval where it has one: `213 [205, 222] ns`.

    low, high: the ends of the interval, both or neither; an end may be infinite.
    unit: shown behind the number; empty for a ratio.
    digits: how many significant digits are shown; 0: as `numbers.short` shows a number.
    remark: shown behind the unit, as `(tester-limited)`.
    """

    value: float
    low: float | None = None
    high: float | None = None
    unit: str = ""
    digits: int = 0
    remark: str = ""

    @classmethod
    def of(
        cls, found: Estimated, unit: str = "", *, scale: float = 1.0, digits: int = 0
    ) -> Quantity:
        """An estimate and its interval, `scale` times as large."""
        ends = (found.low * scale, found.high * scale)
        return cls(found.estimate * scale, *ends, unit=unit, digits=digits)

    @property
    def interval(self) -> tuple[float, float] | None:
        """Both ends; None where the number has no interval."""
        return None if self.low is None or self.high is None else (self.low, self.high)

    def __str__(self) -> str:
        if self.interval is None and self.unit == PPS:
            shown = human_rate(self.value)
        else:
            ends = ", ".join(self._number(end) for end in self.interval or ())
            number = self._number(self.value) + (f" [{ends}]" if ends else "")
            shown = f"{number} {self.unit}" if self.unit else number
        return f"{shown} {self.remark}" if self.remark else shown

    def _number(self, value: float) -> str:
        if not self.digits:
            return short(value)
        return grouped(f"{float(f'{value:.{self.digits}g}'):g}")


@dataclass(frozen=True)
class Outcome:
    """A verdict in a word; not decided where another run may decide either way."""

    word: str
    decided: bool = True

    def __str__(self) -> str:
        return self.word


@dataclass(frozen=True)
class Named:
    """An id that commands take, with its title: text and data show the id, pages the title."""

    id: str
    title: str = ""

    def __str__(self) -> str:
        return self.id


Part = str | Quantity | Outcome | Named


@dataclass(frozen=True)
class Sentence:
    """Words with numbers, verdicts and names between them."""

    parts: tuple[Part, ...]

    def __str__(self) -> str:
        return "".join(str(part) for part in self.parts)


Content = Part | Sentence
"""The content of a cell or a line; `str` of it is its text, `for_pages` a page's text."""


def for_pages(content: Content) -> str:
    """The text for a page: titles for ids, in quotes where they stand among other words.

    Numbers that somebody typed are written as all others are.
    """
    if isinstance(content, Named):
        return regrouped(content.title or content.id)
    if isinstance(content, Sentence):
        return regrouped("".join(map(_quoted, content.parts)))
    return regrouped(str(content))


def _quoted(part: Part) -> str:
    if isinstance(part, Named) and part.title:
        return f"\u201c{part.title}\u201d"
    return str(part)


def joined(between: str, parts: Iterable[Part]) -> Sentence:
    """The parts with these words between them."""
    apart: list[Part] = []
    for part in parts:
        apart += (between, part)
    return Sentence(tuple(apart[1:]))


def named(text: str, titles: Mapping[str, str]) -> Content:
    """The text with its words that are ids, by the titles of these ids."""
    known = "|".join(map(re.escape, sorted(titles, key=len, reverse=True)))
    words = re.split(rf"(?<![\w/-])({known})(?![\w/-])", text) if known else [text]
    # Of what `split` gives every second one is a match.
    parts: list[Part] = [
        Named(word, titles[word]) if n % 2 else word for n, word in enumerate(words)
    ]
    return Sentence(tuple(part for part in parts if part)) if len(parts) > 1 else text


def quantity(
    found: Estimated | None, unit: str = "", *, scale: float = 1.0, digits: int = 0
) -> Quantity | str:
    """An estimate and its interval, `scale` times as large, or a dash where there is none."""
    return NOTHING if found is None else Quantity.of(found, unit, scale=scale, digits=digits)


def has_interval(content: Content) -> bool:
    """True where a number with its interval is in it."""
    parts = content.parts if isinstance(content, Sentence) else (content,)
    return any(isinstance(part, Quantity) and part.interval is not None for part in parts)


def as_data(content: Content) -> Any:
    """As JSON: words and ids as texts, sentences as lists; an end that is infinite is null."""
    if isinstance(content, str | Named):
        return str(content)
    if isinstance(content, Sentence):
        return _sentence_as_data([as_data(part) for part in content.parts])
    if isinstance(content, Outcome):
        return {"verdict": content.word, "decided": content.decided}
    data: dict[str, Any] = {"value": _same_everywhere(content.value), "unit": content.unit}
    if content.interval:
        low, high = (_same_everywhere(end) if isfinite(end) else None for end in content.interval)
        data |= {"low": low, "high": high}
    shown = {"digits": content.digits, "remark": content.remark}
    return data | {name: value for name, value in shown.items() if value}


def _same_everywhere(value: float) -> float:
    """To 12 digits: NumPy adds in the order that suits a CPU's vectors, and the 16th differs."""
    return float(f"{value:.12g}")


def _sentence_as_data(parts: Sequence[Any]) -> Any:
    """The parts, with words that follow one another as one; a text where there are only words."""
    data: list[Any] = []
    for part in parts:
        if data and isinstance(part, str) and isinstance(data[-1], str):
            data[-1] += part
        else:
            data.append(part)
    return data[0] if len(data) == 1 and isinstance(data[0], str) else data


def from_data(data: Any) -> Content:
    """Read what `as_data` wrote; KeyError or TypeError for anything else."""
    if isinstance(data, list):
        return Sentence(tuple(_part(part) for part in data))
    return _part(data)


def all_as_data(contents: Iterable[Content]) -> list[Any]:
    return [as_data(content) for content in contents]


def _part(data: Any) -> Part:
    if isinstance(data, str):
        return data
    if "verdict" in data:
        return Outcome(data["verdict"], data["decided"])
    ends: dict[str, Any] = {}
    if "low" in data:
        ends["low"] = -inf if data["low"] is None else data["low"]
        ends["high"] = inf if data["high"] is None else data["high"]
    own = {name: data[name] for name in ("digits", "remark") if name in data}
    return Quantity(data["value"], unit=data["unit"], **own, **ends)
