"""labs/_template: a whole lab, to be copied and changed."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from ppslab.judge.claims import keys
from ppslab.model.lab import published


@pytest.fixture
def copied(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The template under a lab's name, in a checkout that holds nothing else."""
    shutil.copytree(root / "labs/_template", tmp_path / "labs/mylab")
    shutil.copytree(root / "topologies", tmp_path / "topologies")
    monkeypatch.setenv("PPSLAB_ROOT", str(tmp_path))
    return tmp_path / "labs/mylab"


def test_its_readme_knows_the_columns_and_the_keys_of_every_judge(copied: Path) -> None:
    text = (copied / "README.md").read_text()
    cells = [line.split("|")[1] for line in text.splitlines() if line.startswith("| ")]
    columns = {name.strip() for cell in cells for name in cell.split(",")}
    assert set(published.COLUMNS) <= columns
    assert keys.with_tables(text) == text, "python -m ppslab.judge.claims.keys makes it anew"
    assert "| loss | is 0.001 |" in text
    described = re.findall(r"^\| \w+ \| .* \| (.*) \|$", keys.tables(), re.MULTILINE)
    assert all(described), "a key of a judge has no description in the model"
