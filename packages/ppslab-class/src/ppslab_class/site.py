"""A Sphinx extension: the slides that pages mark, as readers of the site see them."""

from __future__ import annotations

from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx

from ppslab.core.errors import UsageError
from ppslab.course.site.directives.sources import LabDirective
from ppslab_class import slides


class Slide(LabDirective):
    """`{ppslab-slide} TITLE`: its body, and the common mistake as a fold."""

    final_argument_whitespace = True
    optional_arguments = 0
    has_content = True
    option_spec: ClassVar = {
        **dict.fromkeys(slides.OPTIONS, directives.unchanged_required),
        "minutes": directives.positive_int,
        "guess": directives.flag,
    }

    def make(self) -> list[nodes.Node]:
        """Return the text, and below it what many get wrong here, for after the reader's guess."""
        if not any(line.strip() for line in self.content):
            raise UsageError("a slide has text")
        shown = self.parse_content_to_nodes()
        if "wrong" in self.options:
            shown += [
                self.raw('<details class="ppslab-mistake"><summary>A common mistake</summary><p>'),
                self.inline(self.options["wrong"]),
                self.raw("</p></details>"),
            ]
        return shown


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directives; called by Sphinx."""
    app.add_directive(slides.DIRECTIVE, Slide)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
