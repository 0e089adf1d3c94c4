"""Pages on paper, by WeasyPrint: the PDF of a report, and of the whole site as a book."""

from __future__ import annotations

import logging
import re
from base64 import b64encode
from html import escape, unescape

from ppslab.core.errors import CannotHereError

REMEDY = (
    "make setup brings it (Debian: libpangoft2-1.0-0, libharfbuzz-subset0); "
    "or print the HTML from a browser"
)


def pdf(page: str, *, files: bool = False) -> bytes:
    """A page of HTML as a PDF that a screen reader reads (PDF/UA).

    `files`: it may name files of this machine.  Raises CannotHereError where WeasyPrint or the
    Pango library is missing.
    """
    try:
        # Imported here, since it loads Pango, which not every machine has.
        import weasyprint  # noqa: PLC0415
        from weasyprint.urls import URLFetcher  # noqa: PLC0415
    except (ImportError, OSError) as error:
        reason = str(error).splitlines()[0]
        raise CannotHereError(f"this machine cannot create a PDF: {reason}", REMEDY) from None
    # It warns about every property that is for screens only.
    logging.getLogger("weasyprint").setLevel(logging.ERROR)
    # Only what the page itself contains: asking a host would be a bug of ours.
    allowed = ("data", "file") if files else ("data",)
    fetcher = URLFetcher(allowed_protocols=allowed, fail_on_errors=True)
    document: bytes = weasyprint.HTML(string=page, url_fetcher=fetcher).write_pdf(
        pdf_variant="pdf/ua-1"
    )
    return document


def picture(svg: str, alt: str | None = None, style: str = "") -> str:
    """A drawing as an image with its words, since a PDF's drawing has no description.

    `alt`: left out, the drawing's own.  `style`: CSS of the page that the drawing's classes need.
    """
    svg, style = (re.sub("(?i)currentcolor", "#000000", each) for each in (svg, style))
    svg = re.sub(r'(font(?:-family)?: [^";]*?)inherit', r"\1sans-serif", svg)
    tag, body = svg.split(">", 1)
    tag = tag.replace("display: none", "")  # the other one of two drawings
    box = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', tag)
    if box:
        tag = re.sub(r'\s(width|height)="[^"]*"', "", tag)
        tag += f' width="{box[1]}pt" height="{box[2]}pt"'
    if "xmlns=" not in tag:
        tag += ' xmlns="http://www.w3.org/2000/svg"'
    inside = f"<style>{style}</style>" if style else ""
    data = b64encode(f"{tag}>{inside}{body}".encode()).decode()
    words = description(svg) if alt is None else alt
    return f'<img alt="{escape(words, quote=True)}" src="data:image/svg+xml;base64,{data}">'


def description(svg: str) -> str:
    """A drawing's own description: its label, or its title and description."""
    label = re.search(r'^<svg[^>]*\saria-label="([^"]*)"', svg)
    if label:
        return unescape(label[1])
    words = re.findall(r"<(?:title|desc)\b[^>]*>([^<]*)<", svg)
    return " ".join(unescape(each).strip() for each in words)
