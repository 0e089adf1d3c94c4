"""Tasks for the router in the page: what it is told, what it cannot have, and its engine."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ppslab.course.page_tasks import OnlyPythonError, Why, absent, browser_expression, plan
from ppslab.course.tasks import reading
from ppslab.course.tasks.engine.in_page import Talk
from ppslab.model.lab import lab
from ppslab.testbed.backends import page_router

ROOT = Path(__file__).resolve().parents[4]
CONTENTS = page_router.load(ROOT / "images/page-router")
LABS = sorted(path.parent.name for path in (ROOT / "labs").glob("[!_]*/tasks.yml"))
NODE = Path(sys.executable).with_name("node")


def tasks_of(name: str) -> reading.Tasks:
    return reading.load(lab.find(name))


@pytest.mark.parametrize("name", LABS)
def test_every_task_is_there_or_is_said_not_to_be(name: str) -> None:
    tasks = tasks_of(name)
    made = plan(tasks, CONTENTS)
    there = [each["title"] for each in made["tasks"]] + [each["title"] for each in made["cannot"]]
    assert sorted(there) == sorted(task.title for task in tasks.all)
    assert json.loads(json.dumps(made)) is not None
    assert all(each["says"].endswith(".") for each in made["cannot"])


def test_a_topology_that_cannot_stand_takes_its_tasks_along() -> None:
    more = CONTENTS.model_copy(update={"features": CONTENTS.features | {"pppoe"}})
    found = absent(tasks_of("pppoe"), more)
    assert {each.why for each in found.values()} == {Why.TOPOLOGY}
    assert "node server" in found["right-session"].sentence


def test_nodes_are_told_what_a_live_lab_is_told() -> None:
    made = plan(tasks_of("fastpath"), CONTENTS)
    (step,) = made["conditions"]["routing-connection-tracking"]
    assert step["on"] == "dut" and "ct state new counter" in step["input"]
    first = made["tasks"][0]
    assert "fib_forward.o" in first["solve"][0]["input"]
    job = first["checks"][0]["traffic"]
    assert job["on"] == "tester" and job["argv"][:2] == ["ppstraffic", "run"]
    assert "name=r12,tx=p1,rx=p2" in " ".join(job["argv"])


SAMPLES = [
    "", "works\nworks\nworks\nworks", "4", "a\n4\nb", "tbf\nhtb", "fair\n", "up",
    "class htb 1:1 root rate 2Mbit ceil 2Mbit",
    "udp src=198.18.1.2 dst=198.18.2.2 sport=1 dport=443 [OFFLOAD] mark=0",
    'hook forward\n oifname "eoip1" tcp flags syn tcp option maxseg size set rt mtu',
    "ct state established,related counter name accepted accept",
]  # fmt: skip


def test_a_browser_finds_what_python_finds() -> None:
    """Every expression of a task that the page has, on texts of all kinds."""
    every = [
        each.removeprefix("!")
        for name in LABS
        for task in tasks_of(name).all
        for check in getattr(task.linux, "check", ())
        for each in check.expect
    ]
    pairs = []
    for each in every:
        try:
            pairs.append((each, *browser_expression(each)))
        except OnlyPythonError:
            assert "\\A" in each
    asked = [[source, flags, text] for _, source, flags in pairs for text in SAMPLES]
    program = (
        "const asked = JSON.parse(require('fs').readFileSync(0));"
        "console.log(JSON.stringify(asked.map(([s, f, t]) => new RegExp(s, f).test(t))))"
    )
    done = subprocess.run(
        [NODE, "-e", program], input=json.dumps(asked), capture_output=True, text=True, check=True
    )
    here = [
        re.search(each, text, re.MULTILINE) is not None for each, *_ in pairs for text in SAMPLES
    ]
    assert json.loads(done.stdout) == here
    assert any(here) and not all(here)


@pytest.mark.parametrize("text", [r"\Ayes\Z", "(?i)yes", "(?P<name>yes)", "y++"])
def test_what_only_python_reads_is_refused(text: str) -> None:
    with pytest.raises(OnlyPythonError):
        browser_expression(text)


class Page:
    """A page whose nodes note what they are told, and answer as they are said to."""

    def __init__(self, name: str, **state: Any) -> None:
        empty: dict[str, Any] = {"at": "", "run": "", "done": {}, "solved": [], "hints": {}}
        self.state = empty | state
        self.told: list[str] = []
        self.answers: Callable[[Any], tuple[int, str, str]] = lambda ask: (0, "", "")
        self.talk = Talk(json.dumps(plan(tasks_of(name), CONTENTS)), json.dumps(self.state))

    def does(self, action: str, name: str, run: str = "one") -> Any:
        said = json.loads(self.talk.begin(action, name, run, "2026-11-23T05:00:00Z"))
        while "ask" in said:
            said = json.loads(self.talk.go(json.dumps(self.answer(said["ask"]))))
        return said.get("done", said)

    def answer(self, ask: Any) -> Any:
        match ask["do"]:
            case "run":
                self.told.append(f"{ask['on']}: {ask['argv'][0]} {ask['input']}".strip())
                return self.answers(ask)
            case "save":
                self.state = ask["state"]
            case "match":
                return re.search(ask["source"], ask["text"], re.MULTILINE) is not None
            case "now":
                return 0.0
            case other:
                self.told.append(other)
        return None


def counts(received: int, grows: int) -> Callable[[Any], tuple[int, str, str]]:
    """Of 200 packets so many arrive, and each reading of a counter is so much higher."""
    seen = [0]

    def answer(ask: Any) -> tuple[int, str, str]:
        if ask["argv"][0] == "ppstraffic":
            return 0, json.dumps({"intended": 200, "received": received}), ""
        seen[0] += grows
        return 0, f"{seen[0]}\n", ""

    return answer


def test_a_task_is_begun_checked_and_done() -> None:
    page = Page("fastpath")
    page.does("start", "open-it")
    assert page.told[0] == "restore" and page.told[1].startswith("dut: sh")
    assert (page.state["at"], page.state["run"]) == ("open-it", "one")

    page.answers = counts(received=200, grows=200)
    found = page.does("check", "open-it")
    assert [each[1] for each in found["findings"]] == ["pass", "fail"]
    assert found["result"] == "fail" and page.state["done"] == {}

    page.answers = counts(received=199, grows=0)
    assert page.does("check", "open-it")["result"] == "pass"
    assert page.state["done"] == {"open-it": "2026-11-23T05:00:00Z"}
    del page.told[:]
    page.does("start", "drop-one-stream")
    assert page.told == [], "the next one begins on what the learner made"


def test_another_router_knows_nothing_of_what_was_begun() -> None:
    page = Page("fastpath", at="open-it", run="one")
    assert page.does("check", "open-it", run="two")["failed"]


def test_what_a_node_says_of_a_failed_step_is_told() -> None:
    page = Page("fastpath")
    page.does("start", "open-it")
    page.answers = lambda ask: (1, "", "RTNETLINK answers: No such file\n")
    said = page.does("solve", "open-it")
    assert said == {"failed": "open-it, solve: RTNETLINK answers: No such file"}
    assert page.state["solved"] == []
