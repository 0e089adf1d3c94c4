"""A module is about one thing, and a folder can be taken in at a glance."""

from __future__ import annotations

from pathlib import Path

import ppslab
from ppslab.base.paths import project_root

PACKAGE = Path(ppslab.__file__).parent
LABS = project_root() / "labs"
LINES = 300
ENTRIES = 15
"""Beside `__init__.py`, which says what the folder holds."""


def long_modules(folder: Path) -> list[str]:
    return [
        f"{path.relative_to(folder)}: {lines} lines"
        for path in sorted(folder.rglob("*.py"))
        if (lines := len(path.read_text(encoding="utf-8").splitlines())) > LINES
    ]


def full_folders(root: Path) -> list[str]:
    folders = [root, *(path for path in sorted(root.rglob("*")) if path.is_dir())]
    counts = {
        folder: sum(entry.name not in ("__init__.py", "__pycache__") for entry in folder.iterdir())
        for folder in folders
        if folder.name != "__pycache__"
    }
    return [f"{folder}: {count} entries" for folder, count in counts.items() if count > ENTRIES]


def test_no_module_is_longer_than_a_few_screens() -> None:
    assert not long_modules(PACKAGE), "cut them along their subjects"


def test_no_folder_holds_more_than_is_seen_at_once() -> None:
    assert not full_folders(PACKAGE) + full_folders(LABS), "give what belongs together a folder"


def test_a_long_module_and_a_full_folder_are_seen(tmp_path: Path) -> None:
    (tmp_path / "long.py").write_text("pass\n" * (LINES + 1))
    (tmp_path / "short.py").write_text("pass\n" * LINES)
    assert long_modules(tmp_path) == [f"long.py: {LINES + 1} lines"]
    full = tmp_path / "full"
    full.mkdir()
    for number in range(ENTRIES):
        (full / f"{number}.py").touch()
    (full / "__init__.py").touch()
    assert full_folders(tmp_path) == []
    (full / "one-more.py").touch()
    assert full_folders(tmp_path) == [f"{full}: {ENTRIES + 1} entries"]
