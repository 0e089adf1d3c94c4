"""`{ppslab-cases}`: the cases of slow routers as a list, and packed for the script that plays them.

Without a script (cases.js) the page shows the list alone.  The rest is packed, so that nobody reads
a cause or a solution in the page, its source or the site's search.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from ppslab.core import documents, paths
from ppslab.core.errors import FileError
from ppslab.course import cases
from ppslab.course.cases import Case
from ppslab.course.site.directives.frame.head import load_where
from ppslab.course.site.directives.learning import items
from ppslab.course.site.directives.sources import LabDirective
from ppslab.course.widgets import facts
from ppslab.model import devices, manual

SCRIPTS, STYLE = ("python.js", "cases.js"), "cases.css"

DIFFICULTY = {1: "easy", 2: "medium", 3: "hard"}

COMMON = 4
"""A command that one case of so many answers has a button in every case, so that none is a hint."""


class Cases(LabDirective):
    """All cases, in their order."""

    required_arguments = 0
    optional_arguments = 0

    def make(self) -> list[nodes.Node]:
        """A list, and the data of the script."""
        known = dict(cases.every())
        still = (
            "Without JavaScript, this page is only a list. "
            "In a terminal, `ppslab case 1` plays a case."
        )
        shown = [
            self.raw('<div id="ppslab-cases"><div class="ppslab-cases-still">'),
            *self.markdown([still]),
            self.raw('</div><ol class="ppslab-cases-list">'),
        ]
        for name, case in known.items():
            self.env.note_dependency(str(cases.FOLDER / f"{name}.yml"))
            items.note(self.env, "case", name, case.title)
            shown += self._case(name, case)
        every = {**facts.of("cases"), "told": {name: self._told(known[name]) for name in known}}
        every["common"] = common(list(known.values()))
        data = f'<script type="application/octet-stream" id="ppslab-cases-data">{packed(every)}'
        return [*shown, self.raw(f"</ol>{data}</script></div>")]

    def _case(self, name: str, case: Case) -> list[nodes.Node]:
        number = int(name.partition("-")[0])
        device = devices.find(case.device).name
        facts_shown = {
            "router": f"{device} ({case.device})" if device != case.device else device,
            "ordered": case.ordered,
            "measured": case.measured,
            "difficulty": DIFFICULTY[case.difficulty],
            "par": f"{case.par} moves",
        }
        listed = "".join(
            f"<div><dt>{key}</dt><dd>{escape(value)}</dd></div>"
            for key, value in facts_shown.items()
        )
        return [
            self.raw(
                f'<li id="{number}" data-case="{name}"><a href="#{number}">{escape(case.title)}</a>'
                f"<dl>{listed}</dl><details><summary>The complaint</summary>"
                '<div class="ppslab-symptom">'
            ),
            *self.markdown(case.symptom.splitlines()),
            self.raw("</div></details></li>"),
        ]

    def _told(self, case: Case) -> dict[str, Any]:
        """What is read at a case's end: the manual's sentences, and the chapter."""
        told = [manual.fact(name) for name in case.facts]
        for each in told:
            self.env.note_dependency(str(each.file))
        return {
            "manual": [[each.says, each.cited, each.source] for each in told],
            "chapter": [f"{case.chapter}.html", self._title(case.chapter)],
        }

    def _title(self, chapter: str) -> str:
        path = paths.project_root() / "book" / f"{chapter}.md"
        if not path.is_file():
            raise FileError(path, None, "is not there, and a case leads to it")
        self.env.note_dependency(str(path))
        lines = documents.read_text(path).splitlines()
        return next(line.removeprefix("# ") for line in lines if line.startswith("# "))


def common(known: Sequence[Case]) -> list[str]:
    """The commands that have buttons, the most frequent first; `/export` is always one."""
    counts = Counter(output.command for case in known for output in case.outputs)
    often = [command for command, count in counts.most_common() if count * COMMON >= len(known)]
    return ["/export", *often]


def packed(data: Mapping[str, Any]) -> str:
    """Data as text for a page: JSON, gzip, base64; the same data gives the same text."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(gzip.compress(text.encode(), 9, mtime=0)).decode("ascii")


def setup(app: Sphinx) -> None:
    """Register the directive; called by the extension."""
    app.add_directive("ppslab-cases", Cases)
    load_where(app, "ppslab-cases-data", SCRIPTS, STYLE)
