"""The minutes that a page takes to read, from the words that it shows.

Words count that a reader meets: not code, tables, and what is folded (`folding`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from myst_parser.config.main import MdParserConfig
from myst_parser.parsers.mdit import create_md_parser

from ppslab.core import documents, paths
from ppslab.course.learning import folding
from ppslab.model import manual

WORDS_A_MINUTE = 200

TEXT = frozenset({"admonition", "note", "warning", "tip", "important", "caution"})
"""The directives with Markdown inside although backticks begin them."""
FACTS = "ppslab-manual"
"""The directive that shows the sentence of each fact that it names."""

_OPTION = re.compile(r":([\w-]+):(?: |$)")
_WORD = re.compile(r"\S*\w\S*")
_GOALS = "{ppslab-goals}"


def minutes(page: Path) -> int:
    """Return the minutes for a page and for those that are read with it, at least one."""
    words = sum(count(documents.read_text(each)) for each in together(page))
    return max(1, round(words / WORDS_A_MINUTE))


def together(page: Path) -> list[Path]:
    """Return a page and what is read with it: a folder's first page has those without goals."""
    if page.name != "index.md" or not page.is_file():
        return [page]
    others = (each for each in sorted(page.parent.glob("*.md")) if each != page)
    return [page, *(each for each in others if _GOALS not in documents.read_text(each))]


def count(text: str) -> int:
    """Count the words that a page shows.

    >>> count("# Two words\\n```sh\\nls -l\\n```\\n:::{dropdown} More\\nNone\\n:::\\nA third")
    4
    """
    return sum(len(_WORD.findall(line)) for line in _visible(_parser().parse(text)))


@cache
def _parser() -> MarkdownIt:
    """The parser of the site's pages."""
    site = documents.load_yaml(paths.project_root() / "_config.yml").data
    extensions = set(site["parse"]["myst_enable_extensions"])
    return create_md_parser(MdParserConfig(enable_extensions=extensions), RendererHTML)


def _visible(tokens: Sequence[Token]) -> Iterator[str]:
    """The texts that a reader meets; of a list of facts their sentences."""
    fold = table = 0
    """The level of the heading that folds its section, 0: none does; the depth of tables."""
    for place, token in enumerate(tokens):
        if token.type == "heading_open":
            level = int(token.tag[1])
            if not fold or level <= fold:
                fold = level if _is_closed(tokens[place:]) else 0
                yield _text(tokens[place + 1])
        table += {"table_open": 1, "table_close": -1}.get(token.type, 0)
        if fold or table:
            continue
        if token.type == "inline" and tokens[place - 1].type != "heading_open":
            yield _text(token)
        elif token.type in ("fence", "colon_fence"):
            yield from _of_directive(token)


def _is_closed(section: Sequence[Token]) -> bool:
    """Whether a heading closes what follows: by its mark, or as the one above the conditions."""
    classes = str(section[0].attrs.get("class", "")).split()
    if folding.CLASS in classes:
        return folding.OPEN not in classes
    if section[0].tag == "h1":
        return False
    for token in section[1:]:
        if token.type == "heading_open":
            break
        if token.info.split()[:2] == ["{ppslab-table}", folding.CONDITIONS]:
            return True
    return False


def _of_directive(fence: Token) -> Iterator[str]:
    """The texts of a directive; code has none."""
    name = fence.info.split(maxsplit=1)[0] if fence.info else ""
    if not name.startswith("{"):
        return
    lines = fence.content.splitlines()
    options = []
    while lines and (option := _OPTION.match(lines[0])):
        options.append(option[1])
        lines.pop(0)
    name = name.strip("{}")
    if name == FACTS:
        facts = manual.load()
        yield from (facts[line].says for line in map(str.strip, lines) if line in facts)
    elif name in folding.DIRECTIVES and "open" not in options:
        return
    elif fence.type == "colon_fence" or name in TEXT:
        yield from _visible(_parser().parse("\n".join(lines)))


def _text(inline: Token) -> str:
    """An inline token as a reader sees it; of our roles, each of which shows a number, a word."""
    shown = ""
    for part in inline.children or ():
        if part.type == "myst_role":
            ours = str(part.meta["name"]).startswith("ppslab-")
            shown += "1" if ours else part.content.partition(" <")[0]
        else:
            shown += " " if part.type in ("softbreak", "hardbreak") else part.content
    return shown
