"""A class of nobody: N learners that do all tasks, a server that is killed, a network that fails.

    .venv/bin/python packages/ppslab-class/benchmarks/rehearsal.py --seats 30 [--loss 5] [--kill]

A learner keeps what it tells in a queue until the board has it, as `seat.js` does in a browser.
What a network loses, TCP sends again after its timeout of 200 ms at least (RFC 6298, with Linux's
floor), so loss is shown as lateness.
"""

from __future__ import annotations

import asyncio
import os
import random
import re
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
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
from ppslab_class.board.seats import SeatState
from ppslab_class.content import Content

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


PACKET = 1460
"""Bytes of a segment; each is lost or not by itself."""
RETRANSMIT_SECONDS = 0.2
KILLED_SECONDS = 1.0
"""For so long there is no server: learners notice."""


class BadNetwork:
    """Passes connections on to `target`, a port of this machine.

    loss: the share of packets that come late by a retransmission, or two, or three.
    """

    def __init__(self, target: int, loss: float, seed: int) -> None:
        self.target = target
        self.loss = loss
        self.port = 0
        self._random = random.Random(seed)
        self._up = asyncio.Event()
        self._up.set()

    @asynccontextmanager
    async def standing(self) -> AsyncIterator[None]:
        """Pass on while this is open."""
        server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield
        finally:
            server.close()

    async def go_out(self, seconds: float) -> None:
        """Nothing passes for so long."""
        self._up.clear()
        await asyncio.sleep(seconds)
        self._up.set()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # The loop ends with connections open, and would print each one's end.
        with suppress(asyncio.CancelledError):
            await self._pass_on(reader, writer)

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await self._up.wait()
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            writer.close()
            return
        both = (self._pass(reader, far_writer), self._pass(far_reader, writer))
        await asyncio.gather(*both, return_exceptions=True)

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(PACKET * 10):
                await self._up.wait()
                await asyncio.sleep(self.late(len(data)))
                writer.write(data)
                await writer.drain()
        finally:
            with suppress(OSError):
                writer.close()

    def late(self, size: int) -> float:
        """Seconds until the last of so many bytes is there."""
        late = 0.0
        for _ in range(0, size, PACKET):
            wait = RETRANSMIT_SECONDS
            while self._random.random() < self.loss:
                late, wait = late + wait, wait * 2
        return late


async def go_wrong(
    server: ServerProcess,
    network: BadNetwork,
    *,
    kill: bool,
    outage_seconds: float,
    tell: Callable[[str], None],
) -> None:
    """What is to go wrong in mid-class, and is put right: the server first, then the network."""
    if kill:
        tell("the server is killed")
        server.kill()
        await asyncio.sleep(KILLED_SECONDS)
        await asyncio.to_thread(server.start)
        tell("it is back")
    if outage_seconds:
        tell(f"the network is out for {outage_seconds:g} s")
        await network.go_out(outage_seconds)
        tell("it is back")


async def learn(learners: Iterable[Coroutine[None, None, None]], watch: asyncio.Task[None]) -> None:
    """Until every learner is done, or the watch raises: without a server nobody would ever be.

    Whatever ends this, Ctrl-C too, ends learners and watch, and nothing is printed about them.
    """
    learning = asyncio.gather(*learners)
    try:
        await asyncio.wait((learning, watch), return_when=asyncio.FIRST_COMPLETED)
        if watch.done():
            await watch
        await learning
    finally:
        learning.cancel()
        watch.cancel()
        # Nobody would ask the learners how they ended, and asyncio prints that with a traceback.
        await asyncio.gather(learning, watch, return_exceptions=True)


STOP_SECONDS = 20
"""After Ctrl-C."""
STUCK = f"The server had not ended {STOP_SECONDS} s after Ctrl-C, and was killed."

TICK = os.sysconf("SC_CLK_TCK")
STARTING = "from ppslab.start import main; main()"


@dataclass
class ServerProcess:
    """`ppslab workshop start` on a folder and a site; plain HTTP, for this machine alone."""

    folder: Path
    site: Path
    cpu: int | None = None
    port: int = 0
    words: tuple[str, ...] = ("--seats", "1")
    """More words of the command; the board has its own seats already."""
    cpu_seconds: float = 0.0
    """Of those that have ended."""
    most_pss: int = 0
    """Bytes: the proportional set size, the highest that was looked at."""
    stopped: bool = True
    """Whether it ended by itself whenever it was stopped."""
    _process: subprocess.Popen[str] | None = field(default=None, repr=False)

    def start(self) -> None:
        """Start it, at the same port as before; CannotHereError where it says no address."""
        words = ["workshop", "start", "--plain", "--host", "127.0.0.1", "--name", "127.0.0.1"]
        words += ["--folder", str(self.folder), "--site", str(self.site), "--port", str(self.port)]
        process = subprocess.Popen(
            [sys.executable, "-c", STARTING, *words, *self.words],
            stdout=subprocess.PIPE,
            text=True,
            # The rehearsal's own Ctrl-C is not the server's: that is stopped after the learners.
            start_new_session=True,
        )
        if self.cpu is not None:
            os.sched_setaffinity(process.pid, {self.cpu})
        assert process.stdout
        for line in process.stdout:
            address = line.removeprefix("The class: http://127.0.0.1:")
            if address != line:
                self.port = int(address.partition("/")[0])
                self._process = process
                return
        raise CannotHereError(f"the server ended at once, with {process.wait()}")

    def look(self) -> None:
        """Note its memory; CannotHereError where it has ended by itself."""
        if self._process is not None:
            try:
                text = Path(f"/proc/{self._process.pid}/smaps_rollup").read_text(encoding="ascii")
            except ProcessLookupError:  # it has ended: nobody has waited for it yet
                self._note_cpu(self._process.pid)
                code = self._process.wait()
                self._forget(self._process)
                raise CannotHereError(f"the server ended in mid-class, with {code}") from None
            row = next(line for line in text.splitlines() if line.startswith("Pss:"))
            self.most_pss = max(self.most_pss, int(row.split()[1]) * 1024)

    def kill(self) -> None:
        """As a power cut ends it."""
        if self._process is not None:
            self._note_cpu(self._process.pid)
            self._kill(self._process)
            self._forget(self._process)

    def stop(self) -> None:
        """As Ctrl-C does; where that does not end it in time, it is killed, and `stopped` False."""
        if self._process is not None:
            self._note_cpu(self._process.pid)
            self._process.send_signal(signal.SIGINT)
            try:
                self._process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self.stopped = False
                self._kill(self._process)
            self._forget(self._process)

    def _kill(self, process: subprocess.Popen[str]) -> None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()  # nothing outlives that signal

    def _note_cpu(self, pid: int) -> None:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")
        user, system = fields[2].split()[11:13]
        self.cpu_seconds += (int(user) + int(system)) / TICK

    def _forget(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout
        process.stdout.close()
        self._process = None


TIMEOUT_SECONDS = 15.0
"""A browser's request gives up after as long (seat.js)."""


@dataclass(frozen=True)
class Rehearsal:
    """What is tried.

    pace: seconds of thought between two steps; loss: a share of the packets; outage_seconds, kill:
    in the middle; cpu: the only CPU that the server may use.
    """

    seats: int
    pace: float
    loss: float = 0.0
    outage_seconds: float = 0.0
    kill: bool = False
    cpu: int | None = None
    seed: int = 1


@dataclass(frozen=True)
class Rehearsed:
    """What came out; `missing`, `strange`: events that were told and not kept, and the reverse."""

    asked: Rehearsal
    log: Log
    seconds: float
    cpu_seconds: float
    pss: int
    missing: int
    strange: int
    undone: int
    """Tasks that the board does not show as done."""
    stopped: bool = True
    """Whether the server ended at Ctrl-C."""

    @property
    def well(self) -> bool:
        """Whether all that was told is on the board, once, and the server ended when asked."""
        return self.stopped and not (self.missing or self.strange or self.undone)

    def table(self) -> Table:
        """Requests by kind, and what they took."""
        rows = []
        for kind, took in self.log.kinds.items():
            times = np.array(took.seconds or [np.nan]) * 1e3
            median, p99, most = (f"{np.quantile(times, q):.1f}" for q in (0.5, 0.99, 1.0))
            cells = (kind, f"{len(took.seconds)}", f"{took.failed}", median, p99, most)
            rows.append(tuple(Cell(each) for each in cells))
        told = sum(len(names) for names in self.log.told.values())
        share = self.cpu_seconds / self.seconds
        notes = (
            *([] if self.stopped else [STUCK]),
            f"{self.asked.seats} seats in {self.seconds:.0f} s; "
            f"{self.log.bytes / 1e6:.1f} MB of the site were sent.",
            f"Server: {self.cpu_seconds:.1f} s of CPU ({share:.0%} of one), "
            f"{self.pss / 2**20:.0f} MiB (PSS).",
            f"Of {told} events {self.missing} are not on the board, and {self.strange} are that "
            f"nobody told; {self.undone} tasks are not shown as done.",
        )
        header = ("request", "done", "failed and repeated", "median ms", "p99 ms", "most ms")
        return Table("The rehearsal", header, tuple(rows), notes)


def lessons(content: Content, chapters: Sequence[str], site: Path) -> list[Lesson]:
    """What there is to do in these chapters; pages that the site has."""
    made = []
    for name in chapters:
        pages = tuple(
            f"/book/{name}/{page}.html"
            for page in PAGES
            if (site / "book" / name / f"{page}.html").is_file()
        )
        questions = [each for each in content.questions if each.startswith(f"{name}/")]
        tasks = tuple(task.name for task in content.tasks.get(name, ()))
        quiz = next((each for each in content.quizzes.values() if each.chapter == name), None)
        letters = tuple(letter for letter, _ in quiz.answers) if quiz else ()
        known = [each.value for each in content.questions[questions[0]].beside if each.value]
        figure = known[-1] if known else 1.0
        made.append(Lesson(pages, tasks, questions[0], figure, quiz.name if quiz else "", letters))
    return made


def rehearse(
    asked: Rehearsal, folder: Path, site: Path, found: Sequence[Lesson], tell: Callable[[str], None]
) -> Rehearsed:
    """Do it all; the folder holds the day afterwards, as a real one's does."""
    board = Board(folder)
    codes = board.set_up(asked.seats, "A rehearsal", None)
    board.close()
    server = ServerProcess(folder, site, asked.cpu)
    log = Log()
    server.start()
    begun = time.monotonic()
    try:
        asyncio.run(_class(asked, server, codes, found, log, tell))
        seconds = time.monotonic() - begun
    finally:
        server.stop()
    return _judged(asked, folder, found, log, server, seconds)


async def _class(
    asked: Rehearsal,
    server: ServerProcess,
    codes: dict[str, str],
    found: Sequence[Lesson],
    log: Log,
    tell: Callable[[str], None],
) -> None:
    network = BadNetwork(server.port, asked.loss, asked.seed)
    bad = bool(asked.loss or asked.outage_seconds)
    async with AsyncExitStack() as stack:
        if bad:
            await stack.enter_async_context(network.standing())
        address = f"http://127.0.0.1:{network.port if bad else server.port}"
        learners = []
        for number, (seat, code) in enumerate(codes.items()):
            if seat not in STAFF:
                client = httpx.AsyncClient(base_url=address, timeout=TIMEOUT_SECONDS)
                await stack.enter_async_context(client)
                learners.append(Learner(seat, code, client, log, asked.seed * 1000 + number))
        right = asyncio.Event()
        watching = asyncio.create_task(_watch(asked, server, network, learners, right, log, tell))
        await learn((each.attend(found, asked.pace, right) for each in learners), watching)


async def _watch(
    asked: Rehearsal,
    server: ServerProcess,
    network: BadNetwork,
    learners: Sequence[Learner],
    right: asyncio.Event,
    log: Log,
    tell: Callable[[str], None],
) -> None:
    """Look at the server's memory; once everybody has told something, do what is to go wrong."""
    while len(log.told) < len(learners):
        server.look()
        await asyncio.sleep(0.2)
    await go_wrong(server, network, kill=asked.kill, outage_seconds=asked.outage_seconds, tell=tell)
    right.set()
    while True:
        server.look()
        await asyncio.sleep(1)


def _judged(
    asked: Rehearsal,
    folder: Path,
    found: Sequence[Lesson],
    log: Log,
    server: ServerProcess,
    seconds: float,
) -> Rehearsed:
    """Compare what learners told with what the file holds."""
    board = Board(folder)
    try:
        kept: dict[str, list[str]] = {}
        for seat, _, event, _ in board.store.events():
            kept.setdefault(seat, []).append(event.id)
        undone = sum(_undone(state, found) for state in board.seats.values())
    finally:
        board.close()
    missing = sum(len(names - set(kept.get(seat, ()))) for seat, names in log.told.items())
    strange = sum(
        len(names) - len(set(names) & log.told.get(seat, set())) for seat, names in kept.items()
    )
    return Rehearsed(
        *(asked, log, seconds, server.cpu_seconds, server.most_pss),
        *(missing, strange, undone, server.stopped),
    )


def _undone(state: SeatState, found: Sequence[Lesson]) -> int:
    wanted = {task for lesson in found for task in lesson.tasks}
    return len(wanted - {name for name, task in state.tasks.items() if task.done})


def main(
    seats: int = typer.Option(30, min=1, help="How many learners."),
    chapters: str = typer.Option("fastpath,fasttrack", metavar="A,B", help="What they do."),
    pace: float = typer.Option(1.0, min=0, help="Seconds of thought between two steps."),
    loss: float = typer.Option(0.0, min=0, max=50, help="Packet loss in per cent."),
    outage: float = typer.Option(0.0, min=0, help="Seconds without network."),
    kill: bool = typer.Option(False, "--kill", help="Kill the server mid-class."),
    cpu: int | None = typer.Option(None, min=0, help="The only CPU of the server."),
    site: Path = typer.Option(Path("_build/html"), help="The built site."),
) -> None:
    """Let simulated learners do every task against a real server, and say what it took.

    Exit code 1: something that they reported is not on the board.
    """
    known = content.load()
    asked = Rehearsal(seats, pace, loss / 100, outage, kill, cpu)
    with tempfile.TemporaryDirectory(prefix="ppslab-rehearsal-") as folder:
        found = lessons(known, chapters.split(","), site)
        done = rehearse(asked, Path(folder), site, found, print)
    print(done.table().plain())
    raise SystemExit(0 if done.well else 1)


if __name__ == "__main__":
    typer.run(main)
