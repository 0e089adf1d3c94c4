"""The value of an expression in a script: words, strings, variables, arithmetic, `[:pick]`."""

from __future__ import annotations

from collections.abc import Mapping

from routeros_lsp.syntax import ast

from ppslab.testbed.routers.routeros.rsc.values import Value, calculate, literal, text


def value(
    element: ast.Expr | ast.Element | None, variables: Mapping[str, Value], source: str
) -> Value:
    """The value of an element of `source`; nothing at all has "".

    ValueError for what is not calculated here, and a variable that is not there.
    """
    match element:
        case ast.Word() | None:
            return literal(element.text) if element else ""
        case ast.StringLit():
            return "".join(text(_part(part, variables, source)) for part in element.parts)
        case ast.Variable():
            return _variable(element.name, variables)
        case ast.Group(exprs=[one]):
            return value(one, variables, source)
        case ast.Binary():
            left = value(element.left, variables, source)
            return calculate(element.op, left, value(element.right, variables, source))
        case _:
            return _picked(element, variables, source)


def _picked(element: ast.Expr | ast.Element, variables: Mapping[str, Value], source: str) -> Value:
    """`[:pick "abc" 1]`: the character at a place that is counted from 0, such as a digit."""
    match element:
        case ast.Subst(body=[ast.Statement(elements=[ast.Word(text="pick"), whole, place])]):
            characters = text(value(whole, variables, source))
            index = value(place, variables, source)
            if not isinstance(index, int) or not 0 <= index < len(characters):
                raise ValueError(f"pick: {characters!r} has no character {text(index)}")
            return characters[index]
        case _:
            said = source[element.start : element.end]
            raise ValueError(f"{said} is not calculated here")


def _part(part: ast.StringPart, variables: Mapping[str, Value], source: str) -> Value:
    match part:
        case ast.TextPart() | ast.EscapePart():
            return part.text
        case ast.VariablePart():
            return _variable(part.name, variables)
        case ast.ExpressionPart():
            return value(part.group, variables, source)
        case _:
            raise ValueError("a command in a string is not run here")


def _variable(name: str, variables: Mapping[str, Value]) -> Value:
    if name not in variables:
        raise ValueError(f"no variable ${name}")
    return variables[name]
