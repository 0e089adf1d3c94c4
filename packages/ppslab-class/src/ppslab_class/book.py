"""The papers of a day, as pages of HTML to open or to print.

`instructor` has the keys: for whoever teaches.  `handouts` and `ticket` are for the class, and
have none.  Keys come from the drills', the cases' and the quizzes' own files.

`site` is the address of the course's site: with it, its pages are links; without it, they are
places below the address that somebody writes down.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ppslab.core import documents
from ppslab.course import practice
from ppslab.course.widgets.facts.sources import EXPORTS, EXPORTS_FOLDER
from ppslab.model import manual
from ppslab_class import paper, slides
from ppslab_class.day import HANDS_ON, Day, clock, name, place, undo
from rosexplain import explain, read_export, report, sentences
from rosexplain.summary import summary

ATTENDEES = "book/before-the-class.html"
"""The page to send to everybody before the day."""


@dataclass(frozen=True)
class Example:
    """An example of the page that checks exports, and what the class reads there.

    `answer`: the first sentence; `change` and `loses`: of the first change, empty without one.
    """

    title: str
    answer: str
    change: str = ""
    loses: str = ""


def instructor(day: Day, site: str = "") -> str:
    """Return the instructor's book: the day part by part, then the keys of every other case."""
    planned = {slot.part.case for slot in day.slots}
    others = {each: case for each, case in practice.cases().items() if each not in planned}
    return _page("instructor", "Instructor's book", day, site, others=others, examples=examples())


def handouts(day: Day, site: str = "") -> str:
    """Return a sheet for the first exercise, then one a chapter.

    A chapter's has goals, a line for each guess, drills and cases, commands, and keys.

    The keys are below a fold, because they spoil the guess.
    """
    return _page("handouts", "Handouts", day, site, on_a_router=slides.on_a_router)


def ticket(day: Day) -> str:
    """Return the exit ticket: a question of each chapter, and two on the day."""
    return _page("ticket", "Exit ticket", day, "")


def front(day: Day, site: str = "") -> str:
    """Return the download's first page: what is in it, what the day needs, and the day."""
    return _page("front", day.title, day, site, file=slides.file, attendees=ATTENDEES)


def examples() -> list[Example]:
    """Return the examples of the page that checks exports, in its order, with their answers."""
    return [_example(title, file) for title, file in EXPORTS.items()]


def _example(title: str, file: str) -> Example:
    text = documents.read_text(EXPORTS_FOLDER / file)
    explanation = explain([read_export(text, file)])
    short = summary(sentences.named(report.Answer(explanation).plain()))
    answer = f"{short['answer']} {short['line']}".strip()
    if not short["to_do"]:
        return Example(title, answer)
    first = short["to_do"][0]
    return Example(title, answer, first["gain"], first["loses"])


def _page(template: str, title: str, day: Day, site: str, **content: Any) -> str:
    tools = {
        "clock": clock,
        "name": name,
        "place": place,
        "undo": undo,
        "practice": practice,
        "manual": manual,
        "hands_on": HANDS_ON,
        "site": f"{site.rstrip('/')}/" if site else "",
        "chapters": [chapter for chapter, _ in day.chapters.values()],
    }
    return paper.page(template, "paper.css", title=title, day=day, **tools, **content)
