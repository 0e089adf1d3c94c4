"""What the tools say to a sheet, and whether its answer is theirs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.complaints.sheets import LISTS, Sheet
from ppslab.course.learning import slow as dialogue
from ppslab.course.models import slow as printed
from rosexplain import explain, read_export, report, sentences, summary, text
from rosexplain.decide import (
    BRIDGE_FAST,
    CHIP,
    CHIP_FASTTRACK,
    DROPPED,
    FAST,
    FASTTRACK,
    FORWARD,
    HALF,
    SLOW,
)

WAYS = {
    "fasttrack": {FASTTRACK}, "fast": {FAST, BRIDGE_FAST, FORWARD}, "slow": {SLOW},
    "chip": {CHIP, CHIP_FASTTRACK}, "half": {HALF}, "dropped": {DROPPED},
}  # fmt: skip
CLASSES = {"established": "established", "between": "lan-to-lan", "ipv6": "ipv6"}
KINDS = {"bridged": ("bridged",), "tunnel": ("carried", "protected")}
ROOT = Path(__file__).resolve().parents[2]
FREE_MBIT = (0.9, 1.1)
"""What an owner sees as 1 Mbit/s, the rate of the free licence: from, to."""
PORTS = (100, 1000, 2500, 5000)
"""The rates of ports that a rate below the expected one can come from [Mbit/s]."""
FULL_PORT = 0.9
"""A port's share that data take, from which on its rate is seen."""
NOTHING = "nothing-left"
"""The end of the dialogue that names no cause."""

IMPLIED: dict[tuple[str, str], dict[str, str]] = {
    ("has", "queues"): {"queues": "no"}, ("hasnot", "queues"): {"queues": "yes"},
    ("has", "no-fasttrack-rule"): {"path": "no", "rule": "none"},
    ("cores", "yes"): {"cpu": "idle"}, ("cores", "no"): {"cpu": "full"},
    ("one-core", "no"): {"cpu": "one-core-full"},
    ("cipher", "no"): {"busy": "encrypting"}, ("task", "no"): {"busy": "routing"},
    ("path", "yes"): {"path": "yes"}, ("path", "no"): {"path": "no"},
    ("fast-path", "yes"): {"path": "fast"}, ("cable", "no"): {"has": "wifi-test"},
    ("rule", "yes"): {"rule": "yes"}, ("rule", "no"): {"rule": "zero"},
    ("marks", "yes"): {"both-lines": "yes"}, ("marks", "no"): {"both-lines": "no"},
}  # fmt: skip
"""Answers to the dialogue's questions that follow from a fact, the stronger ones last."""


class Score(IntEnum):
    """A sheet's outcome, the best last; harm is never made good by another tool."""

    HARMFUL = 0
    MISSED = 1
    WRONG = 2
    PART = 3
    SOLVED = 4

    @property
    def word(self) -> str:
        """The column of the table: harm is wrong."""
        return "wrong" if self is Score.HARMFUL else self.name.lower()


@dataclass(frozen=True)
class Outcome:
    """A tool's score of a sheet, with the reason in words.

    Of the dialogue also the questions that it asked, and whether one of the sheet's causes is the
    end or among those that it offers beside.
    """

    tool: str
    score: Score
    why: str
    questions: int = 0
    shown: bool = False


def scored(sheet: Sheet) -> tuple[Score, list[Outcome]]:
    """The score of all tools together, and each tool's own."""
    outcomes = []
    if sheet.export:
        outcomes.append(_explained(sheet))
    if sheet.kind != "export" and (sheet.known or sheet.printed):
        outcomes.append(_walked(sheet))
    scores = [outcome.score for outcome in outcomes]
    if Score.HARMFUL in scores:
        return Score.HARMFUL, outcomes
    return max(scores, default=Score.MISSED), outcomes


def _explained(sheet: Sheet) -> Outcome:
    export = read_export(sheet.export, "export.rsc")
    plain = report.with_costs(report.Answer(explain([export])).plain(), {})
    answer = summary.summary(sentences.named(plain))
    lines = " ".join(text.short(answer, 2000))
    every = [line for thing in summary.to_do(plain) for line in thing["commands"]]
    asked = [line for thing in answer["to_do"] if not thing["optional"]
             for line in thing["commands"]]  # fmt: skip
    offered = [line for thing in answer["to_do"] for line in thing["commands"]]

    harm = [pattern for pattern in sheet.harmful if _matches(pattern, every)]
    if harm:
        return Outcome("explain", Score.HARMFUL, f"harmful: {harm[0]}")
    absent = [pattern for pattern in sheet.names if not _matches(pattern, [lines])]
    astray = [f"{name} is {_ways(plain, name) or 'none'}, not {way}"
              for name, way in sheet.paths.items() if not _takes(plain, name, way)]  # fmt: skip
    done = any(_matches(pattern, offered) for pattern in sheet.does) if sheet.does else not asked
    faults = [*(f"does not name {pattern}" for pattern in absent), *astray]
    if not faults and done:
        return Outcome("explain", Score.SOLVED, "")
    if not faults:
        return Outcome("explain", Score.PART, f"commands: {'; '.join(asked) or 'none'}")
    if answer["fast"] and sheet.does:
        return Outcome("explain", Score.WRONG, f"nothing to change; {faults[0]}")
    return Outcome("explain", Score.WRONG if astray else Score.MISSED, "; ".join(faults))


def _matches(pattern: str, lines: Iterable[str]) -> bool:
    return any(re.search(pattern, line, re.IGNORECASE) for line in lines)


def _rows(plain: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    return [row for row in plain["classes"]
            if row["class"] == CLASSES.get(name) or row["kind"] in KINDS.get(name, ())]  # fmt: skip


def _ways(plain: Mapping[str, Any], name: str) -> str:
    return "/".join(sorted({way for row in _rows(plain, name) for way in row["paths"]}))


def _takes(plain: Mapping[str, Any], name: str, way: str) -> bool:
    rows = _rows(plain, name)
    if way == "none":
        return not rows
    return any(WAYS[way] & set(row["paths"]) for row in rows)


@cache
def talk() -> dialogue.Dialogue:
    """The dialogue of book/slow.yml."""
    return dialogue.load(ROOT / dialogue.FILE)


def _walked(sheet: Sheet) -> Outcome:
    known = answers(sheet)
    asked, end, settled = talk().through(known)
    given = {name: known.get(name, dialogue.UNKNOWN) for name in asked}
    offered = [] if settled else talk().offers(given, end)
    shown = any(cause in sheet.causes for cause in (end, *offered))
    if end in sheet.causes:
        return Outcome("dialogue", Score.SOLVED, end, len(asked), shown)
    passed = (answer.cause for name in asked for answer in talk().asked[name].answers.values())
    near = shown or any(cause in sheet.causes for cause in passed)
    score = Score.WRONG if settled else Score.PART if near else Score.MISSED
    why = f"ends at {end}" + (f", offers {', '.join(offered)}" if offered else "")
    return Outcome("dialogue", score, why, len(asked), shown)


def _compared(expected: float, measured: float, *, chr_: bool) -> str:
    """How an owner compares the rate with the expected one [Mbit/s].

    A rate far above it was expected as a limit, and is no answer.
    """
    if chr_ and FREE_MBIT[0] <= measured <= FREE_MBIT[1]:
        return "one"
    if measured > 1.5 * expected:
        return dialogue.UNKNOWN
    if measured >= 0.94 * expected:
        return "near"
    slower = any(FULL_PORT * rate <= measured <= rate < expected for rate in PORTS)
    return "slower-port" if slower else "lower"


def answers(sheet: Sheet) -> dict[str, str]:
    """What the owner answers: what follows from facts, then what is known, then what was read."""
    questions = talk().asked
    given: dict[str, str] = {}
    facts = [(name, word) for name, value in sheet.known.items()
             for word in (value if isinstance(value, list) else [str(value)])]  # fmt: skip
    there = [word for name, word in facts if name == "has" and word in questions["has"].answers]
    for fact, implied in IMPLIED.items():
        if fact in facts:
            there += [implied["has"]] if "has" in implied else []
            given |= {name: word for name, word in implied.items() if name != "has"}
    if given.get("rule") == "zero" and ("has", "no-fasttrack-rule") in facts:
        given["rule"] = "none"
    for name, word in facts:
        question = questions.get(name)
        if name not in LISTS and question is not None and word in question.answers:
            given[name] = word
    given["has"] = ",".join(there)
    if "measured" in sheet.known:
        measured = float(str(sheet.known["measured"]))
        expected = float(str(sheet.known.get("expected", 0)))
        given["figures"] = _compared(expected, measured, chr_=("has", "chr") in facts)
    if sheet.printed:
        reading = printed.answer({"printed": {"text": sheet.printed}}, talk().facts())
        for row in reading["answers"]:
            if row["answer"]:
                given[row["question"]] = row["answer"]
    return given
