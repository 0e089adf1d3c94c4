"""The protocol between host and agent: one JSON object a line, each way.

    {"id": 7, "op": "run", "run": "fastpath-ab12", "node": "dut", "argv": ["nft", "list", ...]}
    {"id": 7, "result": {...}}
    {"id": 7, "error": {"kind": "BackendError", "message": "..."}}

Replies come when they are ready, not in the order of the requests.
A terminal's output comes as events, {"id": of its request, "pty": base64}, before its reply.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from typing import Any

from ppslab.backends.agent.loop import READ, WRITE, Loop
from ppslab.base.errors import BackendError, CannotHereError, PpslabError

Message = dict[str, Any]

_CHUNK = 1 << 16
# More than this without an end of line is not our protocol: twice process.MOST_OUTPUT, for stdout
# and stderr, is six times as long in JSON where every byte is escaped.
MOST_LINE = 128 << 20
# One `exec` command of a topology; it is set-up, not a service.  Much longer than a command waits
# by itself for what it wants (labs/pppoe/linux/client/start: two minutes without progress), so that
# its own words are what is read; this is for one that hangs.  The host waits longer (Backend).
EXEC_SECONDS = 900.0
# Above this the other end is slow: terminals are not read until it has caught up.
_MUCH = 1 << 20


def encode(message: Message) -> bytes:
    """One line."""
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


class Lines:
    """Cuts a stream of bytes into messages."""

    def __init__(self) -> None:
        self._rest = bytearray()

    def feed(self, chunk: bytes) -> Iterator[Message]:
        """The messages that end in this chunk. ValueError where it is not the protocol."""
        seen = len(self._rest)  # no end of line in there: large replies come in many chunks
        self._rest += chunk
        while (end := self._rest.find(b"\n", seen)) >= 0:
            line = bytes(self._rest[:end])
            del self._rest[: end + 1]
            seen = 0
            if not line.strip():
                continue
            message = json.loads(line)
            if not isinstance(message, dict):
                raise ValueError("not an object")
            yield message
        if len(self._rest) > MOST_LINE:
            raise ValueError("a line without an end")


def describe(error: BaseException) -> Message:
    """An error as it is sent over the wire."""
    if isinstance(error, CannotHereError):
        return {"kind": "CannotHereError", "message": error.reason, "remedy": error.remedy}
    if isinstance(error, PpslabError):
        return {"kind": "BackendError", "message": str(error)}
    return {"kind": "BackendError", "message": f"{type(error).__name__}: {error}"}


def revive(error: Message) -> PpslabError:
    """The exception that `describe` described."""
    if error.get("kind") == "CannotHereError":
        return CannotHereError(str(error["message"]), str(error.get("remedy", "")))
    return BackendError(str(error.get("message", "the agent failed")))


class Channel:
    """The agent's end: never blocks, whatever the other end does.

    `got` is called for every request, `gone` once when the other end has closed, and `slow` with
    True and False when the other end falls behind and catches up.
    """

    def __init__(
        self,
        loop: Loop,
        read: int,
        write: int,
        *,
        got: Callable[[Channel, Message], None],
        gone: Callable[[Channel], None],
        slow: Callable[[Channel, bool], None],
    ) -> None:
        self._loop = loop
        self._handles = {read, write}
        self._read, self._write = read, write
        self._got, self._gone, self._slow = got, gone, slow
        self._lines = Lines()
        self._out = bytearray()
        self._behind = False
        self.closed = False
        for handle in self._handles:
            os.set_blocking(handle, False)
        self._ask()

    def send(self, message: Message) -> None:
        """Send as soon as the other end reads; dropped when it has gone."""
        if not self.closed:
            self._out += encode(message)
            self._flush()

    def flushed(self) -> bool:
        """Whether everything was sent (or nobody is there to read it)."""
        return self.closed or not self._out

    def close(self) -> None:
        """Close this end; `gone` is not called."""
        if self.closed:
            return
        self.closed = True
        for handle in self._handles:
            self._loop.forget(handle)
            os.close(handle)

    def _ask(self) -> None:
        wanted = WRITE if self._out else 0
        if self._read == self._write:
            self._loop.watch(self._read, READ | wanted, self._ready)
            return
        self._loop.watch(self._read, READ, self._ready)
        if wanted:
            self._loop.watch(self._write, WRITE, self._flush)
        else:
            self._loop.forget(self._write)

    def _ready(self) -> None:
        self._flush()
        try:
            chunk = os.read(self._read, _CHUNK) if not self.closed else b""
        except BlockingIOError:
            return
        except OSError:
            chunk = b""
        if not chunk:
            self._lost()
            return
        try:
            for message in self._lines.feed(chunk):
                if not self.closed:
                    self._got(self, message)
        except ValueError as error:
            self.send({"id": None, "error": {"kind": "BackendError", "message": f"{error}"}})
            self._lost()

    def _flush(self) -> None:
        try:
            while self._out:
                del self._out[: os.write(self._write, self._out)]
        except BlockingIOError:
            pass
        except OSError:
            self._lost()
            return
        behind = len(self._out) > _MUCH
        if behind != self._behind:
            self._behind = behind
            self._slow(self, behind)
        if not self.closed:
            self._ask()

    def _lost(self) -> None:
        if not self.closed:
            self.close()
            self._gone(self)
