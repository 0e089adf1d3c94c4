"""A task on RouterOS: statements made over REST, rows looked at, and everything put back.

What is made stands in the journal that measuring has too (`routers.routeros.journal`), so it
outlives a command, a later command goes on from it, and a measurement that follows puts the router
back first.  To start anew, what a learner added to the menus of the tasks goes too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from ppslab.core.errors import BackendError
from ppslab.course.tasks.checks import Finding, Sender, findings
from ppslab.course.tasks.engine import judging, rows
from ppslab.course.tasks.reading import Tasks
from ppslab.course.tasks.schema import RouterOSCheck, RouterOSSide, Task, Without
from ppslab.model.lab.lab import Condition, Lab
from ppslab.testbed.routers.routeros import ports, read_back
from ppslab.testbed.routers.routeros.api import Api, Row
from ppslab.testbed.routers.routeros.changes import AppliedStatement, Configurator
from ppslab.testbed.routers.routeros.journal import Change, Journal
from ppslab.testbed.routers.routeros.rsc import script
from ppslab.testbed.routers.routeros.rsc.script import CONNECTIONS, Statement
from ppslab.testbed.routers.routeros.rsc.values import SECRETS, plain, same, shown

READY_SECONDS = 60.0


class Hand:
    """One RouterOS router in our hands: `made` of this command, `journal` of all of them.

    `wanted`: the lab's port to the device's default-name; empty: those that the scripts name.
    """

    def __init__(self, api: Api, tasks: Tasks, node: str, journal: Path) -> None:
        self.api = api
        self.tasks = tasks
        self.node = node
        api.ready(READY_SECONDS)
        self.journal = Journal.open(journal, read_back.device_digest(api))
        self.configurator = Configurator(api, self.journal)
        self._map = ports.PortMap({}, {})
        self._names: dict[str, str] = {}

    def meet(self, wanted: Mapping[str, str]) -> None:
        """Learn what its ports are called, in the lab and here."""
        self._map = ports.PortMap.read(self.tasks.lab, self._everything(), wanted)
        rows = self.api.rows(ports.ETHERNET)
        self._names = {row.get(ports.KEY, row["name"]): row["name"] for row in rows}

    def first(self, start: Sequence[Path]) -> None:
        """A router that no task has touched yet: from now on its initial rows count as ours."""
        if start:
            self.journal.forget()
        self.put_back(told=[])
        for path in start:
            self.configurator.adopt(script.read(path))
        self.put_back(told=[])
        ports.check(self.api, self._map.lab)
        for menu in sorted(self._menus()):
            if menu not in self.journal.there:
                rows = self.api.rows_or_none(menu, ".id")
                self.journal.begin_menu(menu, {row[".id"] for row in rows or []})

    def note(self) -> None:
        """Note the settings that the tasks have to do with: they are put back, whoever sets them.

        A setting that is as wanted is not set by us; set by a learner, it would stay so.
        """
        noted: dict[str, dict[str, str]] = {}
        for each in self._everything():
            if each.command == "set" and each.find is None and each.which is None:
                if each.menu not in noted:
                    noted[each.menu] = {}
                    now = self.api.settings_or_none(each.menu) or {}
                noted[each.menu] |= {key: now[key] for key, _ in each.properties if key in now}
        for menu, values in noted.items():
            change = self.journal.setting(menu, values, "as it was", before=dict(values))
            self.journal.done(change, values)

    def put_back(self, told: list[str]) -> None:
        """Take all of ours back, and what somebody added to the menus of the tasks since.

        `told` gets a sentence for each row of somebody else's, and for what could not be put back.
        """
        self._adopt()
        told += self.configurator.put_back()
        for menu, there in self.journal.there.items():
            for row in self.api.rows_or_none(menu) or []:
                dynamic = plain(row.get("dynamic", "no")) == "true"
                if row[".id"] not in there and not dynamic:
                    told.append(f"removed from {menu}: {in_short(row)}")
                    self.api.remove(menu, row[".id"])

    def condition(self, condition: Condition) -> None:
        """Bring it into a condition of the lab, by the files for this router."""
        read_back.forget_connections(self.api)
        lab = self.tasks.lab
        for file in lab.routeros(condition, self.node):
            self.make(script.read(lab.folder / file, f"labs/{lab.name}/{file}"))

    def run(self, text: str, what: str) -> None:
        """Make the statements of a task's script."""
        self.make(script.statements(text, what))

    def make(self, statements: Iterable[Statement]) -> list[AppliedStatement]:
        """Make statements, translated to this router's ports."""
        return [self.configurator.make(self._map.apply(each, self._names)) for each in statements]

    def close(self) -> None:
        """Disconnect; the router keeps its configuration."""
        self.journal.close()
        self.api.close()

    def _adopt(self) -> None:
        """Rows of ours that a learner changed count as ours again: else they would be left alone.

        `there`: what a property will be when the way back comes to a change: what it is now, then
        what it was before each newer change of it.
        """
        there: dict[tuple[str, str | None], dict[str, str | None]] = {}
        for change in reversed(self.journal.changes):
            place = (change.menu, change.id)
            if place not in there:
                there[place] = dict(self._now(change) or {})
            for key in change.after.keys() - SECRETS:
                found = there[place].get(key)
                if found is not None:
                    change.after[key] = found
            there[place] |= change.before

    def _now(self, change: Change) -> Row | None:
        """The present state of what a change changed."""
        if change.settings:
            return self.api.settings_or_none(change.menu)
        return self.api.row(change.menu, change.id) if change.id else None

    def _everything(self) -> list[Statement]:
        """All statements that the lab and its tasks may make on this router."""
        lab = self.tasks.lab
        found = [
            statement
            for file in dict.fromkeys(
                f for c in lab.conditions.values() for f in lab.routeros(c, self.node)
            )
            for statement in script.read(lab.folder / file, f"labs/{lab.name}/{file}")
        ]
        return [*found, *(s for text in self._texts() for s in script.statements(text, "tasks"))]

    def _texts(self) -> Iterator[str]:
        for task in self.tasks.all:
            if isinstance(task.routeros, Without):
                continue
            side = task.routeros
            for _, scripts in side.parts:
                for node, text in scripts.items():
                    if (node or self.tasks.lab.spec.router) == self.node:
                        yield text

    def _menus(self) -> set[str]:
        """The menus with rows that the tasks have to do with: of their scripts and checks."""
        found = {
            statement.menu
            for text in self._texts()
            for statement in script.statements(text, "tasks")
            if statement.command == "add" or statement.find is not None
        }
        for task in self.tasks.all:
            if isinstance(task.routeros, Without):
                continue
            for check in task.routeros.check:
                if (check.on or self.tasks.lab.spec.router) == self.node:
                    found.add(check.menu)
        # Connections belong to the router: one of them is our own.
        return {menu for menu in found - {*CONNECTIONS} if self._has_rows(menu)}

    def _has_rows(self, menu: str) -> bool:
        return isinstance(self.api.ask("GET", menu), list)


class RouterOSTestbed:
    """The routers of a lab as tasks see them, by their nodes' names."""

    def __init__(self, tasks: Tasks, hands: Mapping[str, Hand], send: Sender) -> None:
        self.tasks = tasks
        self.hands = hands
        self.send = send

    @property
    def lab(self) -> Lab:
        """The lab."""
        return self.tasks.lab

    def restore(self, condition: str | None) -> list[str]:
        """Put all back, and bring the routers into a condition; what the learner should hear."""
        told: list[str] = []
        for hand in self.hands.values():
            hand.put_back(told)
        for hand in self.hands.values():
            hand.note()
            if condition is not None:
                hand.condition(self.lab.condition(condition))
        return told

    def end(self) -> list[str]:
        """Put all back and leave nothing; what the learner should hear."""
        told: list[str] = []
        for hand in self.hands.values():
            hand.put_back(told)
        return told

    def begin(self, task: Task) -> None:
        """Set the task up, before the learner's part."""
        self._run(task, _side(task).init, "init")

    def solve(self, task: Task) -> None:
        """Do the learner's part."""
        self._run(task, _side(task).solve, "solve")

    def blunder(self, task: Task) -> None:
        """Make the mistake that the task's check must find."""
        self._run(task, _side(task).mistake.run, "mistake")

    def check(self, task: Task, *, briefly: bool = False) -> list[Finding]:
        """Run the checks of the task; `briefly`: up to the first that fails."""

        def one(check: RouterOSCheck, patient: bool) -> judging.Steps:
            return judging.examine(check, lambda: self._look(task, check), patient)

        return findings(_side(task).check, one, briefly=briefly)

    def close(self) -> None:
        """Disconnect from the routers."""
        for hand in self.hands.values():
            hand.close()

    def _run(self, task: Task, scripts: Mapping[str, str], what: str) -> None:
        for node, text in scripts.items():
            hand = self.hands[node or self.lab.spec.router]
            hand.run(text, f"task {task.name}, {what}")

    def _look(self, task: Task, check: RouterOSCheck) -> judging.Steps:
        api = self.hands[check.on or self.lab.spec.router].api

        def once() -> judging.Steps:
            before = yield from total(api, check)
            sent = yield (judging.DO, lambda: self.send(task.traffic_of(check)))
            return (yield from total(api, check)) - before, sent.packets

        return judging.grown(check, once) if check.grows else look(api, check)


def _side(task: Task) -> RouterOSSide:
    assert not isinstance(task.routeros, Without)
    return task.routeros


# --- a menu, as a check sees it ------------------------------------------------------------------


def _rows(api: Api, menu: str) -> list[Row]:
    """The rows of a menu; its settings as one row."""
    found = api.ask("GET", menu)
    if isinstance(found, dict):
        return [found]
    if not isinstance(found, list):
        raise BackendError(f"{api.where}: {menu}: not rows, but {str(found)[:80]!r}")
    return found


def look(api: Api, check: RouterOSCheck) -> judging.Steps:
    """Look at the rows that a check means: if they are as it wants them, and their values."""
    return rows.look(check, _rows(api, check.menu), same, in_short)


def total(api: Api, check: RouterOSCheck) -> judging.Steps:
    """The sum over the matching rows; a row without the property counts 0."""
    try:
        return (yield from rows.total(check, _rows(api, check.menu), same))
    except ValueError as error:
        raise BackendError(str(error)) from None


def in_short(row: Mapping[str, str], keys: Sequence[str] = ()) -> str:
    """A row in short, without what may be a secret."""
    return rows.in_short({key: shown(key, value) for key, value in row.items()}, keys)
