"""A class of nobody: everything told comes to the board once, through a kill of the server."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import rehearsal
from benchmarks.rehearsal import Lesson, Log, Rehearsal
from ppslab.model.lab import lab as labs
from ppslab_class import content
from ppslab_class.board import Board
from ppslab_class.board.messages import Batch
from ppslab_class.pace import Pace
from ppslab_class.timetable import Day, Slot
from tests.ppslab_class.class_room import QUESTION, QUIZ, TASK, batch, event, site

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


@pytest.mark.long
def test_a_day_is_walked_in_its_order_with_a_latecomer_a_reload_and_a_lost_card(
    tmp_path: Path,
) -> None:
    pages = site(tmp_path / "site")
    (tmp_path / "day").mkdir()
    (task,) = content.tasks_of(labs.find("fastpath"))[:1]
    slots = (
        Slot("welcome", "Seats", 8),
        Slot("exports", "Exports", 30),
        Slot("telling", "Told", 20, "fastpath"),
        Slot("break", "Break", 10),
        Slot("running", "Runs", 9, "fastpath"),
        Slot("task", "Task", 20, "fastpath", task.name),
        Slot("quiz", "Quiz", 1, "fastpath"),
        Slot("cases", "Cases", 45),
        Slot("exit", "Ticket", 10),
    )
    dropped = Slot("quiz", "Quiz", 1, "fastpath")
    pace = Pace(content.load(), pages, 2, slots)
    walk = rehearsal.Walk(Day(9 * 60, slots, when_late=(dropped,)), pace, 600)
    outcome = rehearsal.rehearse(Rehearsal(2, 0), tmp_path / "day", pages, walk)
    assert outcome.well, outcome.table().plain()
    assert len(outcome.log.events) == 2
    assert outcome.log.joined_again > 0, "nobody felt that the card was lost"
    assert walk.guesses == [(2, 2)]
    assert set(outcome.log.heard.values()) == {walk.messages}
    solved = {name for names in outcome.log.passed.values() for name in names}
    assert sum(name.startswith("cases/") for name in solved) == 2
    # The latecomer's first blocks are no measure, a break is none of anybody, and a quiz of four
    # questions does not fit into a minute.
    seats = [len(walk.minutes(number)) for number in range(len(slots))]
    assert seats == [1, 1, 2, 0, 2, 2, 2, 2, 2]
    assert walk.unfinished[6] == 2
    assert "drop: Quiz" in walk.table().plain()


def test_what_is_lost_or_doubled_is_seen(tmp_path: Path) -> None:
    board = Board(tmp_path)
    board.set_up(1, "", None)
    one = Batch.model_validate(batch(event("one", "done", TASK), event("two", "at", "x")))
    board.tell("seat-01", one, one.now)
    board.close()
    names = {each.id for each in one.events}

    def judged(events: set[str]) -> rehearsal.Outcome:
        log = Log(events={"seat-01": events}, passed={"seat-01": set(TASKS)})
        return rehearsal.judge(Rehearsal(1, 0), tmp_path, log, 1)

    found = judged(names)
    assert (found.missing, found.strange, found.undone, found.well) == (0, 0, 1, False)
    assert judged(names | {"lost-one"}).missing == 1
    assert judged(set(list(names)[:1])).strange == 1
