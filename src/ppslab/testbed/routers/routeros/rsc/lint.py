"""Mistakes of a RouterOS script, at FILE:LINE: by routeros-lsp, for every version promised.

A script is checked against the command tree of the oldest and of the newest version that the labs
promise (versions.yml); one of a switch (`hardware`) against the kept list too (hardware.yml).
Names are checked, and which arguments must be there; values are not.

Names that begin with a dot (`remote.address=198.18.0.1 .as=65001`, which means `remote.as=65001`)
are RouterOS's own, of an export: they are not checked.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from routeros_lsp.analyze import Analysis, analyze
from routeros_lsp.analyze import Finding as Found
from routeros_lsp.checker.commands import WordResolution
from routeros_lsp.syntax.ast import Statement

from ppslab.testbed.routers.routeros.rsc import versions

_EXPORTED = re.compile(r"#[^\n]*\bby RouterOS \d")
"""The first line of what `/export` prints."""


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


def exported(text: str) -> bool:
    """Return whether it is what a router exported, and not a script that somebody wrote."""
    return _EXPORTED.match(text) is not None


def check(
    path: str,
    text: str,
    *,
    hardware: bool = False,
    wanted: Sequence[str] = (),
    in_passing: bool = False,
) -> list[Finding]:
    """Every mistake of one script, in order; `path` is what the findings call it.

    `wanted`: the versions, by default the oldest and the newest that versions.yml promises.

    A command that a sentence names (`in_passing`), or that a router exported, need not have all
    arguments of these versions.
    """
    found: set[Finding] = set()
    export = exported(text)
    for version in wanted or (versions.table().oldest, versions.table().newest):
        analysis = analyze(text, schema=versions.schema(version, hardware=hardware))
        there = analyze(text, schema=versions.schema(version, hardware=True))
        wrong_there = {each.start for each in there.findings if not _unchecked(text, there, each)}
        for each in analysis.findings:
            if (in_passing or export) and each.rule == "schema/missing-required":
                continue
            if export and text.startswith(".", each.start):
                continue
            on_hardware = each.start not in wrong_there
            if hardware and on_hardware:
                continue
            message = _lack(text, analysis, each, version, hardware=hardware)
            if message is None:
                message = f"{each.message.removesuffix('.')} [{each.rule}]"
                if on_hardware:
                    message += (
                        "; hardware has it: say --hardware, or keep the file in a folder "
                        "switch-only/"
                    )
            found.add(_at(path, text, each.start, message))
    return sorted(found)


def commands(text: str) -> Iterator[Said]:
    """The commands of a script that stand on no other's inside."""
    known = versions.schema(versions.table().database, hardware=True)
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
    """Return the sentence of versions.yml on a name that this version's tree lacks."""
    place = _place(text, analysis, found)
    if place is None or found.rule not in ("schema/unknown-command", "schema/unknown-parameter"):
        return None
    menu, command = place
    name = text[found.start : found.end]
    arguments = [name] if command else []
    platform: versions.Platform = "hardware" if hardware else "chr"
    lacks = versions.lacking(menu, command or name, arguments, version, platform=platform)
    return lacks[0].said if lacks else None


def _unchecked(text: str, analysis: Analysis, found: Found) -> bool:
    """Return whether it is a menu that hardware.yml knows to be there, and no more of it."""
    place = _place(text, analysis, found)
    if place is None or found.rule != "schema/unknown-command":
        return False
    return f"{place[0]}/{text[found.start : found.end]}".lstrip("/") in versions.kept().unchecked


def _place(text: str, analysis: Analysis, found: Found) -> tuple[str, str | None] | None:
    """The menu and the command before a name, ("ip/address", "add"); None outside of statements."""
    inside = [s for s in _statements(analysis) if s.start <= found.start < s.end]
    if not inside:
        return None
    statement = max(inside, key=lambda each: each.start)
    whole = text[statement.start : statement.end].lstrip(":[{ ").startswith("/")
    context = analysis.commands.contexts.get(statement) if analysis.commands else None
    menu, command = () if whole else tuple(context or ()), None
    for word in _within(analysis, statement):
        if word.start < found.start and word.kind == "menu":
            menu = word.path
        elif word.start < found.start and word.kind == "command":
            menu, command = word.path[:-1], word.path[-1]
    return "/".join(menu), command


def _statements(analysis: Analysis) -> list[Statement]:
    return list(analysis.commands.contexts) if analysis.commands else []


def _within(analysis: Analysis, statement: Statement) -> list[WordResolution]:
    known = analysis.commands.resolutions if analysis.commands else []
    inside = [word for word in known if statement.start <= word.start < statement.end]
    return sorted(inside, key=lambda word: word.start)


def _at(path: str, text: str, position: int, message: str) -> Finding:
    starts = [0, *(n + 1 for n, letter in enumerate(text) if letter == "\n")]
    line = bisect_right(starts, position)
    return Finding(path, line, position - starts[line - 1] + 1, message)
