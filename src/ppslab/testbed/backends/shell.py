"""A shell in a node, on this terminal: `ppslab shell LAB NODE`."""

from __future__ import annotations

import base64
import os
import select
import signal
import sys
import termios
import threading
import tty
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from types import FrameType

from ppslab.core.errors import BackendError
from ppslab.testbed.backends.agent.protocol import Message, revive
from ppslab.testbed.backends.backend import Node

_CHUNK = 4096
_END_OF_FILE = b"\x04"
# What wakes the main thread.
_ENDED, _RESIZED = b"e", b"r"
SHELL = ("/bin/bash", "--noprofile", "--norc", "-i")


def shell(node: Node, argv: Sequence[str] = SHELL) -> int:
    """Run an interactive command in a node until it ends; its exit code.

    This program's terminal is raw meanwhile, Ctrl-C goes to the node; it is restored whatever
    happens. Without a terminal, stdin is typed into the node's and its end is a Ctrl-D.
    Raises BackendError when the agent dies.
    """
    rows, columns = _size()
    wake, waker = os.pipe()
    env = {"TERM": os.environ.get("TERM", "dumb"), "PS1": f"{node.name}# "}
    where = {"run": node.run_id, "node": node.name, "rows": rows, "cols": columns}
    number, replies = node.client.begin("pty", argv=list(argv), env=env, **where)
    ends: list[Message] = []

    def show() -> None:
        """Copy the node's terminal to ours, until the command has ended."""
        try:
            while (message := replies.get()) is not None:
                if "pty" not in message:
                    ends.append(message)
                    return
                _write_all(1, base64.b64decode(message["pty"]))
        except OSError:
            return  # our terminal is closed
        finally:
            os.write(waker, _ENDED)

    printer = threading.Thread(target=show, daemon=True)
    printer.start()
    try:
        with _raw_terminal(), _signals(waker):
            _type(node, number, wake)
    finally:
        # Ends the command, if we end first.
        node.client.say({"op": "cancel", "request": number})
        node.client.end(number)
        replies.put(None)
        printer.join()
        os.close(wake)
        os.close(waker)
    if not ends:
        raise BackendError("the agent died while the shell was open")
    if "error" in ends[0]:
        raise revive(ends[0]["error"])
    code = int(ends[0]["result"]["returncode"])
    return code if code >= 0 else 128 - code  # as a shell gives it


def _type(node: Node, number: int, wake: int) -> None:
    """Pass on keys and the window's size, until the printer wakes us."""
    watched, again = [0, wake], None
    last = b"\n"
    while True:
        ready, _, _ = select.select(watched, [], [], again)
        if wake in ready:
            why = os.read(wake, _CHUNK)
            if _ENDED in why:
                return
            rows, columns = _size()
            node.client.say({"op": "pty-resize", "pty": number, "rows": rows, "cols": columns})
            continue
        try:
            data = os.read(0, _CHUNK) if 0 in watched else b""
        except OSError:
            data = b""
        if not data:
            # Of a terminal, the end is a Ctrl-D at the start of a line; again until it is taken:
            # one that comes before the shell has its line editor on counts for nothing.
            data = _END_OF_FILE if last == b"\n" else b"\n" + _END_OF_FILE
            watched, again = [wake], 0.5
            last = b"\n"
        else:
            last = data[-1:]
        text = base64.b64encode(data).decode()
        node.client.say({"op": "pty-in", "pty": number, "data": text})


def _size() -> tuple[int, int]:
    """Rows and columns of this terminal."""
    try:
        size = os.get_terminal_size(0)
    except OSError:
        return 24, 80
    return size.lines or 24, size.columns or 80


@contextmanager
def _raw_terminal() -> Iterator[None]:
    if not os.isatty(0):
        yield
        return
    sys.stdout.flush()
    before = termios.tcgetattr(0)
    try:
        tty.setraw(0)
        yield
    finally:
        with suppress(termios.error):  # the terminal is gone
            termios.tcsetattr(0, termios.TCSADRAIN, before)


@contextmanager
def _signals(waker: int) -> Iterator[None]:
    """Note a new window size; end in order on SIGTERM and SIGHUP. In the main thread only."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def changed(_: int, __: FrameType | None) -> None:
        os.write(waker, _RESIZED)  # not more: the client may be in the middle of a line

    def end(number: int, _: FrameType | None) -> None:
        raise SystemExit(128 + number)  # through the finally that restores the terminal

    handlers = {signal.SIGWINCH: changed, signal.SIGTERM: end, signal.SIGHUP: end}
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        yield
    finally:
        for number, earlier in before.items():
            signal.signal(number, earlier)


def _write_all(handle: int, data: bytes) -> None:
    while data:
        with suppress(BlockingIOError):
            data = data[os.write(handle, data) :]
