"""A site of a test's own pages."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace, patch_docutils


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
