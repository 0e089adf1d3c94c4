"""The exit ticket: what the class is asked at the end, and how it answered; no seat is named."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from ppslab.core.text.terminal import one_line
from ppslab_class.board.board import Board
from ppslab_class.content import Content, QuizQuestion

LINE: Final = "day/exit/line"
NAME: Final = "day/exit/name"
"""What an event of kind `exit` is about, besides CHAPTER/quiz/QUESTION."""


@dataclass(frozen=True)
class Answered:
    """A question with the class's answers: how many gave each letter, how many were right.

    Right is who named all right letters and no wrong one.
    """

    question: QuizQuestion
    seats: int
    right: int
    counts: dict[str, int]


@dataclass(frozen=True)
class Line:
    """What somebody wrote; `name` only where they wished to give one."""

    text: str
    name: str


def form(board: Board, content: Content) -> list[dict[str, Any]]:
    """What a seat is asked; nothing while no ticket is handed out."""
    return [
        {
            "what": each.name,
            "ask": each.ask,
            "several": len(each.right) > 1,
            "answers": [{"letter": letter, "says": says} for letter, says in each.answers],
        }
        for each in _asked(board, content)
    ]


def questions(board: Board, content: Content) -> list[Answered]:
    """How the class answered: what is handed out now, and what was answered before."""
    return [_answered(board, each) for each in _asked(board, content, answered=True)]


def lines(board: Board) -> list[Line]:
    """The free lines in the order of the alphabet, which is no seat's."""
    found = []
    for state in board.seats.values():
        told = {what: one_line(latest.value) for what, latest in state.ticket.items()}
        if told.get(LINE):
            found.append(Line(told[LINE], told.get(NAME, "")))
    return sorted(found, key=lambda each: (each.text.casefold(), each.name))


def of_class(board: Board, content: Content) -> dict[str, Any]:
    """What the instructor sees of it."""
    return {
        "questions": [
            {
                "what": each.question.name,
                "ask": each.question.ask,
                "seats": each.seats,
                "right": each.right,
                "answers": [
                    {"says": says, "count": each.counts.get(letter, 0)}
                    for letter, says in each.question.answers
                ],
            }
            for each in questions(board, content)
        ],
        "lines": [{"text": each.text, "name": each.name} for each in lines(board)],
    }


def _asked(board: Board, content: Content, *, answered: bool = False) -> Iterator[QuizQuestion]:
    names = board.day.ticket.split()
    if answered:
        names += sorted(what for state in board.seats.values() for what in state.ticket)
    for name in dict.fromkeys(names):
        if name in content.quizzes:
            yield content.quizzes[name]


def _answered(board: Board, question: QuizQuestion) -> Answered:
    given = [
        frozenset(latest.value.split())
        for state in board.seats.values()
        if (latest := state.ticket.get(question.name)) and latest.value
    ]
    counts = Counter(letter for letters in given for letter in letters)
    right = sum(letters == frozenset(question.right) for letters in given)
    return Answered(question, len(given), right, dict(counts))
