"""Which page has which widget, and what the page's own state says of it."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
_STATE = re.compile(
    r'<script type="application/vnd\.ppslab\.widget\+json">(.*?)</script>', re.DOTALL
)


@cache
def with_widgets() -> dict[str, str]:
    """Widget to the first page that has it, as its address in the site."""
    found: dict[str, str] = {}
    for file in sorted((ROOT / "book").rglob("*.md")):
        text = file.read_text(encoding="utf-8")
        for name in re.findall(r"(?m)^ *[`:]{3,}\{ppslab-widget\} +(\S+)", text):
            found.setdefault(name, file.relative_to(ROOT).with_suffix(".html").as_posix())
    return found


def state(folder: Path, name: str) -> dict[str, Any]:
    """The traits of a widget as its page embeds them: controls, inputs, facts, answer."""
    text = (folder / with_widgets()[name]).read_text(encoding="utf-8")
    for embedded in _STATE.findall(text):
        found: dict[str, Any] = json.loads(embedded)
        if found["name"] == name:
            return found
    raise AssertionError(f"{with_widgets()[name]} has no state of {name}")
