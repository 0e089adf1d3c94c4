"""Slides: one deck a chapter, from what its own pages hold and mark; no text is kept twice.

A page marks a slide by `{ppslab-slide}` around text that readers of the site see as well:

    ::::{ppslab-slide} What a packet costs
    :minutes: 5
    :ask: Which bar did you not expect?
    :wrong: Somebody reads the bars as rates.
    :answer: Encryption; the others cost less than 2.

    ...
    ::::

The options are the speaker's notes; the site shows what goes wrong here, as a fold, and no answer.
A chapter's deck is written as Markdown (`markdown`), and built by sphinx-revealjs (`build`).
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any, Final

from ppslab.core import documents, paths
from ppslab.core.errors import FileError, PpslabError, did_you_mean
from ppslab.model.lab import lab as labs
from ppslab.show import templates
from ppslab_class import content
from ppslab_class.content import Chapter

# --- what a page marks --------------------------------------------------------------------------

DIRECTIVE = "ppslab-slide"
OPTIONS = ("minutes", "ask", "wrong", "answer", "guess")
"""Minutes; what to ask; what goes wrong here; the answer; whether the class's guesses come next."""

_OPEN = re.compile(r"^(:{3,})\{ppslab-slide\} *(.*)$")
_CODE = re.compile(r"^(`{3,}|~{3,})")
_OPTION = re.compile(r"^:(\w+): *(.*)$")
_POINT = re.compile(r"^(?:\d+\.|-) +(.+)$", re.MULTILINE)
_COMMANDS = re.compile(
    r"^```(?:\{literalinclude\} /(?P<file>\S+)\n:language: routeros|(?:routeros|sh))\n"
    r"(?P<lines>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
_LINK = re.compile(r"(?<!!)\[([^\]]*)\]\((?!https?:)[^)\s]*\)")


@dataclass(frozen=True)
class Slide:
    """A slide: `body` is Markdown; `minutes` 0 where none are named.

    `then`: what a day shows after it, in Markdown; a page names none.
    """

    title: str
    body: str
    minutes: int = 0
    ask: str = ""
    wrong: str = ""
    answer: str = ""
    guess: bool = False
    then: str = ""

    @property
    def questions(self) -> tuple[str, ...]:
        """The points of its body's list in Markdown: of a guess, what to guess one by one."""
        return tuple(_POINT.findall(self.body))

    @property
    def lead(self) -> str:
        """The paragraph above the list of `questions`, in one line; empty without one."""
        above = _POINT.split(self.body, maxsplit=1)[0].strip()
        return above.rpartition("\n\n")[2].replace("\n", " ")

    @property
    def notes(self) -> str:
        """The speaker's notes in Markdown; empty: none."""
        lines = [
            f"{self.minutes} minutes." if self.minutes else "",
            f"Ask: {self.ask}" if self.ask else "",
            f"A common mistake: {self.wrong}" if self.wrong else "",
            f"The answer: {self.answer}" if self.answer else "",
            self.then,
        ]
        return "\n\n".join(line for line in lines if line)


def marked(page: Path) -> list[Slide]:
    """The slides that a page marks, in its order; FileError with the line for a bad mark."""
    return list(_marks(page, documents.read_text(page).splitlines()))


def _marks(page: Path, lines: list[str]) -> Iterator[Slide]:
    number = 0
    while number < len(lines):
        opening, code = _OPEN.match(lines[number]), _CODE.match(lines[number])
        number += 1
        if code is not None:  # an example of a mark is none
            while number < len(lines) and lines[number].rstrip() != code[1]:
                number += 1
            number += 1
        if opening is None:
            continue
        line, fence = number, opening[1]
        while number < len(lines) and lines[number].rstrip() != fence:
            number += 1
        if number == len(lines):
            raise FileError(page, line, f"this slide has no end: a line {fence!r}")
        yield _parse(page, line, opening[2].strip(), lines[line:number])
        number += 1


def _parse(page: Path, line: int, title: str, inside: list[str]) -> Slide:
    options: dict[str, str] = {}
    while inside and (option := _OPTION.match(inside[0])):
        name = option[1]
        if name not in OPTIONS:
            raise FileError(page, line, f"no option {name!r}{did_you_mean(name, OPTIONS)}")
        options[name] = option[2].strip()
        inside = inside[1:]
    body = without_links("\n".join(inside)).strip()
    minutes = options.get("minutes", "0")
    if not title or not body:
        raise FileError(page, line, "a slide has a title behind its name, and text below")
    if not minutes.isdigit():
        raise FileError(page, line, f"minutes are a whole number, not {minutes!r}")
    if any(text.startswith("#") for text in body.splitlines()):
        raise FileError(page, line, "a slide holds no heading: its title is behind its name")
    return Slide(
        title,
        body,
        int(minutes),
        options.get("ask", ""),
        options.get("wrong", ""),
        options.get("answer", ""),
        guess="guess" in options,
    )


def without_links(text: str) -> str:
    """Markdown whose links to other pages of the site are only their words.

    >>> without_links("see [the method](../method.md) and [MikroTik](https://mikrotik.com)")
    'see the method and [MikroTik](https://mikrotik.com)'
    """
    return _LINK.sub(r"\1", text)


# --- a deck ------------------------------------------------------------------------------------


GUESSED = "Guesses of the class"
HALL_CLASS = "ppslab-hall-slide"


def names() -> list[str]:
    """The chapters with a deck: those that mark a slide, in the order of the table of contents."""
    return [name for name in content.chapter_names() if of(name)]


def of(name: str) -> list[Slide]:
    """Return the slides that the pages of a chapter mark."""
    return [slide for page in content.chapter_pages(name) for slide in marked(page)]


def file(name: str) -> str:
    """The file of a deck, without its ending.

    >>> file("measuring/searching")
    'measuring-searching'
    """
    return name.replace("/", "-")


def markdown(chapter: Chapter, slides: Sequence[Slide], *, hall: bool = True) -> str:
    """The deck of a chapter; without a `hall`, nothing in it needs a board."""
    see = on_a_router(chapter.name)
    template = _DECKS.get_template("deck.md.j2")
    return template.render(chapter=chapter, slides=slides, see=see, hall=hall)


def on_a_router(name: str) -> str:
    """Return a chapter's commands for a router: its lab's see.rsc, or its page's first ones.

    The lines of see.rsc above its first empty one say what the file is for.  Empty where neither
    is there.
    """
    script = labs.find(name).folder / "see.rsc" if name in labs.names() else None
    if script is not None and script.is_file():
        return documents.read_text(script).partition("\n\n")[2].strip()
    for page in content.chapter_pages(name):
        if page.name == "router.md" and (found := _COMMANDS.search(documents.read_text(page))):
            return _included(found) or found["lines"].strip()
    return ""


def _included(found: re.Match[str]) -> str:
    """The file that a page includes, where it does; what a comment says first is left out."""
    if found["file"] is None:
        return ""
    text = documents.read_text(paths.project_root() / found["file"])
    lines = text.strip().splitlines()
    while lines and (lines[0].startswith("#") or not lines[0].strip()):
        lines.pop(0)
    return "\n".join(lines)


_DECKS = templates.environment("ppslab_class", "papers", escaped=False)
_DECKS.globals |= {"guessed": GUESSED, "hall_class": HALL_CLASS}
_DECKS.filters["file"] = file
_DECKS.filters["without_links"] = without_links


# --- the pages of the decks ----------------------------------------------------------------------

PAGES: Final = Path(__file__).parent / "pages"

INDEX: Final = "index.html"
"""The page with a link to each deck."""

REVEAL: Final = "_static/revealjs"
KEPT_THEME: Final = "white"
UNUSED: Final = ("css", "plugin/math", "plugin/search", "plugin/zoom", "plugin/markdown")
"""Parts of reveal.js that no deck loads."""


class SlidesError(PpslabError):
    """A deck cannot be built; the message is Sphinx's own, with file and line."""


def folder() -> Path:
    """Return the folder in which `ppslab workshop slides` builds, and `start` looks."""
    return paths.build_dir() / "slides"


def build(
    decks: Sequence[tuple[Chapter, Sequence[Slide]]], output: Path, *, hall: bool = True
) -> list[Path]:
    """Build a deck of each chapter's slides into `output`; return their pages.

    Without a `hall`, for decks that open from a folder, nothing in them needs a board.
    Decks that are there are replaced.
    SlidesError for the first thing that Sphinx warns of: a slide with a hole is no slide.
    """
    pages = {file(chapter.name): markdown(chapter, chosen, hall=hall) for chapter, chosen in decks}
    chapters = [chapter for chapter, _ in decks]
    pages["index"] = _DECKS.get_template("decks.md.j2").render(chapters=chapters)
    with tempfile.TemporaryDirectory(prefix="ppslab-slides-") as folder_name:
        source = Path(folder_name) / "source"
        source.mkdir()
        for name, text in pages.items():
            (source / f"{name}.md").write_text(text, encoding="utf-8")
        shutil.rmtree(output, ignore_errors=True)
        _sphinx(source, output, Path(folder_name) / "doctrees")
    return [output / f"{file(chapter.name)}.html" for chapter, _ in decks]


def _sphinx(source: Path, output: Path, doctrees: Path) -> None:
    # Imported here: Sphinx with all its extensions, two seconds.
    from sphinx.application import Sphinx  # noqa: PLC0415
    from sphinx.util.docutils import docutils_namespace, patch_docutils  # noqa: PLC0415

    warnings = StringIO()
    with patch_docutils(), docutils_namespace():
        app = Sphinx(
            srcdir=source,
            confdir=None,
            outdir=output,
            doctreedir=doctrees,
            buildername="revealjs",
            confoverrides=_configuration(),
            status=None,
            warning=warnings,
            freshenv=True,
        )
        # Before the site's own check, which would find the fonts that unused themes fetch.
        app.connect("build-finished", lambda *_: _drop_unused(output), priority=100)
        app.build(force_all=True)
    if warnings.getvalue().strip():
        raise SlidesError(
            f"the slides are not built: {warnings.getvalue().strip().splitlines()[0]}"
        )


def _configuration() -> dict[str, Any]:
    book = paths.project_root() / "book" / "assets"
    return {
        "project": "Packets per second, and why",
        "language": "en",
        "extensions": [
            "myst_parser",
            "sphinx_design",
            "sphinx_revealjs",
            "ppslab.course.site.directives",
            "ppslab_class.site",
        ],
        "myst_enable_extensions": ["attrs_block", "attrs_inline", "colon_fence", "deflist"],
        "html_title": "ppslab",
        "html_show_sourcelink": False,
        "html_copy_source": False,
        "revealjs_style_theme": KEPT_THEME,
        "revealjs_static_path": [
            str(book / "book.css"),
            str(PAGES / "slides.css"),
            str(PAGES / "making.js"),
            str(PAGES / "drawing.js"),
            str(PAGES / "slides.js"),
        ],
        "revealjs_css_files": ["book.css", "slides.css"],
        "revealjs_script_files": ["making.js", "drawing.js", "slides.js"],
        "revealjs_script_conf": {"hash": True, "slideNumber": "c/t", "transition": "none"},
        "revealjs_script_plugins": [
            {"name": "RevealNotes", "src": "revealjs/plugin/notes/notes.js"}
        ],
    }


def _drop_unused(output: Path) -> None:
    reveal = output / REVEAL
    for name in UNUSED:
        shutil.rmtree(reveal / name, ignore_errors=True)
    for theme in (reveal / "dist" / "theme").glob("*.css"):
        if theme.stem != KEPT_THEME:
            theme.unlink()
    for unread in [*output.rglob("*.map"), *output.glob("*.inv"), output / ".buildinfo"]:
        unread.unlink(missing_ok=True)
