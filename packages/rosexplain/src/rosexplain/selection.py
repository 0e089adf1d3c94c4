"""The conditions of `[find where ...]` over a row's properties, in MicroPython too.

    where:      and_one {("or" | "||") and_one}
    and_one:    condition {["and" | "&&"] condition}
    condition:  "!" condition | "(" where ")" | flag | name operator value

A tree is a list: ["or", [..]], ["and", [..]], ["not", tree], ["flag", name] and ["is", name,
operator, value].
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

FLAGS = ("dynamic", "disabled", "invalid", "template", "running", "active", "default")
"""Properties that a condition may name alone, and of which a row that says nothing says no."""
OPERATORS = ("!=", "<=", ">=", "=", "~", "<", ">")
DIGITS = "0123456789"
HEX = "0123456789abcdefABCDEF"
MOST_DIGITS = 20
"""Digits of the longest number that RouterOS has, of 64 bits."""
NAMES = "abcdefghijklmnopqrstuvwxyz0123456789-."
PLAIN = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_/:,;=@#!<>%&~' "
"""Letters that mean themselves in a regular expression."""
LONGEST = 200
"""Letters of a regular expression that is read."""
MOST_DEEP = 20
"""Conditions in one another, by brackets and `!`; nobody types more."""

_YES = {"true": "yes", "false": "no"}
_BREAKS = " \t()!=~<>&|"
_ENDS = " \t()"
_HARD = ("{", "[:", "\\", "(?", ")*", ")+")
"""Signs that MicroPython's expressions lack, or that may take for ever."""


class UnknownSelectionError(ValueError):
    """A selection that is not understood here."""


def read(text: str, plain: Callable[[str], str]) -> Any:
    """The tree of what stands behind `find`; None: every row.

    `plain`: a value without its quotes.  UnknownSelectionError: not understood.
    """
    tokens = _tokens(text, plain)
    if tokens and tokens[0] == ["word", "where"]:
        tokens = tokens[1:]
    if not tokens:
        return None
    tree, at = _either(tokens, 0)
    if at < len(tokens):
        raise UnknownSelectionError(tokens[at][1])
    return tree


def _tokens(text: str, plain: Callable[[str], str]) -> list[list[str]]:
    """Words, signs and values, each with what it is."""
    tokens: list[list[str]] = []
    at, length = 0, len(text)
    while at < length:
        letter = text[at]
        if letter in " \t":
            at += 1
            continue
        pair = text[at : at + 2]
        after_name = bool(tokens) and tokens[-1][0] == "word"
        sign = pair if pair in OPERATORS else letter
        if sign in OPERATORS and after_name:
            at = _over_spaces(text, at + len(sign))
            value, at = _value(text, at)
            tokens.append(["is", sign, plain(value)])
        elif pair in ("&&", "||"):
            tokens.append(["word", "and" if pair == "&&" else "or"])
            at += 2
        elif letter in "()!":
            tokens.append([letter, letter])
            at += 1
        else:
            begin = at
            while at < length and text[at] not in _BREAKS:
                at += 1
            if at == begin or text[begin:at].strip(NAMES):
                # No name of a property: the key of an item, another command, a variable.
                raise UnknownSelectionError(text[begin : at + 1])
            tokens.append(["word", text[begin:at]])
    return tokens


def _over_spaces(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t":
        at += 1
    return at


def _value(text: str, at: int) -> tuple[str, int]:
    """A value as it is written, and where it ends."""
    begin, quoted = at, False
    while at < len(text) and (quoted or text[at] not in _ENDS):
        if text[at] == "\\" and quoted:
            at += 1
        elif text[at] == '"':
            quoted = not quoted
        at += 1
    value = text[begin:at]
    if not value or quoted or value[0] in "[$({":
        raise UnknownSelectionError(value)
    return value, at


def _either(tokens: list[list[str]], at: int, depth: int = 0) -> tuple[Any, int]:
    tree, at = _both(tokens, at, depth)
    trees = [tree]
    while at < len(tokens) and tokens[at] == ["word", "or"]:
        tree, at = _both(tokens, at + 1, depth)
        trees.append(tree)
    return (trees[0] if len(trees) == 1 else ["or", trees]), at


def _both(tokens: list[list[str]], at: int, depth: int) -> tuple[Any, int]:
    tree, at = _condition(tokens, at, depth)
    trees = [tree]
    while at < len(tokens) and tokens[at] != ["word", "or"] and tokens[at][0] != ")":
        at += 1 if tokens[at] == ["word", "and"] else 0
        tree, at = _condition(tokens, at, depth)
        trees.append(tree)
    return (trees[0] if len(trees) == 1 else ["and", trees]), at


def _condition(tokens: list[list[str]], at: int, depth: int) -> tuple[Any, int]:
    if at >= len(tokens) or depth > MOST_DEEP:
        raise UnknownSelectionError("")
    kind, text = tokens[at][0], tokens[at][1]
    if kind == "!":
        tree, at = _condition(tokens, at + 1, depth + 1)
        return ["not", tree], at
    if kind == "(":
        tree, at = _either(tokens, at + 1, depth + 1)
        if at >= len(tokens) or tokens[at][0] != ")":
            raise UnknownSelectionError(text)
        return tree, at + 1
    if kind != "word" or text in ("and", "or"):
        raise UnknownSelectionError(text)
    if at + 1 < len(tokens) and tokens[at + 1][0] == "is":
        operator, value = tokens[at + 1][1], tokens[at + 1][2]
        if operator == "~":
            matches(value, "")  # whether it can be read
        elif operator in ("<", ">", "<=", ">=") and not is_number(value):
            raise UnknownSelectionError(value)
        return ["is", text, operator, value], at + 2
    if text not in FLAGS:
        raise UnknownSelectionError(text)
    return ["flag", text], at + 1


def equals(tree: Any) -> list[list[str]]:
    """The name and value of each condition, where all are joined by `and` and say `=`; else none.

    A flag is none of those of which `set` makes the row that an export takes for granted.
    """
    trees = tree[1] if tree[0] == "and" else [tree]
    named = [[one[1], one[3]] for one in trees if one[0] == "is" and one[2] == "="]
    return named if len(named) == len(trees) else []


def holds(tree: Any, value: Callable[[str], str | None]) -> bool:
    """True if a row meets the conditions; `value` gives a property, None where it says none."""
    kind = tree[0]
    if kind == "or":
        return any(holds(one, value) for one in tree[1])
    if kind == "and":
        return all(holds(one, value) for one in tree[1])
    if kind == "not":
        return not holds(tree[1], value)
    if kind == "flag":
        return value(tree[1]) in ("yes", "true")
    name, operator, wanted = tree[1], tree[2], tree[3]
    own = value(name)
    if operator == "~":
        return own is not None and matches(wanted, own)
    if own is None:
        own = "no" if name in FLAGS else ""
    if operator == "=":
        return _alike(own, wanted)
    if operator == "!=":
        return not _alike(own, wanted)
    if not is_number(own):
        return False
    if operator[0] == "<":
        return int(own) < int(wanted) or (operator == "<=" and int(own) == int(wanted))
    return int(own) > int(wanted) or (operator == ">=" and int(own) == int(wanted))


def is_number(text: str) -> bool:
    """True if `int` takes a text: not `²`, a digit for `isdigit`, and not thousands of digits."""
    return 0 < len(text) <= MOST_DIGITS and not text.strip(DIGITS)


def is_gone(name: str) -> bool:
    """True if a name is the number by which an export names a row that was removed: `*9`."""
    return name[:1] == "*" and 1 < len(name) <= 9 and not name[1:].strip(HEX)


def _alike(own: str, wanted: str) -> bool:
    return own == wanted or _YES.get(own, own) == _YES.get(wanted, wanted)


def matches(expression: str, text: str) -> bool:
    """Return True if a regular expression is found in a text.

    Plain words, anchored or not, and alternatives of them are compared: MicroPython's expressions
    are short.  UnknownSelectionError: an expression that is not read here.
    """
    if len(expression) > LONGEST or any(hard in expression for hard in _HARD):
        raise UnknownSelectionError(expression)
    begins, ends = expression[:1] == "^", expression[-1:] == "$"
    inner = expression[1:] if begins else expression
    inner = inner[:-1] if ends else inner
    if begins and ends and inner[:1] == "(" and inner[-1:] == ")" and "(" not in inner[1:]:
        words = inner[1:-1].split("|")
        if all(_is_plain(word) for word in words):
            return text in words
    if "|" in expression and "(" not in expression and "[" not in expression:
        return any(matches(one, text) for one in expression.split("|"))
    if _is_plain(inner):
        if begins and ends:
            return text == inner
        if begins or ends:
            return text.startswith(inner) if begins else text.endswith(inner)
        return inner in text
    try:
        return re.search(expression, text) is not None
    except Exception as error:  # each Python says in its own way that it cannot read it
        raise UnknownSelectionError(expression) from error


def _is_plain(word: str) -> bool:
    return all(letter in PLAIN for letter in word)
