"""The glossary's page, and its words on all other pages: the first use of each explains itself."""

from __future__ import annotations

import re

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.domains.std import make_glossary_term
from sphinx.environment import BuildEnvironment
from sphinx.util import logging

from ppslab.core.errors import PpslabError
from ppslab.core.text.tables import Table
from ppslab.course.learning import glossary
from ppslab.course.learning.glossary import Term
from ppslab.course.site.directives.env_store import changed
from ppslab.course.site.directives.nodes import above
from ppslab.course.site.directives.sources import LabDirective
from ppslab.course.site.directives.views import listing

PAGE = "book/glossary"

# Where a link would be wrong, or a word is no word of a sentence.
NOT_WITHIN = (
    nodes.title, nodes.rubric, nodes.reference, nodes.literal, nodes.literal_block, nodes.table,
    nodes.abbreviation, nodes.raw, nodes.caption, nodes.problematic, addnodes.pending_xref,
    addnodes.glossary, addnodes.toctree, nodes.term, nodes.strong,
)  # fmt: skip

logger = logging.getLogger(__name__)


@listing("glossary")
def terms_and_names(page: LabDirective) -> list[nodes.Node | Table]:
    """Every term of book/glossary.yml, as a list that `{term}` knows; names beside each other."""
    page.env.note_dependency(str(glossary.path()))
    terms = glossary.load()
    shown = nodes.definition_list(classes=["glossary"])
    shown += [_item(page, each) for each in terms]
    return [addnodes.glossary("", shown, sorted=False), glossary.beside(terms)]


def _item(page: LabDirective, each: Term) -> nodes.definition_list_item:
    source, line = page.get_source_info()
    text: list[nodes.Node] = [nodes.Text(each.term)]
    if each.page:
        text, _ = page.parse_inline(f"{{ref}}`{each.term} <{each.page}>`")
    word = make_glossary_term(page.env, text, "", source, line, each.anchor, page.state.document)
    definition = nodes.definition()
    meaning, messages = page.parse_inline(each.means)
    definition += nodes.paragraph("", "", *meaning, *messages)
    return nodes.definition_list_item("", word, definition)


def explain(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Make the first use of each term on a page a link to what it means, with the text at hand."""
    if docname == PAGE or PAGE not in app.env.found_docs or app.builder.format != "html":
        return
    try:
        terms = glossary.load()
    except PpslabError:
        return  # The page of the glossary says what is wrong with its file.
    by_form = {form.lower(): each for each in terms for form in each.forms}
    forms = glossary.pattern(terms)
    address = app.builder.get_relative_uri(docname, PAGE)
    met: set[str] = set()
    for text in list(doctree.findall(nodes.Text)):
        if not _is_prose(text):
            continue
        parts = _parts(text.astext(), forms, by_form, met, address)
        if len(parts) > 1:
            assert text.parent is not None
            text.parent.replace(text, parts)


def _is_prose(text: nodes.Text) -> bool:
    around = list(above(text))
    return any(isinstance(each, nodes.paragraph) for each in around) and not any(
        isinstance(each, NOT_WITHIN) for each in around
    )


def _parts(
    text: str, forms: re.Pattern[str], by_form: dict[str, Term], met: set[str], address: str
) -> list[nodes.Node]:
    parts: list[nodes.Node] = []
    end = 0
    for match in forms.finditer(text):
        each = by_form[match[0].lower()]
        if each.term in met:
            continue
        met.add(each.term)
        parts.append(nodes.Text(text[end : match.start()]))
        link = nodes.reference(
            "", match[0], internal=True, refuri=f"{address}#{each.anchor}",
            reftitle=plain(each.means), classes=["ppslab-term"],
        )  # fmt: skip
        parts.append(link)
        end = match.end()
    parts.append(nodes.Text(text[end:]))
    return parts


def plain(text: str) -> str:
    """Markdown of one line without its marks."""
    return text.replace("`", "").replace("*", "")


def updated(_app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Every page shows the terms: write all of them again when the file has changed."""
    file = glossary.path()
    now = file.read_text(encoding="utf-8") if file.is_file() else ""
    return changed(env, "terms", now)
