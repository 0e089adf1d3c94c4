"""The site and the board from one process: HTTP(S) by Tornado, files compressed once, polling.

A learner's script is put into every page here and not in the site, so a site that is published
elsewhere holds nothing of a workshop.

Two ports, which are two origins to a browser: the class's, with the site and JupyterLite, in which
anybody's notebook may run; and staff's, with the board, the projector and the slides.  On one
origin, a learner's notebook that the instructor opened would act as the instructor.  Cookies know
no ports, so each port reads a cookie of its own name, takes the tokens of its own roles alone, and
staff's answers nothing but staff's own pages.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import mimetypes
import re
import resource
import socket
import ssl
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any, ClassVar, Final, TypeAlias
from urllib.parse import urlsplit

import tornado.httpserver
import tornado.netutil
import tornado.web
from pydantic import TypeAdapter, ValidationError
from tornado.iostream import StreamClosedError

from ppslab.core.errors import CannotHereError, FileError
from ppslab_class.board import Board, Joined, RefusedError, messages, views
from ppslab_class.board.board import STAFF, Right, may, now
from ppslab_class.board.codes import Guesses, Limit
from ppslab_class.board.messages import Batch
from ppslab_class.content import Content

# --- files ---------------------------------------------------------------------------------------

COMPRESSED: Final = frozenset(
    ".html .css .js .mjs .json .svg .txt .xml .wasm .ipynb .data .whl .py .inv".split()
)
SCRIPT: Final = b'<script defer src="/workshop/pages/seat.js"></script>'
_HEAD_END = re.compile(rb"</head\s*>", re.IGNORECASE)

# Debian's list of types, or none, decides otherwise.
_TYPES: Final = {
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".json": "application/json",
    ".ipynb": "application/json",
    ".wasm": "application/wasm",
    ".svg": "image/svg+xml",
}


class Files:
    """A folder that is served; a file is compressed once, when it is first asked for."""

    def __init__(self, folder: Path, *, script: bytes = b"") -> None:
        self.folder = folder.resolve()
        self.script = script
        self._compressed: dict[Path, tuple[str, bytes]] = {}
        self._compressing = Lock()

    def path(self, address: str) -> Path | None:
        """Return the file at an address below the folder; None where there is none to read.

        What begins with a dot is the builder's own.
        """
        parts = [part for part in address.split("/") if part]
        if any(part.startswith(".") or "\\" in part or "\0" in part for part in parts):
            return None
        try:
            path = self.folder.joinpath(*parts).resolve()
            if path.is_dir():
                path = path / "index.html"
            inside = path.is_relative_to(self.folder) and path.is_file()
        except OSError:  # a name too long
            return None
        return path if inside else None

    def read(self, path: Path) -> bytes:
        """Return the content, in a page with the seat's script."""
        body = path.read_bytes()
        if self.script and path.suffix == ".html":
            body = _HEAD_END.sub(lambda end: self.script + end[0], body, count=1)
        return body

    def kept(self, path: Path, version: str) -> bytes | None:
        """Return the compressed content of this version, if it was asked for before."""
        old, body = self._compressed.get(path, ("", None))
        return body if old == version else None

    def compress(self, path: Path, version: str) -> bytes:
        """Return the compressed content; takes up to a second, so not among other requests.

        One at a time: a class asks for the same file at once, and all but the first find it kept.
        """
        with self._compressing:
            body = self.kept(path, version)
            if body is None:
                body = gzip.compress(self.read(path), compresslevel=6, mtime=0)
                self._compressed[path] = (version, body)
            return body


# --- what every handler shares -------------------------------------------------------------------

MOST_FILES: Final = 65536
"""Not the millions that some machines allow: programs that close each number would take long."""


def open_more() -> None:
    """Let this process open as many files as it may, up to 65536: connections are files.

    A shell's programs have 1024 of them on Debian, which one seat's silent connections take.
    """
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


COOKIES: Final[dict[bool, str]] = {False: "ppslab-seat", True: "ppslab-staff"}
"""The cookie with the token, on the class's port and on staff's."""

COOKIE_PATH: Final = "/workshop"
"""Not at /: cookies know no ports, and a seat's JupyterLab is at another port of the same host,
below /user.  Whoever opens it would hand the token to that seat's process.
"""

PAGES: Final = Path(__file__).parent / "pages"
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
    """The state that the handlers share."""

    board: Board
    content: Content
    site: Files
    secure: bool
    """True for HTTPS."""
    address: str = ""
    """The origin of the class's port, as the cards have it."""
    staff_address: str = ""
    """The origin of staff's port."""
    slides: Files | None = None
    """The decks, where they are built."""
    pages: Files = field(default_factory=lambda: Files(PAGES))
    guesses: Guesses = field(default_factory=Guesses)
    posts: Limit = field(default_factory=lambda: Limit(30, 2))
    """The rate of a seat's reports; the rest waits in its browser."""


class Handler(tornado.web.RequestHandler):
    """The base of all: identity, rights, and answers as JSON."""

    def initialize(self, hall: Hall, staff: bool) -> None:
        """Tornado's way to give a handler what it needs; `staff`: on staff's port."""
        self.hall = hall
        self.staff = staff

    def set_default_headers(self) -> None:
        """Headers of every answer, errors too."""
        for name, value in HEADERS.items():
            self.set_header(name, value)

    @property
    def token(self) -> str:
        """The asker's token, from a cookie."""
        return self.get_cookie(COOKIES[self.staff]) or ""

    def who(self) -> Joined | None:
        """Return the asker; None for nobody, and for who belongs on the other port."""
        asker = self.hall.board.who(self.token)
        return asker if asker and (asker.seat in STAFF) == self.staff else None

    @property
    def here(self) -> str:
        """The origin of this port, as the asker wrote it."""
        return f"{self.request.protocol}://{self.request.host}"

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        """An error in one sentence; nothing of the inside."""
        del kwargs
        self.answer({"error": self._reason}, status_code)

    def answer(self, data: object, status: int = 200) -> None:
        self.set_status(status)
        self.set_header("Content-Type", "application/json")
        self.set_header("Cache-Control", "no-cache")
        self.finish(json.dumps(data, separators=(",", ":")))

    def log_exception(self, *args: Any) -> None:
        """A refusal is no news; anything else goes where Tornado writes it."""
        if not isinstance(args[1], tornado.web.HTTPError):
            super().log_exception(*args)


OWN_PAGES: Final = "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; object-src 'none'"
"""Our own pages load nothing that is not beside them, and hold no script in themselves."""

DECKS: Final = (
    "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; font-src 'self'; frame-ancestors 'self'; base-uri 'none'; "
    "object-src 'none'"
)
"""A deck begins with a script in its page, and opens the speaker's window with another."""


PART: Final = 64 * 1024
"""Bytes that are handed on at once: what a connection that reads slowly holds of our memory."""


class FileHandler(Handler):
    """A file of a folder, compressed, with its ETag."""

    async def give(self, folder: Files, address: str) -> None:
        """Send it, or say that it is not there."""
        path = folder.path(address)
        if path is None:
            raise tornado.web.HTTPError(404, reason="there is no such page")
        status = path.stat()
        version = f"{status.st_mtime_ns:x}-{status.st_size:x}"
        encoding = ""
        if path.suffix in COMPRESSED:
            self.set_header("Vary", "Accept-Encoding")
            if "gzip" in self.request.headers.get("Accept-Encoding", ""):
                encoding = "gzip"
                self.set_header("Content-Encoding", encoding)
        guessed = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
        self.set_header("Content-Type", _TYPES.get(path.suffix, guessed))
        self.set_header("Cache-Control", "no-cache")
        self.set_header("ETag", f'"{version}{encoding}"')
        if self.check_etag_header():
            self.set_status(304)
            self.finish()
            return
        if encoding:
            body = folder.kept(path, version)
            if body is None:
                body = await asyncio.to_thread(folder.compress, path, version)
        else:
            body = await asyncio.to_thread(folder.read, path)
        self.set_header("Content-Length", len(body))
        try:
            for start in range(0, len(body), PART):
                self.write(body[start : start + PART])
                await self.flush()
            self.finish()
        except StreamClosedError:
            return

    def compute_etag(self) -> str | None:
        """Return the ETag that was set, not one more digest of the body."""
        return str(self._headers.get("ETag")) if "ETag" in self._headers else None


STAFF_PAGES: Final = frozenset({"board", "projector", "staff"})


class Page(FileHandler):
    """Our own pages: join, board, projector, and what they load."""

    async def get(self, name: str) -> None:
        """The page; it holds nothing that its polls do not bring."""
        if not self.staff and name.removesuffix(".html") in STAFF_PAGES:
            self.redirect(f"{self.hall.staff_address}/workshop/pages/{name}")
            return
        if self.staff and name == "join":
            name = "staff"
        self.set_header("Content-Security-Policy", OWN_PAGES)
        await self.give(self.hall.pages, name if "." in name else f"{name}.html")


class ToClass(Handler):
    """A page of the site, asked for at staff's port: a notebook would be of staff's origin."""

    def get(self, address: str) -> None:
        """Send the browser to the class's port."""
        self.redirect(f"{self.hall.address}/{address}")


class Slides(FileHandler):
    """The decks, with the speaker's notes."""

    async def get(self, address: str) -> None:
        """A page of a deck, or what it loads."""
        asker = self.who()
        if asker is None:
            self.redirect("/workshop/pages/join")
            return
        if not may(asker.role, "see the slides"):
            raise tornado.web.HTTPError(403, reason="no right to see the slides")
        if self.hall.slides is None:
            raise tornado.web.HTTPError(404, reason="no slides are built: make slides builds them")
        self.set_header("Content-Security-Policy", DECKS)
        # The speaker's window shows the deck in frames.
        self.set_header("X-Frame-Options", "SAMEORIGIN")
        await self.give(self.hall.slides, address)


class Site(FileHandler):
    """A page of the course."""

    async def get(self, address: str) -> None:
        await self.give(self.hall.site, address)


class Api(Handler):
    """An address of the board: `right` is what its asker needs."""

    right: ClassVar[Right | None] = None

    def prepare(self) -> None:
        """Refuse whoever may not, before anything is read."""
        if self.staff:
            self._from_own_page()
        if self.request.method == "POST":
            self._from_here()
        asker = self.who()
        if self.right is None:
            return
        if asker is None:
            raise tornado.web.HTTPError(401, reason="join first")
        if not may(asker.role, self.right):
            raise tornado.web.HTTPError(403, reason=f"no right to {self.right}")
        self.asker = asker

    def _from_here(self) -> None:
        """Another site's page can send a form here, but no JSON, and not from our address."""
        kind = self.request.headers.get("Content-Type", "").partition(";")[0].strip()
        origin = self.request.headers.get("Origin")
        if kind != "application/json" or (origin is not None and origin != self.here):
            raise tornado.web.HTTPError(
                403, reason="the server accepts only JSON from a page of this address"
            )

    def _from_own_page(self) -> None:
        """The page that asks says where it is from: of staff's own origin, or there is no answer.

        The class's port is of the same site, so the browser sends it staff's cookie, Strict or
        not.  Over plain HTTP it sends no Sec-Fetch-Site, and no Origin with a GET: then Referer.
        """
        headers = self.request.headers
        site = headers.get("Sec-Fetch-Site")
        origin = headers.get("Origin") or _origin(headers.get("Referer", ""))
        own = origin == self.here if origin else site is not None
        if not own or site not in (None, "same-origin"):
            raise tornado.web.HTTPError(403, reason="the board answers only its own pages")

    def body(self, shape: TypeAdapter[Any]) -> Any:
        """Return the body; answers 400 with the first thing that does not fit."""
        try:
            return shape.validate_json(self.request.body)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False, include_context=False)[0]
            place = ".".join(str(each) for each in first["loc"])
            self.answer({"error": f"{place}: {first['msg']}"}, 400)
            raise tornado.web.Finish from None


def _origin(address: str) -> str:
    """The origin of an address; empty for none.

    >>> _origin("https://192.0.2.7:8444/workshop/pages/board")
    'https://192.0.2.7:8444'
    """
    scheme, host, *_ = urlsplit(address)
    return f"{scheme}://{host}" if host else ""


_CODE: Final[TypeAdapter[dict[str, str]]] = TypeAdapter(dict[str, str])
_BATCH: Final[TypeAdapter[Batch]] = TypeAdapter(Batch)


class Join(Api):
    """A code for a token, and whether the asker has one."""

    def get(self) -> None:
        """Answer with the seat of this browser, or null."""
        asker = self.who()
        self.answer(self._seat(asker) if asker else {"seat": None})

    def post(self) -> None:
        """The token goes into a cookie that no script reads."""
        body = self.body(_CODE)
        hall, clock, address = self.hall, time.monotonic(), self.request.remote_ip or ""
        if not hall.guesses.take(address, clock):
            self.answer({"error": "too many wrong codes; wait a minute"}, 429)
            return
        try:
            joined = hall.board.whose(body.get("code", ""))
        except RefusedError as error:
            self.answer({"error": str(error)}, 403)
            return
        hall.guesses.give_back(address, clock)
        if (joined.seat in STAFF) != self.staff:
            self.answer({"error": self._elsewhere()}, 403)
            return
        token = hall.board.token_for(joined.seat, now())
        self.set_cookie(
            *(COOKIES[self.staff], token), path=COOKIE_PATH, max_age=3 * 86_400,
            httponly=True, samesite="Strict", secure=hall.secure,
        )  # fmt: skip
        self.answer(self._seat(joined))

    def _seat(self, joined: Joined) -> dict[str, object]:
        board = self.hall.board
        life = board.lives[joined.seat]
        return {"seat": joined.seat, "role": joined.role, "life": life, "title": board.day.title}

    def _elsewhere(self) -> str:
        """Return the sentence that names the right port for this code."""
        if self.staff:
            return f"this code belongs to a seat: type it at {self.hall.address}/workshop"
        return f"this code opens the board: type it in a browser, at {self.hall.staff_address}"


class Leave(Api):
    """The end of a token."""

    right = "leave"

    def post(self) -> None:
        """Forget it, here and in the browser."""
        self.hall.board.leave(self.token)
        self.clear_cookie(COOKIES[self.staff], path=COOKIE_PATH)
        self.answer({"left": self.asker.seat})


class Seat(Api):
    """The poll of a seat."""

    right = "read messages"

    def get(self) -> None:
        """The day, and messages after the number `after`."""
        after = self.get_query_argument("after", "0")
        hall = self.hall
        number = int(after) if after.isascii() and after.isdigit() and len(after) < 12 else 0
        self.answer(views.of_seat(hall.board, hall.content, self.asker.seat, number))


class Events(Api):
    """The reports of a seat."""

    right = "send reports"

    def post(self) -> None:
        """Take the events in; answered when they are on the disk."""
        if not self.hall.posts.take(self.asker.seat, time.monotonic()):
            self.answer({"error": "too often; wait a few seconds"}, 429)
            return
        batch: Batch = self.body(_BATCH)
        try:
            new = self.hall.board.tell(self.asker.seat, batch, now())
        except RefusedError as error:
            self.answer({"error": str(error)}, 413)
            return
        self.answer({"kept": len(batch.events), "new": new})


class Class(Api):
    """The poll of the board."""

    right = "see the class"

    def get(self) -> None:
        self.answer(views.of_class(self.hall.board, self.hall.content, now()))


class Act(Api):
    """The instructor's acts."""

    right = "control the class"

    def post(self) -> None:
        act = self.body(messages.ACT)
        try:
            self.hall.board.act(act, now())
        except RefusedError as error:
            self.answer({"error": str(error)}, 400)
            return
        self.answer({"done": act.do})


class Projector(Api):
    """The poll of the projector."""

    right = "see the projector"

    def get(self) -> None:
        """The question that is shown, and where one joins."""
        shown = views.of_projector(self.hall.board, self.hall.content)
        self.answer({**shown, "join": f"{self.hall.address}/workshop"})


TO_JOIN: Final = {"url": "/workshop/pages/join", "permanent": False}
TO_SLIDES: Final = {"url": "/workshop/slides/", "permanent": False}


def application(hall: Hall) -> tornado.web.Application:
    """Every address of the class's port; the rest is the site's."""
    shared = {"hall": hall, "staff": False}
    return _application(
        [
            (r"/workshop/api/join", Join, shared),
            (r"/workshop/api/leave", Leave, shared),
            (r"/workshop/api/seat", Seat, shared),
            (r"/workshop/api/events", Events, shared),
            (r"/workshop/?", tornado.web.RedirectHandler, TO_JOIN),
            (r"/workshop/pages/([a-z.]+)", Page, shared),
            (r"/(.*)", Site, shared),
        ]
    )


def staff_application(hall: Hall) -> tornado.web.Application:
    """Every address of staff's port; the site's pages are at the class's."""
    shared = {"hall": hall, "staff": True}
    return _application(
        [
            (r"/workshop/api/join", Join, shared),
            (r"/workshop/api/leave", Leave, shared),
            (r"/workshop/api/class", Class, shared),
            (r"/workshop/api/act", Act, shared),
            (r"/workshop/api/projector", Projector, shared),
            (r"/(?:workshop/?)?", tornado.web.RedirectHandler, TO_JOIN),
            (r"/workshop/pages/([a-z.]+)", Page, shared),
            (r"/workshop/slides", tornado.web.RedirectHandler, TO_SLIDES),
            (r"/workshop/slides/(.*)", Slides, shared),
            (r"/((?!workshop/).*)", ToClass, shared),
        ]
    )


def _application(addresses: list[Any]) -> tornado.web.Application:
    return tornado.web.Application(
        addresses, log_function=lambda handler: None, compress_response=False
    )


IDLE_SECONDS = 75
"""A connection that says nothing is closed; a poll every few seconds keeps it."""

BODY_SECONDS = 20
"""The time for a request's body: else thirty slow ones hold thirty connections."""


@dataclass(frozen=True)
class Tls:
    """Certificate (with its chain) and key, in PEM."""

    certificate: Path
    key: Path

    def context(self) -> ssl.SSLContext:
        """For a server; FileError where the two are none, or no pair."""
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        try:
            context.load_cert_chain(self.certificate, self.key)
        except (OSError, ssl.SSLError) as error:
            message = f"no TLS with {self.key.name}: {error}"
            raise FileError(self.certificate, None, message) from None
        return context


Ready: TypeAlias = Callable[[int, int], None]
"""Hears the class's port and staff's."""


async def serve(
    hall: Hall, host: str, ports: tuple[int, int], tls: Tls | None, ready: Ready
) -> None:
    """Serve until cancelled, at the class's port and staff's; 0: any that is free.

    CannotHereError where one is taken.
    """
    listening = [_listen(host, port, option) for port, option in zip(ports, PORTS, strict=True)]
    open_more()
    servers = [
        tornado.httpserver.HTTPServer(
            addresses,
            ssl_options=tls.context() if tls else None,
            max_body_size=MOST_BODY,
            max_header_size=16 * 1024,
            idle_connection_timeout=IDLE_SECONDS,
            body_timeout=BODY_SECONDS,
        )
        for addresses in (application(hall), staff_application(hall))
    ]
    for server, sockets in zip(servers, listening, strict=True):
        server.add_sockets(sockets)
    first, second = (sockets[0].getsockname()[1] for sockets in listening)
    ready(first, second)
    try:
        await asyncio.Event().wait()
    finally:
        for server in servers:
            server.stop()
            await server.close_all_connections()


PORTS: Final = ("--port", "--staff-port")
"""The options that name them."""


def _listen(host: str, port: int, option: str) -> list[socket.socket]:
    try:
        return tornado.netutil.bind_sockets(port, host)
    except OSError as error:
        reason = f"cannot listen at {host} port {port}: {error.strerror or error}"
        raise CannotHereError(reason, f"choose another port with {option}") from None
