"""Spoiled files, given to each command that reads one: an answer or one message, no traceback.

PPSLAB_SPOILED=40 spoils each sample so often; the same number gives the same bytes for ever.
"""

from __future__ import annotations

import json
import os
import random
import re
import resource
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import ROOT, Inside
from tests.support.calibration_factory import make_calibration
from tests.support.factory import make_record
from tests.support.faults_factory import make_faults
from tests.support.profile_factory import make_profile
from tests.support.suite_factory import make_suite
from tests.support.tcp_factory import make_tcp_record

pytestmark = pytest.mark.long

TIMES = int(os.environ.get("PPSLAB_SPOILED", "2"))
MOST_BYTES = 350_000_000
"""What a command may take of memory, besides what is loaded."""

WORDS = (
    b"\x1b[2J", b"\x9b31m", b"\x00", b"\r", b"\xff\xfe", b"\xef\xbb\xbf", "\u202e\x9b".encode(),
    b"\\ud800", b"\\u0000", b"\\u001b[2J", b"1e400", b"-1", b"NaN", b"9" * 5000, b"[" * 5000,
    b"{" * 5000, b"(" * 3000, b'"', b"'", b"\\", b"$(id)", b"%s%n", b"../../../../etc/passwd",
    b"<!ENTITY x 'y'>", b"&x;", b"[red]", b"[/x]", b"x99999999999", b"&a [*a]", b"<<: *x",
    b"!!python/object/apply:os.system [id]", b"\t", b"/ip\n" * 2000, b"a" * 100_000, b"//0:0",
    "²".encode(),
)  # fmt: skip
STRANGE = (None, True, 0, -1, 1e308, 10**25, 0.5, "", "12", "\x1b[2Jx", "[/x]", "a" * 5000, [], {},
           [[]], {"": 0}, "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00")  # fmt: skip

PRINTED = b"""[admin@MikroTik] > /ip/settings/print
                allow-fast-path: yes
  ipv4-fast-path-active: no
 ipv4-fasttrack-packets: 31415
[admin@MikroTik] > /tool/profile cpu=all
ethernet  0  12.5%
idle      0  87.5%
"""
DONE = {"rules": "2026-11-20T10:00:00+00:00"}
TASKS = {"ppslab-tasks": 1, "lab": "fastpath", "variant": "linux", "at": "", "run": "",
         "done": DONE, "solved": [], "hints": {}}  # fmt: skip
FIGURE = {"lab": "fastpath", "title": "Fast Path", "started": "2026-11-20T10:00:00+00:00",
          "provenance": "linux", "rows": [["Plain", "620 ns"]]}  # fmt: skip
PROGRESS = {"ppslab-progress": 1, "done": DONE, "answers": {"fastpath/quiz/1": "b"},
            "figures": [FIGURE]}  # fmt: skip

HOME = "packages/rosexplain/examples/home.rsc"
ROUTES = "labs/l3offload/linux/routes/two.routes"
KEPT = max(ROOT.glob("results/fastpath-*Z-namespaces.json"))
CRS = "--device CRS326-24G-2S+"
SAMPLES: tuple[tuple[str, str, Any], ...] = (  # the command, its file's name, and what is good
    ("validate FILE", "run.json", make_record),
    ("validate FILE", "suite.json", make_suite),
    ("validate FILE", "tcp.json", make_tcp_record),
    ("validate FILE", "calibration.json", make_calibration),
    ("validate FILE", "faults.json", make_faults),
    ("validate FILE", "profile.json", make_profile),
    ("validate FILE", "eoip.clab.yml", "topologies/eoip.clab.yml"),
    ("validate LAB", "lab/lab.yml", "labs/_template/lab.yml"),
    ("validate LAB", "lab/claims.yml", "labs/_template/claims.yml"),
    ("validate LAB", "lab/published.csv", "labs/_template/published.csv"),
    ("validate LAB", "lab/tasks.yml", "labs/_template/tasks.yml"),
    ("report FILE --csv", "run.json", make_record),
    ("report FILE --json", "suite.json", make_suite),
    ("report FILE --csv", "tcp.json", make_tcp_record),
    ("report FILE --html --out OUT", "run.json", make_record),
    ("report FILE --html --out OUT", "suite.json", make_suite),
    (f"compare FILE {KEPT}", "run.json", make_record),
    ("compare FILE:routing-fast-path FILE:routing-25-ip-filter-rules", "suite.json", make_suite),
    ("plan nics FILE --libvirt", "lstopo.xml", "book/numa/inventories/r730.xml"),
    (f"plan offload FILE {CRS} --towards 198.19.0.0/16", "routes.txt", ROUTES),
    (f"plan offload {ROUTES} {CRS} --export FILE", "export.rsc", HOME),
    ("explain FILE", "home.rsc", HOME),
    ("explain FILE --json --packet dst=198.18.2.2:443/tcp", "home.rsc", HOME),
    (f"explain {HOME} --print FILE", "printed.txt", PRINTED),
    ("translate FILE", "rules.rsc", "labs/fastpath/routeros/filter-13.rsc"),
    ("progress --output FILE", "progress.json", PROGRESS),
    ("progress", "state/ppslab/tasks/fastpath-linux.json", TASKS),
)


def good(kind: Any) -> bytes:
    """Return a sample's good bytes."""
    match kind:
        case str(path):
            return (ROOT / path).read_bytes()
        case bytes(data):
            return data
        case dict(data):
            return json.dumps(data, indent=1).encode()
        case make:
            return make().model_dump_json(by_alias=True, indent=1).encode()


def spoilt(data: bytes, chance: random.Random) -> bytes:
    """Spoil one to three places: end there, leave a part out, repeat it, or put a word there."""
    if data.startswith(b"{") and chance.random() < 0.4:
        return json.dumps(other_value(json.loads(data), chance), indent=1).encode()
    for _ in range(chance.choice((1, 1, 2, 3))):
        start = chance.randrange(len(data) + 1)
        end = start + chance.choice((0, 1, 8, 80, 800))
        rest = data[end:] if chance.random() < 0.8 else b""
        put = chance.choice((b"", data[start:end] * 500, *[chance.choice(WORDS)] * 3))
        data = data[:start] + put + rest
    return data


def other_value(value: Any, chance: random.Random) -> Any:
    """Return JSON in which one value, at any depth, is a strange one."""
    if not isinstance(value, dict | list) or not value or chance.random() < 0.1:
        return chance.choice(STRANGE)
    key = chance.choice([*value] if isinstance(value, dict) else range(len(value)))
    value[key] = other_value(value[key], chance)
    return value


@pytest.fixture
def little_memory() -> Iterator[None]:
    """Fail what a bomb would take, in its command."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    most = pages * resource.getpagesize() + MOST_BYTES
    resource.setrlimit(resource.RLIMIT_AS, (most, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_AS, before)


@pytest.mark.parametrize("time", range(TIMES + 1))  # the first is whole, and so no refusal
@pytest.mark.parametrize("number", range(len(SAMPLES)))
@pytest.mark.usefixtures("little_memory")
def test_a_spoiled_file_is_an_answer_or_a_message(
    inside: Inside, tmp_path: Path, number: int, time: int
) -> None:
    words, name, kind = SAMPLES[number]
    chance = random.Random(f"{number}/{time}")
    data = good(kind)
    file = tmp_path / chance.choice(("", "[/x]", "\x1b[2J")) / name
    if words == "validate LAB":
        shutil.copytree(ROOT / "labs/_template", file.parent)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(spoilt(data, chance) if time else data)
    for word, path in {"FILE": file, "LAB": file.parent, "OUT": tmp_path / "out.html"}.items():
        words = words.replace(word, str(path))
    done = inside(*words.split(), XDG_STATE_HOME=str(tmp_path / "state"))
    said = done.stdout + done.stderr
    assert done.returncode in ((0, 1, 2, 3) if time else (0,)), said
    assert "Traceback" not in said
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", said), said
