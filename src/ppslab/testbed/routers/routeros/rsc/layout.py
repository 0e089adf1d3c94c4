"""One way to lay out a RouterOS script.

Names in full; a menu's names joined by `/`, its command after a space; one space between words;
four spaces for each open bracket and for a line that goes on; at most one blank line; a space
after `#`.  Strings stay as they are, and so do lines: nothing is wrapped or joined.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from routeros_lsp.analyze import analyze
from routeros_lsp.checker.commands import WordResolution
from routeros_lsp.syntax.ast import Node, Script, StringLit, Variable
from routeros_lsp.syntax.walk import visit

from ppslab.testbed.routers.routeros.rsc import database, versions

INDENT = "    "
OPENING, CLOSING = "([{", ")]}"


def tidy(text: str) -> str | None:
    """The script laid out; None where its syntax is wrong, which the lint says better."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    known = database.schema(versions.table().database, hardware=True)
    analysis = analyze(text, schema=known)
    if any(each.rule.startswith("syntax/") for each in analysis.findings):
        return None
    if analysis.commands is not None:
        text = _named(text, analysis.commands.resolutions)
    return _spaced(text, analyze(text, schema=None).script)


def _named(text: str, words: list[WordResolution]) -> str:
    """Names in full, and what stands between the names of one path."""
    edits: list[tuple[int, int, str]] = []
    words = sorted(words, key=lambda word: word.start)
    for word in words:
        written = text[word.start : word.end]
        if written != word.name and word.name.startswith(written):
            edits.append((word.start, word.end, word.name))
    for first, second in pairwise(words):
        gap = text[first.end : second.start]
        of_a_path = first.kind == "menu" and second.path[:-1] == first.path
        if of_a_path and re.fullmatch(r"[ \t/]+", gap) and not _global(text, first):
            edits.append((first.end, second.start, "/" if second.kind == "menu" else " "))
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def _global(text: str, word: WordResolution) -> bool:
    """Whether it is written with a colon, as in `:log info`."""
    return text[: word.start].rstrip().endswith(":")


@dataclass(frozen=True)
class _Token:
    kind: str
    """word, space, line, comment, semicolon, open, close or on (a backslash before a new line)."""
    text: str


def _tokens(text: str, script: Script) -> Iterator[_Token]:
    whole = [(each.start, each.end, "comment") for each in script.comments]

    def keep(node: Node, above: Node | None) -> bool:
        if isinstance(node, StringLit | Variable):
            whole.append((node.start, node.end, "word"))
            return False
        return True

    visit(script, keep)
    whole.sort()
    starts = [start for start, _, _ in whole]
    at = 0
    pattern = re.compile(r"(?P<on>\\\n)|(?P<line>\n)|(?P<space>[ \t\r]+)|(?P<semicolon>;)")
    while at < len(text):
        index = bisect_right(starts, at) - 1
        if index >= 0 and starts[index] == at:
            _, end, kind = whole[index]
            yield _Token(kind, text[at:end])
            at = end
        elif found := pattern.match(text, at):
            yield _Token(str(found.lastgroup), found.group())
            at = found.end()
        else:
            kind = "open" if text[at] in OPENING else "close" if text[at] in CLOSING else "word"
            yield _Token(kind, text[at])
            at += 1


class _Page:
    """The lines as they are laid out, and the one that is being written."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.line = ""
        self.space = False
        self.goes_on = False
        self.depth = 0
        self.indent = 0

    def write(self, text: str, *, closes: bool = False) -> None:
        if not self.line:
            self.indent = self.depth - closes + self.goes_on
        elif self.space:
            self.line += " "
        self.line += text
        self.space = False

    def end(self, *, goes_on: bool = False) -> None:
        if self.depth == 0 and not goes_on:
            self.line = self.line.rstrip(";")
        if self.line or (self.lines and self.lines[-1]):
            self.lines.append(INDENT * self.indent + self.line if self.line else "")
        self.line, self.space, self.goes_on = "", False, goes_on


def _spaced(text: str, script: Script) -> str:
    page = _Page()
    for token in _tokens(text, script):
        if token.kind == "space":
            page.space = page.space or not page.line.endswith(("[", "("))
        elif token.kind == "line":
            page.end()
        elif token.kind == "on":
            page.write("\\")
            page.end(goes_on=True)
        elif token.kind == "comment":
            page.space = True
            page.write(re.sub(r"^#(?=\w)", "# ", token.text.rstrip()))
        elif token.kind == "semicolon":
            page.space = False
            page.write(";")
            page.space = True
        elif token.kind == "open":
            page.write(token.text)
            page.depth += 1
            page.space = token.text == "{"
        elif token.kind == "close":
            page.space = token.text == "}" and not page.line.endswith("{")
            page.write(token.text, closes=True)
            page.depth = max(0, page.depth - 1)
        else:
            page.write(token.text)
    page.end()
    while page.lines and not page.lines[-1]:
        page.lines.pop()
    return "".join(f"{line}\n" for line in page.lines)
