"""A module is about one thing, and a folder can be taken in at a glance: in tests/ too."""

from __future__ import annotations

import re
from pathlib import Path

import ppslab
from ppslab.base.paths import project_root

PACKAGE = Path(ppslab.__file__).parent
LABS = project_root() / "labs"
TESTS = project_root() / "tests"
SCRIPTS = project_root() / "scripts"
TESTER = project_root() / "traffic"
LINES = 300
ENTRIES = 15
SAYS = frozenset({"README.md", "__init__.py", "conftest.py"})
"""Not counted: they say what a folder holds, and what its tests share."""
MADE = frozenset({"__pycache__", "node_modules"})
"""Not counted, nor looked into: nobody wrote what is in them."""
LONG = {
    "course/workshop/seat_attacks/seat.py": "users who can read nothing else run it: one program",
}
"""The modules of tests/ that are longer, and why each is not cut."""


def long_modules(folder: Path) -> list[str]:
    return [
        f"{path.relative_to(folder)}: {lines} lines"
        for path in sorted(folder.rglob("*.py"))
        if not MADE.intersection(path.parts)
        if (lines := len(path.read_text(encoding="utf-8").splitlines())) > LINES
    ]


def full_folders(root: Path) -> list[str]:
    folders = [root, *(path for path in sorted(root.rglob("*")) if path.is_dir())]
    counts = {
        folder: sum(entry.name not in SAYS | MADE for entry in folder.iterdir())
        for folder in folders
        if not MADE.intersection(folder.parts)
    }
    return [f"{folder}: {count} entries" for folder, count in counts.items() if count > ENTRIES]


def test_no_module_is_longer_than_a_few_screens() -> None:
    assert not long_modules(PACKAGE), "cut them along their subjects"


def test_no_file_of_tests_is_longer_but_those_that_say_why() -> None:
    found = [each.partition(":")[0] for each in long_modules(TESTS)]
    assert found == sorted(LONG), "cut them along their subjects, and let LONG name no other"


def test_no_folder_holds_more_than_is_seen_at_once() -> None:
    full = [each for root in (PACKAGE, LABS, TESTS, SCRIPTS, TESTER) for each in full_folders(root)]
    assert not full, "give what belongs together a folder"


def taken_from_tests(folder: Path) -> list[str]:
    """The files that import from a file of tests."""
    taking = re.compile(r"^\s*(?:from|import) (?:tests\.[\w.]*\b)?\.?test_\w+", re.MULTILINE)
    return [
        path.relative_to(folder).as_posix()
        for path in sorted(folder.rglob("*.py"))
        if not MADE.intersection(path.parts) and taking.search(path.read_text(encoding="utf-8"))
    ]


def test_no_file_takes_from_another_files_tests() -> None:
    """Whoever moves a test would break what another file took of it."""
    assert not taken_from_tests(TESTS), "put it into a module of the folder, conftest.py or support"


def test_a_long_module_a_full_folder_and_what_is_taken_are_seen(tmp_path: Path) -> None:
    (tmp_path / "long.py").write_text("pass\n" * (LINES + 1))
    (tmp_path / "short.py").write_text("pass\n" * LINES)
    assert long_modules(tmp_path) == [f"long.py: {LINES + 1} lines"]
    (tmp_path / "honest.py").write_text("from tests.base.units import RATE, test_rate\n")
    (tmp_path / "taker.py").write_text("from tests.base.test_units import RATE\n")
    (tmp_path / "within.py").write_text("def test_one() -> None:\n    import test_units\n")
    assert taken_from_tests(tmp_path) == ["taker.py", "within.py"]
    full = tmp_path / "full"
    full.mkdir()
    for number in range(ENTRIES):
        (full / f"{number}.py").touch()
    for name in SAYS | MADE:
        (full / name).touch()
    assert full_folders(tmp_path) == []
    (full / "one-more.py").touch()
    assert full_folders(tmp_path) == [f"{full}: {ENTRIES + 1} entries"]
