"""Building the router in the page: from the same, the same; twice, nothing; and why not."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from ppslab.core.errors import CannotHereError
from ppslab.model.lab import topology
from ppslab.testbed.backends.page_router import (
    building,
    load,
    machine,
    manifest_of,
    note_missing,
    stand_up,
)
from ppslab.testbed.backends.page_router.machine import Package
from tests.course.models.both import NODE

ROOT = Path(__file__).resolve().parents[4]
SOURCES = ROOT / "images/page-router"
BUILT = ROOT / "_build/web/static/page-router"
WIRED = stand_up(topology.find(load(SOURCES).wired), load(SOURCES).programs())


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    return Path(shutil.copytree(SOURCES, tmp_path / "sources"))


@pytest.fixture
def emulator(tmp_path: Path) -> Path:
    folder = tmp_path / "v86"
    folder.mkdir()
    (folder / "package.json").write_text('{"version": "1.2.3"}')
    return folder


@pytest.fixture
def parts(sources: Path, emulator: Path, tmp_path: Path) -> building.Parts:
    objects = tmp_path / "objects"
    objects.mkdir()
    (objects / "program.o").write_bytes(b"object")
    traffic = Path(shutil.copytree(ROOT / "traffic/src", tmp_path / "traffic"))
    return building.Parts(sources, emulator, traffic, objects)


def made_before(folder: Path, inputs: str) -> None:
    folder.mkdir()
    (folder / "state-1.zst").write_bytes(b"state")
    files = {"state-1.zst": {"bytes": 5, "sha256": ""}}
    told = {"inputs": inputs, "state": "state-1.zst", "files": files}
    (folder / building.MANIFEST).write_text(json.dumps(told))


class FetchedError(Exception):
    """Somebody asked Debian's mirror."""


@pytest.fixture
def no_mirror(monkeypatch: pytest.MonkeyPatch) -> None:
    def fetch(*_: Any) -> list[Package]:
        raise FetchedError

    monkeypatch.setattr(building.shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(building.Archive, "__init__", lambda *_: None)
    monkeypatch.setattr(building.Archive, "fetch", fetch)


def test_what_was_built_of_the_same_is_not_built_again(
    parts: building.Parts, tmp_path: Path, no_mirror: None
) -> None:
    folder = tmp_path / "built"
    made_before(folder, building.digest_of_inputs(parts, WIRED))
    built = building.build(parts, Path("node"), folder, print)
    assert (built.fresh, built.state.name, built.bytes) == (False, "state-1.zst", 5)


@pytest.mark.parametrize(
    "change", ["contents", "init", "wiring", "emulator", "tester", "program", "a file is cut off"]
)
def test_what_changed_is_built_again(
    parts: building.Parts, tmp_path: Path, no_mirror: None, change: str
) -> None:
    folder = tmp_path / "built"
    made_before(folder, building.digest_of_inputs(parts, WIRED))
    match change:
        case "contents":
            file = parts.sources / "contents.yml"
            file.write_text(file.read_text().replace("memory_mb: 192", "memory_mb: 128"))
        case "init":
            (parts.sources / "init").write_text("#!/bin/sh\n")
        case "wiring":
            file = parts.sources / "contents.yml"
            file.write_text(file.read_text().replace("wired: fastpath-tcp", "wired: fastpath"))
        case "emulator":
            (parts.emulator / "package.json").write_text('{"version": "1.2.4"}')
        case "tester":
            (parts.traffic / "frames/flow.c").write_text("int none;\n")
        case "program":
            (parts.objects / "program.o").write_bytes(b"another")
        case _:
            (folder / "state-1.zst").write_bytes(b"sta")
    with pytest.raises(FetchedError):
        building.build(parts, Path("node"), folder, print)


def test_the_same_tree_makes_the_same_initramfs(tmp_path: Path) -> None:
    """Whenever its files were written, and in whatever order."""
    for name, files in (("one", ("b", "a", "x/c")), ("other", ("x/c", "a", "b"))):
        for number, file in enumerate(files):
            path = tmp_path / name / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(file)
            os.utime(path, (number, number))
    assert machine.packed(tmp_path / "one") == machine.packed(tmp_path / "other")
    (tmp_path / "one/a").chmod(0o755)
    assert machine.packed(tmp_path / "one") != machine.packed(tmp_path / "other")


def test_a_missing_program_is_named_with_its_package(
    parts: building.Parts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(building.shutil, "which", lambda name: None if name == "depmod" else name)
    with pytest.raises(CannotHereError, match=r"built with depmod.*\n.*install kmod"):
        building.build(parts, Path("node"), tmp_path / "built", print)


def test_the_page_is_told_why_there_is_none_or_has_the_build_of_before(tmp_path: Path) -> None:
    none, before = tmp_path / "none", tmp_path / "before"
    with pytest.raises(CannotHereError):
        manifest_of(none)
    made_before(before, "before")
    for folder in (none, before):
        note_missing(folder, "apt-get is not here")
    with pytest.raises(CannotHereError, match="apt-get is not here"):
        manifest_of(none)
    assert manifest_of(before)["inputs"] == "before"
    assert not (before / building.MISSING).exists()


def test_what_was_built_names_the_sources_of_all_it_holds() -> None:
    if not (BUILT / building.MANIFEST).is_file():
        pytest.skip("the router in the page is not built: make page-router")
    manifest = manifest_of(BUILT)
    text = (BUILT / building.SOURCES).read_text()
    assert manifest["packages"]
    for package in manifest["packages"]:
        assert f"{package['package']} {package['version']}\n" in text
        assert package["sources"] in text
    assert manifest["files"][manifest["state"]]["bytes"] <= building.MOST_BYTES


# --- JavaScript beside the router: a long input comes in pieces, and what loading costs is said ---


ASK = f"""
import fs from "node:fs";
import {{ beforeOf, scriptOf }} from "{ROOT}/web/src/router/script.mjs";
const step = {{ on: "dut", argv: ["sh"], env: {{}}, input: fs.readFileSync(0, "utf8") }};
console.log(JSON.stringify({{ pieces: beforeOf(step), script: scriptOf(step, "/pinned") }}));
"""

LINES = "".join(f"map update $key `{number}` value '00 00' \\n\n" for number in range(6000))


@pytest.mark.parametrize(("text", "pieces"), [(LINES, 4), ("", 0), (LINES[:60_000], 0)])
def test_a_long_input_comes_in_pieces(tmp_path: Path, text: str, pieces: int) -> None:
    asked = subprocess.run(
        [NODE, "--input-type=module", "-e", ASK], input=text, capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    told = json.loads(asked.stdout)
    assert len(told["pieces"]) == pieces
    assert max(map(len, [*told["pieces"], told["script"]])) < 100_000
    assert "netns exec dut /pinned /bin/dash" in told["script"]
    if pieces:
        file = tmp_path / "input"
        for script in told["pieces"]:
            local = script.replace("/tmp/.input", str(file))
            subprocess.run(["sh", "-e"], input=local, text=True, check=True)
        assert file.read_text() == text


# --- what the router needs ------------------------------------------------------------------------


ASK_NEEDS = f"""
import fs from "node:fs";
const told = JSON.parse(fs.readFileSync(0, "utf8"));
Object.defineProperty(globalThis, "navigator", {{ value: {{ connection: told.line }} }});
globalThis.matchMedia = (asked) => ({{
  matches: told.touched && asked === "(hover: none) and (pointer: coarse)",
}});
const {{ needs, scruple }} = await import("{ROOT}/web/src/router/page/needs.mjs");
console.log(JSON.stringify({{ why: scruple(), needs: needs(11_400_000, 250) }}));
"""


def told(touched: bool = False, line: dict[str, Any] | None = None) -> dict[str, str]:
    asked = subprocess.run(
        [NODE, "--input-type=module", "-e", ASK_NEEDS], capture_output=True, text=True, check=True,
        input=json.dumps({"touched": touched, "line": line}),
    )  # fmt: skip
    answer: dict[str, str] = json.loads(asked.stdout)
    return answer


@pytest.mark.parametrize(
    ("touched", "line", "asks"),
    [
        (True, None, True),
        (False, None, False),
        (False, {"effectiveType": "4g"}, False),
        (False, {"saveData": True}, True),
        (False, {"type": "cellular"}, True),
        (False, {"effectiveType": "3g"}, True),
    ],
)
def test_what_the_page_asks_before_it_loads_anything(
    touched: bool, line: dict[str, Any] | None, asks: bool
) -> None:
    answer = told(touched, line)
    assert bool(answer["why"]) == asks and "11.4 MB" in answer["needs"]
    assert ("keyboard" in answer["needs"]) == touched
