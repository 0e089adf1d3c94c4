"""The protocol between host and agent: one JSON object a line, each way.

    {"id": 7, "op": "run", "run": "fastpath-ab12", "node": "dut", "argv": ["nft", "list", ...]}
    {"id": 7, "result": {...}}
    {"id": 7, "error": {"kind": "BackendError", "message": "..."}}

Replies come when they are ready, not in the order of the requests.
A terminal's output comes as events, {"id": of its request, "pty": base64}, before its reply.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from ppslab.core.errors import BackendError, CannotHereError, PpslabError

Message = dict[str, Any]

# More than this without an end of line is not our protocol: twice process.MOST_OUTPUT, for stdout
# and stderr, is six times as long in JSON where every byte is escaped.
MOST_LINE = 128 << 20
# One `exec` command of a topology; it is set-up, not a service.  Much longer than a command waits
# by itself for what it wants (labs/pppoe/linux/client/start: two minutes without progress), so that
# its own words are what is read; this is for one that hangs.  The host waits longer (Backend).
EXEC_SECONDS = 900.0


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
    if isinstance(error, CannotHereError):
        return {"kind": "CannotHereError", "message": error.reason, "remedy": error.remedy}
    if isinstance(error, PpslabError):
        return {"kind": "BackendError", "message": str(error)}
    return {"kind": "BackendError", "message": f"{type(error).__name__}: {error}"}


def revive(error: Message) -> PpslabError:
    if error.get("kind") == "CannotHereError":
        return CannotHereError(str(error["message"]), str(error.get("remedy", "")))
    return BackendError(str(error.get("message", "the agent failed")))
