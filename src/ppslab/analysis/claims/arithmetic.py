"""Claims that the published numbers decide alone: what ports carry, and what numbers come to."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from math import inf
from typing import Annotated

from pydantic import Field

from ppslab.analysis.claims.deciding import Band, decide
from ppslab.analysis.claims.verdicts import Comparison, Finding, rate
from ppslab.base import units
from ppslab.base.documents.strict import StrictModel
from ppslab.lab.published import Published
from ppslab.lab.published_value import Value
from ppslab.theory.statistics import Interval

Speed = Annotated[float, Field(gt=0, description="bits a second of one port")]
Ports = Annotated[int, Field(ge=1, description="how many ports")]


class LineRate(StrictModel):
    """The published rates are what `ports` ports of `speed` bits a second can carry: arithmetic."""

    size: int = Field(description="bytes of a frame on the wire")
    speed: Speed
    ports: Ports
    within: float = Field(default=0.01, gt=0, description="a share of what they carry")
    adds: int = Field(
        default=0,
        ge=0,
        description="bytes that a frame on the wire has more than the published frame size",
    )


class Capacity(StrictModel):
    """The published bit rates fit into `ports` ports of `speed` bits a second: arithmetic."""

    speed: Speed
    ports: Ports


class Equation(StrictModel):
    """Sentences of arithmetic on published numbers that all hold.

    `[row] + [row] = [row]`: rows in packets or bits a second, or in their own unit; numbers; + - *
    /, parentheses, min() and max(); and one of =, >= and <=.
    """

    hold: tuple[str, ...] = Field(
        min_length=1, description="the sentences, each with one of =, >= and <="
    )
    within: float = Field(
        default=0.0, ge=0, description="a share of the right side: what the source has rounded off"
    )


_ROW = re.compile(r"\[([^\]]+)\]")
_SIGN = re.compile(r"(>=|<=|=)")


class ExpressionError(ValueError):
    """An expression that is none, or that names a row which its claim does not have."""


def judge(word: LineRate | Capacity | Equation, rows: Sequence[Published]) -> Finding:
    """The published numbers alone."""
    if isinstance(word, Equation):
        return _equation(word, rows)
    rates = [rate(row) for row in rows]
    if isinstance(word, LineRate):
        limit = word.ports * units.line_rate(word.size, word.speed)
        carried = f"{units.human_rate(limit)} of {word.size} bytes"
        low, high = 1 - word.within, 1 + word.within
    else:
        limit = word.ports * word.speed
        carried, low, high = f"{limit / 1e9:g} Gbit/s", -inf, 1.0
    ports = "port" if word.ports == 1 else "ports"
    verb = "carries" if word.ports == 1 else "carry"
    sentence = f"{word.ports} {ports} of {word.speed / 1e9:g} Gbit/s {verb} {carried}"
    return decide(Band(share_of(limit, rates), low, high, sentence))


def share_of(limit: float, rates: Sequence[Value]) -> Interval:
    """The rates as shares of what ports can carry: their mean, the lowest and the highest.

    The mean is of the numbers that the source gives, which of a bound is the bound.
    """
    shares = [value.over(Value(limit, limit)) for value in rates]
    means = [sum(share.ends) / len(share.ends) for share in shares]
    return Interval(
        sum(means) / len(means),
        min(share.low for share in shares),
        max(share.high for share in shares),
        len(shares),
    )


def _equation(word: Equation, rows: Sequence[Published]) -> Finding:
    """All of them must hold; shown is the one that is farthest from what it says."""
    checked = [_checked(each, word.within, rows) for each in word.hold]
    wrong = [each for each in checked if not each[0]]
    _, sentence, farthest = max(wrong or checked, key=lambda each: abs(each[2].estimate - 1))
    if len(checked) > 1:
        how_many = f"{len(checked) - len(wrong)} of {len(checked)} hold"
        sentence = f"{how_many}; {sentence}" if wrong else how_many
    sentence += f", within {100 * word.within:g} %" if word.within else ""
    comparison = Comparison.AGAINST if wrong else Comparison.SIZE
    return Finding(comparison, sentence, farthest)


def _checked(sentence: str, within: float, rows: Sequence[Published]) -> tuple[bool, str, Interval]:
    """Whether a sentence holds, what its sides come to, and its left side over its right one."""
    left, sign, right = sides(sentence)
    known = {row.id: rate(row) for row in rows}
    above, below = value(left, known), value(right, known)
    low, high = below.low * (1 - within), below.high * (1 + within)
    fits = (sign == "<=" or above.high >= low) and (sign == ">=" or above.low <= high)
    printed = {row.id: row.shown for row in rows}
    joined = "and" if sign == "=" else sign
    said = f"{_shown(left, printed)} = {above} {joined} {_shown(right, printed)} = {below}"
    if below.high == 0:
        return fits, said, Interval(1.0, 1.0, 1.0, 1) if fits else Interval(inf, inf, inf, 1)
    shares = above.over(below)
    middle = (sum(above.ends) / len(above.ends)) / (sum(below.ends) / len(below.ends))
    return fits, said, Interval(middle, shares.low, shares.high, len(rows))


def sides(sentence: str) -> tuple[str, str, str]:
    """The left side, the sign and the right side; ExpressionError where there are not two."""
    found = _SIGN.split(sentence)
    if len(found) != 3:
        raise ExpressionError(f"{sentence!r} has not one of =, >= and <=")
    return found[0].strip(), found[1], found[2].strip()


def _shown(expression: str, printed: Mapping[str, str]) -> str:
    """With the source's own words for each row: nobody but its file calls a number by its id."""
    return _ROW.sub(lambda found: f"\u201c{printed[found[1]]}\u201d", expression)


def value(expression: str, rows: Mapping[str, Value]) -> Value:
    """What `[row] * 2 / 672` comes to: numbers, rows in brackets, + - * / and parentheses.

    Raises ExpressionError for anything else.
    """
    names: dict[str, Value] = {}

    def named(match: re.Match[str]) -> str:
        if match[1] not in rows:
            raise ExpressionError(f"{expression!r} names the row {match[1]!r}, the claim does not")
        name = f"row{len(names)}"
        names[name] = rows[match[1]]
        return name

    try:
        tree = ast.parse(_ROW.sub(named, expression), mode="eval")
    except SyntaxError:
        raise ExpressionError(f"{expression!r} is no expression") from None
    return _of(tree.body, names, expression)


_OPERATIONS: dict[type[ast.operator], Callable[[Value, Value], Value]] = {
    ast.Add: lambda left, right: Value(left.low + right.low, left.high + right.high),
    ast.Sub: lambda left, right: Value(left.low - right.high, left.high - right.low),
    ast.Mult: lambda left, right: Value(left.low * right.low, left.high * right.high),
    ast.Div: lambda left, right: left.over(right),
}


def _of(node: ast.expr, names: Mapping[str, Value], whole: str) -> Value:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return Value(float(node.value), float(node.value))
    if isinstance(node, ast.Name) and node.id in names:
        return names[node.id]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        which = {"min": min, "max": max}.get(node.func.id)
        each = [_of(argument, names, whole) for argument in node.args]
        if which and each:
            return Value(which(one.low for one in each), which(one.high for one in each))
    if isinstance(node, ast.BinOp):
        operation = _OPERATIONS.get(type(node.op))
        if operation:
            return operation(_of(node.left, names, whole), _of(node.right, names, whole))
    raise ExpressionError(f"{whole!r}: only numbers, [rows], + - * /, parentheses, min() and max()")
