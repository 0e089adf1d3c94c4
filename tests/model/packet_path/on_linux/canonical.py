"""Rules of nft in one spelling, so that two authors' files can be compared."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import NamedTuple


class Ruleset(NamedTuple):
    """What packets meet: rules by their hook, whether connections are tracked, flowtables."""

    chains: dict[str, list[str]]
    tracked: bool
    flowtables: list[str]


ASIDE = ("table", "delete", "counter accepted", "counter marked", "elements")
_COMMENT = re.compile(r' comment "[^"]*"')
_NAMED = re.compile(r"counter name \S+")


def ruleset(texts: list[str]) -> Ruleset:
    """The rules of several files, in the order of the files; tables and counters lose their
    names, and rules their comments.

    A chain that is jumped to is put in the place of its name.
    """
    hooks: dict[str, list[str]] = defaultdict(list)
    others: dict[str, list[str]] = {}
    flowtables: list[str] = []
    tracked = False
    for text in texts:
        where: list[str] = []
        for raw in text.splitlines():
            line = raw.split("#")[0].strip() if '"' not in raw else raw.strip()
            opened = re.fullmatch(r"(chain|flowtable|map|set) (\S+) \{", line)
            if opened:
                where = others.setdefault(opened[2], []) if opened[1] == "chain" else []
                if opened[1] == "flowtable":
                    where = flowtables
            elif line.startswith("type ") and (hook := re.match(r"type .*policy accept;", line)):
                where = hooks[hook[0].replace("routeros-", "")]
            elif line not in ("", "}") and not line.startswith(ASIDE):
                where.append(_COMMENT.sub("", _NAMED.sub("counter", line)))
                tracked = tracked or "ct state" in line
    for lines in [*hooks.values(), *others.values()]:
        for number, line in enumerate(lines):
            if jump := re.search(r"jump (\S+)", line):
                inside = "; ".join(others[jump[1]]).replace("meta l4proto icmp icmp", "icmp")
                lines[number] = line.replace(jump[0], f"jump [ {inside} ]")
    return Ruleset(
        {hook: lines for hook, lines in hooks.items() if lines}, tracked, sorted(set(flowtables))
    )
