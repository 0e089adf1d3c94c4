"""After the day: what the class did, task by task; a zip for each seat; and everything removed.

Nothing here names a person: the board never knew one.
"""

from __future__ import annotations

import io
import json
import statistics
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from ppslab.core.documents import write_atomic
from ppslab.core.errors import UsageError
from ppslab.core.text.tables import NOTHING, Cell, Table
from ppslab.course.learning import progress_file
from ppslab_class import disks
from ppslab_class.board import views
from ppslab_class.board.board import FILE, LOCK, SECRET, Board, serving
from ppslab_class.board.messages import number
from ppslab_class.board.seats import SeatState
from ppslab_class.certificate import NAMES
from ppslab_class.content import Content

EVENTS: Final = "events.json"
CARDS: Final = ("cards.pdf", "cards.html", "new-cards.pdf", "new-cards.html")
HUB: Final = ("hub.sqlite", "hub.sqlite-journal", "hub-cookie-secret", "hub-proxy.pid")
"""What a hub of hub/jupyterhub_config.py leaves there."""

OWN: Final = (FILE, f"{FILE}-wal", f"{FILE}-shm", SECRET, LOCK, *NAMES, *CARDS, *HUB)
"""Every file that a workshop's folder gets from us."""


def tasks_table(board: Board, content: Content) -> Table:
    """Each task that anybody touched: who did it, tries, hints, minutes from first to done."""
    states = [state for state in board.seats.values() if state.count]
    rows = []
    for chapter in content.tasks.values():
        for task in chapter:
            at = [state.tasks[task.name] for state in states if task.name in state.tasks]
            if not at:
                continue
            took = [
                (each.done - each.first).total_seconds() / 60
                for each in at
                if each.done and each.first
            ]
            cells = (
                task.name.replace("/task/", ": "),
                f"{sum(each.done is not None for each in at)} of {len(states)}",
                f"{sum(each.solved for each in at)}",
                f"{statistics.median(each.fails for each in at):g}",
                f"{max(each.fails for each in at)}",
                f"{sum(each.hints for each in at)}",
                f"{statistics.median(took):.0f}" if took else NOTHING,
                f"{task.minutes}",
                _moves([each.moves for each in at if each.moves], task.par),
            )
            rows.append(tuple(Cell(each) for each in cells))
    header = (
        "task",
        "done",
        "solution read",
        "median failed tries",
        "most failed tries",
        "hints",
        "minutes",
        "planned",
        "moves, par",
    )
    joined = f"{len(states)} of {len(board.seats)} seats sent reports."
    return Table(f"{board.day.title}: tasks", header, tuple(rows), (joined,))


def _moves(moves: list[int], par: int) -> str:
    """The median of those who solved a case, and its par; nothing of a task."""
    return f"{statistics.median(moves):g}, {par}" if moves else NOTHING


def questions_table(board: Board, content: Content) -> Table:
    """Each question that was guessed or measured: medians of both, and the figures beside them."""
    states = list(board.seats.values())
    names = dict.fromkeys(name for state in states for name in (*state.guesses, *state.measured))
    rows = []
    for name in sorted(names):
        question = content.questions.get(name)
        guesses = [each.value for s in states if (each := s.guesses.get(name))]
        measured = [each.value for s in states if (each := s.measured.get(name))]
        beside = (
            "; ".join(f"{one.source} {one.text}" for one in question.beside) if question else ""
        )
        rows.append(
            (
                Cell(question.title if question else name),
                Cell(_median(guesses)),
                Cell(_median(measured)),
                Cell(beside or NOTHING),
            )
        )
    header = ("question", "guesses (median, number)", "results (median, number)", "other figures")
    return Table(f"{board.day.title}: questions", header, tuple(rows))


def ticket_table(board: Board, content: Content, *, names: bool = False) -> Table:
    """The exit ticket: how many answered each question and how; then the free lines.

    `names`: with the name of who wished to give one.
    """
    rows = []
    for each in views.ticket_answers(board, content):
        given = ", ".join(
            f"{letter}{'*' if letter in each.question.right else ''} {each.counts.get(letter, 0)}"
            for letter, _ in each.question.answers
        )
        cells = (each.question.name, each.question.ask, f"{each.right} of {each.seats}", given)
        rows.append(tuple(Cell(text) for text in cells))
    written = [
        f"{line.name}: {line.text}" if names and line.name else line.text
        for line in views.ticket_lines(board)
    ]
    notes = (*(("A star marks the right answers.",) if rows else ()), *written)
    header = ("question", "asked", "right", "answers")
    return Table(f"{board.day.title}: exit ticket", header, tuple(rows), notes)


def _median(texts: Sequence[str]) -> str:
    values = [value for text in texts if (value := number(text)) is not None]
    return f"{statistics.median(values):.3g}, {len(values)}" if values else NOTHING


def zips(board: Board, folder: Path) -> list[Path]:
    """A zip for each seat that told anything, into a folder; returns their files.

    It holds `ppslab-progress.json`, which the site's page of progress imports, and every event of
    the seat's present life as the board kept it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for seat, state in board.seats.items():
        if not state.count:
            continue
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as out:
            out.writestr(progress_file.NAME, json.dumps(_progress(state), indent=1))
            out.writestr(EVENTS, json.dumps(_events(board, seat), indent=1))
        path = folder / f"{seat}.zip"
        write_atomic(path, packed.getvalue())
        paths.append(path)
    return paths


def _progress(state: SeatState) -> dict[str, object]:
    return {
        "ppslab-progress": progress_file.FORM,
        "done": {name: at.isoformat(timespec="seconds") for name, at in state.done.items()},
        "answers": {name: each.value for name, each in state.guesses.items() if each.value},
        "figures": [],
    }


def _events(board: Board, seat: str) -> list[dict[str, str]]:
    return [
        {"kind": event.kind, "what": event.what, "value": event.value, "at": at.isoformat()}
        for name, life, event, at in board.store.events()
        if name == seat and life == board.lives[seat]
    ]


def remove(folder: Path) -> list[Path]:
    """Remove what a workshop left in its folder, and the folder if nothing else is in it.

    Seats that still run on this server are stopped, for their disks are in the folder.
    Returns what was removed; UsageError for no board, CannotHereError while it is served.
    """
    if not (folder / FILE).is_file():
        raise UsageError(f"no board in {folder}: nothing was removed")
    with serving(folder):
        images = disks.remove(folder)
        gone = [folder / name for name in OWN if (folder / name).is_file()]
        for path in gone:
            path.unlink()
    gone += images
    if not any(folder.iterdir()):
        folder.rmdir()
        gone.append(folder)
    return gone
