"""scripts/site/book_pdf.py and scripts/site/site_zip.py: a site as one book, and as one file."""

from __future__ import annotations

import base64
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import pytest

from scripts.site import book_pdf

SCRIPTS = Path(__file__).resolve().parents[4] / "scripts/site"

TOC = """
root: book/index
chapters:
  - file: book/one
    title: Part
    sections:
      - file: notebooks/two
"""
FRONT = """<html><head>
<link rel="stylesheet" type="text/css" href="_static/a.css?v=1" /></head><body>
<article class="bd-article"><h1>Front<a class="headerlink" href="#x">#</a></h1>
<a href="book/one.html#part">to one</a> <a href="#x">here</a> <p id="x">X</p></article>
</body></html>
"""
ONE = """<article class="bd-article"><h1>One &amp; only</h1><h2 id="part">Part</h2>
<details class="a"><summary>s</summary>folded</details><details open><summary>t</summary></details>
<svg aria-labelledby="t d"><title id="t">T</title><clipPath id="c"></clipPath>
<g clip-path="url(#c)"></g></svg> <a href="../index.html">front</a>
<a href="../notebooks/two.html">two</a> <a href="https://example.org/">out</a>
<a href="../reports/r.html" download>a download</a> <img src="../_static/p.png">
<script>alert(1)</script></article>
"""
PNG = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJg"
    "gg=="
)
TWO = '<article class="bd-article"><h1>Two</h1><p id="part">Another part</p></article>'


@pytest.fixture
def site(tmp_path: Path) -> Path:
    folder = tmp_path / "html"
    for name, text in {
        "index.html": FRONT,
        "book/one.html": ONE,
        "notebooks/two.html": TWO,
        "_static/site.css": "p { color: red }",
        "_static/p.png": "",
        "_static/widgets.css": ":root {\n  --w-1: var(--theme, #123456);\n}\n\n"
        ".w-line { stroke: var(--w-1); }\n",
        ".built": "{}",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    (tmp_path / "_toc.yml").write_text(TOC, encoding="utf-8")
    return folder


@pytest.fixture
def book(site: Path) -> str:
    import yaml

    return str(book_pdf.whole(site, list(book_pdf.contents(yaml.safe_load(TOC)))))


def test_the_book_has_every_page_in_the_order_of_the_contents(book: str) -> None:
    places = [book.index(f'<article class="bd-article" id="{name}">') for name in
              ("index", "book-one", "notebooks-two")]  # fmt: skip
    assert places == sorted(places)
    assert '<a href="#book-one">One &amp; only</a>' in book


def test_a_drawing_is_an_image_with_its_words_its_ids_and_the_page_s_style(book: str) -> None:
    """WeasyPrint gives a drawing in a page no description, and none of the page's style."""
    (image,) = re.findall(r'<img alt="T" src="data:image/svg\+xml;base64,([^"]+)"', book)
    svg = base64.b64decode(image).decode()
    assert "url(#book-one--c)" in svg
    assert 'id="book-one--c"' in svg
    assert ".w-line { stroke: #123456" in svg
    assert "var(" not in svg
    ElementTree.fromstring(svg)


def test_what_paper_cannot_do_is_not_in_the_book(book: str, site: Path) -> None:
    assert "alert(1)" not in book
    assert "reports/r.html" not in book
    assert "<details class" not in book
    assert book.count("<details open") == 2
    assert 'href="https://example.org/"' in book
    assert f'src="{(site / "_static/p.png").as_uri()}"' in book
    assert (site / "_static/site.css").as_uri() in book


@pytest.mark.long
def test_it_is_printed(site: Path, tmp_path: Path) -> None:
    made = tmp_path / "book.pdf"
    (site / "_static/p.png").write_bytes(base64.b64decode(PNG))
    done = subprocess.run(
        [sys.executable, str(SCRIPTS / "book_pdf.py"), "--site", str(site),
         "--toc", str(site.parent / "_toc.yml"), "--output", str(made)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    pages = subprocess.run(["pdftotext", "-layout", made, "-"], capture_output=True, text=True,
                           check=True).stdout.split("\f")  # fmt: skip
    # A title, the contents, three pages, each with its place.
    assert len(pages) == 6
    assert re.search(r"Two \.+ 5", pages[1])
    assert "folded" in pages[3]
    assert re.search(r"4 ?/ ?5", pages[3])
    facts = subprocess.run(["pdfinfo", made], capture_output=True, text=True, check=True).stdout
    assert re.search(r"Tagged: +yes", facts)


def test_the_archive_is_one_folder_that_opens(site: Path, tmp_path: Path) -> None:
    script = SCRIPTS / "site_zip.py"
    first, second = tmp_path / "a.zip", tmp_path / "b.zip"
    for output in (first, second):
        (site / "index.html").touch()
        subprocess.run([sys.executable, script, "--site", site, "--output", output], check=True)
    assert first.read_bytes() == second.read_bytes()
    with zipfile.ZipFile(first) as archive:
        assert archive.testzip() is None
        names = archive.namelist()
        assert {name.split("/")[0] for name in names} == {"ppslab-site"}
        files = [each for each in site.rglob("*") if each.is_file() and each.name[0] != "."]
        there = {f"ppslab-site/{each.relative_to(site).as_posix()}" for each in files}
        assert set(names) == {*there, "ppslab-site/README.txt"}
        assert not [name for name in names if "/." in name]
        assert archive.read("ppslab-site/book/one.html").decode() == ONE
