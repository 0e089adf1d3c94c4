"""What lies on the tables, and in the instructor's hand: handouts, notes, and the exit ticket."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from html import escape

from markdown_it import MarkdownIt

from ppslab.course.learning.quiz import Question
from ppslab.course.site.directives import numbers
from ppslab.course.site.directives.sources import Source
from ppslab.course.tasks import reading
from ppslab.course.tasks.schema import LinuxCheck, RouterOSCheck, Said, Task, Variant, Without
from ppslab.model import results
from ppslab.model.lab import lab as labs
from ppslab_class import slides
from ppslab_class.audiences import Part
from ppslab_class.content import Chapter

_NUMBER = re.compile(r"\{ppslab-number\}`([^`]+)`")
_MEASURED = re.compile(r"\{ppslab-number\}`[a-z0-9-]+ (?:cost|ratio|share) ")


def key_figures(name: str) -> list[str]:
    """Sentences in Markdown, with the numbers of the newest record; none without a record."""
    lines = [
        line.strip()
        for slide in slides.of(name)
        for line in slide.body.splitlines()
        if _MEASURED.search(line)
    ]
    return [text for line in lines if numbers.NO_RUN not in (text := _NUMBER.sub(_number, line))]


def _number(role: re.Match[str]) -> str:
    lab, *words = role[1].split()
    return numbers.number(Source(labs.find(lab), results.newest(lab)), words)[0]


STYLE = """
@page { size: A4; margin: 12mm 14mm; }
body { font: 9.5pt/1.3 sans-serif; margin: 0; }
section + section { break-before: page; }
h1 { font-size: 16pt; margin: 0 0 2mm; }
h2 { font-size: 11pt; margin: 3.5mm 0 1mm; }
ul, ol { margin: 0; padding-left: 6mm; }
table { border-collapse: collapse; width: 100%; }
td, th { border-bottom: 0.2mm solid #888; padding: 1mm 2mm; text-align: left; }
.beside { display: flex; gap: 8mm; }
.beside > div { flex: 1; }
.boxes { list-style-type: "\\2610\\2002"; }
.lines { height: 18mm; border-bottom: 0.2mm solid #888; }
pre { font-size: 8.5pt; line-height: 1.25; margin: 0; white-space: pre-wrap; }
.fold { border-top: 0.3mm dashed #000; font-size: 8.5pt; margin: 3.5mm 0 0; text-align: center; }
"""
HOW_MANY = {False: "Tick one answer.", True: "Tick all right answers."}
_INLINE = MarkdownIt("zero").enable(["backticks", "emphasis", "link"])


def handouts(chapters: Iterable[Chapter]) -> str:
    """One page a chapter: goals, room for a guess, tasks, commands; then figures and key points.

    The second part spoils the guess, so a line says where to fold the page.
    """
    return _page("Handouts", "".join(_handout(chapter) for chapter in chapters))


def _handout(chapter: Chapter) -> str:
    tasks = "".join(
        f"<tr><td>{_text(task.title)}</td><td>{task.in_class} min</td><td></td></tr>"
        for task in chapter.tasks
    )
    parts = [
        f"<h1>{escape(chapter.title)}</h1>",
        "<h2>What you will learn</h2>" + _list(chapter.goals),
        '<div class="beside">'
        '<div><h2>My guess before the measurement</h2><div class="lines"></div></div>'
        '<div><h2>My measured figure</h2><div class="lines"></div></div></div>',
    ]
    if tasks:
        header = "<tr><th>task</th><th>time</th><th>my result</th></tr>"
        parts.append(f"<h2>Tasks</h2><table>{header}{tasks}</table>")
    if see := slides.on_a_router(chapter.name):
        parts.append(f"<h2>See it on your router</h2><pre>{escape(see)}</pre>")
    if chapter.keys:
        parts.append('<p class="fold">Fold the page here, and unfold it after the measurement.</p>')
    if figures := key_figures(chapter.name):
        parts.append("<h2>Measured in this course</h2>" + _list(figures))
    if chapter.keys:
        parts.append("<h2>What to take away</h2>" + _list(chapter.keys))
    return f"<section>{''.join(parts)}</section>"


LOOK_AT = 3
"""Minutes into a task when the instructor looks at who is stuck, and shows where to look."""

VARIANTS: dict[Variant, str] = {"routeros": "RouterOS", "linux": "Linux"}


def instructor(
    chapters: Iterable[Chapter], parts: Sequence[Part] = (), planned: Collection[str] = ()
) -> str:
    """The instructor's notes: of each task the usual mistake, and what to show on the screen.

    `planned`: the names of the day's tasks (CHAPTER/task/TASK); none: all tasks of the chapters.
    """
    opening = "".join(
        f"<h2>{_text(part.what)}, {part.minutes} minutes</h2><p>{_text(part.how)}</p>"
        for part in parts
    )
    first = f"<section><h1>Before and after the chapters</h1>{opening}</section>" if opening else ""
    return _page("Instructor's notes", first + "".join(_notes(each, planned) for each in chapters))


def _notes(chapter: Chapter, planned: Collection[str]) -> str:
    if not chapter.tasks:
        return ""
    tasks = reading.load(labs.find(chapter.name))
    of_each = "".join(
        f"<h2>{_text(task.title)}, {words.in_class} minutes</h2>{_task_notes(task)}"
        for task, words in zip(tasks.all, chapter.tasks, strict=True)
        if not planned or words.name in planned
    )
    when = (
        f"<p>Look at the board {LOOK_AT} minutes into each task, and show what most seats miss.</p>"
    )
    return f"<section><h1>{escape(chapter.title)}: tasks</h1>{when}{of_each}</section>"


def _task_notes(task: Task) -> str:
    parts = []
    for variant, name in VARIANTS.items():
        side = task.side(variant)
        if isinstance(side, Without):
            continue
        checks: Sequence[Said] = side.check
        rows = "".join(
            f"<tr><td>{_text(check.says)}</td><td>{_text(check.hint or check.fail or '')}</td>"
            f"<td><code>{escape(to_show(check))}</code></td></tr>"
            for check in checks
            if check.fail
        )
        header = "<tr><th>if this fails</th><th>ask or say</th><th>show</th></tr>"
        parts.append(
            f"<p><strong>{name}.</strong> The usual mistake: {_text(side.mistake.says)}</p>"
            f"<table>{header}{rows}</table>"
        )
    return "".join(parts)


def to_show(check: Said) -> str:
    """The command that shows on the screen what a check looks at."""
    if isinstance(check, RouterOSCheck):
        plain = [f"{key}={value}" for key, value in check.where.items() if value[:1] not in "~!"]
        stats = " stats" if check.grows else ""
        return f"{check.menu} print{stats}" + (f" where {' '.join(plain)}" if plain else "")
    if isinstance(check, LinuxCheck) and check.run:
        return check.run.strip().splitlines()[0]
    return "Send packets"


def exit_ticket(chapters: Sequence[Chapter]) -> str:
    """One page: the first question of each chapter's quiz, its answers, and two on the day."""
    questions = [(one.title, one.questions[0]) for one in chapters if one.questions]
    own = [
        f"<h2>{escape(title)}</h2><p>{_text(question.ask)} {HOW_MANY[question.several]}</p>"
        f"<ul class='boxes'>{_choices(question)}</ul>"
        for title, question in questions
    ]
    day = "".join(
        f'<h2>{escape(question)}</h2><div class="lines" style="height: 14mm"></div>'
        for question in ("What will you change on your router?", "What is still unclear?")
    )
    return _page("Exit ticket", f"<section><h1>Exit ticket</h1>{''.join(own)}{day}</section>")


def _choices(question: Question) -> str:
    return "".join(f"<li>{_text(answer.says)}</li>" for answer in question.answers.values())


def _page(title: str, body: str) -> str:
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f"<style>{STYLE}</style></head><body>{body}</body></html>"
    )


def _list(points: Sequence[str]) -> str:
    return "<ul>" + "".join(f"<li>{_text(point)}</li>" for point in points) + "</ul>"


def _text(markdown: str) -> str:
    return str(_INLINE.renderInline(markdown))
