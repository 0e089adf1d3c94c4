"""What a cell or a sentence holds: words, and numbers that are still numbers.

A number keeps its interval and its unit until it is shown; its text is made from them.  So what a
notebook stored and what it measured anew are compared as numbers, and no text is read back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isfinite
from typing import Any, Protocol

from ppslab.core.text.grouping import grouped
from ppslab.core.text.numbers import short
from ppslab.core.units import human_rate

NOTHING = "-"
"""What stands where there is no number."""

PPS = "pps"
"""Packets a second: shown in kpps, Mpps or Gpps where that is shorter."""


class Estimated(Protocol):
    """An estimate with its interval, as `theory.statistics.Interval` is one."""

    @property
    def estimate(self) -> float:
        """The estimate."""

    @property
    def low(self) -> float:
        """The lower end of its interval."""

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
class Sentence:
    """Words with numbers and verdicts between them."""

    parts: tuple[str | Quantity | Outcome, ...]

    def __str__(self) -> str:
        return "".join(str(part) for part in self.parts)


Content = str | Quantity | Outcome | Sentence
"""What a cell or a line holds; `str` of it is its text."""


def quantity(
    found: Estimated | None, unit: str = "", *, scale: float = 1.0, digits: int = 0
) -> Quantity | str:
    """An estimate and its interval, `scale` times as large, or a dash where there is none."""
    return NOTHING if found is None else Quantity.of(found, unit, scale=scale, digits=digits)


def has_interval(content: Content) -> bool:
    """Whether a number with its interval is in it."""
    parts = content.parts if isinstance(content, Sentence) else (content,)
    return any(isinstance(part, Quantity) and part.interval is not None for part in parts)


def as_data(content: Content) -> Any:
    """As JSON: words as they are, sentences as lists; an end that is infinite is null."""
    if isinstance(content, str):
        return content
    if isinstance(content, Sentence):
        return [as_data(part) for part in content.parts]
    if isinstance(content, Outcome):
        return {"verdict": content.word, "decided": content.decided}
    data: dict[str, Any] = {"value": content.value, "unit": content.unit}
    if content.interval:
        low, high = (end if isfinite(end) else None for end in content.interval)
        data |= {"low": low, "high": high}
    shown = {"digits": content.digits, "remark": content.remark}
    return data | {name: value for name, value in shown.items() if value}


def from_data(data: Any) -> Content:
    """What `as_data` wrote; KeyError or TypeError for anything else."""
    if isinstance(data, str):
        return data
    if isinstance(data, list):
        return Sentence(tuple(_part(part) for part in data))
    return _part(data)


def all_as_data(contents: Sequence[Content]) -> list[Any]:
    """Each of them as JSON."""
    return [as_data(content) for content in contents]


def _part(data: Any) -> str | Quantity | Outcome:
    if isinstance(data, str):
        return data
    if "verdict" in data:
        return Outcome(data["verdict"], data["decided"])
    ends = {}
    if "low" in data:
        ends["low"] = -inf if data["low"] is None else data["low"]
        ends["high"] = inf if data["high"] is None else data["high"]
    return Quantity(
        data["value"],
        unit=data["unit"],
        digits=data.get("digits", 0),
        remark=data.get("remark", ""),
        **ends,
    )
