"""A learner that nobody is: joins, reads pages with what they load, guesses, tries, measures.

It keeps what it tells in a queue until the board has it, as `seat.js` does in a browser.
"""

from __future__ import annotations

import asyncio
import random
import re
import secrets
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urljoin

import httpx

from ppslab.course.own_seat import Kind

POLL_SECONDS = 5.0
AGAIN_SECONDS = (0.5, 8.0)
"""After a failure, and at most, doubling in between."""
AT_ONCE = 100
HELP_AFTER = 4
"""Failed checks of one task: one more than those after which the board calls a seat stuck."""

_LOADED = re.compile(rb'<(?:script|link|img)\b[^>]*?\s(?:src|href)="([^"#]+)"')
_FILE = re.compile(r"\.(?:js|mjs|css|svg|png|woff2|ico)$")


@dataclass
class Took:
    """How long the requests of one kind took, and how many failed and were tried again."""

    seconds: list[float] = field(default_factory=list)
    failed: int = 0


@dataclass
class Log:
    """What all learners saw, by kind of request; `bytes` as they came over the network."""

    kinds: dict[str, Took] = field(default_factory=dict)
    bytes: int = 0
    told: dict[str, set[str]] = field(default_factory=dict)
    """The names of all events, by seat: what the board must have at the end."""

    def of(self, kind: str) -> Took:
        """The requests of a kind."""
        return self.kinds.setdefault(kind, Took())


@dataclass(frozen=True)
class Lesson:
    """What is done in a chapter: its pages, its tasks, and a question to guess and measure.

    `quiz`: a question of its quiz for the exit ticket, and the letters to choose from; none: empty.
    """

    pages: tuple[str, ...]
    tasks: tuple[str, ...]
    question: str
    figure: float = 1.0
    """What the course measured for the question: guesses are around it, and measurements near."""
    quiz: str = ""
    letters: tuple[str, ...] = ()


class Learner:
    """One seat."""

    def __init__(
        self, seat: str, code: str, client: httpx.AsyncClient, log: Log, seed: int
    ) -> None:
        self.seat = seat
        self.code = code
        self.client = client
        self.log = log
        self.random = random.Random(seed)
        self.queue: list[dict[str, Any]] = []
        self.heard: list[str] = []
        self._etags: dict[str, str] = {}
        self._sending = asyncio.Lock()

    async def attend(self, lessons: Sequence[Lesson], pace: float, right: asyncio.Event) -> None:
        """Do all of them, with `pace` seconds of thought between two steps on average.

        `right`: set once all that is to go wrong in this class has; nobody leaves before.
        """
        await self._until_done("join", self._join)
        polling = asyncio.create_task(self._poll())
        try:
            for lesson in lessons:
                await self._learn(lesson, pace)
            await right.wait()
            while self.queue:
                await self._until_done("tell", self._send)
        finally:
            polling.cancel()

    async def _learn(self, lesson: Lesson, pace: float) -> None:
        page = "index"
        for address in lesson.pages:
            await self.read(address)
            page = address.strip("/").removesuffix(".html") or "index"
            self.tell("at", page)
            await self._think(pace)
        guess = lesson.figure * self.random.lognormvariate(0, 0.5)
        self.tell("guess", lesson.question, f"{guess:.2g}")
        for task in lesson.tasks:
            await self._do(task, page, pace)
        self.tell("measured", lesson.question, f"{lesson.figure * self.random.gauss(1, 0.02):.3g}")
        if lesson.quiz:
            self.tell("exit", lesson.quiz, self.random.choice(lesson.letters))

    async def _do(self, task: str, page: str, pace: float) -> None:
        """Try a task until it passes; who fails too often asks for help, on the page before."""
        fails = self.random.choice((0, 0, 1, 1, 2, 4))
        for number in range(1, fails + 1):
            self.tell("tried", task, "fail")
            if number == HELP_AFTER:
                self.tell("help", page, "asked")
            await self._until_done("tell", self._send)
            await self._think(pace)
        if self.random.random() < 0.3:
            self.tell("hint", task)
        self.tell("tried", task, "pass")
        self.tell("done", task)
        if fails >= HELP_AFTER:
            self.tell("help", page, "withdrawn")
        await self._until_done("tell", self._send)
        await self._think(pace)

    def tell(self, kind: Kind, what: str, value: str = "") -> None:
        """Put an event into the queue."""
        name = secrets.token_hex(8)
        at = datetime.now(UTC).isoformat()
        self.queue.append({"id": name, "kind": kind, "what": what, "value": value, "at": at})
        self.log.told.setdefault(self.seat, set()).add(name)

    async def read(self, page: str) -> None:
        """Load a page, and what it loads that is not known yet."""
        body = await self._until_done("page", lambda: self._get(page))
        for address in _needed(page, body):
            if address not in self._etags:
                await self._until_done("file", lambda address=address: self._get(address))

    async def _get(self, address: str) -> bytes:
        known = self._etags.get(address)
        answer = await self.client.get(address, headers={"If-None-Match": known} if known else {})
        self.log.bytes += answer.num_bytes_downloaded
        if answer.status_code not in (200, 304):
            # A page names what is not there: that is the site's fault, and tested with the site.
            self._etags[address] = "none"
            return b""
        self._etags[address] = answer.headers.get("ETag", "none")
        return answer.content

    async def _join(self) -> None:
        answer = await self.client.post("/workshop/api/join", json={"code": self.code})
        answer.raise_for_status()

    async def _send(self) -> None:
        async with self._sending:
            events = self.queue[:AT_ONCE]
            if not events:
                return
            body = {"now": datetime.now(UTC).isoformat(), "life": 0, "events": events}
            (await self.client.post("/workshop/api/events", json=body)).raise_for_status()
            self.queue = self.queue[len(events) :]

    async def _hear(self) -> None:
        answer = await self.client.get(f"/workshop/api/seat?after={len(self.heard)}")
        answer.raise_for_status()
        self.heard += [each["text"] for each in answer.json()["messages"]]

    async def _poll(self) -> None:
        while True:
            await asyncio.sleep(POLL_SECONDS * self.random.uniform(0.8, 1.2))
            await self._until_done("poll", self._hear)

    async def _think(self, pace: float) -> None:
        await asyncio.sleep(self.random.expovariate(1 / pace) if pace else 0)

    async def _until_done(self, kind: str, does: Any) -> Any:
        """Do it, again and again while it fails; each success is noted with its own time."""
        took, wait = self.log.of(kind), AGAIN_SECONDS[0]
        while True:
            begun = time.perf_counter()
            try:
                result = await does()
            except httpx.HTTPError:
                took.failed += 1
                await asyncio.sleep(wait * self.random.uniform(0.8, 1.2))
                wait = min(wait * 2, AGAIN_SECONDS[1])
                continue
            took.seconds.append(time.perf_counter() - begun)
            return result


def _needed(page: str, body: bytes) -> Iterable[str]:
    """The addresses of what a browser loads with a page."""
    found = (urljoin(page, address.decode()).partition("?")[0] for address in _LOADED.findall(body))
    return dict.fromkeys(each for each in found if each.startswith("/") and _FILE.search(each))
