"""Commands in nodes: with input, output, a time limit; or on a terminal of their own."""

from __future__ import annotations

import asyncio
import errno
import fcntl
import os
import signal
import struct
import subprocess
import termios
from collections.abc import AsyncIterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Any

from ppslab.testbed.backends.agent.protocol import Message

# For stdout and stderr each; a command that writes more needs `output_file`.
MOST_OUTPUT = 8 << 20
_CHUNK = 1 << 16
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class NodeError(Exception):
    """A node could not be made, or is gone."""


Process = subprocess.Popen[bytes]


class NodeProcess:
    """A place to start commands: a node's namespaces, or a client that reaches it.

    `env`: more environment variables for its commands, beside `environment`.
    `running`: the processes that were not waited for yet, and perhaps some that were.
    """

    def __init__(self, env: Mapping[str, str]) -> None:
        self.env = env
        self.running: set[Process] = set()

    def start(self, argv: list[str], *, output_file: str | None = None, **options: Any) -> Process:
        """Start a program with Popen's `options`, and its stdout in a file.  Raises OSError.

        It leads a session, so that a signal to its group reaches all that it starts.
        """
        with ExitStack() as opened:
            if output_file is not None:
                options["stdout"] = opened.enter_context(Path(output_file).open("wb"))
            try:
                process = subprocess.Popen(argv, start_new_session=True, **options)
            except OSError as error:
                if error.filename != argv[0]:
                    raise
                # The shell says why it cannot be executed, and ends with 126 or 127.
                shell = ["sh", "-c", 'exec "$@"', "sh", *argv]
                process = subprocess.Popen(shell, start_new_session=True, **options)
        self.running = {one for one in self.running if one.returncode is None} | {process}
        return process

    def kill_group(self, process: Process, *signals: int) -> None:
        """Signal a process and its group; one that was waited for gave its number back."""
        if process.returncode is None:
            for number in signals:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, number)

    def command(self, argv: list[str], request: Message) -> Command:
        """Start a command with the request's input, env, timeout and output_file."""
        options = {name: request.get(name) for name in ("env", "timeout", "output_file")}
        return Command(self, argv, text=request.get("input"), **options)

    def terminal(self, argv: list[str], request: Message) -> Terminal:
        """Start a command on a terminal of the request's rows and cols, with its env."""
        size = (int(request["rows"]), int(request["cols"]))
        return Terminal(self, argv, size=size, env=request.get("env") or {})

    def lost(self, _: Outcome) -> str:
        """Return why a command could not begin, as its node is gone; empty where it ran."""
        return ""


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
    return variables | {str(name): str(value) for one in more for name, value in one.items()}


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
        # A file, not a pipe, which would have to be fed while the command runs.
        with os.fdopen(os.memfd_create("input"), "w+b") as stdin:
            stdin.write((text or "").encode())
            stdin.seek(0)
            self._process = node.start(
                argv,
                output_file=output_file,
                env=environment(node.env, env or {}),
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )

    def kill(self) -> None:
        self._node.kill_group(self._process, signal.SIGKILL)

    async def outcome(self) -> Outcome:
        """Keep what it writes, and wait for its end."""
        out, err = _Kept(self._process.stdout), _Kept(self._process.stderr)
        late = False

        def end() -> None:
            nonlocal late
            late = True
            self.kill()

        loop = asyncio.get_running_loop()
        timer = loop.call_later(self._timeout, end) if self._timeout is not None else None
        await _ended(self._process.pid)
        if timer:
            timer.cancel()
        returncode = self._process.wait()
        out.close()
        err.close()
        truncated = out.truncated or err.truncated
        # If there is too much, the end is enough: a part of the output is of no use.
        kept = slice(-2000, None) if truncated else slice(None)
        return Outcome(
            returncode,
            out.content[kept].decode(errors="replace"),
            err.content[kept].decode(errors="replace"),
            timed_out=late,
            truncated=truncated,
        )


class _Kept:
    """What comes out of a pipe, up to MOST_OUTPUT; nothing where there is none."""

    def __init__(self, pipe: IO[bytes] | None) -> None:
        self.content = bytearray()
        self.truncated = False
        self._pipe = pipe
        if pipe:
            os.set_blocking(pipe.fileno(), False)
            asyncio.get_running_loop().add_reader(pipe, self._read, pipe)

    def close(self) -> None:
        """Read what is in the pipe.  Not until its end: a daemon may hold it for ever."""
        if self._pipe:
            while self._read(self._pipe):
                pass
            asyncio.get_running_loop().remove_reader(self._pipe)
            self._pipe.close()

    def _read(self, pipe: IO[bytes]) -> bool:
        """Read what has arrived; returns whether there may be more."""
        try:
            chunk = os.read(pipe.fileno(), _CHUNK)
        except BlockingIOError:
            return False
        if not chunk:
            asyncio.get_running_loop().remove_reader(pipe)
            return False
        room = MOST_OUTPUT - len(self.content)
        self.content += chunk[:room]
        self.truncated |= len(chunk) > room
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
        try:
            self._process = node.start(
                argv,
                env=environment(node.env, env),
                stdin=slave,
                stdout=slave,
                stderr=slave,
                preexec_fn=partial(fcntl.ioctl, 0, termios.TIOCSCTTY, 0),
            )
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
        self._node.kill_group(self._process, signal.SIGHUP, signal.SIGKILL)

    async def output(self) -> AsyncIterator[bytes]:
        """Yield the program's output until it ends; it waits while nobody asks for more."""
        loop = asyncio.get_running_loop()
        more = asyncio.Event()
        end = asyncio.create_task(_ended(self._process.pid))
        end.add_done_callback(lambda _: more.set())
        while not end.done():
            more.clear()
            if self._in_use:
                loop.add_reader(self._master, more.set)
            await more.wait()
            loop.remove_reader(self._master)
            if chunk := self._read():
                yield chunk
        self.returncode = self._process.wait()
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
