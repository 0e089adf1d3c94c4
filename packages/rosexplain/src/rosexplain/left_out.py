"""Lines of an export that are taken as gone, and what changes without them."""

from __future__ import annotations

from typing import Any

from rosexplain.alike import class_of
from rosexplain.classify import Explanation, explain
from rosexplain.parse import Export

LONGEST = 9
"""Digits of a line's number."""


def lines_of(export: Export, number: int) -> list[tuple[str, int]]:
    """The commands that stand on a line, or go on there: file and first line of each."""
    commands: list[tuple[str, int]] = []
    for command in export.commands:
        if command.number <= number <= command.last:
            place = (export.file, command.number)
            commands += [] if place in commands else [place]
    return commands


def numbered(word: str) -> int:
    """A line's number; ValueError where the word is none."""
    if not word or len(word) > LONGEST or any(letter not in "0123456789" for letter in word):
        raise ValueError("give the number of a line, such as 12")
    return int(word)


def left_out(export: Export, words: list[str]) -> list[tuple[str, int]]:
    """The commands of these lines; ValueError where a line configures nothing."""
    commands: list[tuple[str, int]] = []
    for word in words:
        gone = lines_of(export, numbered(word))
        if not gone:
            raise ValueError("line " + word + " configures nothing: give an add or a set")
        commands += [place for place in gone if place not in commands]
    return commands


def changed(explanation: Explanation) -> list[dict[str, Any]]:
    """The classes whose path is another with all lines there; empty where none were left out.

    `before` and `after`: answer and paths, None where there are no such packets.
    """
    if not explanation.without:
        return []
    net = explanation.net
    whole = explain(net.exports, net.base, None, explanation.evidence, net.version)
    rows: list[dict[str, Any]] = []
    for verdict in explanation.classes:
        other = class_of(whole.classes, verdict.traffic)
        before = None if other is None else [other.answer, other.ways]
        if before != [verdict.answer, verdict.ways]:
            after = [verdict.answer, verdict.ways]
            rows.append({"title": verdict.traffic.title, "before": before, "after": after})
    for verdict in whole.classes:
        if class_of(explanation.classes, verdict.traffic) is None:
            before = [verdict.answer, verdict.ways]
            rows.append({"title": verdict.traffic.title, "before": before, "after": None})
    return rows
