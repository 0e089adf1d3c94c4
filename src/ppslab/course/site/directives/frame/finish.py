"""Finishes the whole site when its pages are written: for search engines, and for size.

The front page is at the site's own address: index.html shows it, and does not send on to it.  The
book's root page lies in a folder, book/, and Jupyter Book would put a redirect in its place.
"""

from __future__ import annotations

import os
import re
import shutil
from html import escape
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.util import logging

from ppslab.core import documents
from ppslab.course.site import policy
from ppslab.course.site.directives import device_pages
from ppslab.course.site.directives.frame.head import CARD
from ppslab.course.site.directives.frame.languages import english
from ppslab.model import results
from ppslab.show.figures.card import card

logger = logging.getLogger(__name__)

ADDRESS = "PPSLAB_SITE_URL"
"""The variable with the site's future address, as `https://example.org/ppslab/`."""

LAB = "fastpath"
"""The lab whose numbers the card shows."""

UNUSED = (
    *("vendor/fontawesome", "images/logo_binder.svg", "images/logo_colab.png"),
    *("webpack-macros.html", "sbt-webpack-macros.html"),
)
"""Files that themes and extensions copy into every site, and that no page of this one loads."""


def take_address(app: Sphinx, _config: object) -> None:
    """Take the site's address from the environment, where it is set: whole addresses need it."""
    address = os.environ.get(ADDRESS, "")
    if address:
        app.config.html_baseurl = address.rstrip("/") + "/"


def finish(app: Sphinx, error: Exception | None) -> None:
    """Write the records' schema, what crawlers ask for, the card; remove what nobody asks for."""
    if error is not None or app.builder.name != "html":
        return
    folder = Path(app.outdir)
    documents.write_json(folder / "records.schema.json", results.schema())
    picture = folder / CARD
    if app.config.html_baseurl and not picture.exists():
        documents.write_atomic(picture, card(results.newest(LAB)))
    for name in UNUSED:
        path = folder / "_static" / name
        shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)
    for source_map in (folder / "_static").rglob("*.map"):
        source_map.unlink()
    _crawlers(app, folder)
    for page in _pages(folder):
        _light_without_script(page)


def guard(app: Sphinx, error: Exception | None) -> None:
    """Give every page its Content-Security-Policy, the same for all but those that are sealed.

    The search page holds the theme's scripts and nothing that anybody wrote: what a page runs
    besides those came with its content, and no page has a hash for that.
    """
    folder = Path(app.outdir)
    frame = folder / "search.html"
    if error is not None or app.builder.name != "html" or not frame.exists():
        return
    scripts = {*policy.Inline(frame.read_text(encoding="utf-8")).scripts, policy.SEARCH_BOX}
    said = policy.policy(policy.PAGES, scripts, policy.HANDLERS)
    sealed = policy.policy(policy.SEALED, scripts, policy.HANDLERS)
    for page in _pages(folder):
        inline = policy.Inline(page.read_text(encoding="utf-8"))
        strange = [one for one in inline.scripts if one not in scripts]
        strange += [one for one in inline.handlers if one not in policy.HANDLERS]
        for one in strange:
            message = "%s holds a script that no browser may run: %s"
            short = " ".join(one.split())[:80]
            logger.warning(message, page.relative_to(folder), short, type="ppslab")
        inside = page.relative_to(folder).as_posix() in policy.SEALED_PAGES
        policy.put(page, sealed if inside else said)


def _pages(folder: Path) -> list[Path]:
    """The pages that Sphinx and we wrote; reports and JupyterLite's have policies of their own."""
    return sorted(folder.glob("*.html")) + sorted(folder.glob("[bn]*/**/*.html"))


def _crawlers(app: Sphinx, folder: Path) -> None:
    robots = "User-agent: *\nAllow: /\n"
    if base := str(app.config.html_baseurl or ""):
        pages = sorted((*app.env.found_docs, *device_pages.addresses(app)))
        places = (escape(base + app.builder.get_target_uri(page)) for page in pages)
        addresses = "".join(f"<url><loc>{place}</loc></url>\n" for place in places)
        xmlns = "http://www.sitemaps.org/schemas/sitemap/0.9"
        sitemap = f'<urlset xmlns="{xmlns}">\n{addresses}</urlset>\n'
        head = '<?xml version="1.0" encoding="UTF-8"?>\n'
        documents.write_atomic(folder / "sitemap.xml", head + sitemap)
        robots += f"Sitemap: {base}sitemap.xml\n"
    documents.write_atomic(folder / "robots.txt", robots)


_AUTO = re.compile(r'(<html\b[^>]*\bdata-theme=)"auto"')


def _light_without_script(page: Path) -> None:
    """Without a script the page is light: the theme has no colours for `auto`, until one runs."""
    text = page.read_text(encoding="utf-8")
    light = _AUTO.sub(r'\1"light"', text, count=1)
    if light != text:
        page.write_text(light, encoding="utf-8")


FRONT = "index.html"

_TAGS = re.compile(r"<(script|style|svg)\b.*?</\1>|<[^>]+>", re.DOTALL)

_MOVED = """<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>Moved</title>
<meta http-equiv="refresh" content="0; url={address}"></head>
<body><p><a href="{address}">{title}</a></p><div role="main" hidden>{text}</div></body>
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
    front = (Path(app.outdir) / FRONT).read_text(encoding="utf-8")
    article = re.search(r"<article\b.*?</article>", front, re.DOTALL)
    text = _TAGS.sub(" ", article[0]) if article else ""
    _send_on(app, root, FRONT, "The front page", " ".join(text.split()))


MOVED = "book/moved.yml"
"""The pages that are gone, each with the page that has its content."""


def gone(app: Sphinx, error: Exception | None) -> None:
    """Send the addresses of pages that are gone on to what has their content."""
    path = Path(app.srcdir) / MOVED
    if error or app.builder.name != "html" or not path.is_file() or english(app):
        return
    for old, new in documents.load_yaml(path).data.items():
        if old in app.env.found_docs or new not in app.env.found_docs:
            message = "%s: %s is no page that is gone, or %s no page"
            logger.warning(message, MOVED, old, new, type="ppslab")
            continue
        target = app.builder.get_target_uri(new)
        _send_on(app, old, target, escape(app.env.titles[new].astext()))


def _send_on(app: Sphinx, old: str, target: str, title: str, text: str = "") -> None:
    page = Path(app.outdir) / f"{old}.html"
    page.parent.mkdir(parents=True, exist_ok=True)
    address = "../" * old.count("/") + target
    page.write_text(_MOVED.format(address=address, title=title, text=text), encoding="utf-8")
