"""A locked chapter is locked in every language and form that the site has it in.

Of a site with every page of book/ in each language, and of the built one.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from ppslab_class import content
from ppslab_class.server import Files
from tests.ppslab_class.class_room import ClassRoom
from tests.system.browser.conftest import ROOT, Built, built

__all__ = ["built"]

LANGUAGES = yaml.safe_load((ROOT / "locale/languages.yml").read_text(encoding="utf-8"))
FOLDERS = ("", *(f"{name}/" for name in LANGUAGES))
LOCKED = tuple(content.load().chapters)


def forms(page: str) -> Iterator[str]:
    """The files that a builder makes of a page, a notebook's too."""
    yield f"{page}.html"
    suffix = ".ipynb" if page.startswith("notebooks/") else ".md"
    yield f"_sources/{page}{suffix}"
    if suffix == ".ipynb":
        yield f"lite/files/{page}{suffix}"
        for kind in ("rfc2544", "tcp", "soak"):
            yield f"reports/{kind}-{Path(page).stem}.html"


def pages() -> Iterator[str]:
    """Every page of book/ and every notebook."""
    for folder, suffix in (("book", ".md"), ("notebooks", ".ipynb")):
        for path in sorted((ROOT / folder).rglob(f"*{suffix}")):
            yield str(path.relative_to(ROOT).with_suffix(""))


def of_chapter(page: str, chapter: str) -> bool:
    return re.fullmatch(rf"(book|notebooks)/{chapter}(/.*)?", page) is not None


@pytest.mark.long
def test_a_chapter_is_locked_in_every_language_and_form(room: ClassRoom) -> None:
    folder = room.hall.site.folder
    files = {
        f"{language}{form}": page
        for page in pages()
        for form in forms(page)
        for language in FOLDERS
    }
    for name in files:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("text")
    learner, teacher = room.client("seat-01"), room.client("instructor")
    for number, chapter in enumerate(LOCKED):
        teacher.post("/workshop/api/act", json={"do": "lock", "chapters": [chapter]})
        own = [name for name, page in files.items() if of_chapter(page, chapter)]
        assert own, chapter
        for name in own:
            assert learner.get(f"/{name}").status_code == 403, name
            if "lite/" not in name:
                assert teacher.get(f"/{name}").text == "text", name
        other = LOCKED[number - 1]
        for name, page in files.items():
            if of_chapter(page, other) or (number == 0 and name not in own):
                assert learner.get(f"/{name}").status_code == 200, name


SENTENCE = re.compile(r"(?<=[.?!:]) ")
TEXTS = {".html", ".js", ".json", ".txt", ".md", ".ipynb", ".xml", ".inv", ".svg"}


def words(text: str) -> str:
    """The text of a page, as one line."""
    text = re.sub(r"<(script|style)\b.*?</\1>", " ", text, flags=re.DOTALL)
    article = re.search(r"<article.*?</article>", text, re.DOTALL)
    bare = re.sub(r"<[^>]+>", " ", article[0] if article else text)
    return re.sub(r"\s+", " ", html.unescape(bare))


def sentences(text: str) -> set[str]:
    return {one.strip() for one in SENTENCE.split(words(text)) if 60 < len(one) < 300}


@pytest.mark.browser
def test_no_file_of_the_built_site_has_a_locked_chapters_text(
    room: ClassRoom, built: Built
) -> None:
    """Whatever else a builder makes: an index to search in, a list of pages, a bundle."""
    site = built.folder
    room.hall.site = Files(site)
    room.client("instructor").post("/workshop/api/act", json={"do": "lock", "chapters": LOCKED})
    learner = room.client("seat-01")
    own = {
        path: sentences(path.read_text())
        for chapter in LOCKED
        for path in (*site.glob(f"**/book/{chapter}/*.html"), *site.glob(f"**/book/{chapter}.html"))
    }
    assert {path.relative_to(site).parts[0] for path in own} > {"book"}, "another language too"
    for path in sorted(site.rglob("*")):
        name = str(path.relative_to(site))
        if not path.is_file() or path.suffix not in TEXTS or name.startswith("lite/static/"):
            continue
        answer = learner.get(f"/{name}")
        if answer.status_code != 200:
            assert answer.status_code in (403, 404), name
            continue
        text = words(answer.text) if path.suffix == ".html" else answer.text
        for page, said in own.items():
            shown = sum(one in text for one in said)
            assert shown <= len(said) / 2, f"{name} has {shown} of {len(said)} of {page}"
