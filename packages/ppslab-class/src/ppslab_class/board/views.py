"""The answers to the pages' polls, of seat, instructor and projector: plain data for JSON."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from datetime import datetime
from itertools import pairwise
from typing import Any

from ppslab.core.text.terminal import one_line
from ppslab_class.board.board import Board
from ppslab_class.board.messages import number
from ppslab_class.board.seats import SeatState, TaskState
from ppslab_class.content import Content

MOST_BINS = 12
STEPS = (1.0, 2.0, 2.5, 5.0, 10.0, 20.0)
"""The last for a spread such as from 1 to 115, which eleven bins of 10 do not hold."""
MOST_WORDS = 10


@dataclass(frozen=True)
class Bar:
    """`low` (included) to `high` (not); both None for a word, or for what is no number."""

    label: str
    count: int
    low: float | None = None
    high: float | None = None


def bars(guesses: Iterable[str]) -> list[Bar]:
    """Bars of what was guessed; most guesses are numbers: then the others are one bar, at the end.

    Bins are of one width, of 1, 2, 2.5 or 5 times a power of ten, at most twelve between the lowest
    and the highest; where the highest is over a hundred times the lowest, they are of a decade's
    thirds (1, 2, 5).
    """
    texts = [guess.strip() for guess in guesses if guess.strip()]
    values = [value for guess in texts if (value := number(guess)) is not None]
    others = len(texts) - len(values)
    if not values or others > len(values):
        return _words(texts)
    edges = _edges(min(values), max(values))
    bins = [
        Bar(
            f"{low:g} to {high:g}",
            sum(low <= value < high for value in values),
            low,
            high,
        )
        for low, high in pairwise(edges)
    ]
    return [*bins, Bar("no number", others)] if others else bins


def _words(texts: list[str]) -> list[Bar]:
    counts = Counter(word.casefold() for word in texts)
    spelling = {word.casefold(): word for word in reversed(texts)}
    common = counts.most_common(MOST_WORDS)
    words = [Bar(spelling[word], count) for word, count in common]
    rest = len(texts) - sum(count for _, count in common)
    return [*words, Bar("others", rest)] if rest else words


def _edges(low: float, high: float) -> list[float]:
    """The edges of the bins; the last lies above the highest value."""
    if low > 0 and high / low > 100:
        ladder = [
            step * 10.0**power
            for power in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 2)
            for step in (1, 2, 5)
        ]
        first = max(place for place, edge in enumerate(ladder) if edge <= low)
        last = next(place for place, edge in enumerate(ladder) if edge > high)
        return ladder[first : last + 1]
    spread = (high - low) or abs(high) or 1.0
    power = 10.0 ** math.floor(math.log10(spread / MOST_BINS))
    width = next(step * power for step in STEPS if spread / (step * power) <= MOST_BINS - 1)
    first_bin, last_bin = math.floor(low / width), math.floor(high / width)
    return [round(place * width, 12) for place in range(first_bin, last_bin + 2)]


def of_seat(board: Board, content: Content, seat: str, after: int) -> dict[str, Any]:
    """Return the answer to a seat: the day, and the messages after the one of this number."""
    question = content.questions.get(board.day.shown)
    return {
        "life": board.lives[seat],
        "day": {**asdict(board.day), "question": question.title if question else ""},
        "asked": board.seats[seat].asks_help,
        "messages": [
            {"n": one.number, "text": one.text, "link": one.link}
            for one in board.heard(seat, after)
        ],
    }


def of_class(board: Board, content: Content, now: datetime) -> dict[str, Any]:
    """Return the answer to the board: every seat, and the course's tasks and questions.

    Of the course's own tasks and questions: a seat may tell of any name, and each poll would carry
    them all.
    """
    minutes = content.minutes
    return {
        "now": now.isoformat(),
        "day": asdict(board.day),
        "seats": [
            {"name": name, **_seat(state, minutes, now)} for name, state in board.seats.items()
        ],
        "chapters": [
            {
                "name": name,
                "title": title,
                "tasks": [asdict(task) for task in content.tasks.get(name, ())],
            }
            for name, title in content.chapters.items()
        ],
        "questions": [
            {"name": name, "title": title, "guesses": guesses}
            for name, title, guesses in _questions(board, content)
        ],
    }


def of_projector(board: Board, content: Content) -> dict[str, Any]:
    """Return the answer to the projector: guesses before, figures after the measurement.

    No seat is named before the measurement, and none's guess at any time.
    """
    what, after = board.day.shown, board.day.phase == "after"
    day = {"title": board.day.title, "paused": board.day.paused}
    if not what:
        return {"day": day, "question": None, "phase": board.day.phase}
    question = content.questions.get(what)
    guesses = [
        one_line(state.guesses[what].value)
        for state in board.seats.values()
        if what in state.guesses and state.guesses[what].value
    ]
    measured = [
        {"seat": name, "text": one_line(latest.value)}
        for name, state in board.seats.items()
        if (latest := state.measured.get(what)) and latest.value
    ]
    return {
        "day": day,
        "question": {"name": what, "title": question.title if question else what},
        "phase": board.day.phase,
        "guessed": len(guesses),
        "bars": [asdict(bar) for bar in bars(guesses)],
        "measured": measured if after else [],
        "beside": [asdict(figure) for figure in question.beside] if question and after else [],
    }


def _seat(state: SeatState, minutes: dict[str, int], now: datetime) -> dict[str, Any]:
    stuck = state.stuck(minutes, now)
    return {
        "page": state.page.value,
        "last": state.last.isoformat() if state.last else None,
        "help": state.help.at.isoformat() if state.asks_help and state.help.at else None,
        "stuck": {"task": stuck.task, "why": stuck.why} if stuck else None,
        "done": len(state.done),
        "tasks": {name: _task(task) for name, task in state.tasks.items() if name in minutes},
        "read": sum("/read/" in name for name in state.done),
        "quiz": sum("/quiz/" in name for name in state.done),
    }


def _task(task: TaskState) -> dict[str, Any]:
    return {
        "fails": task.fails,
        "hints": task.hints,
        "solved": task.solved,
        "moves": task.moves,
        "done": task.done.isoformat() if task.done else None,
    }


def _questions(board: Board, content: Content) -> Iterator[tuple[str, str, int]]:
    """Name, title and how many guessed: the labs' questions, and others of pages once guessed."""
    guessed = Counter(
        name
        for state in board.seats.values()
        for name, latest in state.guesses.items()
        if latest.value
    )
    for name in dict.fromkeys([*content.questions, *sorted(content.guesses & guessed.keys())]):
        known = content.questions.get(name)
        yield name, known.title if known else name, guessed[name]
