"""The host's end of an agent: requests over a pair of file descriptors, from any thread."""

from __future__ import annotations

import itertools
import os
import queue
import socket
import stat
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from ppslab.core.errors import BackendError
from ppslab.testbed.backends.agent.protocol import Lines, Message, encode, revive

_CHUNK = 1 << 20

SLOWER: Final = 6.0
"""The factor by which a guest whose instructions are counted may take longer."""


class LateError(BackendError):
    """An agent did not answer in time."""


class Client:
    """Talks to one agent.

    `why_dead` is asked for a few words (the tail of the agent's stderr, QEMU's last lines) when
    the agent ends or does not answer. The descriptors belong to the client from now on.
    `counted`: it is a guest whose instructions are counted, so that its seconds are as long as its
    work: a command's time is over by this machine's clock, not by the agent's.
    """

    def __init__(
        self,
        read: int,
        write: int,
        why_dead: Callable[[], str] = lambda: "",
        *,
        counted: bool = False,
    ) -> None:
        self._counted = counted
        self._read, self._write = read, write
        self._why_dead = why_dead
        self._numbers = itertools.count(1)
        self._waiting: dict[int, queue.SimpleQueue[Message | None]] = {}
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._dead = False
        self._closed = False
        for handle in (self._read, self._write):
            os.set_inheritable(handle, False)
            os.set_blocking(handle, True)
        self._reader = threading.Thread(target=self._listen, name="ppslab agent", daemon=True)
        self._reader.start()

    @classmethod
    def over_socket(cls, path: Path | str, why_dead: Callable[[], str] = lambda: "") -> Client:
        """Connect to a unix socket. Raises BackendError where nobody listens."""
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connection.connect(str(path))
        except OSError as error:
            connection.close()
            raise BackendError(f"nobody answers at {path}: {error.strerror}") from None
        handle = connection.detach()
        return cls(handle, os.dup(handle), why_dead)

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
            return self.wait(replies, wait)
        except (LateError, KeyboardInterrupt):
            self.say({"op": "cancel", "request": number})
            raise
        finally:
            self.end(number)

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

    def wait(self, replies: queue.SimpleQueue[Message | None], seconds: float) -> Message:
        try:
            message = replies.get(timeout=seconds)
        except queue.Empty:
            raise LateError(
                self._explain(f"the agent did not answer within {seconds:.0f} s")
            ) from None
        if message is None:
            raise BackendError(self._explain("the agent died"))
        if "error" in message:
            raise revive(message["error"])
        result: Message = message["result"]
        return result

    def end(self, number: int) -> None:
        with self._lock:
            self._waiting.pop(number, None)

    def say(self, message: Message) -> None:
        """Send without waiting; if the agent is dead, waiting callers hear by their queues."""
        line = encode(message)
        try:
            with self._writing:
                while line and not self._closed:
                    line = line[os.write(self._write, line) :]
        except OSError:
            self._die()

    def close(self) -> None:
        """Hang up. An agent on a pipe ends by that."""
        if self._closed:
            return
        with self._writing:
            self._closed = True
            if stat.S_ISSOCK(os.fstat(self._write).st_mode):
                # Wakes the reader: closing alone would leave it in read(2) for ever.
                with socket.socket(fileno=self._write) as connection, suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
            else:
                os.close(self._write)
        self._reader.join(timeout=1.0)

    def _explain(self, what: str) -> str:
        why = self._why_dead().strip()
        return f"{what}:\n{why}" if why else what

    def _listen(self) -> None:
        lines = Lines()
        try:
            while chunk := os.read(self._read, _CHUNK):
                for message in lines.feed(chunk):
                    with self._lock:
                        replies = self._waiting.get(message.get("id") or 0)
                    if replies:
                        replies.put(message)
        except (OSError, ValueError):
            pass
        self._die()

    def _die(self) -> None:
        with self._lock:
            self._dead = True
            waiting = list(self._waiting.values())
        for replies in waiting:
            replies.put(None)
