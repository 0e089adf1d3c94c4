"""The front page at the site's own address: index.html shows it, and does not send on to it.

The book's root page lies in a folder, book/, and Jupyter Book would put a redirect in its place.
"""

from __future__ import annotations

import re
from pathlib import Path

from sphinx.application import Sphinx

FRONT = "index.html"

_TAGS = re.compile(r"<(script|style|svg)\b.*?</\1>|<[^>]+>", re.DOTALL)

_MOVED = """<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>Moved</title>
<meta http-equiv="refresh" content="0; url={address}"></head>
<body><p><a href="{address}">The front page</a></p><div role="main" hidden>{text}</div></body>
</html>
"""


def front_page(app: Sphinx) -> None:
    """Let the root page be written to, and be linked to as, index.html."""
    builder = app.builder
    root = app.config.root_doc
    if builder.name != "html" or root == "index":
        return
    target, outfile = builder.get_target_uri, builder.get_outfilename  # type: ignore[attr-defined]

    def get_target_uri(docname: str, typ: str | None = None) -> str:
        return FRONT if docname == root else str(target(docname, typ))

    def get_outfilename(pagename: str) -> str:
        return str(Path(app.outdir) / FRONT) if pagename == root else str(outfile(pagename))

    builder.get_target_uri = get_target_uri  # type: ignore[method-assign]
    builder.get_outfilename = get_outfilename  # type: ignore[attr-defined]


def old_address(app: Sphinx, error: Exception | None) -> None:
    """The search knows pages by their source: send it on from there.

    It fetches what it found and shows a part of it, so the page's words stand there too; of a page
    without any it made an error.
    """
    root = app.config.root_doc
    if error or app.builder.name != "html" or root == "index":
        return
    page = Path(app.outdir) / f"{root}.html"
    front = (Path(app.outdir) / FRONT).read_text(encoding="utf-8")
    article = re.search(r"<article\b.*?</article>", front, re.DOTALL)
    text = _TAGS.sub(" ", article[0]) if article else ""
    page.parent.mkdir(parents=True, exist_ok=True)
    address = "../" * root.count("/") + FRONT
    page.write_text(_MOVED.format(address=address, text=" ".join(text.split())), encoding="utf-8")
