"""A section as a fold: `{.dropdown}` in the line before a heading closes it under that heading.

    {.dropdown}
    ## How the lab does it

It is a `details` element that looks like sphinx-design's dropdown, whose directive takes no
headings.  The section's anchor is inside it, so that a browser opens it for a link to the section,
or to anything in it, without a script.
A notebook's closed cell is a fold of myst-nb's; it is named as what it shows.
"""

from __future__ import annotations

from docutils import nodes
from myst_nb.sphinx_ import HideCodeCellNode, visit_HideCellInput
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.writers.html5 import HTML5Translator
from sphinx_design.icons import get_octicon

from ppslab.course.site.directives.nodes import above

CLASS = "dropdown"
"""The mark of a section that is closed: `{.dropdown}` in the line before its heading."""

OPEN = "dropdown-open"
"""Beside it: the reader meets the section open."""

INSIDE = "ppslab-conditions"
"""A section is closed too if this is in it: a lab's conditions and their configurations."""


class fold(nodes.section):  # noqa: N801  (docutils names nodes so)
    """A section's title, and a `folded` with all else."""


class folded(nodes.General, nodes.Element):  # noqa: N801
    """The content of a fold."""


class Folds(SphinxPostTransform):
    """Turn sections with the mark into folds, on pages only: a slide and a catalogue need none."""

    default_priority = 199

    def is_supported(self) -> bool:
        """True if pages are written."""
        return bool(self.app.builder.name == "html")

    def run(self, **kwargs: object) -> None:
        """Replace them, the innermost first."""
        del kwargs
        for section in marked(self.document):
            classes = [each for each in section["classes"] if each not in (CLASS, OPEN)]
            closed = folded("", *section[1:], ids=section["ids"], classes=classes)
            is_open = OPEN in section["classes"]
            section.replace_self(fold("", section[0], closed, ids=section["ids"], is_open=is_open))


def marked(document: nodes.document) -> list[nodes.section]:
    """The sections of a page that are to be closed, the innermost first; never the page's own."""
    sections = {
        id(section): section
        for node in document.findall(nodes.Element)
        if (section := _section(node)) and not isinstance(section.parent, nodes.document)
    }
    return list(sections.values())


def _section(node: nodes.Element) -> nodes.section | None:
    """The section to be closed that a node is, or marks from inside."""
    classes = node.get("classes", ())
    if isinstance(node, nodes.section) and CLASS in classes:
        return node
    around = (each for each in above(node) if isinstance(each, nodes.section))
    return next(around, None) if INSIDE in classes else None


def visit_fold(self: HTML5Translator, node: fold) -> None:
    """Begin a section of its level, whose title is what the reader opens."""
    self.section_level += 1
    state = " open" if node["is_open"] else ""
    self.body.append(
        f'<details class="sd-sphinx-override sd-dropdown sd-card sd-mb-3"{state}>'
        '<summary class="sd-summary-title sd-card-header">'
    )


def depart_fold(self: HTML5Translator, _node: fold) -> None:
    self.section_level -= 1
    self.body.append("</details>")


def visit_folded(self: HTML5Translator, node: folded) -> None:
    marker = get_octicon("chevron-right", height="1.5em")
    self.body.append(
        f'<span class="sd-summary-state-marker sd-summary-chevron-right">{marker}</span></summary>'
    )
    classes = "sd-summary-content sd-card-body"
    self.body.append(self.starttag(node, "section", CLASS=classes))


def depart_folded(self: HTML5Translator, _node: folded) -> None:
    self.body.append("</section>")


def visit_cell(self: HTML5Translator, node: HideCodeCellNode) -> None:
    """Begin it without the label: a name that is not what is seen cannot be spoken (WCAG 2.5.3)."""
    start = len(self.body)
    visit_HideCellInput(self, node)
    summary = next(at for at, part in enumerate(self.body[start:], start) if "<summary" in part)
    self.body[summary] = "<summary>\n"
