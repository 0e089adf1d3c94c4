"""A report as PDF pages, by WeasyPrint: numbered, and with no table wider than its page."""

from __future__ import annotations

import logging

from ppslab.errors import CannotHereError
from ppslab.report.document import Document
from ppslab.report.page import Page

REMEDY = (
    "make setup brings it (Debian: libpangoft2-1.0-0, libharfbuzz-subset0); "
    "or print the HTML report from a browser"
)


def write(document: Document) -> bytes:
    """The PDF; CannotHereError where WeasyPrint or the Pango library is missing."""
    try:
        # Here, since it loads Pango, which not every machine has.
        import weasyprint  # noqa: PLC0415
        from weasyprint.urls import URLFetcher  # noqa: PLC0415
    except (ImportError, OSError) as error:
        reason = str(error).splitlines()[0]
        raise CannotHereError(f"no PDF can be made here: {reason}", REMEDY) from None
    # It warns of every property that is for screens only.
    logging.getLogger("weasyprint").setLevel(logging.ERROR)
    # What the page brings with it, and nothing else: a file or a host would be a fault of ours.
    fetcher = URLFetcher(allowed_protocols=("data",), fail_on_errors=True)
    page = weasyprint.HTML(string=Page(paper=True).write(document), url_fetcher=fetcher)
    made: bytes = page.write_pdf(pdf_variant="pdf/ua-1")
    return made
