"""A Sphinx extension: what a class brings to the pages of the course."""

from __future__ import annotations

from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx

from ppslab.core.errors import UsageError
from ppslab.course.site.directives.sources import LabDirective
from ppslab_class import slides


class Slide(LabDirective):
    """`{ppslab-slide} TITLE`: its body; the title and the options are for the deck."""

    final_argument_whitespace = True
    optional_arguments = 0
    has_content = True
    option_spec: ClassVar = {
        **dict.fromkeys(slides.OPTIONS, directives.unchanged_required),
        "minutes": directives.positive_int,
        "guess": directives.flag,
    }

    def make(self) -> list[nodes.Node]:
        """Return the text alone, which readers see."""
        if not any(line.strip() for line in self.content):
            raise UsageError("a slide has text")
        return self.parse_content_to_nodes()


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directives; called by Sphinx."""
    app.add_directive(slides.DIRECTIVE, Slide)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
