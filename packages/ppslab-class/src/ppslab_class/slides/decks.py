"""A chapter's deck as Markdown: goals, what its pages mark, tasks, and what to take away."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ppslab.core import documents
from ppslab.core.text.numbers import plural
from ppslab.model.lab import lab as labs
from ppslab_class.planning import chapters as all_chapters
from ppslab_class.planning.chapters import Chapter
from ppslab_class.slides import marks
from ppslab_class.slides.marks import Slide, without_links

FENCE = ":" * 12
"""Longer than any inside a slide."""

GUESSED = "What the class guessed"
HALL_CLASS = "ppslab-hall-slide"
NO_HALL = "No hall is served here: `ppslab workshop start` shows the class's guesses on this slide."


def names() -> list[str]:
    """The chapters with a deck: those that mark a slide, in the order of the table of contents."""
    return [name for name in all_chapters.names() if of(name)]


def of(name: str) -> list[Slide]:
    """What the pages of a chapter mark."""
    return [slide for page in all_chapters.pages(name) for slide in marks.of_page(page)]


def file(name: str) -> str:
    """The file of a deck, without its ending.

    >>> file("measuring/searching")
    'measuring-searching'
    """
    return name.replace("/", "-")


def markdown(chapter: Chapter, marked: Sequence[Slide]) -> str:
    """The deck of a chapter: a heading of the second level begins a slide."""
    taught = f"{chapter.least} minutes without its tasks, of which reading {chapter.reading}"
    parts = [f"# {chapter.title}", "Packets per second, and why", _notes(f"{taught}.")]
    parts += _slide("What you will know", _list(chapter.goals), "")
    for slide in marked:
        parts += _slide(slide.title, slide.body, slide.notes)
        if slide.guess:
            parts += _slide(GUESSED, _hall(chapter), _GUESS_NOTES)
    if see := on_a_router(chapter.name):
        text = f"```text\n{see}\n```"
        parts += _slide("See it on your router", text, "Ask what somebody's own router says.")
    if chapter.tasks:
        rows = "\n".join(f"| {task.title} | {task.minutes} |" for task in chapter.tasks)
        parts += _slide("Tasks", f"| task | minutes |\n|---|---:|\n{rows}", _TASK_NOTES)
    if chapter.questions:
        asked = plural(len(chapter.questions), "question")
        text = f"{asked} at the end of the chapter, {chapter.quiz_minutes} minutes."
        parts += _slide("Quiz", text, "Ask why a wrong answer is wrong, not who was right.")
    parts += _slide("What to take away", _list(chapter.keys), "")
    return "\n\n".join(part for part in parts if part) + "\n"


def on_a_router(name: str) -> str:
    """What a lab's chapter tells to type at a router; empty where it tells nothing.

    The lines above its first empty one say what the file is for.
    """
    if name not in labs.names():
        return ""
    script = labs.find(name).folder / "see.rsc"
    return documents.read_text(script).partition("\n\n")[2].strip() if script.is_file() else ""


_GUESS_NOTES = (
    "On the board, under Projector, choose the chapter's question and show the guesses. "
    "Ask somebody at each end of the histogram for the reason. "
    "After the measurement show the figures: the slide changes by itself."
)
_TASK_NOTES = "The board shows who is stuck; late ones begin at the stage that you set there."


def contents(chapters: Iterable[Chapter]) -> str:
    """The first page: a link to each deck."""
    links = "\n".join(f"- [{each.title}]({file(each.name)}.md)" for each in chapters)
    tree = "\n".join(file(each.name) for each in chapters)
    shown = f":::{{div}} ppslab-decks\n{links}\n:::"
    return f"# Slides\n\n{shown}\n\n```{{toctree}}\n:hidden:\n\n{tree}\n```\n"


def _slide(title: str, body: str, notes: str) -> list[str]:
    return [f"## {title}", body, _notes(notes)] if body else []


def _notes(text: str) -> str:
    return f"{FENCE}{{revealjs-notes}}\n{text}\n{FENCE}" if text else ""


def _list(points: Sequence[str]) -> str:
    return "\n".join(f"- {without_links(point)}" for point in points)


def _hall(chapter: Chapter) -> str:
    """Where the script of the hall draws; what it shows until then."""
    return (
        f'{FENCE}{{div}} {HALL_CLASS}\n```{{raw}} html\n<div data-chapter="{chapter.name}"></div>\n'
        f"```\n{NO_HALL}\n{FENCE}"
    )
