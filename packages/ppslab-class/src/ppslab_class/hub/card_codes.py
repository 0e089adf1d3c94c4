"""The codes of the cards as the login of a JupyterHub: those of a file, and a limit of tries.

On a cluster the hub has this file and the two that it imports, and no ppslab (`values`); on one
server `authenticator` asks the board itself.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any, Final

from jupyterhub.auth import Authenticator
from tornado.web import HTTPError
from traitlets import Unicode

try:
    from ppslab_class.board import codes, limits
except ImportError:
    import ppslab_codes as codes  # type: ignore[no-redef, import-not-found]
    import ppslab_limits as limits  # type: ignore[no-redef, import-not-found]

FORM: Final = """
<form action="{{ authenticator_login_url }}" method="post">
  <h1>Your seat</h1>
  {% if login_error %}<p class="login_error" role="alert">{{ login_error | e }}</p>{% endif %}
  <input type="hidden" name="_xsrf" value="{{ xsrf }}">
  <label for="code">The code on your card</label>
  <input id="code" name="code" class="form-control" autocomplete="off" autocapitalize="characters"
         spellcheck="false" required autofocus>
  <button class="btn btn-jupyter">Sit down</button>
</form>
"""


class CardCodes(Authenticator):  # type: ignore[misc]  # jupyterhub has no types
    """Who shows a seat's code is that seat; staff's codes open the board alone."""

    codes = Unicode(help='JSON: {"secret": HEX, "seats": {DIGEST: SEAT}}.').tag(config=True)

    def __init__(self, **more: Any) -> None:
        super().__init__(**more)
        self.custom_html = FORM
        self.guesses = limits.Guesses()

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

    def seat_of(self, code: str) -> str:
        """The seat of a code; HTTPError 403, with the reason, for a code that is none's."""
        told = json.loads(Path(self.codes).read_text(encoding="utf-8"))
        seat = told["seats"].get(codes.digest(code, bytes.fromhex(told["secret"])))
        if seat is None:
            raise HTTPError(403, "no seat has this code; look at the card again")
        return str(seat)
