"""The host's end of an agent: requests over a socket, from any thread."""

from __future__ import annotations

import itertools
import json
import queue
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from ppslab.core.errors import BackendError
from ppslab.testbed.backends.agent.protocol import Message, encode, revive

SLOWER: Final = 6.0
"""The factor by which a guest whose instructions are counted may take longer."""


class LateError(BackendError):
    """An agent did not answer in time."""


class Client:
    """Talks to one agent over a socket, which belongs to the client from now on.

    `why_dead` is asked for a few words (the tail of the agent's stderr, QEMU's last lines) when
    the agent ends or does not answer.
    `counted`: it is a guest whose instructions are counted, so that its seconds are as long as its
    work: a command's time is over by this machine's clock, not by the agent's.
    """

    def __init__(
        self,
        connection: socket.socket,
        why_dead: Callable[[], str] = lambda: "",
        *,
        counted: bool = False,
    ) -> None:
        self._counted = counted
        self._connection = connection
        self._why_dead = why_dead
        self._numbers = itertools.count(1)
        self._waiting: dict[int, queue.SimpleQueue[Message | None]] = {}
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._dead = False
        self._closed = False
        self._reader = threading.Thread(target=self._listen, name="ppslab agent", daemon=True)
        self._reader.start()

    @classmethod
    def over_socket(cls, path: Path | str, why_dead: Callable[[], str] = lambda: "") -> Client:
        """Connect to a unix socket. Raises BackendError where nobody listens."""
        connection = socket.socket(socket.AF_UNIX)
        try:
            connection.connect(str(path))
        except OSError as error:
            connection.close()
            raise BackendError(f"nobody answers at {path}: {error.strerror}") from None
        return cls(connection, why_dead)

    @property
    def alive(self) -> bool:
        return not (self._dead or self._closed)

    def call(self, operation: str, *, wait: float, **fields: Any) -> Message:
        """Ask, and wait at most `wait` seconds for the reply.

        Raises what the agent raised (BackendError, CannotHereError); BackendError when it died
        or did not answer. When interrupted (Ctrl-C), the agent is told to stop the command.
        """
        if self._counted:
            wait *= SLOWER
            if "timeout" in fields:
                fields["timeout"] = None
        number, replies = self.begin(operation, **fields)
        try:
            message = replies.get(timeout=wait)
        except (queue.Empty, KeyboardInterrupt) as error:
            self.say({"op": "cancel", "request": number})
            if isinstance(error, KeyboardInterrupt):
                raise
            late = self._explain(f"the agent did not answer within {wait:.0f} s")
            raise LateError(late) from None
        finally:
            self.end(number)
        if message is None:
            raise BackendError(self._explain("the agent died"))
        if "error" in message:
            raise revive(message["error"])
        result: Message = message["result"]
        return result

    def begin(self, operation: str, **fields: Any) -> tuple[int, queue.SimpleQueue[Message | None]]:
        """Ask; replies and events of this request come to the queue, None when the agent died."""
        number = next(self._numbers)
        replies: queue.SimpleQueue[Message | None] = queue.SimpleQueue()
        with self._lock:
            if self._dead:
                replies.put(None)
            self._waiting[number] = replies
        self.say({**fields, "id": number, "op": operation})
        return number, replies

    def end(self, number: int) -> None:
        with self._lock:
            self._waiting.pop(number, None)

    def say(self, message: Message) -> None:
        """Send without waiting; if the agent is dead, waiting callers hear by their queues."""
        with self._writing, suppress(OSError):
            self._connection.sendall(encode(message))

    def close(self) -> None:
        """Hang up. An agent that was started with its other end ends by that."""
        self._closed = True
        with suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)  # wakes the reader, closing would not
        self._reader.join(timeout=1.0)
        self._connection.close()

    def _explain(self, what: str) -> str:
        why = self._why_dead().strip()
        return f"{what}:\n{why}" if why else what

    def _listen(self) -> None:
        with self._connection.makefile("rb") as lines, suppress(OSError, ValueError):
            for line in lines:
                message = json.loads(line)
                with self._lock:
                    replies = self._waiting.get(message.get("id") or 0)
                if replies:
                    replies.put(message)
        with self._lock:
            self._dead = True
            waiting = list(self._waiting.values())
        for replies in waiting:
            replies.put(None)
