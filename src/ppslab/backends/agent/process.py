"""Commands in nodes: with input, output, a time limit; or on a terminal of their own."""

from __future__ import annotations

import base64
import errno
import fcntl
import os
import signal
import struct
import termios
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import NoReturn, Protocol

from ppslab.backends.agent.loop import READ, WRITE, Loop

# For stdout and stderr each; a command that writes more needs `output_file`.
MOST_OUTPUT = 8 << 20
_CHUNK = 1 << 16
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class NodeProcess(Protocol):
    """Where a command is started: in a node's namespaces, or by a client that reaches it."""

    @property
    def env(self) -> Mapping[str, str]:
        """More environment variables for its commands, beside `environment`."""

    def spawn(self, inside: Callable[[], NoReturn]) -> int:
        """Fork a process that runs `inside`; its pid, as the agent sees it."""

    def kill_group(self, pid: int, *signals: int) -> None:
        """Signal a spawned process and its group, if it was not waited for yet."""

    def wait(self, pid: int) -> int:
        """Wait for a spawned process: its exit code, or minus the signal."""


@dataclass
class Outcome:
    """How a command ended: exit code, or minus the signal's number."""

    returncode: int
    stdout: str
    stderr: str
    timed_out: bool
    truncated: bool


def environment(*more: Mapping[str, str]) -> dict[str, str]:
    """A node's environment: not the host's, which would make runs differ from one another."""
    made = {"PATH": _PATH, "HOME": os.environ.get("HOME", "/"), "LANG": "C.UTF-8"}
    for one in more:
        made.update({str(name): str(value) for name, value in one.items()})
    return made


def _become(argv: list[str], env: dict[str, str], handles: tuple[int, int, int]) -> NoReturn:
    """In the fork: take the three handles as stdin, stdout, stderr, and be the program.

    It leads a session, so that a signal to its group reaches all that it starts.
    """
    for ignored in (signal.SIGINT, signal.SIGPIPE, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_DFL)
    # Past 2 first: one of the handles may be 0, 1 or 2 already.
    safe = [fcntl.fcntl(handle, fcntl.F_DUPFD_CLOEXEC, 3) for handle in handles]
    for number, handle in enumerate(safe):
        os.dup2(handle, number)
    try:
        os.execvpe(argv[0], argv, env)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        os.write(2, f"{argv[0]}: {why}\n".encode())
        # As in a shell: 127 not found, 126 found but not executable.
        os._exit(127 if isinstance(error, FileNotFoundError) else 126)


class Execution:
    """One command in a node; `done` is called once, when it ended."""

    def __init__(
        self,
        loop: Loop,
        holder: NodeProcess,
        argv: list[str],
        done: Callable[[Outcome], None],
        *,
        text: str | None = None,
        env: Mapping[str, str] | None = None,
        timeout: float | None = None,
        output_file: str | None = None,
    ) -> None:
        self._loop = loop
        self._holder = holder
        self._done = done
        self._timed_out = False
        self._parts: dict[int, bytearray] = {}
        self._truncated = False
        self._input = memoryview(text.encode() if text else b"")
        out, out_end = os.pipe()
        err, err_end = os.pipe()
        into_end, self._into = os.pipe()
        full = environment(holder.env, env or {})

        def inside() -> NoReturn:
            to = out_end
            if output_file:
                try:
                    to = os.open(output_file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
                except OSError as error:
                    os.write(err_end, f"{output_file}: {error.strerror}\n".encode())
                    os._exit(126)
            os.setsid()
            _become(argv, full, (into_end, to, err_end))

        try:
            self.pid = holder.spawn(inside)
        except BaseException:
            for handle in (out, err, self._into):
                os.close(handle)
            raise
        finally:
            for handle in (out_end, err_end, into_end):
                os.close(handle)
        self._out, self._err = out, err
        for handle in (out, err):
            os.set_blocking(handle, False)
            self._parts[handle] = bytearray()
            loop.watch(handle, READ, partial(self._read, handle))
        os.set_blocking(self._into, False)
        self._feed()
        self._pidfd = os.pidfd_open(self.pid)
        loop.watch(self._pidfd, READ, self._ended)
        self._timer = loop.after(timeout, self._late) if timeout is not None else None

    def kill(self) -> None:
        """Kill the command and its process group."""
        self._holder.kill_group(self.pid, signal.SIGKILL)

    def _late(self) -> None:
        self._timed_out = True
        self.kill()

    def _feed(self) -> None:
        try:
            while self._input:
                self._input = self._input[os.write(self._into, self._input) :]
        except BlockingIOError:
            self._loop.watch(self._into, WRITE, self._feed)
            return
        except BrokenPipeError:
            pass  # it reads no more
        self._close_input()

    def _close_input(self) -> None:
        if self._into >= 0:
            self._loop.forget(self._into)
            os.close(self._into)
            self._into = -1

    def _read(self, handle: int) -> bool:
        """Read what has arrived; returns whether there may be more."""
        try:
            chunk = os.read(handle, _CHUNK)
        except BlockingIOError:
            return False
        if not chunk:
            self._loop.forget(handle)
            return False
        kept = self._parts[handle]
        room = MOST_OUTPUT - len(kept)
        kept += chunk[:room]
        self._truncated |= len(chunk) > room
        return True

    def _ended(self) -> None:
        returncode = self._holder.wait(self.pid)
        # What it wrote is in the pipes already. Not until their end: a daemon that it left
        # behind may hold them for ever.
        for handle in (self._out, self._err):
            while self._read(handle):
                pass
            self._loop.forget(handle)
            os.close(handle)
        self._close_input()
        self._loop.forget(self._pidfd)
        os.close(self._pidfd)
        if self._timer:
            self._timer.cancel()
        # If there is too much, the end is enough: a part of the output is of no use.
        kept = slice(-2000, None) if self._truncated else slice(None)
        self._done(
            Outcome(
                returncode=returncode,
                stdout=self._parts[self._out][kept].decode(errors="replace"),
                stderr=self._parts[self._err][kept].decode(errors="replace"),
                timed_out=self._timed_out,
                truncated=self._truncated,
            )
        )


class Terminal:
    """One command in a node on a pseudo-terminal; `said` gets its output as base64."""

    def __init__(
        self,
        loop: Loop,
        holder: NodeProcess,
        argv: list[str],
        *,
        size: tuple[int, int],
        env: Mapping[str, str],
        said: Callable[[str], None],
        ended: Callable[[int], None],
    ) -> None:
        self._loop = loop
        self._holder = holder
        self._said = said
        self._ended_call = ended
        self._waiting = bytearray()
        self._reading = True
        self._master, slave = os.openpty()
        self.resize(*size)
        full = environment(holder.env, env)

        def inside() -> NoReturn:
            os.setsid()
            fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
            _become(argv, full, (slave, slave, slave))

        try:
            self.pid = holder.spawn(inside)
        except BaseException:
            os.close(self._master)
            raise
        finally:
            os.close(slave)
        os.set_blocking(self._master, False)
        self._pidfd = os.pidfd_open(self.pid)
        loop.watch(self._master, READ, self._ready)
        loop.watch(self._pidfd, READ, self._ended)

    def resize(self, rows: int, cols: int) -> None:
        """Tell the terminal its size, in characters; its programs get SIGWINCH."""
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))

    def type(self, data: str) -> None:
        """Keys that were typed, as base64."""
        self._waiting += base64.b64decode(data)
        self._ready()

    def kill(self) -> None:
        """Hang up, as a closed window does; then kill."""
        self._holder.kill_group(self.pid, signal.SIGHUP, signal.SIGKILL)

    def pause(self, paused: bool) -> None:
        """Read no more output for a while: the reader at the other end is slow."""
        self._reading = not paused
        self._watch()

    def _ready(self) -> None:
        if self._reading:
            self._read()
        with suppress(OSError):
            while self._waiting:
                del self._waiting[: os.write(self._master, self._waiting)]
        self._watch()

    def _watch(self) -> None:
        events = (READ if self._reading else 0) | (WRITE if self._waiting else 0)
        if events:
            self._loop.watch(self._master, events, self._ready)
        else:
            self._loop.forget(self._master)

    def _read(self) -> bool:
        try:
            chunk = os.read(self._master, _CHUNK)
        except OSError as error:
            if error.errno == errno.EIO:  # no program has it open any more: ready for ever
                self._reading = False
            return False
        if chunk:
            self._said(base64.b64encode(chunk).decode())
        return bool(chunk)

    def _ended(self) -> None:
        returncode = self._holder.wait(self.pid)
        while self._read():
            pass
        for handle in (self._master, self._pidfd):
            self._loop.forget(handle)
            os.close(handle)
        self._ended_call(returncode)
