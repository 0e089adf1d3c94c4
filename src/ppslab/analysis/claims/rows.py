"""Whether a claim's sizes and conditions are those of its published rows, and of its lab."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ppslab.analysis.claims import arithmetic
from ppslab.analysis.claims.arithmetic import Capacity, Equation, LineRate
from ppslab.analysis.claims.schema import (
    RATIOS,
    AtLeast,
    AtMost,
    Costs,
    GoodputRatio,
    Order,
    OverloadDelay,
    RateRatio,
    Ratio,
    Share,
    SizeIndependent,
    SizeRatio,
    conditions,
)
from ppslab.analysis.claims.verdicts import rate, ratio_of_costs
from ppslab.lab.lab import Lab
from ppslab.lab.published import Published

PAIRS = (Ratio, AtLeast, AtMost, RateRatio, GoodputRatio)
"""Words whose two rows belong to `numerator` and `denominator`, in this order."""


def faults(lab: Lab, word: Any, rows: Sequence[Published]) -> Iterator[str]:
    """What does not fit, a sentence each, the first the one to mend first."""
    yield from _measured(lab, word)
    if isinstance(word, RATIOS) and not _makes_a_ratio(word, rows):
        yield (
            "a ratio needs two published rows: the one above and the one below; "
            "or one that is a factor (unit times)"
        )
        return
    if isinstance(word, LineRate | Capacity) and not rows:
        yield "a line rate or a capacity needs the published rows that it explains"
    if isinstance(word, Equation):
        yield from _computable(word, rows)
    yield from _in_order(word, rows)
    yield from _of_size(word, rows)
    yield from _bounded(word, rows)


def sizes(word: Any) -> tuple[int, ...]:
    """The frame sizes at which a run judges by this word; none where it judges no frames."""
    if isinstance(word, SizeRatio):
        return (word.larger, word.smaller)
    if isinstance(word, SizeIndependent):
        return word.sizes
    one = Costs | Order | OverloadDelay | Share | RateRatio
    return (word.size,) if isinstance(word, one) else ()


def _measured(lab: Lab, word: Any) -> Iterator[str]:
    """A run measures every condition at every size that the word asks for."""
    for name in conditions(word):
        there = lab.sizes(lab.conditions[name])
        for size in sizes(word):
            if size not in there:
                listed = ", ".join(map(str, there))
                yield f"size {size}: a run measures {name} at {listed} bytes only (lab.yml)"


def _makes_a_ratio(word: Any, rows: Sequence[Published]) -> bool:
    """Two rows, or for packets one that the source prints as a factor."""
    factor = len(rows) == 1 and rows[0].unit == "times"
    return len(rows) == 2 or (factor and isinstance(word, Costs))


def _in_order(word: Any, rows: Sequence[Published]) -> Iterator[str]:
    """Of two rows the first is above: where it is the other's, the ratio would be upside down."""
    if len(rows) != 2:
        return
    if isinstance(word, SizeRatio):
        for row, condition in zip(rows, (word.larger, word.smaller), strict=True):
            if row.frame_size not in (None, condition):
                yield (
                    f"the rows are of {_of(rows)} bytes, the claim of {word.larger} and "
                    f"{word.smaller}: the row of the larger frame stands first"
                )
                return
    if isinstance(word, PAIRS):
        asked = (word.numerator, word.denominator)
        if tuple(row.condition for row in rows) == asked[::-1] != asked:
            yield (
                f"the rows are of {rows[0].condition} and {rows[1].condition}, the claim of "
                f"{asked[0]} and {asked[1]}: the row of the numerator stands first"
            )


def _of(rows: Sequence[Published]) -> str:
    found = dict.fromkeys(str(row.frame_size) for row in rows if row.frame_size)
    return " and ".join(found)


def _of_size(word: Any, rows: Sequence[Published]) -> Iterator[str]:
    """Rows of another frame size say nothing of this one."""
    if isinstance(word, LineRate):
        size, why = (
            word.size - word.adds,
            "; say with `adds` how much longer a frame on the wire is",
        )
    elif isinstance(word, Costs | Order | RateRatio):
        size, why = word.size, ""
    else:
        return
    for row in rows:
        if row.frame_size not in (None, size):
            yield (
                f"size {word.size}, but row {row.id} is of {row.frame_size} bytes: "
                f"a claim is on rows of its own size{why}"
            )
            return


def _computable(word: Equation, rows: Sequence[Published]) -> Iterator[str]:
    """Each sentence is one of the claim's rows, and each of its rows stands in one."""
    known = {row.id: rate(row) for row in rows}
    for sentence in word.hold:
        try:
            left, _, right = arithmetic.sides(sentence)
            arithmetic.value(left, known)
            arithmetic.value(right, known)
        except arithmetic.ExpressionError as error:
            yield str(error)
    for name in known:
        if not any(f"[{name}]" in sentence for sentence in word.hold):
            yield f"row {name} stands in none of the equations"


def _bounded(word: Any, rows: Sequence[Published]) -> Iterator[str]:
    """A published bound must leave something that a run can be held against."""
    if isinstance(word, LineRate):
        for row in rows:
            if row.line:
                yield f"row {row.id} says line itself: there is no number to compare it with"
        return
    if not isinstance(word, RATIOS):
        return
    if isinstance(word, GoodputRatio):
        ratio = rate(rows[0]).over(rate(rows[1]))
    else:
        ratio = ratio_of_costs(list(rows))
    if ratio.says_nothing:
        yield "the rows are bounds whose ratio can be anything: judge it as not_testable"
    elif isinstance(word, AtLeast) and ratio.low == 0:
        yield f"the rows give {ratio}: at_least needs a lower bound"
    elif isinstance(word, AtMost) and ratio.at_least:
        yield f"the rows give {ratio}: at_most needs an upper bound"
