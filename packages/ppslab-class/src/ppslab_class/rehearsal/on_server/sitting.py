"""A learner at a seat of the server: logs in with a card's code, and types into a terminal.

Whatever takes the connection away is answered as people answer it: log in again with the same code,
open the same terminal, and look how far the command has come.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import httpx

from ppslab_class.rehearsal.on_server.steps import Step
from ppslab_class.rehearsal.on_server.terminal import CutOffError, Terminal

PASSED: Final = (0, 3)
"""Exit codes of `ppslab task LAB check`: passed, and passed with a warning."""

PATIENCE: Final = 1800.0
"""Seconds after which a learner gives a step up."""

AGAIN_SECONDS: Final = 1.0
LINES: Final = 6
"""Of a terminal, for a fault."""

KEPT: Final = "kept.txt"


class FaultError(Exception):
    """A step that failed, and why."""


@dataclass(frozen=True)
class Doing:
    """A step that a learner is in the middle of."""

    kind: str
    what: str
    since: float
    """As time.monotonic() tells it."""


@dataclass(frozen=True)
class Lab:
    """A lab, and the tasks that a learner does in it."""

    name: str
    tasks: tuple[str, ...]


class Sitting:
    """One learner at one seat."""

    def __init__(self, address: str, seat: str, code: str, begun: float) -> None:
        self.seat = seat
        self.steps: list[Step] = []
        self._address = address
        self._code = code
        self._begun = begun
        self._terminal = Terminal("", "")
        self.cut_off = 0
        self.doing: Doing | None = None
        self.at_end = False
        """Whether the last task is done, or given up."""

    @property
    def under_way(self) -> bool:
        """Whether this one has solved a task, or will solve none any more."""
        return self.at_end or any(step.kind == "solve" for step in self.steps)

    @property
    def tasks_done(self) -> int:
        """How many have passed their check."""
        return sum(step.kind == "check" and not step.fault for step in self.steps)

    async def attend(self, labs: Sequence[Lab], right: asyncio.Event) -> None:
        """Do every task of every lab; a task that fails is noted, and the next one begun.

        `right`: set once all that is to go wrong in this class has; nobody leaves before.
        """
        try:
            await self._step("log in", "", self._log_in)
            await self._step("seat", "", self._take_the_seat)
            await self._typed("file", "", f"echo {self.seat} > {KEPT}")
            for lab in labs:
                await self._do(lab)
            self.at_end = True
            await right.wait()
            await self._typed("file", "", f"grep -qx {self.seat} {KEPT}")
        except FaultError:
            return  # noted; without a seat there is no task
        finally:
            self.at_end = True
            self._terminal.close()

    async def _do(self, lab: Lab) -> None:
        for task in lab.tasks:
            try:
                await self._typed(
                    "start", f"{lab.name}/{task}", f"ppslab task {lab.name} start {task}"
                )
                await self._typed("solve", f"{lab.name}/{task}", f"ppslab task {lab.name} solve")
                check = f"ppslab task {lab.name} check"
                await self._typed("check", f"{lab.name}/{task}", check, PASSED)
            except FaultError:
                continue
        all_done = f"ppslab task {lab.name} list | grep -q 'all tasks are done'"
        for kind, command in (("progress", all_done), ("end", f"ppslab task {lab.name} end")):
            try:
                await self._typed(kind, lab.name, command)
            except FaultError:
                continue

    async def _typed(self, kind: str, what: str, command: str, good: Sequence[int] = (0,)) -> None:
        """Type a command, and wait for its end."""
        self._terminal.next_command()

        async def typed() -> None:
            code = await self._terminal.run(command)
            if code not in good:
                lines = [each.rstrip() for each in self._terminal.shown.splitlines()]
                last = " / ".join([each for each in lines if each][-LINES:])
                raise FaultError(f"exit code {code}: {last}")

        await self._step(kind, what, typed)

    async def _step(self, kind: str, what: str, does: Callable[[], Awaitable[None]]) -> None:
        """Do it, through every cut of the connection; FaultError, which is noted here."""
        begun, fault = time.monotonic(), ""
        self.doing = Doing(kind, what, begun)
        try:
            await asyncio.wait_for(self._through(does), PATIENCE)
        except TimeoutError:
            fault = f"not done after {PATIENCE:.0f} s"
        except FaultError as error:
            fault = str(error)
        finally:
            self.doing = None
        now = time.monotonic()
        self.steps.append(
            Step(self.seat, kind, what, round(now - self._begun, 2), round(now - begun, 3), fault,
                 available_mib())
        )  # fmt: skip
        if fault:
            raise FaultError(fault)

    async def _through(self, does: Callable[[], Awaitable[None]]) -> None:
        while True:
            try:
                return await does()
            except (CutOffError, httpx.HTTPError):
                pass
            if self._terminal.address:  # before, the hub may just not be there yet
                self.cut_off += 1
                await self._come_back()
            await asyncio.sleep(AGAIN_SECONDS)

    async def _come_back(self) -> None:
        """The same seat and the same terminal, by the code of the card."""
        while True:
            try:
                self._terminal.token = await self._token()
                return await self._terminal.connect()
            except (CutOffError, httpx.HTTPError):
                await asyncio.sleep(AGAIN_SECONDS)

    async def _log_in(self) -> None:
        self._terminal.token = await self._token()

    async def _token(self) -> str:
        """Type the code into the hub's page; returns a token of this seat."""
        async with httpx.AsyncClient(base_url=self._address, timeout=60) as browser:
            page = (await browser.get("/hub/login")).raise_for_status()
            xsrf = re.search(r'name="_xsrf" value="([^"]+)"', page.text)
            data = {"code": self._code, "_xsrf": xsrf[1] if xsrf else ""}
            told = await browser.post("/hub/login", data=data)
            if told.status_code == 403:
                raise FaultError("the hub refuses the code of the card")
            if told.status_code != 302:
                told.raise_for_status()
            words = {"X-XSRFToken": browser.cookies["_xsrf"]}
            tokens = f"/hub/api/users/{self.seat}/tokens"
            made = await browser.post(tokens, json={}, headers=words)
            return str(made.raise_for_status().json()["token"])

    async def _take_the_seat(self) -> None:
        """Have the hub start the seat, and open a terminal in it."""
        shown = {"Authorization": f"token {self._terminal.token}"}
        server = f"/hub/api/users/{self.seat}/server"
        async with httpx.AsyncClient(base_url=self._address, timeout=60, headers=shown) as browser:
            begun = await browser.post(server)
            if begun.status_code not in (201, 202, 400):  # 400: it runs, or it is coming
                begun.raise_for_status()
            while True:
                me = (await browser.get("/hub/api/user")).raise_for_status().json()
                if me["server"]:
                    break
                if not me["pending"]:
                    raise FaultError("the hub started no seat: its log says why")
                await asyncio.sleep(AGAIN_SECONDS)
            made = await browser.post(f"/user/{self.seat}/api/terminals")
            name = made.raise_for_status().json()["name"]
        socket = self._address.replace("http", "ws", 1)
        self._terminal.address = f"{socket}/user/{self.seat}/terminals/websocket/{name}"
        await self._terminal.connect()


def available_mib() -> int:
    """Memory that programs of this machine can still have, MiB (proc(5), MemAvailable)."""
    text = Path("/proc/meminfo").read_text(encoding="ascii")
    found = re.search(r"^MemAvailable:\s+(\d+) kB", text, re.MULTILINE)
    return int(found[1]) // 1024 if found else 0
