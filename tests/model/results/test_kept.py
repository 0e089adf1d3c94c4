"""The kept records alone: what this machine measured changes nothing that is said of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from ppslab.model import results
from ppslab.model.results.kept import kept_only
from tests.support.factory import make_record

NAME = "fastpath-2026110{}T030000Z-namespaces.json"


def test_what_was_measured_here_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, own = make_record(seed=1), make_record(seed=2)
    folder = tmp_path / "results"
    monkeypatch.setenv("PPSLAB_RESULTS", str(folder))
    results.save(kept, folder / NAME.format(1))
    results.save(kept, folder / "sent" / NAME.format(3))
    assert kept_only(tmp_path / "links") == folder, "nothing is to be left out"
    results.save(own, folder / "local" / NAME.format(2))
    assert results.newest("fastpath") == own
    monkeypatch.setenv("PPSLAB_RESULTS", str(kept_only(tmp_path / "links")))
    assert results.newest("fastpath") == kept
    assert {path.parent.name for path in (tmp_path / "links").rglob("*.json")} == {"links", "sent"}
    # A second time too, and what has gone meanwhile is gone.
    (folder / "sent" / NAME.format(3)).unlink()
    monkeypatch.setenv("PPSLAB_RESULTS", str(folder))
    kept_only(tmp_path / "links")
    assert len(list((tmp_path / "links").rglob("*.json"))) == 1
