"""RouterOS commands of the book's pages and of the dialogue, typed into example routers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ppslab.core import documents
from ppslab.course.learning import slow
from ppslab.course.models.cases import remedy
from ppslab.testbed.routers.routeros.rsc import lint, pages
from rosexplain import explain, probes
from rosexplain.menu_words import CHANGES
from rosexplain.parse import Export, parsed

ROOT = Path(__file__).parents[3]
ROUTERS = {path.stem: path for path in (Path(__file__).parent / "routers").rglob("*.rsc")}

LOOKS = frozenset(
    "print monitor monitor-traffic profile export ping quick export-certificate".split()
)
"""Verbs after which a router is as it was."""
OWN, ELSE = "own", "kinds"
"""Sides of a harm, as pages.yml calls them."""
INCLUDED = re.compile(r"^\s*`{3,}\{literalinclude\} (\S+\.rsc)$", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """Commands that are pasted together.

    `page`: the page, or the name of a cause of the dialogue; `line` of the page.  `read`: what the
    reader has read before: the page's text above them; of a cause all that it says, because the
    page prints its commands last.  `commands`: each with its menu, without those that only look.
    """

    page: str
    line: int
    read: str
    commands: tuple[str, ...]

    def has(self, words: str) -> bool:
        """Whether one of the commands has these words."""
        return any(words in command for command in self.commands)


@cache
def on_pages(root: Path = ROOT) -> tuple[Block, ...]:
    """Every block and every sentence of a page with a command that changes a router.

    The conditions of a lab (`ppslab-config`) are no commands for a reader's router, and an export
    is what a router prints.
    """
    return tuple(
        block
        for page in sorted((root / "book").rglob("*.md"))
        for block in _of_page(page, str(page.relative_to(root)), root)
    )


def _of_page(page: Path, name: str, root: Path) -> Iterator[Block]:
    text = documents.read_text(page)
    for line, script in sorted([*_typed(page), *_included(page, text, root)]):
        commands = changing(script)
        if commands:
            yield Block(name, line, "\n".join(text.splitlines()[: line - 1]), commands)


def _typed(page: Path) -> Iterator[tuple[int, str]]:
    for block in pages.blocks(page):
        if block.kind == pages.KIND or (block.kind == pages.NAMED and block.text.startswith("/")):
            yield block.lines[0], f"{block.text}\n"


def _included(page: Path, text: str, root: Path) -> Iterator[tuple[int, str]]:
    for match in INCLUDED.finditer(text):
        file = root / match[1][1:] if match[1].startswith("/") else page.parent / match[1]
        script = documents.read_text(file)
        if not lint.exported(script):
            yield text.count("\n", 0, match.start(1)) + 1, script


@cache
def of_dialogue(root: Path = ROOT) -> tuple[Block, ...]:
    """The commands of each cause that change a router."""
    return tuple(
        Block(cause.id, 0, f"{cause.means}\n{cause.loses}", changing(cause.commands))
        for cause in slow.load(root / slow.FILE).causes
        if changing(cause.commands)
    )


def changing(script: str) -> tuple[str, ...]:
    """The commands of a script that change a router."""
    every = [said.text for said in lint.commands(script)]
    return tuple(text for text in every if verb(text) not in LOOKS)


def verb(command: str) -> str:
    """The verb of a command as `lint.commands` writes it."""
    return command.split(" ", 2)[1]


def typed(block: Block, router: str, after: tuple[str, ...] = ()) -> remedy.Applied:
    """The block's commands that an export can show, typed into a router behind those of `after`."""
    export = "\n".join([documents.read_text(ROUTERS[router]), *after])
    commands = "\n".join(text for text in block.commands if verb(text) in CHANGES)
    return remedy.applied({"export": export, "outputs": []}, commands, {})


@cache
def asked(router: str) -> tuple[Export, probes.Asked]:
    """An example router and its probes, which are asked of the same lines before and after."""
    export = parsed(documents.read_text(ROUTERS[router]), remedy.EXPORT)
    return export, probes.Asked(explain([export]))


def harms(block: Block, router: str) -> dict[tuple[str, str], str]:
    """What a block takes away from a router: each kind of harm and its side, with a sentence.

    The side is OWN where the packets are those that a rule of the block itself matches, and ELSE
    where they are the router's own: what a block opens on purpose, and what it opens beside that.
    """
    applied = typed(block, router)
    sentences: dict[tuple[str, str], str] = {}
    if applied.changes:
        export, before = asked(router)
        for harm in before.harms(explain([export, applied.typed])):
            side = OWN if harm.line is not None and harm.line.file == remedy.TYPED else ELSE
            sentences.setdefault((harm.kind, side), f"{router}: {harm.text(before.before.net)}")
    return sentences
