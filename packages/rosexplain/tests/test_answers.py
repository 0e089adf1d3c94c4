"""Questions about exports, with their answers: `answers/*.yml`; and functions: `functions.yml`.

A file may begin with `parts`: texts that exports are made of, `<NAME>` in any text of it, or
`<NAME|a|b>` with a and b for its {0} and {1}.  Every group behind them has a `name`; `asks`, a
question or several (see `answer`); and `cases`, each what is put into the group's `text`, and the
answer behind it, unless the group has one for all.  What has no place {0}, {1} there or in a
question goes to the end; of several such texts, the first is replaced by the second.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest
import yaml
from asked import ask, of

from rosexplain import Explanation, sentences
from rosexplain.chip_vlans import chip_vlans
from rosexplain.noticed import filtered_by_cpu, noticed
from rosexplain.report import Answer
from rosexplain.rows import Row
from rosexplain.summary import summary, to_do

FOLDER = Path(__file__).with_name("answers")


def filled(text: str, parts: dict[str, str]) -> str:
    """A text with the parts that it names."""

    def part(match: re.Match[str]) -> str:
        name, *words = match[1].split("|")
        return put(parts[name], words) if name in parts else match[0]

    return re.sub(r"<([A-Z][A-Z_0-9]*(?:\|[^<>]*)?)>", part, text)


def put(text: str, words: list[str]) -> str:
    """A text with words in the places of its {0} and {1}."""
    for number, word in enumerate(words):
        text = text.replace(f"{{{number}}}", word)
    return text


def cases(path: Path) -> Iterator[tuple[str, list[str], str, Any]]:
    """The name of each group, its questions, an export, and what is answered."""
    parts: dict[str, str] = {}
    for group in yaml.safe_load(path.read_text(encoding="utf-8")):
        parts.update(group.get("parts", {}))
        asks = group.get("asks", [])
        asks = [asks] if isinstance(asks, str) else asks
        for case in group.get("cases", []):
            words = list(case) if isinstance(case, list) else [case]
            expected = group["answer"] if "answer" in group else words.pop()
            words = [filled(str(word), parts) for word in words]
            text = filled(group.get("text", ""), parts)
            places = re.findall(r"{(\d)}", text + " ".join(asks))
            rest = [word for at, word in enumerate(words) if str(at) not in places]
            text = put(text, words)
            if len(rest) > 1 and rest[0]:
                assert rest[0] in text, rest
                text, rest = text.replace(rest[0], rest[1]), rest[2:]
            text += "".join(rest)
            questions = [put(one, words) for one in asks]
            yield group["name"], questions, text, expected


def answer(explanation: Explanation, question: str) -> Any:
    """What is answered to a question.

    `met RULE...`, `lines RULE`, `lines RULE PROPERTY`, `menus RULE`: which rules hold, and the
    lines of one.  `sentence RULE...`: those that the answer has a sentence of.  `commands RULE...`:
    the commands of their notes.  `typed WORDS`, `changed WORDS`: the commands with these words, of
    what is to be done and of all changes of classes.  `optional WORDS`: whether what has them is
    left to the reader.  `first NAME`: of the first thing to do.  `chip commands`, `chip why WORDS`:
    of the one bridge whose VLANs the CPU filters.  `kept`; `class CLASS`; `ways CLASS`;
    `short NAME`; `net NAME`, and `MODULE.FUNCTION`, which is asked the router.
    """
    kind, _, words = question.partition(" ")
    net = explanation.net
    if kind in ("met", "lines", "menus"):
        rules = {**dict(noticed(explanation)), **explanation.met}
        rule, _, name = words.partition(" ")
        own = rules.get(rule, [])
        if kind == "met":
            return chosen(rules, words)
        if kind == "menus":
            return [line.menu for line in own]
        return [line.properties[name] if name else line.number for line in own]
    if kind == "net":
        return getattr(net, words)
    if kind == "class":
        return [one for one in explanation.classes if one.traffic.name == words]
    if kind == "chip":
        name, _, part = words.partition(" ")
        (row,) = chip_vlans(net, filtered_by_cpu(net))
        return row.commands if name == "commands" else part in row.why
    if kind == "ways":
        return of(explanation, words).ways
    if "." in kind:
        module, _, name = kind.partition(".")
        value = getattr(importlib.import_module(f"rosexplain.{module}"), name)(net)
        return chosen([one[0] for one in value if one[1]], words) if words else shown(value)
    plain = Answer(explanation).plain()
    if kind == "kept":
        return [row["kept"] for row in plain["kept"]]
    if kind == "sentence":
        return chosen([row["rule"] for row in plain["notes"] + plain["noticed"]], words)
    if kind == "commands":
        notes = [note for note in plain["notes"] if chosen([note["rule"]], words)]
        return [command for note in notes for command in note["commands"]]
    if kind == "short":
        return str(summary(sentences.named(plain))[words])
    changes = [change for row in plain["classes"] for change in row["changes"]]
    things = changes if kind == "changed" else to_do(plain)
    if kind == "first":
        return things[0][words]
    if kind == "optional":
        return [one["optional"] for one in things if words in "\n".join(one["commands"])]
    assert kind in ("typed", "changed"), question
    commands = [command for one in things for command in one["commands"] if words in command]
    return list(dict.fromkeys(commands))  # classes of packets have changes in common


def chosen(names: Any, patterns: str) -> list[str]:
    """The names that fit one of these patterns, in the order of the patterns."""
    return [name for one in patterns.split() for name in names if fnmatch(name, one)]


def shown(value: Any) -> Any:
    """What a function of ours returns, as a file has it."""
    if isinstance(value, list | tuple):
        rows = [one for one in value if not isinstance(one, tuple) or one[1]]
        if rows and isinstance(rows[0], tuple):
            return {rule: [line.number for line in lines] for rule, lines in rows}
        return [shown(row) for row in rows]
    if isinstance(value, Row):
        return value.name
    return " ".join([value.network, value.out]) if hasattr(value, "network") else value


def as_asked(value: Any, expected: Any) -> Any:
    """An answer as the file has it: yes or no, a number of things, or all of it."""
    if isinstance(expected, bool):
        return bool(value)
    if isinstance(expected, int):
        return len(value)
    return value or type(expected)()


EVERY = [
    pytest.param(questions, text, expected, id=f"{path.stem}: {name}")
    for path in sorted(FOLDER.glob("*.yml"))
    for name, questions, text, expected in cases(path)
]


@pytest.mark.parametrize(("questions", "text", "expected"), EVERY)
def test_the_answer_is_the_one_that_is_written_there(
    questions: list[str], text: str, expected: Any
) -> None:
    explanation = ask(text)
    answers = expected if len(questions) > 1 else [expected]
    for question, one in zip(questions, answers, strict=True):
        assert as_asked(answer(explanation, question), one) == one, question


FUNCTIONS = [
    pytest.param(group["call"], case[:-1], case[-1], id=f"{group['call']} {case[:-1]}")
    for group in yaml.safe_load(FOLDER.with_name("functions.yml").read_text(encoding="utf-8"))
    for case in group["cases"]
]


@pytest.mark.parametrize(("call", "arguments", "returned"), FUNCTIONS)
def test_a_function_returns_what_is_written_there(
    call: str, arguments: list[Any], returned: Any
) -> None:
    module, _, name = call.partition(".")
    value = getattr(importlib.import_module(f"rosexplain.{module}"), name)(*arguments)
    assert value == returned and type(value) is type(returned)
