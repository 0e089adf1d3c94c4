"""A lab on which tasks are done, and how it is put back.

On Linux a lab is put back by deploying it anew, whatever a learner did to it.  RouterOS is put back
by what was noted of it.
"""

from __future__ import annotations

from typing import Protocol

from ppslab.core.errors import BackendError
from ppslab.course.tasks.checks import Finding, Sender
from ppslab.course.tasks.linux import LinuxTestbed, sender
from ppslab.course.tasks.reading import Tasks
from ppslab.course.tasks.routeros import RouterOSTestbed
from ppslab.course.tasks.schema import Task
from ppslab.measure.testbed.linux import bearable_burst, maker, real_time, router_of
from ppslab.model.lab import topology
from ppslab.model.lab.topology import Topology
from ppslab.testbed.backends import Backend, Deployment


class TaskTestbed(Protocol):
    """The nodes or routers that a task is done on."""

    @property
    def send(self) -> Sender:
        """Sends a task's traffic."""

    def begin(self, task: Task) -> None:
        """Set the task up, before the learner's part."""

    def solve(self, task: Task) -> None:
        """Do the learner's part."""

    def blunder(self, task: Task) -> None:
        """Make the mistake that the task's check must find."""

    def check(self, task: Task, *, briefly: bool = False) -> list[Finding]:
        """Run the checks of the task; `briefly`: up to the first that fails."""


class TaskLab(Protocol):
    """A lab deployed for tasks; `run` tells this deployment from any other."""

    run: str

    @property
    def testbed(self) -> TaskTestbed:
        """What tasks are done on, in its present state."""

    def restore(self, condition: str | None) -> list[str]:
        """Bring it into a condition as if untouched; returns messages for the learner."""

    def end(self) -> list[str]:
        """Remove all traces of it; returns messages for the learner."""


class LinuxTaskLab:
    """A lab of Linux nodes on a backend; `run_id` is its name there."""

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


class RouterOSTaskLab:
    """A lab whose routers are RouterOS; `first`: no task has touched them yet."""

    def __init__(self, testbed: RouterOSTestbed, run: str) -> None:
        self.testbed = testbed
        self.run = run

    def restore(self, condition: str | None) -> list[str]:
        """Put everything back, and bring it into the condition."""
        return self.testbed.restore(condition)

    def end(self) -> list[str]:
        """Put everything back; a CHR stays up until `ppslab down`."""
        return self.testbed.end()
