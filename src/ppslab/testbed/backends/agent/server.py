"""The part of an agent that answers requests.

Where the nodes are, as processes of this kernel or as containers, is decided by its subclasses.
"""

from __future__ import annotations

import asyncio
import base64
import json
import os
import signal
import socket
import sys
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any, NoReturn, Protocol

from ppslab.core.errors import BackendError, CannotHereError
from ppslab.testbed.backends.agent.process import Command, NodeProcess, Outcome, Terminal
from ppslab.testbed.backends.agent.protocol import Message, describe, encode

_CHUNK = 1 << 16
# Above this a client is slow: terminals are not read until it has caught up.
_MOST_UNSENT = 1 << 20
# How often a port is reopened while nobody is at its other end.
_REOPEN_SECONDS = 0.2


Execute = Callable[[Command], Awaitable[Outcome]]
"""Waits for a command of a topology that is being deployed; BackendError if its client has gone."""


class Standing(Protocol):
    """A topology that is deployed, or about to be."""

    name: str

    @property
    def nodes(self) -> Mapping[str, NodeProcess]: ...

    async def stand_up(self, execute: Execute) -> None:
        """Make everything.  Raises BackendError; what was made until then stays until `remove`."""

    def remove(self) -> None:
        """Remove it with everything in it; OSError where something could not be restored."""

    def give_back(self) -> None:
        """Restore or remove what does not end with this process; OSError as `remove`."""


class Channel:
    """One end of a conversation: messages come as an iterator, and are sent without waiting.

    `commands`: those that run for the other end, by the number of their request.
    """

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.commands: dict[Any, Command | Terminal] = {}
        self._reader, self._writer = reader, writer
        writer.transport.set_write_buffer_limits(_MOST_UNSENT)

    async def messages(self) -> AsyncIterator[Message]:
        """The messages of the other end, until it closes."""
        parts: list[bytes] = []
        with suppress(OSError):
            while chunk := await self._reader.read(_CHUNK):
                parts.append(chunk)
                if b"\n" in chunk:
                    *lines, rest = b"".join(parts).split(b"\n")
                    parts = [rest]
                    for line in lines:
                        yield json.loads(line)

    def send(self, message: Message) -> None:
        """Send as soon as the other end reads; dropped when it has gone."""
        if not self.closed:
            self._writer.write(encode(message))

    async def drained(self) -> None:
        """Wait while the other end is slow; returns at once if it has gone."""
        with suppress(OSError):
            await self._writer.drain()

    @property
    def closed(self) -> bool:
        """Return whether nobody is there to read."""
        return self._writer.transport.is_closing()

    def close(self) -> None:
        """Close this end, and kill the commands that run for the other."""
        if not self.closed:
            self._writer.transport.abort()
        for command in list(self.commands.values()):
            command.kill()


class Server(ABC):
    """Answers the requests that are the same for every kind of node.

    `cannot`: why there can be no node here; every request is answered with that.
    """

    def __init__(self, cannot: CannotHereError | None = None) -> None:
        self._cannot = cannot
        self._runs: dict[str, Standing] = {}
        self._replies: set[asyncio.Task[None]] = set()
        self._stopping = asyncio.Event()

    @abstractmethod
    def make(self, run: str, plain: Mapping[str, Any]) -> Standing:
        """The deployment called `run`; nothing is made yet."""

    @abstractmethod
    def facts(self) -> Message:
        """The facts of the machine that the nodes run on, for records."""

    # --- clients ------------------------------------------------------------------------------

    async def serve_stdin(self) -> None:
        """One client on the socket that is stdin; the agent ends with it."""
        connection = socket.socket(fileno=os.dup(0))
        null = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
        os.dup2(null, 0)  # it stays taken: no pipe of a command's gets its number
        os.close(null)
        await self._serve(*await asyncio.open_unix_connection(sock=connection))
        self.stop()

    async def serve_port(self, path: str) -> None:
        """One client after another over a character device."""
        loop = asyncio.get_running_loop()
        while True:
            handle = os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
            reader = asyncio.StreamReader()
            reading, _ = await loop.connect_read_pipe(
                partial(asyncio.StreamReaderProtocol, reader),
                os.fdopen(handle, "rb", buffering=0),
            )
            writing, flow = await loop.connect_write_pipe(
                partial(asyncio.StreamReaderProtocol, asyncio.StreamReader()),
                os.fdopen(os.dup(handle), "wb", buffering=0),
            )
            await self._serve(reader, asyncio.StreamWriter(writing, flow, None, loop))
            reading.close()
            # A port whose other end is closed reads as ended: try again until somebody is there.
            await asyncio.sleep(_REOPEN_SECONDS)

    async def serve_socket(self, listening: socket.socket) -> None:
        server = await asyncio.start_unix_server(self._serve, sock=listening)
        await server.serve_forever()

    def stop(self) -> None:
        """End once the reply to this was sent."""
        self._stopping.set()

    async def run(self, serving: Awaitable[None]) -> NoReturn:
        """Serve until told to stop; then restore or remove what does not end with this process."""
        clients = asyncio.ensure_future(serving)
        stopping = asyncio.ensure_future(self._stopping.wait())
        await asyncio.wait({clients, stopping}, return_when=asyncio.FIRST_COMPLETED)
        if clients.done() and (error := clients.exception()):
            raise error
        for standing in self._runs.values():
            with suppress(OSError):  # a file notes what is left, for the next sweep
                standing.give_back()
        os._exit(0)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer a client until it goes; its commands end with it."""
        channel = Channel(reader, writer)
        async for request in channel.messages():
            reply = asyncio.create_task(self._reply(channel, request))
            self._replies.add(reply)
            reply.add_done_callback(self._replies.discard)
            # Each request begins before the next is looked at: keys come in order, and what a
            # client has asked for is known when it goes.
            await asyncio.sleep(0)
        channel.close()

    async def _reply(self, channel: Channel, request: Message) -> None:
        try:
            operation = getattr(self, f"do_{request.get('op')}".replace("-", "_"), None)
            if operation is None:
                raise BackendError(f"the agent knows no operation {request.get('op')!r}")
            if self._cannot and request["op"] != "stop":
                raise self._cannot
            result = await operation(channel, request)
            answer = {"result": result}
        except Exception as error:
            answer = {"error": describe(error)}
        if "id" in request:  # keys and sizes of a terminal get no reply
            channel.send({"id": request["id"], **answer})

    # --- what the operations share --------------------------------------------------------------

    def _standing(self, request: Message) -> Standing:
        run = request["run"]
        if run not in self._runs:
            raise BackendError(f'nothing is deployed as "{run}"')
        return self._runs[run]

    def _node(self, request: Message) -> NodeProcess:
        """The node of a request, by name; BackendError names the nodes that exist."""
        standing, node = self._standing(request), request["node"]
        if node not in standing.nodes:
            nodes = ", ".join(standing.nodes)
            raise BackendError(f'{standing.name}: no node "{node}" (there are: {nodes})')
        return standing.nodes[node]

    async def _execute(self, channel: Channel, request: Message, command: Command) -> Outcome:
        """Wait for a command, which ends with its client at the latest."""
        number = request.get("id")
        channel.commands[number] = command
        outcome = await command.outcome()
        channel.commands.pop(number, None)
        if channel.closed:
            raise BackendError("its client has gone")
        return outcome

    # --- the operations, by their names: each returns the reply ---------------------------------

    async def do_deploy(self, channel: Channel, request: Message) -> Message:
        run = str(request["run"])
        if run in self._runs:
            raise BackendError(f'"{run}" is deployed already')
        standing = self._runs[run] = self.make(run, request["topology"])
        try:
            await standing.stand_up(partial(self._execute, channel, request))
        except BaseException:
            if self._runs.pop(run, None):
                with suppress(OSError):  # another error is reported
                    standing.remove()
            raise
        return {}

    async def do_run(self, channel: Channel, request: Message) -> Message:
        node = self._node(request)
        outcome = await self._execute(channel, request, node.command(request["argv"], request))
        if why := node.lost(outcome):
            raise BackendError(f"node {request['node']} is gone: {why}")
        return vars(outcome)

    async def do_pty(self, channel: Channel, request: Message) -> Message:
        number = request.get("id")
        terminal = self._node(request).terminal(request["argv"], request)
        channel.commands[number] = terminal
        async for output in terminal.output():
            channel.send({"id": number, "pty": base64.b64encode(output).decode()})
            await channel.drained()
        channel.commands.pop(number, None)
        return {"returncode": terminal.returncode}

    async def do_pty_in(self, channel: Channel, request: Message) -> None:
        terminal = channel.commands.get(request["pty"])
        if isinstance(terminal, Terminal):  # it may have ended meanwhile
            terminal.type(base64.b64decode(request["data"]))

    async def do_pty_resize(self, channel: Channel, request: Message) -> None:
        terminal = channel.commands.get(request["pty"])
        if isinstance(terminal, Terminal):
            terminal.resize(int(request["rows"]), int(request["cols"]))

    async def do_cancel(self, channel: Channel, request: Message) -> Message:
        command = channel.commands.get(request["request"])
        if command:
            command.kill()
        return {"cancelled": command is not None}

    async def do_remove(self, _: Channel, request: Message) -> Message:
        self._standing(request)
        self._runs.pop(request["run"]).remove()
        return {}

    async def do_list(self, _: Channel, request: Message) -> Message:
        return {
            "runs": {
                run: {"name": standing.name, "nodes": list(standing.nodes)}
                for run, standing in self._runs.items()
            }
        }

    async def do_address(self, _: Channel, request: Message) -> Message:
        self._node(request)
        raise BackendError(
            f"node {request['node']} has no management address: only containerlab's routers have"
        )

    async def do_facts(self, _: Channel, request: Message) -> Message:
        return self.facts()

    async def do_stop(self, _: Channel, request: Message) -> Message:
        self.stop()
        return {}


def _nothing(*_: object) -> None:
    """Handle a signal that shall not end this process."""


def serve(
    make: Callable[[], Server], arguments: list[str], *, on_terminate: bool = False
) -> NoReturn:
    """Make an agent and run it until it is told to stop; never returns.

    `arguments`: none for stdin, `--port DEVICE`, or `--listen SOCKET`.
    `on_terminate`: SIGTERM tells it to stop, too.
    """
    # Ctrl-C reaches the whole foreground of a terminal; the host side ends us in order.
    # Not ignored: a command of a node would inherit that.
    signal.signal(signal.SIGINT, _nothing)
    serving: Callable[[Server], Awaitable[None]]
    match arguments:
        case []:
            serving = Server.serve_stdin
        case ["--port", path]:
            serving = partial(Server.serve_port, path=path)
        case ["--listen", path]:
            signal.signal(signal.SIGHUP, _nothing)
            listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            listening.bind(path)
            listening.listen()
            serving = partial(Server.serve_socket, listening=listening)
        case _:
            sys.exit("usage: python -m AGENT [--port DEVICE | --listen SOCKET]")
    agent = make()  # before there is a loop: it may go on in a fork

    async def main() -> NoReturn:
        if on_terminate:
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, agent.stop)
        await agent.run(serving(agent))

    asyncio.run(main())
    raise AssertionError("it ends the process")
