"""Ask about a text, as the tests of `explain` do."""

from __future__ import annotations

from typing import Any

from ppslab.theory.packet_path import rules
from ppslab.theory.packet_path.explain.asking import Explained, explain
from ppslab.theory.packet_path.explain.deciding import Decided
from ppslab.theory.packet_path.exports.reading import parsed


def ask(*texts: str, **words: Any) -> Explained:
    exports = [parsed(text, f"{number}.rsc") for number, text in enumerate(texts, start=1)]
    return explain(exports, rules.plain(), **words)


def of(found: Explained, name: str) -> Decided:
    """The class of a name, or the one that its bridge or tunnel is in with others alike."""
    return next(
        each
        for each in found.classes
        if each.traffic.name == name
        or any(f"{each.traffic.kind}-{member}" == name for member in each.traffic.members)
    )


def said(text: str, name: str = "established", **words: Any) -> tuple[str, list[str]]:
    """The answer and the ways of a class."""
    decided = of(ask(text, **words), name)
    return decided.answer, decided.ways


def lines(text: str, name: str = "established") -> dict[str, list[int]]:
    """The lines that decide, by the rule."""
    reasons = of(ask(text), name).reasons
    return {r.rule or r.fact: [line.number for line in r.lines] for r in reasons}
