"""Thirty learners without people: what a class asks of this machine's server.

    .venv/bin/python packages/ppslab-class/load.py [--seats 30] [--seconds 60] [--site _build/html]

Everybody joins and opens the first chapter at once, the heaviest load of a day; then each reports a
step and polls for news, at least once, as `seat.js` does.  A table says how long the answers took;
below it stand the answers a second, the server's memory (PSS) and CPU time, and the reports that
are not on the board.  Exit codes: 0 all are, 1 some are not, 2 wrong words.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urljoin, urlsplit
from uuid import uuid4

import httpx
import numpy as np
import psutil

from ppslab.core.text.tables import Table, cells
from ppslab_class.board import Board
from ppslab_class.board.board import STAFF

PAGE = "book/fastpath"
FIRST = f"/{PAGE}/index.html"
POLL_SECONDS = 5.0
TIMEOUT_SECONDS = 15.0
"""As a seat polls, and gives up (seat.js)."""
FILE = re.compile(
    rb'<(?:script|link|img)\b[^>]*?\s(?:src|href)="([^":]+\.(?:m?js|css|svg|png|ico)(?:\?[^"]*)?)"'
)
"""The address of a file that a page loads from its own site, with the version behind it."""

Times = dict[str, list[float]]


class Learner:
    """One seat: its requests' seconds by kind, and the reports that the board has confirmed."""

    def __init__(self, address: str, code: str, seconds: Times) -> None:
        own = {"Origin": address}
        self.client = httpx.AsyncClient(base_url=address, headers=own, timeout=TIMEOUT_SECONDS)
        self.code = code
        self.seconds = seconds
        self.reported = 0

    async def ask(self, kind: str, path: str, body: object = None) -> httpx.Response:
        """A request, timed; httpx.HTTPError where it fails."""
        begun = time.monotonic()
        answer = await self.client.request("POST" if body else "GET", path, json=body)
        answer.raise_for_status()
        self.seconds[kind].append(time.monotonic() - begun)
        return answer

    async def attend(self, until: float) -> None:
        """Join, open the first page with what it loads, report and poll."""
        await self.ask("join", "/workshop/api/join", {"code": self.code})
        page = await self.ask("page", FIRST)
        files = {urljoin(FIRST, path.decode()) for path in FILE.findall(page.content)}
        await asyncio.gather(*(self.ask("file", path) for path in files))
        while True:
            now = datetime.now(UTC).isoformat()
            event = {"id": uuid4().hex, "kind": "at", "what": PAGE, "value": "", "at": now}
            await self.ask("report", "/workshop/api/events", {"now": now, "events": [event]})
            self.reported += 1
            await self.ask("poll", "/workshop/api/seat?after=0")
            if time.monotonic() > until:
                return
            await asyncio.sleep(POLL_SECONDS)


@contextlib.contextmanager
def server(folder: Path, site: Path) -> Iterator[tuple[psutil.Process, str]]:
    """`ppslab workshop start` on a folder that has its seats; its process and its address."""
    words = ["--plain", "--host", "127.0.0.1", "--name", "127.0.0.1", "--port", "0",
             "--staff-port", "0", "--folder", str(folder), "--site", str(site)]  # fmt: skip
    process = subprocess.Popen(
        [f"{sys.prefix}/bin/ppslab", "workshop", "start", "--seats", "1", *words],
        stdout=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    try:
        lines = (line for line in process.stdout or () if line.startswith("The class: "))
        if not (line := next(lines, "")):
            raise SystemExit(f"load.py: the server ended at once, with {process.wait()}")
        yield psutil.Process(process.pid), f"http://{urlsplit(line.split()[2]).netloc}"
    finally:
        process.send_signal(signal.SIGINT)
        process.wait()


async def attend(address: str, codes: list[str], seconds: float) -> tuple[Times, int, list[str]]:
    """Let all attend; the seconds of requests by kind, the reports, and what failed."""
    times: Times = defaultdict(list)
    learners = [Learner(address, code, times) for code in codes]
    until = time.monotonic() + seconds
    ends = await asyncio.gather(*(one.attend(until) for one in learners), return_exceptions=True)
    for one in learners:
        await one.client.aclose()
    return times, sum(one.reported for one in learners), [repr(end) for end in ends if end]


def main() -> int:
    reader = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    reader.add_argument("--seats", type=int, default=30)
    reader.add_argument("--seconds", type=float, default=60.0)
    reader.add_argument("--site", type=Path, default=Path("_build/html"))
    asked = reader.parse_args()
    if not (asked.site / FIRST[1:]).is_file():
        reader.error(f"--site {asked.site}: there is no {FIRST[1:]}: make site")
    with tempfile.TemporaryDirectory(prefix="ppslab-load-") as folder:
        with contextlib.closing(Board(Path(folder))) as board:
            codes = board.set_up(asked.seats, "A class of nobody")
        learners = [code for seat, code in codes.items() if seat not in STAFF]
        with server(Path(folder), asked.site) as (process, address):
            begun = time.monotonic()
            times, reported, failed = asyncio.run(attend(address, learners, asked.seconds))
            took = time.monotonic() - begun
            memory, used = process.memory_full_info().pss, process.cpu_times()
        with contextlib.closing(Board(Path(folder))) as board:
            lost = reported - sum(1 for _ in board.store.events())
    rows = []
    for kind, seconds in times.items():
        quantiles = np.quantile(seconds, (0.5, 0.95, 1.0)) * 1e3
        rows.append(cells(kind, f"{len(seconds)}", *(f"{each:.0f}" for each in quantiles)))
    notes = (
        f"{asked.seats} seats, {sum(map(len, times.values())) / took:.0f} answers a second.",
        f"Server: {memory / 2**20:.0f} MiB (PSS), {used.user + used.system:.1f} s of CPU time.",
        f"Reports that are not on the board: {lost} of {reported}. Failed: {len(failed)}.",
        *failed[:3],
    )
    columns = ("request", "answers", "median ms", "p95 ms", "most ms")
    print(Table("The load", columns, tuple(rows), notes).plain())
    return int(lost != 0 or bool(failed))


if __name__ == "__main__":
    sys.exit(main())
