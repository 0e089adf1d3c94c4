"""From `start --kind server` to the last task: N learners at seats of this machine, all at once."""

from __future__ import annotations

import asyncio
import os
import socket
import time
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from ppslab.base.errors import CannotHereError, UsageError
from ppslab.base.text.tables import Table
from ppslab.course.tasks import reading
from ppslab.lab import lab
from ppslab_class.board import Board
from ppslab_class.board.board import STAFF
from ppslab_class.hub import disks, running
from ppslab_class.hub.configuration import LOG
from ppslab_class.rehearsal import together
from ppslab_class.rehearsal.network import BadNetwork, go_wrong
from ppslab_class.rehearsal.on_server import progress, steps, units
from ppslab_class.rehearsal.on_server.sitting import Lab, Sitting
from ppslab_class.rehearsal.on_server.steps import Step
from ppslab_class.rehearsal.server_process import STUCK, ServerProcess

LOOK_SECONDS: Final = 3.0
LAST_LINES: Final = 12
Tell = Callable[[str], None]


@dataclass(frozen=True)
class OnServer:
    """What is tried.

    loss: a share of the packets between learners and hub; outage_seconds, kill: in mid-class;
    memory_mib, disk: of a seat, as `ppslab workshop start` takes them.
    """

    seats: int
    memory_mib: int = 2048
    disk: str = "2G"
    loss: float = 0.0
    outage_seconds: float = 0.0
    kill: bool = False
    seed: int = 1


@dataclass
class Rehearsed:
    """What came out."""

    asked: OnServer
    tasks: int
    """How many each seat had to do."""
    steps: list[Step] = field(default_factory=list)
    seconds: float = 0.0
    usage: units.Usage = field(default_factory=units.Usage)
    server_pss: int = 0
    """Bytes, of the board's process."""
    busy: float = 0.0
    """CPUs of this machine that were busy on average, with whatever else it did."""
    cut_off: int = 0
    """How often a learner had to connect again."""
    undone: int = 0
    """Tasks that the board does not show as done, of all seats."""
    stopped: bool = True
    """Whether the server ended at Ctrl-C."""
    lost: str = ""
    """Why there was no server any more in mid-class; empty: there was one to the end."""
    log: str = ""
    """The end of the hub's."""

    @property
    def well(self) -> bool:
        """Whether no step failed, the board knows each task, and the server ended when asked."""
        wrong = self.lost or self.undone or any(step.fault for step in self.steps)
        return self.stopped and not wrong

    def line(self) -> str:
        """All of it in one line."""
        check = steps.spreads(self.steps).get("check")
        first = steps.first_fault(self.steps)
        failed = sum(bool(step.fault) for step in self.steps)
        broke = f"first {first.kind} {first.what} of {first.seat}" if first else ""
        broke = ", ".join(filter(None, (broke, self.lost))) or "nothing broke"
        took = "no check passed"
        if check and check.median is not None:
            took = f"a check {check.median:.1f} s, p99 {check.p99:.1f} s"
        return (
            f"{self.asked.seats} seats, {self.tasks} tasks each, {self.seconds:.0f} s: {failed} "
            f"failures, {took}, {self._seat_mib():.0f} MiB a seat (PSS), {broke}"
        )

    def table(self) -> Table:
        """Steps by kind, and what they took."""
        most = self.usage.most_together / 2**20
        first = steps.first_fault(self.steps)
        notes = [
            f"{self.asked.seats} seats with {self.tasks} tasks each in {self.seconds:.0f} s, on "
            f"{len(os.sched_getaffinity(0))} CPUs.",
            f"A seat took up to {self._seat_mib():.0f} MiB (PSS), all together up to "
            f"{most:.0f} MiB; the board's server {self.server_pss / 2**20:.0f} MiB.",
            f"{self.busy:.2f} of this machine's CPUs were busy on average.",
            f"Learners had to connect again {self.cut_off} times.",
            f"The board does not show {self.undone} of {self.tasks * self.asked.seats} tasks as "
            "done.",
        ]
        if not self.stopped:
            notes.append(STUCK)
        if self.lost:
            notes.append(f"The class was broken off: {self.lost}")
        if first:
            notes.append(
                f"First to fail, after {first.at:.0f} s with {first.available_mib} MiB left: "
                f"{first.seat}, {first.kind} {first.what}: {first.fault}"
            )
        if first or self.lost:
            notes.append(f"The hub's log ended: {self.log}")
        return steps.table(self.steps, notes)

    def told(self) -> dict[str, Any]:
        """The same for programs; sizes in MiB, times in seconds."""
        return {
            "seats": self.asked.seats,
            "tasks": self.tasks,
            "cpus": len(os.sched_getaffinity(0)),
            "loss": self.asked.loss,
            "outage_seconds": self.asked.outage_seconds,
            "killed": self.asked.kill,
            "seconds": round(self.seconds, 1),
            **steps.told(self.steps),
            "seat_pss_mib": {
                seat: round(size / 2**20) for seat, size in sorted(self.usage.most_pss.items())
            },
            "all_seats_pss_mib": round(self.usage.most_together / 2**20),
            "server_pss_mib": round(self.server_pss / 2**20),
            "busy_cpus": round(self.busy, 2),
            "connected_again": self.cut_off,
            "undone": self.undone,
            "stopped": self.stopped,
            "lost": self.lost,
        }

    def _seat_mib(self) -> float:
        return max(self.usage.most_pss.values(), default=0) / 2**20


def lab_of(name: str) -> Lab:
    """A lab with the tasks that can be done at a seat: those with a variant on Linux."""
    return Lab(name, tuple(each.name for each in reading.load(lab.find(name)).of("linux")))


def rehearse(
    asked: OnServer, folder: Path, site: Path, labs: Sequence[Lab], tell: Tell
) -> Rehearsed:
    """Do it all, and remove the seats; the folder holds the board afterwards.

    CannotHereError where no seats can be on this machine, UsageError where a class's are.
    """
    running.must_run()
    board = Board(folder)
    codes = board.set_up(asked.seats, "A rehearsal", None)
    board.close()
    codes = {seat: code for seat, code in codes.items() if seat not in STAFF}
    _nobody_sits(codes)
    port = _free_port()
    words = (
        *("--kind", "server", "--seats", str(asked.seats), "--seats-port", str(port)),
        *("--seat-memory", str(asked.memory_mib), "--disk", asked.disk),
    )
    server = ServerProcess(folder, site, words=words)
    done = Rehearsed(asked, sum(len(each.tasks) for each in labs))
    begun, busy = time.monotonic(), units.busy_seconds()
    try:
        tell(f"seats: {asked.seats}, tasks of each: {done.tasks}; the server starts")
        server.start()
        asyncio.run(_class(asked, server, port, codes, labs, done, tell))
    finally:
        done.seconds = time.monotonic() - begun
        done.busy = (units.busy_seconds() - busy) / done.seconds
        tell("the class is over: the server ends, and its seats are removed")
        try:
            server.stop()
        finally:
            done.stopped = server.stopped
            disks.remove(folder)
        done.log = _end_of(folder / LOG)
    done.server_pss = server.most_pss
    done.undone = _undone(folder, labs)
    return done


def _nobody_sits(seats: Sequence[str] | dict[str, str]) -> None:
    taken = [seat for seat in seats if os.path.ismount(disks.HOMES / seat)]
    if taken:
        raise UsageError(
            f"seats of a class are on this machine ({taken[0]}): rehearse elsewhere, or first "
            "`ppslab workshop remove`"
        )


async def _class(
    asked: OnServer,
    server: ServerProcess,
    port: int,
    codes: dict[str, str],
    labs: Sequence[Lab],
    done: Rehearsed,
    tell: Tell,
) -> None:
    network = BadNetwork(port, asked.loss, asked.seed)
    bad = bool(asked.loss or asked.outage_seconds)
    async with AsyncExitStack() as stack:
        if bad:
            await stack.enter_async_context(network.standing())
        address = f"http://127.0.0.1:{network.port if bad else port}"
        begun = time.monotonic()
        sittings = [Sitting(address, seat, code, begun) for seat, code in codes.items()]
        right = asyncio.Event()
        watching = asyncio.create_task(
            _watch(asked, server, network, sittings, right, done.usage, tell)
        )
        telling = asyncio.create_task(progress.tell_always(sittings, done.tasks, begun, tell))
        try:
            await together.learn((each.attend(labs, right) for each in sittings), watching)
        except CannotHereError as error:  # figures of a class that lost its server are figures
            done.lost = error.reason
        finally:
            telling.cancel()
            done.steps = sorted((s for each in sittings for s in each.steps), key=lambda s: s.at)
            done.cut_off = sum(each.cut_off for each in sittings)


async def _watch(
    asked: OnServer,
    server: ServerProcess,
    network: BadNetwork,
    sittings: Sequence[Sitting],
    right: asyncio.Event,
    usage: units.Usage,
    tell: Tell,
) -> None:
    """Look at memory; once every seat is under way, do what is to go wrong, and set `right`."""
    while True:
        server.look()
        await asyncio.to_thread(usage.look)
        await asyncio.sleep(LOOK_SECONDS)
        if not right.is_set() and all(each.under_way for each in sittings):
            await go_wrong(
                server, network, kill=asked.kill, outage_seconds=asked.outage_seconds, tell=tell
            )
            right.set()


def _undone(folder: Path, labs: Sequence[Lab]) -> int:
    """Tasks that the board's file does not hold as done."""
    wanted = {f"{each.name}/task/{task}" for each in labs for task in each.tasks}
    board = Board(folder)
    try:
        return sum(
            len(wanted - {name for name, task in seat.tasks.items() if task.done})
            for seat in board.seats.values()
        )
    finally:
        board.close()


def _end_of(log: Path) -> str:
    """The last lines of a log; empty where none was written."""
    text = log.read_text(encoding="utf-8", errors="replace") if log.is_file() else ""
    return " / ".join(text.strip().splitlines()[-LAST_LINES:])


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])
