"""What learners show of their terminals: agreement, bounds, and when it ends."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from ppslab_class.board import Board, screens
from ppslab_class.board.screens import BusyError, NotAgreedError, Screens, Sharing, Typing
from tests.ppslab_class.board.sharing import ONE, SECRET, TWO, act, says
from tests.ppslab_class.class_room import NOON


@dataclass
class Clock:
    now: float = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def shown(clock: Clock) -> Screens:
    return Screens(clock)


def typed(text: str = "ls", key: str = "enter", seat: str = "seat-01") -> Typing:
    return Typing.model_validate({"seat": seat, "text": text, "key": key})


# --- the agreement --------------------------------------------------------------------------


def test_a_screen_is_taken_only_while_somebody_watches(shown: Screens, clock: Clock) -> None:
    assert shown.hear("seat-01", says(first=True, text=SECRET)).watched is False
    assert shown.watch("seat-01").text is None, "it came before anybody looked"
    answer = shown.hear("seat-01", says())
    assert (answer.watched, answer.have) == (True, False)
    assert shown.hear("seat-01", says(text=SECRET)).have
    clock.now += 3
    view = shown.watch("seat-01")
    assert (view.text, view.changed, view.heard) == (SECRET, 3, 3)
    clock.now += screens.WATCH_SECONDS + 1
    assert shown.hear("seat-01", says()).watched is False
    assert SECRET not in repr(vars(shown)), "nobody looks, so nothing is kept"


def test_without_an_agreement_nobody_sees_and_nobody_types(shown: Screens) -> None:
    with pytest.raises(NotAgreedError, match="seat-01 does not show"):
        shown.watch("seat-01")
    shown.hear("seat-01", says(first=True))
    with pytest.raises(NotAgreedError, match="seat-01 does not let you type"):
        shown.type(typed())
    assert (shown.agreed("seat-01"), shown.agreed("seat-02")) == ("see", "")
    shown.hear("seat-01", says(type=True))
    assert shown.agreed("seat-01") == "type"
    assert shown.type(typed()) == 1


def test_the_end_of_an_agreement_takes_all_with_it(shown: Screens) -> None:
    shown.hear("seat-01", says(first=True, type=True))
    shown.watch("seat-01")
    shown.hear("seat-01", says(type=True, text=SECRET))
    shown.type(typed(SECRET))
    shown.hear("seat-01", says(see=False))
    assert SECRET not in repr(vars(shown))
    # A request that was under way comes after the end.
    assert not shown.hear("seat-01", says(type=True)).agreed
    assert shown.agreed("seat-01") == ""
    assert shown.hear("seat-01", says(TWO, first=True)).keys == ()


def test_who_takes_back_the_right_to_type_gets_nothing_typed(shown: Screens) -> None:
    shown.hear("seat-01", says(first=True, type=True))
    shown.type(typed())
    assert shown.hear("seat-01", says(type=False)).keys == ()
    assert shown.hear("seat-01", says(type=True)).keys == ()
    assert shown.watch("seat-01").lost == 1


def test_the_page_that_agreed_last_shows_the_seat(shown: Screens) -> None:
    shown.hear("seat-01", says(ONE, first=True))
    assert not shown.hear("seat-01", says(TWO)).agreed, "it did not agree just now"
    assert shown.hear("seat-01", says(TWO, first=True)).agreed
    assert not shown.hear("seat-01", says(ONE)).agreed
    shown.hear("seat-01", says(ONE, see=False))
    assert shown.agreed("seat-01") == "see", "another page's end ends nothing"


def test_a_page_that_says_nothing_agrees_to_nothing(shown: Screens, clock: Clock) -> None:
    shown.hear("seat-01", says(first=True, type=True))
    clock.now += screens.SILENT_SECONDS + 1
    assert shown.agreed("seat-01") == ""
    with pytest.raises(NotAgreedError):
        shown.type(typed())
    assert shown.hear("seat-01", says(type=True)).agreed, "a minute without Wi-Fi ends nothing"


# --- typing -----------------------------------------------------------------------------------


def test_what_is_typed_comes_until_the_page_confirms_it(shown: Screens) -> None:
    shown.hear("seat-01", says(first=True, type=True))
    shown.type(typed("ls"))
    assert shown.hear("seat-01", says(type=True)).watched, "who types looks"
    shown.type(typed("", "ctrl-c"))
    for _ in range(2):  # the answer was lost in the air
        answer = shown.hear("seat-01", says(type=True, typed=0))
        assert [(each.n, each.text, each.key) for each in answer.keys] == [
            (1, "ls", "enter"), (2, "", "ctrl-c")
        ]  # fmt: skip
    assert [each.n for each in shown.hear("seat-01", says(type=True, typed=1)).keys] == [2]
    assert shown.watch("seat-01").waiting == 1
    assert shown.hear("seat-01", says(type=True, typed=2)).keys == ()
    again = Screens(shown.clock)  # the server was started again
    again.hear("seat-01", says(type=True, typed=2))
    assert again.type(typed()) == 3, "the page would take a number that it knows for typed already"


def test_what_waited_too_long_is_not_typed(shown: Screens, clock: Clock) -> None:
    shown.hear("seat-01", says(first=True, type=True))
    shown.type(typed())
    clock.now += screens.KEYS_SECONDS + 1
    assert shown.hear("seat-01", says(type=True)).keys == ()
    assert (shown.watch("seat-01").waiting, shown.watch("seat-01").lost) == (0, 1)


def test_no_more_waits_than_is_bounded(shown: Screens) -> None:
    shown.hear("seat-01", says(first=True, type=True))
    for _ in range(screens.MOST_WAITING):
        shown.type(typed())
    with pytest.raises(BusyError, match="seat-01"):
        shown.type(typed())


@pytest.mark.parametrize(
    "wrong",
    [
        {"text": "\x1b[2J"},
        {"text": "ls\n"},
        {"text": "x" * (screens.MOST_KEYS + 1)},
        {"key": "ctrl-d"},
        {"text": "", "key": ""},
        {"seat": "../x"},
        {"more": 1},
    ],
)
def test_only_printable_text_and_the_named_keys_are_typed(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Typing.model_validate({"seat": "seat-01", "text": "ls", "key": "enter", **wrong})


@pytest.mark.parametrize(
    "wrong",
    [
        {"text": "x" * (screens.MOST_TEXT + 1)},
        {"text": "\x1b]0;title\x07"},
        {"text": "\x9b2J"},
        {"consent": "short"},
        {"typed": -1},
        {"seat": "seat-02"},
    ],
)
def test_a_screen_is_bounded_text(wrong: dict[str, Any]) -> None:
    fine = {"consent": ONE, "see": True, "text": "lab# ls\n\u2502 caf\u00e9"}
    assert Sharing.model_validate(fine).text == fine["text"]
    with pytest.raises(ValidationError):
        Sharing.model_validate({**fine, **wrong})


def test_reset_leaving_a_new_code_and_the_end_of_the_day_end_it(tmp_path: Path) -> None:
    board = Board(tmp_path)
    codes = board.set_up(1, "A day", None)
    life = 0

    def agree(consent: str) -> bool:
        return board.share("seat-01", says(consent, life=life, first=True)).agreed

    assert agree("agreement-a")
    act(board, do="reset", seat="seat-01")
    assert board.screens.agreed("seat-01") == ""
    assert not agree("agreement-b"), "the page of who sat there before"
    life = 1
    assert agree("agreement-c")
    _, token = board.join(codes["seat-01"], NOON)
    board.leave(token)
    assert board.screens.agreed("seat-01") == ""
    assert agree("agreement-d")
    board.new_code("seat-01")
    assert board.screens.agreed("seat-01") == ""
    assert agree("agreement-e")
    act(board, do="end", on=True)
    assert board.screens.agreed("seat-01") == ""
    assert not agree("agreement-f")
    act(board, do="end", on=False)
    assert not board.share("seat-01", says("agreement-e", life=1)).agreed, "the lesson had ended"
    board.close()
