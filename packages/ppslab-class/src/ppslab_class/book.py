"""The papers of a day, as pages of HTML to open or to print.

`instructor` has the keys: for whoever teaches.  `handouts` and `ticket` are for the class, and
have none.  Keys come from the drills' and cases' own files.
"""

from __future__ import annotations

from typing import Any

from ppslab.course import practice
from ppslab.model import manual
from ppslab_class import notes, slides
from ppslab_class.day import HANDS_ON, Day, clock, name


def instructor(day: Day) -> str:
    """Return the instructor's book: the day part by part, then the keys of every other case."""
    planned = {slot.part.case for slot in day.slots}
    others = {each: case for each, case in practice.cases().items() if each not in planned}
    return _page("instructor", "Instructor's book", day, others=others)


def handouts(day: Day) -> str:
    """Return a sheet a chapter: goals, room for a guess, drills, commands; below a fold the keys.

    What is below the fold spoils the guess.
    """
    return _page("handouts", "Handouts", day, on_a_router=slides.on_a_router)


def ticket(day: Day) -> str:
    """Return the exit ticket: a question of each chapter, and two on the day."""
    chapters = [chapter for chapter, _ in day.chapters.values()]
    return _page("ticket", "Exit ticket", day, chapters=chapters)


def front(day: Day) -> str:
    """Return the download's first page: what is in it, and the day."""
    return _page("front", day.title, day, file=slides.file, hands_on=HANDS_ON)


def _page(template: str, title: str, day: Day, **content: Any) -> str:
    tools = {"clock": clock, "name": name, "practice": practice, "manual": manual}
    return notes.paper(template, "notes.css", title=title, day=day, **tools, **content)
