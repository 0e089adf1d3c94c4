"""A site that needs no other host: what the theme would load from others is dropped, and checked.

Every page of Jupyter Book 1 carries the address of thebe's CDN in a script, twice declared, which
is an error in the browser's console too.  Links that a reader may follow are no requests and stay.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.util import logging

logger = logging.getLogger(__name__)

EXTERNAL = re.compile(r"^(?:https?:)?//")
_UNWANTED = re.compile(r"sphinx-thebe\.(?:js|css)")
_THEBE = re.compile(
    r"""<script type="text/x-thebe-config">.*?</script>|<script>kernelName = '[^']*'</script>""",
    re.DOTALL,
)
"""The parts of a page that thebe would read."""

_ADDRESS = r"""["']?((?:https?:)?//[^"'\s)>]+)"""
LOADED = (
    re.compile(
        r"<(?:script|img|iframe|source|video|audio|embed|track|input|use|image)\b[^>]*?"
        r"\s(?:src|srcset|href|xlink:href)=" + _ADDRESS,
        re.IGNORECASE,
    ),
    re.compile(r"<object\b[^>]*?\sdata=" + _ADDRESS, re.IGNORECASE),
    re.compile(r"<link\b(?![^>]*rel=[\"']?(?:canonical|license))[^>]*?\shref=" + _ADDRESS, re.I),
    re.compile(r"url\(\s*" + _ADDRESS, re.IGNORECASE),
    re.compile(r"@import\s+" + _ADDRESS, re.IGNORECASE),
)
"""The addresses in HTML and CSS that a browser fetches by itself."""


def drop_external(
    _app: Sphinx, _pagename: str, _templatename: str, context: dict[str, Any], _doctree: object
) -> None:
    """Take thebe and whatever lies on another host out of a page's scripts and styles."""
    if context.get("body"):
        context["body"] = _THEBE.sub("", context["body"])
    for kind in ("css_files", "script_files"):
        context[kind] = [item for item in context.get(kind, []) if not _unwanted(item)]


def _unwanted(item: object) -> bool:
    name = str(getattr(item, "filename", item) or "")
    body = str(getattr(item, "attributes", {}).get("body", ""))
    return bool(_UNWANTED.search(name) or EXTERNAL.match(name) or "THEBE_JS_URL" in body)


def external_addresses(folder: Path) -> list[tuple[Path, str]]:
    """Every address on another host that a page or a style sheet below `folder` would fetch."""
    addresses = []
    for path in sorted(folder.rglob("*")):
        if path.suffix in (".html", ".css", ".svg") and path.is_file():
            text = path.read_text(encoding="utf-8", errors="replace")
            # A listing of source code, or a comment, fetches nothing.
            text = re.sub(r"<pre\b.*?</pre>|<!--.*?-->|/\*.*?\*/", "", text, flags=re.DOTALL)
            addresses += [
                (path, match[1]) for pattern in LOADED for match in pattern.finditer(text)
            ]
    return addresses


def check(app: Sphinx, error: Exception | None) -> None:
    """Warn of every request that would leave the site; warnings are fatal."""
    if error or app.builder.format != "html":
        return
    folder = Path(app.outdir)
    for path, address in external_addresses(folder):
        where = path.relative_to(folder)
        logger.warning("%s would fetch %s from another host", where, address, type="ppslab")
