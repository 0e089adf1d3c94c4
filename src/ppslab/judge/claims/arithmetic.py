"""Claims that the published numbers decide alone: what ports carry, and what numbers come to."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import inf

from pydantic import Field

from ppslab.core import units
from ppslab.judge.claims.deciding import Band, decide
from ppslab.judge.claims.judges import WithoutRun, of_size
from ppslab.judge.claims.verdicts import Comparison, Finding, rate
from ppslab.model.lab.published import Published, Value
from ppslab.model.statistics import Interval


class LineRate(WithoutRun):
    """The published rates are the capacity of `ports` ports of `speed` bits a second: arithmetic.

    Without a frame size: the published bit rates do not exceed this capacity.
    """

    size: int | None = Field(default=None, description="bytes of a frame on the wire")
    speed: float = Field(gt=0, description="bits a second of one port")
    ports: int = Field(ge=1, description="the number of ports")
    within: float = Field(
        default=0.01, gt=0, description="the tolerance, as a share of the ports' capacity"
    )

    def faults_of_rows(self, rows: Sequence[Published]) -> Iterator[str]:
        """No rows, rows of another size, rows that are the line rate themselves."""
        if not rows:
            yield "a line rate needs the published rows that it explains"
        if self.size is None:
            return
        yield from of_size(self.size, rows)
        for row in rows:
            if row.line:
                yield f"row {row.id} says line itself: there is no number to compare it with"

    def from_print(self, rows: Sequence[Published]) -> Finding:
        """The rates as shares of what the ports carry."""
        low, high = 1 - self.within, 1 + self.within
        if self.size is None:
            limit = self.ports * self.speed
            carried, low, high = f"{limit / 1e9:g} Gbit/s", -inf, 1.0
        else:
            limit = self.ports * units.line_rate(self.size, self.speed)
            carried = f"{units.human_rate(limit)} in {self.size}-byte frames"
        ports = "port" if self.ports == 1 else "ports"
        verb = "carries" if self.ports == 1 else "carry"
        sentence = f"{self.ports} {ports} of {self.speed / 1e9:g} Gbit/s {verb} {carried}"
        return decide(Band(share_of(limit, [rate(row) for row in rows]), low, high, sentence))


class Equation(WithoutRun):
    """Equations or inequalities on published numbers, all of which must hold.

    `[row] + [row] = [row] within 0.01`: rows in packets or bits a second, or in their own unit;
    numbers; + - * /, parentheses, min() and max(); one of =, >= and <=; and, for one sentence
    alone, its own rounding.
    """

    hold: tuple[str, ...] = Field(
        min_length=1, description="the sentences, each with one of =, >= and <="
    )
    within: float = Field(
        default=0.0,
        ge=0,
        description="the source's rounding, as a share of the right side; a sentence may end with "
        "a `within` of its own",
    )

    def faults_of_rows(self, rows: Sequence[Published]) -> Iterator[str]:
        """Each sentence compares something of the claim's rows, and each row stands in one."""
        known = {row.id: rate(row) for row in rows}
        for sentence in self.hold:
            try:
                left, _, right = sides(_tolerance(sentence, self.within)[0])
                above, below = value(left, known), value(right, known)
            except ExpressionError as error:
                yield str(error)
                continue
            if not _ROW.search(sentence):
                yield f"{sentence!r} names no row: no published number could contradict it"
            elif above == below == NOTHING:
                yield f"{sentence!r} is 0 on both sides: put its rows under `repeated`"
        for name in known:
            if not any(f"[{name}]" in sentence for sentence in self.hold):
                yield f"row {name} stands in none of the equations"

    def from_print(self, rows: Sequence[Published]) -> Finding:
        """All of them must hold; the number is the first one's, or the worst wrong one's.

        How far an inequality that holds is from 1 says nothing, so what a claim is about is first.
        """
        checked = [_checked(sentence, self.within, rows) for sentence in self.hold]
        wrong = [one for one in checked if not one[0]]
        _, sentence, shown = max(wrong or checked[:1], key=lambda one: abs(one[2].estimate - 1))
        if len(checked) > 1:
            how_many = f"{len(checked) - len(wrong)} of {len(checked)} hold"
            sentence = f"{how_many}; {sentence}" if wrong else how_many
        sentence += f", within {100 * self.within:g} %" if self.within else ""
        return Finding(Comparison.AGAINST if wrong else Comparison.SIZE, sentence, shown)


NOTHING = Value(0.0, 0.0)

_ROW = re.compile(r"\[([^\]]+)\]")
_SIGN = re.compile(r"(>=|<=|=)")
_WITHIN = re.compile(r"\s+within\s+(\d*\.\d+)\s*$")


class ExpressionError(ValueError):
    """An expression that is none, or that names a row which its claim does not have."""


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


def _checked(sentence: str, within: float, rows: Sequence[Published]) -> tuple[bool, str, Interval]:
    """Evaluate one sentence: if it holds, both sides in words, and the left over the right one."""
    sentence, within = _tolerance(sentence, within)
    left, sign, right = sides(sentence)
    known = {row.id: rate(row) for row in rows}
    above, below = value(left, known), value(right, known)
    low, high = below.low * (1 - within), below.high * (1 + within)
    fits = (sign == "<=" or above.high >= low) and (sign == ">=" or above.low <= high)
    printed = {row.id: row.shown for row in rows}
    joined = "and" if sign == "=" else sign
    words = f"{_shown(left, printed)} = {above} {joined} {_shown(right, printed)} = {below}"
    if below.high == 0:
        return fits, words, Interval(1.0, 1.0, 1.0, 1) if fits else Interval(inf, inf, inf, 1)
    shares = above.over(below)
    middle = (sum(above.ends) / len(above.ends)) / (sum(below.ends) / len(below.ends))
    return fits, words, Interval(middle, shares.low, shares.high, len(rows))


def _tolerance(sentence: str, otherwise: float) -> tuple[str, float]:
    """Split "a = b within 0.01" into the sentence and its rounding; `otherwise` where it has none.

    A table's own sums are one claim, and its bit rates are printed in fewer digits than its counts.
    """
    if match := _WITHIN.search(sentence):
        return sentence[: match.start()], float(match[1])
    return sentence, otherwise


def sides(sentence: str) -> tuple[str, str, str]:
    """The left side, the sign and the right side; ExpressionError where there are not two."""
    parts = _SIGN.split(sentence)
    if len(parts) != 3:
        raise ExpressionError(f"{sentence!r} has not one of =, >= and <=")
    return parts[0].strip(), parts[1], parts[2].strip()


def _shown(expression: str, printed: Mapping[str, str]) -> str:
    """With the source's own words for each row: nobody but its file calls a number by its id."""
    return _ROW.sub(lambda row: f"\u201c{printed[row[1]]}\u201d", expression)


def value(expression: str, rows: Mapping[str, Value]) -> Value:
    """Evaluate `[row] * 2 / 672`: numbers, rows in brackets, + - * / and parentheses.

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
