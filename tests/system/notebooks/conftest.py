"""Run nbval on a notebook as a reader's continuous integration does: in a process of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from tests.support.waiting import PATIENCE

ROOT = Path(__file__).resolve().parents[3]


@dataclass
class Nbval:
    """Notebooks in a folder of their own, stored and compared with what `environment` says."""

    folder: Path

    def store(self, cells: list[str] | None = None, **environment: str) -> Path:
        """Execute the lab's notebook, or one of these cells, and store its outputs."""
        if cells is None:
            notebook = nbformat.read(ROOT / "notebooks/fastpath.ipynb", as_version=4)
        else:
            made = [nbformat.v4.new_code_cell(source) for source in cells]
            notebook = nbformat.v4.new_notebook(cells=made)
            notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
        client = NotebookClient(
            notebook, timeout=int(5 * PATIENCE), resources={"metadata": {"path": ROOT}}
        )
        client.execute(env=_environment(environment))
        path = self.folder / "stored.ipynb"
        nbformat.write(notebook, path)
        return path

    def compare(self, path: Path, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run the notebook again under nbval; what differs by more than noise fails."""
        return subprocess.run(
            # -vv: without it, and outside CI, pytest cuts a long difference off.
            [sys.executable, "-m", "pytest", "-vv", "-p", "no:cacheprovider", "--color=no",
             "--nbval", "--nbval-current-env", "--rootdir", str(ROOT),
             "-c", str(ROOT / "pyproject.toml"), str(path)],
            cwd=ROOT, env=_environment(environment), capture_output=True, text=True, check=False,
        )  # fmt: skip

    def compare_live(
        self, path: Path, project: Path, backend: str = "auto"
    ) -> subprocess.CompletedProcess[str]:
        """The same on a router of that project; its records go into the folder's `results`."""
        return self.compare(
            path,
            PPSLAB_RESULTS=str(self.folder / "results"),
            PPSLAB_BACKEND=backend,
            PPSLAB_ROOT=str(project),
        )


def _environment(more: Mapping[str, str]) -> dict[str, str]:
    return {**os.environ, "PPSLAB_ROOT": str(ROOT), **more}


def project_copy(folder: Path) -> Path:
    """What a lab is made from, in a project of its own that a test may break."""
    copy = folder / "project"
    copy.mkdir()
    for name in ("labs", "topologies", "images"):
        shutil.copytree(ROOT / name, copy / name)
    (copy / "_build").symlink_to(ROOT / "_build")
    return copy


@pytest.fixture
def nbval(tmp_path: Path) -> Nbval:
    """nbval in a temporary folder."""
    return Nbval(tmp_path)


@pytest.fixture
def failed_cells() -> Callable[[subprocess.CompletedProcess[str]], int]:
    """How many cells nbval found different."""
    return lambda done: done.stdout.count("FAILED ")
