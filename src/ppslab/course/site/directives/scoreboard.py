"""Claims on pages: a lab's, and the scoreboard of all with its filters.

The tables read without a script; the filters of the scoreboard need one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from html import escape

from docutils import nodes
from sphinx.environment import BuildEnvironment

from ppslab.core.provenance import together
from ppslab.core.text.numbers import plural
from ppslab.core.text.quantities import for_pages
from ppslab.core.text.tables import NOTHING, Cell, Table
from ppslab.course.site.directives.nodes import (
    grid,
    made_by,
    paragraphs,
    raw,
    row,
    table_nodes,
    under,
)
from ppslab.course.site.directives.sources import LabDirective, Source, find_kind
from ppslab.course.site.directives.views import table
from ppslab.judge import claims, scoreboard
from ppslab.judge.claims import NOT_TESTABLE
from ppslab.judge.outcome import Outcome
from ppslab.judge.scoreboard import Entry
from ppslab.model.lab.published import Published
from ppslab.model.results import TcpRecord
from ppslab.show import record_tables, templates

PAGE = "book/claims"
"""The page of the scoreboard."""

OPEN_NUMBERS = 4
"""A claim on more numbers than this has them folded."""

HEADER = (
    "claim",
    "published",
    "measured",
    "verdict",
    "evidence",
    "reason, and evidence that would decide the claim",
)


@table("verdicts")
def verdicts(page: LabDirective, lab: str) -> Table:
    """Table of the verdicts of a lab, or of `all`, by evidence."""
    return scoreboard.evidence_table(
        [each for source in page.sources(lab) for each in source.judged]
    )


@table("claims")
def claims_by_source(page: LabDirective, lab: str) -> list[nodes.Node]:
    """Every claim of a lab, or of `all`, with its verdict: a table for each source."""
    made: list[nodes.Node] = []
    for source in page.sources(lab):
        find_kind(page.env, TcpRecord, source.lab.name)
        made += _claims(source, _address(page.env, PAGE) if page.env.docname != PAGE else "")
    return made


def _claims(source: Source, scores: str) -> list[nodes.Node]:
    made: list[nodes.Node] = []
    provenance = together(run.provenance() for run in source.runs.all)
    for name in dict.fromkeys(each.source for each in source.judged):
        mine = [each for each in source.judged if each.source == name]
        shown = record_tables.claims_table(
            mine, provenance, source.rows_of, conditions=source.lab.titles
        )
        rows = tuple(
            (each, replace(said, links=(f"{scores}#{each.target}",)) if scores else said, *rest)
            for each, said, *rest in shown.rows
        )
        titled = replace(
            shown,
            title=f"{source.lab.title}: {claims.titles(source.lab).get(name, name)}",
            rows=rows,
            notes=() if shown.provenance else ("No run is recorded yet.",),
        )
        frame, *below = table_nodes(titled)
        assert isinstance(frame, nodes.Element)
        frame["classes"].append("ppslab-claims")
        made += [frame, *below]
    return made


def _address(env: BuildEnvironment, page: str) -> str:
    """The address of a page from the one that is read; empty in a site without it."""
    if page not in env.found_docs:
        return ""
    return str(env.app.builder.get_relative_uri(env.docname, page))


@table("scoreboard")
def board(page: LabDirective, lab: str) -> list[nodes.Node]:
    """Filters, a folded table for each source, and how many claims are of each.

    The form of the filters is shown by its script only, which opens what they find.
    """
    outcomes = [source.outcome for source in page.sources(lab)]
    for outcome in outcomes:
        find_kind(page.env, TcpRecord, outcome.lab.name)
    entries = scoreboard.entries(outcomes)
    judged = [entry.judged for entry in entries if entry.judged is not None]
    made: list[nodes.Node] = [raw(_form(entries))]
    most_first = sorted(scoreboard.by_source(entries).items(), key=lambda one: -_claims_in(one[1]))
    for name, of_source in most_first:
        claimed = plural(_claims_in(of_source), "claim")
        title, address = _cited(scoreboard.document(name, of_source))
        link = f'<p><a href="{escape(address)}">{escape(address)}</a></p>' if address else ""
        summary = escape(f"{title} ({claimed})")
        rows = [_row(page.env, entry) for entry in of_source]
        made += [
            raw(f'<details class="ppslab-board"><summary>{summary}</summary>{link}'),
            grid(HEADER, rows, kind="ppslab-claims ppslab-scoreboard"),
            raw("</details>"),
        ]
    made += table_nodes(scoreboard.evidence_table(judged))
    counts = scoreboard.summary(entries)
    titled = ((replace(name, content=_cited(name.text)[0]), *rest) for name, *rest in counts.rows)
    made += table_nodes(replace(counts, rows=tuple(titled)))
    return [*made, _runs(outcomes)]


def _runs(outcomes: Iterable[Outcome]) -> nodes.Node:
    """The runs that the verdicts rest on, each behind its sign."""
    title = nodes.paragraph(text="Runs that judge the claims")
    shown = nodes.container("", title, classes=["ppslab-runs"])
    for outcome in outcomes:
        for run in outcome.runs.all:
            what = "TCP" if isinstance(run, TcpRecord) else "packets"
            named = (("lab", outcome.lab.title), ("what", what), ("ppslab", run.ppslab["commit"]))
            shown += nodes.paragraph(text=f"{outcome.lab.title}, {what}")
            shown += made_by(run.provenance(), more=named)
    return shown


def _cited(title: str) -> tuple[str, str]:
    """A document's title without its address in brackets, and the address or none.

    >>> _cited('"Queues", the manual (https://example.org/queues), page of 2026')
    ('"Queues", the manual, page of 2026', 'https://example.org/queues')
    """
    address = re.search(r" \((https?://[^ )]+)\)", title)
    return (title.replace(address[0], ""), address[1]) if address else (title, "")


def _claims_in(entries: Iterable[Entry]) -> int:
    return sum(each.claim is not None for each in entries)


def _row(env: BuildEnvironment, entry: Entry) -> nodes.row:
    """An entry's row of the scoreboard, with links from the page that is read."""
    said = entry.judged
    verdict = said.verdict if said else NOT_TESTABLE
    evidence = (said and said.evidence) or scoreboard.NO_EVIDENCE
    made = row(
        _claim(env, entry),
        _numbers(entry),
        _measured(entry),
        nodes.paragraph(text=verdict),
        nodes.paragraph(text=(said and said.evidence) or "-"),
        _why(entry),
    )
    made["ids"].append(entry.anchor if said else f"{entry.anchor}-{_name(entry.source)}")
    made["classes"] += [
        f"of-source-{_name(entry.source)}",
        f"of-chapter-{_name(entry.lab.name)}",
        f"of-verdict-{_name(verdict)}",
        f"of-evidence-{_name(evidence)}",
        *(["ppslab-claim"] if entry.claim else []),
    ]
    measured, judged = made.children[2], made.children[3]
    assert isinstance(measured, nodes.Element) and isinstance(judged, nodes.Element)
    measured["classes"] += Cell(said.quantity if said else NOTHING).classes.split()
    judged["classes"] += ["verdict", f"verdict-{_name(verdict)}"]
    return made


def _claim(env: BuildEnvironment, entry: Entry) -> list[nodes.Node]:
    if entry.claim is None:
        return [nodes.paragraph(text="Numbers that cannot be tested here")]
    chapter: nodes.Node = nodes.Text(entry.lab.title)
    if address := _address(env, f"book/{entry.lab.name}/index"):
        chapter = nodes.reference("", entry.lab.title, internal=True, refuri=address)
    sign = nodes.reference("", "#", internal=True, refid=entry.anchor)
    sign["reftitle"] = "Link to this claim"
    place = under()
    place += [chapter, nodes.Text(" "), sign]
    return [nodes.paragraph(text=entry.claim.statement), place]


def _numbers(entry: Entry) -> list[nodes.Node]:
    made: list[nodes.Node] = []
    if entry.judged and entry.claim and entry.claim.judge.word.makes_ratio:
        made.append(nodes.paragraph(text=f"ratio {entry.judged.published}"))
    if entry.numbers:
        origins = {_made_by(number) for number in entry.numbers}
        # The hardware and mode of all of them is said once, above.
        common = origins.pop() if len(origins) == 1 and len(entry.numbers) > 1 else ""
        made += [under(f"{common}:")] if common else []
        shown = nodes.bullet_list()
        shown += [_number(entry, number, common) for number in entry.numbers]
        if len(entry.numbers) > OPEN_NUMBERS:
            made += _folded(plural(len(entry.numbers), "number"), shown)
        else:
            made.append(shown)
    if entry.elsewhere:
        made.append(_elsewhere(entry))
    if made or entry.claim is None:
        return made
    where = f": {entry.claim.where}" if entry.claim.where else ""
    return [nodes.paragraph(text=f"in words{where}")]


def _folded(summary: str, *below: nodes.Node) -> list[nodes.Node]:
    return [raw(f"<details><summary>{escape(summary)}</summary>"), *below, raw("</details>")]


def _made_by(number: Published) -> str:
    return ", ".join(word for word in (number.hardware, number.mode) if word)


def _number(entry: Entry, number: Published, common: str) -> nodes.list_item:
    text = nodes.paragraph("", "", nodes.strong(text=number.shown))
    size = f"{number.frame_size} bytes" if number.frame_size else ""
    made_by = "" if common else _made_by(number)
    what = (made_by, size, number.quantity.replace("_", " "), number.where)
    text += nodes.inline(
        text=f" {', '.join(word for word in what if word)}", classes=["ppslab-under"]
    )
    needs = [under(f"Needs {number.needs}.")] if number.needs else []
    return nodes.list_item("", text, *needs, ids=[entry.number_anchor(number)])


def _elsewhere(entry: Entry) -> nodes.paragraph:
    """Links to the numbers that stand beside another claim."""
    said = under()
    said += nodes.Text("numbers listed with other claims: " if entry.numbers else "see ")
    for place, number in enumerate(entry.elsewhere[:OPEN_NUMBERS]):
        said += nodes.Text(", " if place else "")
        said += nodes.reference("", number.shown, internal=True, refid=entry.number_anchor(number))
    more = len(entry.elsewhere) - OPEN_NUMBERS
    said += nodes.Text(f" and {plural(more, 'more', 'more')}" if more > 0 else "")
    return said


def _measured(entry: Entry) -> list[nodes.Node]:
    """Return the deciding number, and below it that of the other measure."""
    if entry.judged is None:
        return [nodes.paragraph(text="-")]
    kind = entry.judged.interval_kind
    below = [*([kind] if kind else []), *(other.text for other in entry.judged.others)]
    return [nodes.paragraph(text=str(entry.judged.quantity)), *map(under, below)]


def _why(entry: Entry) -> list[nodes.Node]:
    if entry.claim is None or entry.judged is None:
        return [nodes.paragraph(text="-")]
    made = paragraphs(_stopped(for_pages(entry.judged.why(entry.lab.titles))))
    more: list[nodes.Node] = []
    if entry.judged.settled_by:
        more += paragraphs(_stopped(f"To decide the claim: {entry.judged.settled_by}"))
    if entry.claim.note:
        more.append(under(entry.claim.note))
    summary = "what would decide the claim" if entry.judged.settled_by else "note"
    return [*made, *(_folded(summary, *more) if more else [])]


def _stopped(text: str) -> str:
    """With a full stop: in a row of the table several sentences follow one another."""
    return text if text.endswith((".", "?")) else f"{text}."


def _name(text: str) -> str:
    return nodes.make_id(text)


def _form(entries: list[Entry]) -> str:
    """The filters, hidden until the script of the page shows them."""
    sources = {
        _name(name): _cited(scoreboard.document(name, of_source))[0]
        for name, of_source in scoreboard.by_source(entries).items()
    }
    chapters = {_name(entry.lab.name): entry.lab.title for entry in entries}
    kinds = (*scoreboard.EVIDENCE, scoreboard.NO_EVIDENCE)
    verdicts, evidence = (
        {_name(each): str(each) for each in words} for words in (scoreboard.VERDICTS, kinds)
    )
    choices = {"source": sources, "chapter": chapters, "verdict": verdicts, "evidence": evidence}
    return templates.page("claim-filters.html.j2", choices=choices)
