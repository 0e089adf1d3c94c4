"""A lab's tasks from its tasks.yml; every fault is reported with its line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from ppslab.core import documents
from ppslab.core.documents import fitting
from ppslab.core.errors import UsageError, did_you_mean
from ppslab.course.tasks.schema import (
    Keys,
    RouterOSSide,
    Task,
    TasksSpec,
    Traffic,
)
from ppslab.model.lab import topology
from ppslab.model.lab.lab import Flow, Lab

FILE = "tasks.yml"


@dataclass(frozen=True)
class Tasks:
    """The tasks of a lab, in their order; each is a stage that `--to` knows."""

    lab: Lab
    spec: TasksSpec

    @property
    def all(self) -> tuple[Task, ...]:
        """The tasks in the order in which they are done."""
        return self.spec.tasks

    @cached_property
    def by_name(self) -> Mapping[str, Task]:
        return {task.name: task for task in self.spec.tasks}

    def task(self, name: str) -> Task:
        """The task `name`; UsageError suggests near names where there is none."""
        if name not in self.by_name:
            near = did_you_mean(name, self.by_name)
            raise UsageError(
                f"lab {self.lab.name} has no task {name!r}{near}: {', '.join(self.by_name)}"
            )
        return self.by_name[name]

    def before(self, task: Task) -> tuple[Task, ...]:
        """The tasks to be done before a task begins: back to the last `begin` of a condition."""
        if task.begin:
            return ()
        stage: list[Task] = []
        for other in self.all:
            if other.begin:
                stage = []
            if other.name == task.name:
                break
            stage.append(other)
        return tuple(stage)

    def condition(self, task: Task) -> str | None:
        """The condition on which the work of `before` begins; None: as it is deployed."""
        firsts = (*self.before(task), task)
        return firsts[0].begin or self.spec.begin

    @property
    def needs(self) -> frozenset[str]:
        """The features of a Linux kernel that the tasks need."""
        there = (task.begin for task in self.all)
        named = filter(None, {self.spec.begin, *there})
        conditions = (self.lab.conditions[name] for name in named)
        return self.spec.needs.union(*(condition.needs for condition in conditions))

    def flows(self, traffic: Traffic) -> tuple[Flow, ...]:
        """The lab's flows that a task's traffic names, in its order."""
        known = flows_of(self.lab, self.spec)
        return tuple(known[name] for name in traffic.flows)

    def solution(self, task: Task) -> list[tuple[str, str]]:
        """The nodes and the lines that solve a task there."""
        return [(step.on or self.lab.spec.router, step.run) for step in task.linux.solve]


def has(lab: Lab) -> bool:
    """True if a lab has tasks."""
    return (lab.folder / FILE).is_file()


def load(lab: Lab) -> Tasks:
    """The lab's tasks; FileError with file and line where they are wrong.

    UsageError where the lab has none.
    """
    if not has(lab):
        raise UsageError(f"lab {lab.name} has no tasks: there is no {lab.folder / FILE}")
    document = documents.load_yaml(lab.folder / FILE)
    spec = fitting.validate(document, TasksSpec)
    for keys, message in _faults(lab, spec):
        raise document.error(keys, message)
    return Tasks(lab, spec)


def flows_of(lab: Lab, spec: TasksSpec) -> dict[str, Flow]:
    """Every flow of lab and tasks, by its name (of several groups' the first), as GROUP/NAME."""
    known: dict[str, Flow] = {}
    for group, flows in (*lab.spec.flows.items(), *spec.flows.items()):
        for flow in flows:
            known.setdefault(flow.name, flow)
            known[f"{group}/{flow.name}"] = flow
    return known


def _faults(lab: Lab, spec: TasksSpec) -> Iterator[tuple[Keys, str]]:
    """Problems: names that do not exist, or exist twice."""
    for keys, name in spec.conditions():
        if name not in lab.conditions:
            near = did_you_mean(name, lab.conditions)
            yield keys, f"begin: lab {lab.name} has no condition {name!r}{near}"
    nodes = set(topology.find(lab.spec.topology).nodes)
    flows = flows_of(lab, spec)
    yield from _faults_of_flows(lab, spec)
    seen: set[str] = set()
    for index, task in enumerate(spec.tasks):
        here: Keys = ("tasks", index)
        if task.name in seen:
            yield (*here, "name"), f"task {task.name!r} appears twice"
        seen.add(task.name)
        for keys, name in _flow_names(task):
            if name not in flows:
                near = did_you_mean(name, flows)
                yield (*here, *keys), f"task {task.name}: no flow {name!r}{near}"
        for keys, node in _nodes(task):
            if node not in nodes:
                message = f"task {task.name}: no node {node!r}{did_you_mean(node, nodes)}"
                yield (*here, *keys), message
        yield from _pasted(task, here)


def _faults_of_flows(lab: Lab, spec: TasksSpec) -> Iterator[tuple[Keys, str]]:
    """Streams of the tasks that the lab has already, or whose ports it has not."""
    for group, own in spec.flows.items():
        if group in lab.spec.flows:
            yield ("flows", group), f"flows: the lab has flows {group!r} already"
        for number, flow in enumerate(own):
            for port in (flow.tx_name, flow.rx_name):
                if port not in lab.spec.ports:
                    near = did_you_mean(port, lab.spec.ports)
                    yield ("flows", group, number), f"flow {flow.name}: no port {port!r}{near}"


def _flow_names(task: Task) -> Iterator[tuple[Keys, str]]:
    """The flows that a task names, and where."""
    for name in task.traffic.flows if task.traffic else ():
        yield ("traffic", "flows"), name
    for number, check in enumerate(task.linux.check):
        for name in check.flows:
            yield ("linux", "check", number), name


def _nodes(task: Task) -> Iterator[tuple[Keys, str]]:
    """The nodes that a task names, and where."""
    for word, steps in task.linux.parts:
        for number, step in enumerate(steps):
            if step.on:
                yield ("linux", *word, number), step.on
    for number, check in enumerate(task.linux.check):
        if check.on:
            yield ("linux", "check", number), check.on
    if isinstance(task.routeros, RouterOSSide):
        for node in filter(None, task.routeros.solve):
            yield ("routeros", "solve", node), node


def _pasted(task: Task, here: Keys) -> Iterator[tuple[Keys, str]]:
    """Hints point, never paste: no hint contains a line of a solution of its own router."""
    linux, routeros = task.linux, task.routeros
    words = [linux.text, *task.every_hint, *(check.hint or "" for check in linux.check)]
    sides = [(words, [step.run for step in linux.solve])]
    if isinstance(routeros, RouterOSSide):
        sides.append(([*task.hints, routeros.text, *routeros.hints], [*routeros.solve.values()]))
    for words, solution in sides:
        text = " ".join(" ".join((task.text, *words)).split())
        plain = re.sub(r"[`*_]", "", text)
        for line in (" ".join(line.split()) for each in solution for line in each.splitlines()):
            # Of one word or a comment: these give nothing away.
            if " " not in line or line.startswith("#"):
                continue
            if line in text or re.sub(r"[`*_]", "", line) in plain:
                message = f"task {task.name}: text or hints paste the solution: {line}"
                yield (*here, "hints"), message
