"""The board over HTTP, and the site beside it: addresses, and what each answers to whom."""

from __future__ import annotations

import time
from dataclasses import asdict
from typing import Any, ClassVar, Final

import tornado.web
from pydantic import TypeAdapter, ValidationError

from ppslab_class.board import RefusedError, acts, rights, views
from ppslab_class.board.board import now
from ppslab_class.board.events import Batch
from ppslab_class.board.rights import Right
from ppslab_class.board.screens import BusyError, NotAgreedError, Sharing, Typing
from ppslab_class.server.handler import Hall, Handler
from ppslab_class.server.reading import Page, Site, Slides


class Api(Handler):
    """An address of the board: `right` is what its asker needs."""

    right: ClassVar[Right | None] = None

    def prepare(self) -> None:
        """Refuse whoever may not, before anything is read."""
        if self.request.method == "POST":
            self._from_here()
        asker = self.who()
        if self.right is None:
            return
        if asker is None:
            raise tornado.web.HTTPError(401, reason="join first")
        if not rights.may(asker.role, self.right):
            raise tornado.web.HTTPError(403, reason=f"no right to {self.right}")
        self.asker = asker

    def _from_here(self) -> None:
        """Another site's page can send a form here, but no JSON, and not from our address."""
        kind = self.request.headers.get("Content-Type", "").partition(";")[0].strip()
        origin = self.request.headers.get("Origin")
        here = f"{self.request.protocol}://{self.request.host}"
        if kind != "application/json" or (origin is not None and origin != here):
            raise tornado.web.HTTPError(403, reason="only JSON from a page of this address")

    def body(self, shape: TypeAdapter[Any]) -> Any:
        """What was sent; 400 for what does not fit, with the first thing that does not."""
        try:
            return shape.validate_json(self.request.body)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False, include_context=False)[0]
            place = ".".join(str(each) for each in first["loc"])
            self.answer({"error": f"{place}: {first['msg']}"}, 400)
            raise tornado.web.Finish from None


_CODE: Final[TypeAdapter[dict[str, str]]] = TypeAdapter(dict[str, str])
_BATCH: Final[TypeAdapter[Batch]] = TypeAdapter(Batch)
_SHARING: Final[TypeAdapter[Sharing]] = TypeAdapter(Sharing)
_TYPING: Final[TypeAdapter[Typing]] = TypeAdapter(Typing)


class Join(Api):
    """A code for a token, and whether the asker has one."""

    def get(self) -> None:
        """Who has joined in this browser; an answer too where nobody has."""
        asker = self.who()
        if asker is None:
            self.answer({"seat": None})
            return
        board = self.hall.board
        told = {"seat": asker.seat, "role": asker.role, "life": board.lives[asker.seat]}
        self.answer({**told, "title": board.day.title})

    def post(self) -> None:
        """The token goes into a cookie that no script reads; a command gets it in the answer."""
        body = self.body(_CODE)
        hall, clock, address = self.hall, time.monotonic(), self.request.remote_ip or ""
        if not hall.guesses.take(address, clock):
            self.answer({"error": "too many wrong codes; wait a minute"}, 429)
            return
        try:
            joined, token = hall.board.join(body.get("code", ""), now())
        except RefusedError as error:
            self.answer({"error": str(error)}, 403)
            return
        hall.guesses.give_back(address, clock)
        life = hall.board.lives[joined.seat]
        told = {"seat": joined.seat, "role": joined.role, "life": life}
        if body.get("for") == "command":
            told["token"] = token
        else:
            self.keep_cookie(token, 3 * 86_400, staff=joined.role != "learner")
        self.answer({**told, "title": hall.board.day.title})


class Leave(Api):
    """The end of a token."""

    right = "leave"

    def post(self) -> None:
        """Forget it, here and in the browser."""
        self.hall.board.leave(self.token)
        self.keep_cookie("", 0, staff=True)
        self.answer({"left": self.asker.seat})


class Seat(Api):
    """What a seat polls."""

    right = "hear messages"

    def get(self) -> None:
        """The day, and messages after the number `after`."""
        after = self.get_query_argument("after", "0")
        hall = self.hall
        number = int(after) if after.isascii() and after.isdigit() and len(after) < 12 else 0
        self.answer(views.of_seat(hall.board, hall.content, self.asker.seat, number, now()))


class Events(Api):
    """What a seat tells."""

    right = "tell of oneself"

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
    """What the instructor polls."""

    right = "see the class"

    def get(self) -> None:
        """Every seat."""
        self.answer(views.of_class(self.hall.board, self.hall.content, now()))


class Act(Api):
    """What the instructor does."""

    right = "act on the class"

    def post(self) -> None:
        """Do it."""
        act = self.body(acts.ACT)
        try:
            self.hall.board.act(act, now())
        except RefusedError as error:
            self.answer({"error": str(error)}, 400)
            return
        self.answer({"done": act.do})


class Share(Api):
    """What a seat shows of its terminal."""

    right = "show one's terminal"

    def post(self) -> None:
        """Take it in, and answer with what the instructor typed; none of it goes to the disk."""
        if not self.hall.shares.take(self.asker.seat, time.monotonic()):
            self.answer({"error": "too often; wait a few seconds"}, 429)
            return
        sharing: Sharing = self.body(_SHARING)
        self.answer(views.of_sharing(self.hall.board.share(self.asker.seat, sharing)))


class Watch(Api):
    """A seat's terminal, as its learner shows it."""

    right = "see a terminal"

    def get(self) -> None:
        """The screen of `seat`, with its age."""
        seat = self.get_query_argument("seat", "")[:40]
        try:
            view = self.hall.board.screens.watch(seat)
        except NotAgreedError as error:
            self.answer({"error": str(error)}, 403)
            return
        self.answer({"seat": seat, **asdict(view)})


class Keys(Api):
    """What an instructor types at a seat."""

    right = "type at a terminal"

    def post(self) -> None:
        """It waits for the seat's next poll."""
        typing: Typing = self.body(_TYPING)
        if not self.hall.keys.take(typing.seat, time.monotonic()):
            self.answer({"error": "too often; wait a few seconds"}, 429)
            return
        try:
            number = self.hall.board.screens.type(typing)
        except NotAgreedError as error:
            self.answer({"error": str(error)}, 403)
        except BusyError as error:
            self.answer({"error": str(error)}, 429)
        else:
            self.answer({"n": number})


class Projector(Api):
    """What the projector polls."""

    right = "see the projector"

    def get(self) -> None:
        """The question that is shown."""
        self.answer(views.of_projector(self.hall.board, self.hall.content))


def application(hall: Hall) -> tornado.web.Application:
    """Every address; the rest is the site's."""
    shared = {"hall": hall}
    to_join = {"url": "/workshop/pages/join", "permanent": False}
    return tornado.web.Application(
        [
            (r"/workshop/api/join", Join, shared),
            (r"/workshop/api/leave", Leave, shared),
            (r"/workshop/api/seat", Seat, shared),
            (r"/workshop/api/events", Events, shared),
            (r"/workshop/api/class", Class, shared),
            (r"/workshop/api/act", Act, shared),
            (r"/workshop/api/share", Share, shared),
            (r"/workshop/api/watch", Watch, shared),
            (r"/workshop/api/keys", Keys, shared),
            (r"/workshop/api/projector", Projector, shared),
            (r"/workshop/?", tornado.web.RedirectHandler, to_join),
            (r"/workshop/pages/([a-z.]+)", Page, shared),
            (r"/slides", tornado.web.RedirectHandler, {"url": "/slides/", "permanent": False}),
            (r"/slides/(.*)", Slides, shared),
            (r"/(.*)", Site, shared),
        ],
        log_function=lambda handler: None,
        compress_response=False,
    )
