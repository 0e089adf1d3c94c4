"""The testbed of tasks: the lab of `ppslab up`, or one that is deployed for them and kept.

A lab is put back by deploying it anew, whatever a learner did to it.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field

from ppslab.core.errors import BackendError, UsageError
from ppslab.course.tasks.linux import LinuxTestbed, sender
from ppslab.course.tasks.reading import Tasks
from ppslab.measure.testbed.linux import bearable_burst, maker, real_time, router_of
from ppslab.model.lab import topology
from ppslab.model.lab.machine import FEATURE
from ppslab.model.lab.topology import Topology
from ppslab.testbed.backends import (
    Backend,
    Deployment,
    attach,
    capabilities,
    open_backend,
    registry,
)


class TaskLab:
    """A lab deployed for tasks: `run_id` is its name there, `run` tells this one from others."""

    def __init__(self, tasks: Tasks, backend: Backend, run_id: str) -> None:
        self.tasks = tasks
        self.backend = backend
        self.run_id = run_id
        self.run = backend.entry.name
        self.wiring: Topology = topology.find(tasks.lab.spec.topology)
        self._deployment: Deployment | None = backend.deployments().get(run_id)

    @property
    def testbed(self) -> LinuxTestbed:
        """The lab in its present state."""
        if self._deployment is None:
            raise BackendError(f"lab {self.tasks.lab.name} is no longer up")
        node = self._deployment.node(self.tasks.lab.spec.tester)
        make = maker(first=real_time(node, self.backend), burst=bearable_burst(self.backend))
        emulated = self.backend.facts.get("emulation") == "tcg"
        send = sender(self.tasks, make(node), emulated=emulated)
        return LinuxTestbed(self.tasks, self._deployment, send)

    def restore(self, condition: str | None) -> list[str]:
        """Deploy it anew, and bring it into the condition."""
        lab, again = self.tasks.lab, self._deployment is not None
        self.remove()
        self._deployment = self.backend.deploy(self.wiring, run_id=self.run_id)
        if condition is not None:
            router = router_of(lab, self._deployment, self.wiring)
            wanted = lab.condition(condition)
            router.apply(wanted)
            problems = router.read_back(wanted).problems
            if problems:
                raise BackendError(f"condition {condition} is not in place: {'; '.join(problems)}")
        return ["the lab was deployed anew; a shell that was open on it has ended"] if again else []

    def end(self) -> list[str]:
        """Take it down, and the backend with it."""
        self.backend.stop()
        return [f"{self.tasks.lab.name} is down"]

    def remove(self) -> None:
        """Take it down; its backend stays."""
        standing, self._deployment = self._deployment, None
        if standing:
            standing.remove()


# --- where a lab stands, or is stood up ----------------------------------------------------------

Say = Callable[[str], None]


@dataclass(frozen=True)
class Where:
    """The learner's choice of a backend, and who hears what is done."""

    backend: str = "auto"
    say: Say = field(default=lambda text: None)


def open_lab(stack: ExitStack, tasks: Tasks, where: Where, *, up: bool) -> TaskLab | None:
    """The lab where it stands; `up`: stand it up where it does not, else None.

    All connections end when `stack` unwinds, and the lab stays.  UsageError where it stands on a
    backend that cannot do the tasks; CannotHereError where no backend can.
    """
    lab = tasks.lab
    machine = lab.spec.machine
    needs = tasks.needs | ({FEATURE} if machine else frozenset())
    entry = registry.standing(lab.name)
    if entry is not None:
        missing = sorted(needs - capabilities.features_of(entry.backend))
        if missing:
            raise UsageError(
                f"lab {lab.name} is up on {entry.backend}, which has no {', '.join(missing)} for "
                f"its tasks: `ppslab down {lab.name}`, then `ppslab task {lab.name} start`"
            )
        backend = stack.enter_context(attach(entry))
        return TaskLab(tasks, backend, lab.name)
    if not up:
        return None
    choice = capabilities.choose(needs, where.backend)
    where.say(f"starting {choice.backend}: {choice.reason}")
    backend = stack.enter_context(_kept(open_backend(choice.backend, detach=True, machine=machine)))
    return TaskLab(tasks, backend, lab.name)


class _kept:  # noqa: N801  (used as a context manager only)
    """A detached backend that stays after success, and is stopped where nothing is deployed."""

    def __init__(self, backend: Backend) -> None:
        self.backend = backend

    def __enter__(self) -> Backend:
        return self.backend

    def __exit__(self, *_: object) -> None:
        if self.backend.entry.runs:
            self.backend.close()
        else:
            self.backend.stop()
