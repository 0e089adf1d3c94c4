#!/usr/bin/env python3
"""Print the site as one book: every page of the table of contents, in its order, as a PDF.

    .venv/bin/python scripts/site/book_pdf.py [--toc FILE] [--site FOLDER] [--output FILE]

WeasyPrint prints, as it does reports, in a style for paper (show/book.css): it runs no
script, so a widget is the figure and the table that stand in the page for readers without scripts.
What a page folds is open, and links between pages lead to places of the book.
Exit codes: 0 printed; 2 no site, or a page that is missing; 3 no WeasyPrint.
"""

from __future__ import annotations

import argparse
import posixpath
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from html import escape, unescape
from pathlib import Path
from typing import Any

import yaml

from ppslab.core.errors import CannotHereError
from ppslab.show import paper

ROOT = Path(__file__).resolve().parents[2]
FRONT = "index.html"

STYLE = Path(paper.__file__).with_name("book.css")
LOOKS = ("pygments.css", "site.css", "book.css", "learning.css", "widgets.css")
"""What a page looks like without its theme, which is for screens."""


class CannotPrintError(Exception):
    """What is missing, and what brings it."""


@dataclass(frozen=True)
class Part:
    """An entry of the table of contents with all pages below it."""

    caption: str
    pages: tuple[str, ...]


def main() -> int:
    """Print the book."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--toc", type=Path, default=ROOT / "_toc.yml")
    parser.add_argument("--site", type=Path, default=ROOT / "_build/html")
    parser.add_argument("--output", type=Path, default=ROOT / "_build/ppslab.pdf")
    options = parser.parse_args()
    try:
        parts = list(contents(yaml.safe_load(options.toc.read_text(encoding="utf-8"))))
        book = whole(options.site.resolve(), parts)
        options.output.parent.mkdir(parents=True, exist_ok=True)
        options.output.write_bytes(paper.pdf(book, files=True))
    except CannotPrintError as error:
        print(f"book-pdf: {error}", file=sys.stderr)
        return 2
    except CannotHereError as error:
        print(f"book-pdf: {error}", file=sys.stderr)
        return error.exit_code
    print(f"The book: {options.output} ({options.output.stat().st_size / 1e6:.1f} MB)")
    return 0


def contents(toc: dict[str, Any]) -> Iterator[Part]:
    """The pages of a table of contents, as addresses in the site, entry by entry."""
    yield Part("", (FRONT,))
    for entry in toc["chapters"]:
        yield Part(entry.get("title", ""), tuple(_files([entry])))


def _files(entries: list[dict[str, Any]]) -> Iterator[str]:
    for entry in entries:
        yield f"{entry['file']}.html"
        yield from _files(entry.get("sections", []))


def whole(site: Path, parts: list[Part]) -> str:
    """The book as one page of HTML, which reads its styles and pictures from the site."""
    pages = [page for part in parts for page in part.pages]
    articles = {page: article(site, page, frozenset(pages)) for page in pages}
    styles = "".join(f'<link rel="stylesheet" href="{path.as_uri()}">' for path in looks(site))
    style = STYLE.read_text(encoding="utf-8")
    listed = ""
    for part in parts:
        links = (f'<a href="#{prefix(page)}">{title(articles[page])}</a>' for page in part.pages)
        listed += f"<p>{escape(part.caption)}</p>" if part.caption else ""
        listed += f"<ul>{''.join(f'<li>{link}</li>' for link in links)}</ul>"
    return (
        '<!DOCTYPE html>\n<html lang="en" data-theme="light"><head><meta charset="utf-8">'
        f"<title>Packets per second, and why</title>{styles}<style>{style}</style></head><body>"
        '<section class="book-title"><h1>Packets per second, and why</h1>'
        "<p>How fast does a MikroTik RouterOS router forward packets, and why?</p>"
        "<p>Printed from the site, whose widgets, quizzes and notebooks do more.</p></section>"
        f'<nav class="book-contents"><h2>Contents</h2>{listed}</nav><main class="bd-content">'
        + "".join(
            f'<article class="bd-article" id="{prefix(page)}">{made}</article>\n'
            for page, made in articles.items()
        )
        + "</main></body></html>\n"
    )


def looks(site: Path) -> list[Path]:
    return [path for name in LOOKS if (path := site / "_static" / name).exists()]


def prefix(page: str) -> str:
    """What the ids of a page begin with in the book, where all pages share one space of ids."""
    return re.sub(r"[^a-z0-9]+", "-", page.removesuffix(".html").lower())


def title(made: str) -> str:
    """The title of an article, as HTML without tags."""
    heading = re.search(r"<h1\b[^>]*>(.*?)</h1>", made, re.DOTALL)
    text = re.sub(r'<a class="headerlink".*?</a>|<[^>]+>', "", heading[1]) if heading else "?"
    return escape(unescape(text).strip())


def article(site: Path, page: str, pages: frozenset[str]) -> str:
    """What a page says, with the ids, links and pictures of the book."""
    path = site / page
    if not path.exists():
        raise CannotPrintError(f"{path} is missing: make site")
    text = path.read_text(encoding="utf-8")
    found = re.search(r"<article\b[^>]*>(.*)</article>", text, re.DOTALL)
    if found is None:
        raise CannotPrintError(f"{path} has no article")
    own = prefix(page)
    made = re.sub(r"<script\b.*?</script>", "", found[1], flags=re.DOTALL)
    made = re.sub(r'<span class="[^"]*sd-summary-state-marker.*?</svg></span>', "", made)
    # Paper is as wide as the second of two drawings.
    both = r"<svg\b[^>]*\bppslab-rows\b(?:(?!</svg>).)*</svg>(?=<svg\b[^>]*\bppslab-wide\b)"
    made = re.sub(both, "", made, flags=re.DOTALL)
    made = re.sub(r"<details\b(?![^>]*\bopen\b)", "<details open", made)
    made = re.sub(r'(?<=\s)(id|for|name)="([^"]+)"', rf'\1="{own}--\2"', made)
    made = re.sub(
        r'(?<=\s)(aria-(?:labelledby|describedby|controls|owns)|headers)="([^"]+)"',
        lambda m: f'{m[1]}="{" ".join(f"{own}--{word}" for word in m[2].split())}"',
        made,
    )
    made = re.sub(r"url\(#([^)]+)\)", rf"url(#{own}--\1)", made)

    def leads(match: re.Match[str]) -> str:
        address = unescape(match[2])
        if re.match(r"[a-z]+:|//", address):
            return match[0]
        file, _, anchor = address.partition("#")
        target = posixpath.normpath(posixpath.join(posixpath.dirname(page), file)) if file else page
        if target not in pages:
            return ""  # a download: it is not in the book
        return f'{match[1]}="#{prefix(target)}{f"--{anchor}" if anchor else ""}"'

    style = drawn(site)
    made = re.sub(
        r"<svg\b.*?</svg>", lambda m: paper.picture(m[0], style=style), made, flags=re.DOTALL
    )
    made = re.sub(r'(?<=\s)(href)="([^"]*)"', leads, made)
    folder = path.parent

    def picture(match: re.Match[str]) -> str:
        address = unescape(match[1])
        outside = re.match(r"[a-z]+:|//", address)  # data: a drawing
        return match[0] if outside else f'src="{(folder / address).resolve().as_uri()}"'

    return re.sub(r'(?<=\s)src="([^"]+)"', picture, made)


@lru_cache
def drawn(site: Path) -> str:
    """The style of a page's drawings, which as images no longer see it.

    An SVG's style knows no variables: they get the values that they have without a theme.
    """
    text = "".join(path.read_text(encoding="utf-8") for path in looks(site))
    plain: dict[str, str] = {}
    for name, value in re.findall(r"(--w-[\w-]+):\s*([^;]+);", text):
        # The first is that of a light page; of `var(--theme, #123)` the last, without a theme.
        plain.setdefault(name, value.rsplit(", ", 1)[-1].rstrip(")"))
    rules = re.findall(
        r"^(?=[.\w])[^{}@:]*\.(?:w-|ppslab-race)[^{}:]*\{[^{}]*\}", text, re.MULTILINE
    )
    style = re.sub(r"var\((--[\w-]+)[^)]*\)", lambda m: plain.get(m[1], "#000000"), "".join(rules))
    return re.sub(r"\.ppslab-(?:drawing|figure)\s+(?=\S)", "", style)


if __name__ == "__main__":
    sys.exit(main())
