"""A class of nobody: N learners that do all tasks against a real server, which may be killed.

    .venv/bin/python packages/ppslab-class/benchmarks/rehearsal.py --seats 30 [--kill]

A learner keeps what it tells in a queue until the board has it, as `seat.js` does in a browser.  A
bad network is netem's to make, in a network namespace around all of it (book/hall-reference.md).
"""

from __future__ import annotations

import asyncio
import os
import random
import re
import resource
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import httpx
import numpy as np
import typer

from ppslab.core.errors import CannotHereError
from ppslab.core.text.tables import Cell, Table
from ppslab.course.learning.chapters import PAGES
from ppslab.course.own_seat import Kind
from ppslab_class import content
from ppslab_class.board import Board
from ppslab_class.board.board import STAFF
from ppslab_class.content import Content

TIMEOUT_SECONDS = 15.0
"""A browser's request gives up after as long (seat.js)."""
POLL_SECONDS = 5.0
AGAIN_SECONDS = (0.5, 8.0)
"""After a failure, and at most, doubling in between."""
AT_ONCE = 100
HELP_AFTER = 4
"""Failed checks of one task: one more than those after which the board calls a seat stuck."""
KILLED_SECONDS = 1.0
"""For so long there is no server: learners notice."""
STOP_SECONDS = 20
"""After Ctrl-C."""

_LOADED = re.compile(rb'<(?:script|link|img)\b[^>]*?\s(?:src|href)="([^"#]+)"')
_FILE = re.compile(r"\.(?:js|mjs|css|svg|png|woff2|ico)$")


@dataclass
class Requests:
    """How long the requests of one kind took [s], and how many failed and were tried again."""

    seconds: list[float] = field(default_factory=list)
    failed: int = 0


@dataclass
class Log:
    """What all learners saw, by kind of request; `bytes` as they came over the network."""

    requests: dict[str, Requests] = field(default_factory=dict)
    bytes: int = 0
    events: dict[str, set[str]] = field(default_factory=dict)
    """The names of all events, by seat: what the board must have at the end."""


@dataclass(frozen=True)
class Lesson:
    """What is done in a chapter: its pages, its tasks, and a question to guess and measure.

    `figure`: what the course measured for the question: guesses are around it, measurements near.
    `quiz`: a question of its quiz for the exit ticket, and the letters to choose from; none: empty.
    """

    pages: tuple[str, ...]
    tasks: tuple[str, ...]
    question: str
    figure: float = 1.0
    quiz: str = ""
    letters: tuple[str, ...] = ()


def lessons(course: Content, chapters: Sequence[str], site: Path) -> list[Lesson]:
    """What there is to do in these chapters; pages that the site has."""
    found = []
    for name in chapters:
        folder = site / "book" / name
        pages = [
            f"/book/{name}/{page}.html" for page in PAGES if (folder / f"{page}.html").is_file()
        ]
        question = next(key for key in course.questions if key.startswith(f"{name}/"))
        figures = [figure.value for figure in course.questions[question].beside if figure.value]
        tasks = tuple(task.name for task in course.tasks.get(name, ()))
        lesson = Lesson(tuple(pages), tasks, question, figures[-1] if figures else 1.0)
        if quiz := next((one for one in course.quizzes.values() if one.chapter == name), None):
            letters = tuple(letter for letter, _ in quiz.answers)
            lesson = Lesson(*(lesson.pages, tasks, question, lesson.figure), quiz.name, letters)
        found.append(lesson)
    return found


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
        self._heard = 0
        self._etags: dict[str, str] = {}
        self._sending = asyncio.Lock()

    async def attend(self, course: Sequence[Lesson], pace: float, over: asyncio.Event) -> None:
        """Do all of it, with `pace` seconds of thought between two steps on average.

        `over`: set once all that is to go wrong in this class has; nobody leaves before.
        """
        await self._until_done("join", self._join)
        polling = asyncio.create_task(self._poll())
        try:
            for lesson in course:
                await self._learn(lesson, pace)
            await over.wait()
            while self.queue:
                await self._until_done("tell", self._send)
        finally:
            polling.cancel()

    async def _learn(self, lesson: Lesson, pace: float) -> None:
        page = "index"
        for address in lesson.pages:
            await self._read(address)
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
        self.log.events.setdefault(self.seat, set()).add(name)

    async def _read(self, page: str) -> None:
        """Load a page, and what it loads that is not known yet."""
        body = await self._until_done("page", lambda: self._get(page))
        for address in _loaded(page, body):
            if address not in self._etags:
                await self._until_done("file", lambda address=address: self._get(address))

    async def _get(self, address: str) -> bytes:
        known = self._etags.get(address)
        answer = await self.client.get(address, headers={"If-None-Match": known} if known else {})
        self.log.bytes += answer.num_bytes_downloaded
        # A page that names what is not there is the site's fault, and tested with the site.
        self._etags[address] = answer.headers.get("ETag", "none")
        return answer.content if answer.status_code == 200 else b""

    async def _join(self) -> None:
        answer = await self.client.post("/workshop/api/join", json={"code": self.code})
        answer.raise_for_status()

    async def _send(self) -> None:
        async with self._sending:
            if events := self.queue[:AT_ONCE]:
                body = {"now": datetime.now(UTC).isoformat(), "life": 0, "events": events}
                (await self.client.post("/workshop/api/events", json=body)).raise_for_status()
                self.queue = self.queue[len(events) :]

    async def _hear(self) -> None:
        answer = await self.client.get(f"/workshop/api/seat?after={self._heard}")
        self._heard += len(answer.raise_for_status().json()["messages"])

    async def _poll(self) -> None:
        while True:
            await asyncio.sleep(POLL_SECONDS * self.random.uniform(0.8, 1.2))
            await self._until_done("poll", self._hear)

    async def _think(self, pace: float) -> None:
        await asyncio.sleep(self.random.expovariate(1 / pace) if pace else 0)

    async def _until_done(self, kind: str, request: Callable[[], Awaitable[Any]]) -> Any:
        """Ask again and again while it fails; each success is noted with its own time."""
        requests, wait = self.log.requests.setdefault(kind, Requests()), AGAIN_SECONDS[0]
        while True:
            begun = time.perf_counter()
            try:
                result = await request()
            except httpx.HTTPError:
                requests.failed += 1
                await asyncio.sleep(wait * self.random.uniform(0.8, 1.2))
                wait = min(wait * 2, AGAIN_SECONDS[1])
                continue
            requests.seconds.append(time.perf_counter() - begun)
            return result


def _loaded(page: str, body: bytes) -> Iterable[str]:
    """The addresses of what a browser loads with a page."""
    named = (urljoin(page, address.decode()).partition("?")[0] for address in _LOADED.findall(body))
    return dict.fromkeys(one for one in named if one.startswith("/") and _FILE.search(one))


@dataclass
class Server:
    """`ppslab workshop start` on a folder and a site; plain HTTP, for this machine alone."""

    folder: Path
    site: Path
    cpu: int | None = None
    port: int = 0
    ended_by_itself: bool = True
    """Whether it ended whenever it was stopped."""
    _process: subprocess.Popen[str] | None = field(default=None, repr=False)

    def start(self) -> None:
        """Start it, at the same port as before; CannotHereError where it says no address."""
        words = ["workshop", "start", "--plain", "--host", "127.0.0.1", "--name", "127.0.0.1"]
        # The board has its own seats already.
        words += ["--folder", str(self.folder), "--site", str(self.site), "--seats", "1"]
        self._process = subprocess.Popen(
            [f"{sys.prefix}/bin/ppslab", *words, "--port", str(self.port)],
            stdout=subprocess.PIPE,
            text=True,
            # The rehearsal's own Ctrl-C is not the server's: that is stopped after the learners.
            start_new_session=True,
        )
        if self.cpu is not None:
            os.sched_setaffinity(self._process.pid, {self.cpu})
        assert self._process.stdout
        for line in self._process.stdout:
            address = line.removeprefix("The class: http://127.0.0.1:")
            if address != line:
                self.port = int(address.partition("/")[0])
                return
        raise CannotHereError(f"the server ended at once, with {self._process.wait()}")

    def check(self) -> None:
        """CannotHereError where it has ended by itself."""
        if self._process and (code := self._process.poll()) is not None:
            raise CannotHereError(f"the server ended in mid-class, with {code}")

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """As Ctrl-C does, or a power cut; what does not end in time is killed."""
        if self._process is None:
            return
        self._process.send_signal(how)
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.ended_by_itself = False
            self._process.kill()
            self._process.wait()
        assert self._process.stdout
        self._process.stdout.close()
        self._process = None


@dataclass(frozen=True)
class Rehearsal:
    """What is tried: `pace` seconds of thought between two steps; `kill` the server mid-class."""

    seats: int
    pace: float
    kill: bool = False
    cpu: int | None = None
    seed: int = 1


@dataclass(frozen=True)
class Outcome:
    """What came out; `missing`, `strange`: events that were told and not kept, and the reverse."""

    rehearsal: Rehearsal
    log: Log
    seconds: float
    missing: int
    strange: int
    undone: int
    """Tasks that the board does not show as done."""
    ended: bool = True
    """Whether the server ended at Ctrl-C."""

    @property
    def well(self) -> bool:
        """Whether all that was told is on the board, once, and the server ended when asked."""
        return self.ended and not (self.missing or self.strange or self.undone)

    def table(self) -> Table:
        """Requests by kind, and what they took."""
        rows = []
        for kind, requests in self.log.requests.items():
            times = np.array(requests.seconds or [np.nan]) * 1e3
            quantiles = (f"{np.quantile(times, q):.1f}" for q in (0.5, 0.99, 1.0))
            cells = (kind, f"{len(requests.seconds)}", f"{requests.failed}", *quantiles)
            rows.append(tuple(Cell(text) for text in cells))
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu_seconds = used.ru_utime + used.ru_stime
        notes = (
            f"{self.rehearsal.seats} seats in {self.seconds:.0f} s; "
            f"{self.log.bytes / 1e6:.1f} MB of the site were sent.",
            f"Server: {cpu_seconds:.1f} s of CPU ({cpu_seconds / self.seconds:.0%} of one), "
            f"{used.ru_maxrss / 1024:.0f} MiB.",
            f"Of {sum(map(len, self.log.events.values()))} events {self.missing} are not on the "
            f"board, and {self.strange} are that nobody told; {self.undone} tasks are not shown as "
            "done.",
            *([] if self.ended else [f"The server had not ended {STOP_SECONDS} s after Ctrl-C."]),
        )
        header = ("request", "done", "failed and repeated", "median ms", "p99 ms", "most ms")
        return Table("The rehearsal", header, tuple(rows), notes)


def rehearse(rehearsal: Rehearsal, folder: Path, site: Path, course: Sequence[Lesson]) -> Outcome:
    """Do it all; the folder holds the day afterwards, as a real one's does."""
    board = Board(folder)
    codes = board.set_up(rehearsal.seats, "A rehearsal", None)
    board.close()
    server, log = Server(folder, site, rehearsal.cpu), Log()
    server.start()
    begun = time.monotonic()
    try:
        asyncio.run(_class(rehearsal, server, codes, course, log))
        seconds = time.monotonic() - begun
    finally:
        server.stop()
    return judge(rehearsal, folder, course, log, seconds, ended=server.ended_by_itself)


async def _class(
    rehearsal: Rehearsal,
    server: Server,
    codes: dict[str, str],
    course: Sequence[Lesson],
    log: Log,
) -> None:
    """Until every learner is done, or the server has ended: nobody would ever be without it."""
    over = asyncio.Event()
    async with AsyncExitStack() as stack:
        learners = []
        for number, (seat, code) in enumerate(codes.items()):
            if seat not in STAFF:
                address = f"http://127.0.0.1:{server.port}"
                client = httpx.AsyncClient(base_url=address, timeout=TIMEOUT_SECONDS)
                await stack.enter_async_context(client)
                learners.append(Learner(seat, code, client, log, rehearsal.seed * 1000 + number))
        watching = asyncio.create_task(_watch(rehearsal, server, log, over))
        learning = asyncio.gather(*(one.attend(course, rehearsal.pace, over) for one in learners))
        try:
            await asyncio.wait((learning, watching), return_when=asyncio.FIRST_COMPLETED)
            if watching.done():
                await watching
            await learning
        finally:
            learning.cancel()
            watching.cancel()
            # Nobody would ask the learners how they ended, and asyncio prints that at length.
            await asyncio.gather(learning, watching, return_exceptions=True)


async def _watch(rehearsal: Rehearsal, server: Server, log: Log, over: asyncio.Event) -> None:
    """Once everybody has told something, kill the server if that is to be, and start it again."""
    while len(log.events) < rehearsal.seats:
        server.check()
        await asyncio.sleep(0.2)
    if rehearsal.kill:
        print("the server is killed")
        server.stop(signal.SIGKILL)
        await asyncio.sleep(KILLED_SECONDS)
        await asyncio.to_thread(server.start)
        print("it is back")
    over.set()
    while True:
        server.check()
        await asyncio.sleep(1)


def judge(
    rehearsal: Rehearsal,
    folder: Path,
    course: Sequence[Lesson],
    log: Log,
    seconds: float,
    *,
    ended: bool = True,
) -> Outcome:
    """Compare what learners told with what the board's file holds."""
    board = Board(folder)
    try:
        kept: dict[str, list[str]] = {}
        for seat, _, event, _ in board.store.events():
            kept.setdefault(seat, []).append(event.id)
        tasks = {task for lesson in course for task in lesson.tasks}
        undone = sum(
            len(tasks - {name for name, task in state.tasks.items() if task.done})
            for state in board.seats.values()
        )
    finally:
        board.close()
    missing = sum(len(names - set(kept.get(seat, ()))) for seat, names in log.events.items())
    strange = sum(
        len(names) - len(set(names) & log.events.get(seat, set())) for seat, names in kept.items()
    )
    return Outcome(rehearsal, log, seconds, missing, strange, undone, ended)


def main(
    seats: int = typer.Option(30, min=1, help="How many learners."),
    chapters: str = typer.Option("fastpath,fasttrack", metavar="A,B", help="What they do."),
    pace: float = typer.Option(1.0, min=0, help="Seconds of thought between two steps."),
    kill: bool = typer.Option(False, "--kill", help="Kill the server mid-class."),
    cpu: int | None = typer.Option(None, min=0, help="The only CPU of the server."),
    site: Path = typer.Option(Path("_build/html"), help="The built site."),
) -> None:
    """Let simulated learners do every task against a real server, and say what it took.

    Exit code 1: something that they reported is not on the board.
    """
    course = lessons(content.load(), chapters.split(","), site)
    with tempfile.TemporaryDirectory(prefix="ppslab-rehearsal-") as folder:
        outcome = rehearse(Rehearsal(seats, pace, kill, cpu), Path(folder), site, course)
    print(outcome.table().plain())
    raise SystemExit(0 if outcome.well else 1)


if __name__ == "__main__":
    typer.run(main)
