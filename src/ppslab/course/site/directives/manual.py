"""Facts on RouterOS in pages, from the manual's files: a list, a sentence."""

from __future__ import annotations

from html import escape
from typing import ClassVar

from docutils import nodes

from ppslab.core.errors import UsageError
from ppslab.core.text.language import gettext
from ppslab.course.site.directives.nodes import grid, paragraphs, raw, row, under
from ppslab.course.site.directives.sources import LabDirective, NumberRole
from ppslab.course.site.directives.views import listing
from ppslab.model import manual
from ppslab.model.manual import SourcedFact
from rosexplain.rule_files import MANUAL


class Facts(LabDirective):
    """`{ppslab-manual}`: facts by their ids, one a line; each is a point, its source behind a mark.

    A source that all points share is one line below them.
    """

    has_content = True

    def make(self) -> list[nodes.Node]:
        """A list of the facts that the lines name."""
        names = [line.strip() for line in self.content if line.strip()]
        if not names:
            raise UsageError("no fact is named: write one id per line")
        facts = [manual.fact(name) for name in names]
        for each in facts:
            self.env.note_dependency(str(each.file))
        return _list(facts)


@listing("manual")
def subjects(page: LabDirective) -> list[nodes.Node]:
    """A table of the subjects, and each one's facts: which of them no router has confirmed."""
    subjects: dict[str, list[SourcedFact]] = {}
    for fact in manual.load().values():
        page.env.note_dependency(str(fact.file))
        subjects.setdefault(fact.subject, []).append(fact)
    return [_overview(subjects), *map(_subject, subjects.values())]


class Says(NumberRole):
    """`{ppslab-says}`: what RouterOS does by one fact; its source comes up under the pointer."""

    forms: ClassVar[str] = "the id of a fact in packages/rosexplain/rules/facts/"

    def number(self, words: list[str]) -> tuple[str, str]:
        if len(words) != 1:
            raise UsageError("name one fact")
        told = manual.fact(words[0])
        return gettext(told.says), told.cited


def _list(facts: list[SourcedFact]) -> list[nodes.Node]:
    shown = nodes.bullet_list(classes=["ppslab-manual"])
    shared = len(facts) > 1 and len({(each.source, each.read) for each in facts}) == 1
    sections = dict.fromkeys(each.fact.section for each in facts)
    for each in facts:
        point = nodes.list_item("", nodes.paragraph(text=each.says))
        if not shared:
            point += _behind_mark(each, _cited(each))
        elif own := _own(each, named=len(sections) > 1):
            point += _behind_mark(each, own)
        shown += point
    if not shared:
        return [shown]
    line = under()
    line += [_link(facts[0].source), _read_there("; ".join(sections), facts[0])]
    return [shown, line]


def _behind_mark(told: SourcedFact, source: nodes.paragraph) -> list[nodes.Node]:
    """The source in a `details` with one mark: it opens by pointer, finger and keyboard.

    That a fact is inferred is no detail, so the mark says it.
    """
    label = escape(gettext("Source: {source}").format(source=told.cited), quote=True)
    # A name that is not what is seen cannot be spoken (WCAG 2.5.3).
    name, mark = f' aria-label="{label}"', '<span class="ppslab-mark"></span>'
    if told.fact.basis == "inferred":
        name, mark = "", gettext("inferred")
    return [
        raw(f'<details class="ppslab-source"><summary title="{label}"{name}>{mark}</summary>'),
        source,
        raw("</details>"),
    ]


def _cited(told: SourcedFact) -> nodes.paragraph:
    """The source as a link, and its own words where we have them."""
    shown = under()
    if told.fact.basis == "inferred":
        shown += nodes.Text(_inferred(told) + ": ")
    shown += [_link(told.source), _read_there(told.fact.section, told)]
    if told.fact.quote:
        shown += nodes.Text(f": “{told.fact.quote}”")
    return shown


def _inferred(told: SourcedFact) -> str:
    """From what a fact is inferred: in the reader's language, as a source's own words are not."""
    because = gettext(told.fact.because or "")
    return gettext("Inferred, as {because}").format(because=because)


def _read_there(section: str, told: SourcedFact) -> nodes.Text:
    """The section of a source, and when it was read."""
    return nodes.Text(gettext(", {section}, read {date}").format(section=section, date=told.read))


def _own(told: SourcedFact, *, named: bool) -> nodes.paragraph | None:
    """Return the origin of a fact beside the source that it shares; `named`: with its section."""
    parts = [_inferred(told)] if told.fact.basis == "inferred" else []
    parts += [told.fact.section] if named else []
    parts += [f"“{told.fact.quote}”"] if told.fact.quote else []
    return under(": ".join(parts)) if parts else None


def _link(source: str) -> nodes.Node:
    if not source.startswith("https://"):
        return nodes.Text(source)
    name = source.removeprefix(MANUAL)
    shown = f"manual: {name}" if name != source else source.removeprefix("https://")
    return nodes.reference("", shown, refuri=source)


def _overview(subjects: dict[str, list[SourcedFact]]) -> nodes.Node:
    rows = []
    for name, facts in subjects.items():
        confirmed = sum(each.fact.is_confirmed for each in facts)
        inferred = sum(each.fact.basis == "inferred" for each in facts)
        where = nodes.paragraph()
        for number, source in enumerate(dict.fromkeys(each.source for each in facts)):
            where += [nodes.Text(", " if number else ""), _link(source)]
        days = sorted({each.read for each in facts})
        read = " to ".join(dict.fromkeys((days[0], days[-1])))
        counts = map(str, (len(facts), inferred, confirmed, len(facts) - confirmed))
        rows.append(row(*paragraphs(name), where, *paragraphs(read, *counts)))
    header = ("subject", "source", "last read", "facts", "inferred", "confirmed", "unconfirmed")
    return grid(header, rows)


def _subject(facts: list[SourcedFact]) -> nodes.Node:
    section = nodes.section(ids=[f"manual-{facts[0].subject}"])
    section += nodes.title(text=facts[0].subject)
    rows = []
    for each in facts:
        fact = each.fact
        sentence = nodes.paragraph(text=each.says, ids=[f"fact-{each.id}"])
        scope = [f"{word} {limit}" for word, limit in (("since", fact.since), ("until", fact.until))
                 if limit]  # fmt: skip
        where, by = paragraphs(
            ", ".join([*scope, *fact.chips]) or "all",
            fact.confirmed if fact.is_confirmed else "no router yet",
        )
        rows.append(row(sentence, where, _cited(each), by))
    section += grid(("RouterOS", "versions and chips", "source", "confirmed by"), rows)
    return section
