"""`ppslab workshop plan`: a timetable for given hours, and what to print for it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from ppslab.base.documents import write_atomic
from ppslab.base.errors import UsageError
from ppslab.base.text.terminal import echo
from ppslab_class.commands.given import names

if TYPE_CHECKING:
    from ppslab_class.planning.chapters import Chapter
    from ppslab_class.planning.timetable import Day


def register(app: typer.Typer) -> None:
    """Add the command to the group."""
    app.command("plan")(plan)


def plan(
    hours: float = typer.Option(
        6.0, min=0.5, max=12, help="Hours from the first minute to the last."
    ),
    start: str = typer.Option("09:00", metavar="HH:MM", help="When the day begins."),
    chapters: str = typer.Option(
        "", metavar="A,B", help="These chapters, in this order; default: the labs', as many as fit."
    ),
    outline: str = typer.Option(
        "", metavar="COURSE", help="Show MikroTik's outline beside this course instead: MTCTCE."
    ),
    output: Path | None = typer.Option(
        None, "--output", "-o", metavar="FOLDER", help="Write timetable, handouts and exit ticket."
    ),
) -> None:
    """Make a timetable for a class of a given length, with tasks and quizzes."""
    # Imported here: quizzes, tasks and labs, for this command alone.
    from ppslab_class.planning import chapters as all_chapters  # noqa: PLC0415
    from ppslab_class.planning import outlines, timetable  # noqa: PLC0415

    if outline:
        echo(outlines.find(outline).table(outline.upper()).plain())
        return
    wanted = names(chapters)
    given = bool(wanted)
    found = [all_chapters.load(name) for name in wanted or all_chapters.names()]
    if not given:
        # What is only told is no chapter of a class: take those with tasks, and what they rest on.
        labels = {label for each in found if each.tasks for label in each.after}
        found = [each for each in found if each.tasks or each.label in labels]
    day = timetable.plan(hours, timetable.time_of_day(start), found, given=given)
    echo(day.table().plain())
    if output is not None:
        _write(output, day, found)


def _write(folder: Path, day: Day, found: list[Chapter]) -> None:
    from ppslab.presentation import paper  # noqa: PLC0415
    from ppslab_class.planning import sheets  # noqa: PLC0415

    if folder.exists() and not folder.is_dir():
        raise UsageError(f"--output {folder}: this is a file; name a folder")
    folder.mkdir(parents=True, exist_ok=True)
    taken = {slot.chapter for slot in day.slots}
    used = [chapter for chapter in found if chapter.name in taken]
    write_atomic(folder / "timetable.txt", day.table().plain() + "\n")
    write_atomic(folder / "handouts.pdf", paper.pdf(sheets.handouts(used)))
    write_atomic(folder / "exit-ticket.pdf", paper.pdf(sheets.exit_ticket(used)))
    echo(f"{folder}: timetable.txt, handouts.pdf (a page a chapter), exit-ticket.pdf")
