"""Which tasks can be done in RouterOS's words at a Linux router, and what they come to there.

Nobody says so: the files of the condition, the set-up and the solution are typed into the model of
the terminal (`model.packet_path.on_linux`), and the task's own check looks at its rows.  A task is
there if all of it is taken, and if its check fails before the solution and passes after it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ppslab.course.tasks.engine import judging, rows
from ppslab.course.tasks.reading import Tasks
from ppslab.course.tasks.schema import RouterOSCheck, RouterOSSide, Task
from ppslab.model.lab.lab import Lab
from ppslab.model.lab.topology import Topology
from ppslab.model.packet_path.on_linux import menu_rows
from ppslab.model.packet_path.on_linux.session import Session

Wired = list[tuple[str, str]]


def wired(lab: Lab, wiring: Topology) -> Wired:
    """The interfaces of a lab's router by RouterOS's names and the lab's, with their devices."""
    devices = wiring.interfaces(lab.spec.router)
    # ether1 is for management, as in containerlab's RouterOS.
    own = [(f"ether{number + 2}", device) for number, device in enumerate(devices)]
    return own + [(name, device) for name, device in lab.spec.ports.items() if device in devices]


@dataclass(frozen=True)
class Typed:
    """A task as it is typed: `before` begins on the work of these tasks, from the condition's text.

    `mistake` is what its check must find; `checks` are those that the model can answer.
    """

    before: tuple[str, ...]
    condition: str
    begin: str
    solve: str
    mistake: str
    checks: tuple[RouterOSCheck, ...]


class NotHereError(Exception):
    """Why a task cannot be done in RouterOS's words, as a sentence for the reader."""


def typed(tasks: Tasks, ports: Wired) -> dict[str, Typed | str]:
    """By its name how each task is typed, or why it cannot be."""
    found: dict[str, Typed | str] = {}
    for task in tasks.all:
        try:
            found[task.name] = _typed(tasks, task, ports, found)
        except NotHereError as error:
            found[task.name] = error.args[0]
    return found


def _typed(tasks: Tasks, task: Task, ports: Wired, others: dict[str, Typed | str]) -> Typed:
    why = tasks.without(task, "routeros")
    if why:
        raise NotHereError(why)
    side = task.routeros
    assert isinstance(side, RouterOSSide)
    checks = tuple(_checks(tasks, side))
    before = [each for each in tasks.before(task, "routeros")
              if isinstance(others.get(each.name), Typed)]  # fmt: skip
    session = Session(ports)
    condition = _condition(tasks, task)
    _take(session, condition)
    for each in before:
        other = others[each.name]
        assert isinstance(other, Typed)
        _take(session, other.begin)
        _take(session, other.solve)
    begin, solve, mistake = (_script(tasks, part) for _, part in side.parts)  # init, solve, mistake
    _take(session, begin)
    fails = not _passes(session, checks)
    _take(session, solve)
    if not fails or not _passes(session, checks):
        raise NotHereError("Its check needs more than what is typed here.")
    return Typed(tuple(each.name for each in before), condition, begin, solve, mistake, checks)


def _condition(tasks: Tasks, task: Task) -> str:
    name = tasks.condition(task, "routeros")
    if name is None:
        return ""
    lab = tasks.lab
    condition = lab.condition(name)
    for file in condition.routeros:
        for node in lab.spec.routeros_nodes.get(file, ()):
            _only(lab, node)
    files = lab.routeros(condition, lab.spec.router)
    return "\n".join(["/", *(lab.text(file) for file in files)])


def _only(lab: Lab, node: str) -> None:
    router = lab.spec.router
    if node not in ("", router):
        raise NotHereError(
            f"It is typed on {node} too, and only {router} takes RouterOS commands here."
        )


def _script(tasks: Tasks, scripts: dict[str, str]) -> str:
    for node in scripts:
        _only(tasks.lab, node)
    return "\n".join(["/", *scripts.values()])


def _take(session: Session, text: str) -> None:
    for _, why in session.take(text).refused:
        raise NotHereError(f"The terminal does not take all of its commands: {why}.")


_OWN = {"name", "disabled", "comment"}


def _checks(tasks: Tasks, side: RouterOSSide) -> Iterator[RouterOSCheck]:
    """The checks whose menus and properties the model has; one that only warns may be left out."""
    for check in side.check:
        lacks = _lacks(check)
        if check.on and check.on != tasks.lab.spec.router:
            lacks = f"{check.menu} of {check.on}"
        if not lacks:
            yield check
        elif check.warn is None:
            raise NotHereError(f"Its check asks for {lacks}, which is not kept here.")


def _lacks(check: RouterOSCheck) -> str:
    names = menu_rows.names(check.menu)
    if not names:
        return check.menu
    asked = [*check.where, *check.or_where, *check.expect, *(check.before or {})]
    asked += [check.property] if check.property else []
    missing = [name for name in asked if name not in names and name not in _OWN]
    return f"{missing[0]} in {check.menu}" if missing else ""


def _passes(session: Session, checks: Sequence[RouterOSCheck]) -> bool:
    """Whether all checks pass that need no packets."""
    for check in checks:
        if check.grows:
            continue
        said = menu_rows.rows(check.menu, None, session.rows, session.ports())
        good, _ = judging.play(
            rows.look(check, said, rows.typed_alike),
            lambda request: re.search(request[1], request[2], re.MULTILINE) is not None,
        )
        if not good:
            return False
    return True
