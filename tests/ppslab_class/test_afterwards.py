"""What is left of a day: a report without names, a zip a seat, and then nothing."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from ppslab.core.errors import CannotHereError, UsageError
from ppslab.core.text.quantities import NOTHING
from ppslab_class import afterwards, certificate, paper
from ppslab_class.board import Board
from ppslab_class.board.board import serving
from ppslab_class.board.messages import Batch
from ppslab_class.commands import CARDS
from tests.ppslab_class.class_room import CASE, CONTENT, NOON, QUESTION, TASK, batch, event


@pytest.fixture
def board(tmp_path: Path) -> Board:
    (tmp_path / "day").mkdir()
    made = Board(tmp_path / "day")
    made.set_up(3, "A day")
    early = NOON - timedelta(minutes=8)
    one = batch(
        event("g", "guess", QUESTION, "3"),
        event("a", "tried", TASK, "fail", early),
        event("b", "tried", TASK, "fail", early),
        event("c", "done", TASK),
        event("m", "measured", QUESTION, "2.3"),
    )
    other = batch(event("g", "guess", QUESTION, "5"), event("a", "hint", TASK))
    made.tell("seat-01", Batch.model_validate(one), NOON)
    made.tell("seat-02", Batch.model_validate(other), NOON)
    return made


def test_the_report_counts_names_nobody_and_has_the_moves_of_a_case(board: Board) -> None:
    for seat, moves in (("seat-01", 3), ("seat-02", 6), ("seat-03", 4)):
        told = batch(event("case", "tried", CASE, f"pass {moves}"))
        board.tell(seat, Batch.model_validate(told), NOON)
    tasks = afterwards.tasks_table(board, CONTENT)
    assert [[cell.text for cell in row] for row in tasks.rows] == [
        ["fastpath: open-it", "1 of 3", "0", "1", "2", "1", "8", "5", NOTHING],
        ["cases: 01-office", "3 of 3", "0", "0", "0", "0", "0", "10", "4, 3"],
    ]
    questions = afterwards.questions_table(board, CONTENT)
    cells = [cell.text for cell in questions.rows[0]]
    assert cells == ["Slow path", "4, 2", "2.3, 1", "RB1100AHx2 2.27"]
    assert "seat-0" not in tasks.plain() + questions.plain()


def test_nothing_is_left_of_a_day_but_what_is_not_ours(board: Board, tmp_path: Path) -> None:
    folder = tmp_path / "day"
    certificate.ensure(folder, ["localhost"])
    (folder / f"{CARDS}.html").touch()
    mine = folder / "notes.txt"
    mine.write_text("mine")
    board.close()
    with serving(folder):
        for second in (serving(folder).__enter__, lambda: afterwards.remove(folder)):
            with pytest.raises(CannotHereError, match="is being served"):
                second()
    afterwards.remove(folder)
    assert list(folder.iterdir()) == [mine]
    with pytest.raises(UsageError, match="no board"):
        afterwards.remove(folder)
    mine.unlink()
    Board(folder).close()
    afterwards.remove(folder)
    assert not folder.exists()


def test_a_card_says_where_what_and_what_to_compare() -> None:
    hall = paper.Hall("A & B", "https://192.0.2.7:8443", "AB:CD", "hall / <packets>")
    made = paper.cards(hall, {f"seat-{n:02d}": f"CODE-{n:04d}" for n in range(1, 31)})
    assert "A &amp; B: seat 07" in made and "CODE-0030" in made and "&lt;packets&gt;" in made
    assert "https://192.0.2.7:8443/workshop" in made and "AB:CD" in made
    assert "AB:CD" not in paper.cards(paper.Hall("A", "http://x"), {"seat-01": "C"})
