"""The directive that shows what the tester can do: the newest calibration, table by table."""

from __future__ import annotations

from dataclasses import replace

from docutils import nodes
from sphinx.application import Sphinx

from ppslab.core.text.tables import Table
from ppslab.course.site.directives.nodes import table_nodes
from ppslab.course.site.directives.sources import LabDirective, find_kind
from ppslab.model import results
from ppslab.model.results import CalibrationRecord
from ppslab.show.record_tables.calibration import tables

TESTER = "ppstraffic"


class Calibration(LabDirective):
    """`{ppslab-calibration} [TESTER]`: the newest calibration of a tester, ppstraffic without."""

    required_arguments = 0
    optional_arguments = 1

    def make(self) -> list[nodes.Node]:
        """The tables, or a note."""
        tester = self.arguments[0] if self.arguments else TESTER
        path = find_kind(self.env, CalibrationRecord, tester)
        if path is None:
            text = (
                f"{tester} has not been calibrated yet: ppslab calibrate measures what it can do."
            )
            return [nodes.note("", nodes.paragraph(text=text))]
        *first, last = tables(results.load_as(path, CalibrationRecord))
        shown = [*(_unbroken(replace(table, provenance=None)) for table in first), last]
        return [node for table in shown for node in table_nodes(table)]


def _unbroken(table: Table) -> Table:
    """The table with each number beside its unit: on a telephone it scrolls instead."""
    rows = tuple(
        tuple(replace(cell, content=cell.text.replace(" ", "\N{NO-BREAK SPACE}")) for cell in row)
        for row in table.rows
    )
    return replace(table, rows=rows)


def setup(app: Sphinx) -> None:
    """Register the directive; called by the extension."""
    app.add_directive("ppslab-calibration", Calibration)
