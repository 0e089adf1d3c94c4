"""A class of nobody: N learners that do all tasks against a real server, which may be killed.

    .venv/bin/python packages/ppslab-class/benchmarks/rehearsal.py --seats 30 [--kill]
    .venv/bin/python packages/ppslab-class/benchmarks/rehearsal.py --for mum --speed 30

The second walks the plan of a day, block by block, on a clock that runs faster: an instructor says
where the class is, one learner comes late, one reloads a page, one loses the card.

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
from typing import Any, TypeAlias, TypeVar
from urllib.parse import urljoin, urlsplit

import httpx
import numpy as np
import typer

from ppslab.core.errors import CannotHereError
from ppslab.core.text.tables import Cell, Table
from ppslab.course.learning.chapters import PAGES
from ppslab.course.own_seat import Kind
from ppslab_class import afterwards, audiences, content, slides
from ppslab_class.board import Board
from ppslab_class.board.board import STAFF
from ppslab_class.content import Content
from ppslab_class.pace import FAILS, HELP_AFTER, HINTS, Basis, Pace, Step, page_name
from ppslab_class.timetable import Day, Slot, clock

TIMEOUT_SECONDS = 15.0
"""A browser's request gives up after as long (seat.js)."""
POLL_SECONDS = 5.0
AGAIN_SECONDS = (0.5, 8.0)
"""After a failure, and at most, doubling in between."""
LEAST_POLL_SECONDS = 0.25
"""However fast the day's clock is."""
SEATS, DAY_SEATS = 30, 8
DAY_HOURS, DAY_START = 6, 9 * 60
AT_ONCE = 100
LATE_MINUTES = 20
"""When the latecomer comes."""
GRACE_MINUTES = 0.5
"""Who is done so much after a block's end is done with the block."""
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
    passed: dict[str, set[str]] = field(default_factory=dict)
    """Tasks and cases that were told to pass, by seat."""
    heard: dict[str, int] = field(default_factory=dict)
    """The number of the last message, by seat."""
    guessed: dict[str, set[str]] = field(default_factory=dict)
    """The seats that guessed, by question."""
    joined_again: int = 0
    """With the code on a new card."""


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
        self.poll_seconds = POLL_SECONDS
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
        fails = self.random.choice(FAILS)
        for number in range(1, fails + 1):
            self.tell("tried", task, "fail")
            if number == HELP_AFTER:
                self.tell("help", page, "asked")
            await self._until_done("tell", self._send)
            await self._think(pace)
        if self.random.random() < HINTS:
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
        if kind == "tried" and value.startswith("pass"):
            self.log.passed.setdefault(self.seat, set()).add(what)
        if kind == "guess":
            self.log.guessed.setdefault(what, set()).add(self.seat)

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
        heard = self.log.heard.get(self.seat, 0)
        answer = await self.client.get(f"/workshop/api/seat?after={heard}")
        for message in answer.raise_for_status().json()["messages"]:
            self.log.heard[self.seat] = message["n"]

    async def _poll(self) -> None:
        while True:
            await asyncio.sleep(self.poll_seconds * self.random.uniform(0.8, 1.2))
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
            except httpx.HTTPError as error:
                status = _status(error)
                if status == 500:  # a fault that no repeating mends
                    raise
                if status == 401 and kind != "join":
                    # The card was lost: the code on the new one is typed in.
                    self.log.joined_again += 1
                    await self._until_done("join", self._join)
                    continue
                requests.failed += 1
                await asyncio.sleep(wait * self.random.uniform(0.8, 1.2))
                wait = min(wait * 2, AGAIN_SECONDS[1])
                continue
            requests.seconds.append(time.perf_counter() - begun)
            return result


def _status(error: httpx.HTTPError) -> int:
    """Of the answer; 0 where there was none."""
    return error.response.status_code if isinstance(error, httpx.HTTPStatusError) else 0


def _loaded(page: str, body: bytes) -> Iterable[str]:
    """The addresses of what a browser loads with a page."""
    named = (urljoin(page, address.decode()).partition("?")[0] for address in _LOADED.findall(body))
    return dict.fromkeys(one for one in named if one.startswith("/") and _FILE.search(one))


# --- a day ----------------------------------------------------------------------------------------


@dataclass
class Clock:
    """The day's: `speed` times as fast as ours, in minutes from the day's beginning."""

    speed: float
    begun: float = field(default_factory=time.monotonic)

    async def until(self, minute: float) -> None:
        """Wait for a minute of the day; at once, where it is past."""
        await asyncio.sleep(max(0.0, self.begun + minute * 60 / self.speed - time.monotonic()))

    @property
    def poll_seconds(self) -> float:
        """Of a page that polls as fast as the day goes."""
        return max(POLL_SECONDS / self.speed, LEAST_POLL_SECONDS)


@dataclass
class Walk:
    """A day that is walked, and what it took: by block and seat the minutes of each basis.

    `late`, `reloads`, `loses`: the seats (from 0) of whom something is told.
    """

    day: Day
    pace: Pace
    speed: float
    took: dict[int, dict[int, dict[Basis, float]]] = field(default_factory=dict)
    unfinished: dict[int, int] = field(default_factory=dict)
    """By block, the seats that the next block interrupted."""
    guesses: list[tuple[int, int]] = field(default_factory=list)
    """On the projector, and told so far, at the end of each telling."""
    messages: int = 0
    lost_at: float | None = None
    """The minute at which a seat lost its card."""

    @property
    def late(self) -> int:
        return self.pace.seats - 1

    reloads = 0

    @property
    def loses(self) -> int:
        return min(1, self.late)

    def blocks(self) -> Iterable[tuple[int, Slot, float]]:
        """Each block with its number, and the minute at which it begins."""
        now = 0.0
        for number, slot in enumerate(self.day.slots):
            yield number, slot, now
            now += slot.minutes

    def minutes(self, number: int) -> list[float]:
        """What the seats took for a block, of those who sat there when it began."""
        taken = self.took.get(number, {})
        return [sum(bases.values()) for _, bases in sorted(taken.items())]

    def table(self) -> Table:
        """Planned and taken minutes by block, and by what they are known."""
        rows, over, last = [], 0.0, 0
        for number, slot, begun in self.blocks():
            taken = self.minutes(number)
            if not taken:
                continue
            by_basis = [
                float(np.median([each.get(basis, 0.0) for each in self.took[number].values()]))
                for basis in ("counted", "measured", "assumed")
            ]
            median = float(np.median(taken))
            over += max(0.0, median - slot.minutes)
            last += self.unfinished.get(number, 0)
            cells = (
                *(clock(self.day.start + round(begun)), slot.category, slot.what),
                *(f"{slot.minutes}", f"{median:.1f}", f"{max(taken):.1f}"),
                *(f"{minutes:.1f}" for minutes in by_basis),
                f"{self.unfinished.get(number, 0)} of {len(taken)}",
            )
            rows.append(tuple(Cell(text) for text in cells))
        of_day = ("at", "kind", "what", "planned", "median", "slowest")
        header = (*of_day, "counted", "measured", "assumed", "not done")
        seen = sum(shown == told for shown, told in self.guesses)
        notes = (
            "Minutes; the last three are medians of what the block's minutes are known by.",
            f"A minute here was {60 / self.speed:g} s; pages polled every "
            f"{Clock(self.speed).poll_seconds:g} s.",
            f"The projector showed every guess in {seen} of {len(self.guesses)} chapters.",
            *self._drops(over),
        )
        return Table("The day by block", header, tuple(rows), notes)

    def _drops(self, over: float) -> tuple[str, ...]:
        if over < GRACE_MINUTES:
            return ("The median seat keeps to the plan.",)
        saved, dropped = 0, []
        for slot in self.day.when_late:
            if saved >= over:
                break
            saved += slot.minutes
            dropped.append(slot.what)
        return (f"The median seat is {over:.1f} minutes over; drop: {'; '.join(dropped)}.",)


Person = TypeVar("Person", bound=Learner)


class DayLearner(Learner):
    """A seat that walks a day."""

    async def walk(self, walk: Walk, day: Clock, over: asyncio.Event) -> None:
        """Do each block's steps at their minutes; the next block interrupts what is not done."""
        number = int(self.seat.rpartition("-")[2]) - 1
        self.poll_seconds = day.poll_seconds
        # Polls draw from the seat's own at times of the machine's: a day is the same each time.
        dice = random.Random(number)
        free = float(LATE_MINUTES if number == walk.late else 0)
        await day.until(free)
        await self._until_done("join", self._join)
        polling = asyncio.create_task(self._poll())
        try:
            for block, slot, begun in walk.blocks():
                steps = walk.pace.steps(slot, number, dice)
                if steps and begun + slot.minutes > free:
                    if number == walk.reloads and block == len(walk.day.slots) // 2:
                        await self._reload(page_name(walk.pace.address(slot)))
                    begin, end = max(begun, free), begun + slot.minutes
                    taken = await self._block(steps, begin, end, day)
                    if begin == begun:
                        walk.took.setdefault(block, {})[number] = taken
                        done = begun + sum(taken.values()) <= end + GRACE_MINUTES
                        walk.unfinished[block] = walk.unfinished.get(block, 0) + (not done)
            await over.wait()
            while self.queue:
                await self._until_done("tell", self._send)
            while self.log.heard.get(self.seat, 0) < walk.messages:
                await self._until_done("poll", self._hear)
        finally:
            polling.cancel()

    async def _block(
        self, steps: Sequence[Step], begin: float, end: float, day: Clock
    ) -> dict[Basis, float]:
        """Do what fits before the end; returns what all of it takes."""
        taken: dict[Basis, float] = {"counted": 0.0, "measured": 0.0, "assumed": 0.0}
        for step in steps:
            now = begin + sum(taken.values())
            taken[step.basis] += step.minutes
            if now + step.minutes > end + GRACE_MINUTES:
                continue
            await day.until(now)
            if step.page:
                loading = time.monotonic()
                await self._read(step.page)
                taken["measured"] += (time.monotonic() - loading) / 60
            if step.tells:
                await day.until(now + step.minutes)
                for told in step.tells:
                    self.tell(*told)
                await self._until_done("tell", self._send)
        return taken

    async def _reload(self, page: str) -> None:
        """A browser's reload: the page asks who it is, and knows its queue and what it heard."""
        await self._until_done("join", lambda: self.client.get("/workshop/api/join"))
        self.tell("at", page)


class Instructor(Learner):
    """Says where the class is, shows guesses and figures, and hands out the exit ticket."""

    async def lead(self, walk: Walk, day: Clock, learners: Sequence[Learner], folder: Path) -> None:
        """Until the day is over."""
        self.poll_seconds = day.poll_seconds
        await self._until_done("join", self._join)
        polling = asyncio.create_task(self._poll())
        try:
            for _, slot, begun in walk.blocks():
                await day.until(begun)
                await self._begin(walk, slot)
                if slot.category == "break" and walk.lost_at is None:
                    walk.lost_at = begun
                    _new_card(learners[walk.loses], folder)
                if slot.category == "telling":
                    await day.until(begun + slot.minutes)
                    await self._count_guesses(walk, walk.pace.question(slot.chapter))
            await day.until(walk.day.minutes)
            await self._act(do="end", on=True)
        finally:
            polling.cancel()

    async def _begin(self, walk: Walk, slot: Slot) -> None:
        await self._act(do="pause", on=slot.category == "break")
        if page := walk.pace.address(slot):
            await self._act(do="stage", page=page, task=slot.task)
            await self._act(do="message", text=f"Now: {slot.what}", link=page)
            walk.messages += 1
        if slot.category == "telling":
            deck = f"/slides/{slides.file(slot.chapter)}.html"
            await self._until_done("slides", lambda: self._get(deck))
        if slot.category in ("telling", "running"):
            phase = "before" if slot.category == "telling" else "after"
            await self._act(do="show", what=walk.pace.question(slot.chapter), phase=phase)
        if slot.category == "exit":
            await self._act(do="ticket", questions=walk.pace.ticket)

    async def _count_guesses(self, walk: Walk, question: str) -> None:
        async def look() -> int:
            answer = await self.client.get("/workshop/api/projector")
            return int(answer.raise_for_status().json()["guessed"])

        shown = await self._until_done("projector", look)
        walk.guesses.append((shown, len(self.log.guessed.get(question, ()))))

    async def _act(self, **act: Any) -> None:
        async def post() -> None:
            (await self.client.post("/workshop/api/act", json=act)).raise_for_status()

        await self._until_done("act", post)

    async def _hear(self) -> None:
        (await self.client.get("/workshop/api/class")).raise_for_status()


def _new_card(learner: Learner, folder: Path) -> None:
    """As `ppslab workshop cards` does: the code on the card before ends, and who used it is out."""
    board = Board(folder)
    try:
        learner.code = board.new_code(learner.seat)
    finally:
        board.close()


@dataclass
class Server:
    """`ppslab workshop start` on a folder and a site; plain HTTP, for this machine alone."""

    folder: Path
    site: Path
    cpu: int | None = None
    port: int = 0
    staff_port: int = 0
    ended_by_itself: bool = True
    """Whether it ended whenever it was stopped."""
    _process: subprocess.Popen[str] | None = field(default=None, repr=False)

    def start(self) -> None:
        """Start it, at the same ports as before; CannotHereError where it says no address."""
        words = ["workshop", "start", "--plain", "--host", "127.0.0.1", "--name", "127.0.0.1"]
        # The board has its own seats already.
        words += ["--folder", str(self.folder), "--site", str(self.site), "--seats", "1"]
        words += ["--port", str(self.port), "--staff-port", str(self.staff_port)]
        self._process = subprocess.Popen(
            [f"{sys.prefix}/bin/ppslab", *words],
            stdout=subprocess.PIPE,
            text=True,
            # The rehearsal's own Ctrl-C is not the server's: that is stopped after the learners.
            start_new_session=True,
        )
        if self.cpu is not None:
            os.sched_setaffinity(self._process.pid, {self.cpu})
        assert self._process.stdout
        for line in self._process.stdout:
            if line.startswith("The board: "):
                self.staff_port = _port(line)
            if line.startswith("The class: "):
                self.port = _port(line)
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


def _port(line: str) -> int:
    """Of the address that is the third word of a line."""
    return urlsplit(line.split()[2]).port or 0


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
    """Tasks and cases that passed, and that the board does not show as done."""
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
        cpu_seconds, again = used.ru_utime + used.ru_stime, self.log.joined_again
        notes = (
            f"{self.rehearsal.seats} seats in {self.seconds:.0f} s; "
            f"{self.log.bytes / 1e6:.1f} MB of the site were sent.",
            f"Server: {cpu_seconds:.1f} s of CPU ({cpu_seconds / self.seconds:.0%} of one), "
            f"{used.ru_maxrss / 1024:.0f} MiB.",
            f"Of {sum(map(len, self.log.events.values()))} events {self.missing} are not on the "
            f"board, and {self.strange} are that nobody told; {self.undone} tasks are not shown as "
            "done.",
            *(
                [f"Joined again with a new card: {again}."]
                if (again := self.log.joined_again)
                else []
            ),
            *([] if self.ended else [f"The server had not ended {STOP_SECONDS} s after Ctrl-C."]),
        )
        header = ("request", "done", "failed and repeated", "median ms", "p99 ms", "most ms")
        return Table("The rehearsal", header, tuple(rows), notes)


Attend: TypeAlias = Callable[[dict[str, httpx.AsyncClient], asyncio.Event], list[Awaitable[None]]]
"""All that come, each with a connection; the event: once all that is to go wrong has."""


def rehearse(
    rehearsal: Rehearsal, folder: Path, site: Path, course: Sequence[Lesson] | Walk
) -> Outcome:
    """Do it all; the folder holds the day afterwards, as a real one's does."""
    board = Board(folder)
    codes = board.set_up(rehearsal.seats, "A rehearsal", None)
    board.close()
    server, log = Server(folder, site, rehearsal.cpu), Log()

    def learner(kind: type[Person], seat: str, client: httpx.AsyncClient) -> Person:
        seed = rehearsal.seed * 1000 + list(codes).index(seat)
        return kind(seat, codes[seat], client, log, seed)

    def attend(clients: dict[str, httpx.AsyncClient], over: asyncio.Event) -> list[Awaitable[None]]:
        seats = {seat: client for seat, client in clients.items() if seat not in STAFF}
        if not isinstance(course, Walk):
            people = [learner(Learner, *one) for one in seats.items()]
            return [one.attend(course, rehearsal.pace, over) for one in people]
        sitting = [learner(DayLearner, *one) for one in seats.items()]
        leading = learner(Instructor, "instructor", clients["instructor"])
        day = Clock(course.speed)
        return [
            leading.lead(course, day, sitting, folder),
            *(one.walk(course, day, over) for one in sitting),
        ]

    server.start()
    begun = time.monotonic()
    try:
        asyncio.run(_class(rehearsal, server, list(codes), log, attend))
        seconds = time.monotonic() - begun
    finally:
        server.stop()
    return judge(rehearsal, folder, log, seconds, ended=server.ended_by_itself)


async def _class(
    rehearsal: Rehearsal, server: Server, names: Sequence[str], log: Log, attend: Attend
) -> None:
    """Until every learner is done, or the server has ended: nobody would ever be without it."""
    over = asyncio.Event()
    async with AsyncExitStack() as stack:
        clients = {}
        for name in names:
            port = server.staff_port if name in STAFF else server.port
            address = f"http://127.0.0.1:{port}"
            # As a browser says of its page's requests.
            own = {"Origin": address}
            client = httpx.AsyncClient(base_url=address, headers=own, timeout=TIMEOUT_SECONDS)
            clients[name] = await stack.enter_async_context(client)
        watching = asyncio.create_task(_watch(rehearsal, server, log, over))
        learning = asyncio.gather(*attend(clients, over))
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
    rehearsal: Rehearsal, folder: Path, log: Log, seconds: float, *, ended: bool = True
) -> Outcome:
    """Compare what learners told with what the board's file holds."""
    board = Board(folder)
    try:
        kept: dict[str, list[str]] = {}
        for seat, _, event, _ in board.store.events():
            kept.setdefault(seat, []).append(event.id)
        done = {
            seat: {name for name, task in state.tasks.items() if task.done}
            for seat, state in board.seats.items()
        }
    finally:
        board.close()
    undone = sum(len(names - done[seat]) for seat, names in log.passed.items())
    missing = sum(len(names - set(kept.get(seat, ()))) for seat, names in log.events.items())
    strange = sum(
        len(names) - len(set(names) & log.events.get(seat, set())) for seat, names in kept.items()
    )
    return Outcome(rehearsal, log, seconds, missing, strange, undone, ended)


def walk_of(audience: str, seats: int, speed: float, site: Path, course: Content) -> Walk:
    """The day for people of one kind, as `ppslab workshop plan --for` makes it."""
    day = audiences.find(audience).day(DAY_HOURS, DAY_START)
    return Walk(day, Pace(course, site, seats, day.slots), speed)


def report(folder: Path, course: Content) -> str:
    """What the instructor gets at the end of the day."""
    board = Board(folder)
    try:
        tables = (
            afterwards.tasks_table(board, course),
            afterwards.questions_table(board, course),
            afterwards.ticket_table(board, course),
        )
        return "\n\n".join(table.plain() for table in tables)
    finally:
        board.close()


def main(
    seats: int = typer.Option(0, min=0, help="How many learners; default: 30, of a day 8."),
    audience: str = typer.Option("", "--for", metavar="NAME", help="Walk the day for them: mum."),
    speed: float = typer.Option(60, min=1, max=600, help="How fast that day's clock runs."),
    chapters: str = typer.Option("fastpath,fasttrack", metavar="A,B", help="What they do."),
    pace: float = typer.Option(1.0, min=0, help="Seconds of thought between two steps."),
    kill: bool = typer.Option(False, "--kill", help="Kill the server mid-class."),
    cpu: int | None = typer.Option(None, min=0, help="The only CPU of the server."),
    site: Path = typer.Option(Path("_build/html"), help="The built site."),
) -> None:
    """Let simulated learners work against a real server, and print what it took.

    Without --for they do every task of some chapters, as fast as --pace lets them.

    Exit code 1: something that they reported is not on the board.
    """
    known = content.load()
    seats = seats or (DAY_SEATS if audience else SEATS)
    course = (
        walk_of(audience, seats, speed, site, known)
        if audience
        else lessons(known, chapters.split(","), site)
    )
    with tempfile.TemporaryDirectory(prefix="ppslab-rehearsal-") as folder:
        outcome = rehearse(Rehearsal(seats, pace, kill, cpu), Path(folder), site, course)
        if isinstance(course, Walk):
            print(f"{report(Path(folder), known)}\n\n{course.table().plain()}\n")
    print(outcome.table().plain())
    raise SystemExit(0 if outcome.well else 1)


if __name__ == "__main__":
    typer.run(main)
