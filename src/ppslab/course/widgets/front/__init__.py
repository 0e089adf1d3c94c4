"""The front end of the widgets: modules of JavaScript, and their styles.

A page's bundle follows their imports (web/build.mjs).  anywidget loads one module from its text,
which has no neighbours to import from: `module` is all of them as one.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

MODULES: Final = (
    "element.js",
    "path.js",
    "share.js",
    "controls.js",
    "bar.js",
    "listing.js",
    "lines.js",
    "answer.js",
    "widget.js",
)
"""Each imports only from those before it; the last one is what anywidget asks for."""

LOOK: Final = "front.css"

_FOLDER: Final = Path(__file__).parent
_IMPORT: Final = re.compile(r'^import \{.*\} from "\./[\w.]+";\n', re.MULTILINE)
_EXPORT: Final = re.compile(r"^export (?!default\b)", re.MULTILINE)


def module() -> str:
    """All modules in one: none imports from another, and the default export is the last one's."""
    return "\n".join(_EXPORT.sub("", _IMPORT.sub("", _text(name))) for name in MODULES)


def look() -> str:
    return _text(LOOK)


def _text(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")
