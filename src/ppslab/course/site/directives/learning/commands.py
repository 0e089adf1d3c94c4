"""The index of commands, made from the pages: every RouterOS, ppslab and Linux command on them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import get_args

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from ppslab.core.text.numbers import plural
from ppslab.core.text.tables import Cell, Table
from ppslab.course.learning import commands
from ppslab.course.learning.commands import Kind, Said
from ppslab.course.site.directives.env_store import Late, Noted
from ppslab.course.site.directives.nodes import late_table_nodes
from ppslab.course.site.directives.sources import LabDirective
from ppslab.course.site.directives.views import listing

COMMANDS: Noted[list[tuple[str, str, str]]] = Noted("commands")
INDEX = Late("commands", COMMANDS)

# Programs that sentences name, beside those of the blocks of shell.
PROGRAMS = frozenset(
    "bpftool bridge cat conntrack ethtool ip iperf3 lscpu lspci lstopo make nft perf ppslab "
    "pppstats sysctl tc traceroute".split()
)
MOST_ARGUMENTS = 12

HELP_EVENT = "ppslab-command-helps"
"""Asks the command line, a room above this one, for the help of each command."""


class index_of_commands(nodes.General, nodes.Element):  # noqa: N801  (docutils names nodes so)
    """The place of the tables."""


@listing("commands")
def place_of_commands(page: LabDirective) -> nodes.Node:
    """The place of three tables: the commands are known when every page has been read."""
    INDEX.note(page.env)
    return index_of_commands("")


def read(app: Sphinx, doctree: nodes.document) -> None:
    """Note the commands of a page that has just been read."""
    noted = {(command.kind, command.name, command.text) for command in _of(doctree)}
    if noted:
        COMMANDS.of(app.env)[app.env.docname] = sorted(noted)


def _of(doctree: nodes.document) -> Iterator[Said]:
    for block in doctree.findall(nodes.literal_block):
        language = block.get("language")
        if language == "routeros":
            yield from commands.of_script(f"{block.astext()}\n")
        elif language in commands.SHELLS:
            yield from commands.of_shell(block.astext())
    for literal in doctree.findall(nodes.literal):
        command = commands.of_words(literal.astext(), PROGRAMS)
        if command:
            yield command


def fill(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Replace the placeholder by the tables."""
    for placed in list(doctree.findall(index_of_commands)):
        placed.replace_self(
            [n for table in tables(app.env, docname) for n in late_table_nodes(table)]
        )


def tables(env: BuildEnvironment, docname: str) -> list[Table]:
    """A table for each kind of command; links lead from the page `docname`."""
    where: dict[tuple[str, str], dict[str, list[str]]] = defaultdict(dict)
    for page, noted in sorted(COMMANDS.of(env).items()):
        if page in env.found_docs and page != docname:
            for kind, name, text in noted:
                where[kind, name].setdefault(page, []).append(text)
    # Two seconds, which only the page that shows them pays.
    helps = env.app.emit_firstresult(HELP_EVENT) or {}
    shown = []
    for kind in get_args(Kind):
        # What it does stands below it: on a telephone a column of its own hid the pages.
        rows = tuple(
            (Cell(name, under=_said(kind, name, pages, helps)), _links(env, docname, list(pages)))
            for (its_kind, name), pages in sorted(where.items())
            if its_kind == kind
        )
        title = f"{kind}: {plural(len(rows), 'command')}"
        shown.append(Table(title, ("command", "pages"), rows))
    return shown


def _said(kind: str, name: str, pages: dict[str, list[str]], helps: dict[str, str]) -> str:
    texts = [text for each in pages.values() for text in each]
    if kind == "ppslab":
        return helps.get(name, texts[0])
    if kind == "Linux":
        shortest = min(texts, key=len)
        return "" if shortest == name else shortest
    words = (word for text in texts for word in text.split() if "=" in word)
    names = sorted({word.partition("=")[0] for word in words if word[0].isalpha()})
    more = len(names) - MOST_ARGUMENTS
    return ", ".join(names[:MOST_ARGUMENTS]) + (f" and {more} more" if more > 0 else "")


def _links(env: BuildEnvironment, docname: str, pages: list[str]) -> Cell:
    titles = [env.titles[page].astext().replace(";", ",") for page in pages]
    addresses = [env.app.builder.get_relative_uri(docname, page) for page in pages]
    return Cell("; ".join(titles), links=tuple(f"{address}#" for address in addresses))


def setup(app: Sphinx) -> None:
    """Register the directive; called by the extension."""
    app.add_event(HELP_EVENT)
    app.add_node(index_of_commands)
    COMMANDS.setup(app)
    INDEX.setup(app)
    app.connect("doctree-read", read)
    app.connect("doctree-resolved", fill)
