"""A topology deployed by containerlab: its steps, one after the other."""

from __future__ import annotations

import shlex
import time
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import Any

from ppslab.backends.agent.deploying import Done
from ppslab.backends.agent.deploying import Step as Start
from ppslab.backends.agent.loop import Loop
from ppslab.backends.agent.process import Execution, Outcome
from ppslab.backends.containerlab import steps
from ppslab.backends.containerlab.cleaning import keep_logs, take_down
from ppslab.backends.containerlab.nodes import Container, Host
from ppslab.backends.containerlab.ready import addresses, failed_execs
from ppslab.backends.containerlab.steps import Step
from ppslab.base import paths
from ppslab.base.errors import BackendError, CannotHereError, PpslabError

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
        self._nodes = {
            node: Container(node, steps.container(plain, run, node)) for node in plain["nodes"]
        }
        self._log = ""

    @property
    def nodes(self) -> Mapping[str, Container]:
        """The nodes, by name."""
        return self._nodes

    def stand_up(self, loop: Loop) -> Generator[Start, Outcome, None]:
        """Take every step; yields the commands to wait for.

        Raises BackendError with the command, what it said, and the folder with the logs;
        CannotHereError where an image is not here.
        """
        try:
            yield from self._stand_up(loop)
        except PpslabError as error:
            if isinstance(error, CannotHereError):
                raise
            into = logs_folder(self.run)
            keep_logs(self.run, into, self._log)
            raise BackendError(f"{error}\nlogs: {into}") from None

    def _stand_up(self, loop: Loop) -> Generator[Start, Outcome, None]:
        plain, run = self.plain, self.run
        for step in steps.standing_up(plain, run):
            outcome = yield from self._take(loop, step)
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
            yield from self._take(loop, step)
        for name in steps.routers(plain):
            address = self._nodes[name].address
            if address is None:
                raise BackendError(f"{plain['file']}: node {name}: containerlab gave it no address")
            host = f"[{address}]" if ":" in address else address
            yield from self._take(loop, steps.answering(plain, run, name, host))

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

    def _take(self, loop: Loop, step: Step) -> Generator[Start, Outcome, Outcome]:
        """One step, repeated as needed; BackendError where it fails, or takes too long."""
        until = time.monotonic() + step.seconds
        while True:
            began = time.monotonic()
            outcome = yield self._start(
                loop, step.command, step.env, step.output_file, step.seconds
            )
            self._log += f"$ {step.line}\n{outcome.stdout}{outcome.stderr}"
            missing = self._missing(step, outcome)
            if not missing:
                return outcome
            if outcome.returncode < 0 or step.wanted is None or time.monotonic() > until:
                raise self._error(step, missing)
            if time.monotonic() - began < 1:
                yield self._start(loop, _PAUSE, {}, None, None)

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
                raise CannotHereError(f"an image of the lab is not here: {said}", _bring(said))
            return f"exit code {outcome.returncode}: {said}"
        return wanted

    def _start(
        self,
        loop: Loop,
        command: tuple[str, ...],
        env: Mapping[str, str],
        output_file: str | None,
        seconds: float | None,
    ) -> Start:
        def start(done: Done) -> Execution:
            return Execution(
                loop,
                self._host,
                list(command),
                done,
                env=env,
                timeout=seconds,
                output_file=output_file,
            )

        return start

    def _error(self, step: Step, message: str) -> BackendError:
        return BackendError(f"{self.plain['file']}: {shlex.join(step.command)}: {message}")


def logs_folder(run: str) -> Path:
    """Where the logs of a deploy that failed are kept; nothing else removes them."""
    return paths.cache_dir() / "logs" / run


def _bring(said: str) -> str:
    return "make chr CHR=7.20.8" if "mikrotik" in said else "make images"
