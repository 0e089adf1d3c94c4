"""A terminal of a seat's JupyterLab, through the hub's proxy, as a browser has it.

The shell and what runs in it belong to the seat: they go on while the connection is lost.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Final

from tornado.httpclient import HTTPRequest
from tornado.websocket import WebSocketClientConnection, websocket_connect

CONNECT_SECONDS: Final = 30.0
WIDE: Final = ("set_size", 50, 1000)
"""Rows and columns: the shell wraps no command, so its echo can be recognized."""

_CONTROL: Final = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07]*\x07")


class CutOffError(Exception):
    """The connection ended; the terminal may well be there."""


@dataclass
class Terminal:
    """A terminal that was opened; `shown` is what it wrote since the last command was typed."""

    address: str
    """Of its websocket."""
    token: str
    shown: str = ""
    _typed: int = 0
    _line: WebSocketClientConnection | None = field(default=None, repr=False)

    async def connect(self) -> None:
        """Connect, or connect again; what it wrote meanwhile comes again.  CutOffError."""
        self.close()
        request = HTTPRequest(
            self.address,
            headers={"Authorization": f"token {self.token}"},
            connect_timeout=CONNECT_SECONDS,
            request_timeout=CONNECT_SECONDS,
        )
        try:
            self._line = await websocket_connect(request)
            await self._line.write_message(json.dumps(WIDE))
            # Its first word is all that it wrote so far, which may be the end of a command.
            before = self.shown
            while self.shown == before:
                await self._hear()
        except CutOffError:
            raise
        except Exception as error:  # tornado has as many classes for this as a network has faults
            raise CutOffError(str(error)) from error

    def close(self) -> None:
        """End the connection, not the terminal."""
        if self._line is not None:
            self._line.close()
            self._line = None

    def next_command(self) -> None:
        """Forget what was shown: another command is typed now."""
        self._typed += 1
        self.shown = ""

    async def run(self, command: str) -> int:
        """The exit code of a command.  CutOffError: connect, and call this again for the rest.

        It is typed once: what the shell has echoed already is only waited for.
        """
        mark = f"ended-{self._typed}="
        ended = re.compile(rf"{mark}(\d+)=")
        if mark not in self.shown:
            await self._send(f"{command}; echo {mark}$?=")
        while not (found := ended.search(self.shown)):
            await self._hear()
        return int(found[1])

    async def _send(self, line: str) -> None:
        if self._line is None:
            raise CutOffError("not connected")
        try:
            await self._line.write_message(json.dumps(["stdin", f"{line}\r"]))
        except Exception as error:
            raise CutOffError(str(error)) from error

    async def _hear(self) -> None:
        told = await self._line.read_message() if self._line else None
        if told is None:
            raise CutOffError("the connection was closed")
        kind, *more = json.loads(told)
        if kind == "stdout":
            self.shown += _CONTROL.sub("", more[0])
        elif kind == "disconnect":
            raise CutOffError("the shell has ended")
