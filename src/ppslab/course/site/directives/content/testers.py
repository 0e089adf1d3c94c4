"""A directive that shows what each tester can."""

from __future__ import annotations

from docutils import nodes
from docutils.parsers.rst import Directive

from ppslab.core.text.tables import Cell, Table
from ppslab.course.site.directives.nodes import table_nodes
from ppslab.testbed.testers import testers
from ppslab.testbed.testers.contract import MEANINGS


def table() -> Table:
    """A row for each ability, a column for each tester."""
    rows = []
    for ability in MEANINGS:
        can = [Cell("yes" if ability in has else "no") for has in testers.ABILITIES.values()]
        rows.append((Cell(ability), *can))
    return Table(
        title="What each tester can",
        header=("ability", *testers.NAMES),
        rows=tuple(rows),
        notes=("A load that asks for more than a tester can is refused before anything is sent.",),
    )


class Testers(Directive):
    """`{ppslab-testers}`: what each tester can."""

    has_content = False

    def run(self) -> list[nodes.Node]:
        """The table, and what its words mean."""
        words = nodes.definition_list()
        for ability, meaning in MEANINGS.items():
            item = nodes.definition_list_item()
            item += nodes.term(text=ability)
            item += nodes.definition("", nodes.paragraph(text=meaning))
            words += item
        return [*table_nodes(table()), words]
