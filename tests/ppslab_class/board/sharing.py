"""What a seat's page says of its terminal."""

from __future__ import annotations

from typing import Any

from ppslab_class.board import Board, messages
from ppslab_class.board.screens import Sharing
from tests.ppslab_class.class_room import NOON

ONE, TWO = "agreement-1", "agreement-2"
SECRET = "a-word-that-only-the-screen-has"


def says(consent: str = ONE, **words: Any) -> Sharing:
    return Sharing(consent=consent, **{"see": True, **words})


def act(board: Board, **words: Any) -> None:
    board.act(messages.ACT.validate_python(words), NOON)
