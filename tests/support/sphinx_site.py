"""A site of a test's own pages."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace, patch_docutils

CONFIG = 'extensions = ["myst_parser", "ppslab.course.site.directives"]\nhtml_theme = "basic"\n'


def page(folder: Path, text: str, config: str = "") -> tuple[str, str]:
    """The HTML of a site of this one page, and its warnings; `config`: more of its conf.py."""
    source = folder / "source"
    source.mkdir()
    (source / "conf.py").write_text(CONFIG + config)
    (source / "index.md").write_text(text)
    warnings = build(source, folder / "out")
    return (folder / "out/index.html").read_text(encoding="utf-8"), warnings


def build(
    source: Path,
    out: Path,
    builder: str = "html",
    *,
    settings: dict[str, Any] | None = None,
    read: Callable[[str], object] = lambda page: None,
) -> str:
    """Build the pages of a folder; the warnings.  `read` gets each page that is read anew."""
    warnings = io.StringIO()
    with patch_docutils(), docutils_namespace():
        app = Sphinx(
            str(source), str(source), str(out), f"{out}-trees", builder,
            confoverrides=settings, status=None, warning=warnings,
        )  # fmt: skip
        app.connect("source-read", lambda _app, page, _text: read(page))
        app.build()
    return warnings.getvalue()
