"""From `start` to the last task: N learners, a server that is killed, a network that fails."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

import httpx
import numpy as np

from ppslab.base.text.tables import Cell, Table
from ppslab.course.learning.chapters import PAGES
from ppslab_class.board import Board
from ppslab_class.board.board import STAFF
from ppslab_class.board.seats import SeatState
from ppslab_class.content import Content
from ppslab_class.rehearsal import together
from ppslab_class.rehearsal.learner import Learner, Lesson, Log
from ppslab_class.rehearsal.network import BadNetwork, go_wrong
from ppslab_class.rehearsal.server_process import STUCK, ServerProcess

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
        await together.learn((each.attend(found, asked.pace, right) for each in learners), watching)


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
