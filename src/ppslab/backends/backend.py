"""A backend as a program sees it: it deploys topologies side by side, and ends with all of them."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ppslab.backends import registry
from ppslab.backends.agent.client import Client
from ppslab.backends.agent.protocol import EXEC_SECONDS
from ppslab.backends.deployments import SHORT_SECONDS, Borrow, Deployment
from ppslab.backends.registry import Entry
from ppslab.base.errors import BackendError, CannotHereError

if TYPE_CHECKING:
    from ppslab.lab.topology import Topology

# All commands of a topology together.  Longer than what the agent gives one that hangs, so that its
# answer, which says which one, comes before the host gives up; the five minutes are for the nodes,
# the links and the other commands, of which under emulation each takes 50 ms.
_DEPLOY_SECONDS = EXEC_SECONDS + 300.0
_STOP_SECONDS = 5.0


class Backend:
    """An agent that deploys topologies; it ends with its `with` block.

    `facts`: kernel, machine, cpu, cpus, euid, user_namespace of where the nodes are.
    `end` is called once, after the agent was told to stop or has died: it ends what carries it.
    Detached, close() only hangs up, and stop() ends it.
    """

    #: How long deploying a topology may take, and removing it, in seconds.
    deploy_seconds = _DEPLOY_SECONDS
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
        """Whether a time that its nodes read is a count of instructions (base.measures)."""
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
            raise BackendError(f'"{run}" is no name for a run: letters, digits, dot, dash')
        plain = self._plain(topology, run)
        if borrow:
            plain = {**plain, "borrowed": self._borrowed(run, borrow)}
        self.client.call("deploy", wait=self.deploy_seconds, run=run, topology=plain)
        self.entry.runs[run] = topology.name
        self.entry.save()
        return self._deployment(run, topology.name, list(topology.nodes))

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
        return {run: self._deployment(run, it["name"], it["nodes"]) for run, it in runs.items()}

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

    def _deployment(self, run: str, lab: str, nodes: list[str]) -> Deployment:
        def removed() -> None:
            if self.entry.runs.pop(run, None) and not self._over:
                self.entry.save()

        return Deployment(
            self.client,
            run,
            lab,
            nodes,
            removed,
            own_files=self.own_files,
            seconds=self.remove_seconds,
        )

    def __enter__(self) -> Backend:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
