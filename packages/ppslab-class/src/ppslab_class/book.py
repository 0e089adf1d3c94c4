"""The papers of a day, as pages of HTML to open or to print.

`instructor` has the keys: for whoever teaches.  `handouts` and `ticket` are for the class, and
have none.  Keys come from the drills' and cases' own files.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from ppslab.course import practice
from ppslab.course.practice import Case, Drill, Exercise
from ppslab.model import manual
from ppslab_class import notes, slides
from ppslab_class.content import Chapter
from ppslab_class.day import HANDS_ON, Day, Slot, Step, clock, name

STYLE = (
    notes.STYLE
    + """
body { max-width: 180mm; margin: 0 auto; padding: 4mm; }
h3 { font-size: 10pt; margin: 2mm 0 0.5mm; }
p { margin: 1mm 0; }
pre { background: #f2f2f2; font-size: 8.5pt; margin: 1mm 0; padding: 1mm 2mm;
  white-space: pre-wrap; overflow-wrap: anywhere; }
blockquote { border-left: 0.6mm solid #888; margin: 1mm 0; padding-left: 3mm; }
td, th { vertical-align: top; }
section + section { margin-top: 8mm; }
.part + .part { break-before: auto; }
.write td { height: 14mm; }
.beside { display: flex; gap: 8mm; }
.beside > div { flex: 1; }
.fold { border-top: 0.3mm dashed #000; font-size: 8.5pt; margin: 3.5mm 0 0; text-align: center; }
@media print { body { max-width: none; padding: 0; } }
"""
)


def page(title: str, body: str) -> str:
    """Return a page of HTML that needs no other file."""
    return (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head><body>{body}</body></html>\n"
    )


# --- the instructor's book -----------------------------------------------------------------------


def instructor(day: Day) -> str:
    """Return the instructor's book: the day part by part, then the keys of every other case."""
    planned = {slot.part.case for slot in day.slots if slot.part.case}
    others = "".join(
        f"<h2>Case {int(each.partition('-')[0])}: {notes.text(case.title)}</h2>{_case(case)}"
        for each, case in practice.cases().items()
        if each not in planned
    )
    sections = [
        f"<h1>{escape(day.title)}: the instructor's book</h1>{timetable(day)}",
        *(body for slot in day.slots if (body := _slot(day, slot))),
        f"<h1>The other cases</h1><p>For pairs that finish early.</p>{others}",
    ]
    return page(
        "Instructor's book", "".join(f'<section class="part">{each}</section>' for each in sections)
    )


def timetable(day: Day) -> str:
    """Return the day's table and its sums as HTML."""
    table = day.table()
    head = "".join(f"<th>{escape(str(word))}</th>" for word in table.header)
    rows = "".join(
        f"<tr>{''.join(f'<td>{escape(cell.text)}</td>' for cell in row)}</tr>" for row in table.rows
    )
    sums = "".join(f"<p>{escape(str(note))}</p>" for note in table.notes)
    return f"<table><tr>{head}</tr>{rows}</table>{sums}"


def _slot(day: Day, slot: Slot) -> str:
    part = slot.part
    how = f"<p>{notes.text(part.how)}</p>" if part.how else ""
    script = f"<h2>What you show</h2>{_script(part.script)}" if part.script else ""
    match part.kind:
        case "slides":
            body = _slides(day, part.chapter) + script
        case "drill":
            body = _drill(practice.drill(part.drill))
        case "case":
            body = _case(practice.case(part.case))
        case _:
            body = how + script
    times = f"{clock(slot.at)}, {slot.minutes} minutes"
    return f"<h1>{notes.text(name(slot))}</h1><p>{times}</p>{body}" if body else ""


def _slides(day: Day, chapter: str) -> str:
    _, chosen = day.chapters[chapter]
    rows = "".join(
        f"<tr><td>{notes.text(slide.title)}</td><td>{slide.minutes}</td>"
        f"<td>{notes.text(slide.ask)}</td><td>{notes.text(slide.wrong)}</td></tr>"
        for slide in chosen
    )
    header = "<tr><th>slide</th><th>minutes</th><th>ask</th><th>a common mistake</th></tr>"
    return f"<table>{header}{rows}</table>"


def _script(steps: Sequence[Step]) -> str:
    return f"<ol>{''.join(_step(step) for step in steps)}</ol>"


def _step(step: Step) -> str:
    parts = [f"<li>{notes.text(step.do)}"]
    if step.type:
        parts.append(f"<pre>{escape(step.type)}</pre>")
    parts.append(f"<p>What the class sees: {notes.text(step.see)}</p>")
    parts += [f"<p>The manual: {notes.text(manual.fact(each).says)}</p>" for each in step.facts]
    return "".join([*parts, "</li>"])


def _drill(drill: Drill) -> str:
    return (
        f"<blockquote>{_lines(drill.question)}</blockquote>"
        f"<h2>The remedy</h2>{_commands(drill.solutions[:1])}{_key(drill)}"
    )


def _case(case: Case) -> str:
    """Return the key of a case: the cause and the evidence, the remedy, what to ask."""
    wrong = "".join(
        f"<tr><td>{notes.text(cause.text)}</td><td>{notes.text(cause.but)}</td></tr>"
        for cause in case.causes
        if cause.but is not None
    )
    outputs = "".join(f"<code>{escape(output.command)}</code><br>" for output in case.outputs)
    return (
        f"<blockquote>{_lines(case.symptom)}</blockquote>"
        f"<p>Ordered: {notes.text(case.ordered)}. Measured: {notes.text(case.measured)}. "
        f"Par: {case.par} moves.</p>"
        f"<h3>The cause</h3><p>{notes.text(case.cause.text)}.</p>"
        f"<h3>The router answers</h3><p>{outputs}</p>"
        f"<h3>The remedy</h3>{_commands(case.solutions[:1])}"
        f"<h3>What speaks against the other causes</h3><table>{wrong}</table>"
        f"{_key(case)}"
    )


def _key(exercise: Exercise) -> str:
    """Return the questions to ask, the mistakes with what each fails, and the explanation."""
    ask = "".join(f"<li>{notes.text(hint)}</li>" for hint in exercise.hints)
    wrong = "".join(
        f"<tr><td><pre>{escape(mistake.run.strip())}</pre></td>"
        f"<td>{notes.text(mistake.fails)}</td></tr>"
        for mistake in exercise.mistakes
    )
    return (
        "<p>Any other remedy that passes the checks is right too.</p>"
        f"<h3>Ask, in this order</h3><ol>{ask}</ol>"
        "<h3>Common mistakes</h3>"
        f"<table><tr><th>typed</th><th>the check that fails</th></tr>{wrong}</table>"
        f"<h3>Why</h3><p>{_lines(exercise.debrief)}</p>"
    )


def _commands(solutions: Iterable[str]) -> str:
    return "".join(f"<pre>{escape(solution.strip())}</pre>" for solution in solutions)


def _lines(text: str) -> str:
    return "<br>".join(notes.text(line) for line in text.strip().splitlines())


# --- for the class -------------------------------------------------------------------------------


def handouts(day: Day) -> str:
    """Return a sheet a chapter: goals, room for a guess, drills, commands; below a fold the keys.

    What is below the fold spoils the guess.
    """
    sheets = "".join(
        _handout(day, chapter, guess=any(slide.guess for slide in chosen))
        for chapter, chosen in day.chapters.values()
    )
    return page("Handouts", sheets)


GUESS = (
    '<div class="beside">'
    '<div><h2>My guess before the measurement</h2><div class="lines"></div></div>'
    '<div><h2>The measured figure</h2><div class="lines"></div></div></div>'
)


def _handout(day: Day, chapter: Chapter, *, guess: bool) -> str:
    parts = [
        f"<h1>{escape(chapter.title)}</h1>",
        f"<h2>What you will learn</h2>{_list(chapter.goals)}",
        GUESS if guess else "",
    ]
    if drills := day.drills(chapter.name):
        rows = "".join(
            f"<tr><td>{notes.text(drill.title)}</td><td>{drill.in_class} min</td><td></td></tr>"
            for drill in drills
        )
        header = "<tr><th>drill</th><th>time</th><th>my commands</th></tr>"
        parts.append(f"<h2>Drills</h2><table class='write'>{header}{rows}</table>")
    if see := slides.on_a_router(chapter.name):
        parts.append(f"<h2>See it on your router</h2><pre>{escape(see)}</pre>")
    if chapter.keys:
        parts.append('<p class="fold">Fold the page here; unfold it at the end of the chapter.</p>')
        parts.append(f"<h2>What to take away</h2>{_list(chapter.keys)}")
    return f"<section>{''.join(parts)}</section>"


def _list(points: Sequence[str]) -> str:
    items = "".join(f"<li>{notes.text(slides.without_links(each))}</li>" for each in points)
    return f"<ul>{items}</ul>"


def ticket(day: Day) -> str:
    """Return the exit ticket: a question of each chapter, and two on the day."""
    return page("Exit ticket", notes.exit_ticket([chapter for chapter, _ in day.chapters.values()]))


# --- the first page ------------------------------------------------------------------------------

FRONT = """<h1>{title}</h1>
<p>Open this page from the unpacked folder: nothing here needs a network, and only the class's
browsers need the course's site.</p>
<h2>Slides</h2>
<p>Press S for the speaker's window: minutes, what to ask, the common mistake.</p>
<ul>{decks}</ul>
<h2>Papers</h2>
<ul><li><a href="instructor.html">The instructor's book</a>: the day part by part, what you show,
and the key of every drill and case. Not for the class.</li>
<li><a href="handouts.html">Handouts</a>: a sheet for each chapter.</li>
<li><a href="ticket.html">The exit ticket</a>: one copy for each seat.</li></ul>
<h2>The day</h2>{timetable}
<h2>What the class opens</h2><p>On the course's site:</p><ul>{pages}</ul>"""


def front(day: Day) -> str:
    """Return the download's first page: what is in it, and the day."""
    decks = "".join(
        f'<li><a href="slides/{slides.file(chapter.name)}.html">{escape(chapter.title)}</a></li>'
        for chapter, _ in day.chapters.values()
    )
    pages = "".join(
        f"<li>{clock(slot.at)} {notes.text(name(slot))}: {escape(where)}</li>"
        for slot in day.slots
        if slot.part.kind in HANDS_ON and (where := _where(slot))
    )
    filled = FRONT.format(
        title=escape(day.title), decks=decks, pages=pages, timetable=timetable(day)
    )
    return page(day.title, filled)


def _where(slot: Slot) -> str:
    """Return the page of the course that the class opens for a part."""
    part = slot.part
    if part.kind == "drill":
        chapter = part.drill.partition("-")[0]
        return f"book/{chapter}/tasks.html#{chapter}-drills"
    return "book/cases.html" if part.kind == "case" else f"{part.page}.html"
