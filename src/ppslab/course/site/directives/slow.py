"""`{ppslab-slow}`: the dialogue of book/slow.yml, from a slow router to the cause and its remedy.

The page holds every question and every cause as a section, closed but for the first: a link opens
the section that it leads to, without a script.  With one (slow.js) one question is asked at a time.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

from docutils import nodes

from ppslab.core.text.language import gettext
from ppslab.course.learning import slow
from ppslab.course.learning.slow import Answer, Cause, Dialogue, Question
from ppslab.course.models import slow as reading
from ppslab.course.site.directives.frame import folds
from ppslab.course.site.directives.sources import LabDirective
from ppslab.model import devices
from ppslab.model.devices import RULES, Device, Result, needs
from ppslab.show import templates
from ppslab.show.device_tables import mbit, page_of

SENTENCES = ("says", "otherwise", "missing")
"""Keys of the sentences of a reading and its cases."""

MODE = "Routing"
"""The mode of the results that a rate is compared with."""

SIZES = (512, 1518, 64)
"""In which order the frame sizes of MikroTik's figures are shown, in bytes."""

FIGURE = json.dumps({"mode": MODE, "configuration": RULES, "sizes": SIZES})
"""The row of MikroTik's results that a rate is compared with."""


class Slow(LabDirective):
    """The dialogue: the router, the symptoms, the questions, the causes."""

    def make(self) -> list[nodes.Node]:
        path = Path(self.env.srcdir) / slow.FILE
        for data in (path, path.with_name(Path(slow.SIGNS).name)):
            self.env.note_dependency(str(data))
        for table in Path(devices.__file__).parent.glob("*.csv"):
            self.env.note_dependency(str(table))
        dialogue = slow.load(path)
        questions = [self._question(question, dialogue) for question in dialogue.questions]
        causes = [self._cause(cause) for cause in dialogue.causes]
        return [
            self._section("router", "Your router, and what MikroTik measured", self._router()),
            self._section("once", "Most answers with one paste", self._once(dialogue)),
            self._section("symptoms", "You know the symptom", [self.raw(_symptoms(dialogue))]),
            self._section("questions", "The questions", questions),
            self._section("causes", "The causes, and what to do", causes),
        ]

    def _section(self, name: str, title: str, below: Iterable[nodes.Node]) -> nodes.section:
        return nodes.section("", nodes.title(text=title), *below, ids=[f"slow-{name}"])

    def _router(self) -> list[nodes.Node]:
        """A list of the devices with MikroTik's rate of each; slow.js makes it a choice.

        A device of which nothing is here is hidden: a reader may paste its results.
        """
        text = gettext(
            "MikroTik adds up all ports and both directions, and allows a loss of 0.1 %. A speed "
            "test mostly sends 1500-byte packets; other traffic has smaller packets."
        )
        known = [(device, _rate(device)) for device in devices.load()]
        page = templates.page("slow-routers.html.j2", devices=known, figure=mbit, page=page_of)
        return [*self.markdown([text]), self.raw(page)]

    def _once(self, dialogue: Dialogue) -> list[nodes.Node]:
        """Every command whose output is read and that needs nothing filled in, once."""
        text = "\n".join(at_once(dialogue))
        return [
            *self.markdown(
                [
                    gettext(
                        "Paste these lines into the router's terminal while the slow traffic "
                        "flows, then paste the router's output into this page. The lines do not "
                        "change the configuration. Replace `ether1` with your own port."
                    )
                ]
            ),
            nodes.literal_block(text, text, language="text"),
            self.raw(
                f'<div class="ppslab-dialogue" data-walk="{escape(_walk(dialogue))}" '
                f'data-facts="{escape(_facts(dialogue))}" data-figure="{escape(FIGURE)}"></div>'
            ),
        ]

    def _question(self, question: Question, dialogue: Dialogue) -> nodes.Node:
        asks = [nodes.paragraph("", "", nodes.strong("", "", self.inline(question.asks)))]
        section = self._section(question.id, gettext(question.title), asks)
        is_first = question == dialogue.questions[0]
        section["classes"] += ["ppslab-question", folds.CLASS, *([folds.OPEN] * is_first)]
        if question.command:
            section += nodes.literal_block(question.command, question.command, language="text")
        if question.how:
            section += self.markdown([gettext(question.how)])
        section += self.raw('<div class="ppslab-ask"></div>')
        shown = [answer for answer in question.answers.values() if answer.shows]
        if shown:
            section += nodes.container("", *map(_output, shown), classes=["ppslab-outputs"])
        ways = [self._way(answer, dialogue) for answer in question.answers.values()]
        section += nodes.bullet_list("", *ways, classes=["ppslab-ways"])
        section += self._facts(question.facts)
        return section

    def _way(self, answer: Answer, dialogue: Dialogue) -> nodes.Node:
        text = nodes.paragraph(text=gettext(answer.label))
        if answer.cause:
            title = gettext(dialogue.ends[answer.cause].title)
            cause = nodes.reference("", title, internal=True, refid=f"slow-{answer.cause}")
            text += [nodes.Text(": "), cause]
        return nodes.list_item("", text)

    def _cause(self, cause: Cause) -> nodes.Node:
        section = self._section(cause.id, cause.title, self.markdown([gettext(cause.means)]))
        section["classes"] += ["ppslab-cause", folds.CLASS]
        # Before the commands: whoever copies them has read what they cost.
        loses = gettext("**What is lost:** {loses}.").format(loses=gettext(cause.loses))
        section += self.markdown([loses])
        texts = {version: cause.of_version(version) for version in (slow.NEW, slow.OLD)}
        for version, text in texts.items():
            block = nodes.literal_block(text, text, language="routeros")
            if texts[slow.OLD] == texts[slow.NEW]:
                section += nodes.container("", block)
                break
            named = nodes.paragraph(text=f"RouterOS {version}")
            section += nodes.container("", named, block, classes=[f"ppslab-version-{version}"])
        links = ", ".join(f"[]({chapter})" for chapter in cause.chapters)
        section += self.markdown([gettext("**Read on:** {links}").format(links=links)])
        section += self._facts(cause.facts)
        return section

    def _facts(self, facts: Sequence[str]) -> list[nodes.Node]:
        if not facts:
            return []
        return [
            self.raw('<details class="ppslab-sources"><summary>Sources</summary>'),
            *self.markdown(["```{ppslab-manual}", *facts, "```"]),
            self.raw("</details>"),
        ]


def at_once(dialogue: Dialogue) -> list[str]:
    """The commands of one paste: those that are read, and need no address and no second run.

    The profile comes last, and nothing waits for a key: that would swallow the lines behind it.
    """
    asked = dict.fromkeys(question.command for question in dialogue.questions)
    readings = dialogue.facts()["readings"]
    lines = ["/system resource print without-paging"]
    for line in asked:
        if (
            not line
            or not reading.reads(line, readings)
            or any(word in line for word in ("\n", ":delay", "192.0.2."))
        ):
            continue
        if "count-only" in line or line.endswith(" once"):
            lines.append(line)
        elif " print" in line:
            lines.append(line.replace(" print", " print without-paging"))
    profile = next(line for line in asked if line.startswith("/tool profile"))
    return [*lines, f"{profile} duration=5s"]


def _facts(dialogue: Dialogue) -> str:
    """What slow.js gives the page's Python, in the page's language."""
    facts = dialogue.facts()
    for reads in facts["readings"]:
        for words in (reads, *reads["cases"]):
            words |= {name: gettext(words[name]) for name in SENTENCES if words.get(name)}
    return json.dumps(facts, ensure_ascii=False)


def _walk(dialogue: Dialogue) -> str:
    """The walk, and of each question what slow.js needs to ask it, in the page's language."""
    asked = {
        question.id: {
            "many": question.many,
            "asks": gettext(question.asks),
            "command": question.command.split("\n")[0],
            "answers": {
                name: {"label": gettext(each.label), "ends": each.ends, "hints": each.hints}
                for name, each in question.answers.items()
            },
        }
        for question in dialogue.questions
    }
    walk = [line.model_dump(by_alias=True, exclude_defaults=True) for line in dialogue.walk]
    loads = [cause.id for cause in dialogue.causes if cause.loads]
    data = {"walk": walk, "asked": asked, "loads": loads, "signs": dialogue.signs}
    return json.dumps(data | {"offered": slow.OFFERED}, ensure_ascii=False)


def _rate(device: Device) -> Result | None:
    """MikroTik's newest rate of it with 25 filter rules, of the first of `SIZES` that has one."""
    rows = (needs.routing(device, RULES, size) for size in SIZES)
    return next((row for row in rows if row and row.mbps), None)


def _symptoms(dialogue: Dialogue) -> str:
    """A link for each: to its cause, or with a script to what its answers leave to be asked."""
    listed = ""
    for symptom in dialogue.symptoms:
        asks = gettext(symptom.asks)
        to = symptom.to or dialogue.follows(symptom.answers)[0]
        answers = "~".join(f"{name}.{value}" for name, value in symptom.answers.items())
        data = f' data-answers="{escape(answers)}"' if answers else ""
        words = escape(f"{asks[0].upper()}{asks[1:]}")
        listed += f'<li><a class="reference internal" href="#slow-{to}"{data}>{words}</a></li>'
    return f"<ul>{listed}</ul>"


def _output(answer: Answer) -> nodes.Node:
    label = nodes.paragraph(text=gettext(answer.label))
    shows = nodes.literal_block(answer.shows, answer.shows.rstrip("\n"), language="text")
    return nodes.container("", label, shows)
