"""Commands in nodes: with input, output, a time limit; or on a terminal of their own."""

from __future__ import annotations

import asyncio
import errno
import fcntl
import os
import signal
import struct
import termios
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from typing import NoReturn, Protocol

# For stdout and stderr each; a command that writes more needs `output_file`.
MOST_OUTPUT = 8 << 20
_CHUNK = 1 << 16
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class NodeError(Exception):
    """A node could not be made, or is gone."""


class NodeProcess(Protocol):
    """A place to start commands: a node's namespaces, or a client that reaches it."""

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
    """The end of a command: exit code, or minus the signal's number."""

    returncode: int
    stdout: str
    stderr: str
    timed_out: bool
    truncated: bool


def environment(*more: Mapping[str, str]) -> dict[str, str]:
    """A node's environment: not the host's, which would make runs differ from one another."""
    variables = {"PATH": _PATH, "HOME": os.environ.get("HOME", "/"), "LANG": "C.UTF-8"}
    for one in more:
        variables.update({str(name): str(value) for name, value in one.items()})
    return variables


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


class Command:
    def __init__(
        self,
        node: NodeProcess,
        argv: list[str],
        *,
        text: str | None = None,
        env: Mapping[str, str] | None = None,
        timeout: float | None = None,
        output_file: str | None = None,
    ) -> None:
        """`timeout` [s]: it is killed after that; `output_file` gets its stdout."""
        self._node = node
        self._timeout = timeout
        self._timed_out = False
        self._parts: dict[int, bytearray] = {}
        self._truncated = False
        self._input = memoryview(text.encode() if text else b"")
        out, out_end = os.pipe()
        err, err_end = os.pipe()
        into_end, self._into = os.pipe()
        full = environment(node.env, env or {})

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
            self.pid = node.spawn(inside)
        except BaseException:
            for handle in (out, err, self._into):
                os.close(handle)
            raise
        finally:
            for handle in (out_end, err_end, into_end):
                os.close(handle)
        self._out, self._err = out, err
        for handle in (out, err, self._into):
            os.set_blocking(handle, False)

    def kill(self) -> None:
        self._node.kill_group(self.pid, signal.SIGKILL)

    async def outcome(self) -> Outcome:
        """Feed it, keep what it writes, and wait for its end."""
        loop = asyncio.get_running_loop()
        for handle in (self._out, self._err):
            self._parts[handle] = bytearray()
            loop.add_reader(handle, self._read, handle)
        self._feed()
        timer = loop.call_later(self._timeout, self._late) if self._timeout is not None else None
        await _ended(self.pid)
        if timer:
            timer.cancel()
        returncode = self._node.wait(self.pid)
        # What it wrote is in the pipes already. Not until their end: a daemon that it left
        # behind may hold them for ever.
        for handle in (self._out, self._err):
            while self._read(handle):
                pass
            loop.remove_reader(handle)
            os.close(handle)
        self._close_input()
        # If there is too much, the end is enough: a part of the output is of no use.
        kept = slice(-2000, None) if self._truncated else slice(None)
        return Outcome(
            returncode=returncode,
            stdout=self._parts[self._out][kept].decode(errors="replace"),
            stderr=self._parts[self._err][kept].decode(errors="replace"),
            timed_out=self._timed_out,
            truncated=self._truncated,
        )

    def _late(self) -> None:
        self._timed_out = True
        self.kill()

    def _feed(self) -> None:
        try:
            while self._input:
                self._input = self._input[os.write(self._into, self._input) :]
        except BlockingIOError:
            asyncio.get_running_loop().add_writer(self._into, self._feed)
            return
        except BrokenPipeError:
            pass  # it reads no more
        self._close_input()

    def _close_input(self) -> None:
        if self._into >= 0:
            asyncio.get_running_loop().remove_writer(self._into)
            os.close(self._into)
            self._into = -1

    def _read(self, handle: int) -> bool:
        """Read what has arrived; returns whether there may be more."""
        try:
            chunk = os.read(handle, _CHUNK)
        except BlockingIOError:
            return False
        if not chunk:
            asyncio.get_running_loop().remove_reader(handle)
            return False
        kept = self._parts[handle]
        room = MOST_OUTPUT - len(kept)
        kept += chunk[:room]
        self._truncated |= len(chunk) > room
        return True


class Terminal:
    """One command in a node on a pseudo-terminal; `returncode` once its output has ended."""

    def __init__(
        self, node: NodeProcess, argv: list[str], *, size: tuple[int, int], env: Mapping[str, str]
    ) -> None:
        self.returncode = 0
        self._node = node
        self._keys = bytearray()
        self._in_use = True
        self._master, slave = os.openpty()
        self.resize(*size)
        full = environment(node.env, env)

        def inside() -> NoReturn:
            os.setsid()
            fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
            _become(argv, full, (slave, slave, slave))

        try:
            self.pid = node.spawn(inside)
        except BaseException:
            os.close(self._master)
            raise
        finally:
            os.close(slave)
        os.set_blocking(self._master, False)

    def resize(self, rows: int, cols: int) -> None:
        """Tell the terminal its size, in characters; its programs get SIGWINCH."""
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))

    def type(self, keys: bytes) -> None:
        """Type keys; those that the program does not read yet wait for it."""
        self._keys += keys
        loop = asyncio.get_running_loop()
        try:
            while self._keys:
                del self._keys[: os.write(self._master, self._keys)]
        except BlockingIOError:
            loop.add_writer(self._master, self.type, b"")
            return
        except OSError:
            self._keys.clear()
        loop.remove_writer(self._master)

    def kill(self) -> None:
        """Hang up, as a closed window does; then kill."""
        self._node.kill_group(self.pid, signal.SIGHUP, signal.SIGKILL)

    async def output(self) -> AsyncIterator[bytes]:
        """Yield the program's output until it ends; it waits while nobody asks for more."""
        loop = asyncio.get_running_loop()
        more = asyncio.Event()
        end = asyncio.create_task(_ended(self.pid))
        end.add_done_callback(lambda _: more.set())
        while not end.done():
            more.clear()
            if self._in_use:
                loop.add_reader(self._master, more.set)
            await more.wait()
            loop.remove_reader(self._master)
            if chunk := self._read():
                yield chunk
        self.returncode = self._node.wait(self.pid)
        while chunk := self._read():
            yield chunk
        loop.remove_writer(self._master)
        os.close(self._master)

    def _read(self) -> bytes:
        try:
            return os.read(self._master, _CHUNK)
        except OSError as error:
            if error.errno == errno.EIO:  # no program has it open any more: ready for ever
                self._in_use = False
            return b""


async def _ended(pid: int) -> None:
    """Wait until a process has ended; its status stays to be waited for."""
    loop = asyncio.get_running_loop()
    handle = os.pidfd_open(pid)
    end = asyncio.Event()
    loop.add_reader(handle, end.set)
    try:
        await end.wait()
    finally:
        loop.remove_reader(handle)
        os.close(handle)
