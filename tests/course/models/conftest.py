"""Records for the widgets: made up, and excerpts of kept ones; none of results/."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ppslab.model import results
from tests.support import excerpts
from tests.support.factory import make_record

MADE = "20261121T030000Z-namespaces"


@pytest.fixture(scope="session")
def folder_made_up(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A results folder; Fast Path's costs are those of the factory."""
    folder = tmp_path_factory.mktemp("results")
    results.save(make_record(), folder / f"fastpath-{MADE}.json")
    for excerpt in (excerpts.RULES, excerpts.TUNNELS):
        shutil.copy(excerpt.path, folder)
    return folder


@pytest.fixture
def made_up(folder_made_up: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The widgets' facts come from those records."""
    monkeypatch.setenv("PPSLAB_RESULTS", str(folder_made_up))
