"""The protocol between host and agent: one JSON object a line, each way.

    {"id": 7, "op": "run", "run": "fastpath-ab12", "node": "dut", "argv": ["nft", "list", ...]}
    {"id": 7, "result": {...}}
    {"id": 7, "error": {"kind": "BackendError", "message": "..."}}

Replies come when they are ready, not in the order of the requests.
A terminal's output comes as events, {"id": of its request, "pty": base64}, before its reply.
"""

from __future__ import annotations

import json
from typing import Any

from ppslab.core.errors import BackendError, CannotHereError, PpslabError

Message = dict[str, Any]

# One `exec` command of a topology; it is set-up, not a service.  Much longer than a command waits
# by itself for what it wants (labs/pppoe/linux/client/start: two minutes without progress), so that
# its own words are what is read; this is for one that hangs.  The host waits longer (Backend).
EXEC_SECONDS = 900.0


def encode(message: Message) -> bytes:
    """One line."""
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


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
