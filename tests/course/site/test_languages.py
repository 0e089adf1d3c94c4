"""The site in another language: what a reader sees goes through a catalogue, or stays English."""

from __future__ import annotations

import ast
import re
import shutil
from collections.abc import Iterator, Sequence
from html import unescape
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po, write_po

from ppslab.core import paths
from ppslab.core.text import language
from ppslab.course import messages
from ppslab.course.models import model
from ppslab.course.site.directives import manual as facts
from ppslab.course.site.directives.frame import languages
from ppslab.course.widgets import controls, live
from ppslab.model import manual
from tests.support import sphinx_site

pytestmark = pytest.mark.long

CONFIG = """
extensions = ["myst_parser", "sphinx_design", "ppslab.course.site.directives"]
root_doc = "book/index"
html_theme = "basic"
locale_dirs = ["locale"]
gettext_compact = False
myst_enable_extensions = ["attrs_block", "attrs_inline", "colon_fence", "deflist"]
suppress_warnings = ["myst", "ref", "toc"]
"""

LANGUAGE = "es"
"""Sphinx wants a language that Babel knows; this one has quotation marks of its own."""

SAMPLE = ("explain", "slow", "fasttrack/tasks")


class Book:
    """A few pages of the book as a site of their own, in English and in a made-up language."""

    def __init__(self, folder: Path, *names: str) -> None:
        self.source = folder / "source"
        (self.source / "book").mkdir(parents=True)
        (self.source / "locale").mkdir()
        (self.source / "images").symlink_to(paths.project_root() / "images")
        (self.source / "conf.py").write_text(CONFIG)
        for name in ("slow.yml", "slow-signs.yml", "pages.yml"):
            shutil.copy(paths.project_root() / "book" / name, self.source / "book")
        (self.source / messages.LANGUAGES).write_text(
            f'{LANGUAGE}: {{name: Other, pages: ["*"]}}\n'
        )
        for name in names:
            self.page(name, (paths.project_root() / f"book/{name}.md").read_text())
        self.page("index", "# Front\n\n```{toctree}\n:glob:\n**\n```\n")

    def page(self, name: str, text: str) -> None:
        path = self.source / f"book/{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def build(self, builder: str, where: str, code: str, without: Sequence[str] = ()) -> Path:
        out = self.source.parent / where
        settings = {"language": code, "exclude_patterns": list(without)}
        sphinx_site.build(self.source, out, builder, settings=settings)
        return out

    def templates(self) -> dict[str, Catalog]:
        """Every catalogue of the pages, by name."""
        out = self.build("gettext", "pot", "en")
        found = {}
        for path in out.rglob("*.pot"):
            with path.open("rb") as file:
                found[path.relative_to(out).with_suffix("").as_posix()] = read_po(file)
        return found

    def translate(self, catalogs: dict[str, Catalog], leave: str = "") -> None:
        """Put every message between brackets, except one."""
        folder = self.source / "locale" / LANGUAGE / "LC_MESSAGES"
        for name, catalog in catalogs.items():
            for each in catalog:
                if each.id and each.id != leave:
                    each.string = f"⟦{each.id}⟧"
            path = folder / f"{name}.po"
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("wb") as file:
                write_po(file, catalog)


@pytest.fixture(autouse=True)
def _english_again(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("PPSLAB_BACKEND", "recorded")
    yield
    language.use({})


_APART = re.compile(
    r"<(script|style|pre|code|option|textarea)\b.*?</\1>|<!--.*?-->"
    # Sources are quoted as they are; a run's conditions have names of their own.
    r'|<details class="ppslab-(?:source|made)".*?</details>|<p class="ppslab-under.*?</p>'
    # Sphinx's own word.
    r'|<p class="admonition-title">.*?</p>',
    re.DOTALL,
)


def escaped(page: Path) -> list[str]:
    """What a page's text has outside of the brackets: no catalogue was asked about it."""
    text = page.read_text(encoding="utf-8")
    body = text[text.index('<div class="body"') : text.index('<div class="clearer"')]
    plain = unescape(re.sub(r"<[^>]*>", " ", _APART.sub(" ", body)))
    before = ""
    while plain != before:
        plain, before = re.sub(r"⟦[^⟦⟧]*⟧", " | ", plain), plain
    return [each.strip() for each in plain.split("|") if re.search(r"[a-z]{3}", each)]


LEFT = "What to take away"


def test_what_a_reader_sees_goes_through_a_catalogue(tmp_path: Path) -> None:
    """Every message is between brackets, but one, which stays English."""
    book = Book(tmp_path, *SAMPLE)
    book.translate({**book.templates(), **messages.extracted(paths.project_root())}, leave=LEFT)
    site = book.build("html", "site", LANGUAGE)
    for name in SAMPLE:
        assert escaped(site / f"book/{name}.html") in ([], [LEFT]), name
    page = (site / "book/fasttrack/tasks.html").read_text(encoding="utf-8")
    assert f"<strong>{LEFT}</strong>" in page and f"⟦{LEFT}⟧" not in page
    # The page says what it is, and leads to the English one.
    assert f'<html lang="{LANGUAGE}"' in page
    assert f'hreflang="{LANGUAGE}" href="../../../{LANGUAGE}/book/fasttrack/tasks.html"' in page
    assert 'hreflang="en" href="../../../book/fasttrack/tasks.html"' in page
    note = page[page.index('class="ppslab-translation"') :]
    assert '<a href="../../../book/fasttrack/tasks.html"' in note[: note.index("</p>")]
    places = [page.index(f"_static/{name}.js") for name in ("gettext", "messages", "quiz")]
    assert places == sorted(places)
    script = (site / "_static/messages.js").read_text(encoding="utf-8")
    assert '"Choose an answer first.": "⟦Choose an answer first.⟧"' in script


def test_no_number_of_a_record_is_in_a_message(tmp_path: Path) -> None:
    catalogs = Book(tmp_path, "fastpath/measured").templates()
    generated = [str(each.id) for each in catalogs[languages.GENERATED]]
    assert len(generated) > 50
    assert not [text for text in generated if re.search(r"(?<![\w{.-])\d+(?![\w}.-])", text)]
    interval = re.compile(r"\d \[\d|\[\d[\d.]*, \d")
    prose = [str(each.id) for each in catalogs["book/fastpath/measured"]]
    assert not [text for text in prose if interval.search(text)]


def test_what_a_language_lacks_is_that_of_the_english_site(tmp_path: Path) -> None:
    book = Book(tmp_path)
    book.page("explain", "# One\n\n[The other](other.md), [](other.md#a-part), [](a-label).\n")
    book.page("other", "# Other\n\n(a-label)=\n## A part\n\nText.\n")
    english = book.build("html", "site", "en")
    (book.source / messages.LANGUAGES).write_text(
        f"{LANGUAGE}: {{name: Other, pages: [book/index, book/explain]}}\n"
    )
    site = book.build("html", f"site/{LANGUAGE}", LANGUAGE, without=["book/other.md"])
    page = (site / "book/explain.html").read_text(encoding="utf-8")
    for address in ("other.html", "other.html#a-part", "other.html#a-label"):
        assert f'href="../../book/{address}"' in page
    assert ">A part<" in page
    assert 'href="../../_static/basic.css' in page
    assert 'src="../_static/messages.js' in page
    assert not (site / "_static/basic.css").exists()
    switch = (english / "book/explain.html").read_text(encoding="utf-8")
    assert f'href="../{LANGUAGE}/book/explain.html"' in switch


def test_a_model_answers_in_the_language() -> None:
    english = live.parts("line-rate", {})
    asked = controls.beginning(english[1])
    known = messages.extracted(paths.project_root())["program"]
    language.use({str(each.id): f"⟦{each.id}⟧" for each in known if each.id})
    title, shown, facts = live.parts("line-rate", {})
    assert title == f"⟦{english[0]}⟧"
    assert all(each["label"].startswith("⟦") for each in shown)
    answer = model("line-rate").answer(asked, facts)
    assert all(text.startswith("⟦") and "{" not in text for text in answer["says"])


def test_explain_answers_in_the_language() -> None:
    found = messages.extracted(paths.project_root())
    language.use({str(each.id): f"⟦{each.id}⟧" for c in found.values() for each in c if each.id})
    _, shown, known = live.parts("explain", {})
    asked = controls.beginning(shown)
    for _, given in known["examples"]:
        answer = model("explain").answer({**asked, **given}, known)
        paths_table, *others = answer["folded"][1]
        texts = [*answer["says"], *answer["more"], *answer["warnings"]]
        texts += [thing["gain"] for thing in answer["to_do"]["things"]]
        texts += [each["title"] for each in (paths_table, *others)]
        texts += [row[0] for row in paths_table["rows"]]
        assert not [text for text in texts if not text.startswith("⟦")]


def test_an_inferred_fact_has_its_reason_in_the_language() -> None:
    fact = next(each for each in manual.load().values() if each.fact.basis == "inferred")
    language.use(
        {"Inferred, as {because}": "Deducido, pues {because}", fact.fact.because: "es así"}
    )
    assert "Deducido, pues es así" in facts._cited(fact).astext()
    short = facts._own(fact, named=False)
    assert short and "Deducido, pues es así" in short.astext()


def test_numbers_leave_a_text_and_come_back() -> None:
    language.use({"{0} tasks, {1} minutes": "{1} minutoj por {0} taskoj"})
    assert languages.translated(" 11 tasks, 35 minutes") == " 35 minutoj por 11 taskoj"


def test_every_message_of_a_program_is_found() -> None:
    # Babel looks into no f-string.
    hidden = [
        f"{path}:{node.lineno}"
        for folder in ("src/ppslab", "packages/rosexplain/src")
        for path in (paths.project_root() / folder).rglob("*.py")
        for string in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(string, ast.JoinedStr)
        for node in ast.walk(string)
        if isinstance(node, ast.Call)
        and getattr(node.func, "id", "") == "gettext"
        and isinstance(node.args[0], ast.Constant)
    ]
    assert not hidden
