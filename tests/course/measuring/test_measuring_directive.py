"""The views of the chapter "Measuring": each makes a table or a figure; a wrong name warns."""

from __future__ import annotations

from pathlib import Path

import pytest

from ppslab.course.site.directives.measuring import FIGURES, TABLES
from ppslab.model import results
from tests.support import sphinx_site
from tests.support.factory import make_record
from tests.support.faults_factory import make_faults

TABLE_WORDS = [*TABLES, "noise", "faults", "pause"]
FIGURE_WORDS = [*FIGURES, "pause"]


@pytest.fixture(autouse=True)
def own_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "results"
    monkeypatch.setenv("PPSLAB_RESULTS", str(folder))
    monkeypatch.setenv("PPSLAB_BACKEND", "recorded")
    return folder


@pytest.mark.long
def test_every_word_shows_something(tmp_path: Path, own_results: Path) -> None:
    results.save(make_record(), own_results / "fastpath-20260102T030405Z-namespaces.json")
    results.save(make_faults(), own_results / "faults-fastpath-20260102T030405Z-namespaces.json")
    blocks = [f"```{{ppslab-table}} {word}\n```\n\n" for word in TABLE_WORDS]
    blocks += [f"```{{ppslab-figure}} {word}\n```\n\n" for word in FIGURE_WORDS]
    page, warnings = sphinx_site.page(tmp_path, f"# Front\n\n{''.join(blocks)}")
    assert warnings == ""
    assert "No such run" not in page
    assert page.count('<svg role="img"') == len(FIGURE_WORDS)
    assert page.count('class="ppslab-table') == len(TABLE_WORDS)
