"""Which changes CI measures: the step `look` of the workflow `test`, run here."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
import yaml


@pytest.mark.parametrize(
    ("base", "changed", "live"),
    [
        ("main", ["book/method.md", "README.md"], "false"),
        ("main", ["book/method.md", "src/ppslab/model/lab/lab.py"], "true"),
        ("main", ["book/inventory.example.yml"], "true"),
        ("main", ["labs/fastpath/README.txt"], "true"),
        # A push onto main.
        ("", ["book/method.md"], "true"),
    ],
)
def test_only_where_nothing_but_prose_changed_is_nothing_measured(
    root: Path, tmp_path: Path, base: str, changed: list[str], live: str
) -> None:
    workflow = yaml.safe_load((root / ".github/workflows/test.yml").read_text())
    (step,) = [s for s in workflow["jobs"]["changes"]["steps"] if s.get("id") == "look"]
    author = ["-c", "user.name=a", "-c", "user.email=a@example.org"]

    def git(*argv: str) -> None:
        subprocess.run(["git", *author, *argv], cwd=tmp_path, check=True, capture_output=True)

    git("init", "-b", "main")
    git("commit", "--allow-empty", "-m", "before")
    git("switch", "-c", "change")
    for name in changed:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x\n")
    git("add", ".")
    git("commit", "-m", "change")
    output = tmp_path / "output"
    told = {"BASE": base, "PROSE": workflow["env"]["PROSE"], "GITHUB_OUTPUT": str(output)}
    subprocess.run(
        ["bash", "--noprofile", "--norc", "-euo", "pipefail", "-c", step["run"]],
        cwd=tmp_path, env={**os.environ, **told}, check=True,
    )  # fmt: skip
    assert output.read_text() == f"live={live}\n"
