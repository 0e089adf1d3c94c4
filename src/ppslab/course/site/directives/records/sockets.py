"""Directives that show where packets went in a machine of several sockets."""

from __future__ import annotations

import re
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx

from ppslab.core.errors import UsageError
from ppslab.course.site.directives.nodes import table_nodes
from ppslab.course.site.directives.sources import LabDirective, no_record
from ppslab.judge import costs, placement


class Sockets(LabDirective):
    """`{ppslab-sockets} LAB placement|cards|served|spread|forwarded`: a table of a run."""

    required_arguments = 2
    optional_arguments = 0

    def make(self) -> list[nodes.Node]:
        """The table; the placement also without a record, as the lab says."""
        source, kind = self.source(), self.arguments[1]
        record = source.record
        if kind == "placement":
            return table_nodes(placement.table(source.lab, record))
        tables = {
            "cards": placement.cards,
            "served": placement.served,
            "spread": placement.cpu_table,
            "forwarded": costs.forwarding_table,
        }
        if kind not in tables:
            raise UsageError(f"no table {kind!r}: there are placement, {', '.join(tables)}")
        return table_nodes(tables[kind](record)) if record else no_record(source.lab.name)


class Shown(LabDirective):
    """`{ppslab-shown} LAB HEADING...`: what the machine of the newest run said, word for word.

    `:matching:` leaves only the lines in which a regular expression is found.
    """

    option_spec: ClassVar = {"matching": directives.unchanged_required}
    required_arguments = 2
    optional_arguments = 0
    final_argument_whitespace = True

    def make(self) -> list[nodes.Node]:
        """The answer as it was printed, or a note."""
        source, heading = self.source(), self.arguments[1]
        if source.record is None:
            return no_record(source.lab.name)
        answers = placement.answers(source.record)
        if heading not in answers:
            raise UsageError(f"no answer {heading!r}: there are {', '.join(answers)}")
        matching = self.options.get("matching", "")
        lines = [line for line in answers[heading].splitlines() if re.search(matching, line)]
        if not lines:
            raise UsageError(f"{heading}: no line matches {matching!r}")
        text = "\n".join(lines)
        return [nodes.literal_block(text, text, language="text")]


def setup(app: Sphinx) -> None:
    """Register the directives."""
    app.add_directive("ppslab-sockets", Sockets)
    app.add_directive("ppslab-shown", Shown)
