"""After the day: what the class did, task by task; and everything removed.

Nothing here names a person: the board never knew one.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from ppslab.core.errors import UsageError
from ppslab.core.text.tables import NOTHING, Cell, Table
from ppslab_class import homes
from ppslab_class.board.board import FILE, LOCK, SECRET, Board, serving
from ppslab_class.board.messages import number
from ppslab_class.certificate import NAMES
from ppslab_class.content import Content

CARDS: Final = ("cards.pdf", "cards.html", "new-cards.pdf", "new-cards.html")
HUB: Final = ("hub.sqlite", "hub.sqlite-journal", "hub-cookie-secret", "hub-proxy.pid")
"""Files of a hub of hub/jupyterhub_config.py."""

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


def _median(texts: Sequence[str]) -> str:
    values = [value for text in texts if (value := number(text)) is not None]
    return f"{statistics.median(values):.3g}, {len(values)}" if values else NOTHING


def remove(folder: Path) -> list[Path]:
    """Remove what a workshop left in its folder, and the folder if nothing else is in it.

    Seats that still run on this server are stopped, and their homes are removed.
    Returns what was removed; UsageError for no board, CannotHereError while it is served.
    """
    if not (folder / FILE).is_file():
        raise UsageError(f"no board in {folder}: nothing was removed")
    with serving(folder):
        board = Board(folder)
        seats = list(board.seats)
        board.close()
        gone = [folder / name for name in OWN if (folder / name).is_file()]
        for path in gone:
            path.unlink()
        gone += homes.remove(seats)
    if not any(folder.iterdir()):
        folder.rmdir()
        gone.append(folder)
    return gone
