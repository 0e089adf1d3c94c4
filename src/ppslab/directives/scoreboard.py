"""The scoreboard of all claims: tables that read without a script, and filters that need one."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from docutils import nodes
from sphinx.application import Sphinx

from ppslab import results, scoreboard
from ppslab.claims.words import RATIOS
from ppslab.directives.nodes import made_by, table_nodes
from ppslab.directives.sources import LabDirective, find_kind
from ppslab.numbers import plural
from ppslab.published import Published
from ppslab.results import TcpRecord
from ppslab.scoreboard import Entry, Measured
from ppslab.tables import Cell

OPEN_NUMBERS = 4
"""A claim on more numbers than this has them folded."""

HEADER = ("claim", "published", "measured", "verdict", "why, and what would settle it")


class Scoreboard(LabDirective):
    """`{ppslab-scoreboard} all|LAB`: summary, filters, and a table for each source."""

    def make(self) -> list[nodes.Node]:
        """The nodes; the form is shown by its script only, which the tables do without."""
        measured = [self._measured(source.lab.name) for source in self.sources()]
        found = scoreboard.entries(measured)
        made = table_nodes(scoreboard.summary(found))
        made.append(self.raw(_form(found)))
        for name, entries in scoreboard.by_source(found).items():
            made += self._table(name, entries)
        lines = [line for each in measured for line in each.provenances]
        made += [made_by(line) for line in lines]
        return made

    def _measured(self, name: str) -> Measured:
        source = self.source(name)
        path = find_kind(self.env, TcpRecord, name)
        tcp = results.load_as(path, TcpRecord) if path else None
        return Measured(source.lab, source.record, tcp)

    def _table(self, name: str, found: list[Entry]) -> list[nodes.Node]:
        group = nodes.tgroup(cols=len(HEADER))
        group += [nodes.colspec(colwidth=1) for _ in HEADER]
        head, body = nodes.thead(), nodes.tbody()
        head += _row(*(nodes.paragraph(text=text) for text in HEADER))
        for entry in found:
            body += self._entry(entry)
        group += [head, body]
        shown = nodes.table(classes=["ppslab-table"])
        shown += [nodes.title(text=name), group]
        frame = nodes.container(classes=["ppslab", "ppslab-scroll"])
        frame += shown
        part = nodes.container(classes=["ppslab-claims", "ppslab-scoreboard"])
        part += frame
        document = scoreboard.document(found)
        if document:
            part += nodes.paragraph(text=document, classes=["ppslab-note"])
        return [part]

    def _entry(self, entry: Entry) -> nodes.row:
        said = entry.judged
        verdict = said.verdict if said else "no claim"
        made = _row(
            self._claim(entry),
            self._numbers(entry),
            nodes.paragraph(text=said.measured_text if said else "-"),
            nodes.paragraph(text=verdict),
            _why(entry),
        )
        made["ids"].append(entry.anchor if said else f"{entry.anchor}-{_name(entry.source)}")
        made["classes"] += [
            f"of-source-{_name(entry.source)}",
            f"of-chapter-{_name(entry.lab.name)}",
            f"of-verdict-{_name(verdict)}",
        ]
        measured, judged = made.children[2], made.children[3]
        assert isinstance(measured, nodes.Element) and isinstance(judged, nodes.Element)
        measured["classes"] += Cell(said.measured_text if said else "-").classes.split()
        judged["classes"] += ["verdict", f"verdict-{verdict.split()[0]}"]
        return made

    def _claim(self, entry: Entry) -> list[nodes.Node]:
        if entry.claim is None:
            return [nodes.paragraph(text="Numbers that no claim judges")]
        under = nodes.paragraph(classes=["ppslab-under"])
        under += self._chapter(entry)
        under += nodes.Text(f": {entry.claim.id}")
        return [nodes.paragraph(text=entry.claim.statement), under]

    def _chapter(self, entry: Entry) -> nodes.Node:
        page = f"book/{entry.lab.name}/index"
        if page not in self.env.found_docs:
            return nodes.Text(entry.lab.title)
        address = self.env.app.builder.get_relative_uri(self.env.docname, page)
        return nodes.reference("", entry.lab.title, internal=True, refuri=address)

    def _numbers(self, entry: Entry) -> list[nodes.Node]:
        made: list[nodes.Node] = []
        if entry.judged and entry.claim and isinstance(entry.claim.judge.word, RATIOS):
            made.append(nodes.paragraph(text=f"ratio {entry.judged.published}"))
        if entry.numbers:
            common = _common(entry.numbers)
            if common:
                made.append(nodes.paragraph(text=f"{common}:", classes=["ppslab-under"]))
            shown = nodes.bullet_list()
            shown += [_number(entry, number, common) for number in entry.numbers]
            if len(entry.numbers) > OPEN_NUMBERS:
                summary = escape(plural(len(entry.numbers), "number"))
                made.append(self.raw(f"<details><summary>{summary}</summary>"))
                made += [shown, self.raw("</details>")]
            else:
                made.append(shown)
        if entry.elsewhere:
            made.append(_elsewhere(entry))
        if made or entry.claim is None:
            return made
        where = f": {entry.claim.where}" if entry.claim.where else ""
        return [nodes.paragraph(text=f"in words{where}")]


def _common(numbers: tuple[Published, ...]) -> str:
    """The hardware and mode of all of them, which is said once then; empty where they differ."""
    found = {_made_by(number) for number in numbers}
    return found.pop() if len(found) == 1 and len(numbers) > 1 else ""


def _made_by(number: Published) -> str:
    return ", ".join(word for word in (number.hardware, number.mode) if word)


def _number(entry: Entry, number: Published, common: str) -> nodes.list_item:
    item = nodes.list_item(ids=[entry.number_anchor(number)])
    text = nodes.paragraph()
    text += nodes.strong(text=number.shown)
    size = f"{number.frame_size} bytes" if number.frame_size else ""
    made_by = "" if common else _made_by(number)
    what = (made_by, size, number.quantity.replace("_", " "), number.where)
    text += nodes.inline(
        text=f" {', '.join(word for word in what if word)}", classes=["ppslab-under"]
    )
    item += text
    return item


def _elsewhere(entry: Entry) -> nodes.paragraph:
    """Links to the numbers that stand beside another claim."""
    said = nodes.paragraph(classes=["ppslab-under"])
    said += nodes.Text("beside other claims: " if entry.numbers else "see ")
    for place, number in enumerate(entry.elsewhere[:OPEN_NUMBERS]):
        said += nodes.Text(", " if place else "")
        said += nodes.reference("", number.shown, internal=True, refid=entry.number_anchor(number))
    more = len(entry.elsewhere) - OPEN_NUMBERS
    said += nodes.Text(f" and {plural(more, 'more', 'more')}" if more > 0 else "")
    return said


def _why(entry: Entry) -> list[nodes.Node]:
    if entry.claim is None or entry.judged is None:
        return [nodes.paragraph(text="-")]
    made: list[nodes.Node] = [nodes.paragraph(text=entry.judged.reason)]
    if entry.judged.settled_by:
        made.append(nodes.paragraph(text=f"To settle it: {entry.judged.settled_by}"))
    if entry.claim.note:
        made.append(nodes.paragraph(text=entry.claim.note, classes=["ppslab-under"]))
    return made


def _row(*cells: nodes.Node | list[nodes.Node]) -> nodes.row:
    made = nodes.row()
    for cell in cells:
        entry = nodes.entry()
        entry += cell
        made += entry
    return made


def _name(text: str) -> str:
    return nodes.make_id(text)


def _form(found: Iterable[Entry]) -> str:
    """The filters, hidden until the script of the page shows them."""
    found = list(found)
    sources = {_name(entry.source): entry.source for entry in found}
    chapters = {_name(entry.lab.name): entry.lab.title for entry in found}
    verdicts = {_name(verdict): str(verdict) for verdict in scoreboard.VERDICTS}
    choices = {"source": sources, "chapter": chapters, "verdict": verdicts}
    fields = "".join(_choice(name, options) for name, options in choices.items())
    return (
        '<form id="ppslab-filters" class="ppslab-filters" role="search" '
        f'aria-label="Filter the claims" hidden>{fields}'
        f"{_field('text', 'contains')}"
        '<input type="search" id="ppslab-filter-text" name="text" autocomplete="off"></div>'
        '<button type="reset">Show all</button><p role="status"></p></form>'
    )


def _choice(name: str, options: dict[str, str]) -> str:
    shown = "".join(
        f'<option value="{escape(value, quote=True)}">{escape(text)}</option>'
        for value, text in options.items()
    )
    return (
        f'{_field(name, name)}<select id="ppslab-filter-{name}" name="{name}">'
        f'<option value="">all</option>{shown}</select></div>'
    )


def _field(name: str, text: str) -> str:
    """The beginning of a field; a label around a select would have its options for a name."""
    return f'<div><label for="ppslab-filter-{name}">{text}</label>'


def setup(app: Sphinx) -> None:
    """Register the directive; called by the extension."""
    app.add_directive("ppslab-scoreboard", Scoreboard)
