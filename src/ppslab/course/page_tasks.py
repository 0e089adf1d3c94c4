"""A lab's tasks for the router in the page: what it needs to know of them, and what it cannot do.

`plan` has words, checks and every command.  The commands are those that the tasks' testbed, the
Linux router and the tester tell the nodes of a lab: at build time they are let work on nodes that
only write down what they are told.  The page tells them to its own nodes, and the same engine
(ppslab.course.tasks.engine) judges.  `absent` says, by a lab's files, which tasks the page cannot
have.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from ppslab.core.errors import FileError
from ppslab.course.tasks.checks import Sent
from ppslab.course.tasks.linux import LinuxTestbed, chip_words, sender
from ppslab.course.tasks.reading import Tasks
from ppslab.course.tasks.schema import Task, Traffic
from ppslab.measure.preview.pretending import Command, PretendedBackend
from ppslab.measure.testbed.linux import EMULATED_BURST, IMAGE_OBJECTS, router_of
from ppslab.model.lab import topology
from ppslab.model.lab.lab import Lab
from ppslab.testbed.backends import page_router
from ppslab.testbed.backends.capabilities.features import MEANINGS
from ppslab.testbed.backends.page_router import Contents
from ppslab.testbed.routers.linux.deployed import NOTHING, Standing
from ppslab.testbed.testers.ppstraffic import Tester

PROGRAM = Path("ppstraffic")


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
    named = dict.fromkeys(tasks.condition(task) for task in there)
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
    """Facts for the engine on the switch chip ahead of the router; None for none."""
    device = tasks.spec.switch_chip
    if device is None:
        return None
    return chip_words(device, list(tasks.lab.spec.ports.values()), Path(IMAGE_OBJECTS))


class _Planner:
    def __init__(self, tasks: Tasks) -> None:
        self.tasks = tasks
        self.backend = _nodes()
        deployment = self.backend.deploy(topology.find(tasks.lab.spec.topology))
        node = deployment.node(tasks.lab.spec.tester)
        self.send = sender(tasks, Tester(node, burst=EMULATED_BURST, path=PROGRAM))
        self.testbed = LinuxTestbed(tasks, deployment, lambda traffic: Sent(0, 0))
        self.backend.told()

    def task(self, task: Task) -> dict[str, Any]:
        steps = {}
        for what in ("begin", "solve", "blunder"):
            getattr(self.testbed, what)(task)
            told = self.backend.told()
            steps[what] = [_step(one, self.testbed.environment) for one in told]
        return {
            "name": task.name,
            "title": task.title,
            "minutes": task.minutes,
            "text": task.whole_text,
            "hints": list(task.every_hint),
            "before": [each.name for each in self.tasks.before(task)],
            "condition": self.tasks.condition(task),
            **steps,
            "checks": list(self._checks(task)),
            "traffic": self._job(task.traffic) if task.traffic else None,
            "solution": [list(each) for each in self.tasks.solution(task)],
        }

    def _checks(self, task: Task) -> Iterator[dict[str, Any]]:
        for check in task.linux.check:
            yield {
                **check.model_dump(include=_OF_A_CHECK),
                "on": check.on or self.tasks.lab.spec.router,
                "expressions": {
                    each.removeprefix("!"): browser_expression(each.removeprefix("!"))
                    for each in check.expect
                },
                "traffic": self._job(task.traffic_of(check)) if check.sends else None,
            }

    def _job(self, traffic: Traffic) -> dict[str, Any]:
        self.send(traffic)
        (command,) = self.backend.told()
        return {**_step(command), "packets": traffic.packets}


def _nodes() -> PretendedBackend:
    """Nodes that write down what they are told; they have their own files, as the page's have."""
    return PretendedBackend("containerlab", {"cpus": 1})


def condition(lab: Lab, name: str) -> list[dict[str, Any]]:
    """The router's commands for a condition, on a router without any."""
    wiring = topology.find(lab.spec.topology)
    backend = _nodes()
    try:
        fresh = Standing.of(NOTHING)
        router = router_of(lab, backend.deploy(wiring), wiring, standing=fresh)
        for one in (router, *router.others.values()):
            _ = one.deployed
        backend.told()
        router.apply(lab.condition(name))
        commands = [command for command in backend.told() if _does_something(command)]
    finally:
        backend.stop()
    return [_step(one) for one in commands]


_OF_A_CHECK = {"says", "ok", "fail", "hint", "within", "grows", "run", "expect", "arrive"}


def script(steps: list[dict[str, Any]]) -> str:
    """The steps of a condition as one script for the page's router; it stops where one fails."""
    lines = ["set -e"]
    for step in steps:
        lines.append(shlex.join([step["on"], *step["argv"]]))
        if step["input"]:
            lines[-1] += f" <<'PPSLAB_STEP'\n{step['input']}\nPPSLAB_STEP"
    return "\n".join(lines) + "\n"


def _does_something(command: Command) -> bool:
    """True if it does more than ask: an empty script, too, is a process."""
    asks = command.argv[:2] == ("sysctl", "-n")
    return not asks and (
        command.argv[0] != "sh" or bool("".join(command.argv[2:]) + command.given.strip())
    )


def _step(command: Command, env: Mapping[str, str] | None = None) -> dict[str, Any]:
    argv = [str(word) for word in command.argv]
    return {"on": command.node, "argv": argv, "input": command.given, "env": dict(env or {})}


# --- tasks that the page cannot have -------------------------------------------------------------


class Why(StrEnum):
    """A reason why a task cannot be done in the page."""

    MACHINE = "machine"
    TOPOLOGY = "topology"
    FEATURES = "features"
    EXPRESSION = "expression"
    PROGRAM = "program"
    BEFORE = "a task before it"


@dataclass(frozen=True)
class Absent:
    """A task that the page's router cannot have; `what`: the part of it that is at fault."""

    task: str
    title: str
    why: Why
    what: str

    @property
    def sentence(self) -> str:
        return _SENTENCES[self.why].format(what=self.what)


_SENTENCES = {
    Why.MACHINE: "It needs {what}; the router in the page has only one CPU.",
    Why.TOPOLOGY: "The router in the page does not support its nodes: {what}.",
    Why.FEATURES: "It needs {what}, which the router in the page does not have.",
    Why.PROGRAM: "It calls {what}, which the router in the page does not have.",
    Why.BEFORE: "It continues the task “{what}”, which cannot be done in the page.",
    Why.EXPRESSION: "Its check uses the pattern {what}, which a browser interprets differently.",
}


def absent(tasks: Tasks, contents: Contents) -> dict[str, Absent]:
    """By their names the tasks that the router in the page cannot have."""
    of_all = _of_the_lab(tasks, contents)
    missing = {}
    for task in tasks.all:
        why = of_all or _of_its_lines(task, contents)
        if why:
            missing[task.name] = Absent(task.name, task.title, *why)
    for task in tasks.all:
        lost = [before for before in tasks.before(task) if before.name in missing]
        if lost and task.name not in missing:
            missing[task.name] = Absent(task.name, task.title, Why.BEFORE, lost[0].title)
    return missing


def _of_the_lab(tasks: Tasks, contents: Contents) -> tuple[Why, str] | None:
    """The obstacle to every task of the lab; None for none."""
    spec = tasks.lab.spec
    if spec.machine is not None:
        return Why.MACHINE, f"a machine with {spec.machine.all_cpus} CPUs"
    missing = sorted(tasks.needs - contents.features)
    if missing:
        return Why.FEATURES, " and ".join(MEANINGS[name] for name in missing)
    try:
        page_router.stand_up(topology.find(spec.topology), contents.programs())
    except FileError as error:
        return Why.TOPOLOGY, error.message
    return None


def _of_its_lines(task: Task, contents: Contents) -> tuple[Why, str] | None:
    side = task.linux
    lines = [
        *(step.run for _, steps in side.parts for step in steps),
        *(check.run for check in side.check),
    ]
    for name, expression in contents.lacks.items():
        if any(re.search(expression, line) for line in lines):
            return Why.PROGRAM, name
    for check in side.check:
        for expression in check.expect:
            try:
                browser_expression(expression.removeprefix("!"))
            except OnlyPythonError:
                return Why.EXPRESSION, re.sub(r"\s+", " ", expression)
    return None


# --- regular expressions of checks, in the words of a browser ------------------------------------

_INLINE = re.compile(r"^\(\?([a-z]+)\)")
_ONLY_PYTHON = re.compile(r"\\[AZ]|\(\?P|\(\?#|\(\?\(|\(\?[a-z]|[*+?}]\+|\\N|\\U")


class OnlyPythonError(ValueError):
    """Says something that a browser's expressions have no words for."""


def browser_expression(expression: str) -> tuple[str, str]:
    """The source and the flags for a browser's RegExp, which finds what Python finds.

    As in a check `^` and `$` are at each line.  OnlyPythonError where there is none.
    """
    flags = "m"
    inline = _INLINE.match(expression)
    if inline:
        if inline[1] != "s":
            raise OnlyPythonError(expression)
        flags, expression = "ms", expression[inline.end() :]
    if _ONLY_PYTHON.search(expression):
        raise OnlyPythonError(expression)
    return expression, flags
