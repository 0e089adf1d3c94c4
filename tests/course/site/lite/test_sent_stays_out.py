"""What others sent is no part of what the browser's Python is made from."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ppslab.core import paths
from scripts.site import make_lite


def test_a_sent_record_is_not_in_the_browsers_list(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = paths.project_root()
    kept = next(iter((root / "results").glob("*.json")))
    for folder in ("results", "results/local", "results/sent", "labs", "topologies", "src"):
        (tmp_path / folder).mkdir()
        shutil.copy(kept, tmp_path / folder / "run.json")
    monkeypatch.setattr(make_lite, "ROOT", tmp_path)
    monkeypatch.setenv("PPSLAB_RESULTS", str(tmp_path / "results"))
    found = {path.relative_to(tmp_path).as_posix() for path in make_lite.sources_of_documents()}
    assert {"results/run.json", "results/local/run.json"} <= found
    assert not any("sent" in path for path in found)
