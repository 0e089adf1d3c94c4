"""Lines taken as gone, by number as a reader gives them, and what is different without them."""

from __future__ import annotations

from typing import Any

from ppslab.theory.packet_path.explain.asking import Explained, explain
from ppslab.theory.packet_path.explain.joining import class_of
from ppslab.theory.packet_path.exports.reading import Export

LONGEST = 9
"""Digits of a line's number."""


def lines_of(export: Export, number: int) -> list[tuple[str, int]]:
    """The commands that stand on a line, or go on there: file and first line of each."""
    found: list[tuple[str, int]] = []
    for command in export.commands:
        if command.number <= number <= command.last:
            place = (export.file, command.number)
            found += [] if place in found else [place]
    return found


def numbered(word: str) -> int:
    """A line's number; ValueError where the word is none."""
    if not word or len(word) > LONGEST or any(letter not in "0123456789" for letter in word):
        raise ValueError("give the number of a line, such as 12")
    return int(word)


def left_out(export: Export, words: list[str]) -> list[tuple[str, int]]:
    """The commands of these lines; ValueError where a line configures nothing."""
    found: list[tuple[str, int]] = []
    for word in words:
        gone = lines_of(export, numbered(word))
        if not gone:
            raise ValueError("line " + word + " configures nothing: give that of an add or a set")
        found += [place for place in gone if place not in found]
    return found


def changed(found: Explained) -> list[dict[str, Any]]:
    """The classes whose path is another with all lines there; empty where none were left out.

    `before` and `after`: answer and paths, None where there are no such packets.
    """
    if not found.without:
        return []
    net = found.net
    whole = explain(net.exports, net.base, None, found.evidence, net.version)
    rows: list[dict[str, Any]] = []
    for each in found.classes:
        other = class_of(whole.classes, each.traffic)
        before = None if other is None else [other.answer, other.ways]
        if before != [each.answer, each.ways]:
            after = [each.answer, each.ways]
            rows.append({"title": each.traffic.title, "before": before, "after": after})
    for each in whole.classes:
        if class_of(found.classes, each.traffic) is None:
            before = [each.answer, each.ways]
            rows.append({"title": each.traffic.title, "before": before, "after": None})
    return rows
