"""Tasks and quizzes that rest on what RouterOS does name it; and what they once had wrong."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from ppslab.core.errors import FileError
from ppslab.course.learning import quiz
from ppslab.course.tasks import reading
from ppslab.course.tasks.schema import RouterOSSide
from ppslab.model.lab import lab as labs

ROOT = Path(__file__).parents[3]

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
