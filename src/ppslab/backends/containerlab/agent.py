"""The agent of the containerlab backend: answers as the namespaces' agent does, with containers.

    python -m ppslab.backends.containerlab.agent                  requests on stdin
    python -m ppslab.backends.containerlab.agent --listen SOCKET  clients one after another

Whatever ends it, it takes its labs down before; after a kill -9 the registry's next sweep does.
"""

from __future__ import annotations

import signal
import socket
import sys
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from ppslab.backends.agent.agent import facts
from ppslab.backends.agent.endpoint import serve
from ppslab.backends.agent.loop import READ
from ppslab.backends.agent.process import Outcome
from ppslab.backends.agent.protocol import Channel, Message, describe
from ppslab.backends.agent.server import Server
from ppslab.backends.containerlab.cleaning import command
from ppslab.backends.containerlab.lab import ContainerLab
from ppslab.backends.containerlab.nodes import Container, lost
from ppslab.base.errors import BackendError

# One chunk of a file.
_READ_BYTES = 4 << 20
_SECONDS = 30.0
_READ = (
    '[ -r "$0" ] || { echo "$0: no such file to read" >&2; exit 1; }; '
    'tail -c +"$1" -- "$0" | head -c "$2" | base64 -w 0'
)
_WRITE = 'mkdir -p -- "$(dirname -- "$0")" && cat >"$0"'


class ContainerAgent(Server):
    """Nodes that are containers; they outlive this process unless it takes them down."""

    # Signals are written to it, as long as the agent lives.
    kept: socket.socket | None = None

    def make(self, run: str, plain: Mapping[str, Any]) -> ContainerLab:
        """A topology of containers."""
        return ContainerLab(run, plain)

    def facts(self) -> Message:
        """The facts of this machine, Docker, containerlab and the images, for records."""
        engine = command(("docker", "version", "--format", "{{.Server.Version}}"), seconds=_SECONDS)
        lab = command(("containerlab", "version", "--short"), seconds=_SECONDS)
        images: dict[str, str] = {}
        for standing in self._runs.values():
            if isinstance(standing, ContainerLab):
                images |= standing.images
        return {
            **facts(False),
            "docker": engine.stdout.strip(),
            "containerlab": lab.stdout.strip(),
            "images": images,
        }

    def _container(self, request: Message) -> Container:
        place = self._place(request)
        assert isinstance(place, Container)
        return place

    def _run(self, channel: Channel, request: Message) -> None:
        number = request.get("id")
        node = self._container(request)
        argv = [str(word) for word in request["argv"]]
        if not argv:
            raise BackendError("an empty command")

        def done(outcome: Outcome) -> None:
            gone = lost(outcome)
            if gone:
                told = BackendError(f"node {node.name} is gone: {gone}")
                channel.send({"id": number, "error": describe(told)})
            else:
                channel.send({"id": number, "result": vars(outcome)})

        self._start(
            channel, number, lambda ended: node.execution(self.loop, argv, ended, request), done
        )

    def _in_shell(
        self,
        channel: Channel,
        request: Message,
        script: str,
        arguments: list[str],
        result: Callable[[Outcome], Message],
        text: str | None = None,
    ) -> None:
        number, node = request.get("id"), self._container(request)

        def done(outcome: Outcome) -> None:
            if outcome.returncode or outcome.timed_out:
                said = outcome.stderr.strip() or "it took too long"
                told = BackendError(f"node {node.name}: {said}")
                channel.send({"id": number, "error": describe(told)})
            else:
                channel.send({"id": number, "result": result(outcome)})

        argv = ["sh", "-c", script, *arguments]
        asked = {"input": text, "timeout": _SECONDS}
        self._start(
            channel, number, lambda ended: node.execution(self.loop, argv, ended, asked), done
        )

    def _write(self, channel: Channel, request: Message) -> None:
        path = str(request["path"])
        path = path if path.startswith("/") else f"/run/{path}"
        if not path.startswith("/run/") or ".." in path.split("/"):
            raise BackendError(f"{request['path']}: only below /run, which is the node's own")
        self._in_shell(channel, request, _WRITE, [path], lambda _: {}, str(request["text"]))

    def _read(self, channel: Channel, request: Message) -> None:
        part = [str(request["path"]), str(int(request["offset"]) + 1), str(_READ_BYTES)]
        self._in_shell(channel, request, _READ, part, lambda outcome: {"data": outcome.stdout})

    def _address(self, _: Channel, request: Message) -> Message:
        node = self._container(request)
        if node.address is None:
            raise BackendError(f"node {node.name} has no management address (network-mode none?)")
        return {"address": node.address}

    OPERATIONS = {  # noqa: RUF012
        **Server.OPERATIONS,
        "run": _run,
        "write": _write,
        "read": _read,
        "address": _address,
    }


def main(arguments: list[str]) -> NoReturn:
    """Run as the module's docstring says; never returns."""

    def made() -> ContainerAgent:
        agent = ContainerAgent()
        told, tell = socket.socketpair()
        tell.setblocking(False)
        # A handler alone would not wake the loop, which waits for handles.
        signal.set_wakeup_fd(tell.fileno())
        signal.signal(signal.SIGTERM, lambda *_: None)

        def end() -> None:
            told.recv(64)
            agent.stop()

        agent.loop.watch(told, READ, end)
        agent.kept = tell
        return agent

    serve(made, arguments)


if __name__ == "__main__":
    main(sys.argv[1:])
