"""What is done to the whole site when its pages are written: for search engines, and for size."""

from __future__ import annotations

import os
import re
import shutil
from html import escape
from pathlib import Path

from sphinx.application import Sphinx

from ppslab import documents, results
from ppslab.directives.head import CARD
from ppslab.figures.card import card

ADDRESS = "PPSLAB_SITE_URL"
"""The environment's word for where the site will lie, as `https://example.org/ppslab/`."""

LAB = "fastpath"
"""Whose numbers the card shows."""

UNUSED = ("vendor/fontawesome", "images/logo_binder.svg", "images/logo_colab.png")
"""What themes and extensions copy into every site, and no page of this one asks for."""


def take_address(app: Sphinx, config: object) -> None:
    """Where the site will lie, if it is said: whole addresses are made of it."""
    del config
    said = os.environ.get(ADDRESS, "")
    if said:
        app.config.html_baseurl = said.rstrip("/") + "/"


def finish(app: Sphinx, error: Exception | None) -> None:
    """Write what crawlers ask for and the card; remove what nobody asks for."""
    if error is not None or app.builder.name != "html":
        return
    folder = Path(app.outdir)
    picture = folder / CARD
    if app.config.html_baseurl and not picture.exists():
        documents.write_atomic(picture, card(results.newest(LAB)))
    for name in UNUSED:
        path = folder / "_static" / name
        shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)
    for source_map in (folder / "_static").rglob("*.map"):
        source_map.unlink()
    _crawlers(app, folder)
    for page in sorted(folder.glob("*.html")) + sorted(folder.glob("[bn]*/**/*.html")):
        _light_without_script(page)


def _crawlers(app: Sphinx, folder: Path) -> None:
    base = str(app.config.html_baseurl or "")
    robots = "User-agent: *\nAllow: /\n"
    if base:
        pages = sorted(app.env.found_docs)
        addresses = "".join(
            f"<url><loc>{escape(base + app.builder.get_target_uri(page))}</loc></url>\n"
            for page in pages
        )
        documents.write_atomic(
            folder / "sitemap.xml",
            '<?xml version="1.0" encoding="UTF-8"?>\n'
            '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
            f"{addresses}</urlset>\n",
        )
        robots += f"Sitemap: {base}sitemap.xml\n"
    documents.write_atomic(folder / "robots.txt", robots)


_AUTO = re.compile(r'(<html\b[^>]*\bdata-theme=)"auto"')


def _light_without_script(page: Path) -> None:
    """Without a script the page is light: the theme has no colours for `auto`, until one runs."""
    text = page.read_text(encoding="utf-8")
    made = _AUTO.sub(r'\1"light"', text, count=1)
    if made != text:
        page.write_text(made, encoding="utf-8")


def setup(app: Sphinx) -> None:
    """Called by the extension."""
    app.connect("config-inited", take_address)
    app.connect("build-finished", finish)
