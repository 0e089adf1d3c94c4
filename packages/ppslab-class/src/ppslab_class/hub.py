"""Seats on one server: the login by a card's code, and a seat as a unit of systemd.

The recipe's configuration, hub/jupyterhub_config.py of this package, names both classes; the hub
loads this module, and nothing else of ppslab imports it.
"""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any, Final

from jupyterhub.auth import Authenticator
from systemdspawner import SystemdSpawner
from tornado.web import HTTPError
from traitlets import Unicode

from ppslab_class import homes
from ppslab_class.board import Board, RefusedError
from ppslab_class.board.codes import Guesses

RUNTIME: Final = Path("/run")

FORM: Final = """
<form action="{{ authenticator_login_url }}" method="post">
  <h1>Your seat</h1>
  {% if login_error %}<p class="login_error" role="alert">{{ login_error | e }}</p>{% endif %}
  <input type="hidden" name="_xsrf" value="{{ xsrf }}">
  <label for="code">The code on your card</label>
  <input id="code" name="code" class="form-control" autocomplete="off" autocapitalize="characters"
         spellcheck="false" required autofocus>
  <button class="btn btn-jupyter">Open my seat</button>
</form>
"""


class CodeAuthenticator(Authenticator):  # type: ignore[misc]  # jupyterhub has no types
    """Login by a seat's code; staff's codes open the board alone."""

    folder = Unicode(help="What the day keeps: the board's file and secret.").tag(config=True)

    def __init__(self, **more: Any) -> None:
        super().__init__(**more)
        self.custom_html = FORM
        self.guesses = Guesses()
        self._board: Board | None = None

    async def authenticate(self, handler: Any, data: dict[str, str]) -> str:
        """The seat of a code.

        HTTPError 403 for a code that is no seat's, 429 after too many of them: then even the right
        one is refused, else wrong answers could be told from right ones.
        """
        address, clock = handler.request.remote_ip or "", time.monotonic()
        if not self.guesses.take(address, clock):
            raise HTTPError(429, "too many wrong codes; wait a minute")
        seat = self.seat_of(str(data.get("code", "")))
        self.guesses.give_back(address, clock)
        return seat

    @property
    def board(self) -> Board:
        """The day's board, beside the process that serves it: opened when first asked."""
        if self._board is None:
            self._board = Board(Path(self.folder))
        return self._board

    def seat_of(self, code: str) -> str:
        try:
            joined = self.board.whose(code)
        except RefusedError as error:
            raise HTTPError(403, str(error)) from None
        if joined.role != "learner":
            raise HTTPError(403, "this code belongs to no seat; it opens the board")
        return joined.seat


class SeatUnit(SystemdSpawner):  # type: ignore[misc]  # systemdspawner has no types
    """Systemdspawner's unit, whose home has the machine's kernel."""

    async def start(self) -> Any:
        """Make the home, clear what a failed start left, and start the unit."""
        clear(self.unit_name)
        await asyncio.to_thread(homes.make, str(self.user.name))
        return await super().start()


def clear(unit: str, runtime: Path = RUNTIME) -> None:
    """Remove the link to a runtime folder that is gone.

    systemd 252 leaves it where a unit of a user that it made has failed, and systemdspawner 1.0.2
    then starts no other of that name: its os.makedirs() finds a link that leads nowhere.
    """
    link = runtime / unit
    if link.is_symlink() and not link.exists():
        link.unlink()
