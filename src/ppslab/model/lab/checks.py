"""What lab.yml must be beyond the types of its words: what it names is there."""

from __future__ import annotations

import os.path
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ppslab.core import documents
from ppslab.core.documents import inside
from ppslab.core.errors import FileError, did_you_mean
from ppslab.model.lab.conditions import Condition, LinuxSpec
from ppslab.model.lab.machine import FEATURE, QUEUES

if TYPE_CHECKING:
    from ppslab.model.lab.lab import LabSpec


def contradictions(document: documents.Document, spec: LabSpec) -> None:
    """FileError where one part of the file names another that it has not."""
    _check_conditions(document, spec)
    _check_machine(document, spec)
    _check_named(document, spec)


def _wrong(document: documents.Document, message: str, *keys: Any) -> FileError:
    return FileError(document.path, document.line(*keys), message)


def _check_conditions(document: documents.Document, spec: LabSpec) -> None:
    """Each stands once; its streams are there."""
    wrong = partial(_wrong, document)
    if spec.flows and not spec.frame_sizes:
        raise wrong("streams without frame_sizes", "flows")
    seen: set[str] = set()
    for index, condition in enumerate(spec.conditions):
        here = ("conditions", index)
        if condition.name in seen:
            raise wrong(f"condition {condition.name!r} appears twice", *here, "name")
        seen.add(condition.name)
        for word in ("flows", "flows_ipv6"):
            name = getattr(condition, word)
            if name is not None and name not in spec.flows:
                near = did_you_mean(name, spec.flows)
                raise wrong(f"condition {condition.name}: no flows {name!r}{near}", *here, word)
        if condition.flows is None and spec.tcp is None:
            raise wrong(f"condition {condition.name}: no flows, and the lab has no tcp", *here)
        pairs = condition.tcp.pairs if condition.tcp else None
        groups = spec.tcp.pairs if spec.tcp else {}
        if pairs is not None and pairs not in groups:
            near = did_you_mean(pairs, groups)
            raise wrong(f"condition {condition.name}: no pairs {pairs!r}{near}", *here, "tcp")


def files(document: documents.Document, folder: Path, spec: LabSpec) -> None:
    """FileError where a condition's file is not there, or is not in the lab's folder."""
    wrong = partial(_wrong, document)
    outside = cache(partial(inside.outside, folder))  # conditions share their files
    there = cache(lambda file: os.path.isfile(folder / file))  # noqa: PTH113 - the same, quicker
    for index, condition in enumerate(spec.conditions):
        here = ("conditions", index)
        for file in (*condition.files, *condition.routeros):
            if outside(file):
                raise wrong(
                    f"condition {condition.name}: {file} is outside {folder}; "
                    "a lab reads only files of its own folder, so copy it there",
                    *here,
                    *_named(condition, file),
                )
            if not there(file):
                raise wrong(f"condition {condition.name}: no file {file} in {folder}", *here)


def _named(condition: Condition, file: str) -> tuple[Any, ...]:
    """Where under a condition its RouterOS file is named; () for the others."""
    return ("routeros", condition.routeros.index(file)) if file in condition.routeros else ()


def _check_machine(document: documents.Document, spec: LabSpec) -> None:
    """Conditions say that they need the machine, and name CPUs that it has."""
    machine = spec.machine
    for index, condition in enumerate(spec.conditions):

        def wrong(message: str, index: int = index, name: str = condition.name) -> FileError:
            return _wrong(document, f"condition {name}: {message}", "conditions", index)

        if machine is not None and FEATURE not in condition.needs:
            raise wrong(f"the lab has a machine, so it needs {FEATURE}")
        for each in condition.everywhere:
            if each.interrupts is not None and machine is None:
                raise wrong("interrupts of cards, but the lab has no machine")
            _check_queues(document, spec, index, each)
            cpus = each.interrupts.values() if isinstance(each.interrupts, dict) else ()
            if machine is not None and any(cpu not in range(machine.all_cpus) for cpu in cpus):
                raise wrong(f"interrupts: the machine has CPUs 0 to {machine.all_cpus - 1}")


def _check_queues(document: documents.Document, spec: LabSpec, index: int, node: LinuxSpec) -> None:
    """Queues of cards are of cards that the machine has, and no more than these have."""
    condition = spec.conditions[index]
    name = next((n for n, each in condition.nodes.items() if each is node), spec.router)
    here = ("linux",) if node is condition.linux else ("nodes", name)
    machine = spec.machine
    cards = machine.cards_of(spec.topology, name) if machine else {}
    for port, queues in node.port_queues.items():

        def wrong(message: str, port: str = port) -> FileError:
            keys = ("conditions", index, *here, "port_queues", port)
            return _wrong(document, f"condition {condition.name}: {port}: {message}", *keys)

        if queues.combined is None:
            if port in cards:
                raise wrong("a network card: say how many queues are in use (combined)")
            continue
        if port not in cards:
            near = did_you_mean(port, cards)
            raise wrong(f"combined is of a network card, and {name} has none there{near}")
        if queues.combined > cards[port].queues:
            raise wrong(f"{queues.combined} queues, and the card has {cards[port].queues}")
        if cards[port].queues > 1 and QUEUES not in condition.needs:
            has = ", ".join(sorted(condition.needs))
            raise wrong(f"a card with several queues, so it needs {QUEUES}; its needs are {has}")


def _check_named(document: documents.Document, spec: LabSpec) -> None:
    """Conditions and ports that others name are there."""

    def wrong(message: str, *keys: Any) -> FileError:
        return _wrong(document, message, *keys)

    seen = {condition.name for condition in spec.conditions}
    named: dict[tuple[Any, ...], str] = {("reference",): spec.reference}
    if spec.tcp and spec.tcp.reference:
        named["tcp", "reference"] = spec.tcp.reference
    carried = spec.tcp.conditions if spec.tcp else ()
    for keys, names_of in (
        (("rfc2544",), spec.rfc2544),
        (("search",), spec.search or ()),
        (("tcp", "conditions"), carried),
    ):
        named |= {(*keys, index): name for index, name in enumerate(names_of)}
    files = {file for condition in spec.conditions for file in condition.routeros}
    for file in spec.routeros_nodes:
        if file not in files:
            near = did_you_mean(file, files)
            raise wrong(f"routeros_nodes: no condition has {file!r}{near}", "routeros_nodes", file)
    for keys, name in named.items():
        if name not in seen:
            near = did_you_mean(name, seen)
            raise wrong(f"{keys[0]}: no condition {name!r}{near}", *keys)
    ports: list[tuple[tuple[Any, ...], str, str]] = [
        (("flows", group, index), f"flow {flow.name}", port)
        for group, flows in spec.flows.items()
        for index, flow in enumerate(flows)
        for port in (flow.tx_name, flow.rx_name)
    ]
    hosts = spec.tcp.hosts if spec.tcp else ()
    ports += [(("tcp", "hosts", port), "tcp: hosts", port) for port in hosts]
    for keys, what, port in ports:
        if port not in spec.ports:
            near = did_you_mean(port, spec.ports)
            raise wrong(f"{what}: no port {port!r}{near}", *keys)
