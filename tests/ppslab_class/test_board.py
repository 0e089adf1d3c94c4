"""What the board makes of events, in whatever order and however often they come."""

from __future__ import annotations

import itertools
import json
import sqlite3
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from ppslab.core.errors import CannotHereError, FileError
from ppslab.course import practice
from ppslab.model.lab import lab as labs
from ppslab_class import content
from ppslab_class.board import Board, RefusedError, codes, messages, store, views
from ppslab_class.board.board import FILE
from ppslab_class.board.codes import Guesses
from ppslab_class.board.messages import Batch, number
from ppslab_class.board.seats import MOST_NAMES
from ppslab_class.board.store import TABLES
from ppslab_class.board.views import bars
from ppslab_class.content import Content
from tests.ppslab_class.class_room import CASE, CONTENT, NOON, QUESTION, TASK, batch, event

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def board(tmp_path: Path) -> Board:
    made = Board(tmp_path)
    made.set_up(3, "A day")
    return made


def tell(board: Board, seat: str, *events: dict[str, Any], **words: Any) -> int:
    received = words.pop("received", NOON)
    return board.tell(seat, Batch.model_validate(batch(*events, **words)), received)


def minute(count: int) -> datetime:
    return NOON - timedelta(minutes=count)


def shown(board: Board, seat: str, now: datetime = NOON) -> dict[str, Any]:
    rows = views.of_class(board, CONTENT, now)["seats"]
    return next(row for row in rows if row["name"] == seat)


def test_codes_are_of_their_letters_and_all_different() -> None:
    drawn = [codes.new(codes.SEAT_LETTERS) for _ in range(500)]
    assert len(set(drawn)) == 500
    assert all(set(code) <= {*codes.LETTERS, "-"} for code in drawn)
    for letters, length in ((codes.SEAT_LETTERS, 8), (codes.STAFF_LETTERS, 16)):
        assert len(codes.plain(codes.new(letters))) == letters == length


def test_an_event_that_comes_twice_counts_once(board: Board) -> None:
    failed = event("one", "tried", TASK, "fail")
    assert tell(board, "seat-01", failed, event("two", "tried", TASK, "fail")) == 2
    assert tell(board, "seat-01", failed) == 0
    assert shown(board, "seat-01")["tasks"][TASK]["fails"] == 2
    assert tell(board, "seat-02", failed) == 1, "another seat's event has names of its own"


def test_a_case_is_shown_with_the_moves_that_solved_it(board: Board) -> None:
    tell(board, "seat-01", event("one", "tried", CASE, "fail"), event("two", "hint", CASE))
    assert shown(board, "seat-01")["tasks"][CASE]["moves"] == 0
    tell(board, "seat-01", event("three", "tried", CASE, "pass 7"))
    task = shown(board, "seat-01")["tasks"][CASE]
    assert (task["moves"], task["fails"], task["hints"]) == (7, 1, 1)
    assert task["done"]
    tell(board, "seat-01", event("four", "tried", CASE, "pass 9"))
    assert shown(board, "seat-01")["tasks"][CASE]["moves"] == 7, "the best counts"
    tell(board, "seat-02", event("five", "tried", CASE, "pass ½"), event("six", "done", CASE))
    assert shown(board, "seat-02")["tasks"][CASE]["moves"] == 0


EVENTS = [
    event("a", "help", "book/x", "asked", minute(4)),
    event("b", "help", "book/x", "withdrawn", minute(3)),
    event("c", "tried", TASK, "fail", minute(4)),
    event("d", "tried", TASK, "pass", minute(2)),
    event("e", "guess", QUESTION, "3", minute(4)),
    event("f", "guess", QUESTION, "2", minute(1)),
]


def test_the_order_in_which_events_come_changes_nothing(tmp_path: Path) -> None:
    seen = []
    for place, order in enumerate(itertools.islice(itertools.permutations(EVENTS), 0, 720, 143)):
        folder = tmp_path / str(place)
        folder.mkdir()
        board = Board(folder)
        board.set_up(1, "")
        for each in order:
            tell(board, "seat-01", each)
        seen.append((shown(board, "seat-01"), board.seats["seat-01"].guesses[QUESTION].value))
    assert all(each == seen[0] for each in seen)
    row, guess = seen[0]
    assert (row["help"], guess, row["tasks"][TASK]["fails"]) == (None, "2", 1)
    assert row["tasks"][TASK]["done"] == minute(2).isoformat()


def test_a_clock_that_is_wrong_by_hours_is_set_right(board: Board) -> None:
    wrong = timedelta(hours=7)
    late = event("late", "done", TASK, at=minute(20) + wrong)
    tell(board, "seat-01", late, now=NOON + wrong)
    assert shown(board, "seat-01")["tasks"][TASK]["done"] == minute(20).isoformat()
    future = event("future", "at", "book/x", at=NOON + timedelta(days=3))
    tell(board, "seat-01", future)
    assert shown(board, "seat-01")["last"] == NOON.isoformat(), "nothing happens later than now"


def test_stuck_by_tries_or_by_time_and_no_more_when_it_is_done(board: Board) -> None:
    assert shown(board, "seat-01")["stuck"] is None
    tell(board, "seat-01", event("x1", "tried", TASK, "fail", minute(2)))
    assert shown(board, "seat-01")["stuck"] is None
    # Twice its five minutes, from the first check on, and no longer.
    assert shown(board, "seat-01", NOON + timedelta(minutes=8))["stuck"] is None
    later = NOON + timedelta(minutes=9)
    assert shown(board, "seat-01", later)["stuck"] == {"task": TASK, "why": "time"}
    tell(board, "seat-01", *(event(f"y{n}", "tried", TASK, "fail", minute(1)) for n in range(2)))
    assert shown(board, "seat-01")["stuck"] == {"task": TASK, "why": "tries"}
    tell(board, "seat-01", event("z", "tried", TASK, "pass"))
    assert shown(board, "seat-01", later)["stuck"] is None


def test_all_is_there_after_the_file_is_opened_again(board: Board, tmp_path: Path) -> None:
    tell(board, "seat-01", *EVENTS)
    for act in (
        {"do": "message", "seats": ["seat-01"], "text": "Look at the counters"},
        {"do": "stage", "page": "/book/fastpath/tasks.html"},
        {"do": "show", "what": QUESTION, "phase": "after"},
        {"do": "pause", "on": True},
    ):
        board.act(messages.ACT.validate_python(act), NOON)
    again = Board(tmp_path)
    assert views.of_class(again, CONTENT, NOON) == views.of_class(board, CONTENT, NOON)
    assert [each.text for each in again.heard("seat-01", 0)] == ["Look at the counters"]
    assert again.heard("seat-02", 0) == []
    assert again.set_up(3, "A day") == {}, "cards that are printed stay good"


def test_a_reset_seat_is_empty_and_help_that_came_ends_the_call(board: Board) -> None:
    tell(board, "seat-01", event("one", "done", TASK))
    board.act(messages.Reset(do="reset", seat="seat-01"), NOON)
    assert shown(board, "seat-01")["done"] == 0
    # What comes late belongs to the life before.
    tell(board, "seat-01", event("two", "help", "x", "asked"), life=0)
    assert shown(board, "seat-01")["help"] is None
    tell(board, "seat-01", event("one", "help", "x", "asked", minute(1)), life=1)
    assert shown(board, "seat-01")["help"] is not None
    board.act(messages.Helped(do="helped", seat="seat-01"), NOON)
    assert shown(board, "seat-01")["help"] is None
    later = NOON + timedelta(minutes=1)
    again = event("two", "help", "x", "asked", later)
    tell(board, "seat-01", again, now=later, received=later, life=1)
    assert shown(board, "seat-01")["help"] is not None
    for act in ({"do": "reset"}, {"do": "helped"}, {"do": "message", "text": "x"}):
        named = {"seats": ["seat-99"]} if "text" in act else {"seat": "seat-99"}
        with pytest.raises(RefusedError, match="seat-99"):
            board.act(messages.ACT.validate_python({**act, **named}), NOON)


def test_the_projector_shows_no_figure_before_and_no_seats_guess_ever(board: Board) -> None:
    for place, guess in enumerate(("2", "2.2", "6")):
        tell(board, f"seat-0{place + 1}", event("g", "guess", QUESTION, guess))
    tell(board, "seat-01", event("m", "measured", QUESTION, "3.1 times"))
    board.act(messages.Show(do="show", what=QUESTION), NOON)
    before = views.of_projector(board, CONTENT)
    assert (before["guessed"], before["measured"], before["beside"]) == (3, [], [])
    assert sum(each["count"] for each in before["bars"]) == 3
    assert "seat" not in str(before["bars"])
    board.act(messages.Show(do="show", what=QUESTION, phase="after"), NOON)
    after = views.of_projector(board, CONTENT)
    assert after["measured"] == [{"seat": "seat-01", "text": "3.1 times"}]
    assert after["beside"][0]["text"] == "2.27"
    assert views.of_projector(board, Content())["beside"] == []


def test_a_seat_cannot_fill_the_disk(board: Board, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ppslab_class.board.board.MOST_EVENTS", 3)
    tell(board, "seat-01", *(event(f"{n}", "at", "x") for n in range(3)))
    with pytest.raises(RefusedError, match="3 reports"):
        tell(board, "seat-01", event("more", "at", "x"))
    assert tell(board, "seat-02", event("more", "at", "x")) == 1


def test_a_poll_carries_the_courses_own_names_alone(board: Board) -> None:
    """Twelve seats with 500 names of each kind: 2.4 MB a poll."""
    plain = len(json.dumps(views.of_class(board, CONTENT, NOON)))
    own = Content(**{**vars(CONTENT), "guesses": frozenset({"eoip/prediction/fits"})})
    for seat in board.seats:
        known = [
            event("known-1", "tried", TASK, "fail"),
            event("known-2", "guess", QUESTION, "2"),
            event("known-3", "guess", "eoip/prediction/fits", "2"),
        ]
        tell(board, seat, *known)
        for start in range(0, 400, 100):
            for kind, what in (("guess", "prediction"), ("tried", "task")):
                names = [f"{seat}/{what}/{'x' * 100}{n}" for n in range(start, start + 100)]
                made = [
                    event(f"{kind}-{n}", kind, name, "1") for n, name in enumerate(names, start)
                ]
                tell(board, seat, *made)
    told = views.of_class(board, own, NOON)
    assert [set(row["tasks"]) for row in told["seats"]] == [{TASK}] * len(board.seats)
    asked = {row["name"]: row["guesses"] for row in told["questions"]}
    assert asked == {QUESTION: 3, "eoip/prediction/fits": 3}
    assert len(json.dumps(told)) < plain + 500 * len(board.seats)


def test_a_chapter_s_tasks_are_on_the_board_and_a_seat_has_room_for_all_that_is_asked() -> None:
    known = content.load()
    names = {task.name for tasks in known.tasks.values() for task in tasks}
    for chapter in labs.names():
        own = content.tasks_of(labs.find(chapter))
        assert {task.name for task in own} <= names
        assert {f"{chapter}/task/{drill}" for drill in practice.drills(f"{chapter}-")} <= names
    pages = [path.read_text() for path in ROOT.glob("book/**/*.md")]
    guesses = len(known.questions) + sum(text.count("{ppslab-guess} ") for text in pages)
    work = sum(map(len, known.tasks.values()))
    assert len(pages) + guesses + work <= MOST_NAMES


@pytest.mark.parametrize(
    "wrong",
    [{"kind": "root"}, {"what": "<script>"}, {"what": "a b"}, {"id": "x"}, {"value": "y" * 121},
     {"at": "2026-11-23T12:00:00"}, {"seat": "seat-02"},
     *({"link": link} for link in ("javascript:alert(1)", "//evil.example", "/a b", "data:x",
                                   '/"'))],
)  # fmt: skip
def test_an_event_or_a_link_of_another_shape_is_refused(wrong: dict[str, str]) -> None:
    with pytest.raises(ValidationError):
        if "link" in wrong:
            messages.ACT.validate_python({"do": "message", "text": "x", **wrong})
        Batch.model_validate(batch(event("one", "at", "x") | wrong))


def test_a_new_code_ends_the_old_one_and_who_joined_by_it(board: Board, tmp_path: Path) -> None:
    old = board.new_code("seat-01")
    token = board.join(old.lower().replace("-", " "), NOON)[1]
    assert board.who(token)
    other = Board(tmp_path)  # as `ppslab workshop cards` does, beside the server
    new = other.new_code("seat-01")
    other.close()
    assert board.who(token) is None
    with pytest.raises(RefusedError):
        board.join(old, NOON)
    assert board.join(new, NOON)[0].seat == "seat-01"


def test_neither_codes_nor_tokens_are_in_the_file(board: Board, tmp_path: Path) -> None:
    code = board.new_code("seat-01")
    token = board.join(code, NOON)[1]
    kept = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    for secret in (code, codes.plain(code), token):
        assert secret.encode() not in kept
    modes = {path.name: path.stat().st_mode & 0o077 for path in tmp_path.iterdir()}
    assert not any(modes.values()), modes


def test_a_file_that_is_no_board_is_refused(tmp_path: Path) -> None:
    text, other, torn = (tmp_path / name for name in ("text", "other", "torn"))
    for folder in (text, other, torn):
        folder.mkdir()
    (text / FILE).write_text("this is no database, and long enough to be read as one")
    sqlite3.connect(other / FILE).executescript("CREATE TABLE day (n INTEGER);").close()
    Board(torn).close()
    whole = (torn / FILE).read_bytes()
    # Its pages, but for the first, are of another file.
    (torn / FILE).write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))
    for folder in (text, other, torn):
        with pytest.raises(FileError, match="board"):
            Board(folder)


def test_guesses_are_slowed_by_address_and_in_all() -> None:
    one, many = Guesses(), Guesses()
    assert [one.take("thief", 0) for _ in range(31)] == [True] * 30 + [False]
    assert not one.take("thief", 1.9) and one.take("thief", 2.0) and one.take("seat", 2.0)
    one.give_back("thief", 2.0)
    assert one.take("thief", 2.0), "a right code counts for nothing"
    assert [many.take(f"thief {n}", 0) for n in range(301)] == [True] * 300 + [False]
    assert many.take("thief 301", 0.25)


@pytest.mark.parametrize(
    ("text", "value"),
    [("2.5", 2.5), ("2,5", 2.5), ("3x", 3.0), ("about 4 times", 4.0), ("1 or 2", None),
     ("nan", None), ("-", None), ("1e308", None), ("0", 0.0)],
)  # fmt: skip
def test_numbers_as_people_type_them(text: str, value: float | None) -> None:
    assert number(text) == value


@pytest.mark.parametrize(
    "guesses",
    [["2"], ["1", "1", "1"], ["0.5", "2", "2.27", "3", "10"], ["0.01", "1000"], ["-3", "0", "8"],
     ["4", "119"], [str(1 + n / 7) for n in range(40)]],
)  # fmt: skip
def test_every_guess_is_in_one_bar_that_holds_it(guesses: list[str]) -> None:
    made = bars(guesses)
    assert sum(bar.count for bar in made) == len(guesses)
    assert 1 <= len(made) <= 20
    for guess in guesses:
        assert sum(bar.low <= float(guess) < bar.high for bar in made) == 1  # type: ignore[operator]


@pytest.mark.parametrize(
    ("guesses", "lows"),
    [
        (["2"], [2]),
        (["1", "100"], [*range(0, 101, 10)]),
        (["0.5", "60"], [0.5, 1, 2, 5, 10, 20, 50]),
    ],
)
def test_bars_are_of_one_width_or_of_a_decades_thirds(
    guesses: list[str], lows: list[float]
) -> None:
    made = bars(guesses)
    assert [bar.low for bar in made] == pytest.approx(lows)
    assert made[0].high == pytest.approx(lows[1] if lows[1:] else 2.2)


def test_a_full_disk_is_one_message_and_a_later_start_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as full:
        full.setattr(store, "TABLES", "PRAGMA max_page_count = 2;" + TABLES)
        with pytest.raises(CannotHereError):
            Board(tmp_path)
    board = Board(tmp_path)
    board.set_up(2, "A day")
    pages = board.store._db.execute("PRAGMA page_count").fetchone()[0]
    board.store._db.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(CannotHereError):
        for n in range(200):
            tell(board, "seat-01", *(event(f"{n}-{m}", "at", "x" * 100) for m in range(100)))
    board.store._db.execute("PRAGMA max_page_count = 1000000")
    assert tell(board, "seat-01", event("later", "at", "x")) == 1
