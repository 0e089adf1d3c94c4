"""What is wrong with a RouterOS script, at FILE:LINE: by routeros-lsp, for every version promised.

A script is checked against the command tree of the oldest and of the newest version that the labs
promise (versions.yml); one of a switch (`hardware`) against the kept list too (hardware.yml).
Names are checked, and which arguments must be there; values are not.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from routeros_lsp.analyze import Analysis, analyze
from routeros_lsp.analyze import Finding as Found
from routeros_lsp.checker.commands import WordResolution
from routeros_lsp.syntax.ast import Statement

from ppslab.rsc import database, layout, versions


@dataclass(frozen=True, order=True)
class Finding:
    """One mistake: where, counted from 1, and what."""

    path: str
    line: int
    column: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}: {self.message}"


@dataclass(frozen=True)
class Said:
    """A command of a script with its menu written out, `/ip/address add ...`, and its line."""

    line: int
    text: str


def promised() -> tuple[str, ...]:
    """The versions that a script is checked for where nobody names others."""
    return versions.table().oldest, versions.table().newest


def check(
    path: str,
    text: str,
    *,
    hardware: bool = False,
    wanted: Sequence[str] = (),
    in_passing: bool = False,
) -> list[Finding]:
    """Every mistake of one script, in order; `path` is what the findings call it.

    Its layout is looked at only where nothing else is wrong.  A command that a sentence names
    (`in_passing`) need not have its arguments, nor the layout of a script.
    """
    found: set[Finding] = set()
    for version in wanted or promised():
        analysis = analyze(text, schema=database.schema(version, hardware=hardware))
        switch = analyze(text, schema=database.schema(version, hardware=True))
        wrong_there = {each.start for each in switch.findings}
        for each in analysis.findings:
            if in_passing and each.rule == "schema/missing-required":
                continue
            message = _lack(text, analysis, each, version, hardware=hardware)
            if message is None:
                message = f"{each.message.removesuffix('.')} [{each.rule}]"
                if each.start not in wrong_there:
                    message += "; a switch has it: keep the file in a folder switch-only/"
            found.add(_at(path, text, each.start, message))
    return sorted(found) or ([] if in_passing else list(_laid_out(path, text)))


def commands(text: str) -> Iterator[Said]:
    """The commands of a script that stand on no other's inside, laid out."""
    text = layout.tidy(text) or text
    known = database.schema(versions.table().database, hardware=True)
    analysis = analyze(text, schema=known)
    for statement in analysis.script.statements:
        words = [word for word in _within(analysis, statement) if word.kind == "command"]
        if words:
            menu = "/".join(words[0].path[:-1])
            rest = text[words[0].start : statement.end].strip()
            yield Said(text.count("\n", 0, statement.start) + 1, f"/{menu} {rest}")


def _lack(
    text: str, analysis: Analysis, found: Found, version: str, *, hardware: bool
) -> str | None:
    """What versions.yml says of a name that this version's tree has not."""
    inside = [s for s in _statements(analysis) if s.start <= found.start < s.end]
    if not inside or found.rule not in ("schema/unknown-command", "schema/unknown-parameter"):
        return None
    statement = max(inside, key=lambda each: each.start)
    context = analysis.commands.contexts.get(statement) if analysis.commands else None
    menu, command = tuple(context or ()), None
    for word in _within(analysis, statement):
        if word.start < found.start and word.kind == "menu":
            menu = word.path
        elif word.start < found.start and word.kind == "command":
            menu, command = word.path[:-1], word.path[-1]
    name = text[found.start : found.end]
    lacks = versions.lacking(
        "/".join(menu),
        command or name,
        [name] if command else [],
        version,
        platform="hardware" if hardware else "chr",
    )
    return lacks[0].said if lacks else None


def _statements(analysis: Analysis) -> list[Statement]:
    return list(analysis.commands.contexts) if analysis.commands else []


def _within(analysis: Analysis, statement: Statement) -> list[WordResolution]:
    """What its words are, in order."""
    known = analysis.commands.resolutions if analysis.commands else []
    inside = [word for word in known if statement.start <= word.start < statement.end]
    return sorted(inside, key=lambda word: word.start)


def _laid_out(path: str, text: str) -> Iterator[Finding]:
    """The first line that is not laid out as layout.py has it."""
    tidy = layout.tidy(text)
    if tidy is None or tidy == text:
        return
    ours, theirs = text.split("\n"), tidy.split("\n")
    pairs = zip(ours, theirs, strict=False)
    number = next((n for n, (a, b) in enumerate(pairs, 1) if a != b), min(len(ours), len(theirs)))
    wanted = theirs[number - 1] if number <= len(theirs) else ""
    yield Finding(path, number, 1, f"laid out otherwise, it is {wanted!r}: make format")


def _at(path: str, text: str, position: int, message: str) -> Finding:
    starts = [0, *(n + 1 for n, letter in enumerate(text) if letter == "\n")]
    line = bisect_right(starts, position)
    return Finding(path, line, position - starts[line - 1] + 1, message)
