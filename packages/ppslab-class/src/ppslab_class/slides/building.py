"""The decks as pages: sphinx-revealjs over Markdown that is written from the chapters."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import Any, Final

from ppslab.core import paths
from ppslab.core.errors import PpslabError, UsageError
from ppslab_class.planning import chapters as all_chapters
from ppslab_class.slides import decks

OUTPUT: Final = "slides"
"""The folder below the build's."""

ASSETS: Final = Path(__file__).parent / "assets"
PAGES: Final = Path(__file__).parent.parent / "pages"

INDEX: Final = "index.html"
"""The page with a link to each deck."""

REVEAL: Final = "_static/revealjs"
KEPT_THEME: Final = "white"
UNUSED: Final = ("css", "plugin/math", "plugin/search", "plugin/zoom", "plugin/markdown")
"""What reveal.js brings along, and no deck loads."""


class SlidesError(PpslabError):
    """A deck cannot be built; the message is Sphinx's own, with file and line."""


def folder() -> Path:
    """Where `ppslab workshop slides` builds, and `start` looks."""
    return paths.build_dir() / OUTPUT


def build(names: Sequence[str], output: Path) -> list[Path]:
    """Build the decks of these chapters into `output`; returns their pages.

    Decks that are there are replaced; UsageError for a folder with anything else in it.
    SlidesError for the first thing that Sphinx warns of: a slide with a hole is no slide.
    """
    empty = not output.exists() or (output.is_dir() and not any(output.iterdir()))
    if not empty and not (output / REVEAL).is_dir():
        raise UsageError(f"{output} holds something else than slides, and would be replaced")
    chapters = [all_chapters.load(name) for name in names]
    pages = {decks.file(each.name): decks.markdown(each, decks.of(each.name)) for each in chapters}
    pages["index"] = decks.contents(chapters)
    with tempfile.TemporaryDirectory(prefix="ppslab-slides-") as made:
        source = Path(made) / "source"
        source.mkdir()
        for name, text in pages.items():
            (source / f"{name}.md").write_text(text, encoding="utf-8")
        shutil.rmtree(output, ignore_errors=True)
        _sphinx(source, output, Path(made) / "doctrees")
    return [output / f"{decks.file(name)}.html" for name in names]


def _sphinx(source: Path, output: Path, doctrees: Path) -> None:
    # Imported here: Sphinx with all its extensions, two seconds.
    from sphinx.application import Sphinx  # noqa: PLC0415
    from sphinx.util.docutils import docutils_namespace, patch_docutils  # noqa: PLC0415

    warned = StringIO()
    with patch_docutils(), docutils_namespace():
        app = Sphinx(
            srcdir=source,
            confdir=None,
            outdir=output,
            doctreedir=doctrees,
            buildername="revealjs",
            confoverrides=_configuration(),
            status=None,
            warning=warned,
            freshenv=True,
        )
        # Before the site's own check, which would find the fonts that unused themes fetch.
        app.connect("build-finished", lambda *_: _drop_unused(output), priority=100)
        app.build(force_all=True)
    if warned.getvalue().strip():
        raise SlidesError(f"the slides are not built: {warned.getvalue().strip().splitlines()[0]}")


def _configuration() -> dict[str, Any]:
    book = paths.project_root() / "book" / "assets"
    return {
        "project": "Packets per second, and why",
        "language": "en",
        "extensions": [
            "myst_parser",
            "sphinx_design",
            "sphinx_revealjs",
            "ppslab_class.site",
            "ppslab.cli.site",
        ],
        "myst_enable_extensions": ["attrs_block", "attrs_inline", "colon_fence", "deflist"],
        "html_title": "ppslab",
        "html_show_sourcelink": False,
        "html_copy_source": False,
        "revealjs_style_theme": KEPT_THEME,
        "revealjs_static_path": [
            str(book / "book.css"),
            str(ASSETS / "slides.css"),
            str(ASSETS / "hall.js"),
            str(PAGES / "making.js"),
            str(PAGES / "drawing.js"),
        ],
        "revealjs_css_files": ["book.css", "slides.css"],
        "revealjs_script_files": ["making.js", "drawing.js", "hall.js"],
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
