"""A class of nobody: everything told comes to the board once, through a kill of the server."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import rehearsal
from benchmarks.rehearsal import Lesson, Log, Rehearsal
from ppslab_class.board import Board
from ppslab_class.board.messages import Batch
from tests.ppslab_class.class_room import CONTENT, QUESTION, QUIZ, TASK, batch, event, site

TASKS = (TASK, "fastpath/task/two")
LESSON = Lesson(("/book/fastpath/index.html",), TASKS, QUESTION, 2.0, QUIZ, ("a",))


@pytest.mark.long
def test_a_class_through_a_kill_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rehearsal, "AGAIN_SECONDS", (0.1, 0.4))
    pages = site(tmp_path / "site")
    (tmp_path / "day").mkdir()
    asked = Rehearsal(4, 0.3, kill=True)
    outcome = rehearsal.rehearse(asked, tmp_path / "day", pages, [LESSON] * 2)
    assert outcome.well, outcome.table().plain()
    failed = sum(requests.failed for requests in outcome.log.requests.values())
    assert failed > 0, "nobody felt the kill"
    assert len(outcome.log.events) == 4


def test_what_is_lost_or_doubled_is_seen(tmp_path: Path) -> None:
    board = Board(tmp_path)
    board.set_up(1, "", None)
    one = Batch.model_validate(batch(event("one", "done", TASK), event("two", "at", "x")))
    board.tell("seat-01", one, one.now)
    board.close()
    names = {each.id for each in one.events}

    def judged(events: set[str]) -> rehearsal.Outcome:
        return rehearsal.judge(
            Rehearsal(1, 0), tmp_path, [LESSON], Log(events={"seat-01": events}), 1
        )

    found = judged(names)
    assert (found.missing, found.strange, found.undone, found.well) == (0, 0, 1, False)
    assert judged(names | {"lost-one"}).missing == 1
    assert judged(set(list(names)[:1])).strange == 1


def test_lessons_are_the_pages_that_the_site_has(tmp_path: Path) -> None:
    made = rehearsal.lessons(CONTENT, ["fastpath"], site(tmp_path))
    assert made == [
        Lesson(("/book/fastpath/index.html",), (TASK,), QUESTION, 2.27, QUIZ, ("a", "b", "c"))
    ]
