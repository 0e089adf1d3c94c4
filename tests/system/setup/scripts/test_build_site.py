"""scripts/site/build_site.py: it builds what changed, and nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ppslab.core import paths
from ppslab.model.results import storing
from scripts.site import build_site

ROOT = Path(__file__).resolve().parents[4]
SCRIPT = ROOT / "scripts/site/build_site.py"

CONFIG = """
title: T
only_build_toc_files: true
execute: {execute_notebooks: "off"}
html: {use_multitoc_numbering: false}
sphinx:
  extra_extensions: [ppslab.course.site.directives]
  config:
    html_static_path: [book/assets]
    html_css_files: [own.css]
    html_context: {default_mode: auto}
"""
TOC = """
format: jb-book
root: book/index
chapters:
  - file: book/one
  - file: book/two
"""


BEFORE = {
    "_toc.yml": "1",
    "book/one.md": "1",
    "book/assets/own.css": "1",
    "notebooks/a.ipynb": "1",
    "results/run.json": "1",
    "src/ppslab/show/record_tables/rfc2544.py": "1",
}


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({}, None),
        ({"book/one.md": "2"}, "READ"),
        ({"notebooks/a.ipynb": "2"}, "READ"),
        ({"book/assets/own.css": "2"}, "WRITE"),
        ({"book/assets/own.css": "2", "book/one.md": "2"}, "WRITE"),
        ({"results/run.json": "2"}, "WHOLE"),
        ({"src/ppslab/show/record_tables/rfc2544.py": "2", "book/one.md": "2"}, "WHOLE"),
        ({"_toc.yml": "2"}, "WHOLE"),
        ({"book/three.md": "1"}, "WHOLE"),
        ({"book/one.md": None}, "WHOLE"),
        ({"book/assets/own.css": None}, "WHOLE"),
        ({"results/other.json": "1"}, "WHOLE"),
    ],
)
def test_how_much_is_built_for_what_changed(
    changes: dict[str, str | None], what: str | None
) -> None:
    now = {name: said for name, said in {**BEFORE, **changes}.items() if said is not None}
    assert build_site.to_build(BEFORE, now) == (getattr(build_site, what) if what else None)
    assert build_site.to_build(None, now) == build_site.WHOLE


class Site:
    """A site of three pages in a folder of its own."""

    def __init__(self, root: Path) -> None:
        self.root = root
        (root / "book/assets").mkdir(parents=True)
        self.write("_config.yml", CONFIG)
        self.write("_toc.yml", TOC)
        self.write("book/index.md", "# Front\n\nWords.\n")
        self.write("book/one.md", "# One\n\nWords of one.\n")
        self.write("book/two.md", "# Two\n\nWords of two.\n")
        self.write("book/assets/own.css", "p { color: red; }\n")

    def write(self, name: str, text: str) -> None:
        (self.root / name).write_text(text, encoding="utf-8")

    def build(self) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, str(SCRIPT), "--root", str(self.root)],
            env={**os.environ, "LC_ALL": "C.UTF-8"},
            capture_output=True, text=True, check=False,
        )  # fmt: skip

    def page(self, name: str) -> str:
        return (self.root / "_build/html" / name).read_text(encoding="utf-8")

    def times(self) -> dict[str, int]:
        folder = self.root / "_build/html"
        names = ("index.html", "book/one.html", "book/two.html")
        return {name: (folder / name).stat().st_mtime_ns for name in names}


@pytest.mark.browser
def test_a_page_a_style_sheet_and_a_mistake_in_a_small_site(tmp_path: Path) -> None:
    """One story, as each build of it takes seconds."""
    site = Site(tmp_path)
    first = site.build()
    assert first.returncode == 0, first.stdout + first.stderr
    assert "the whole site" in first.stdout

    # Nothing changed, though a file is newer.
    made = site.times()
    (tmp_path / "book/one.md").touch()
    assert site.build().returncode == 0
    assert site.times() == made

    # One page is read and written, the others are not.
    site.write("book/one.md", "# One\n\nOther words.\n")
    assert site.build().returncode == 0
    assert "Other words." in site.page("book/one.html")
    now = site.times()
    assert now["book/two.html"] == made["book/two.html"]
    assert now["book/one.html"] > made["book/one.html"]

    # A changed style sheet has a new address on every page, and is the one that is served.
    before = site.page("book/two.html")
    site.write("book/assets/own.css", "p { color: green; }\n")
    assert site.build().returncode == 0
    assert "green" in site.page("_static/own.css")
    assert site.page("book/two.html") != before

    # A page's new name stands beside all others.
    site.write("book/one.md", "# A new name\n\nOther words.\n")
    assert site.build().returncode == 0
    assert "A new name" in site.page("book/two.html")

    # A warning fails the build, and the next one too, though the page is not read again.
    site.write("book/one.md", "# A new name\n\n[](nowhere.md)\n")
    assert site.build().returncode == 1
    again = site.build()
    assert again.returncode == 1
    assert "nowhere" in again.stderr


@pytest.mark.browser
@pytest.mark.weekly
def test_a_language_has_its_pages_below_the_english_ones(tmp_path: Path) -> None:
    site = Site(tmp_path)
    folder = tmp_path / "locale/es/LC_MESSAGES/book"
    folder.mkdir(parents=True)
    site.write("_config.yml", CONFIG + "    locale_dirs: [locale]\n    gettext_compact: false\n")
    site.write("locale/languages.yml", "es: {name: Español, pages: [book/index, book/one]}\n")
    site.write("book/one.md", "# One\n\nWords of one.\n\nMore, and [two](two.md).\n")
    catalogue = "locale/es/LC_MESSAGES/book/one.po"
    header = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=utf-8\\n"\n\n'
    site.write(catalogue, header + 'msgid "Words of one."\nmsgstr "Palabras del uno."\n')
    first = site.build()
    assert first.returncode == 0, first.stdout + first.stderr
    page = site.page("es/book/one.html")
    assert "Palabras del uno." in page
    assert "More, and" in page
    assert 'href="../../book/two.html"' in page
    assert '<html lang="es"' in page
    assert not (tmp_path / "_build/html/es/book/two.html").exists()
    assert 'href="../es/book/one.html" hreflang="es"' in site.page("book/one.html")

    # Nothing twice; a page that it has not, and its own catalogue.
    assert "Building" not in site.build().stdout
    site.write("book/two.md", "# Two\n\nOther words.\n")
    assert "in es" not in site.build().stdout
    site.write(catalogue, header + 'msgid "Words of one."\nmsgstr "Otras palabras."\n')
    again = site.build()
    assert again.stdout.count("Building ") == 1
    assert "Building the whole site, in es" in again.stdout
    assert "Otras palabras." in site.page("es/book/one.html")


def test_the_site_of_the_kept_records_is_another_where_something_was_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither is built in the other's place, and a new run changes the reader's own alone."""
    monkeypatch.setenv("PPSLAB_RESULTS", str(tmp_path / "results"))
    kept, local = tmp_path / "results/run.json", tmp_path / "results/local/run.json"
    kept.parent.mkdir()
    kept.write_text("1")
    storing.read_kept(tmp_path)
    assert paths.site_build(tmp_path) == tmp_path / "_build"

    local.parent.mkdir()
    local.write_text("1")
    own = tmp_path / "_build", {"results/run.json", "results/local/run.json"}
    assert (paths.site_build(tmp_path), set(build_site.digests(tmp_path))) == own
    storing.read_kept(tmp_path)
    build, before = paths.site_build(tmp_path), build_site.digests(tmp_path)
    assert build == paths.site_build(tmp_path, paths.kept_results(tmp_path)) != own[0]
    assert [Path(name).name for name in before] == ["run.json"]

    local.write_text("2")
    assert build_site.to_build(before, build_site.digests(tmp_path)) is None
    kept.write_text("2")
    assert build_site.to_build(before, build_site.digests(tmp_path)) == build_site.WHOLE
