"""A class for tests: a small site, a board with its codes, and a server of them in a thread."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx

from ppslab_class.board import Board
from ppslab_class.board.board import STAFF
from ppslab_class.content import Beside, Content, Question, TaskWords
from ppslab_class.server import SCRIPT, Files, Hall, Tls, serve
from tests.support.waiting import PATIENCE

QUESTION = "fastpath/prediction/routing-plain"
TASK = "fastpath/task/open-it"
CASE = "cases/task/01-office"
CONTENT = Content(
    chapters={"fastpath": "Fast Path", "eoip": "EoIP", "cases": "Slow routers"},
    tasks={
        "fastpath": (TaskWords(TASK, "Open the fast path", 5),),
        "cases": (TaskWords(CASE, "The office", 10, 3),),
    },
    questions={QUESTION: Question(QUESTION, "Slow path", (Beside("RB1100AHx2", "2.27"),))},
)
NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)
POLICY = "default-src 'self'; connect-src 'self' blob:"


def event(name: str, kind: str, what: str, value: str = "", at: datetime = NOON) -> dict[str, Any]:
    padded = name.ljust(8, "_")
    return {"id": padded, "kind": kind, "what": what, "value": value, "at": at.isoformat()}


def batch(*events: dict[str, Any], now: datetime = NOON, life: int = 0) -> dict[str, Any]:
    return {"now": now.isoformat(), "life": life, "events": list(events)}


def site(folder: Path) -> Path:
    """A site of three pages."""
    pages = {"index": "front", "book/fastpath/index": "fast", "book/eoip/index": "tunnel"}
    for name, text in pages.items():
        path = folder / f"{name}.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            "<!DOCTYPE html><html><head><meta http-equiv='Content-Security-Policy' "
            f'content="{POLICY}"></head><body><p>{text}</p>{"x" * 1000}</body></html>'
        )
    (folder / ".buildinfo").write_text("the builder's own")
    return folder


@dataclass
class ClassRoom:
    """A served class."""

    address: str
    staff_address: str
    codes: dict[str, str]
    hall: Hall
    clients: list[httpx.Client] = field(default_factory=list)

    def client(self, seat: str | None = None, *, staff: bool = False) -> httpx.Client:
        """A browser, which has joined as this seat, at its own port; `staff`: at staff's."""
        at = self.staff_address if staff or seat in STAFF else self.address
        # Whom all the world trusts is asked over TLS only: it is half a megabyte to read each time.
        secure = self.address.startswith("https:")
        own = {"Sec-Fetch-Site": "same-origin", "Origin": at} if at == self.staff_address else {}
        made = httpx.Client(base_url=at, timeout=PATIENCE, verify=secure, headers=own)
        self.clients.append(made)
        if seat:
            answer = made.post("/workshop/api/join", json={"code": self.codes[seat]})
            assert answer.status_code == 200, answer.text
        return made


@contextmanager
def served(
    folder: Path, seats: int = 3, ports: tuple[int, int] = (0, 0), tls: Tls | None = None
) -> Iterator[ClassRoom]:
    """Serve a class until the end; what it keeps is in `folder`."""
    started = threading.Event()
    told: dict[str, Any] = {}

    async def run() -> None:
        board = Board(folder)
        told["codes"] = board.set_up(seats, "A day")
        told["hall"] = Hall(board, CONTENT, Files(site(folder / "site"), script=SCRIPT), False)
        told["loop"], told["task"] = asyncio.get_running_loop(), asyncio.current_task()

        def ready(port: int, staff_port: int) -> None:
            machine = f"http{'s' if tls else ''}://127.0.0.1"
            hall = told["hall"]
            hall.address, hall.staff_address = f"{machine}:{port}", f"{machine}:{staff_port}"
            started.set()

        try:
            await serve(told["hall"], "127.0.0.1", ports, tls, ready)
        except asyncio.CancelledError:
            pass
        finally:
            board.close()

    thread = threading.Thread(target=lambda: asyncio.run(run()), daemon=True)
    thread.start()
    assert started.wait(PATIENCE)
    hall = told["hall"]
    room = ClassRoom(hall.address, hall.staff_address, told["codes"], hall)
    try:
        yield room
    finally:
        for client in room.clients:
            client.close()
        told["loop"].call_soon_threadsafe(told["task"].cancel)
        thread.join(PATIENCE)
        assert not thread.is_alive()
