"""A file of tests says what it needs, and what starts more than it says is found."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import combinations
from pathlib import Path

import pytest

from ppslab.lab import lab
from tests.suite import marks, parts

HEAD = "import subprocess\nimport pytest\n"
START = "def test_it():\n    subprocess.run([{}], check=False)\n"


def run(folder: Path, text: str, *options: str) -> str:
    """What pytest says of a file with this text, in a folder with the marks of this project."""
    root = Path(__file__).resolve().parents[4]
    (folder / "tests/suite").mkdir(parents=True)
    for name in ("__init__.py", "conftest.py", "suite/__init__.py", "suite/marks.py"):
        (folder / "tests" / name).write_text((root / "tests" / name).read_text())
    (folder / "pyproject.toml").write_text((root / "pyproject.toml").read_text())
    (folder / "tests/test_one.py").write_text(text)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:nbval", "--color=no", *options, "tests"],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.stdout + done.stderr


@pytest.mark.long
@pytest.mark.parametrize(
    ("program", "mark"),
    [
        ("'unshare', '--net', 'true'", "live"),
        ("'/usr/bin/qemu-system-x86_64', '-machine', 'none'", "guest"),
        ("'/usr/bin/chromium-headless-shell', '--headless'", "browser"),
    ],
)
def test_what_starts_more_than_its_marks_tell_fails(
    tmp_path: Path, program: str, mark: str
) -> None:
    said = run(tmp_path, HEAD + START.format(program))
    assert f"pytest.mark.{mark}" in said
    assert "1 failed" in said


@pytest.mark.long
def test_a_fixture_that_starts_one_is_found_too(tmp_path: Path) -> None:
    fixture = "@pytest.fixture\ndef space():\n    subprocess.run(['unshare', '--net', 'true'])\n"
    said = run(tmp_path, HEAD + fixture + "def test_it(space):\n    pass\n")
    assert "pytest.mark.live" in said
    assert "1 error" in said


@pytest.mark.long
def test_a_marked_file_starts_it(tmp_path: Path) -> None:
    text = HEAD + "pytestmark = pytest.mark.live\n" + START.format("'unshare', '--version'")
    assert "1 passed" in run(tmp_path, text)


@pytest.mark.long
@pytest.mark.parametrize("options", [(), ("--numprocesses=1",)])
def test_a_timed_test_that_does_not_say_why_is_an_error(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    text = f"{HEAD}\n@pytest.mark.timed\ndef test_it():\n    pass\n"
    said = run(tmp_path, text, *options)
    assert f"{tmp_path / 'tests/test_one.py'}:4: " in said
    assert "passed" not in said


def test_marks_are_found_with_what_they_say(tmp_path: Path) -> None:
    """Of a file, of a test, of one case of it; what stands there without a name is the reason."""
    file = tmp_path / "test_one.py"
    file.write_text(
        "import pytest\n"
        "pytestmark = [pytest.mark.live, pytest.mark.timed(why='a' 'b')]\n"
        "@pytest.mark.timed('c')\n"
        "@pytest.mark.parametrize('x', [pytest.param(1, marks=pytest.mark.timed)])\n"
        "def test_it(x): ...\n"
        "@pytest.mark.timed(why=NAME)\n"
        "def test_other(): ...\n"
    )
    assert [(each.line, each.test, each.words) for each in marks.given(file, "timed")] == [
        (2, "", {"why": "ab"}),
        (3, "test_it", {"why": "c"}),
        (4, "test_it", {}),
        (6, "test_other", {}),
    ]
    assert marks.given(file, "unsteady") == []
    assert [said.partition(" ")[0] for said in marks.without_reason(file)] == [
        f"{file}:4:", f"{file}:6:",
    ]  # fmt: skip


@pytest.mark.long
def test_check_reads_no_file_with_a_mark_and_takes_no_test_with_one(tmp_path: Path) -> None:
    text = f"{HEAD}@pytest.mark.live\ndef test_one():\n    pass\n\n\ndef test_other():\n    pass\n"
    said = run(tmp_path, text, "--part=check")
    assert "1 passed, 1 deselected" in said
    (tmp_path / "again").mkdir()
    said = run(tmp_path / "again", "pytestmark = pytest.mark.guest\n1 / 0\n", "--part=check")
    assert "no tests ran" in said


def test_every_test_is_in_one_part() -> None:
    """Whatever marks it has: none is left out, none runs twice, and a suite runs each part."""
    for size in range(len(marks.KNOWN) + 1):
        for some in combinations(sorted(marks.KNOWN), size):
            of = [name for name in marks.PARTS if marks.is_in(name, frozenset(some))]
            assert len(of) == 1, some
    suites = (parts.GATE, parts.ONLY_TIMED)
    options = [word for suite in suites for part in suite.parts for word in part.options]
    assert {f"--part={name}" for name in marks.PARTS} <= set(options)


@pytest.mark.parametrize(
    ("command", "of", "found"),
    [
        (["ip", "netns", "exec", "x", "nsenter"], set(), ("nsenter", "live")),
        (
            ["python", "-m", "ppslab.backends.agent.agent"],
            set(),
            ("ppslab.backends.agent.agent", "live"),
        ),
        (["python", "-m", "ppslab.backends.agent.agent"], {"notebook"}, None),
        (["qemu-system-x86_64"], {"live"}, ("qemu-system-x86_64", "guest")),
        (["firefox-esr"], {"guest"}, ("firefox-esr", "browser")),
        (["python", "scripts/routeros/rsc"], set(), None),
        (["/bin/ppslab", "up", "fastpath"], set(), ("ppslab up", "live")),
        (["/bin/ppslab", "validate", "run"], set(), None),
        (["qemu-system-x86_64", "--version"], set(), None),
    ],
)
def test_a_browser_a_guest_and_a_notebook_may_have_namespaces(
    command: list[str], of: set[str], found: tuple[str, str] | None
) -> None:
    assert marks.lacking(command, frozenset(of)) == found


def test_a_notebook_that_takes_time_has_all_its_rounds() -> None:
    """Instructions are counted where nobody asks for time, for TCP or for who serves a card.

    Where no condition moves interrupts, packets are spread by their addresses, however busy it is.
    """
    timed = set()
    for path in (Path(__file__).resolve().parents[4] / "notebooks").glob("*.ipynb"):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        code = "".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
        words = lab.find(path.stem).spec if path.stem in lab.names() else None
        served = words is not None and any(each.linux.interrupts for each in words.conditions)
        of_lab = words is not None and (served or words.measure == "timed")
        if of_lab or "lab.tcp(" in code or "measure=" in code:
            timed.add(path.stem)
    assert timed == marks.TIMED
