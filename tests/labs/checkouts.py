"""A checkout in a temporary folder, with a lab in it that was just begun."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ppslab.base import paths
from ppslab.course import lab_template


def with_new_lab(folder: Path, monkeypatch: pytest.MonkeyPatch, name: str = "planted") -> Path:
    """What labs, pages and notebooks are made of, copied to `folder`, and `ppslab new-lab NAME`."""
    root = paths.project_root()
    for part in ("labs", "topologies", "notebooks"):
        shutil.copytree(root / part, folder / part)
    shutil.copytree(root / "book", folder / "book", ignore=shutil.ignore_patterns("assets"))
    shutil.copy(root / "_toc.yml", folder)
    (folder / "tests").mkdir()
    monkeypatch.setenv("PPSLAB_ROOT", str(folder))
    monkeypatch.setenv("PPSLAB_RESULTS", str(folder / "results"))
    lab_template.start(name)
    return folder
