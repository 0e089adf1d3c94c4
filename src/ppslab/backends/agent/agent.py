"""The agent: one program that makes nodes and runs commands in them.

It is the namespaces backend, on the host or in the guest of the vm backend:

    python -m ppslab.backends.agent.agent                    requests on stdin, replies on stdout
    python -m ppslab.backends.agent.agent --port /dev/vportNpM    both over a character device
    python -m ppslab.backends.agent.agent --listen SOCKET    clients one after another or together

Without --port and --listen it ends when its stdin ends.
It imports no more than it needs, for under emulation an import takes ten times as long.
"""

from __future__ import annotations

import base64
import os
import platform
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

from ppslab.backends.agent.deploying import Deployed
from ppslab.backends.agent.endpoint import serve
from ppslab.backends.agent.protocol import Channel, Message
from ppslab.backends.agent.server import Server
from ppslab.backends.nodes import isolation, node_namespaces
from ppslab.backends.nodes.node_namespaces import NodeNamespaces
from ppslab.base.errors import BackendError, CannotHereError

# One chunk of a file; in base64 it must fit into a holder's answer (1 MiB).
_READ_BYTES = 512 << 10


class Agent(Server):
    """Nodes that are namespaces of this kernel; everything it made ends with its process."""

    def __init__(self, user_namespace: bool, cannot: CannotHereError | None = None) -> None:
        super().__init__(cannot)
        self._user_namespace = user_namespace

    def make(self, run: str, plain: Mapping[str, Any]) -> Deployed:
        """A topology of namespaces."""
        return Deployed(plain)

    def facts(self) -> Message:
        """The facts of the machine that the nodes run on, for records."""
        return facts(self._user_namespace)

    def _write(self, _: Channel, request: Message) -> Message:
        path = os.path.normpath(os.path.join("/run", request["path"]))  # noqa: PTH118
        if not path.startswith("/run/"):
            raise BackendError(f"{request['path']}: only below /run, which is the node's own")
        text = str(request["text"]).encode()

        def write() -> None:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            Path(path).write_bytes(text)

        self._holder(request).call(write)
        return {}

    def _read(self, _: Channel, request: Message) -> Message:
        path, offset = str(request["path"]), int(request["offset"])

        def read() -> str:
            with Path(path).open("rb") as file:
                file.seek(offset)
                return base64.b64encode(file.read(_READ_BYTES)).decode()

        return {"data": self._holder(request).call(read)}

    def _holder(self, request: Message) -> NodeNamespaces:
        place = self._place(request)
        assert isinstance(place, NodeNamespaces)
        return place

    OPERATIONS = {**Server.OPERATIONS, "write": _write, "read": _read}  # noqa: RUF012


def facts(user_namespace: bool) -> Message:
    """The facts of the machine that the nodes run on, for records."""
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

    def made() -> Agent:
        user_namespace, cannot = False, None
        try:
            user_namespace = isolation.enter()
        except CannotHereError as error:
            cannot = error
        else:
            node_namespaces.prepare()
        return Agent(user_namespace, cannot)

    serve(made, arguments)


if __name__ == "__main__":
    main(sys.argv[1:])
