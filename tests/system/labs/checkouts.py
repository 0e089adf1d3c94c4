"""A checkout in a temporary folder: with a lab that was just begun, or with one that is broken."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from functools import cache
from pathlib import Path

import pytest

from ppslab.course import lab_template


def checkout(folder: Path) -> None:
    """Put what labs, pages and notebooks are made of into a folder.

    Its files are second names of one copy: a test may remove and replace them, as `ppslab` does
    (write_atomic), and write into those that it made itself, but not into these.
    """
    shutil.copytree(_copied(), folder, copy_function=os.link, dirs_exist_ok=True)


def with_new_lab(folder: Path, monkeypatch: pytest.MonkeyPatch, name: str = "planted") -> Path:
    """A checkout in `folder`, and `ppslab new-lab NAME` in it."""
    checkout(folder)
    (folder / "tests").mkdir()
    monkeypatch.setenv("PPSLAB_ROOT", str(folder))
    monkeypatch.setenv("PPSLAB_RESULTS", str(folder / "results"))
    lab_template.start(name)
    return folder


def with_a_broken_lab(
    folder: Path, monkeypatch: pytest.MonkeyPatch, broken: str = "broken", whole: str = "eoip"
) -> None:
    """A checkout of two labs: of one lab.yml is no YAML, as its line 2 shows; the other is ours."""
    root = Path(__file__).resolve().parents[3]
    (folder / "labs" / broken).mkdir(parents=True)
    (folder / "labs" / broken / "lab.yml").write_text("conditions: [\n")
    (folder / "labs" / whole).symlink_to(root / "labs" / whole)
    (folder / "topologies").symlink_to(root / "topologies")
    monkeypatch.setenv("PPSLAB_ROOT", str(folder))


@cache
def _copied() -> Path:
    """A copy for this process: whatever a test does to it, the repository stays as it is."""
    made = Path(tempfile.mkdtemp(prefix="ppslab-checkout-"))
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    root = Path(__file__).resolve().parents[3]
    for part in ("labs", "topologies", "notebooks"):
        shutil.copytree(root / part, made / part)
    shutil.copytree(root / "book", made / "book", ignore=shutil.ignore_patterns("assets"))
    shutil.copy(root / "_toc.yml", made)
    return made
