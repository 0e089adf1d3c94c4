"""The directive that puts a lab's tasks on a page: a fold for each, under its title.

The task's anchor is inside the fold, so that a browser opens it for a link.
It writes MyST, so that a task's text may have what any page has; the tabs of one page change
together (sphinx-design, `sync`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from docutils import nodes

from ppslab.core.text.language import gettext
from ppslab.course.site.directives.sources import LabDirective
from ppslab.course.tasks import reading
from ppslab.course.tasks.reading import Tasks
from ppslab.course.tasks.schema import Task, Without
from ppslab.model.lab import lab as labs

WORDS = "words"
"""The tabs' group: what the reader chose is kept under it, for the router in the page too
(web/src/router/page/shells.mjs)."""


class TasksDirective(LabDirective):
    """`{ppslab-tasks} LAB`."""

    required_arguments = 1

    def make(self) -> list[nodes.Node]:
        """The first commands, then task after task."""
        lab = labs.find(self.arguments[0])
        self.env.note_dependency(str(lab.folder / "lab.yml"))
        self.env.note_dependency(str(lab.folder / reading.FILE))
        tasks = reading.load(lab)
        shown: list[nodes.Node] = self.markdown(_opening(tasks))
        for number, task in enumerate(tasks.all, start=1):
            for fold in self.markdown(_task(tasks, task, number)):
                if isinstance(fold, nodes.container):
                    inside = nodes.container(ids=[f"task-{lab.name}-{task.name}"])
                    inside += fold[1:]
                    fold[1:] = [inside]
                shown.append(fold)
        return shown


def _opening(tasks: Tasks) -> Iterator[str]:
    name = tasks.lab.name
    minutes = sum(task.minutes for task in tasks.all)
    yield gettext("{count} tasks on a live lab, {minutes} minutes in total.").format(
        count=len(tasks.all), minutes=minutes
    )
    yield from (gettext("The commands below are for your own machine:"), "")
    typed = {
        f"ppslab task {name}": gettext("start the lab and its first task"),
        f"ppslab shell {name} {tasks.lab.spec.router}": gettext("open a shell on the router"),
        f"ppslab task {name} check": gettext("check the task"),
        f"ppslab task {name} --to TASK": gettext("solve the tasks before it, and start it"),
    }
    width = max(map(len, typed))
    yield from _code("sh", "\n".join(f"{line:{width}}  # {why}" for line, why in typed.items()))


def _task(tasks: Tasks, task: Task, number: int) -> Iterator[str]:
    """A fold: complaint and what to type; all else in another, with a tab for each router."""
    complaint, *background = re.split(r"\n\s*\n", gettext(task.text.strip()))
    minutes = gettext("{minutes} minutes").format(minutes=task.minutes)
    yield f"::::::::{{dropdown}} {number}. {gettext(task.title)} ({minutes})"
    yield from complaint.splitlines()
    yield ""
    yield from _code("sh", f"ppslab task {tasks.lab.name} start {task.name}")
    title = gettext("Details, hints and solution")
    yield f":::::::{{dropdown}} {title}"
    for paragraph in background:
        yield from paragraph.splitlines()
        yield ""
    yield from ("::::::{tab-set}", f":sync-group: {WORDS}", "")
    for name, lines in (("RouterOS", _routeros(tasks, task)), ("Linux", _linux(tasks, task))):
        yield from (f":::::{{tab-item}} {name}", f":sync: {name.lower()}", "", *lines, ":::::")
    yield from ("::::::", ":::::::", "::::::::", "")


def _linux(tasks: Tasks, task: Task) -> Iterator[str]:
    """What the task asks and what solves it, where it is done."""
    yield from gettext(task.linux.text.strip()).splitlines()
    yield ""
    yield from _hints(task.every_hint)
    if own := task.check_hints:
        lines = [f"- {gettext(says)}: {gettext(hint)}" for says, hint in own]
        yield from _dropdown(gettext("If a check fails"), lines)
    yield from _dropdown(gettext("Solution"), _solution(tasks.solution(task), "sh"))


def _routeros(tasks: Tasks, task: Task) -> Iterator[str]:
    """The same on RouterOS, to read."""
    side = task.routeros
    if isinstance(side, Without):
        why = gettext(side.without)
        yield gettext("Not on {system}: {why}").format(system="RouterOS", why=why)
        return
    yield from gettext(side.text.strip()).splitlines()
    yield ""
    yield from _hints((*task.hints, *side.hints))
    router = tasks.lab.spec.router
    found = _solution(((node or router, text) for node, text in side.solve.items()), "routeros")
    if side.facts:
        manual = _code("{ppslab-manual}", "\n".join(side.facts))
        found += [gettext("What RouterOS does:"), "", *manual]
    yield from _dropdown(gettext("Solution"), found)


def _hints(hints: Iterable[str]) -> Iterator[str]:
    for number, hint in enumerate(hints, start=1):
        title = gettext("Hint {number}").format(number=number)
        yield from _dropdown(title, [gettext(hint)])


def _solution(lines: Iterable[tuple[str, str]], language: str) -> list[str]:
    """Commands by their nodes."""
    shown: list[str] = []
    for node, text in lines:
        shown += [gettext("On {node}:").format(node=node), "", *_code(language, text)]
    return shown


def _dropdown(title: str, lines: list[str]) -> Iterator[str]:
    yield from (f"::::{{dropdown}} {title}", *lines, "::::", "")


def _code(language: str, text: str) -> Iterator[str]:
    yield from (f"```{language}", *text.rstrip().splitlines(), "```", "")
