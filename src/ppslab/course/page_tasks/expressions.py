"""Regular expressions of checks, which Python reads, in the words of a browser."""

from __future__ import annotations

import re

_INLINE = re.compile(r"^\(\?([a-z]+)\)")
_ONLY_PYTHON = re.compile(r"\\[AZ]|\(\?P|\(\?#|\(\?\(|\(\?[a-z]|[*+?}]\+|\\N|\\U")


class OnlyPythonError(ValueError):
    """Says something that a browser's expressions have no words for."""


def of_a_browser(expression: str) -> tuple[str, str]:
    """The source and the flags for a browser's RegExp, which finds what Python finds.

    As in a check `^` and `$` are at each line.  OnlyPythonError where there is none.
    """
    flags = "m"
    inline = _INLINE.match(expression)
    if inline:
        if inline[1] != "s":
            raise OnlyPythonError(expression)
        flags, expression = "ms", expression[inline.end() :]
    if _ONLY_PYTHON.search(expression):
        raise OnlyPythonError(expression)
    return expression, flags
