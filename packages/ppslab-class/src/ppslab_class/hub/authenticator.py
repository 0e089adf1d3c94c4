"""The login of a hub that stands beside the board: the board's codes, and its limit of tries.

The hub loads this module by its name; nothing else of ppslab imports it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from tornado.web import HTTPError
from traitlets import Unicode

from ppslab_class.board import Board, RefusedError
from ppslab_class.board.board import now
from ppslab_class.hub.card_codes import CardCodes

SEAT_BOARD: Final = "PPSLAB_BOARD"
"""Where a seat's programs find their board: JSON, the fields of `own_seat.OwnSeat`."""


class CodeAuthenticator(CardCodes):
    """Who shows a seat's code is that seat; staff's codes open the board alone."""

    folder = Unicode(help="What the day keeps: the board's file and secret.").tag(config=True)
    board_address = Unicode("", help="Where seats reach the board; empty: nowhere.").tag(
        config=True
    )
    board_certificate = Unicode("", help="The file of its certificate (PEM).").tag(config=True)

    def __init__(self, **more: Any) -> None:
        super().__init__(**more)
        self._board: Board | None = None

    @property
    def board(self) -> Board:
        """The day's board, beside the process that serves it: opened when first asked."""
        if self._board is None:
            self._board = Board(Path(self.folder))
        return self._board

    def seat_of(self, code: str) -> str:
        """The seat of a code, as the board has it."""
        try:
            joined = self.board.whose(code)
        except RefusedError as error:
            raise HTTPError(403, str(error)) from None
        if joined.role != "learner":
            raise HTTPError(403, "this is no seat's code; it opens the board")
        return joined.seat

    async def pre_spawn_start(self, user: Any, spawner: Any) -> None:
        """Tell the seat's programs of their board, by a token that tells of this seat alone."""
        if not self.board_address:
            return
        seat = str(user.name)
        certificate = Path(self.board_certificate)
        told = {
            "address": self.board_address,
            "seat": seat,
            "token": self.board.token_for(seat, now()),
            "life": self.board.life_of(seat),
            "certificate": certificate.read_text() if self.board_certificate else "",
        }
        spawner.environment = {**spawner.environment, SEAT_BOARD: json.dumps(told)}
