"""The views of the chapter "Measuring": each makes a table or a figure; a wrong name warns."""

from __future__ import annotations

from pathlib import Path

import pytest

from ppslab.course.site.directives.measuring import FIGURES, TABLES
from ppslab.model import results
from tests.support import sphinx_site
from tests.support.factory import make_record
from tests.support.faults_factory import make_faults

CONFIG = """
extensions = ["myst_parser", "ppslab.course.site.directives"]
root_doc = "book/index"
html_theme = "basic"
"""


TABLE_WORDS = [*TABLES, "noise", "faults", "pause"]
FIGURE_WORDS = [*FIGURES, "pause"]


def build(folder: Path, tables: list[str], figures: list[str]) -> tuple[str, str]:
    """The page with a directive for each word, and the warnings."""
    source, out = folder / "source", folder / "out"
    (source / "book").mkdir(parents=True)
    (source / "conf.py").write_text(CONFIG)
    blocks = [f"```{{ppslab-table}} {word}\n```\n\n" for word in tables]
    blocks += [f"```{{ppslab-figure}} {word}\n```\n\n" for word in figures]
    text = "".join(blocks)
    (source / "book/index.md").write_text(f"# Front\n\n{text}")
    warnings = sphinx_site.build(source, out)
    return (out / "index.html").read_text(encoding="utf-8"), warnings


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
    page, warnings = build(tmp_path, TABLE_WORDS, FIGURE_WORDS)
    assert warnings == ""
    assert "No such run" not in page
    assert page.count('<svg role="img"') == len(FIGURE_WORDS)
    assert page.count('class="ppslab-table') == len(TABLE_WORDS)
