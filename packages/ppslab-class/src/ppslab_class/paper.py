"""Papers of a class: its cards, and templates with Markdown, numbers and questions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markdown_it import MarkdownIt
from markupsafe import Markup

from ppslab.core.errors import UsageError
from ppslab.course.learning.quiz import Question
from ppslab.model import results
from ppslab.model.lab import lab as labs
from ppslab.show import paper, templates
from ppslab_class.content import Chapter
from ppslab_class.slides import without_links

_ROLE = re.compile(r"\{(ppslab-[a-z]+)\}`([^`]+)`")
_INLINE = MarkdownIt("zero").enable(["backticks", "emphasis", "link"])


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


def page(template: str, style: str, **content: Any) -> str:
    """Fill in a template of `papers/`, such as `ticket`, with its style sheet there."""
    return _PAPERS.get_template(f"{template}.html.j2").render(style=style, **content)


@dataclass(frozen=True)
class Hall:
    """The text that all cards share.

    `address`: of the site; `fingerprint`: of its certificate, empty where an authority vouches for
    it; `wifi`: the network's name and password, in the instructor's words; `seats`: the
    address of the hub, empty where there is none.
    """

    title: str
    address: str
    fingerprint: str = ""
    wifi: str = ""
    seats: str = ""


def cards(hall: Hall, codes: Mapping[str, str]) -> str:
    """Return the cards as a page of HTML, eight on a sheet, in the order of the seats."""
    title = f"{hall.title}: cards"
    return page("cards", "cards.css", title=title, hall=hall, codes=codes)


def cards_pdf(hall: Hall, codes: Mapping[str, str]) -> bytes:
    """Return the cards to print; CannotHereError where no PDF can be made."""
    return paper.pdf(cards(hall, codes))
