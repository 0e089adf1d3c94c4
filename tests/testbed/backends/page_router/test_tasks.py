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
from ppslab.course.site.directives import page_router as directive
from ppslab.course.tasks import reading
from ppslab.course.tasks.engine import chip
from ppslab.course.tasks.engine.in_page import Talk
from ppslab.course.tasks.linux import chip_words
from ppslab.model.lab import lab
from ppslab.testbed.backends import page_router
from ppslab.testbed.backends.page_router import load
from tests.course.models.both import MODULES, NODE
from tests.support import sphinx_site

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


def test_what_a_node_says_of_a_failed_step_is_told() -> None:
    page = Page("fastpath")
    page.does("start", "open-it")
    page.answers = lambda ask: (1, "", "RTNETLINK answers: No such file\n")
    said = page.does("solve", "open-it")
    assert said == {"failed": "open-it, solve: RTNETLINK answers: No such file"}
    assert page.state["solved"] == []


RUN = f"""
import fs from "node:fs";
import {{ interpreter }} from "{ROOT}/web/src/node.mjs";
const {{ files, code, calls }} = JSON.parse(fs.readFileSync(0));
const python = await interpreter(files);
python.runPython(code);
const call = ([name, words]) => JSON.parse(python.globals.get(name)(...words));
console.log(JSON.stringify(calls.map(call)));
"""


def in_page(code: str, calls: list[tuple[str, list[str]]]) -> list[Any]:
    """What functions of this code return, as JSON, where the page's MicroPython runs it."""
    if not MODULES.is_dir():
        pytest.skip("web/node_modules is not here: make test installs it")
    made = subprocess.run(
        [sys.executable, ROOT / "scripts/site/models_for_pages.py", "tasks"],
        capture_output=True, check=True,
    )  # fmt: skip
    page = subprocess.run(
        [NODE, "--input-type=module", "-e", RUN], capture_output=True, text=True, check=False,
        input=json.dumps({"files": json.loads(made.stdout), "code": code, "calls": calls}),
    )  # fmt: skip
    assert page.returncode == 0, page.stderr[-3000:] + page.stdout[-3000:]
    answers: list[Any] = json.loads(page.stdout)
    return answers


TALKS = """
import sys
sys.path.insert(0, "/models")
from ppslab.course.tasks.engine.in_page import Talk
talk = None
def open(plan, state):
    global talk
    talk = Talk(plan, state)
    return "null"
def begin(*words):
    return talk.begin(*words)
def go(answer):
    return talk.go(answer)
"""


@pytest.mark.long
def test_micropython_judges_the_same() -> None:
    page = Page("fasttrack")
    page.answers = counts(received=640, grows=0)
    begun = ("open", [json.dumps(page.plan), json.dumps(page.state)])
    for name in ("mark-them", "take-it-back"):
        for action in ("start", "hint", "check", "solve", "check", "blunder", "check", "reset"):
            page.does(action, name)
    answers = in_page(TALKS, [begun, *((what, given) for what, given, _ in page.asks)])
    assert answers[1:] == [said for *_, said in page.asks]


# --- a page with a router and tasks, as Sphinx makes it, and pages that have none: they say why ---


CONFIG = """
extensions = ["myst_parser", "sphinx_design", "ppslab.course.site.directives"]
html_theme = "basic"
"""

MANIFEST = {
    "v86": "1.2.3", "memory_mb": 192, "words": "console=ttyS0", "boot_seconds": 20.0,
    "programs": sorted(load(ROOT / "images/page-router").programs()), "state": "state-1.zst",
    "files": {"state-1.zst": {"bytes": 5, "sha256": ""}},
}  # fmt: skip


def built(folder: Path, page: str, *, router: bool = True) -> str:
    (folder / "conf.py").write_text(CONFIG)
    (folder / "index.md").write_text(f"# Front\n\n{page}")
    (folder / "images").mkdir()
    (folder / directive.SOURCES).symlink_to(ROOT / directive.SOURCES)
    static = folder / directive.STATIC
    (folder / directive.FOLDER).mkdir(parents=True)
    for name in (*directive.BESIDES, *directive.FOR_TASKS):
        (static / name).write_bytes(b"x")
    if router:
        (folder / directive.FOLDER / "manifest.json").write_text(json.dumps(MANIFEST))
    assert not sphinx_site.build(folder, folder / "out")
    return (folder / "out/index.html").read_text(encoding="utf-8")


def directive_of(topology: str, lab: str) -> str:
    return f"```{{page-router}} {topology}\n:tasks: {lab}\n```\n"


@pytest.mark.long
def test_a_page_has_the_tasks_and_says_which_are_missing(tmp_path: Path) -> None:
    page = directive_of("fasttrack", "fasttrack")
    html = built(tmp_path, page.replace("\n```\n", "\n\nPress *Start*.\n```\n"))
    assert "Press <em>Start</em>." in html
    found = re.search(r'<script type="application/json">(.*?)</script>', html)
    assert found
    told = json.loads(found[1])
    assert told["lab"] == "fasttrack" and told["tab_mb"] == directive.TAB_MB
    assert "mark-them" in [task["name"] for task in told["tasks"]["tasks"]]
    assert "netns delete dut" in told["away"]


@pytest.mark.long
@pytest.mark.parametrize(
    ("lab", "router", "lacks"),
    [
        ("numa", True, ()),
        ("pppoe", True, ()),
        ("fastpath", False, ()),
        ("fastpath", True, ("bpftool", "ppstraffic")),
    ],
)
def test_a_page_whose_tasks_cannot_be_there_has_no_router(
    tmp_path: Path, lab: str, router: bool, lacks: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = [name for name in MANIFEST["programs"] if name not in lacks]
    monkeypatch.setitem(MANIFEST, "programs", programs)
    page = directive_of(lab, lab).replace("\n```\n", "\n\nPress *Start*.\n```\n")
    html = built(tmp_path, page, router=router)
    assert 'class="ppslab-router"' not in html and "Press" not in html
    assert all(name in html for name in lacks)


@pytest.mark.long
def test_prepared_conditions_are_those_of_the_labs(tmp_path: Path) -> None:
    """A button gives the router what the lab measures, and FastTrack an answered connection."""
    page = built(
        tmp_path,
        "```{page-router} fastpath-tcp\n:count: host1 host2\n:prepared: None = fastpath "
        "routing-plain; FastTrack = fasttrack fasttrack-25\n```\n",
    )
    told = json.loads(re.findall(r'<script type="application/json">(.*?)</script>', page)[0])
    plain, fast = told["prepared"]
    assert [each["title"] for each in told["prepared"]] == ["None", "FastTrack"]
    assert (plain["answer"], fast["answer"]) == (False, True)
    assert "flow add @fasttrack" in fast["script"] and "flow add" not in plain["script"]
    assert fast["script"].count(" counter drop") >= 25
    assert "host2" in told["count"]["answer"]


# --- the switch chip of a lab's tasks: CPython and the page's MicroPython tell a node the same ----

WORDS = chip_words("CRS326-24G-2S+", ["eth1", "eth2"], Path("/usr/lib/ppslab/bpf"))

HOPS = [{"gateway": f"198.18.2.{n}", "dev": "eth2"} for n in range(2, 11)]
LISTED = [
    [
        {"dst": "198.18.1.0/24", "dev": "eth1", "protocol": "kernel", "scope": "link"},
        {"dst": "default", "gateway": "198.18.1.2", "dev": "eth1"},
        {"dst": "198.19.0.0/16", "nexthops": HOPS},
        {"type": "blackhole", "dst": "198.19.66.6", "dev": "lo"},
    ],
    [{"dst": "2001:2:0:200::/56", "gateway": "2001:2:0:2::2", "dev": "eth2"}],
    [
        {"dst": "198.18.1.2", "dev": "eth1", "lladdr": "02:00:c6:12:01:02"},
        {"dst": "198.18.1.3", "dev": "eth1", "state": ["FAILED"]},
        {"dst": "2001:2:0:2::2", "dev": "eth2", "lladdr": "02:00:c6:12:02:02"},
        *({"dst": hop["gateway"], "dev": "eth2", "lladdr": "02:00:c6:12:02:03"} for hop in HOPS),
    ],
    [
        {"ifname": "eth1", "ifindex": 7, "mtu": 9500, "address": "02:00:c6:12:01:01"},
        {"ifname": "eth2", "ifindex": 9, "mtu": 9500, "address": "02:00:c6:12:02:01"},
    ],
    [],
]

Told = tuple[list[str], str]

IN_PAGE = """
import json, sys
sys.path.insert(0, "/models")
from ppslab.course.tasks.engine import chip
def followed(words, settings, listed):
    told = []
    steps = chip.follow(json.loads(words))
    said = None
    try:
        while True:
            _, argv, given = steps.send(said)
            told.append([list(argv), given])
            out = settings if argv[-1] == chip.SETTINGS else ""
            said = [0, listed if given == chip.filling.ASK else out, ""]
    except StopIteration:
        return json.dumps(told)
"""


def followed(settings: str, done: str = "") -> list[Told]:
    """What a node is told whose settings are these."""
    told: list[Told] = []
    steps = chip.follow(WORDS)
    said: Any = None
    listed = "##\n".join(map(json.dumps, LISTED))
    try:
        while True:
            _, argv, given = steps.send(said)
            told.append((list(argv), given))
            files = {chip.SETTINGS: settings, chip.DONE: done}
            said = (0, listed if given == chip.filling.ASK else files.get(argv[-1], ""), "")
    except StopIteration:
        return told


ON = "l3-hw-offloading=yes\nipv6-hw=yes\n"


def test_a_chip_that_is_on_gets_its_program_and_its_tables() -> None:
    told = followed(ON)
    (script,) = (given for _, given in told if "object-file" in given)
    assert script.index("clsact") < script.index("l3_offload.o")
    (batch,) = (given for argv, given in told if argv[0] == "bpftool")
    assert "l3_ipv4 key hex 20 00 00 00 c6 13 42 06 value hex 02" in batch
    assert batch.count("l3_hops") == 19, "eight of nine ways, and eleven hosts"
    monitor = told[-1][1]
    assert "ipv4-routes-hw: 14\n" in monitor and "ipv6-routes-hw: 2\n" in monitor


def test_what_was_done_is_not_done_again() -> None:
    (done,) = (
        line.split()[1] for line in followed(ON)[-1][1].splitlines() if line.startswith("echo ")
    )
    assert [argv[0] for argv, _ in followed(ON, done)] == ["cat", "sh", "cat"]


def test_the_page_tells_the_same() -> None:
    listed = "##\n".join(map(json.dumps, LISTED))
    every = (ON, "l3-hw-offloading=yes\nports=eth1\n", "")
    calls = [("followed", [json.dumps(WORDS), settings, listed]) for settings in every]
    for settings, told in zip(every, in_page(IN_PAGE, calls), strict=True):
        assert [tuple(each) for each in told] == followed(settings), settings
