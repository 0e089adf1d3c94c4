"""The statements that one device gets, from the scripts of a lab's conditions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from ppslab.model.lab.conditions import Condition
from ppslab.model.lab.lab import Lab
from ppslab.testbed.routers.routeros.ports import PortMap
from ppslab.testbed.routers.routeros.rsc import script
from ppslab.testbed.routers.routeros.rsc.statement import Statement


class Scripts:
    """The scripts of one lab for one device; each file is read once.

    role: None for the lab's router, else the node's name.
    wired: the lab's port to the device's default-name; empty: those that the scripts name.
    names: what the device's interfaces are called now, by default-name, once it was asked.
    """

    def __init__(self, lab: Lab, role: str | None, wired: Mapping[str, str]) -> None:
        self.lab = lab
        self.role = role
        self.wired = dict(wired)
        self.names: Mapping[str, str] = {}
        self._files: dict[str, list[Statement]] = {}
        self._wanted: dict[str, list[Statement]] = {}

    @cached_property
    def ports(self) -> PortMap:
        """Which of the device's ports the lab uses, over all its conditions."""
        every = [s for c in self.lab.conditions.values() for s in self.written(c)]
        return PortMap.read(self.lab, every, self.wired)

    def written(self, condition: Condition) -> list[Statement]:
        """The condition's statements for this device, in order, as its files have them."""
        statements = []
        for file in self.lab.routeros(condition, self.role):
            if file not in self._files:
                path = self.lab.folder / file
                shown = path.relative_to(self.lab.folder.parents[1])  # labs/NAME/FILE
                self._files[file] = script.read(path, str(shown))
            statements += self._files[file]
        return statements

    def wanted(self, condition: Condition) -> list[Statement]:
        """The same with this device's ports, computed once: there may be thousands of routes."""
        if condition.name not in self._wanted:
            statements = self.written(condition)
            self._wanted[condition.name] = [self.ports.apply(s, self.names) for s in statements]
        return self._wanted[condition.name]

    def preview(self, condition: Condition) -> list[Statement]:
        """The same, with the ports of this condition only, before the device was asked."""
        statements = self.written(condition)
        ports = PortMap.read(self.lab, statements, self.wired)
        return [ports.apply(statement, self.names) for statement in statements]


def in_common(one: Sequence[Statement], other: Sequence[Statement]) -> int:
    """How many statements both begin with."""
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count
