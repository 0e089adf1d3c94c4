"""`{ppslab-measuring}`: every word makes a table or a figure; a wrong one is a warning."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace, patch_docutils

from ppslab.course.site.directives.records.measuring import SHOWN
from ppslab.model import results
from tests.support.factory import make_record
from tests.support.faults_factory import make_faults

CONFIG = """
extensions = ["myst_parser", "ppslab.course.site.directives"]
root_doc = "book/index"
html_theme = "basic"
"""


def build(folder: Path, words: list[str]) -> tuple[str, str]:
    """The page with a directive for each word, and the warnings."""
    source, out = folder / "source", folder / "out"
    (source / "book").mkdir(parents=True)
    (source / "conf.py").write_text(CONFIG)
    text = "".join(f"```{{ppslab-measuring}} {word}\n```\n\n" for word in words)
    (source / "book/index.md").write_text(f"# Front\n\n{text}")
    warnings = io.StringIO()
    with patch_docutils(), docutils_namespace():
        Sphinx(
            str(source), str(source), str(out), str(out / ".doctrees"),
            "html", status=None, warning=warnings,
        ).build()  # fmt: skip
    return (out / "index.html").read_text(encoding="utf-8"), warnings.getvalue()


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
    page, warnings = build(tmp_path, list(SHOWN))
    assert warnings == ""
    assert "No such run" not in page
    figures = {"goals", "trace", "search-spread", "pause-figure"}
    assert page.count('<svg role="img"') == len(figures)
    assert page.count('class="ppslab-table') == len(SHOWN) - len(figures)


def test_without_records_notes_say_what_makes_one(tmp_path: Path) -> None:
    page, warnings = build(tmp_path, ["faults", "pause", "pause-figure", "noise"])
    assert warnings == ""
    assert page.count("ppslab break fastpath makes one") == 3
    assert page.count("ppslab run fastpath makes one") == 1


def test_a_wrong_word_is_a_warning(tmp_path: Path) -> None:
    _, warnings = build(tmp_path, ["meter"])
    assert "no 'meter': there are wire" in warnings
