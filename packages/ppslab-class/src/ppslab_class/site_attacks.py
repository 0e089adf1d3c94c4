"""`{ppslab-seat-attacks}`: what a seat on a server tries on the others, and what came of it."""

from __future__ import annotations

from docutils import nodes
from sphinx.application import Sphinx

from ppslab.course.site.directives.nodes import table_nodes
from ppslab.course.site.directives.sources import LabDirective
from ppslab_class import seat_attacks


class SeatAttacks(LabDirective):
    """The table of the rows and of the newest run."""

    required_arguments = 0
    optional_arguments = 0

    def make(self) -> list[nodes.Node]:
        """The table."""
        for path in (seat_attacks.FILE, seat_attacks.NEWEST):
            self.env.note_dependency(str(path))
        return table_nodes(seat_attacks.table(seat_attacks.load(), seat_attacks.newest()))


def setup(app: Sphinx) -> None:
    """Register the directive; called by the extension."""
    app.add_directive("ppslab-seat-attacks", SeatAttacks)
