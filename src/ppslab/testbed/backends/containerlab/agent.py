"""The agent of the containerlab backend: answers as the namespaces' agent does, with containers.

    python -m ppslab.testbed.backends.containerlab.agent                  one client, on stdin
    python -m ppslab.testbed.backends.containerlab.agent --listen SOCKET  clients one after another

Whatever ends it, it takes its labs down before; after a kill -9 the registry's next sweep does.

A node's commands are `docker exec`, run and ended from this machine.  A `docker exec` that is
killed leaves its command running (moby issue 9098).  So every command has a mark in its
environment, which its children inherit, and is killed in the container by that.
"""

from __future__ import annotations

import os
import secrets
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NoReturn

from ppslab.core import paths
from ppslab.core.errors import BackendError, CannotHereError
from ppslab.testbed.backends.agent.agent import facts
from ppslab.testbed.backends.agent.process import Command, NodeProcess, Outcome, Process, Terminal
from ppslab.testbed.backends.agent.protocol import Message
from ppslab.testbed.backends.agent.server import Channel, Execute, Server, serve
from ppslab.testbed.backends.containerlab import steps
from ppslab.testbed.backends.containerlab.steps import (
    Step,
    addresses,
    command,
    failed_execs,
    in_node,
    keep_logs,
    take_down,
    told,
)
from ppslab.testbed.backends.nodes import kernel

_SECONDS = 30.0
MARK = "PPSLAB_EXEC"
# The mark is random, so no other process has it; grep takes a file without line ends as one line.
_KILL = (
    "for file in /proc/[0-9]*/environ; do "
    'if grep -qs "$0" "$file"; then pid=${file#/proc/}; kill "-$1" "${pid%/environ}"; '
    "fi; done 2>/dev/null || :"
)
_KILL_SECONDS = 10
# What `docker exec` itself prints when there is no container to run in.
_NO_CONTAINER = ("Error response from daemon", "Error: No such container", "Cannot connect to")


class Host(NodeProcess):
    """The machine itself: where docker and containerlab run."""

    def __init__(self) -> None:
        super().__init__(told())

    def start(
        self, argv: list[str], *, preexec_fn: Callable[[], object] | None = None, **options: Any
    ) -> Process:
        """Start a program, which is asked to end when this process dies."""

        def first() -> None:
            kernel.die_with_parent(signal.SIGTERM)
            if preexec_fn:
                preexec_fn()

        return super().start(argv, preexec_fn=first, **options)

    def kill_group(self, process: Process, *signals: int) -> None:
        """Ask it to end: containerlab removes what it was deploying (cmd/context.go)."""
        super().kill_group(process, signal.SIGTERM)

    def settle(self, seconds: float) -> None:
        """Wait for what still runs; after `seconds` it is killed."""
        end = time.monotonic() + seconds
        for process in self.running:
            try:
                process.wait(max(0.0, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


class Container(Host):
    def __init__(self, name: str, container: str) -> None:
        super().__init__()
        self.name = name
        self.container = container
        # The address that containerlab's inspect tells; None where the node has none.
        self.address: str | None = None

    def _docker_exec(self, argv: list[str], request: Message, **how: Any) -> list[str]:
        """The `docker exec` that runs `argv` with the request's env, and a mark of its own."""
        env = {**(request.get("env") or {}), MARK: secrets.token_hex(8)}
        return list(in_node(self.container, argv, env=env, **how))

    def kill_group(self, process: Process, *signals: int) -> None:
        """Signal a command and all that it started, in the container; `docker exec` then ends."""
        if process.returncode is not None:
            return
        assert isinstance(process.args, list)
        mark = next(word for word in process.args if word.startswith(f"{MARK}="))
        null = subprocess.DEVNULL
        # If Docker does not, its client is ended here: somebody waits for it.
        line = "; ".join(
            f"timeout {_KILL_SECONDS} docker exec {shlex.quote(self.container)} "
            f"sh -c {shlex.quote(_KILL)} {mark} {signal.Signals(number).name[3:]}"
            for number in signals
        )
        subprocess.Popen(
            ["/bin/sh", "-c", f"{{ {line}; }} || kill -KILL -- -{process.pid}"],
            stdin=null, stdout=null, stderr=null, env=dict(self.env), start_new_session=True,
        )  # fmt: skip

    def command(self, argv: list[str], request: Message) -> Command:
        words = self._docker_exec(argv, request, output_file=request.get("output_file"))
        return Command(self, words, text=request.get("input"), timeout=request.get("timeout"))

    def terminal(self, argv: list[str], request: Message) -> Terminal:
        words = self._docker_exec(argv, request, terminal=True)
        term = {"TERM": str((request.get("env") or {}).get("TERM", "dumb"))}
        return super().terminal(words, {**request, "env": term})

    def lost(self, outcome: Outcome) -> str:
        """Docker's message where it had no container to run a command in; empty where it ran."""
        said = outcome.stderr.strip()
        return said if outcome.returncode and said.startswith(_NO_CONTAINER) else ""


# When it is stopped, containerlab itself removes what it was deploying.
_SETTLE_SECONDS = 60.0
_PAUSE = ("sleep", "1")
_TAIL = 2000


class ContainerLab:
    """One run; `images`: by name, the id of each that the nodes are made of."""

    def __init__(self, run: str, plain: Mapping[str, Any]) -> None:
        self.run = run
        self.plain = plain
        self.name = str(plain["name"])
        self.images: dict[str, str] = {}
        self._host = Host()
        self._nodes = {node: Container(node, steps.container(run, node)) for node in plain["nodes"]}
        self._log = ""

    @property
    def nodes(self) -> Mapping[str, Container]:
        return self._nodes

    async def stand_up(self, execute: Execute) -> None:
        """Take every step.

        Raises BackendError with the command, what it said, and the folder with the logs, which
        nothing else removes; CannotHereError where an image is not here.
        """
        try:
            await self._stand_up(execute)
        except BackendError as error:
            into = paths.cache_dir() / "logs" / self.run
            keep_logs(self.run, into, self._log)
            raise BackendError(f"{error}\nlogs: {into}") from None

    async def _stand_up(self, execute: Execute) -> None:
        plain, run = self.plain, self.run
        for step in steps.standing_up(plain, run):
            outcome = await self._take(execute, step)
            match step.command[:2]:
                case ("docker", "image"):
                    ours = step.command[step.command.index("{{.Id}}") + 1 :]
                    self.images = dict(zip(ours, outcome.stdout.split(), strict=False))
                case ("containerlab", "deploy"):
                    failed = failed_execs(outcome.stderr)
                    if failed:
                        raise self._error(
                            step, "a command of the file failed:\n" + "\n".join(failed)
                        )
                case ("containerlab", "inspect"):
                    found = addresses(outcome.stdout, run)
                    for node in self._nodes.values():
                        node.address = found.get(node.container)
        for step in steps.after_deploy(plain, run):
            await self._take(execute, step)
        for name in steps.routers(plain):
            address = self._nodes[name].address
            if address is None:
                raise BackendError(f"{plain['file']}: node {name}: containerlab gave it no address")
            await self._take(execute, steps.answering(plain, name, address))

    def remove(self) -> None:
        """Destroy the containers and remove the run's files; OSError where something is left."""
        problem = take_down(self.plain, self.run)
        if problem:  # its note is kept, so that the next sweep tries again
            raise OSError(f"run {self.run}: {problem}")
        Path(self.plain["note"]).unlink(missing_ok=True)

    def give_back(self) -> None:
        """As `remove`, once the current step has ended."""
        self._host.settle(_SETTLE_SECONDS)
        self.remove()

    async def _take(self, execute: Execute, step: Step) -> Outcome:
        """One step, repeated as needed; BackendError where it fails, or takes too long."""
        until = time.monotonic() + step.seconds
        while True:
            began = time.monotonic()
            how = {"env": step.env, "timeout": step.seconds}
            outcome = await execute(self._host.command(list(step.command), how))
            self._log += f"$ {step.line}\n{outcome.stdout}{outcome.stderr}"
            missing = self._missing(step, outcome)
            if not missing:
                return outcome
            if outcome.returncode < 0 or step.wanted is None or time.monotonic() > until:
                raise self._error(step, missing)
            if time.monotonic() - began < 1:
                await execute(Command(self._host, list(_PAUSE)))

    def _missing(self, step: Step, outcome: Outcome) -> str:
        # Asked also of a command that failed: what must be right twice in turn begins anew then.
        wanted = step.wanted(outcome.stdout) if step.wanted else ""
        said = (outcome.stderr.strip() or outcome.stdout.strip() or "it said nothing")[-_TAIL:]
        if outcome.timed_out:
            return f"not done in {step.seconds:.0f} s: {said}"
        if outcome.returncode < 0:
            return "stopped"
        if outcome.returncode:
            if step.command[:2] == ("docker", "image"):
                make = "make chr CHR=7.20.8" if "mikrotik" in said else "make images"
                raise CannotHereError(f"an image of the lab is not here: {said}", make)
            return f"exit code {outcome.returncode}: {said}"
        return wanted

    def _error(self, step: Step, message: str) -> BackendError:
        return BackendError(f"{self.plain['file']}: {shlex.join(step.command)}: {message}")


class ContainerAgent(Server):
    """Nodes that are containers; they outlive this process unless it takes them down."""

    def make(self, run: str, plain: Mapping[str, Any]) -> ContainerLab:
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

    async def do_address(self, _: Channel, request: Message) -> Message:
        node = self._node(request)
        assert isinstance(node, Container)
        if node.address is None:
            raise BackendError(f"node {node.name} has no management address")
        return {"address": node.address}


def main(arguments: list[str]) -> NoReturn:
    serve(ContainerAgent, arguments, on_terminate=True)


if __name__ == "__main__":
    main(sys.argv[1:])
