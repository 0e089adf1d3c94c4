"""`{ppslab-systems} all|open`: each of the articles' systems, and what its open claims need."""

from __future__ import annotations

from docutils import nodes
from sphinx.application import Sphinx

from ppslab.core import paths
from ppslab.core.text.tables import Cell, Table
from ppslab.course.site.directives.nodes import table_nodes
from ppslab.course.site.directives.records.tables import SCOREBOARD
from ppslab.course.site.directives.sources import LabDirective
from ppslab.judge import systems
from ppslab.judge.systems import System


class Systems(LabDirective):
    """The table of all systems (`all`), or of what would settle their open claims (`open`)."""

    def make(self) -> list[nodes.Node]:
        """The table."""
        self.env.note_dependency(str(paths.project_root() / systems.FILE))
        specs = systems.read()
        outcomes = {spec.lab: self.source(spec.lab).outcome for spec in specs}
        every = systems.of(specs, outcomes)
        table = self._needs if self.arguments[0] == "open" else self._overview
        return table_nodes(table(every))

    def _overview(self, every: list[System]) -> Table:
        rows = []
        for each in every:
            lab = each.outcome.lab
            left = sum(len(mine) for mine in each.open.values())
            rows.append(
                (
                    Cell(each.title),
                    Cell(lab.title, links=self._links(f"book/{lab.name}/index", "")),
                    Cell(str(len(each.conditions))),
                    Cell(str(len(each.judged))),
                    Cell(each.decided_text),
                    Cell(str(left) if left else "-"),
                )
            )
        return Table(
            title="The articles' systems",
            header=("system", "lab", "conditions", "claims", "decided, by evidence", "open"),
            rows=tuple(rows),
            notes=(
                "Two systems of one lab share conditions; each claim belongs to one system.",
                *(each.outcome.sentence for each in every if each.outcome.fault),
            ),
        )

    def _needs(self, every: list[System]) -> Table:
        rows = []
        for system in every:
            titles = system.outcome.lab.titles
            for mine in system.open.values():
                verdicts = dict.fromkeys(each.verdict for each in mine)
                links = [self._links(SCOREBOARD, f"claim-{each.lab}-{each.id}") for each in mine]
                rows.append(
                    (
                        Cell(system.title),
                        Cell(mine[0].settled_by or mine[0].why(titles)),
                        Cell(" ".join(each.statement for each in mine), links=sum(links, ())),
                        Cell(", ".join(verdicts)),
                    )
                )
        return Table(
            title="What the open claims need",
            header=("system", "why it is open, or what it needs", "the claim", "verdict"),
            rows=tuple(rows),
        )

    def _links(self, page: str, anchor: str) -> tuple[str, ...]:
        """The address of a page, where the site has it."""
        if page not in self.env.found_docs:
            return ()
        return (f"{self.env.app.builder.get_relative_uri(self.env.docname, page)}#{anchor}",)


def setup(app: Sphinx) -> None:
    """Register the directive; called by the extension."""
    app.add_directive("ppslab-systems", Systems)
