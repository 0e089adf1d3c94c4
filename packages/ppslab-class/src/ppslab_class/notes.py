"""The instructor's notes to print: the tasks of chapters, and an exit ticket to copy."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from markdown_it import MarkdownIt

from ppslab.course.learning.quiz import Question
from ppslab.course.tasks import reading
from ppslab.course.tasks.schema import LinuxCheck, Task
from ppslab.model.lab import lab as labs
from ppslab_class.content import Chapter

STYLE = """
@page { size: A4; margin: 12mm 14mm; }
body { font: 9.5pt/1.3 sans-serif; margin: 0; }
section + section { break-before: page; }
h1 { font-size: 16pt; margin: 0 0 2mm; }
h2 { font-size: 11pt; margin: 3.5mm 0 1mm; }
ul, ol { margin: 0; padding-left: 6mm; }
table { border-collapse: collapse; width: 100%; }
td, th { border-bottom: 0.2mm solid #888; padding: 1mm 2mm; text-align: left; }
.boxes { list-style-type: "\\2610\\2002"; }
.lines { height: 14mm; border-bottom: 0.2mm solid #888; }
"""
HOW_MANY = {False: "Tick one answer.", True: "Tick all right answers."}
_INLINE = MarkdownIt("zero").enable(["backticks", "emphasis", "link"])


LOOK_AT = 3
"""Minutes into a task when the instructor looks at who is stuck, and shows where to look."""


def page(chapters: Sequence[Chapter]) -> str:
    """Return a page of HTML: of each task the usual mistake and what to show, then the ticket."""
    tasks = "".join(_notes(chapter) for chapter in chapters if chapter.tasks)
    return (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Instructor\'s notes'
        f"</title><style>{STYLE}</style></head><body>{tasks}{exit_ticket(chapters)}</body></html>"
    )


def _notes(chapter: Chapter) -> str:
    tasks = "".join(
        f"<h2>{text(task.title)}, {words.in_class} minutes</h2>{_task_notes(task)}"
        for task, words in zip(
            reading.load(labs.find(chapter.name)).all, chapter.tasks, strict=True
        )
    )
    when = (
        f"<p>Look at the board {LOOK_AT} minutes into each task, and show what most seats miss.</p>"
    )
    return f"<section><h1>{escape(chapter.title)}: tasks</h1>{when}{tasks}</section>"


def _task_notes(task: Task) -> str:
    rows = "".join(
        f"<tr><td>{text(check.says)}</td><td>{text(check.hint or check.fail or '')}</td>"
        f"<td>{_code(to_show(check))}</td></tr>"
        for check in task.linux.check
        if check.fail
    )
    header = "<tr><th>if this fails</th><th>ask or say</th><th>show</th></tr>"
    mistake = f"<p>The usual mistake: {text(task.linux.mistake.says)}</p>"
    return f"{mistake}<table>{header}{rows}</table>"


def _code(command: str) -> str:
    return f"<code>{escape(command)}</code>" if command else ""


def to_show(check: LinuxCheck) -> str:
    """The command to type on the screen that shows what a check looks at; may be empty."""
    if not check.run:
        return "Send packets"
    return check.run if check.show is None else check.show


def exit_ticket(chapters: Sequence[Chapter]) -> str:
    """One page: the first question of each chapter's quiz, its answers, and two on the day."""
    quizzes = "".join(
        f"<h2>{escape(chapter.title)}</h2><p>{text(question.ask)} {HOW_MANY[question.several]}</p>"
        f"<ul class='boxes'>{_choices(question)}</ul>"
        for chapter in chapters
        for question in chapter.questions[:1]
    )
    day = "".join(
        f'<h2>{escape(question)}</h2><div class="lines"></div>'
        for question in ("What will you change on your router?", "What is still unclear?")
    )
    return f"<section><h1>Exit ticket</h1>{quizzes}{day}</section>"


def _choices(question: Question) -> str:
    return "".join(f"<li>{text(answer.says)}</li>" for answer in question.answers.values())


def text(markdown: str) -> str:
    """Return a line of Markdown as HTML, e.g. of `a *b*`."""
    return str(_INLINE.renderInline(markdown))
