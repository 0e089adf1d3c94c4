"""A task on Linux nodes: shell steps, what commands print, packets that are sent and counted."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby

from ppslab import paths
from ppslab.backends import Deployment
from ppslab.errors import BackendError
from ppslab.instruments.contract import Load
from ppslab.instruments.contract import Tester as Instrument
from ppslab.instruments.flows import Flow
from ppslab.lab import Lab
from ppslab.standing import IMAGE_OBJECTS
from ppslab.tasks import chip
from ppslab.tasks.checks import (
    Finding,
    Seen,
    Sender,
    Sent,
    every,
    examine,
    of_share,
    send_until,
    shortened,
)
from ppslab.tasks.reading import Tasks
from ppslab.tasks.words import LinuxCheck, LinuxSide, Step, Task, Traffic, Without

STEP_SECONDS = 60.0

EMULATED = 0.4
"""Of a task's rate, under emulation."""

LEARNING = 4
"""Frames each way by which a connection is open before the packets of a task come."""

DRAIN_SECONDS = 0.5
"""What a task sends is little, and the last of it may be late under emulation."""


class LinuxGround:
    """A lab that stands, as far as tasks know it."""

    def __init__(self, tasks: Tasks, deployment: Deployment, send: Sender) -> None:
        self.tasks = tasks
        self.deployment = deployment
        self._send = send
        self._objects = deployment.path(paths.build_dir() / "bpf", IMAGE_OBJECTS)
        self._environment = {"PPSLAB_BPF": str(self._objects)}

    @property
    def lab(self) -> Lab:
        """The lab."""
        return self.tasks.lab

    def begin(self, task: Task) -> None:
        """Do what comes before the learner's part."""
        self._steps(task, _side(task).init, "init")

    def solve(self, task: Task) -> None:
        """Do the learner's part."""
        self._steps(task, _side(task).solve, "solve")

    def blunder(self, task: Task) -> None:
        """Make the mistake that the task's check must find."""
        self._steps(task, _side(task).mistake.run, "mistake")

    def send(self, traffic: Traffic) -> Sent:
        """Send a task's traffic."""
        self._follow()
        return self._send(traffic)

    def check(self, task: Task, *, briefly: bool = False) -> list[Finding]:
        """Look at everything that the task wants; `briefly`: up to the first that fails."""
        self._follow()

        def one(check: LinuxCheck, patient: bool) -> Finding:
            return self._examine(task, check, patient=patient)

        return every(_side(task).check, one, briefly=briefly)

    def _examine(self, task: Task, check: LinuxCheck, *, patient: bool) -> Finding:
        def look() -> Seen:
            wanted = check.arrive or check.grows
            if wanted is None:
                return self._printed(check)
            number, packets = send_until(wanted, once)
            counted = "arrived" if check.arrive else "counted"
            return Seen(
                of_share(wanted, number, packets), f"{packets} packets sent, {number} {counted}"
            )

        def once() -> tuple[int, int]:
            traffic = task.traffic_of(check)
            if check.arrive:
                sent = self._send(traffic)
                return sent.arrived, sent.packets
            before = self._number(task, check)
            sent = self._send(traffic)
            return self._number(task, check) - before, sent.packets

        return examine(check, look, patient=patient)

    def _follow(self) -> None:
        """Where a switch chip stands ahead of the router: do what its settings say by now."""
        device = self.tasks.words.switch_chip
        if device is not None:
            words = self.lab.words
            node = self.deployment.node(words.router)
            chip.follow(node, device, list(words.ports.values()), self._objects)

    def _printed(self, check: LinuxCheck) -> Seen:
        node = self.deployment.node(check.on or self.lab.words.router)
        answer = node.run(["sh", "-c", check.run], check=False, timeout=STEP_SECONDS)
        text = answer.stdout
        if not check.expect:
            said = answer.stderr or answer.stdout
            return Seen(answer.returncode == 0, shortened(said))
        good = all(_matches(expression, text) for expression in check.expect)
        return Seen(good, shortened(text or answer.stderr) or "(nothing)")

    def _number(self, task: Task, check: LinuxCheck) -> int:
        node = self.deployment.node(check.on or self.lab.words.router)
        answer = node.run(["sh", "-c", check.run], check=False, timeout=STEP_SECONDS)
        said = answer.stdout.strip()
        if not said:
            return 0  # what would count is not there (yet), which the check is to find
        if not said.isdigit():
            raise BackendError(
                f"task {task.name}: `{check.run}` printed {shortened(said)!r}, "
                "which is no whole number"
            )
        return int(said)

    def _steps(self, task: Task, steps: Sequence[Step], what: str) -> None:
        """What follows one another on one node is one script: a process is dear under emulation."""
        router = self.lab.words.router
        for name, group in groupby(steps, key=lambda step: step.on or router):
            script = "\n".join(step.run for step in group)
            answer = self.deployment.node(name).run(
                ["sh", "-e"],
                input=script + "\n",
                env=self._environment,
                check=False,
                timeout=STEP_SECONDS,
            )
            if answer.returncode:
                said = answer.stderr.strip() or f"exit code {answer.returncode}"
                raise BackendError(f"task {task.name}: {what} on {name}: {said}\n{script}")


def sender(tasks: Tasks, tester: Instrument, *, emulated: bool = False) -> Sender:
    """Sends a task's traffic with an instrument, and counts what arrives.

    `emulated`: more slowly, for a packet takes a router's CPU a hundred times as long.
    """

    def send(traffic: Traffic) -> Sent:
        rate = traffic.rate * EMULATED if emulated else float(traffic.rate)
        flows = tuple(map(Flow.of, tasks.flows(traffic)))
        load = Load(
            flows=flows,
            ports=tasks.lab.words.ports,
            size=traffic.size,
            seconds=traffic.packets / rate,
            rate=rate,
            # What answers a flow's connection is sent with the learning frames.
            learning_frames=LEARNING if any(flow.reply_src_mac for flow in flows) else 0,
            drain_seconds=DRAIN_SECONDS,
        )
        counts = tester.trial(load).counts
        # A wire that is down ends a trial at once, and it is just that which a check may look for.
        return Sent(counts.intended or traffic.packets, counts.received)

    return send


def _matches(expression: str, text: str) -> bool:
    wanted = not expression.startswith("!")
    return bool(re.search(expression.removeprefix("!"), text, re.MULTILINE)) == wanted


def _side(task: Task) -> LinuxSide:
    assert not isinstance(task.linux, Without)
    return task.linux
