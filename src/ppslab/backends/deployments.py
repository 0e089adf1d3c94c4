"""Deployments on a backend, their nodes, and the commands that run there."""

from __future__ import annotations

import base64
import shlex
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from ppslab.backends.agent.client import Client, LateError
from ppslab.base.errors import BackendError

# The agent's own limit fires first; this is for an agent that hangs.
_MARGIN_SECONDS = 30.0
SHORT_SECONDS = 30.0
"""For what an agent does at once."""


@dataclass(frozen=True)
class Completed:
    """A finished command: exit code (or minus the signal), and its output."""

    returncode: int
    stdout: str
    stderr: str


@dataclass(frozen=True)
class Borrow:
    """An interface of this machine that a node has, as `name`, while it stands.

    `mtu`: what it must carry at least, in bytes without the Ethernet header.
    """

    node: str
    name: str
    interface: str
    mtu: int


class Node:
    """A node of a deployment, on which commands run."""

    def __init__(self, client: Client, run_id: str, name: str, *, own_files: bool = False) -> None:
        """`own_files`: it has an image's files instead of this machine's."""
        self.own_files = own_files
        self.name = name
        self.run_id = run_id
        self.client = client

    def __repr__(self) -> str:
        return f"Node({self.run_id}/{self.name})"

    def run(
        self,
        argv: Sequence[str],
        *,
        input: str | None = None,
        env: Mapping[str, str] | None = None,
        timeout: float = 60.0,
        check: bool = True,
        output_file: str | None = None,
    ) -> Completed:
        """Run a command and wait for it, at most `timeout` seconds.

        Raises BackendError when it is too slow, writes more than 8 MiB, or (with `check`) ends
        with another exit code than 0: the message has node, command and stderr.
        `output_file`: a path, as the node sees it, that gets stdout instead.
        """
        words = [str(word) for word in argv]
        what = f"node {self.name}: {shlex.join(words)}"
        try:
            result = self.client.call(
                "run",
                wait=timeout + _MARGIN_SECONDS,
                run=self.run_id,
                node=self.name,
                argv=words,
                input=input,
                env=dict(env or {}),
                timeout=timeout,
                output_file=output_file,
            )
        except LateError as error:
            raise BackendError(f"{what}: {error}") from None
        done = Completed(result["returncode"], result["stdout"], result["stderr"])
        if result["timed_out"]:
            raise BackendError(f"{what}: not done in {timeout:g} s, killed{_said(done)}")
        if result["truncated"]:
            raise BackendError(f"{what}: wrote more than 8 MiB; give it an output_file")
        if check and done.returncode:
            raise BackendError(f"{what}: {_ended(done.returncode)}{_said(done)}")
        return done

    def write(self, path: str, text: str) -> None:
        """Make a file in the node's own /run (a relative path is below it)."""
        self.client.call(
            "write", wait=SHORT_SECONDS, run=self.run_id, node=self.name, path=path, text=text
        )

    def read(self, path: str) -> bytes:
        """A file of the node, whole; BackendError where there is none."""
        content = bytearray()
        while True:
            part = self.client.call(
                "read", wait=SHORT_SECONDS, run=self.run_id, node=self.name, path=path,
                offset=len(content),
            )  # fmt: skip
            chunk = base64.b64decode(part["data"])
            content += chunk
            if not chunk:
                return bytes(content)


class Deployment:
    """A deployed topology; removed at the end of its `with` block, or with its backend."""

    def __init__(
        self,
        client: Client,
        run_id: str,
        lab: str,
        nodes: list[str],
        removed: Callable[[], None],
        *,
        own_files: bool = False,
        seconds: float = SHORT_SECONDS,
    ) -> None:
        """`own_files`: the nodes see an image, not this machine; `seconds`: to remove them."""
        self._own_files = own_files
        self._seconds = seconds
        self.run_id = run_id
        self.lab = lab
        self.nodes = {name: Node(client, run_id, name, own_files=own_files) for name in nodes}
        self._client = client
        self._removed: Callable[[], None] | None = removed

    def node(self, name: str) -> Node:
        """A node by name; BackendError names the nodes that exist."""
        if name not in self.nodes:
            raise BackendError(f'{self.lab} has no node "{name}", it has {", ".join(self.nodes)}')
        return self.nodes[name]

    def address(self, name: str) -> str:
        """A node's management address; BackendError where the backend gives it none."""
        node = self.node(name)
        reply = self._client.call("address", wait=SHORT_SECONDS, run=self.run_id, node=node.name)
        return str(reply["address"])

    def path(self, built: Path, installed: str) -> Path:
        """Where a node finds a program or a file of ours.

        `built`: on this machine, where nodes see its files; `installed`: in our images.
        """
        return Path(installed) if self._own_files else built

    def remove(self) -> None:
        """Kill the nodes and all that runs in them; a second time does nothing."""
        if self._removed:
            removed, self._removed = self._removed, None
            self._client.call("remove", wait=self._seconds, run=self.run_id)
            removed()

    def __enter__(self) -> Deployment:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        if not self._client.alive:
            return  # its agent died, and took the nodes along
        if error is None:
            self.remove()
        else:
            with suppress(BackendError):  # the first error is the one to report
                self.remove()


def _ended(code: int) -> str:
    return f"exit code {code}" if code >= 0 else f"killed by signal {-code}"


def _said(done: Completed) -> str:
    said = done.stderr.strip() or done.stdout.strip()
    return f":\n{said[-2000:]}" if said else ""
