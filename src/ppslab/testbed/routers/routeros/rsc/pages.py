"""RouterOS on pages and in notebooks: in blocks of the kind `routeros`, and nowhere typed twice.

What a sentence names between backquotes is checked too, where it is a menu and something in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt

from ppslab.core import documents
from ppslab.core.errors import FileError
from ppslab.testbed.routers.routeros.rsc import lint, versions

KIND = "routeros"
NAMED = "`"
"""The kind of what stands between backquotes in a sentence."""
# Their block is code in the language that they are given, not Markdown.
CODE = re.compile(r"\{(?:code|code-block|code-cell|sourcecode)\}\s*(\S*)")
# What a router prints before what is typed: [admin@MikroTik] >
PROMPT = re.compile(r"^\s*(?:\[[^\]\s]+@[^\]]+\]\s*\S*>\s*)?(/\S.*)$")


@dataclass(frozen=True)
class Block:
    """One block of code: its language as the page names it, its text, and each line's number."""

    kind: str
    text: str
    lines: tuple[int, ...]


def check(path: Path, *, name: str, known: Mapping[str, str]) -> list[lint.Finding]:
    """Find the RouterOS mistakes of one page (.md) or notebook (.ipynb).

    `known` is what the labs' files say: the command (as lint.commands has it), and where.
    """
    found = []
    for block in blocks(path):
        if block.kind == NAMED:
            text = f"{block.text}\n"
            if PROMPT.match(text) and _is_command(text):
                wrong = lint.check(name, text, hardware=True, in_passing=True)
                found += [lint.Finding(name, block.lines[0], 1, each.message) for each in wrong]
        elif block.kind != KIND:
            found += list(_elsewhere(name, block))
        else:
            found += list(_typed(name, block, known))
    return sorted(found)


def _typed(name: str, block: Block, known: Mapping[str, str]) -> Iterator[lint.Finding]:
    for each in lint.check(name, block.text):
        yield lint.Finding(name, block.lines[each.line - 1], each.column, each.message)
    for said in lint.commands(block.text):
        if said.text in known:
            message = f"it stands in {known[said.text]}: include that file, do not type it"
            yield lint.Finding(name, block.lines[said.line - 1], 1, message)


def known(labs: Path) -> dict[str, str]:
    """Every command of the labs' files, and where it stands."""
    said: dict[str, str] = {}
    for file in sorted(labs.rglob("*.rsc")):
        for each in lint.commands(documents.read_text(file)):
            said.setdefault(each.text, f"{file.relative_to(labs.parent)}:{each.line}")
    return said


def blocks(path: Path) -> Iterator[Block]:
    """The blocks of code of a page, or of a notebook's cells of text; FileError on a bad notebook.

    What a notebook's cells put out is not typed: it is the labs' files.
    """
    if path.suffix != ".ipynb":
        text = documents.read_text(path)
        yield from _fences(text, list(range(1, text.count("\n") + 2)))
        return
    notebook = documents.load_json(path)
    try:
        cells: list[dict[str, Any]] = notebook.data["cells"]
        for number, cell in enumerate(cells):
            if cell["cell_type"] == "markdown":
                lines = range(len(cell["source"]))
                places = [notebook.line("cells", number, "source", each) for each in lines]
                yield from _fences("".join(cell["source"]), [*places, places[-1] if places else 1])
    except (KeyError, TypeError):
        raise FileError(path, None, "this is no notebook: it has no cells with text") from None


def _fences(text: str, lines: list[int]) -> Iterator[Block]:
    for token in MarkdownIt("commonmark").parse(text):
        for named in token.children or []:
            if named.type == "code_inline" and token.map is not None:
                yield Block(NAMED, named.content, (lines[token.map[0]],))
        if token.type not in ("fence", "code_block") or token.map is None:
            continue
        first = token.map[0] + (token.type == "fence")
        count = token.content.count("\n")
        inside = lines[first : first + count] or lines[-1:]
        info = token.info.strip()
        code = CODE.match(info)
        if info.startswith("{") and not code:
            # A directive: an admonition may hold a block of its own.
            yield from _fences(token.content, [*inside, inside[-1]])
        else:
            yield Block(code[1] if code else info.split(" ")[0], token.content, tuple(inside))


def _elsewhere(name: str, block: Block) -> Iterator[lint.Finding]:
    """Lines of another kind of block that a router would take."""
    for number, line in zip(block.lines, block.text.split("\n"), strict=False):
        typed = PROMPT.match(line)
        if typed and _is_command(typed[1]):
            message = f"this is RouterOS in a block of the kind {block.kind or 'text'!r}: "
            message += "put it into a lab's .rsc file and include that"
            yield lint.Finding(name, number, 1, message)


@cache
def _menus() -> dict[str, Any]:
    known = versions.schema(versions.table().database, hardware=True)
    menus: dict[str, Any] = known.root["c"]
    return menus


def _is_command(line: str) -> bool:
    """Return whether it begins with a menu of RouterOS and a name that is in it."""
    names = re.split(r"[/\s]+", line.strip("/ "))
    children = (_menus().get(names[0]) or {}).get("c") or {}
    return len(names) > 1 and names[1] in children
