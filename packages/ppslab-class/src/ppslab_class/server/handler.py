"""What every address of the server shares: the class, who asks, and how it is answered."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any, Final

import tornado.web

from ppslab_class.board import Board, Joined
from ppslab_class.board.limits import Guesses, Limit
from ppslab_class.content import Content
from ppslab_class.server.files import Files

COOKIE: Final = "ppslab-seat"
COOKIE_PATHS: Final[dict[bool, tuple[str, ...]]] = {
    False: ("/workshop",),
    True: ("/workshop", "/slides", "/book", "/notebooks", "/reports", "/_sources", "/lite"),
}
"""Where a browser shows its token, of a learner and of staff, who also read what is locked.

Not at /: cookies know no ports, and a seat's JupyterLab is at another port of the same host, below
/user.  Whoever opens it would hand the token to that seat's process.
"""

PAGES: Final = Path(__file__).parent.parent / "pages"
MOST_BODY: Final = 256 * 1024

HEADERS: Final = {
    "Server": "ppslab",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Resource-Policy": "same-origin",
}


@dataclass
class Hall:
    """All that the handlers share."""

    board: Board
    content: Content
    site: Files
    secure: bool
    """Whether it is served by HTTPS."""
    slides: Files | None = None
    """The decks, where they are built."""
    pages: Files = field(default_factory=lambda: Files(PAGES))
    guesses: Guesses = field(default_factory=Guesses)
    posts: Limit = field(default_factory=lambda: Limit(30, 2))
    """Of a seat: what is more waits in its browser."""
    shares: Limit = field(default_factory=lambda: Limit(30, 2))
    """Of a seat that shows its terminal."""
    sending: Counter[str] = field(default_factory=Counter)
    """Files on their way to each address."""
    keys: Limit = field(default_factory=lambda: Limit(20, 4))
    """What is typed at a seat."""


class Handler(tornado.web.RequestHandler):
    """What all share: who asks, what they may, and answers as JSON."""

    def initialize(self, hall: Hall) -> None:
        """Tornado's way to give a handler what it needs."""
        self.hall = hall

    def set_default_headers(self) -> None:
        """Headers of every answer, errors too."""
        for name, value in HEADERS.items():
            self.set_header(name, value)

    @property
    def token(self) -> str:
        """What the asker shows: a cookie, or from a command a header."""
        scheme, _, shown = self.request.headers.get("Authorization", "").partition(" ")
        if scheme == "Bearer":
            return shown
        return self.get_cookie(COOKIE) or ""

    def keep_cookie(self, token: str, seconds: int, *, staff: bool) -> None:
        """Let the browser keep the token for so long; 0: forget it.

        Tornado's set_cookie sets one of each name, and this one has several paths.
        """
        for path in COOKIE_PATHS[staff]:
            cookie: SimpleCookie = SimpleCookie({COOKIE: token})
            words: dict[str, Any] = {"path": path, "max-age": seconds, "httponly": True}
            words |= {"samesite": "Strict", "secure": self.hall.secure}
            cookie[COOKIE].update(words)
            self.add_header("Set-Cookie", cookie[COOKIE].OutputString())

    def who(self) -> Joined | None:
        """Who asks."""
        return self.hall.board.who(self.token)

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        """An error in one sentence; nothing of the inside."""
        del kwargs
        self.answer({"error": self._reason}, status_code)

    def answer(self, data: object, status: int = 200) -> None:
        """Answer with JSON."""
        self.set_status(status)
        self.set_header("Content-Type", "application/json")
        self.set_header("Cache-Control", "no-cache")
        self.finish(json.dumps(data, separators=(",", ":")))

    def log_exception(self, *args: Any) -> None:
        """A refusal is no news; anything else goes where Tornado writes it."""
        if not isinstance(args[1], tornado.web.HTTPError):
            super().log_exception(*args)
