"""What answers requests: on one handle, a port, or a socket with any number of clients.

Where the nodes are, as processes of this kernel or as containers, is its subclasses' business.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Mapping
from contextlib import suppress
from typing import Any, NoReturn

from ppslab.backends.deploying import Step
from ppslab.backends.execs import Execution, Outcome, Terminal
from ppslab.backends.holder import NodeError
from ppslab.backends.loop import READ, Loop
from ppslab.backends.protocol import Channel, Message, describe
from ppslab.backends.standing_nodes import Place, Standing
from ppslab.errors import BackendError, CannotHereError, PpslabError

# How often a port is opened again while nobody is at its other end.
_REOPEN_SECONDS = 0.2
# Who started a listening agent connects at once, or was killed before it could.
_LONELY_SECONDS = 60.0


class Server(ABC):
    """Answers the requests that are alike wherever the nodes are.

    `facts`: what a record says of the machine on which the nodes are.
    """

    def __init__(self, cannot: CannotHereError | None = None) -> None:
        self.loop = Loop()
        self.stopping = False
        self._cannot = cannot
        self._runs: dict[str, Standing] = {}
        # What a client has started, by the id of its request; ends with the client.
        self._busy: dict[Channel, dict[Any, Execution | Terminal]] = {}
        self._on_gone: Callable[[], None] = self.stop

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
        """Work until told to stop."""
        while not self.stopping or not all(channel.flushed() for channel in self._busy):
            self.loop.step()

    def stop(self) -> None:
        """End after what is to be said was sent."""
        self.stopping = True
        # A client that does not read its last reply must not keep us.
        self.loop.after(1.0, self.leave)

    def leave(self) -> NoReturn:
        """End; what does not end with this process is put back or taken away before."""
        for standing in self._runs.values():
            with suppress(OSError):  # what could not be put back stands in a file: the next sweep
                standing.give_back()
        os._exit(0)

    def _add(self, read: int, write: int) -> None:
        channel = Channel(self.loop, read, write, got=self._got, gone=self._gone, slow=self._slow)
        self._busy[channel] = {}

    def _gone(self, channel: Channel) -> None:
        for what in self._busy.pop(channel, {}).values():
            what.kill()
        self._on_gone()

    def _slow(self, channel: Channel, slow: bool) -> None:
        for what in self._busy.get(channel, {}).values():
            if isinstance(what, Terminal):
                what.pause(slow)

    def _got(self, channel: Channel, request: Message) -> None:
        number = request.get("id")
        try:
            operation = self.OPERATIONS.get(str(request.get("op")))
            if operation is None:
                raise BackendError(f"the agent knows no operation {request.get('op')!r}")
            if self._cannot and request["op"] != "stop":
                raise self._cannot
            result = operation(self, channel, request)
        except (PpslabError, OSError, NodeError) as error:
            channel.send({"id": number, "error": describe(error)})
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            told = BackendError(f"the agent cannot read {request.get('op')}: {error!r}")
            channel.send({"id": number, "error": describe(told)})
        else:
            if result is not None:
                channel.send({"id": number, "result": result})

    @abstractmethod
    def make(self, run: str, plain: Mapping[str, Any]) -> Standing:
        """What is to stand as `run`; nothing is made yet."""

    @abstractmethod
    def facts(self) -> Message:
        """What a record says of the machine on which the nodes are."""

    def _deployed(self, request: Message) -> Standing:
        run = request["run"]
        if run not in self._runs:
            raise BackendError(f'nothing is deployed as "{run}"')
        return self._runs[run]

    def _place(self, request: Message) -> Place:
        """The node of a request, by name; BackendError with the names that there are."""
        standing, node = self._deployed(request), request["node"]
        if node not in standing.nodes:
            there = ", ".join(standing.nodes)
            raise BackendError(f'{standing.name}: no node "{node}" (there are: {there})')
        return standing.nodes[node]

    def _start(
        self,
        channel: Channel,
        number: Any,
        start: Callable[[Callable[[Any], None]], Any],
        done: Callable[[Any], None],
    ) -> None:
        """Start something that ends with `done`, or with the client."""

        def ended(outcome: Any) -> None:
            self._busy.get(channel, {}).pop(number, None)
            done(outcome)

        self._busy[channel][number] = start(ended)

    # The operations: what they return is the reply, None is a reply later.

    def _deploy(self, channel: Channel, request: Message) -> None:
        run = str(request["run"])
        if run in self._runs:
            raise BackendError(f'"{run}" is deployed already')
        began = time.monotonic()
        deployed = self._runs[run] = self.make(run, request["topology"])
        steps = deployed.stand_up(self.loop)
        self._advance(channel, request, steps, None, began)

    def _advance(
        self,
        channel: Channel,
        request: Message,
        steps: Generator[Step, Outcome, None],
        outcome: Outcome | None,
        began: float,
    ) -> None:
        number = request.get("id")
        if channel.closed:  # whoever wanted it has gone
            self._abandon(request)
            return
        try:
            start = steps.send(outcome)  # type: ignore[arg-type]
            self._start(
                channel,
                number,
                start,
                lambda outcome: self._advance(channel, request, steps, outcome, began),
            )
        except StopIteration:
            channel.send({"id": number, "result": {"seconds": time.monotonic() - began}})
        except Exception as error:
            self._abandon(request)
            channel.send({"id": number, "error": describe(error)})

    def _abandon(self, request: Message) -> None:
        deployed = self._runs.pop(str(request["run"]), None)
        if deployed:
            with suppress(OSError):  # there is another error to tell
                deployed.remove()

    def _run(self, channel: Channel, request: Message) -> None:
        number = request.get("id")
        node = self._place(request)
        argv = [str(word) for word in request["argv"]]
        if not argv:
            raise BackendError("an empty command")

        def done(outcome: Outcome) -> None:
            channel.send({"id": number, "result": vars(outcome)})

        self._start(
            channel, number, lambda ended: node.execution(self.loop, argv, ended, request), done
        )

    def _pty(self, channel: Channel, request: Message) -> None:
        number = request.get("id")
        node = self._place(request)
        argv = [str(word) for word in request["argv"]]

        def done(code: int) -> None:
            channel.send({"id": number, "pty-exit": code})
            channel.send({"id": number, "result": {"returncode": code}})

        def said(data: str) -> None:
            channel.send({"id": number, "pty": data})

        self._start(
            channel,
            number,
            lambda ended: node.terminal(self.loop, argv, said, ended, request),
            done,
        )

    def _terminal(self, channel: Channel, request: Message) -> Terminal | None:
        """The terminal that is meant; None when it has ended while this was under way."""
        what = self._busy[channel].get(request["pty"])
        return what if isinstance(what, Terminal) else None

    # Keys and sizes are not replied to, unless a request has a number.

    def _pty_in(self, channel: Channel, request: Message) -> Message | None:
        terminal = self._terminal(channel, request)
        if terminal:
            terminal.type(request["data"])
        return {} if "id" in request else None

    def _pty_resize(self, channel: Channel, request: Message) -> Message | None:
        terminal = self._terminal(channel, request)
        if terminal:
            terminal.resize(int(request["rows"]), int(request["cols"]))
        return {} if "id" in request else None

    def _cancel(self, channel: Channel, request: Message) -> Message:
        what = self._busy[channel].get(request["request"])
        if what:
            what.kill()
        return {"cancelled": what is not None}

    def _remove(self, _: Channel, request: Message) -> Message:
        self._deployed(request)
        self._runs.pop(request["run"]).remove()
        return {}

    def _list(self, _: Channel, request: Message) -> Message:
        return {
            "runs": {
                run: {"name": deployed.name, "nodes": list(deployed.nodes)}
                for run, deployed in self._runs.items()
            }
        }

    def _address(self, _: Channel, request: Message) -> Message:
        self._place(request)
        raise BackendError(
            f"node {request['node']} has no management address: only containerlab's routers have"
        )

    def _facts(self, _: Channel, request: Message) -> Message:
        return self.facts()

    def _stop(self, _: Channel, request: Message) -> Message:
        self.stop()
        return {}

    OPERATIONS: Mapping[str, Callable[[Any, Channel, Message], Message | None]] = {
        "deploy": _deploy,
        "run": _run,
        "remove": _remove,
        "list": _list,
        "facts": _facts,
        "address": _address,
        "pty": _pty,
        "pty-in": _pty_in,
        "pty-resize": _pty_resize,
        "cancel": _cancel,
        "stop": _stop,
    }
    """By name; a server adds those that depend on what its nodes are."""


def serve(made: Callable[[], Server], arguments: list[str]) -> NoReturn:
    """Make a server and let it work until it is told to stop; never returns.

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
