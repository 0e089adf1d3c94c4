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
from tests.course.models.both import MODULES, NODE

ROOT = Path(__file__).resolve().parents[4]
CONTENTS = page_router.load(ROOT / "images/page-router")
LABS = sorted(path.parent.name for path in (ROOT / "labs").glob("[!_]*/tasks.yml"))


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
        empty: dict[str, Any] = {
            "at": "", "run": "", "done": {}, "solved": [], "hints": {},
        }  # fmt: skip
        self.state = empty | state
        self.told: list[str] = []
        self.answers: Callable[[Any], tuple[int, str, str]] = lambda ask: (0, "", "")
        self.plan = plan(tasks_of(name), CONTENTS)
        self.talk = Talk(json.dumps(self.plan), json.dumps(self.state))
        self.asks: list[list[Any]] = []

    def does(self, action: str, name: str, run: str = "one") -> Any:
        said = self.asked("begin", action, name, run, "2026-11-23T05:00:00Z")
        while "ask" in said:
            said = self.asked("go", json.dumps(self.answer(said["ask"])))
        return said.get("done", said)

    def asked(self, what: str, *given: str) -> Any:
        """What the engine says; kept, so that MicroPython can be asked the same."""
        said = json.loads(getattr(self.talk, what)(*given))
        self.asks.append([what, list(given), said])
        return said

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


REPLAY = f"""
import fs from "node:fs";
import {{ interpreter }} from "{ROOT}/web/src/micropython.js";
const {{ files, plan, state, asks }} = JSON.parse(fs.readFileSync(0));
const wasm = "{MODULES}/@micropython/micropython-webassembly-pyscript/micropython.wasm";
const python = await interpreter(files, wasm);
python.runPython(`
import sys
sys.path.insert(0, "/models")
from ppslab.course.tasks.engine.in_page import Talk
_talk = None
def _open(plan, state):
    global _talk
    _talk = Talk(plan, state)
def _begin(action, name, run, when):
    return _talk.begin(action, name, run, when)
def _go(answer):
    return _talk.go(answer)
`);
python.globals.get("_open")(plan, state);
const say = ([what, given]) => JSON.parse(python.globals.get("_" + what)(...given));
console.log(JSON.stringify(asks.map(say)));
"""


@pytest.mark.long
def test_micropython_judges_the_same() -> None:
    if not MODULES.is_dir():
        pytest.skip("web/node_modules is not here: make test installs it")
    page = Page("fasttrack")
    page.answers = counts(received=640, grows=0)
    state = json.dumps(page.state)
    for name in ("mark-them", "take-it-back"):
        for action in ("start", "hint", "check", "solve", "check", "blunder", "check", "reset"):
            page.does(action, name)
    made = subprocess.run(
        [sys.executable, ROOT / "scripts/site/models-for-pages", "tasks"],
        capture_output=True, check=True,
    )  # fmt: skip
    asked = {"files": json.loads(made.stdout), "plan": json.dumps(page.plan), "state": state,
             "asks": [ask[:2] for ask in page.asks]}  # fmt: skip
    done = subprocess.run(
        [NODE, "--input-type=module", "-e", REPLAY], capture_output=True, text=True, check=False,
        input=json.dumps(asked),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    assert json.loads(done.stdout) == [ask[2] for ask in page.asks]
