"""A task on Linux nodes: shell steps, what commands print, packets that are sent and counted.

Where a switch chip stands ahead of the router, its settings are followed first (`engine.chip`).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from ppslab.core import paths
from ppslab.core.errors import BackendError, UsageError
from ppslab.course.tasks.checks import Finding, Sender, Sent, findings
from ppslab.course.tasks.engine import chip, judging
from ppslab.course.tasks.reading import Tasks
from ppslab.course.tasks.schema import LinuxCheck, Step, Task, Traffic
from ppslab.measure.testbed.linux import IMAGE_OBJECTS
from ppslab.model.lab.conditions import LinuxSpec, SwitchChip
from ppslab.model.lab.lab import Lab
from ppslab.model.switch_chip import chips, filling
from ppslab.testbed.backends import Deployment, Node
from ppslab.testbed.routers.linux import steps as router_steps
from ppslab.testbed.routers.linux.deployed import Standing
from ppslab.testbed.testers.contract import Load
from ppslab.testbed.testers.contract import Tester as Instrument

STEP_SECONDS = 60.0

EMULATED = 0.4
"""Of a task's rate, under emulation."""

LEARNING = 4
"""Frames each way by which a connection is open before the packets of a task come."""

DRAIN_SECONDS = 0.5
"""Seconds to wait for a task's last packet, which may be late under emulation."""

LONGEST_DRAIN_SECONDS = 4.0
"""The wait doubles up to this where the last packet came later than it."""


class LinuxTestbed:
    """A deployed lab, as tasks see it."""

    def __init__(self, tasks: Tasks, deployment: Deployment, send: Sender) -> None:
        self.tasks = tasks
        self.deployment = deployment
        self._send = send
        self._objects = deployment.path(paths.build_dir() / "bpf", IMAGE_OBJECTS)
        self.environment = {"PPSLAB_BPF": str(self._objects)}

    @property
    def lab(self) -> Lab:
        return self.tasks.lab

    def begin(self, task: Task) -> None:
        """Set the task up, before the learner's part."""
        self._steps(task, task.linux.init, "init")

    def solve(self, task: Task) -> None:
        self._steps(task, task.linux.solve, "solve")

    def blunder(self, task: Task) -> None:
        """Make the mistake that the task's check must find."""
        self._steps(task, task.linux.mistake.run, "mistake")

    def send(self, traffic: Traffic) -> Sent:
        self._follow()
        return self._send(traffic)

    def check(self, task: Task, *, briefly: bool = False) -> list[Finding]:
        """Run the checks of the task; `briefly`: up to the first that fails."""
        self._follow()

        def send(check: LinuxCheck) -> tuple[int, int]:
            sent = self._send(task.traffic_of(check))
            return sent.packets, sent.arrived

        answers = {judging.RUN: self._run, judging.SEND: send}
        try:
            return findings(task.linux.check, answers, briefly=briefly)
        except judging.NoNumberError as error:
            command, output = error.args
            raise BackendError(
                f"task {task.name}: `{command}` printed {output!r}, which is not a whole number"
            ) from None

    def _follow(self) -> None:
        """Do what a switch chip ahead of the router is set to do by now."""
        device = self.tasks.spec.switch_chip
        if device is not None:
            words = chip_words(device, list(self.lab.spec.ports.values()), self._objects)
            follow_chip(self.deployment.node(self.lab.spec.router), words)

    def _run(self, check: LinuxCheck) -> tuple[int, str, str]:
        node = self.deployment.node(check.on or self.lab.spec.router)
        answer = node.run(["sh", "-c", check.run], check=False, timeout=STEP_SECONDS)
        return answer.returncode, answer.stdout, answer.stderr

    def _steps(self, task: Task, steps: Sequence[Step], what: str) -> None:
        """Consecutive steps on one node become one script: a process is slow under emulation."""
        router = self.lab.spec.router
        for name, group in groupby(steps, key=lambda step: step.on or router):
            script = "\n".join(step.run for step in group)
            answer = self.deployment.node(name).run(
                ["sh", "-e"],
                input=script + "\n",
                env=self.environment,
                check=False,
                timeout=STEP_SECONDS,
            )
            if answer.returncode:
                reason = answer.stderr.strip() or f"exit code {answer.returncode}"
                raise BackendError(f"task {task.name}: {what} on {name}: {reason}\n{script}")


def sender(tasks: Tasks, tester: Instrument, *, emulated: bool = False) -> Sender:
    """Sends a task's traffic with an instrument, and counts what arrives.

    `emulated`: more slowly, as a packet takes an emulated CPU a hundred times as long; and beside
    other work on its host longer still, so that some come after the tester has ceased to wait.
    """
    drain = DRAIN_SECONDS

    def send(traffic: Traffic) -> Sent:
        nonlocal drain
        rate = traffic.rate * EMULATED if emulated else float(traffic.rate)
        flows = tasks.flows(traffic)
        load = Load(
            flows=flows,
            ports=tasks.lab.spec.ports,
            size=traffic.size,
            seconds=traffic.packets / rate,
            rate=rate,
            # Replies on a flow's connection are sent with the learning frames.
            learning_frames=LEARNING if any(flow.answered for flow in flows) else 0,
            drain_seconds=drain,
            sleeps=emulated,
        )
        counts = tester.trial(load).counts
        some_came = emulated and 0 < counts.received < counts.intended
        drain = min(2 * drain, LONGEST_DRAIN_SECONDS) if some_came else DRAIN_SECONDS
        # A wire that is down ends a trial at once, and a check may look for just that.
        return Sent(counts.intended or traffic.packets, counts.received)

    return send


# --- the switch chip ahead of the router ---------------------------------------------------------

CHIP_PROGRAM = "l3_offload"


def chip_words(device: str, ports: Sequence[str], objects: Path) -> dict[str, Any]:
    """Facts on a device's chip for `engine.chip.follow`, ready for JSON.

    `ports`: the router's interfaces; `objects`: the folder of BPF programs on the node.
    """

    def spec(*attached: str) -> LinuxSpec:
        return LinuxSpec(
            bpf=CHIP_PROGRAM, switch_chip=SwitchChip(device=device), bpf_ports=tuple(attached)
        )

    attach = {port: router_steps.attach(spec(port), ports, objects, "tc") for port in ports}
    return {
        "facts": chips.of(device).facts,
        "ports": list(ports),
        "away": router_steps.take_away(Standing.of(spec(*ports)), ports),
        "attach": {port: lines[0] for port, lines in attach.items()},
        "load": attach[ports[0]][-1],
    }


def follow_chip(node: Node, words: dict[str, Any]) -> None:
    """Apply a node's settings; does nothing where they are applied already.

    `words`: of `chip_words`.  UsageError where a setting is none; BackendError with what the
    node says where a step fails.
    """

    def tell(request: tuple[str, list[str], str]) -> tuple[int, str, str]:
        _, argv, given = request
        answer = node.run(argv, input=given, check=False)
        return answer.returncode, answer.stdout, answer.stderr

    try:
        judging.play(chip.follow(words), tell)
    except chip.WrongSettingError as error:
        raise UsageError(str(error)) from None
    except (chip.RefusedError, filling.TooManyError) as error:
        raise BackendError(f"router {node.name}: {error}") from None
