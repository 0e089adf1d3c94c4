"""Checks of what the run is going to say against what this router, of this version, knows.

The router is asked for the words of each menu (/console/inspect, by which the command trees in
github.com/tikoci/restraml were made); `rsc.versions` says why it lacks one.  Only `child` is asked:
of some words `syntax` brings RouterOS's HTTP server down (github.com/tikoci/routeros-skills).
"""

from __future__ import annotations

from collections.abc import Iterator

from ppslab.base.errors import UsageError
from ppslab.routers.rest import RefusedError
from ppslab.routers.routeros.api import Api
from ppslab.routers.routeros.checks.findings import Facts, Finding, Needs
from ppslab.routers.routeros.rsc import versions
from ppslab.routers.routeros.rsc.statement import Statement

NAME = "version"

MOST = 8
"""More findings than these are counted."""


def of_version(api: Api, facts: Facts, needs: Needs) -> Iterator[Finding]:
    """Whether it is one that the labs are for, and knows every word of the run."""
    try:
        number = versions.parse(facts.version)
    except UsageError:
        yield Finding(NAME, "unknown", f"RouterOS calls itself {facts.resource['version']}")
        return
    table = versions.table()
    if number < versions.parse(table.oldest):
        said = f"RouterOS {facts.version}: the labs are for {table.oldest} and later"
        yield Finding(NAME, "warns", said, "/system/package/update/install")
    lacks = list(_lacks(api, facts, needs))
    yield from lacks[:MOST]
    if len(lacks) > MOST:
        yield Finding(
            NAME, "spoils", f"and {len(lacks) - MOST} more statements that it cannot take"
        )
    if not lacks:
        words = f", which knows every word of {len(needs.statements)} statements"
        said = f"RouterOS {facts.version}{words if needs.statements else ''}"
        yield Finding(NAME, "ok", said)


def _lacks(api: Api, facts: Facts, needs: Needs) -> Iterator[Finding]:
    known: dict[tuple[str, str], frozenset[str] | None] = {}
    platform: versions.Platform = "chr" if facts.chr else "hardware"
    said: set[tuple[str, str, str]] = set()
    for statement in needs.statements:
        at = (statement.menu, statement.command)
        if at not in known:
            known[at] = words_of(api, *at)
        for word in _unknown(statement, known[at]):
            if (*at, word) in said:
                continue
            said.add((*at, word))
            why = versions.lacking(*at, [word], facts.version, platform=platform)
            yield Finding(
                NAME,
                "spoils",
                f"{statement.where}: RouterOS {facts.version} has no {word or 'such menu'} "
                f"in {statement.menu}/{statement.command}",
                why[0].change.instead if why else _instead(facts, word),
            )


def _unknown(statement: Statement, known: frozenset[str] | None) -> list[str]:
    """The statement's words that the router lacks; an empty one: the command itself."""
    if known is None:
        return []
    if not known:
        return [""]
    return [word for word, _ in statement.properties if word.lstrip("!") not in known]


def _instead(facts: Facts, word: str) -> str:
    if facts.chr and not word:
        return (
            "a CHR has no switch chip: leave such conditions out (--condition names those to run)"
        )
    return "leave it out, or take the version that the condition was written for"


def words_of(api: Api, menu: str, command: str) -> frozenset[str] | None:
    """The words that a command takes on this router; empty where it has no such command.

    None where it does not tell.
    """
    path = ",".join([*menu.strip("/").split("/"), command])
    asked = {"request": "child", "path": path}
    try:
        found = api.run("/console/inspect", asked)
    except RefusedError:
        return None
    if not isinstance(found, list):
        return None
    rows = [row for row in found if isinstance(row, dict)]
    return frozenset(str(row["name"]) for row in rows if row.get("node-type") == "arg")
