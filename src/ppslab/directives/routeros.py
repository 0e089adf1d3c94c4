"""RouterOS's scripts in colours: Pygments has no lexer for them."""

from __future__ import annotations

from typing import ClassVar

from pygments.lexer import RegexLexer
from pygments.token import Comment, Keyword, Name, Number, Operator, String, Text
from sphinx.application import Sphinx


class RouterOSLexer(RegexLexer):
    """Enough to read by: comments, menus, commands, arguments, values, variables."""

    name = "RouterOS"
    aliases: ClassVar[list[str]] = ["routeros", "rsc"]
    filenames: ClassVar[list[str]] = ["*.rsc"]
    tokens: ClassVar = {
        "root": [
            (r"^[ ]*#.*$", Comment.Single),
            (r"/[a-z][\w/-]+", Name.Namespace),
            (r":[a-z]+\b", Keyword),
            (r"\b(add|set|print|find|where|monitor|quick|start|stop|remove|get)\b", Keyword),
            (r"[a-z][\w-]*(?==)", Name.Attribute),
            (r"=", Operator),
            (r'"(?:\\.|[^"\\])*"', String.Double),
            (r"\$\w+", Name.Variable),
            (r"\d[\w.:/-]*", Number),
            (r"[A-Za-z][\w.:/-]*", Text),
            (r"\s+|.", Text),
        ]
    }


def setup(app: Sphinx) -> None:
    """Blocks of the kind `routeros` have a lexer."""
    app.add_lexer("routeros", RouterOSLexer)
