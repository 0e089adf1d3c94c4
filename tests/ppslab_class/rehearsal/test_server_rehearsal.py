"""Simulated learners at a server's seats: what they type comes once, and what fails is told."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from tornado import web, websocket
from tornado.httpserver import HTTPServer
from tornado.testing import bind_unused_port

from ppslab.base.errors import UsageError
from ppslab_class.board import Board
from ppslab_class.board.events import Batch
from ppslab_class.hub import disks, running
from ppslab_class.rehearsal.on_server import progress, rehearsing, steps, units
from ppslab_class.rehearsal.on_server.rehearsing import OnServer, Rehearsed
from ppslab_class.rehearsal.on_server.sitting import Doing, FaultError, Lab, Sitting
from ppslab_class.rehearsal.on_server.steps import Step
from ppslab_class.rehearsal.on_server.terminal import CutOffError, Terminal
from tests.ppslab_class.class_room import TASK, batch, event
from tests.support.waiting import PATIENCE

DONE = [
    Step("seat-01", "check", "a/one", 10.0, 2.0),
    Step("seat-02", "check", "a/one", 11.0, 4.0),
    Step("seat-02", "check", "a/two", 12.0, 9.0, fault="exit code 1: no packet", available_mib=70),
    Step("seat-01", "start", "a/two", 11.5, 1.0, fault="exit code 3: no kernel", available_mib=80),
]


class Shell(websocket.WebSocketHandler):
    """A terminal as terminado serves it, whose shell outlives a connection that it cuts itself."""

    history: list[str]
    typed: list[str]
    cut_after: list[str]
    """The connection ends once, as soon as a part with this end was shown; empty: it stays."""

    def initialize(self, shell: dict[str, list[str]]) -> None:
        self.history, self.typed = shell["history"], shell["typed"]
        self.cut_after = shell["cut_after"]

    def open(self, *_: str) -> None:
        self.write_message(json.dumps(["setup", {}]))
        self.write_message(json.dumps(["stdout", "".join(self.history)]))

    def on_message(self, message: str | bytes) -> None:
        kind, *more = json.loads(message)
        if kind != "stdin":
            return
        self.typed.append(more[0])
        mark = more[0].rpartition("echo ")[2].partition("$")[0]
        parts = (more[0], "\x1b[?2004lpass\r\n", f"{mark}3=\r\n")
        self.history.extend(parts)
        for part in parts:
            self.write_message(json.dumps(["stdout", part]))
            if self.cut_after == [part.strip()[-4:]]:
                self.cut_after.pop()
                self.close()
                return


async def _through(terminal: Terminal, command: str) -> int:
    """Its exit code, connecting again after each cut."""
    while True:
        try:
            return await asyncio.wait_for(terminal.run(command), PATIENCE)
        except CutOffError:
            await terminal.connect()


async def _typed(cut_after: list[str]) -> tuple[int, list[str]]:
    """The exit code that a command came to, and what reached the shell."""
    shell = {"history": ["$ "], "typed": [], "cut_after": cut_after}
    sockets, port = bind_unused_port()
    server = HTTPServer(web.Application([(r"/", Shell, {"shell": shell})]))
    server.add_socket(sockets)
    terminal = Terminal(f"ws://127.0.0.1:{port}/", "token")
    await terminal.connect()
    terminal.next_command()
    code = await _through(terminal, "ppslab task a check")
    assert "pass" in terminal.shown and "\x1b" not in terminal.shown
    terminal.next_command()
    # The shell has heard all that was typed before this.
    assert await _through(terminal, "true") == 3
    terminal.close()
    server.stop()
    return code, shell["typed"]


@pytest.mark.parametrize("cut_after", [[], ["=$?="], ["pass"], ["1=3="]], ids=str)
def test_a_command_is_typed_once_however_often_the_connection_is_cut(cut_after: list[str]) -> None:
    code, typed = asyncio.run(_typed(cut_after))
    assert code == 3
    assert typed == ["ppslab task a check; echo ended-1=$?=\r", "true; echo ended-2=$?=\r"]


def test_a_terminal_that_cannot_be_reached_is_cut_off() -> None:
    socket, port = bind_unused_port()
    socket.close()
    with pytest.raises(CutOffError):
        asyncio.run(Terminal(f"ws://127.0.0.1:{port}/", "token").connect())


def test_times_are_of_what_was_done_and_the_first_fault_is_the_earliest() -> None:
    found = steps.spreads(DONE)
    assert (found["check"].done, found["check"].failed) == (2, 1)
    assert (found["check"].median, found["check"].p99) == (3.0, 3.98)
    assert (found["start"].done, found["start"].median) == (0, None)
    assert steps.first_fault(DONE) == DONE[3] and steps.first_fault(DONE[:2]) is None
    told = json.loads(json.dumps(steps.told(DONE), allow_nan=False))
    assert told["first_fault"]["available_mib"] == 80 and len(told["faults"]) == 2


def test_a_class_with_a_fault_is_not_well_and_its_line_says_what_broke() -> None:
    done = Rehearsed(OnServer(2), 2, steps=DONE, seconds=60.0, log="the hub said so")
    done.usage.most_pss = {"seat-01": 300 * 2**20}
    assert not done.well and Rehearsed(OnServer(2), 2, steps=DONE[:2]).well
    assert not Rehearsed(OnServer(2), 2, undone=1).well
    for figure in ("3.0 s", "4.0 s", "300 MiB", "a/two", "seat-01"):
        assert figure in done.line()
    text = done.table().plain()
    assert all(each in text for each in ("12 s", "80 MiB", "the hub said so"))
    assert done.told()["seat_pss_mib"] == {"seat-01": 300}


def test_a_class_that_lost_its_server_is_not_well_and_keeps_its_figures() -> None:
    lost = "ended with -9"
    done = Rehearsed(OnServer(2), 2, steps=DONE[:2], seconds=60.0, lost=lost, log="killed")
    assert not done.well and done.line().endswith(lost)
    text = done.table().plain()
    assert lost in text and "killed" in text
    assert done.told()["lost"] == lost and done.told()["steps"]["check"]["done"] == 2


def test_progress_is_the_tasks_of_each_seat_and_who_waits_longest() -> None:
    first, second = (Sitting("http://127.0.0.1", f"seat-0{n}", "code", 0.0) for n in (1, 2))
    assert "0 of 4 tasks" in progress.line([first, second], 2, 0.0, 1.0)
    first.steps, second.steps = [DONE[0], DONE[3]], [DONE[2]]
    first.doing, second.doing = Doing("start", "a/two", 70.0), Doing("log in", "", 60.0)
    told = progress.line([first, second], 2, 5.0, 75.0)
    assert told.startswith("70 s: 1 of 4 tasks") and "1 0" in told
    assert told.endswith("seat-02 log in, 15 s")


def test_a_failure_is_told_once_as_soon_as_it_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "EVERY_SECONDS", 0.0)
    sitting = Sitting("http://127.0.0.1", "seat-02", "code", 0.0)
    sitting.steps = DONE[1:3]
    told: list[str] = []

    def tell(text: str) -> None:
        told.append(text)
        if len(told) == 4:
            raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(progress.tell_always([sitting], 2, 0.0, tell))
    assert told[0].startswith("12 s: seat-02 check a/two ")
    assert not any("seat-02 check a/two " in each for each in told[1:])


def test_a_step_is_being_done_until_it_ends() -> None:
    sitting = Sitting("http://127.0.0.1", "seat-01", "code", 0.0)
    seen: list[str] = []

    async def does() -> None:
        assert sitting.doing
        seen.append(sitting.doing.what)

    asyncio.run(sitting._step("check", "a/one", does))
    assert seen == ["a/one"] and sitting.doing is None and sitting.tasks_done == 1


def test_memory_is_of_each_seats_unit_and_of_no_other(tmp_path: Path) -> None:
    for pid, unit, size in (
        (7, "ppslab-seat-01.service", 1000),
        (8, "ppslab-seat-01.service", 24),
        (9, "ppslab-seat-02.service", 10),
        (10, "ssh.service", 5000),
    ):
        process = tmp_path / str(pid)
        process.mkdir()
        (process / "cgroup").write_text(f"4:memory:/system.slice/{unit}\n0::/\n")
        (process / "smaps_rollup").write_text(f"Rss:   9999 kB\nPss:   {size} kB\n")
    (tmp_path / "11").mkdir()  # it ended meanwhile
    assert units.pss(tmp_path) == {"seat-01": 1024 * 1024, "seat-02": 10 * 1024}
    usage = units.Usage()
    usage.look(tmp_path)
    (tmp_path / "7" / "smaps_rollup").write_text("Pss: 1 kB\n")
    usage.look(tmp_path)
    assert usage.most_pss["seat-01"] == 1024 * 1024, "the most"
    assert usage.most_together == 1034 * 1024


def test_busy_is_neither_idle_nor_waiting_for_a_disk(tmp_path: Path) -> None:
    (tmp_path / "stat").write_text("cpu  100 20 30 9999 8888 4 5 1 0 0\ncpu0 1 1 1 1 1 1 1 1 0 0\n")
    assert units.busy_seconds(tmp_path) * os.sysconf("SC_CLK_TCK") == 160


def test_a_task_that_no_seat_can_do_is_not_asked_for() -> None:
    found = rehearsing.lab_of("fasttrack")
    assert "ipsec" not in found.tasks, "it wants RouterOS"
    assert len(found.tasks) > 5 and found.name == "fasttrack"


class Quick(Sitting):
    """Does each step at once; `broken` names the kind that fails."""

    broken = ""

    async def _step(self, kind: str, what: str, does: Callable[[], Awaitable[None]]) -> None:
        self.steps.append(Step(self.seat, kind, what, 0.0, 0.0))
        if kind == self.broken:
            raise FaultError("it does not")


async def _kinds_before(broken: str) -> tuple[list[str], list[str]]:
    """The steps done before what is to go wrong has, and those after."""
    quick, right = Quick("http://198.18.0.1", "seat-01", "code", 0.0), asyncio.Event()
    quick.broken = broken
    assert not quick.under_way
    learning = asyncio.create_task(quick.attend([Lab("a", ("one",))], right))
    await asyncio.wait_for(_until(lambda: quick.under_way and quick.at_end), PATIENCE)
    before = [step.kind for step in quick.steps]
    right.set()
    await asyncio.wait_for(learning, PATIENCE)
    return before, [step.kind for step in quick.steps[len(before) :]]


async def _until(holds: Callable[[], bool]) -> None:
    while not holds():
        await asyncio.sleep(0)


@pytest.mark.parametrize(
    ("broken", "before", "after"),
    [
        ("", "log in, seat, file, start, solve, check, progress, end", "file"),
        ("start", "log in, seat, file, start, progress, end", "file"),
        ("seat", "log in, seat", ""),
    ],
)
def test_nobody_leaves_before_what_is_to_go_wrong_has(broken: str, before: str, after: str) -> None:
    done = asyncio.run(_kinds_before(broken))
    assert [", ".join(each) for each in done] == [before, after]


def test_what_the_board_does_not_hold_as_done_is_counted(tmp_path: Path) -> None:
    board = Board(tmp_path)
    board.set_up(2, "", None)
    told = Batch.model_validate(batch(event("one", "done", TASK)))
    board.tell("seat-01", told, told.now)
    board.close()
    lab, _, task = TASK.split("/")
    assert rehearsing._undone(tmp_path, [Lab(lab, (task, "two"))]) == 3


def test_nobody_rehearses_in_the_seats_of_a_class(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "must_run", lambda: None)
    monkeypatch.setattr(os.path, "ismount", lambda path: Path(path) == disks.HOMES / "seat-02")
    with pytest.raises(UsageError, match="class"):
        rehearsing.rehearse(OnServer(2), tmp_path, tmp_path, [], print)
