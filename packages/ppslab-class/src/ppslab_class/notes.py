"""The instructor's notes to print: the tasks of chapters, and an exit ticket to copy."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from markdown_it import MarkdownIt
from markupsafe import Markup

from ppslab.core.errors import UsageError
from ppslab.course.learning.quiz import Question
from ppslab.course.tasks import reading
from ppslab.course.tasks.schema import LinuxCheck
from ppslab.model import results
from ppslab.model.lab import lab as labs
from ppslab.show import templates
from ppslab_class.content import Chapter
from ppslab_class.slides import without_links

_ROLE = re.compile(r"\{(ppslab-[a-z]+)\}`([^`]+)`")
_INLINE = MarkdownIt("zero").enable(["backticks", "emphasis", "link"])

LOOK_AT = 3
"""Minutes into a task when the instructor looks at who is stuck, and shows where to look."""


def page(chapters: Sequence[Chapter]) -> str:
    """Return a page of HTML: of each task the usual mistake and what to show, then the ticket."""
    taught = [
        (
            chapter,
            [(task, words.in_class) for task, words in zip(tasks, chapter.tasks, strict=True)],
        )
        for chapter in chapters
        if chapter.tasks
        for tasks in [reading.load(labs.find(chapter.name)).all]
    ]
    return paper(
        *("notes", "notes.css"), title="Instructor's notes",
        taught=taught, chapters=chapters, look_at=LOOK_AT, show=to_show,
    )  # fmt: skip


def to_show(check: LinuxCheck) -> str:
    """The command to type on the screen that shows what a check looks at; may be empty."""
    if not check.run:
        return "Send packets"
    return check.run if check.show is None else check.show


def questions(chapters: Sequence[Chapter]) -> list[tuple[Chapter, Question]]:
    """Return what the exit ticket asks, and its key answers: the first question of each chapter."""
    return [(chapter, chapter.questions[0]) for chapter in chapters if chapter.questions]


def text(markdown: str) -> str:
    """Return a line of Markdown as HTML, e.g. of `a *b*`, with the numbers that its roles name."""
    return str(_INLINE.renderInline(_ROLE.sub(_number, markdown)))


def _number(role: re.Match[str]) -> str:
    """The number of `{ppslab-number}`, as a page shows it, without its interval."""
    if role[1] != "ppslab-number":
        raise UsageError(f"a paper cannot show {role[0]}: only a ppslab-number")
    # Imported here: Sphinx, and cards for the seats have no numbers.
    from ppslab.course.site.directives.numbers import number  # noqa: PLC0415
    from ppslab.course.site.directives.sources import Source  # noqa: PLC0415

    lab, *words = role[2].split()
    return number(Source(labs.find(lab), results.newest(lab)), words)[0]


_PAPERS = templates.environment("ppslab_class", "papers")
_PAPERS.filters["md"] = lambda markdown: Markup(text(markdown))
_PAPERS.filters["lines"] = lambda markdown: Markup("<br>").join(
    Markup(text(line)) for line in markdown.strip().splitlines()
)
_PAPERS.filters["without_links"] = without_links
_PAPERS.globals["questions"] = questions


def paper(template: str, style: str, **content: Any) -> str:
    """Fill in a template of `papers/`, such as `ticket`, with its style sheet there."""
    return _PAPERS.get_template(f"{template}.html.j2").render(style=style, **content)
