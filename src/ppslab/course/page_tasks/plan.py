"""What the page must know of a lab's tasks: words, checks, and every command, said beforehand.

The commands are those that the tasks' testbed, the Linux router and the tester tell the nodes of a
lab: they are let work on nodes that only write down what they are told.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from ppslab.course.page_tasks import expressions
from ppslab.course.page_tasks.absent import absent
from ppslab.course.tasks import chip
from ppslab.course.tasks.checks import Sent
from ppslab.course.tasks.linux import LinuxTestbed, sender
from ppslab.course.tasks.reading import Tasks
from ppslab.course.tasks.schema import LinuxSide, Task, Traffic
from ppslab.course.tasks.solutions import solution
from ppslab.measure.preview.pretending import NOTHING_SENT, Command, PretendedBackend
from ppslab.measure.testbed.linux import EMULATED_BURST, IMAGE_OBJECTS, router_of
from ppslab.model.lab import topology
from ppslab.model.lab.lab import Lab
from ppslab.testbed.backends import Completed, Deployment
from ppslab.testbed.backends.page_router import Contents
from ppslab.testbed.routers.linux.deployed import NOTHING, Standing
from ppslab.testbed.testers.ppstraffic import Tester

PROGRAM = Path("ppstraffic")


@dataclass
class Writer:
    """A node that writes down what it is told."""

    name: str
    told: list[dict[str, Any]]
    own_files = True

    def run(
        self,
        argv: Sequence[str],
        *,
        input: str | None = None,
        env: Mapping[str, str] | None = None,
        timeout: float = 60.0,
        check: bool = True,
    ) -> Completed:
        """As a node's; it answers as a tester that sent nothing."""
        del timeout, check
        self.told.append(_step(self.name, argv, input or "", env or {}))
        return Completed(0, json.dumps(NOTHING_SENT), "")

    def read(self, path: str) -> bytes:
        """No file was written."""
        raise FileNotFoundError(path)


class Book:
    """A deployment of such nodes."""

    def __init__(self) -> None:
        self.told: list[dict[str, Any]] = []

    def node(self, name: str) -> Writer:
        """Any node."""
        return Writer(name, self.told)

    def path(self, here: Path, in_image: str) -> Path:
        """Where a file of ours is: as in the image of the Linux router."""
        del here
        return Path(in_image)

    def take(self) -> list[dict[str, Any]]:
        """What was told since this was asked last."""
        told = self.told.copy()
        self.told.clear()
        return told


def plan(tasks: Tasks, contents: Contents) -> dict[str, Any]:
    """All of a lab's tasks that the router in the page can have, and why not the others.

    Ready for JSON.  `chip`: for `engine.chip`, or null.  `conditions`: what is told to the nodes of
    a lab that was just deployed; of a task `before` the names of those that are done before it, and
    of what it does (`begin`, `solve`, `mistake`) the steps: `on` a node `argv` is run, with `input`
    and `env`.
    """
    cannot = absent(tasks, contents)
    there = [task for task in tasks.all if task.name not in cannot]
    writer = _Planner(tasks)
    named = dict.fromkeys(tasks.condition(task, "linux") for task in there)
    return {
        "lab": tasks.lab.name,
        "router": tasks.lab.spec.router,
        "chip": _chip(tasks),
        "tasks": [writer.task(task) for task in there],
        "conditions": {name: condition(tasks.lab, name) for name in named if name},
        "cannot": [
            {"title": each.title, "why": each.why.value, "says": each.sentence}
            for each in cannot.values()
        ],
    }


def _chip(tasks: Tasks) -> dict[str, Any] | None:
    """What the engine must know of the switch chip ahead of the router, where there is one."""
    device = tasks.spec.switch_chip
    if device is None:
        return None
    return chip.words(device, list(tasks.lab.spec.ports.values()), Path(IMAGE_OBJECTS))


class _Planner:
    def __init__(self, tasks: Tasks) -> None:
        self.tasks = tasks
        self.book = Book()
        tester = Tester(self.book.node(tasks.lab.spec.tester), burst=EMULATED_BURST, path=PROGRAM)
        self.send = sender(tasks, tester)
        deployment = cast(Deployment, self.book)
        self.testbed = LinuxTestbed(tasks, deployment, lambda traffic: Sent(0, 0))

    def task(self, task: Task) -> dict[str, Any]:
        side = task.linux
        assert isinstance(side, LinuxSide)
        done = {}
        for what in ("begin", "solve", "blunder"):
            getattr(self.testbed, what)(task)
            done[what] = self.book.take()
        return {
            "name": task.name,
            "title": task.title,
            "minutes": task.minutes,
            "text": task.text_for("linux"),
            "hints": list(task.hints_for("linux")),
            "before": [each.name for each in self.tasks.before(task, "linux")],
            "condition": self.tasks.condition(task, "linux"),
            **done,
            "checks": list(self._checks(task, side)),
            "traffic": self._job(task.traffic) if task.traffic else None,
            "solution": [list(each) for each in solution(self.tasks, task, "linux")],
        }

    def _checks(self, task: Task, side: LinuxSide) -> Iterator[dict[str, Any]]:
        for check in side.check:
            yield {
                **check.model_dump(include=_OF_A_CHECK),
                "on": check.on or self.tasks.lab.spec.router,
                "expressions": {
                    each.removeprefix("!"): expressions.of_a_browser(each.removeprefix("!"))
                    for each in check.expect
                },
                "traffic": self._job(task.traffic_of(check)) if check.sends else None,
            }

    def _job(self, traffic: Traffic) -> dict[str, Any]:
        self.send(traffic)
        (job,) = self.book.take()
        return {**job, "packets": traffic.packets}


def condition(lab: Lab, name: str) -> list[dict[str, Any]]:
    """What the router is told for a condition, where nothing was before."""
    wiring = topology.find(lab.spec.topology)
    # containerlab's nodes have their own files, as those of the page have.
    backend = PretendedBackend("containerlab", {"cpus": 1})
    try:
        fresh = Standing.of(NOTHING)
        router = router_of(lab, backend.deploy(wiring), wiring, standing=fresh)
        for each in (router, *router.others.values()):
            _ = each.deployed
        backend.told()
        router.apply(lab.condition(name))
        told = [each for each in backend.told() if _does_something(each)]
    finally:
        backend.stop()
    return [_step(each.node, each.argv, each.given, {}) for each in told]


_OF_A_CHECK = {"says", "ok", "fail", "warn", "within", "grows", "run", "expect", "arrive"}


def _does_something(command: Command) -> bool:
    """Whether it does more than ask: an empty script, too, is a process."""
    asks = command.argv[:2] == ("sysctl", "-n")
    return not asks and (
        command.argv[0] != "sh" or bool("".join(command.argv[2:]) + command.given.strip())
    )


def _step(node: str, argv: Sequence[str], given: str, env: Mapping[str, str]) -> dict[str, Any]:
    return {"on": node, "argv": [str(word) for word in argv], "input": given, "env": dict(env)}
