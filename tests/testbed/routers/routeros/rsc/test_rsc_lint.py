"""The lint of RouterOS finds what is planted, at its line, and nothing in what the project says."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from ppslab.testbed.routers.routeros.rsc import lint, pages
from tests.testbed.routers.routeros.rsc.linting import ROOT, SCRIPTS, rsc

GOOD = "/ip/firewall/filter\nadd chain=forward action=accept\n"


@pytest.mark.long
def test_the_script_is_a_program() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "scripts/routeros/rsc", "lint", ROOT / "nowhere.rsc"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("scripts/routeros/rsc: ")


PLANTED = {
    "an unknown command": (
        "/ip/firewall/filter\n\nad chain=forward\nfrobnicate\n",
        4,
        "frobnicate",
    ),
    "an unknown menu": ("/ip/firewalls/filter print\n", 1, "firewalls"),
    "a misspelt argument": ("/ip/firewall/filter\nadd chian=forward\n", 2, "chian"),
    "a missing required argument": ("# why\n/interface/eoip\nadd name=e\n", 3, "remote-address"),
    "an argument that the version lacks": (
        "/ip/firewall/filter\nadd chain=forward action=fasttrack-connection hw-offload=yes\n",
        2,
        "7.24 on a CHR has no argument hw-offload in /ip/firewall/filter",
    ),
    "the manual's old word for a stream's number": (
        "/tool/traffic-generator/stream add tx-template=t num=1\n",
        1,
        "write id",
    ),
    "a string without an end": ('/system/identity set name="x\n', 1, "string"),
    "another layout": ("/ip firewall filter\nadd  chain=forward\n", 1, "make format"),
    "a short name": ("/ip/firewall/filter\nadd chain=forward act=accept\n", 2, "make format"),
}


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_mistake_is_found_with_its_line(name: str, tmp_path: Path) -> None:
    text, line, word = PLANTED[name]
    file = tmp_path / "planted.rsc"
    file.write_text(text)
    code, said = rsc("lint", file)
    assert code == 1
    found = [each for each in said.splitlines() if each.startswith(f"{file}:{line}:")]
    assert any(word in each for each in found), said


@pytest.mark.parametrize("name", [each for each in PLANTED if "lay" not in each])
@pytest.mark.parametrize("suffix", [".md", ".ipynb"])
def test_a_planted_mistake_on_a_page_is_found_with_its_line(
    name: str, suffix: str, tmp_path: Path
) -> None:
    text, line, word = PLANTED[name]
    page = f"# A page\n\n:::{{admonition}} In a box\n```routeros\n{text}```\n:::\n"
    file = tmp_path / f"page{suffix}"
    at = 4 + line
    if suffix == ".ipynb":
        cells = [
            {"cell_type": "code", "source": ["1\n"], "outputs": []},
            {"cell_type": "markdown", "source": page.splitlines(keepends=True)},
        ]
        page = json.dumps({"cells": cells}, indent=1)
        source = json.dumps(text.splitlines(keepends=True)[line - 1])
        at = next(n for n, each in enumerate(page.splitlines(), 1) if source in each)
    file.write_text(page)
    found = pages.check(file, name=str(file), known={})
    assert any(each.line == at and word in each.message for each in found), found


def test_a_good_script_is_good(tmp_path: Path) -> None:
    file = tmp_path / "good.rsc"
    file.write_text(GOOD)
    assert rsc("lint", file) == (0, "")


@pytest.mark.long
def test_nothing_is_wrong_with_what_the_project_says() -> None:
    listed = subprocess.run(
        "git ls-files -co --exclude-standard --deduplicate *.rsc *.md *.ipynb".split(),
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    files = [name for name in listed.stdout.splitlines() if (ROOT / name).exists()]
    assert sum(name.endswith(".rsc") for name in files) > 80
    assert rsc("lint", *files) == (0, "")


@pytest.mark.parametrize("file", SCRIPTS, ids=lambda file: str(file.relative_to(ROOT)))
def test_one_letter_more_in_any_lab_is_found(file: Path) -> None:
    """In the last argument of the file that is not the condition of a find."""
    text = file.read_text()
    hardware = "switch-only" in file.parts
    lines = text.splitlines()
    for number, line in reversed(list(enumerate(lines, 1))):
        found = re.match(r"(?:/\S+ )?(?:add|set)\b(?: \[.*?\])?.* ([a-z0-9-]+)=", line)
        if found and not re.search(r"\$|\[.*\[", line):
            place = found.start(1)
            lines[number - 1] = f"{line[:place]}x{line[place:]}"
            said = lint.check("f", "\n".join(lines) + "\n", hardware=hardware)
            assert [(each.line, f"'x{found[1]}'" in each.message) for each in said] == [
                (number, True)
            ]
            return
    # What is left asks and sets nothing, or is a loop.
    assert file.name in {"see.rsc"} or re.search(r"\$|/print|print|blackhole|quick", text), file


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "content", "word"),
    [
        ("nowhere.rsc", None, "nowhere.rsc"),
        ("a.txt", "x", "lint reads .rsc, .md and .ipynb"),
        ("a.ipynb", "[]", "no notebook"),
        ("a.ipynb", "{", "a.ipynb:1"),
        ("a.rsc", b"\xff", "a.rsc"),
    ],
)
def test_a_bad_file_is_a_sentence(
    tmp_path: Path, name: str, content: str | bytes | None, word: str
) -> None:
    file = tmp_path / name
    if content is not None:
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
    code, said = rsc("lint", file)
    assert code == 2 and word in said and "Traceback" not in said


def test_a_bad_version_is_a_sentence() -> None:
    code, said = rsc("lint", "--routeros", "seven", "README.md")
    assert code == 2 and "'seven' is no version of RouterOS" in said
