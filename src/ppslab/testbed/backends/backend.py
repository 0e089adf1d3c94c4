"""A backend as a program sees it: it deploys topologies side by side, and ends with all of them.

A deployment has nodes, on which commands run.
"""

from __future__ import annotations

import base64
import re
import secrets
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from ppslab.core.errors import BackendError, CannotHereError
from ppslab.testbed.backends import registry
from ppslab.testbed.backends.agent.client import Client, LateError
from ppslab.testbed.backends.agent.protocol import EXEC_SECONDS
from ppslab.testbed.backends.registry import Entry

if TYPE_CHECKING:
    from ppslab.model.lab.topology import Topology

# The agent's own limit fires first; this is for an agent that hangs.
_MARGIN_SECONDS = 30.0
SHORT_SECONDS = 30.0
"""For what an agent does at once."""
_READ = (
    '[ -r "$0" ] || { echo "$0: no such file to read" >&2; exit 1; }; '
    'tail -c +"$1" -- "$0" | head -c "$2" | base64 -w 0'
)
_READ_BYTES = 4 << 20
"""One part of a file: in base64 it is less than a command may write."""


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
            code = done.returncode
            how = f"exit code {code}" if code >= 0 else f"killed by signal {-code}"
            raise BackendError(f"{what}: {how}{_said(done)}")
        return done

    def read(self, path: str) -> bytes:
        """A file of the node, whole; BackendError where there is none."""
        content = bytearray()
        while True:
            words = ["sh", "-c", _READ, path, str(len(content) + 1), str(_READ_BYTES)]
            chunk = base64.b64decode(self.run(words).stdout)
            content += chunk
            if len(chunk) < _READ_BYTES:
                return bytes(content)


class Deployment:
    """A deployed topology; removed at the end of its `with` block, or with its backend."""

    def __init__(self, backend: Backend, run_id: str, lab: str, nodes: Iterable[str]) -> None:
        self.run_id = run_id
        self.lab = lab
        client, own_files = backend.client, backend.own_files
        self.nodes = {name: Node(client, run_id, name, own_files=own_files) for name in nodes}
        self._backend = backend
        self._removed = False

    def node(self, name: str) -> Node:
        """A node by name; BackendError names the nodes that exist."""
        if name not in self.nodes:
            raise BackendError(f'{self.lab} has no node "{name}", it has {", ".join(self.nodes)}')
        return self.nodes[name]

    def address(self, name: str) -> str:
        """A node's management address; BackendError where the backend gives it none."""
        client, node = self._backend.client, self.node(name)
        reply = client.call("address", wait=SHORT_SECONDS, run=self.run_id, node=node.name)
        return str(reply["address"])

    def path(self, built: Path, installed: str) -> Path:
        """Return the path at which a node finds a program or a file of ours.

        `built`: on this machine, where nodes see its files; `installed`: in our images.
        """
        return Path(installed) if self._backend.own_files else built

    def remove(self) -> None:
        """Kill the nodes and all that runs in them; a second time does nothing."""
        if self._removed:
            return
        self._removed = True
        backend = self._backend
        backend.client.call("remove", wait=backend.remove_seconds, run=self.run_id)
        if backend.entry.runs.pop(self.run_id, None):
            backend.entry.save()

    def __enter__(self) -> Deployment:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        if not self._backend.client.alive:
            return  # its agent died, and took the nodes along
        if error is None:
            self.remove()
        else:
            with suppress(BackendError):  # the first error is the one to report
                self.remove()


def _said(done: Completed) -> str:
    said = done.stderr.strip() or done.stdout.strip()
    return f":\n{said[-2000:]}" if said else ""


_STOP_SECONDS = 5.0


class Backend:
    """An agent that deploys topologies; it ends with its `with` block.

    `facts`: kernel, machine, cpu, cpus, euid, user_namespace of where the nodes are.
    `end` is called once, after the agent was told to stop or has died: it ends what carries it.
    Detached, close() only hangs up, and stop() ends it.
    """

    #: How long deploying a topology may take, all of its commands together, and removing it [s].
    #: Longer than what the agent gives one that hangs, so that its answer, which says which one,
    #: comes before the host gives up; the five minutes are for the nodes, the links and the other
    #: commands, of which under emulation each takes 50 ms.
    deploy_seconds = EXEC_SECONDS + 300.0
    remove_seconds = SHORT_SECONDS
    #: Whether nodes have an image's files instead of this machine's.
    own_files = False

    def __init__(
        self,
        name: str,
        client: Client,
        entry: Entry,
        *,
        end: Callable[[], None],
        detached: bool = False,
    ) -> None:
        self.name = name
        self.client = client
        self.entry = entry
        self._end = end
        self._detached = detached
        self._over = False
        try:
            self.facts: dict[str, Any] = client.call("facts", wait=SHORT_SECONDS)
        except BaseException:
            self.stop()
            raise

    @property
    def counted(self) -> bool:
        """Return whether a time that its nodes read is a count of instructions (base.measures)."""
        return "instruction_ns" in self.facts

    def deploy(
        self, topology: Topology, run_id: str | None = None, *, borrow: Sequence[Borrow] = ()
    ) -> Deployment:
        """Deploy a topology; several at a time are told apart by their run.

        `borrow`: interfaces of this machine that nodes have meanwhile.  They are put back when the
        deployment ends, however that is.  CannotHereError where they cannot be lent.
        """
        run = run_id or f"{topology.name}-{secrets.token_hex(2)}"
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", run):
            raise BackendError(f'"{run}" is not a run name: use letters, digits, dots and dashes')
        lent = {"borrowed": self._borrowed(run, borrow)} if borrow else {}
        plain = {**self._plain(topology, run), **lent}
        self.client.call("deploy", wait=self.deploy_seconds, run=run, topology=plain)
        self.entry.runs[run] = topology.name
        self.entry.save()
        return Deployment(self, run, topology.name, topology.nodes)

    def _borrowed(self, run: str, borrow: Sequence[Borrow]) -> dict[str, Any]:
        if self.name != "namespaces":
            raise CannotHereError(
                f"the backend {self.name} has no way to this machine's own interfaces",
                "--backend namespaces",
            )
        if self.facts.get("user_namespace"):
            raise CannotHereError(
                "only root may move an interface of this machine into a namespace", "run it as root"
            )
        file = registry.folder() / f"{self.entry.name}.{run}{registry.BORROWED}"
        return {"file": str(file), "interfaces": [asdict(each) for each in borrow]}

    def _plain(self, topology: Topology, run: str) -> dict[str, Any]:
        """The topology as the agent gets it; FileError for what only containerlab knows."""
        if topology.refused:
            raise topology.refused
        return topology.plain()

    def deployments(self) -> dict[str, Deployment]:
        """The deployments by run, of a backend that another command left detached."""
        runs = self.client.call("list", wait=SHORT_SECONDS)["runs"]
        return {run: Deployment(self, run, it["name"], it["nodes"]) for run, it in runs.items()}

    def close(self) -> None:
        """End the agent with all its nodes, unless it is detached: then hang up."""
        if self._detached and not self._over:
            self._over = True
            self.client.close()
        else:
            self.stop()

    def stop(self) -> None:
        """End the agent with all its nodes, detached or not; a second time does nothing."""
        if self._over:
            return
        self._over = True
        with suppress(BackendError):
            self.client.call("stop", wait=_STOP_SECONDS)
        self.client.close()
        self._end()
        self.entry.forget()

    def __enter__(self) -> Backend:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
