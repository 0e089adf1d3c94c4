"""What others sent is no part of what the browser's Python is made from."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import shutil
from pathlib import Path

import pytest

from ppslab.core import paths


def test_a_sent_record_is_not_in_the_browsers_list(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = paths.project_root()
    loader = importlib.machinery.SourceFileLoader("make_lite", str(root / "scripts/site/make-lite"))
    spec = importlib.util.spec_from_loader("make_lite", loader)
    assert spec
    script = importlib.util.module_from_spec(spec)
    monkeypatch.setattr("sys.dont_write_bytecode", True)
    loader.exec_module(script)
    kept = next(iter((root / "results").glob("*.json")))
    for folder in ("results", "results/local", "results/sent", "labs", "topologies", "src"):
        (tmp_path / folder).mkdir()
        shutil.copy(kept, tmp_path / folder / "run.json")
    monkeypatch.setattr(script, "ROOT", tmp_path)
    found = {path.relative_to(tmp_path).as_posix() for path in script.sources_of_documents()}
    assert {"results/run.json", "results/local/run.json"} <= found
    assert not any("sent" in path for path in found)
