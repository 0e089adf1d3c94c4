"""A chapter's frame: goals, minutes, prerequisites, key points, and the schedule of a day.

The schedule of a workshop is made from the minutes that the chapters name.
"""

from __future__ import annotations

from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging

from ppslab.core.errors import UsageError
from ppslab.core.text.numbers import plural
from ppslab.core.text.tables import Cell, Table, cells
from ppslab.course import practice
from ppslab.course.site.directives.env_store import Noted, later, placeholder
from ppslab.course.site.directives.learning import items
from ppslab.course.site.directives.nodes import late_table_nodes
from ppslab.course.site.directives.sources import LabDirective
from ppslab.course.tasks import reading
from ppslab.model.lab import lab as labs

logger = logging.getLogger(__name__)

KINDS = ("reading", "running", "planning", "exercises")


CHAPTERS: Noted[dict[str, int]] = Noted("chapters")
"""The minutes of each page by kind."""


class Goals(LabDirective):
    """`{ppslab-goals}`: minutes and prerequisites as options, what you will know as its body.

    `:reading:` has the minutes to read the page and those below it that have no goals of their own,
    at 200 words a minute; `:exercises:` those of what is neither a task nor a drill of the chapter,
    whose minutes are added; `:after:` names pages by their label; `:note:` follows the minutes.
    """

    has_content = True
    option_spec: ClassVar = {
        **dict.fromkeys(KINDS, directives.positive_int),
        "after": directives.unchanged_required,
        "note": directives.unchanged_required,
    }

    def make(self) -> list[nodes.Node]:
        """The box at the head of a chapter."""
        if not any(line.strip() for line in self.content):
            raise UsageError("say in the body what a reader will know, one point per line")
        minutes = {kind: self.options[kind] for kind in KINDS if kind in self.options}
        if "reading" not in minutes:
            raise UsageError("say how many minutes it takes to read: `:reading: 5`")
        if tasks := practised(self.env.docname):
            minutes["exercises"] = minutes.get("exercises", 0) + tasks  # the last of KINDS
        CHAPTERS.of(self.env)[self.env.docname] = minutes
        items.GOALS.of(self.env)[self.env.docname] = sum(minutes.values())
        line = nodes.paragraph()
        for kind, count in minutes.items():
            line += nodes.strong(text=f"{kind.capitalize()}:")
            line += nodes.Text(f" {plural(count, 'minute')}. ")
        line += nodes.Text(self.options.get("note", ""))
        box = nodes.container("", line, classes=["ppslab-goals"])
        if after := self.options.get("after", "").split():
            links = ", ".join(f"{{ref}}`{label}`" for label in after)
            parsed, messages = self.parse_inline(f"**Before this:** {links}.")
            box += nodes.paragraph("", "", *parsed, *messages)
        box += self.raw("<details><summary>What you will know</summary>")
        box += self.parse_content_to_nodes()
        box += self.raw("</details>")
        return [box]


def practised(page: str) -> int:
    """The minutes of a chapter's tasks and drills, on its first page, e.g. of `book/numa/index`."""
    folder, _, file = page.removeprefix("book/").rpartition("/")
    if file != "index":
        return 0
    minutes = sum(drill.minutes for drill in practice.drills(f"{folder}-").values())
    if folder in labs.names() and reading.has(lab := labs.find(folder)):
        minutes += sum(task.minutes for task in reading.load(lab).all)
    return minutes


class Keys(LabDirective):
    """`{ppslab-keys}`: what to take away from a chapter, at its end."""

    has_content = True

    def make(self) -> list[nodes.Node]:
        if not any(line.strip() for line in self.content):
            raise UsageError("say in the body what to take away, one point per line")
        title = nodes.paragraph("", "", nodes.strong(text="What to take away"))
        return [nodes.container("", title, *self.parse_content_to_nodes(), classes=["ppslab-keys"])]


class Schedule(LabDirective):
    """`{ppslab-schedule}`: pages with their minutes, a page a line of the body, or `break 15`.

    With `:start:`, an hour such as 09:00, they are a day's timetable.
    """

    has_content = True
    option_spec: ClassVar = {"start": directives.unchanged_required, "title": directives.unchanged}

    def make(self) -> list[nodes.Node]:
        lines = tuple(line.strip() for line in self.content if line.strip())
        if not lines:
            raise UsageError("name one page per line of the body, such as: fastpath/index")
        start = _clock(self.options["start"]) if "start" in self.options else None
        title = self.options.get("title", "The day")
        place = {"lines": lines, "start": start, "title": title, "source": self.get_location()}
        return [later(self.env, _shown, **place)]


def _clock(text: str) -> int:
    hours, _, minutes = text.partition(":")
    if not (hours.isdigit() and minutes.isdigit() and int(hours) < 24 and int(minutes) < 60):
        raise UsageError(f"a time is HH:MM, not {text!r}")
    return int(hours) * 60 + int(minutes)


def _hour(minutes: int) -> str:
    return f"{minutes // 60 % 24:02d}:{minutes % 60:02d}"


def timetable(env: BuildEnvironment, page: str, placed: placeholder) -> Table:
    """The table of one placeholder; UsageError for a page without minutes."""
    rows: list[tuple[Cell, ...]] = []
    now = start = int(placed["start"] or 0)
    known = CHAPTERS.of(env)
    for line in placed["lines"]:
        word, _, rest = line.partition(" ")
        title, parts, name = Cell("Break"), "", f"book/{word}"
        minutes = int(rest) if rest.isdigit() else 15
        if word != "break":
            if name not in known:
                pages = ", ".join(sorted(each.removeprefix("book/") for each in known))
                raise UsageError(f"{word} is not a page with minutes: there are {pages}")
            minutes = sum(known[name].values())
            parts = ", ".join(f"{kind} {count}" for kind, count in known[name].items())
            address = env.app.builder.get_relative_uri(page, name)
            title = Cell(env.titles[name].astext(), links=(f"{address}#",))
        rows.append((Cell(_hour(now)), title, Cell(f"{minutes}"), Cell(parts)))
        now += minutes
    end = "In all" if placed["start"] is None else "End"
    rows.append(cells(_hour(now), end, str(now - start), ""))
    header = ("at", "what", "minutes", "of these")
    if placed["start"] is None:
        return Table(placed["title"], header[1:], tuple(row[1:] for row in rows))
    return Table(placed["title"], header, tuple(rows))


def _shown(app: Sphinx, docname: str, placed: placeholder) -> list[nodes.Node]:
    try:
        return late_table_nodes(timetable(app.env, docname, placed))
    except UsageError as error:
        message = f"ppslab-schedule: {error}"
        logger.warning(message, location=placed["source"], type="ppslab")
        return [nodes.paragraph(text=message)]
