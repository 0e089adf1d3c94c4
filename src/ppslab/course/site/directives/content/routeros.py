"""RouterOS on pages: its scripts in colour, what versions lack, what a router is checked for.

Pygments has no lexer for its scripts.
"""

from __future__ import annotations

from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import Directive
from pygments.lexer import RegexLexer
from pygments.token import Comment, Keyword, Name, Number, Operator, String, Text
from sphinx.application import Sphinx

from ppslab.core.errors import UsageError
from ppslab.core.text.tables import Table, cells
from ppslab.course.site.directives.nodes import table_nodes
from ppslab.course.site.directives.sources import LabDirective
from ppslab.measure.testbed import routeros
from ppslab.model.lab import lab
from ppslab.testbed.routers.routeros.checks import CHECKS
from ppslab.testbed.routers.routeros.rsc import versions


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


class Checks(Directive):
    """`{ppslab-router-checks}`: what `ppslab doctor --router` looks for, in its order."""

    has_content = False

    def run(self) -> list[nodes.Node]:
        """A row for each check."""
        rows = [cells(name, _first_sentence(ask.__doc__)) for name, ask in CHECKS]
        return table_nodes(
            Table("What ppslab doctor --router asks", ("check", "what it finds"), tuple(rows))
        )


class Versions(Directive):
    """`{ppslab-routeros-versions}`: what versions of RouterOS have, and others have not."""

    has_content = False

    def run(self) -> list[nodes.Node]:
        """A row for each change that versions.yml knows."""
        known = versions.table()
        rows = [
            cells(
                f"/{change.menu}",
                f"{', '.join(change.arguments or change.commands)}",
                {"chr": "CHR", "hardware": "hardware", "any": "both"}[change.on],
                change.span,
                change.source,
            )
            for change in known.changes
        ]
        notes = (
            f"The labs are written for RouterOS {known.oldest} to {known.newest}; the lint checks "
            "every script against both ends.",
        )
        header = ("menu", "argument or command", "on", "versions that have it", "source")
        return table_nodes(Table("How versions differ", header, tuple(rows), notes))


class Labs(LabDirective):
    """`{ppslab-router-labs}`: which labs a RouterOS router can stand in, and which it cannot."""

    required_arguments = 0
    optional_arguments = 0

    def make(self) -> list[nodes.Node]:
        """A row for each lab: a CHR under containerlab, and a router on the bench."""
        rows = []
        for found in lab.tried().readable:
            ports = ", ".join(found.spec.ports)
            answers = [_stands(found, on_bench=on_bench) for on_bench in (False, True)]
            rows.append(cells(found.title, ports, *answers))
        header = ("lab", "ports", "a CHR under containerlab", "a router on the bench")
        return table_nodes(Table("Labs with a RouterOS router", header, tuple(rows)))


def _stands(asked: lab.Lab, *, on_bench: bool) -> str:
    try:
        routeros.check(asked, on_bench=on_bench)
    except UsageError as error:
        # What a reader of the page cannot type is no use here: the option is the command's.
        return f"no: {str(error).partition(': --')[0]}"
    conditions = asked.conditions.values()
    wrong = [why for each in conditions if (why := routeros.unfit(each, on_bench=on_bench))]
    if not wrong:
        return f"all {len(conditions)} conditions"
    if len(wrong) == len(conditions):
        return f"no: {wrong[0]}"
    return f"{len(conditions) - len(wrong)} of {len(conditions)} conditions; the others: {wrong[0]}"


def _first_sentence(text: str | None) -> str:
    return " ".join((text or "").split("\n\n")[0].split())


def setup(app: Sphinx) -> None:
    """Blocks of the kind `routeros` have a lexer; three tables have directives."""
    app.add_lexer("routeros", RouterOSLexer)
    app.add_directive("ppslab-router-checks", Checks)
    app.add_directive("ppslab-router-labs", Labs)
    app.add_directive("ppslab-routeros-versions", Versions)
