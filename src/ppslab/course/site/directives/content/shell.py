"""Shell commands on pages in colour, an address or a version in one."""

from __future__ import annotations

from typing import ClassVar

from pygments.lexer import inherit
from pygments.lexers.shell import BashLexer
from pygments.token import Number
from sphinx.application import Sphinx


class ShellLexer(BashLexer):
    """Pygments' own colours only the digits before the first dot: `ping -c 3 198` read as one."""

    tokens: ClassVar = {"data": [(r"\d+(?:[.,:/-]+\w+)+", Number), inherit]}


def setup(app: Sphinx) -> None:
    """Blocks of the kind `sh` are read by it; called by the extension."""
    app.add_lexer("sh", ShellLexer)
