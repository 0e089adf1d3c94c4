"""The language of the answer's sentences: a dictionary from an English text to its translation.

English is what the sources hold, and what is shown where a dictionary has nothing.  Commands are
never looked up.  This also runs in MicroPython.

    gettext("A packet of {size} bytes costs {cost}.").format(size=size, cost=cost)
"""

from __future__ import annotations

from typing import Any

_messages: dict[str, Any] = {}


def use(messages: dict[str, Any]) -> None:
    """Show texts by this dictionary from now on; an empty one is English."""
    _messages.clear()
    _messages.update(messages)


def gettext(text: str) -> str:
    """The translation of a text, or the text itself."""
    translated: str = _messages.get(text, text)
    return translated


def either(words: list[str]) -> str:
    """`a or b`."""
    return gettext(" or ").join(words)


def and_more(count: int) -> str:
    """`and 3 more`, behind what is named."""
    return gettext("and {count} more").format(count=str(count))


def few_of(words: list[str], most: int, of: int = 0) -> str:
    """`a, b and 3 more`: the first `most` of them, and how many are left; `of`: of so many."""
    left = max((of or len(words)) - most, 0)
    return ", ".join(words[:most]) + (" " + and_more(left) if left else "")


def line_of(number: int) -> str:
    """`line 12`."""
    return gettext("line {number}").format(number=str(number))


def before_number() -> str:
    """Return the words before a line's number: `line `."""
    return gettext("line {number}").partition("{number}")[0]


def N_(text: str) -> str:  # noqa: N802  (its name wherever gettext is)
    """Mark a text that is translated where it is shown."""
    return text
