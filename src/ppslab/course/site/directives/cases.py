"""`{ppslab-cases}` and `{ppslab-drills} CHAPTER`: a list of them, and packed for their script.

Without a script (cases.js) the page shows the list alone.  The rest is packed, so that nobody reads
a cause or a solution in the page, its source or the site's search.
"""

from __future__ import annotations

import base64
import gzip
import json
from abc import abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, ClassVar

from docutils import nodes

from ppslab.core import documents, paths
from ppslab.core.errors import FileError, UsageError
from ppslab.core.text.language import N_, gettext
from ppslab.core.text.language import shown as in_language
from ppslab.course import practice
from ppslab.course.practice import Case, Drill
from ppslab.course.site.directives.learning import items
from ppslab.course.site.directives.sources import LabDirective
from ppslab.course.widgets import facts
from ppslab.model import devices, manual

DIFFICULTY = {1: "easy", 2: "medium", 3: "hard"}

STILL = N_("Without JavaScript, this is only a list.")
BEGINNERS = N_("New to RouterOS? Read [RouterOS in five minutes](/book/routeros.md) first.")

COMMON = 4
"""A command that one case of so many answers has a button in every case, so that none is a hint."""


class Practice(LabDirective):
    """Exercises as a list, with all that the script needs to play them."""

    required_arguments = 1

    kind: ClassVar[str]
    opens: ClassVar[str]
    """The words that open an exercise."""
    intro: ClassVar[str] = ""
    """Text above the list."""

    @abstractmethod
    def exercises(self) -> Mapping[str, Case | Drill]:
        """Return those that are listed, by name."""

    def known(self, one: Any) -> str:
        """Return as HTML what is known of it before anything is asked."""
        del one
        return ""

    def make(self) -> list[nodes.Node]:
        """A list, and the data of the script."""
        known = self.exercises()
        shown = [
            *self.markdown(gettext(self.intro).splitlines()),
            *self.markdown([gettext(BEGINNERS)]),
            self.raw(
                f'<div id="ppslab-cases" data-kind="{self.kind}"><div class="ppslab-cases-still">'
            ),
            *self.markdown([gettext(STILL)]),
            self.raw('</div><ol class="ppslab-cases-list">'),
        ]
        for name, one in known.items():
            self.env.note_dependency(str(practice.FOLDER / f"{self.kind}s" / f"{name}.yml"))
            items.note(self.env, self.kind, name, one.title)
            # Another page links to it by its name: [text](13-evening).
            self.env.domaindata["std"]["anonlabels"][name] = (self.env.docname, name)
            shown += [
                self.raw(
                    f'<li id="{name}" data-case="{name}"><a href="#{name}">{escape(one.title)}</a>'
                    f"{self.known(one)}<details><summary>{self.opens}</summary>"
                    '<div class="ppslab-symptom">'
                ),
                *self.markdown(gettext(one.text.strip()).splitlines()),
                self.raw("</div></details></li>"),
            ]
        every = facts.of("cases")
        every = {
            **every,
            "cases": {name: in_language(every["cases"][name]) for name in known},
            "told": {name: self._told(one) for name, one in known.items()},
            "common": common(list(known.values())),
        }
        data = f'<script type="application/octet-stream" id="ppslab-cases-data">{packed(every)}'
        return [*shown, self.raw(f"</ol>{data}</script></div>")]

    def _told(self, one: Case | Drill) -> dict[str, Any]:
        """Text of the end: the manual's sentences, and the chapter."""
        told = [manual.fact(name) for name in one.facts]
        path = paths.project_root() / "book" / f"{one.chapter}.md"
        if not path.is_file():
            raise FileError(path, None, "is not there, and a case or a drill leads to it")
        for file in (path, *(each.file for each in told)):
            self.env.note_dependency(str(file))
        lines = documents.read_text(path).splitlines()
        title = next(line.removeprefix("# ") for line in lines if line.startswith("# "))
        builder = self.env.app.builder
        address = builder.get_relative_uri(self.env.docname, f"book/{one.chapter}")
        return {
            "manual": [[gettext(each.says), each.cited, each.source] for each in told],
            "chapter": [address, title],
        }


class Cases(Practice):
    """All cases, in their order."""

    required_arguments = 0
    kind, opens = "case", "The complaint"

    def exercises(self) -> Mapping[str, Case]:
        return practice.cases()

    def known(self, one: Case) -> str:
        device = devices.find(one.device).name
        known = {
            gettext("router"): f"{device} ({one.device})" if device != one.device else device,
            gettext("ordered"): one.ordered,
            gettext("measured"): one.measured,
            gettext("difficulty"): DIFFICULTY[one.difficulty],
            gettext("par"): gettext("{moves} moves").format(moves=one.par),
        }
        listed = "".join(
            f"<div><dt>{key}</dt><dd>{escape(value)}</dd></div>" for key, value in known.items()
        )
        return f"<dl>{listed}</dl>"


class Drills(Practice):
    """The drills of a chapter."""

    kind, opens = "drill", "The question"
    intro = N_(
        "Each drill is a short RouterOS configuration with one question.\n"
        "Type RouterOS commands, and the page [reads the configuration again](/book/explain.md) "
        "and judges at once what they change."
    )

    def exercises(self) -> Mapping[str, Drill]:
        """The drills that lead to the chapter; UsageError where there is none."""
        drills = practice.drills(f"{self.arguments[0]}-")
        if not drills:
            raise UsageError(f"no drill is named {self.arguments[0]}-…")
        return drills


def common(known: Sequence[Case | Drill]) -> list[str]:
    """The commands that have buttons, the most frequent first; `/export` is always one."""
    counts = Counter(output.command for case in known for output in case.outputs)
    often = [command for command, count in counts.most_common() if count * COMMON >= len(known)]
    return ["/export", *often]


def packed(data: Mapping[str, object]) -> str:
    """Data as text for a page: JSON, gzip, base64; the same data gives the same text."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(gzip.compress(text.encode(), 9, mtime=0)).decode("ascii")
