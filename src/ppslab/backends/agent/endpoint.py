"""The clients of an agent: one on a handle, one after another on a port, or many on a socket."""

from __future__ import annotations

import os
import signal
import socket
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, NoReturn

from ppslab.backends.agent.loop import READ, Loop
from ppslab.backends.agent.process import Execution, Terminal
from ppslab.backends.agent.protocol import Channel, Message

# How often a port is reopened while nobody is at its other end.
_REOPEN_SECONDS = 0.2
# The program that started a listening agent connects at once, or was killed before it could.
_LONELY_SECONDS = 60.0


class Endpoint(ABC):
    """Takes requests from clients, and ends a client's commands when the client goes."""

    def __init__(self) -> None:
        self.loop = Loop()
        self.stopping = False
        # A client's commands, by the id of the request; they end with the client.
        self.busy: dict[Channel, dict[Any, Execution | Terminal]] = {}
        self._on_gone: Callable[[], None] = self.stop

    @abstractmethod
    def got(self, channel: Channel, request: Message) -> None:
        """A request has come."""

    @abstractmethod
    def before_leaving(self) -> None:
        """Restore or remove what does not end with this process; raises nothing."""

    def serve_handles(self, read: int, write: int) -> None:
        """One client; the agent ends with it."""
        self._add(read, write)

    def serve_port(self, path: str) -> None:
        """One client after another over a character device."""

        def open_port() -> None:
            handle = os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
            self._add(handle, handle)

        def reopen() -> None:
            self.loop.after(_REOPEN_SECONDS, open_port)

        # A port whose other end is closed reads as ended: try again until somebody is there.
        self._on_gone = reopen
        open_port()

    def serve_socket(self, server: socket.socket) -> None:
        """Any number of clients."""
        server.setblocking(False)
        lonely = self.loop.after(_LONELY_SECONDS, self.stop)

        def accept() -> None:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            lonely.cancel()
            handle = connection.detach()
            self._add(handle, handle)

        self._on_gone = lambda: None
        self.loop.watch(server, READ, accept)

    def run(self) -> None:
        """Serve until told to stop."""
        while not self.stopping or not all(channel.flushed() for channel in self.busy):
            self.loop.step()

    def stop(self) -> None:
        """End once all replies were sent."""
        self.stopping = True
        # A client that does not read its last reply must not keep us.
        self.loop.after(1.0, self.leave)

    def leave(self) -> NoReturn:
        """End; first restore or remove what does not end with this process."""
        self.before_leaving()
        os._exit(0)

    def _add(self, read: int, write: int) -> None:
        channel = Channel(self.loop, read, write, got=self.got, gone=self._gone, slow=self._slow)
        self.busy[channel] = {}

    def _gone(self, channel: Channel) -> None:
        for what in self.busy.pop(channel, {}).values():
            what.kill()
        self._on_gone()

    def _slow(self, channel: Channel, slow: bool) -> None:
        for what in self.busy.get(channel, {}).values():
            if isinstance(what, Terminal):
                what.pause(slow)


def serve(made: Callable[[], Endpoint], arguments: list[str]) -> NoReturn:
    """Make an agent and run it until it is told to stop; never returns.

    `arguments`: none for stdin and stdout, `--port DEVICE`, or `--listen SOCKET`.
    """
    # Ctrl-C reaches the whole foreground of a terminal; the host side ends us in order.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    server = None
    match arguments:
        case [] | ["--port", _]:
            pass
        case ["--listen", path]:
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
            server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            server.bind(path)
            server.listen()
        case _:
            sys.exit("usage: python -m AGENT [--port DEVICE | --listen SOCKET]")
    agent = made()
    if server:
        agent.serve_socket(server)
    elif arguments:
        agent.serve_port(arguments[1])
    else:
        agent.serve_handles(0, 1)
    agent.run()
    agent.leave()
