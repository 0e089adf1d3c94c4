"""Rules on what RouterOS is told: every statement is one of the versions that are promised."""

from __future__ import annotations

from collections.abc import Iterator

from ppslab.core import documents
from ppslab.course.lab_rules.findings import FAULT, Finding
from ppslab.course.tasks import reading
from ppslab.course.tasks.schema import RouterOSSide
from ppslab.model.lab.lab import Lab

SWITCH = "switch-only"
"""The folder of what only a router with a switch chip is told."""


def files_are_routeros(lab: Lab) -> Iterator[Finding]:
    """The lab's own `.rsc` files, laid out as all are."""
    # Here, as below: it reads RouterOS's command trees.
    from ppslab.testbed.routers.routeros.rsc import lint  # noqa: PLC0415

    for path in sorted(lab.folder.rglob("*.rsc")):
        text = documents.read_text(path)
        for found in lint.check(str(path), text, hardware=SWITCH in path.parts):
            yield Finding(FAULT, path, found.line, found.message)


def tasks_are_routeros(lab: Lab) -> Iterator[Finding]:
    """What a task's variant for RouterOS does, solves and gets wrong."""
    from ppslab.testbed.routers.routeros.rsc import lint  # noqa: PLC0415

    if not reading.has(lab):
        return
    tasks = reading.load(lab)
    document = documents.load_yaml(lab.folder / reading.FILE)
    hardware = of_switch(tasks)
    for index, task in enumerate(tasks.all):
        side = task.routeros
        if not isinstance(side, RouterOSSide):
            continue
        for keys, scripts in (
            (("init",), side.init),
            (("solve",), side.solve),
            (("mistake", "run"), side.mistake.run),
        ):
            for node, text in scripts.items():
                place = ("tasks", index, "routeros", *keys, *((node,) if node else ()))
                # Laid out as a file that ends, which a block of YAML may not.
                for found in lint.check(task.name, text.rstrip() + "\n", hardware=hardware):
                    line = document.line(*place) + found.line
                    yield Finding(FAULT, document.path, line, f"task {task.name}: {found.message}")


def of_switch(tasks: reading.Tasks) -> bool:
    """Whether what the tasks begin with is for a router with a switch chip."""
    named = (tasks.lab.conditions[name] for _, name in tasks.spec.conditions())
    return any(SWITCH in file for condition in named for file in condition.routeros)
