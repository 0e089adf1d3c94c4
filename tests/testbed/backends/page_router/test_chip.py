"""The switch chip of a lab's tasks: CPython and the page's MicroPython tell a node the same."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ppslab.course.tasks import chip as live
from ppslab.course.tasks.engine import chip
from tests.course.models.both import MODULES, NODE

ROOT = Path(__file__).resolve().parents[4]
WORDS = live.words("CRS326-24G-2S+", ["eth1", "eth2"], Path("/usr/lib/ppslab/bpf"))

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

RUN = f"""
import fs from "node:fs";
import {{ interpreter }} from "{ROOT}/web/src/micropython.js";
const {{ files, code, asked }} = JSON.parse(fs.readFileSync(0));
const wasm = "{MODULES}/@micropython/micropython-webassembly-pyscript/micropython.wasm";
const python = await interpreter(files, wasm);
python.runPython(code);
const each = (words) => JSON.parse(python.globals.get("followed")(...words));
console.log(JSON.stringify(asked.map(each)));
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


def test_a_node_that_refuses_is_quoted() -> None:
    steps = chip.follow(WORDS)
    steps.send(None)
    steps.send((0, ON, ""))
    with pytest.raises(chip.RefusedError, match="its routes: Operation not permitted"):
        steps.send((1, "", "RTNETLINK answers: x\nOperation not permitted\n"))


def test_the_page_tells_the_same() -> None:
    if not MODULES.is_dir():
        pytest.skip("web/node_modules is not here: make test installs it")
    made = subprocess.run(
        [sys.executable, ROOT / "scripts/site/models-for-pages", "tasks"],
        capture_output=True, check=True,
    )  # fmt: skip
    listed = "##\n".join(map(json.dumps, LISTED))
    every = (ON, "l3-hw-offloading=yes\nports=eth1\n", "")
    asked = [[json.dumps(WORDS), settings, listed] for settings in every]
    page = subprocess.run(
        [NODE, "--input-type=module", "-e", RUN], capture_output=True, text=True, check=False,
        input=json.dumps({"files": json.loads(made.stdout), "code": IN_PAGE, "asked": asked}),
    )  # fmt: skip
    assert page.returncode == 0, page.stderr[-3000:] + page.stdout[-3000:]
    for settings, told in zip(every, json.loads(page.stdout), strict=True):
        assert [tuple(each) for each in told] == followed(settings), settings
