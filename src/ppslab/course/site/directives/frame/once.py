"""Things that a page shows once: the origin of a run's numbers, those in its text, a long note.

Each table and figure brings what made its numbers (`nodes.made`), since it cannot know what else is
on its page.  Here the first sign of the same runs is written, and the others become a mark in the
caption that leads into it: a browser opens it there, without a script.
A number in a sentence leads to the page's last fold, which has each source and interval once.
A notebook's output has the same as data beside its HTML (`NUMBERS`).
"""

from __future__ import annotations

from dataclasses import replace
from html import escape
from typing import Any, ClassVar

from docutils import nodes
from myst_nb.core.render import MimeData
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator
from sphinx_design.dropdown import dropdown_title

from ppslab.core.provenance import INTERVALS, Provenance
from ppslab.core.text.display import NUMBERS, origin_html, sign_html
from ppslab.core.text.language import N_, gettext
from ppslab.core.text.numbers import regrouped
from ppslab.course.site.directives.nodes import above, made, made_at, made_by, note_below, raw

LONG = 15
"""Words of a note that a page shows once; a shorter one explains its own table."""

WORDS = N_("How these numbers were measured")
OF_TEXT = N_("Where the numbers in the text come from")

NO_LINK = (nodes.title, nodes.caption, nodes.reference, dropdown_title)
"""Nodes in which a number leads nowhere: their own click is another."""

LONG_NUMBER = 40
"""Letters from which on it is a sentence, which its source need not repeat."""


def signs(doctree: nodes.document, *, all_of_them: bool = False) -> None:
    """Write one sign for the same runs, and marks for the others; or every sign, without a mark."""
    firsts: dict[int | tuple[Provenance, ...], made] = {}
    anchors: dict[int | tuple[Provenance, ...], str] = {}
    place: made_at | None = None
    for node in list(doctree.findall(lambda node: isinstance(node, made | made_at))):
        if isinstance(node, made_at):
            place = node
            continue
        assert isinstance(node, made)
        runs = id(node) if all_of_them else _runs(node)
        first = firsts.setdefault(runs, node)
        anchor = anchors.setdefault(runs, f"ppslab-made-{len(anchors) + 1}")
        if first is not node:
            _join(first, node)
            mark = place or made_at()
            node.replace_self([] if place else nodes.paragraph("", "", mark))
            mark["refid"] = anchor
        elif place is not None:
            place.parent.remove(place)
        place = None
    for runs, sign in firsts.items():
        shown = sign["provenance"].sign(interval=sign["interval"], more=sign["more"])
        sign.replace_self(raw(sign_html(shown, anchor="" if all_of_them else anchors[runs])))


def _runs(sign: made) -> tuple[Provenance, ...]:
    """Key that two signs of the same runs share: only some tables have times, and so a clock."""
    return tuple(replace(run, clock="", cannot_show="") for run in sign["provenance"].runs)


def _join(first: made, other: made) -> None:
    """Let the sign of the same runs show what only the other one has."""
    joined = [
        replace(one, clock=one.clock or same.clock, cannot_show=one.cannot_show or same.cannot_show)
        for one, same in zip(first["provenance"].runs, other["provenance"].runs, strict=True)
    ]
    first["provenance"] = replace(joined[0], others=tuple(joined[1:]))
    ends = dict.fromkeys((*first["interval"].split("; "), other["interval"]))
    first["interval"] = "; ".join(filter(None, ends))
    first["more"] = tuple(dict.fromkeys((*first["more"], *other["more"])))


def numbers(doctree: nodes.document) -> None:
    """Let the numbers in sentences lead to their sources, in a fold at the page's end."""
    sources: dict[str, dict[str, None]] = {}
    for number in list(doctree.findall(nodes.abbreviation)):
        if "ppslab-number" not in number["classes"] or _is_control(number):
            continue
        text, interval = number.astext(), number["interval"]
        shown = sources.setdefault(number["source_of"], {})
        if len(text) < LONG_NUMBER:
            shown[f"{text} ({interval})" if interval else text] = None
        place = list(sources).index(number["source_of"])
        title = number["explanation"]
        link = nodes.reference("", text, internal=True, refid=_number(place), reftitle=title)
        link["classes"] = number["classes"]
        number.replace_self(link)
    if sources:
        doctree += fold_of_sources(sources={each: tuple(of) for each, of in sources.items()})


class fold_of_sources(nodes.General, nodes.Element):  # noqa: N801  (docutils names nodes so)
    """`sources`: the numbers of each.  No child, or the search found every page by its kernel."""


def visit_sources(self: HTML5Translator, node: fold_of_sources) -> None:
    """Write the sources of the page's numbers, folded, at its end."""
    rows = "".join(
        f'<li id="{_number(place)}">{escape("; ".join(of) + (": " if of else "") + source)}</li>'
        for place, (source, of) in enumerate(node["sources"].items())
    )
    opening = f'<div class="ppslab"><details><summary>{escape(gettext(OF_TEXT))}</summary>'
    self.body.append(f"{opening}<ol>{rows}</ol></details></div>")
    raise nodes.SkipNode


def _number(place: int) -> str:
    return f"ppslab-number-{place + 1}"


def _is_control(node: nodes.Node) -> bool:
    """True if a click around the node has a meaning of its own."""
    return any(isinstance(each, NO_LINK) or each.get("control") for each in above(node))


def notes(doctree: nodes.document) -> None:
    """Take out long notes that the page has shown before."""
    known: set[str] = set()
    for note in list(doctree.findall(nodes.paragraph)):
        text = note.astext()
        if "ppslab-note" not in note["classes"] or len(text.split()) < LONG:
            continue
        if text in known:
            note.parent.remove(note)
        known.add(text)


# --- notebooks -----------------------------------------------------------------------------------


class numbers_of(nodes.Element):  # noqa: N801  (docutils names nodes so)
    """`data`: what an output's HTML was made from."""


class Outputs:
    """Myst-nb's renderer of NUMBERS: they stay beside the HTML until `output` takes them."""

    mime_priority_overrides: ClassVar[tuple[()]] = ()

    @staticmethod
    def handle_mime(renderer: object, data: MimeData, inline: bool) -> list[nodes.Element] | None:
        """Keep the data; None for what is not ours."""
        del renderer, inline
        return [numbers_of(data=data.content)] if data.mime_type == NUMBERS else None


END_OF_CAPTION = {"table": "</caption>", "figure": "</strong>"}
"""The first of each in the HTML of an output is that of its caption."""


def output(data: dict[str, Any], html: str) -> list[nodes.Node]:
    """A notebook output's HTML as nodes, so that a page shows its notes and its runs once.

    `data`: what stands beside the HTML (`NUMBERS`).  The caption's mark, each note and the line of
    the runs become nodes of their own, the rest stays raw HTML.
    """
    parts: list[tuple[str, nodes.Node, str]] = []
    if data.get("provenance") and data["kind"] in END_OF_CAPTION:
        runs = Provenance.of(data["provenance"])
        interval = next((e for e in INTERVALS if origin_html(runs, interval=e) in html), "")
        end = END_OF_CAPTION[data["kind"]]
        said = [regrouped(line) for line in data["lines"] if isinstance(line, str)]
        parts = [
            (end, made_at(), end),
            *(
                (f'<p class="ppslab-note">{escape(text)}</p>', note_below(text), "")
                for text in said
            ),
            (origin_html(runs, interval=interval), made_by(runs, interval=interval), ""),
        ]
    shown: list[nodes.Node] = [raw('<div class="output text_html">')]
    for written, node, stays in parts:
        before, found, after = html.partition(written)
        if found:
            shown += [raw(before), node]
            html = stays + after
    return [*shown, raw(html), raw("</div>")]


def read(_app: Sphinx, doctree: nodes.document) -> None:
    """Part the outputs that have their numbers beside them."""
    for kept in list(doctree.findall(numbers_of)):
        bundle = kept.parent.parent
        bundle.remove(kept.parent)
        for form in bundle.children:
            if isinstance(form, nodes.container) and form["mime_type"] == "text/html":
                parted = output(kept["data"], form.astext())
                form.children = []
                form.extend(parted)


# --- pages ---------------------------------------------------------------------------------------


def resolved(app: Sphinx, doctree: nodes.document, _docname: str) -> None:
    """Write the signs; slides and catalogues have all of them."""
    if app.builder.name == "html":
        notes(doctree)
    signs(doctree, all_of_them=app.builder.name != "html")


def finished(app: Sphinx, doctree: nodes.document, _docname: str) -> None:
    """Let the numbers lead to their sources."""
    if app.builder.name == "html":
        numbers(doctree)


def visit_made_at(self: HTML5Translator, node: made_at) -> None:
    """Write the mark, which icons.css draws: its name is for the ear."""
    words = escape(gettext(WORDS), quote=True)
    self.body.append(
        f' <a class="ppslab-made-at" href="#{node["refid"]}" title="{words}" aria-label="{words}">'
        '<span class="ppslab-mark"></span>'
    )


def depart_made_at(self: HTML5Translator, _node: made_at) -> None:
    self.body.append("</a>")
