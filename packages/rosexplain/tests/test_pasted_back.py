"""Every remedy of every case is pasted back, and the promised path comes true.

Typed behind the export, as the export of the changed router has them, its commands give the answer
that was promised, and nothing that is warned of is new.
"""

from __future__ import annotations

import os
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from transcript import CASES as FILES
from transcript import Case, read

from rosexplain import explain, matching, parse, probes, remedy, report
from rosexplain.alike import class_of
from rosexplain.base import rules
from rosexplain.classify import Explanation

CASES = [
    pytest.param(case, id=f"{file.stem}: {case.name}")
    for file in sorted(FILES.glob("*.txt"))
    for case in read(file)
    if isinstance(case, Case) and not (case.packets or case.without or case.printed)
]
"""The cases that are an export alone, without what was printed."""
FOLDER = os.environ.get("PPSLAB_EXPORTS", "")
"""Exports of others, of which none may be kept here (tests/README.md)."""
OF_OTHERS = sorted(Path(FOLDER).glob("*.rsc")) if FOLDER else []

PLACEHOLDERS = {"ADDRESS": "198.18.0.9", "INTERFACE": "ether1"}
"""What the reader puts in."""


def filled(command: str) -> str:
    for word, value in PLACEHOLDERS.items():
        command = command.replace(f"={word}", f"={value}")
    return command


def typed_of(change: dict[str, Any]) -> list[str]:
    """The commands of a change that are typed; an update is told."""
    commands = [filled(command) for command in change["commands"]]
    return [one for one in commands if not one.endswith("update install")]


def warned(explanation: Explanation) -> set[str]:
    noted = matching.notes(explanation.net.base, explanation.met)
    return set(noted) | set(remedy.off_chip(explanation))


def offered(plain: dict[str, Any]) -> list[tuple[dict[str, Any] | None, dict[str, Any]]]:
    """The changes, each with the class that it is for; None for those of a note."""
    changes: list[tuple[dict[str, Any] | None, dict[str, Any]]] = [
        (row, change) for row in plain["classes"] for change in row["changes"]
    ]
    return changes + [(None, note) for note in plain["notes"] if note["commands"]]


@cache
def answered(*texts: str) -> tuple[Explanation, dict[str, Any]]:
    """A router's exports, explained once for both questions."""
    before = explain([parse.parsed(text, f"{n}.rsc") for n, text in enumerate(texts, start=1)])
    return before, report.Answer(before).plain()


@pytest.mark.parametrize("case", CASES)
def test_what_a_remedy_promises_comes_true_and_it_harms_nobody_and_is_undone(case: Any) -> None:
    promised(*case.exports)
    harmless(*case.exports)


def promised(*texts: str) -> None:
    """Paste each remedy back, and see that its answer is the one that was promised."""
    before, plain = answered(*texts)
    traffic = {
        row["title"]: one.traffic for row, one in zip(plain["classes"], before.classes, strict=True)
    }
    for row, change in offered(plain):
        commands = typed_of(change)
        text = texts[0].rstrip("\n")
        if change["update"]:
            # Only RouterOS 6 leaves a computer's header empty: it stays what it is.
            model = f"\n# model = {before.net.model}" if before.net.virtual else ""
            new = rf"\g<1>{before.net.base['read_for']}{model}"
            text = re.sub(r"(by RouterOS )\S+", new, text)
        pasted = parse.parsed("\n".join([text, *commands, ""]), "1.rsc")
        after = explain([pasted, *before.net.exports[1:]])
        unread = {line.begins for line in before.net.rows.unread}
        assert {line.begins for line in after.net.rows.unread} <= unread, commands
        # Queues that go by marks are what such a change says that it gives up.
        given_up = {remedy.UNLIMITED} if change["gives_up"] else set()
        # The new RouterOS lets the chip forward, and so shows what hw=no keeps from it.
        given_up |= {"ports-left-to-cpu", "ports-kept-from-chip"} if change["update"] else set()
        # Strangers could ask what is joined to the network as much before.
        rule = before.net.rules.by_id.get(change["rule"], {})
        given_up |= {"open-resolver"} if "joined" in rule.get("intends", ()) else set()
        # Behind FastTrack, only the queues without a limit are named, not the marks for them.
        given_up |= {"queue-limitless"} if "mark-for-nothing" in before.met else set()
        assert warned(after) <= warned(before) | given_up, commands
        if row is None:
            assert change["rule"] not in after.met, commands
            continue
        now = class_of(after.classes, traffic[row["title"]])
        assert now is not None, commands
        assert (now.answer, now.ways) == (change["then"]["answer"], change["then"]["paths"]), (
            commands
        )


def harmless(*texts: str) -> int:
    """Ask the probes of a router about each of its remedies and what undoes it; how many it has."""
    before, plain = answered(*texts)
    exports, asked = before.net.exports, probes.Asked(before)
    changes = [change for _, change in offered(plain) if typed_of(change)]
    for change in changes:
        typed = "\n".join(typed_of(change))
        after = explain([*exports, parse.parsed(typed, "typed")])
        rule = rules().get(change["rule"], {})
        harms = [one for one in asked.harms(after) if not remedy.intended(rule, before, one)]
        assert not [harm.kind for harm in harms if harm.kind in probes.NEVER], change
        missed = [harm for harm in harms if harm.kind != probes.COUNTED]
        assert change["gives_up"] or not missed, change
        assert len(change["given_up"] + change["logged"]) >= bool(missed), change
        assert change["undo"], change
        undone = "\n".join([typed, *(filled(command) for command in change["undo"])])
        commands = parse.parsed(undone, "typed")
        back = explain([*exports, commands])
        for menu in {command.menu for command in commands.commands}:
            assert rows(back, menu) == rows(before, menu), change
        for one in before.classes:
            same = class_of(back.classes, one.traffic)
            assert same is not None and (same.answer, same.ways) == (one.answer, one.ways), change
        assert not asked.harms(back), change
    return len(changes)


def rows(explanation: Explanation, menu: str) -> list[tuple[int, bool]]:
    """The rows of the exports, in their order, with which are on; a setting may be said anew."""
    every = explanation.net.rows.all_of(menu)
    return [(row.first.number, row.on) for row in every if row.first.file != "typed"]


@pytest.mark.parametrize("path", OF_OTHERS, ids=lambda path: path.name)
def test_no_remedy_of_an_export_of_others_does_harm(path: Path) -> None:
    harmless(path.read_text(encoding="utf-8", errors="replace"))
