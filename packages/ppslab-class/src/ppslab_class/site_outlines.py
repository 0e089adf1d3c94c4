"""MikroTik's course outlines beside this course, put into a page."""

from __future__ import annotations

from docutils import nodes
from sphinx.application import Sphinx

from ppslab.base import paths
from ppslab.course.site.directives.nodes import table_nodes
from ppslab.course.site.directives.sources import LabDirective
from ppslab_class.planning import outlines


class OutlineTable(LabDirective):
    """`{ppslab-outline} MTCTCE`: an outline point by point, with links; or why it is not mapped."""

    def make(self) -> list[nodes.Node]:
        """The table, or a sentence."""
        self.env.note_dependency(str(outlines.FILE))
        name = self.arguments[0]
        if unread := outlines.load().unread.get(name):
            return [nodes.paragraph(text=unread.sentence(name))]
        return table_nodes(outlines.find(name).table(name, self._address))

    def _address(self, where: str) -> str:
        """Of a chapter, or of LAB/TASK: its page, and its anchor there."""
        chapter, _, task = where.partition("/")
        if task:
            page, anchor = f"book/{chapter}/tasks", f"task-{chapter}-{task}"
        else:
            folder = (paths.project_root() / "book" / chapter).is_dir()
            page, anchor = f"book/{chapter}/index" if folder else f"book/{chapter}", ""
        assert self.env.app.builder is not None
        return f"{self.env.app.builder.get_relative_uri(self.env.docname, page)}#{anchor}"


def setup(app: Sphinx) -> None:
    """Register the directive; called by the extension."""
    app.add_directive("ppslab-outline", OutlineTable)
