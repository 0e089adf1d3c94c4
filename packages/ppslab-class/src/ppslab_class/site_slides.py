"""Text that is a slide too: on the site it is as if the mark around it were not there."""

from __future__ import annotations

from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx

from ppslab.base.errors import UsageError
from ppslab.course.site.directives.sources import LabDirective
from ppslab_class.slides import marks


class Slide(LabDirective):
    """`{ppslab-slide} TITLE`: its body; the title and the options are for the deck."""

    final_argument_whitespace = True
    optional_arguments = 0
    has_content = True
    option_spec: ClassVar = {
        **dict.fromkeys(marks.OPTIONS, directives.unchanged_required),
        "minutes": directives.positive_int,
        "guess": directives.flag,
    }

    def make(self) -> list[nodes.Node]:
        """What the reader sees: the text alone."""
        if not any(line.strip() for line in self.content):
            raise UsageError("a slide has text")
        return self.parse_content_to_nodes()


def setup(app: Sphinx) -> None:
    """Register the directive; called by the extension."""
    app.add_directive(marks.NAME, Slide)
