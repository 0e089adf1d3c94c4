"""RouterOS's changelogs on performance: `{ppslab-list} changes`, from book/changes.yml."""

from __future__ import annotations

from docutils import nodes
from pydantic import Field

from ppslab.core import documents, paths
from ppslab.core.documents import fitting
from ppslab.core.documents.strict import StrictModel
from ppslab.course.site.directives.nodes import grid, paragraphs, row
from ppslab.course.site.directives.sources import LabDirective
from ppslab.course.site.directives.views import listing
from rosexplain.rule_files import Day, Version

FILE = "book/changes.yml"


class Change(StrictModel):
    """A line in the source's words, what it means for a rate, and where and when it was read."""

    version: Version
    line: str = Field(min_length=12, max_length=240)
    means: str = Field(min_length=20, max_length=240)
    chapter: str
    where: str = Field(pattern=r"^https://\S+$")
    kind: str = Field(min_length=6)
    read: Day


class Changelog(StrictModel):
    """A version's changelog, and its day."""

    version: Version
    released: Day

    @property
    def named(self) -> str:
        """As `7.24.5 (2026-09-29)`."""
        return f"{self.version} ({self.released})"


class Changes(StrictModel):
    """The file, the oldest line first.

    `until`: the newest changelog that was read from end to end; `begun`: newer ones, of which only
    the first lines could be read.
    """

    since: Version
    until: Changelog
    begun: tuple[Changelog, ...] = ()
    changes: tuple[Change, ...] = Field(min_length=1)

    @property
    def ends(self) -> str:
        """Where the reading ends, as a sentence."""
        begun = ", ".join(each.named for each in self.begun)
        also = f" Of {begun}, we could read only the first lines." if begun else ""
        return (
            f"The newest changelog that we have read from end to end is {self.until.named}.{also} "
            "For anything newer, read MikroTik's changelogs."
        )


def load() -> Changes:
    """The file, checked; FileError with the line of what is wrong."""
    return fitting.validate(documents.load_yaml(paths.project_root() / FILE), Changes)


@listing("changes")
def changes(page: LabDirective) -> nodes.Node:
    """A row a line: version, their words with the source, effect, chapter; then the end."""
    page.env.note_dependency(str(paths.project_root() / FILE))
    known = load()
    rows = []
    for each in known.changes:
        version, line, means = paragraphs(each.version, f"“{each.line}”", each.means)
        source = _link(each.kind, each.where)
        source["classes"] = ["ppslab-under"]
        source += nodes.Text(f", read {each.read}")
        chapter = _link(each.chapter, f"{each.chapter}.html")
        rows.append(row(version, [line, source], means, chapter))
    table = grid(("version", "MikroTik's words", "effect", "chapter"), rows)
    return nodes.container("", table, nodes.paragraph(text=known.ends))


def _link(text: str, address: str) -> nodes.paragraph:
    return nodes.paragraph("", "", nodes.reference("", text, refuri=address))
