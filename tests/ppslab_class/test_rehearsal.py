"""A class of nobody: everything told comes to the board once, through a kill and a bad network."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from benchmarks import rehearsal
from benchmarks.rehearsal import PACKET, BadNetwork, Lesson, Log, Rehearsal, ServerProcess
from ppslab_class.board import Board
from tests.ppslab_class.class_room import CONTENT, QUESTION, QUIZ, TASK, batch, event, site

TASKS = (TASK, "fastpath/task/two")
LESSON = Lesson(("/book/fastpath/index.html",), TASKS, QUESTION, 2.0, QUIZ, ("a",))

OUT_SECONDS = 1.5
"""So long that a machine that stands still for a moment does not hide a byte that passes."""


@pytest.mark.long
def test_a_class_through_a_kill_and_a_bad_network_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rehearsal, "AGAIN_SECONDS", (0.1, 0.4))
    pages = site(tmp_path / "site")
    folder = tmp_path / "day"
    folder.mkdir()
    told: list[str] = []
    asked = Rehearsal(4, 0.3, loss=0.05, outage_seconds=0.8, kill=True)
    done = rehearsal.rehearse(asked, folder, pages, [LESSON] * 2, told.append)
    assert done.well, done.table().plain()
    assert told == [
        "the server is killed", "it is back", "the network is out for 0.8 s", "it is back"
    ]  # fmt: skip
    assert sum(took.failed for took in done.log.kinds.values()) > 0, "nobody felt the kill"
    assert len(done.log.told) == 4
    assert done.pss > 0 and done.cpu_seconds > 0


def judged(folder: Path, log: Log) -> rehearsal.Rehearsed:
    server = ServerProcess(folder, folder)
    return rehearsal._judged(Rehearsal(1, 0), folder, [LESSON], log, server, 1.0)


def test_what_is_lost_or_doubled_is_seen(tmp_path: Path) -> None:
    board = Board(tmp_path)
    board.set_up(1, "", None)
    from ppslab_class.board.messages import Batch

    one = Batch.model_validate(batch(event("one", "done", TASK), event("two", "at", "x")))
    board.tell("seat-01", one, one.now)
    board.close()
    names = {each.id for each in one.events}
    found = judged(tmp_path, Log(told={"seat-01": names}))
    assert (found.missing, found.strange, found.undone, found.well) == (0, 0, 1, False)
    assert judged(tmp_path, Log(told={"seat-01": names | {"lost-one"}})).missing == 1
    assert judged(tmp_path, Log(told={"seat-01": set(list(names)[:1])})).strange == 1


def test_lessons_are_the_pages_that_the_site_has(tmp_path: Path) -> None:
    made = rehearsal.lessons(CONTENT, ["fastpath"], site(tmp_path))
    assert made == [
        Lesson(("/book/fastpath/index.html",), (TASK,), QUESTION, 2.27, QUIZ, ("a", "b", "c"))
    ]


async def through(network: BadNetwork, size: int) -> None:
    """Until so many bytes are there and back."""
    reader, writer = await asyncio.open_connection("127.0.0.1", network.port)
    writer.write(b"x" * size)
    await writer.drain()
    await reader.readexactly(size)
    writer.close()


async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(65536):
        writer.write(data)
    writer.close()


@pytest.mark.long
def test_nothing_passes_while_the_network_is_out() -> None:
    async def tried() -> float:
        server = await asyncio.start_server(echo, "127.0.0.1", 0)
        network = BadNetwork(server.sockets[0].getsockname()[1], 0, 1)
        async with network.standing():
            await through(network, PACKET)
            begun = time.monotonic()
            out = asyncio.create_task(network.go_out(OUT_SECONDS))
            await asyncio.sleep(0)
            assert not out.done()
            await through(network, 1)
            assert out.done(), "it passed while the network was out"
            waited = time.monotonic() - begun
        server.close()
        return waited

    assert asyncio.run(tried()) > 0.9 * OUT_SECONDS


def test_five_packets_of_a_hundred_come_late_by_a_retransmission() -> None:
    network = BadNetwork(0, 0.05, seed=7)
    late = [network.late(PACKET) for _ in range(10_000)]
    assert 0.045 < sum(each > 0 for each in late) / 10_000 < 0.055
    assert min(each for each in late if each) == pytest.approx(0.2)
    assert max(late) >= 0.6, "the second retransmission waits twice as long"
    assert BadNetwork(0, 0, seed=7).late(PACKET * 100) == 0
