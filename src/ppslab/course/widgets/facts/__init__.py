"""The facts of the models, from data files and records: a function for each model, and JSON.

In the browser's Python neither the records nor their readers are there, so the build writes every
model's facts into a file that travels with the package (`PPSLAB_FACTS` names another).
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from ppslab.course.models import WIDGETS

WRITTEN = "facts.json"
"""The file beside this module that holds the facts where they cannot be read."""


def of(name: str) -> dict[str, Any]:
    """Return the facts of a model, empty where it needs none."""
    written = Path(os.environ.get("PPSLAB_FACTS") or Path(__file__).with_name(WRITTEN))
    if written.is_file():
        known: dict[str, Any] = json.loads(written.read_text(encoding="utf-8")).get(name, {})
        return known
    # Here, since the Python of a page has no records and reads the file above.
    from ppslab.course.widgets.facts import sources  # noqa: PLC0415

    maker = getattr(sources, name.replace("-", "_"), None)
    return maker() if maker else {}


def every() -> dict[str, dict[str, Any]]:
    """Return the facts of every widget, by its name: what the build writes."""
    return {name: of(name) for name in WIDGETS}
