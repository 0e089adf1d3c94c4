"""A Sphinx extension: the slides that pages mark, and the trainer's day with its download."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx import addnodes
from sphinx.application import Sphinx

from ppslab.core import paths
from ppslab.core.errors import UsageError
from ppslab.core.text.language import gettext
from ppslab.course.site.directives.nodes import table_nodes
from ppslab.course.site.directives.sources import LabDirective
from ppslab_class import day, download, slides


class Slide(LabDirective):
    """`{ppslab-slide} TITLE`: its body, and the common mistake as a fold."""

    final_argument_whitespace = True
    required_arguments = 1
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


class TrainersDay(LabDirective):
    """`{ppslab-day}`: the day of `day.yml` as a table, and below it the file to download.

    `:file:`: the file alone.
    """

    option_spec: ClassVar = {"file": directives.flag}

    def make(self) -> list[nodes.Node]:
        """Return the table and the link; without the file, which `make site` makes, the table."""
        self.env.note_dependency(str(day.FILE))
        alone = "file" in self.options
        shown: list[nodes.Node] = [] if alone else table_nodes(day.load().table())
        file = download.path()
        if file.is_file():
            shown.append(nodes.paragraph("", "", self._link(file)))
        return shown

    def _link(self, file: Path) -> nodes.Node:
        size = f"{file.stat().st_size / 1e6:.1f}"
        words = gettext("Download the day (ZIP, {size} MB)").format(size=size)
        place = f"/{file.relative_to(paths.project_root()).as_posix()}"
        link = addnodes.download_reference("", "", reftarget=place, refdoc=self.env.docname)
        link += nodes.strong(text=words)
        return link


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directives; called by Sphinx."""
    app.add_directive(slides.DIRECTIVE, Slide)
    app.add_directive("ppslab-day", TrainersDay)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
