"""Whatever decides by "RouterOS does X" has its source in data, and says it in the same words."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from ppslab.core import documents
from ppslab.core.documents import fitting
from ppslab.core.errors import FileError
from ppslab.course.learning import quiz
from ppslab.course.tasks import reading
from ppslab.course.tasks.schema import RouterOSSide
from ppslab.course.widgets.facts import packet_path
from ppslab.model import manual
from ppslab.model.lab import lab as labs
from ppslab.model.planning import limits
from ppslab.testbed.routers.routeros.rsc import versions
from rosexplain.base import RULES, rules

ROOT = Path(__file__).parents[3]


def flat(text: str) -> str:
    return " ".join(text.split())


# --- a statement without a source is found ---------------------------------------------------


@pytest.mark.parametrize(
    ("file", "shape", "old", "new"),
    [
        (versions.FILE, versions.Table, "    facts: [tree-hw-offload]\n", ""),
        (versions.FILE, versions.Table, "[tree-hw-offload]", "[]"),
        (versions.FILE, versions.Table, "[tree-hw-offload]", "[tree-hw-offlaod]"),
        (versions.HARDWARE, versions.Kept, "    facts: [l3hw-menus, acl-first-match]\n", ""),
    ],
)
def test_a_change_between_versions_and_a_menu_of_hardware_have_one(
    tmp_path: Path, file: Path, shape: type, old: str, new: str
) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text
    changed = tmp_path / file.name
    changed.write_text(text.replace(old, new))
    with pytest.raises(FileError) as caught:
        fitting.validate(documents.load_yaml(changed), shape)
    assert caught.value.line


def test_a_rule_of_the_widget_has_one(tmp_path: Path) -> None:
    file = tmp_path / "packet_path.yml"
    text = packet_path.FILE.read_text(encoding="utf-8")
    for old, new in (
        ("{name: simple-queues,", "{name: simple-queue,"),
        ("  - l3hw-both-ports\n", "  - l3hw-both-port\n"),
    ):
        assert old in text
        file.write_text(text.replace(old, new, 1))
        packet_path.manual.cache_clear()
        with pytest.raises(FileError) as caught:
            packet_path.manual(file)
        assert caught.value.line
    packet_path.manual.cache_clear()


def test_every_list_that_closes_the_fast_path_has_one() -> None:
    """What doctor says of a router's settings: tests/testbed/routers/routeros/test_checks.py."""
    named = [fact for rule in rules().values() for fact in rule["closes"].values()]
    assert named and all(manual.fact(each).says for each in named)


# --- the same row, wherever it is said --------------------------------------------------------


def test_widget_and_planner_say_the_manual_s_own_row() -> None:
    known = manual.load()
    for name, says, *_ in packet_path.facts()["rules"]:
        assert says == known[name].says
    for limit in limits.limits().values():
        assert limit.says == " ".join(known[name].says for name in limit.facts)
    both = {name for limit in limits.limits().values() for name in limit.facts}
    assert both & set(packet_path.rules())


def test_a_row_is_typed_in_one_place() -> None:
    """A sentence copied into a page or another table would go its own way."""
    files = [
        *ROOT.glob("book/**/*.md"),
        *ROOT.glob("labs/*/*.yml"),
        *ROOT.glob("src/ppslab/**/*.csv"),
    ]
    files += [*RULES.glob("*.yml"), packet_path.FILE]
    files += [versions.FILE, versions.HARDWARE]
    texts = {file: flat(file.read_text(encoding="utf-8")) for file in files}
    for told in manual.load().values():
        copied = [file for file, text in texts.items() if flat(told.says) in text]
        assert not copied, f"{told.id} is typed again in {copied}"


# --- tasks and quizzes ----------------------------------------------------------------------------


PLAIN = {
    "fastpath": {"right-order", "full-frames", "fair-shares"},
    "eoip": {"build-the-tunnel", "widen-the-path", "let-it-through", "same-port"},
    "hundred": {"all-eight", "twelfth", "big-packets", "notice-sooner"},
    "numa": {"short-way", "one-socket-bond"},
    "pppoe": {
        "right-session",
        "whole-packets",
        "fitting-segments",
        "together-again",
        "home-address",
        "home-segments",
    },
    "queues": {"busiest-first"},
}
"""By lab, tasks that configure what every router has: order of rules, MTU, addresses, ports, a
peer's allowed addresses."""

ROUTEROS = re.compile(
    r"RouterOS|fast path|fast-?track|hardware|`/(ip|ipv6|interface|tool|system|routing)\b|"
    r"clamp-tcp-mss|simple queue|IPsec policy|l3-hw-offloading|CCR|CRS",
    re.IGNORECASE,
)
OF_ANY_ROUTER = {
    "fastpath ten-more-rules",
    "fastpath large-frames",
    "fasttrack how-much",
    "l3offload many-flows",
    "measuring mikrotik-tables",
    "eoip who-cuts",
}
"""Questions that name RouterOS, and whose answer hangs on arithmetic or on what was measured."""


@pytest.mark.parametrize("name", labs.names())
def test_a_task_on_routeros_names_what_it_rests_on(name: str) -> None:
    sides = {task.name: task.routeros for task in reading.load(labs.find(name)).all}
    without = {n for n, s in sides.items() if isinstance(s, RouterOSSide) and not s.facts}
    assert without == PLAIN.get(name, set())


def test_a_question_about_routeros_names_what_its_answer_rests_on() -> None:
    without = set()
    for name in quiz.names():
        for label, question in quiz.find(name).questions.items():
            right = " ".join(question.answers[letter].says for letter in question.right)
            if ROUTEROS.search(f"{question.ask} {right}") and not question.facts:
                without.add(f"{name} {label}")
    assert without - OF_ANY_ROUTER == set()


def test_a_fact_that_nobody_wrote_down_is_told_with_its_line(tmp_path: Path) -> None:
    text = (ROOT / "labs/fasttrack/tasks.yml").read_text(encoding="utf-8")
    old = "facts: [fasttrack-nat]"
    folder = tmp_path / "labs/fasttrack"
    shutil.copytree(ROOT / "labs/fasttrack", folder)
    (folder / "tasks.yml").write_text(text.replace(old, "facts: [fasttrack-nta]"))
    with pytest.raises(FileError, match='"fasttrack-nat"') as caught:
        reading.load(labs.load(folder))
    assert caught.value.line == text[: text.index(old)].count("\n") + 1
