"""The agent: one program that makes nodes and runs commands in them.

It is the namespaces backend, on the host or in the guest of the vm backend:

    python -m ppslab.backends.agent                    requests on stdin, replies on stdout
    python -m ppslab.backends.agent --port /dev/vportNpM    both over a character device
    python -m ppslab.backends.agent --listen SOCKET    clients one after another or together

Without --port and --listen it ends when its stdin ends.
It imports no more than it needs, for under emulation an import takes ten times as long.
"""

from __future__ import annotations

import base64
import os
import platform
import signal
import socket
import sys
import time
from collections.abc import Callable, Generator
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

from ppslab.backends import holder, isolation
from ppslab.backends.deploying import Deployed, Step
from ppslab.backends.execs import Execution, Outcome, Terminal
from ppslab.backends.loop import READ, Loop
from ppslab.backends.protocol import Channel, Message, describe
from ppslab.errors import BackendError, CannotHereError, PpslabError

# How often a port is opened again while nobody is at its other end.
_REOPEN_SECONDS = 0.2
# Who started a listening agent connects at once, or was killed before it could.
_LONELY_SECONDS = 60.0
# A part of a file that is read; in base64 it must fit into what a holder answers (1 MiB).
_READ_BYTES = 512 << 10


class Agent:
    """Answers requests; everything that it made ends with its process."""

    def __init__(self, user_namespace: bool, cannot: CannotHereError | None = None) -> None:
        self.loop = Loop()
        self.stopping = False
        self._user_namespace = user_namespace
        self._cannot = cannot
        self._runs: dict[str, Deployed] = {}
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
        """End; the nodes die with us, but interfaces of the machine are put back before."""
        for deployed in self._runs.values():
            with suppress(OSError):  # what could not be put back stands in a file: the next sweep
                deployed.give_back()
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
            operation = self._OPERATIONS.get(str(request.get("op")))
            if operation is None:
                raise BackendError(f"the agent knows no operation {request.get('op')!r}")
            if self._cannot and request["op"] != "stop":
                raise self._cannot
            result = operation(self, channel, request)
        except (PpslabError, OSError, holder.NodeError) as error:
            channel.send({"id": number, "error": describe(error)})
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            told = BackendError(f"the agent cannot read {request.get('op')}: {error!r}")
            channel.send({"id": number, "error": describe(told)})
        else:
            if result is not None:
                channel.send({"id": number, "result": result})

    def _deployed(self, request: Message) -> Deployed:
        run = request["run"]
        if run not in self._runs:
            raise BackendError(f'nothing is deployed as "{run}"')
        return self._runs[run]

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
        deployed = self._runs[run] = Deployed(request["topology"])
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
        node = self._deployed(request).holder(request["node"])
        argv = [str(word) for word in request["argv"]]
        if not argv:
            raise BackendError("an empty command")

        def done(outcome: Outcome) -> None:
            channel.send({"id": number, "result": vars(outcome)})

        def start(ended: Callable[[Outcome], None]) -> Execution:
            return Execution(
                self.loop,
                node,
                argv,
                ended,
                text=request.get("input"),
                env=request.get("env"),
                timeout=request.get("timeout"),
                output_file=request.get("output_file"),
            )

        self._start(channel, number, start, done)

    def _pty(self, channel: Channel, request: Message) -> None:
        number = request.get("id")
        node = self._deployed(request).holder(request["node"])

        def done(code: int) -> None:
            channel.send({"id": number, "pty-exit": code})
            channel.send({"id": number, "result": {"returncode": code}})

        def start(ended: Callable[[int], None]) -> Terminal:
            return Terminal(
                self.loop,
                node,
                [str(word) for word in request["argv"]],
                size=(int(request["rows"]), int(request["cols"])),
                env=request.get("env") or {},
                said=lambda data: channel.send({"id": number, "pty": data}),
                ended=ended,
            )

        self._start(channel, number, start, done)

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

    def _write(self, _: Channel, request: Message) -> Message:
        path = os.path.normpath(os.path.join("/run", request["path"]))  # noqa: PTH118
        if not path.startswith("/run/"):
            raise BackendError(f"{request['path']}: only below /run, which is the node's own")
        text = str(request["text"]).encode()

        def write() -> None:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            Path(path).write_bytes(text)

        self._deployed(request).holder(request["node"]).call(write)
        return {}

    def _read(self, _: Channel, request: Message) -> Message:
        path, offset = str(request["path"]), int(request["offset"])

        def read() -> str:
            with Path(path).open("rb") as file:
                file.seek(offset)
                return base64.b64encode(file.read(_READ_BYTES)).decode()

        return {"data": self._deployed(request).holder(request["node"]).call(read)}

    def _remove(self, _: Channel, request: Message) -> Message:
        self._deployed(request)
        self._runs.pop(request["run"]).remove()
        return {}

    def _list(self, _: Channel, request: Message) -> Message:
        return {
            "runs": {
                run: {"name": deployed.name, "nodes": list(deployed.holders)}
                for run, deployed in self._runs.items()
            }
        }

    def _facts(self, _: Channel, request: Message) -> Message:
        return facts(self._user_namespace)

    def _stop(self, _: Channel, request: Message) -> Message:
        self.stop()
        return {}

    _OPERATIONS: dict[str, Callable[[Agent, Channel, Message], Message | None]] = {  # noqa: RUF012
        "deploy": _deploy,
        "run": _run,
        "write": _write,
        "read": _read,
        "remove": _remove,
        "list": _list,
        "facts": _facts,
        "pty": _pty,
        "pty-in": _pty_in,
        "pty-resize": _pty_resize,
        "cancel": _cancel,
        "stop": _stop,
    }


def facts(user_namespace: bool) -> Message:
    """What a record says of the machine on which the nodes are."""
    system = os.uname()
    cpu = platform.machine()
    for line in Path("/proc/cpuinfo").read_text(errors="replace").splitlines():
        name, _, value = line.partition(":")
        if name.strip() in ("model name", "Model", "cpu model"):
            cpu = value.strip()
            break
    return {
        "kernel": system.release,
        "kernel_version": system.version,
        "machine": system.machine,
        "cpu": cpu,
        "cpus": len(os.sched_getaffinity(0)),
        "euid": isolation.outer_uid(),
        "user_namespace": user_namespace,
    }


def main(arguments: list[str]) -> NoReturn:
    """Run as the module's docstring says; never returns."""
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
            sys.exit("usage: python -m ppslab.backends.agent [--port DEVICE | --listen SOCKET]")
    user_namespace, cannot = False, None
    try:
        user_namespace = isolation.enter()
    except CannotHereError as error:
        cannot = error
    else:
        holder.prepare()
    agent = Agent(user_namespace, cannot)
    if server:
        agent.serve_socket(server)
    elif arguments:
        agent.serve_port(arguments[1])
    else:
        agent.serve_handles(0, 1)
    agent.run()
    agent.leave()


if __name__ == "__main__":
    main(sys.argv[1:])
