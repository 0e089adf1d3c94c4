"""A Sphinx extension: what a class brings to the pages of the course."""

from __future__ import annotations

from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx

from ppslab.core import paths
from ppslab.core.errors import UsageError
from ppslab.course.site.directives.nodes import table_nodes
from ppslab.course.site.directives.sources import LabDirective
from ppslab_class import outlines, slides


class OutlineTable(LabDirective):
    """`{ppslab-outline} MTCTCE`: an outline point by point, with links; or why it is not mapped."""

    def make(self) -> list[nodes.Node]:
        self.env.note_dependency(str(outlines.FILE))
        name = self.arguments[0]
        if unread := outlines.load().unread.get(name):
            return [nodes.paragraph(text=unread.sentence(name))]
        return table_nodes(outlines.find(name).table(name, self._address))

    def _address(self, where: str) -> str:
        """Of a chapter or a page of it, or of LAB/TASK: its page, and its anchor there."""
        chapter, _, task = where.partition("/")
        if (paths.project_root() / "book" / f"{where}.md").is_file():
            page, anchor = f"book/{where}", ""
        elif task:
            page, anchor = f"book/{chapter}/tasks", f"task-{chapter}-{task}"
        else:
            folder = (paths.project_root() / "book" / chapter).is_dir()
            page, anchor = f"book/{chapter}/index" if folder else f"book/{chapter}", ""
        assert self.env.app.builder is not None
        return f"{self.env.app.builder.get_relative_uri(self.env.docname, page)}#{anchor}"


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
        """What the reader sees: the text alone."""
        if not any(line.strip() for line in self.content):
            raise UsageError("a slide has text")
        return self.parse_content_to_nodes()


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directives; called by Sphinx."""
    app.add_directive("ppslab-outline", OutlineTable)
    app.add_directive(slides.DIRECTIVE, Slide)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
