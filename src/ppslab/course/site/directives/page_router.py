"""`{page-router} TOPOLOGY`: a Linux router in the page that holds that topology.

`:count: HOST HOST`: with a button that counts what a packet from the one to the other costs.
`:beside: LAB CONDITION`: the book's own figure, which stands beside it.
`:tasks: LAB`: with the tasks of that lab, and which of them it cannot have.
`:prepared: TITLE = LAB CONDITION; …`: with buttons that give the router a condition and count a
packet; the first is what the others stand against.
Its text stands above the button, e.g. "Press the button ...", and goes where there is none.

Built by `make page-router`; where it has not been built the page says so, and why.
"""

from __future__ import annotations

import csv
import math
from dataclasses import asdict
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx import addnodes

from ppslab.core.errors import CannotHereError, UsageError
from ppslab.core.text.grouping import APART
from ppslab.course import page_tasks
from ppslab.course.site.directives.frame.live import sent
from ppslab.course.site.directives.nodes import bullets, closed, embedded, note
from ppslab.course.site.directives.sources import LabDirective
from ppslab.course.tasks import reading
from ppslab.model.lab import lab as labs
from ppslab.model.lab import topology
from ppslab.model.lab.topology import Topology
from ppslab.show import explained
from ppslab.testbed.backends import page_router
from ppslab.testbed.backends.page_router import Contents

STATIC = Path("_build/web/static")
FOLDER = STATIC / "page-router"
SOURCES = Path("images/page-router")
BESIDES = ("v86.wasm.gz", "router-worker.mjs", "router-terminal.js")
"""The files that a reader loads besides the state."""
FOR_TASKS = ("router-tasks.js",)
"""And where the router has tasks."""

IN_PAGE = ("v86", "memory_mb", "words", "boot_seconds", "state", "files")
"""The parts of the manifest that the page needs."""

TAB_MB = 300
"""Memory of a tab in which it runs [MB]: the emulated PC, the emulator and the page; in Chromium,
on 2026-11-22."""

COUNTS = Path(__file__).with_name("page_router_counts.csv")
"""What one kernel takes for the same packets under v86, which counts in the page, and under QEMU,
which counts for the book: with a string instruction as one instruction, and its further steps.
Instructions a packet, without sending; medians of seven rounds, counted on 2026-11-27."""

MARK = '<div class="ppslab-router"'


class PageRouter(LabDirective):
    """A button that starts it, or why there is none."""

    required_arguments = 1
    has_content = True
    option_spec: ClassVar = {
        "count": directives.unchanged_required,
        "beside": directives.unchanged_required,
        "prepared": directives.unchanged_required,
        "tasks": directives.unchanged_required,
    }

    def make(self) -> list[nodes.Node]:
        """The place for the router, or a note."""
        root = Path(self.env.srcdir)
        for path in sorted((root / FOLDER).glob("*.[jt]*")):
            self.env.note_dependency(str(path))
        wiring = topology.find(self.arguments[0])
        self.env.note_dependency(str(wiring.path))
        contents = page_router.load(root / SOURCES)
        tasks = self._tasks(contents)
        if tasks and not tasks["tasks"]:
            none = "This lab has no task that works on a router in this page:"
            return [nodes.paragraph(text=none), _cannot(tasks)]
        invitation = self.parse_content_to_nodes()
        pins = bool(tasks and tasks["chip"])
        lab = page_router.stand_up(wiring, contents.programs(), pins=pins)
        try:
            manifest = page_router.manifest_of(root / FOLDER)
        except CannotHereError as error:
            return _missing(error, invitation)
        older = sorted(contents.programs() - set(manifest.get("programs", ())))
        if tasks and older:
            lacks = f"it was built before it had {' and '.join(older)}"
            remedy = "make page-router builds it, and make site then puts it in."
            return _missing(CannotHereError(lacks, remedy), invitation)
        loaded = (*BESIDES, *(FOR_TASKS if tasks else ()))
        told = {
            "lab": tasks["lab"] if tasks else wiring.name,
            "script": lab.script,
            "onto": lab.onto(manifest),
            "away": lab.away,
            "within": lab.within,
            "first": [
                f"The lab {wiring.name}. Its nodes: {', '.join(lab.nodes)}.",
                "A node's name before a command runs the command on that node: "
                f"{lab.nodes[-1]} ip address",
                f"The name alone opens a shell on that node: {lab.nodes[0]}    (exit ends it)",
            ],
            "count": self._count(wiring),
            "prepared": self._prepared(wiring),
            "manifest": {name: manifest[name] for name in IN_PAGE},
            "tab_mb": TAB_MB,
            "more_bytes": sum(sent(root / STATIC / name) for name in loaded),
            "tasks": tasks,
        }
        place = (
            f'{MARK} data-state="off"><script type="application/json">{embedded(told)}</script>'
            "<noscript><p>The router in the page needs JavaScript.</p></noscript></div>"
        )
        shown: list[nodes.Node] = [*invitation, self.raw(place)]
        if tasks and tasks["cannot"]:
            shown += closed("Tasks that this router cannot do", _cannot(tasks))
        return shown

    def _tasks(self, contents: Contents) -> dict[str, Any] | None:
        """The plan of the tasks that the page is to have."""
        if "tasks" not in self.options:
            return None
        lab = labs.find(self.options["tasks"])
        for path in (lab.folder / "lab.yml", lab.folder / reading.FILE):
            self.env.note_dependency(str(path))
        return page_tasks.plan(reading.load(lab), contents)

    def _count(self, wiring: Topology) -> dict[str, Any] | None:
        """Data for counting a packet in the page, and the book's figure where a record has one."""
        if "count" not in self.options:
            return None
        sender, receiver = self.options["count"].split()
        beside = None
        if "beside" in self.options:
            lab, condition = self.options["beside"].split()
            beside = explained.recorded(lab, condition)
        self.env.note_dependency(str(COUNTS))
        return {
            **asdict(page_router.count(wiring, sender, receiver)),
            "beside": beside,
            "limits": limits(),
        }

    def _prepared(self, wiring: Topology) -> list[dict[str, Any]]:
        """Conditions as scripts for a router that was just wired; none without the option.

        `answer`: the connection whose packets are counted is answered before, as in the lab.
        """
        made = []
        for each in filter(None, self.options.get("prepared", "").split(";")):
            title, _, words = each.partition("=")
            name, condition = words.split()
            lab = labs.find(name)
            ports = topology.find(lab.spec.topology).interfaces(lab.spec.router)
            if not set(ports) <= set(wiring.interfaces(lab.spec.router)):
                raise UsageError(f"the router of {wiring.name} lacks ports of the lab {name}")
            self.env.note_dependency(str(lab.folder / "lab.yml"))
            flows = lab.flows(lab.condition(condition))
            made.append(
                {
                    "title": title.strip(),
                    "script": page_tasks.script(page_tasks.condition(lab, condition)),
                    "answer": any(flow.answered for flow in flows),
                }
            )
        return made


def limits() -> str:
    """The note below a reader's own figures: how good the count of the page is, by COUNTS."""
    with COUNTS.open(encoding="utf-8", newline="") as file:
        _, *rows = csv.reader(file)
    counts = [[float(row[at].replace(APART, "")) for at in (1, 2, 4)] for row in rows]
    largest = max(abs(page / once - 1) for page, once, _ in counts)
    return (
        "Accuracy of this count: for the same kernel, the counts of QEMU differ by at most "
        f"{math.ceil(100 * largest)} % in each of {len(counts)} conditions, "
        "if QEMU counts a string instruction (which copies or clears memory) once, as this page "
        "does. For the book, QEMU counts each step of such an instruction, which adds up to "
        f"{round(max(steps for _, _, steps in counts), -2):.0f} instructions per packet. The "
        "book's router also has another "
        "kernel (64 bits, another build) and receives packets from a network card. So compare your "
        "figures only with each other."
    )


def _cannot(plan: dict[str, Any]) -> nodes.Node:
    """The tasks that the page cannot have, and why, each reason once."""
    titles: dict[str, list[str]] = {}
    for each in plan["cannot"]:
        titles.setdefault(each["says"], []).append(each["title"])
    listed = bullets(f"{', '.join(names)}: {why}" for why, names in titles.items())
    return nodes.container("", listed, classes=["ppslab-router-cannot"])


def _missing(error: CannotHereError, invitation: list[nodes.Node]) -> list[nodes.Node]:
    """A note in place of the invitation and the button.

    The invitation stays for translators alone: their messages must not depend on what is built.
    """
    reason = error.reason.splitlines()[0]
    text = f"This build of the site has no router in the page: {reason}. {error.remedy}"
    missing = note(text)
    missing["classes"].append("ppslab-router-missing")
    return [addnodes.only("", *invitation, expr="gettext"), missing]
